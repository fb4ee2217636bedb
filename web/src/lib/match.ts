import type { Filters } from '../app/router';

/** What a row has of each filter; nothing matches what it does not have. */
export type Facts = Record<string, string | readonly string[] | null | undefined>;

/**
 * Whether a row satisfies all filters, for lists that are here as a whole. A filter names one value or several, separated by
 * commas; `*` stands for any text, and capitals do not matter.
 */
export function matches(facts: Facts, filters: Filters, names: readonly string[]): boolean {
  return names.every((name) => {
    const wanted = filters[name];
    if (!wanted) return true;
    const own = [facts[name] ?? []].flat();
    return wanted.split(',').some((one) => {
      const pattern = patternOf(one.trim());
      return own.some((value) => pattern.test(value));
    });
  });
}

function patternOf(text: string): RegExp {
  const parts = text.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 'is');
}
