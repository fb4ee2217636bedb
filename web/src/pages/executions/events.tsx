import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, useState } from 'react';
import { Button, Empty, Failed, Loading } from '../../components/basics';
import { Time } from '../../components/time';
import { t } from '../../messages/en';
import { useTimeline } from './timeline-pages';

const ROW_PX = 34;

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
  const [toEnd, setToEnd] = useState(false);
  const events = useTimeline(id, { whole: toEnd });
  const { rows, hasNextPage, isFetchingNextPage, fetchNextPage } = events;
  const scroll = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => ROW_PX,
    overscan: 20,
  });
  const drawn = virtual.getVirtualItems();
  const last = drawn.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && last >= rows.length - 40) void fetchNextPage();
    if (toEnd && !hasNextPage) {
      virtual.scrollToIndex(rows.length - 1);
      setToEnd(false);
    }
  }, [hasNextPage, isFetchingNextPage, fetchNextPage, last, rows.length, toEnd, virtual]);
  if (events.error) return <Failed error={events.error} />;
  if (events.isPending) return <Loading />;
  if (rows.length === 0) return <Empty title={t.execution.noEvents}>{t.execution.notStarted}</Empty>;
  return (
    <>
      <div className="flex items-center justify-between gap-2 border-b border-line px-4 py-1.5 text-[13px] text-soft">
        <span className="nums" data-entries={rows.length}>
          {t.execution.entries(rows.length, hasNextPage)}
        </span>
        <Button small look="quiet" busy={toEnd} onClick={() => setToEnd(true)}>
          {t.execution.toEnd}
        </Button>
      </div>
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
    </>
  );
}
