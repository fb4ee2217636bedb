import { call, type Call, type PathsWith } from '../api/client';
import { writeJson } from './json';

/** More rows than this are for the command line. */
const ROWS_MAX = 10_000;
const PAGE = 500;

/** Saves a text as a file. */
export function saveFile(name: string, text: string, type: string): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** Saves what a list holds with these filters, one JSON object a line: instants as ISO 8601 in UTC, numbers with all digits. */
export async function exportRows<P extends PathsWith<'get'>>(
  path: P,
  query: Record<string, string | undefined>,
  name: string,
): Promise<void> {
  const lines: string[] = [];
  let cursor: string | null = null;
  do {
    const request = { query: { ...query, limit: PAGE, ...(cursor ? { cursor } : {}) } };
    const page = (await call('get', path, request as unknown as Call<P, 'get'>)) as unknown as {
      items: unknown[];
      nextCursor?: string | null;
    };
    lines.push(...page.items.map((item) => writeJson(item)));
    cursor = page.nextCursor ?? null;
  } while (cursor && lines.length < ROWS_MAX);
  const stamp = new Date().toISOString().replaceAll(':', '-').slice(0, 19);
  saveFile(`${name}-${stamp}Z.jsonl`, lines.map((line) => `${line}\n`).join(''), 'application/x-ndjson');
}
