import { useNavigate, useSearch } from '@tanstack/react-router';
import { preferences, usePreferences } from './preferences';
import type { Filters } from './router';

/** The filters of the page as its address holds them, and how to change some. */
export function useFilters(): [Filters, (changes: Filters) => void] {
  const filters = useSearch({ strict: false }) as Filters;
  const navigate = useNavigate();
  // The chosen tenant is a filter too: see `pick`.
  usePreferences();
  const change = (changes: Filters) => {
    const search = (old: Filters) => ({ ...old, ...changes });
    // Whoever picks something below the first screen, or follows an execution, stays where they are.
    void navigate({ to: '.', search, replace: true, resetScroll: false } as never);
  };
  return [filters, change];
}

/** Those filters that an endpoint takes, without empty ones. The chosen tenant holds where the page names none. */
export function pick<K extends string>(filters: Filters, names: readonly K[]): Partial<Record<K, string>> {
  const { tenant } = preferences();
  const kept = names.filter((name) => filters[name]).map((name) => [name, filters[name]]);
  if (tenant && !filters['tenant'] && (names as readonly string[]).includes('tenant'))
    kept.push(['tenant' as K, tenant]);
  return Object.fromEntries(kept) as Partial<Record<K, string>>;
}
