import {
  keepPreviousData,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
  type InfiniteData,
} from '@tanstack/react-query';
import { useMemo } from 'react';
import { toast } from '../components/toasts';
import { usePreferences } from '../app/preferences';
import { messageOf } from '../lib/text';
import { call, type Answer, type Call, type ItemOf, type PathsWith } from './client';
import type { paths } from './schema';

type Params<P extends keyof paths> = Pick<Call<P, 'get'>, 'path' | 'query'>;
interface ReadOptions<T = unknown> {
  enabled?: boolean;
  /** Also read again this often, in milliseconds, while updates are live; 0 never. May follow from what was read last. */
  every?: number | ((data: T | undefined) => number);
}

/** Reads something, and reads it again when a hint says that it changed. */
export function useGet<P extends PathsWith<'get'>>(
  path: P,
  params: Params<P> = {},
  { enabled = true, every = 0 }: ReadOptions<Answer<P, 'get'>> = {},
) {
  const { paused } = usePreferences();
  return useQuery({
    queryKey: [path, params],
    queryFn: ({ signal }) => call('get', path, { ...params, signal }),
    enabled,
    refetchInterval: ({ state: { data } }) => {
      const next = typeof every === 'number' ? every : every(data);
      return paused ? false : next || false;
    },
    placeholderData: keepPreviousData,
  });
}

interface ListPage<I> {
  items: I[];
  nextCursor?: string | null;
}

export interface LiveList<I> {
  rows: I[];
  isLoading: boolean;
  error: Error | null;
  hasMore: boolean;
  isLoadingMore: boolean;
  loadMore: () => void;
  /** Reads it again after a failure. */
  retry: () => void;
  /** Rows that came since, and how to show them. */
  fresh: { count: number; isBound: boolean; show: () => void };
}

const PAGE = 50;

/**
 * A list whose rows stay where they are. Hints read its first page again: rows that are shown get their new state in
 * place, and rows that came since are counted until somebody asks for them.
 */
