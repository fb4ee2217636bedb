import { useQuery } from '@tanstack/react-query';
import { usePreferences } from '../app/preferences';
import { call, type Call, type PathsWith, type Schemas } from './client';
import type { LiveList } from './hooks';

type Count = Schemas['ListCount'];

/** Counting costs more than a page: it is done again less often, and the less often the longer it takes. */
const EVERY_MS = 10_000;
const TIMES_AS_LONG = 30;

/**
 * How many objects a list has with these filters; exact up to 10,000. A list that is here as a whole is counted here, and the
 * server counts after it has sent the rows, so that nobody waits for a number.
 */
export function useCount<P extends PathsWith<'get'>>(
  path: P,
  query: Record<string, string | undefined>,
  list: Pick<LiveList<unknown>, 'rows' | 'isLoading' | 'error' | 'hasMore' | 'fresh'>,
): Count | undefined {
  const { paused } = usePreferences();
  const isReady = !list.isLoading && !list.error;
  const { data } = useQuery({
    queryKey: [path, { query }, 'count'],
    queryFn: async ({ signal }) => {
      const from = performance.now();
      const request = { query: { ...query, limit: 1, count: true }, signal };
      const page = (await call('get', path, request as unknown as Call<P, 'get'>)) as unknown as {
        count?: Count | null;
      };
      return { count: page.count ?? null, tookMs: performance.now() - from };
    },
    enabled: isReady && list.hasMore,
    refetchInterval: ({ state: { data: last } }) =>
      paused || !last ? false : Math.max(EVERY_MS, last.tookMs * TIMES_AS_LONG),
    meta: { frozen: true },
  });
  if (!isReady) return undefined;
  if (list.hasMore) return data?.count ?? undefined;
  return { value: list.rows.length + list.fresh.count, exact: !list.fresh.isBound };
}
