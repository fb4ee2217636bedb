import { useNavigate, useSearch } from '@tanstack/react-router';
import type { Filters } from './router';

/** The filters of the page as its address holds them, and how to change some. */
export function useFilters(): [Filters, (changes: Filters) => void] {
  const filters = useSearch({ strict: false }) as Filters;
  const navigate = useNavigate();
  const change = (changes: Filters) => {
    void navigate({ to: '.', search: (old: Filters) => ({ ...old, ...changes }), replace: true } as never);
  };
  return [filters, change];
}

/** Those filters that an endpoint takes, without empty ones. */
export function pick<K extends string>(filters: Filters, names: readonly K[]): Partial<Record<K, string>> {
  const kept = names.filter((name) => filters[name]).map((name) => [name, filters[name]]);
  return Object.fromEntries(kept) as Partial<Record<K, string>>;
}
