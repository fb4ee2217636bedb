import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useMemo, useRef } from 'react';
import type { Schemas } from '../../api/client';
import { Card } from '../../components/basics';
import { Status } from '../../components/status';
import { t } from '../../messages/en';
import { useItems } from './timeline-pages';

type Node = Schemas['Node'];

const NODE_PX = 34;
/** So many rows before the end of what was read more is read. */
const AHEAD = 40;

interface More {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => unknown;
}

interface ListProps {
  label: string;
  nodes: Node[];
  /** What reads more when the end comes into sight. */
  more?: More;
  onSelect: (node: string) => void;
}

/** Nodes and items, of which only those on the screen are drawn. */
export function NodeList({ label, nodes, more, onSelect }: ListProps) {
  const scroll = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: nodes.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => NODE_PX,
    overscan: 12,
  });
  const drawn = virtual.getVirtualItems();
  const isNearEnd = (drawn.at(-1)?.index ?? 0) >= nodes.length - AHEAD;
  useEffect(() => {
    if (isNearEnd && more?.hasNextPage && !more.isFetchingNextPage) void more.fetchNextPage();
  }, [isNearEnd, more]);
  return (
    <div
      ref={scroll}
      className="thin-scroll max-h-[26rem] overflow-y-auto"
      tabIndex={0}
      role="region"
      aria-label={label}
    >
      <ul className="relative" style={{ height: virtual.getTotalSize() }}>
        {drawn.map(({ index, start }) => {
          const node = nodes[index]!;
          return (
            <li
              key={node.nodeId}
              className="absolute inset-x-0 border-b border-line"
              style={{ top: start, height: NODE_PX }}
            >
              <button
                type="button"
                className="flex h-full w-full items-center justify-between gap-2 px-4 text-left hover:bg-raised"
                onClick={() => onSelect(node.nodeId)}
              >
                <span className="truncate">{node.nodeId}</span>
                <Status status={node.status} />
              </button>
            </li>
          );
        })}
      </ul>
    </div>
  );
}

interface ItemsProps {
  execution: string;
  map: string;
  onSelect: (node: string) => void;
}

/** All items of a `MAP` that have settled, however many: pages are read as they are scrolled to. */
export function MapItems({ execution, map, onSelect }: ItemsProps) {
  const items = useItems(execution, map);
  // An item that ran again is there again: the later one holds.
  const latest = useMemo(
    () => [...new Map(items.rows.map((item) => [item.nodeId, item])).values()],
    [items.rows],
  );
  // A page goes through so many results of the execution, which may all be of other nodes.
  useEffect(() => {
    if (latest.length === 0 && items.hasNextPage && !items.isFetchingNextPage) void items.fetchNextPage();
  }, [latest.length, items]);
  if (latest.length === 0) return null;
  return (
    <Card
      title={t.execution.settledItems}
      side={
        <span className="nums text-[13px] text-soft" data-items={latest.length}>
          {t.execution.itemsRead(latest.length, items.hasNextPage)}
        </span>
      }
      flush
    >
      <NodeList label={t.execution.settledItems} nodes={latest} more={items} onSelect={onSelect} />
    </Card>
  );
}
