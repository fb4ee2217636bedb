import { useInfiniteQuery, useQuery, useQueryClient, type InfiniteData } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';

interface Page<I> {
  items: I[];
  nextCursor?: string | null;
}

export interface PagesOptions {
  enabled?: boolean;
  /** Whether all pages are read, one after another; otherwise each when it is asked for. */
  whole?: boolean;
}

/**
 * What only grows at its end, page after page. What was read never changes, so that a hint reads the last page again and no
 * other, however many there are.
 */
export function usePages<I>(
  key: readonly [path: string, call: { path: object }],
  read: (cursor: string, signal: AbortSignal) => Promise<Page<I>>,
  { enabled = true, whole = false }: PagesOptions = {},
) {
  const queries = useQueryClient();
  const pagesKey = [...key, 'pages'];
  const pages = useInfiniteQuery({
    queryKey: pagesKey,
    queryFn: ({ pageParam, signal }) => read(pageParam, signal),
    initialPageParam: '',
    getNextPageParam: (page) => page.nextCursor ?? null,
    staleTime: Infinity,
    meta: { frozen: true },
    enabled,
  });
  const last = pages.data?.pageParams.at(-1) as string | undefined;
  const tail = useQuery({
    queryKey: [...key, 'tail', last],
    queryFn: ({ signal }) => read(last ?? '', signal),
    enabled: enabled && pages.isSuccess && !pages.hasNextPage,
    initialData: () => pages.data?.pages.at(-1),
    initialDataUpdatedAt: pages.dataUpdatedAt,
  }).data;
  useEffect(() => {
    if (!tail) return;
    queries.setQueryData<InfiniteData<Page<I>>>(pagesKey, (old) =>
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
