import { useInfiniteQuery } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef } from 'react';
import { call } from '../../api/client';
import { Empty, Failed, Loading } from '../../components/basics';
import { Time } from '../../components/time';
import { t } from '../../messages/en';

const ROW_PX = 34;
const PAGE = 500;

/** Everything that happened, oldest first. Pages are read as they are scrolled to, and only what is seen is drawn. */
export function Events({
  id,
  selected,
  onSelect,
}: {
  id: string;
  selected: string | undefined;
  onSelect: (node: string) => void;
}) {
  const events = useInfiniteQuery({
    queryKey: ['/v1/executions/{id}/events', { path: { id } }],
    queryFn: ({ pageParam, signal }) =>
      call('get', '/v1/executions/{id}/events', {
        path: { id },
        query: { limit: PAGE, ...(pageParam ? { cursor: pageParam } : {}) },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: (page) => page.nextCursor ?? null,
  });
  const rows = events.data?.pages.flatMap(({ items }) => items) ?? [];
  const scroll = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => ROW_PX,
    overscan: 20,
  });
  const drawn = virtual.getVirtualItems();
  const last = drawn.at(-1)?.index ?? 0;
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = events;
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && last >= rows.length - 40) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage, last, rows.length]);
  if (events.error) return <Failed error={events.error} />;
  if (events.isPending) return <Loading />;
  if (rows.length === 0) return <Empty title={t.execution.noEvents} />;
  return (
    <div
      ref={scroll}
      className="thin-scroll max-h-[30rem] overflow-auto"
      tabIndex={0}
      role="region"
      aria-label={t.execution.events}
    >
      <ol className="relative" style={{ height: virtual.getTotalSize() }}>
        {drawn.map(({ index, start }) => {
          const event = rows[index]!;
          const isSelected = event.nodeId !== undefined && event.nodeId === selected;
          return (
            <li
              key={event.position}
              className={`absolute inset-x-0 flex items-center gap-3 border-b border-line px-4 ${isSelected ? 'bg-tint' : ''}`}
              style={{ top: start, height: ROW_PX }}
            >
              <span className="nums w-10 shrink-0 text-right text-[13px] text-soft">
                {String(event.position)}
              </span>
              <span className="shrink-0 font-medium">{event.kind.replaceAll('_', ' ')}</span>
              {event.nodeId && (
                <button type="button" className="link shrink-0" onClick={() => onSelect(event.nodeId!)}>
                  {event.nodeId}
                </button>
              )}
              <span className="min-w-0 flex-1 truncate text-soft" title={event.detail ?? ''}>
                {event.detail}
              </span>
              <span className="shrink-0 text-[13px] text-soft max-sm:hidden">
                <Time at={event.at} full />
              </span>
            </li>
          );
        })}
      </ol>
    </div>
  );
}
