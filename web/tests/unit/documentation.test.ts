import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { t } from '../../src/messages/en';

const ROOT = new URL('../../../', import.meta.url);
const textOf = (path: string) => readFileSync(new URL(path, ROOT), 'utf8');

/** The names of all tests in a browser, as their files have them. */
function browserTests(): Set<string> {
  const folder = 'web/tests/browser/';
  const files = readdirSync(new URL(folder, ROOT)).filter((name) => name.endsWith('.mjs'));
  const names = files.flatMap((file) => {
    const text = textOf(folder + file);
    const methods = [...text.matchAll(/^ {2}async '([^']+)'\(/gm)].map((match) => match[1]!);
    const checks = [...text.matchAll(/check\('([^']+)'/g)].map((match) => match[1]!);
    return [...methods, ...checks];
  });
  const pages = textOf(`${folder}pages.mjs`).matchAll(/^ {4}'?([\w-]+)'?: [`'].*,$/gm);
  return new Set([...names, ...[...pages].map((match) => `every page: ${match[1]}`)]);
}

describe('docs/console.md', () => {
  const part = textOf('docs/console.md').split('## The thirty requirements')[1] ?? '';
  const rows = part.split('\n').filter((line) => /^\| \d+ \|/.test(line));
  const namesIn = (text: string) =>
    [...text.matchAll(/`([^`]+)`/g)].map((match) => match[1]!.replace(/\s+/g, ' '));

  it('has a test for each of the thirty requirements, and each name is one of a test', () => {
    const tests = browserTests();
    expect(tests.size).toBeGreaterThan(70);
    expect(rows.map((row) => Number(row.split('|')[1]))).toEqual(Array.from({ length: 30 }, (_, n) => n + 1));
    for (const row of rows) {
      const names = namesIn(row.split('|')[3] ?? '');
      expect(names.length, row).toBeGreaterThan(0);
      for (const name of names) expect(tests.has(name), name).toBe(true);
    }
  });

  it('names every test', () => {
    const named = new Set(namesIn(part));
    const missing = [...browserTests()].filter(
      (name) => !name.startsWith('every page: ') && !named.has(name),
    );
    expect(missing).toEqual([]);
  });
});

describe('why a job does not run', () => {
  it('has a sentence for each reason of the server', () => {
    const words = textOf('shared/domain/src/why/reason.rs').matchAll(/^ {8}\w+ "([a-z_]+)",$/gm);
    const reasons = [...words].map((match) => match[1]!);
    expect(reasons.length).toBeGreaterThan(15);
    for (const reason of reasons) expect(t.why.reasons, reason).toHaveProperty(reason);
  });
});

describe('choices of forms', () => {
  const { components } = JSON.parse(textOf('services/api/openapi.json')) as {
    components: { schemas: Record<string, { enum?: string[] }> };
  };
  it('are those of the interface', () => {
    const form = textOf('web/src/pages/webhooks/form.tsx');
    const [, list] = /const PROVIDERS: Provider\[\] = \[([^\]]*)\]/.exec(form)!;
    const offered = [...list!.matchAll(/'(\w+)'/g)].map((match) => match[1]!);
    expect(offered.sort()).toEqual([...components.schemas['WebhookProvider']!.enum!].sort());
    const rules = textOf('web/src/pages/alerts/rule-form.tsx');
    const [, metrics] = /const METRICS = \[([^\]]*)\]/.exec(rules)!;
    const known = textOf('shared/domain/src/alerting/rule.rs').split('metrics! {')[1]!.split('\n}')[0]!;
    expect([...metrics!.matchAll(/'(\w+)'/g)].map((match) => match[1])).toEqual(
      [...known.matchAll(/= "(\w+)"/g)].map((match) => match[1]),
    );
  });
});
