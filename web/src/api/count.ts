import { useQuery } from '@tanstack/react-query';
import { usePreferences } from '../app/preferences';
import { call, type Call, type PathsWith, type Schemas } from './client';

/** Counting costs more than a page: it is done again less often. */
const EVERY_MS = 10_000;

/** How many objects a list has with these filters; exact up to 10,000. */
export function useCount<P extends PathsWith<'get'>>(
  path: P,
  query: Record<string, string | undefined>,
): Schemas['ListCount'] | undefined {
  const { paused } = usePreferences();
  return useQuery({
    queryKey: [path, { query }, 'count'],
    queryFn: async ({ signal }) => {
      const request = { query: { ...query, limit: 1, count: true }, signal };
      const page = (await call('get', path, request as unknown as Call<P, 'get'>)) as unknown as {
        count?: Schemas['ListCount'] | null;
      };
      return page.count ?? null;
    },
    refetchInterval: paused ? false : EVERY_MS,
    meta: { frozen: true },
  }).data as Schemas['ListCount'] | undefined;
}
