import { addressOf, call, type Schemas } from './client';

export type Omitted = Schemas['OmittedPayload'];

/** Larger payloads do not come with their object: somebody has to ask for them. */
export const PAYLOAD_MAX = 64 * 1024;
/** An execution has many nodes, and they are read again while it runs: of those, larger ones come when a node is chosen. */
export const NODE_PAYLOAD_MAX = 1024;

/** The payload of a field where it did not come along. */
export function omittedOf(
  omitted: readonly Omitted[] | null | undefined,
  field: string,
): Omitted | undefined {
  return omitted?.find((each) => each.field === field);
}

/** The whole of a payload that did not come along, as its text. */
export async function readWhole(href: string, signal: AbortSignal): Promise<string> {
  const response = await fetch(addressOf(href), { credentials: 'same-origin', signal });
  if (!response.ok) await explain(href, signal);
  return response.text();
}

/** The first bytes of it, or all of them; what has begun to come after them is not waited for. */
export async function readBytes(
  href: string,
  signal: AbortSignal,
  bytesMax = Number.POSITIVE_INFINITY,
): Promise<Uint8Array<ArrayBuffer>> {
  const response = await fetch(addressOf(href), { credentials: 'same-origin', signal });
  if (!response.ok || !response.body) await explain(href, signal);
  const reader = response.body!.getReader();
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for (let read = 0; read < bytesMax;) {
    const { done, value } = await reader.read();
    if (done) break;
    const part = value.subarray(0, bytesMax - read);
    parts.push(part);
    read += part.length;
  }
  await reader.cancel();
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

/** The first bytes of it, as text. A character that they cut is left out. */
export async function readBeginning(href: string, bytes: number, signal: AbortSignal): Promise<string> {
  return new TextDecoder().decode(await readBytes(href, signal, bytes), { stream: true });
}

/** Asks once more as any other call does, which fails with what the server says. */
async function explain(href: string, signal: AbortSignal): Promise<void> {
  await call('get', href as never, { signal });
}
