import { readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { t } from '../../src/messages/en';

const SOURCES = new URL('../../src/', import.meta.url);
/** Names and samples that are the same in every language. */
const NO_WORDS = new Set(['Trunkline', 'Ctrl K', 'UTC', 'Europe/Berlin', 'tl_…', 'default']);
/** Attributes that people read or hear. */
const READ = new Set(['title', 'label', 'placeholder', 'alt', 'intro', 'hint', 'aria-label']);

/** Texts of a page that stand in its code: those between tags, and those of attributes that are read. */
function textsOf(file: string): string[] {
  const source = ts.createSourceFile(
    file,
    readFileSync(new URL(file, SOURCES), 'utf8'),
    ts.ScriptTarget.Latest,
  );
  const found: string[] = [];
  const keep = (text: string) => {
    if (/\p{L}{2}/u.test(text) && !NO_WORDS.has(text.trim())) found.push(text.trim());
  };
  const look = (node: ts.Node): void => {
    if (ts.isJsxText(node)) keep(node.text);
    if (ts.isJsxAttribute(node) && READ.has(node.name.getText(source)) && node.initializer) {
      if (ts.isStringLiteral(node.initializer)) keep(node.initializer.text);
    }
    ts.forEachChild(node, look);
  };
  look(source);
  return found;
}

/** A value that does for a number, a name and a list of names. */
const ANY: unknown = Object.assign(Object(7) as object, { join: () => '7', toLowerCase: () => '7' });

/** All sentences, with what stands for the names and numbers in them. */
function sentences(of: unknown, path = ''): [string, string][] {
  if (typeof of === 'string') return [[path, of]];
  if (typeof of === 'function') {
    const values = Array.from({ length: of.length }, () => ANY);
    return [[path, String((of as (...values: unknown[]) => unknown)(...values))]];
  }
  return Object.entries(of as object).flatMap(([name, value]) => sentences(value, `${path}.${name}`));
}

describe('the words of the console', () => {
  it('are all in the messages', () => {
    const files = readdirSync(SOURCES, { recursive: true }).map(String);
    const pages = files.filter((file) => file.endsWith('.tsx'));
    expect(pages.length).toBeGreaterThan(80);
    const found = pages.flatMap((file) => textsOf(file).map((text) => `${file}: ${text}`));
    expect(found).toEqual([]);
  });

  it('are sentences that end, begin with a capital where they do, and have no blanks at their ends', () => {
    const all = sentences(t);
    expect(all.length).toBeGreaterThan(800);
    const isWrong = (text: string) =>
      text !== text.trim() ||
      / {2}|\bundefined\b|\[object /.test(text) ||
      // A name or a number comes as it is.
      (/[.!?]$/.test(text) && /^\p{Ll}/u.test(text) && !text.startsWith('whsec_'));
    expect(all.filter(([, text]) => isWrong(text))).toEqual([]);
  });
});
