import type { Filters } from '../app/router';
import { quotedValue, termsOf } from './query';

/** The first instant of each list that is searched by queries; `from` and `to` are about it. */
const FIRST: Record<string, string> = {
  jobs: 'created',
  executions: 'created',
  'dead-letters': 'died',
  archive: 'died',
  deliveries: 'received',
  schedules: 'created',
};

/** What an instant is compared with in a query: `createdAfter` is `created:>=`. */
function comparison(list: string, name: string): string | null {
  const first = FIRST[list];
  if (!first) return null;
  if (name === 'from') return `${first}:>=`;
  if (name === 'to') return `${first}:<`;
  const [, instant, side] = /^(\w+)(After|Before)$/.exec(name) ?? [];
  return instant ? `${instant}:${side === 'After' ? '>=' : '<'}` : null;
}

/** What a list shows, as the query of a saved view: its filters first, then the terms of its own query. */
export function queryOfView(list: string, filters: Filters, names: readonly string[]): string {
  const terms = names.flatMap((name) => {
    const value = filters[name];
    if (!value) return [];
    const compared = comparison(list, name);
    if (compared) return [compared + quotedValue(value)];
    return [`${name}:${value.split(',').map(quotedValue).join(',')}`];
  });
  return [...terms, ...termsOf(filters['q'] ?? '')].join(' ');
}

/**
 * Reads `name:value name:"two words"`. What names no filter is the rest, and where the list has a query of its own also what is
 * more than a value.
 */
export function parseQuery(
  text: string,
  names: readonly string[],
  hasQuery = true,
): { filters: Filters; rest: string[] } {
  const filters: Filters = {};
  const rest: string[] = [];
  for (const term of termsOf(text)) {
    const [, prefix, quoted, plain] = /^([\w-]+):(?:"((?:[^"\\]|\\.)*)"|(.*))$/.exec(term) ?? [];
    const name = names.find((candidate) => candidate.toLowerCase() === prefix?.toLowerCase());
    const isPlain = quoted === undefined ? !/^[<>]|\.\.|[*"]/.test(plain ?? '') : !quoted.includes(',');
    if (name && (isPlain || !hasQuery) && filters[name] === undefined)
      filters[name] = quoted?.replace(/\\(.)/g, '$1') ?? plain ?? '';
    else rest.push(term);
  }
  return { filters, rest };
}

/** The filters that show a saved view: those of its own, and nothing of what was shown before. */
export function filtersOfView(
  q: string,
  order: string | null | undefined,
  names: readonly string[],
): Filters {
  const { filters, rest } = parseQuery(q, names);
  const cleared = Object.fromEntries(names.map((name) => [name, undefined]));
  const own = { q: rest.join(' ') || undefined, order: order === 'asc' ? 'asc' : undefined };
  return { ...cleared, ...own, ...filters };
}