export function useLiveList<P extends PathsWith<'get'>>(
  path: P,
  params: Params<P> & { idOf: (item: ItemOf<P>) => string; enabled?: boolean },
): LiveList<ItemOf<P>> {
  type I = ItemOf<P>;
  const { idOf, enabled = true, ...call_ } = params;
  const queries = useQueryClient();
  const listKey = [path, call_, 'list'];
  const list = useInfiniteQuery({
    queryKey: listKey,
    queryFn: async ({ pageParam, signal }) => {
      const query = { limit: PAGE, ...(call_.query as object), ...(pageParam ? { cursor: pageParam } : {}) };
      return (await call('get', path, { ...call_, query, signal } as Call<
        P,
        'get'
      >)) as unknown as ListPage<I>;
    },
    initialPageParam: '',
    getNextPageParam: (page) => page.nextCursor ?? null,
    meta: { frozen: true },
    enabled,
  });
  const head = useQuery({
    queryKey: [path, call_, 'head'],
    queryFn: async ({ signal }) => {
      const query = { limit: PAGE, ...(call_.query as object) };
      return (await call('get', path, { ...call_, query, signal } as Call<
        P,
        'get'
      >)) as unknown as ListPage<I>;
    },
    enabled: enabled && list.data !== undefined,
    initialData: () => queries.getQueryData<InfiniteData<ListPage<I>>>(listKey)?.pages[0],
    initialDataUpdatedAt: () => queries.getQueryState(listKey)?.dataUpdatedAt,
    staleTime: Infinity,
  });
  return useMemo(() => {
    const latest = new Map((head.data?.items ?? []).map((item) => [idOf(item), item]));
    const shown = list.data?.pages.flatMap((page) => page.items) ?? [];
    const known = new Set(shown.map(idOf));
    const count = list.data ? [...latest.keys()].filter((id) => !known.has(id)).length : 0;
    return {
      rows: shown.map((item) => latest.get(idOf(item)) ?? item),
      isLoading: list.isPending,
      error: list.error,
      hasMore: list.hasNextPage,
      isLoadingMore: list.isFetchingNextPage,
      loadMore: () => void list.fetchNextPage(),
      retry: () => void list.refetch(),
      fresh: { count, isBound: count >= PAGE, show: () => void queries.resetQueries({ queryKey: listKey }) },
    };
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [list.data, list.isPending, list.error, list.hasNextPage, list.isFetchingNextPage, head.data]);
}

/** The whole of a short list, such as all workflows. */
export function useAll<P extends PathsWith<'get'>>(
  path: P,
  params: Params<P> = {},
  options: ReadOptions<Answer<P, 'get'>> = {},
) {
  const query = { limit: 500, ...(params.query as object) } as Params<P>['query'];
  const { data, ...rest } = useGet(path, { ...params, query } as Params<P>, options);
  return { ...rest, items: (data as unknown as ListPage<ItemOf<P>> | undefined)?.items };
}

/** Longer lists are searched by the server. */
const EVERY_ROW_MAX = 10_000;

/** All rows of a list that the server does not filter, page by page, to be filtered here. */
export function useEvery<P extends PathsWith<'get'>>(path: P, filters: Record<string, string> = {}) {
  const { paused } = usePreferences();
  const { data, error } = useQuery({
    queryKey: [path, { query: filters }, 'every'],
    queryFn: async ({ signal }) => {
      const items: ItemOf<P>[] = [];
      let cursor: string | null = null;
      do {
        const query = { ...filters, limit: 500, ...(cursor ? { cursor } : {}) };
        const page: ListPage<ItemOf<P>> = (await call('get', path, { query, signal } as unknown as Call<
          P,
          'get'
        >)) as unknown as ListPage<ItemOf<P>>;
        items.push(...page.items);
        cursor = page.nextCursor ?? null;
      } while (cursor && items.length < EVERY_ROW_MAX);
      return items;
    },
    refetchOnWindowFocus: !paused,
    placeholderData: keepPreviousData,
  });
  return { items: data, error };
}

interface ActOptions<T> {
  /** What to say when it was done. */
  done?: string | ((answer: T) => string);
  /** Shows faults itself, beside the fields that they are about. */
  quiet?: boolean;
  /** Deletes what the page is about: it is shown until the next page has loaded, and is not read again. */
  leaves?: boolean;
  onDone?: (answer: T) => void;
}

/** Changes something, says so, and reads everything again that is shown. */
export function useAct<P extends keyof paths, M extends 'post' | 'put' | 'delete'>(
  method: M,
  path: P,
  options: ActOptions<Answer<P, M>> = {},
) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (request: Call<P, M> = {}) =>
      call(method, path, {
        ...request,
        headers: { 'idempotency-key': crypto.randomUUID?.() ?? randomKey(), ...request.headers },
      }),
    onSuccess: (answer, request) => {
      const { done } = options;
      if (done) toast({ title: typeof done === 'function' ? done(answer) : done, tone: 'ok' });
      options.onDone?.(answer);
      void queries.invalidateQueries({
        predicate: ({ queryKey }) => !options.leaves || !isUnder(path, request?.path, queryKey),
      });
    },
    onError: (error) => {
      if (!options.quiet) toastError(error);
    },
  });
}

/** Whether a query reads what is at a path or below it. */
function isUnder(path: string, values: object | undefined, [of, call]: readonly unknown[]): boolean {
  const shown = (call as { path?: Record<string, unknown> } | undefined)?.path;
  return (
    String(of).startsWith(path) &&
    Object.entries(values ?? {}).every(([name, value]) => shown?.[name] === value)
  );
}

/** `randomUUID` is there in secure contexts only, and the console also works over plain HTTP. */
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}

/** Shows what went wrong. */
export function toastError(error: unknown): void {
  toast({ title: messageOf(error), tone: 'bad' });
}
