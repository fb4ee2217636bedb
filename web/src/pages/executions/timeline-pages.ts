import { useInfiniteQuery, useQuery, useQueryClient, type InfiniteData } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { call, type Answer } from '../../api/client';

const PAGE = 500;

type Page = Answer<'/v1/executions/{id}/events', 'get'>;

interface TimelineOptions {
  enabled?: boolean;
  /** Whether all pages are read, one after another; otherwise each when it is asked for. */
  whole?: boolean;
}

/**
 * The timeline, page after page. What was read never changes, so that a hint reads the last page again and no other, however
 * long the timeline is.
 */
export function useTimeline(id: string, { enabled = true, whole = false }: TimelineOptions = {}) {
  const queries = useQueryClient();
  const key = ['/v1/executions/{id}/events', { path: { id } }, 'pages'];
  const read = (cursor: string, signal: AbortSignal) =>
    call('get', '/v1/executions/{id}/events', {
      path: { id },
      query: { limit: PAGE, ...(cursor ? { cursor } : {}) },
      signal,
    });
  const pages = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => read(pageParam, signal),
    initialPageParam: '',
    getNextPageParam: (page) => page.nextCursor ?? null,
    staleTime: Infinity,
    meta: { frozen: true },
    enabled,
  });
  const last = pages.data?.pageParams.at(-1) as string | undefined;
  const tail = useQuery({
    queryKey: ['/v1/executions/{id}/events', { path: { id } }, 'tail', last],
    queryFn: ({ signal }) => read(last ?? '', signal),
    enabled: enabled && pages.isSuccess && !pages.hasNextPage,
    initialData: () => pages.data?.pages.at(-1),
    initialDataUpdatedAt: pages.dataUpdatedAt,
  }).data;
  useEffect(() => {
    if (!tail) return;
    queries.setQueryData<InfiniteData<Page>>(key, (old) =>
      old && old.pageParams.at(-1) === last && old.pages.at(-1) !== tail
        ? { ...old, pages: [...old.pages.slice(0, -1), tail] }
        : old,
    );
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [tail, last]);
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = pages;
  useEffect(() => {
    if (enabled && whole && hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [enabled, whole, hasNextPage, isFetchingNextPage, fetchNextPage]);
  const rows = useMemo(() => pages.data?.pages.flatMap(({ items }) => items) ?? [], [pages.data]);
  return { ...pages, rows };
}
