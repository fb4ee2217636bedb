import { useVirtualizer } from '@tanstack/react-virtual';
import { useMemo, useRef } from 'react';
import type { Schemas } from '../../api/client';
import { Empty } from '../../components/basics';
import { toneOf } from '../../components/status';
import { useNow } from '../../components/time';
import { layOut } from '../../lib/gantt';
import { duration } from '../../lib/time';
import { t } from '../../messages/en';

type Node = Schemas['Node'];

const ROW_PX = 30;
const FILLS: Record<string, string> = {
  ok: 'bg-ok',
  warn: 'bg-warn',
  bad: 'bg-bad',
  busy: 'bg-busy pulse',
  rest: 'bg-strong',
};

/** When each node ran. Long times in which nothing did are drawn narrow. */
export function Timeline({
  nodes,
  selected,
  onSelect,
}: {
  nodes: Node[];
  selected: string | undefined;
  onSelect: (id: string) => void;
}) {
  const isMoving = nodes.some(({ startedAt, finishedAt }) => startedAt && !finishedAt);
  const tick = useNow();
  const now = isMoving ? tick : 0;
  const started = useMemo(() => nodes.filter(({ startedAt }) => startedAt), [nodes]);
  const gantt = useMemo(() => {
    const spans = started.map((node) => ({
      id: node.nodeId,
      from: Date.parse(node.startedAt!),
      to: node.finishedAt ? Date.parse(node.finishedAt) : Math.max(now, Date.parse(node.startedAt!)),
    }));
    const waiting = new Set(
      started
        .filter(
          ({ type, status }) =>
            status === 'WAITING' ||
            ['TIMER', 'SIGNAL', 'USER_TASK', 'WAIT_WEBHOOK', 'WAIT_EVENT'].includes(type),
        )
        .map(({ nodeId }) => nodeId),
    );
    return layOut(spans, waiting);
  }, [started, now]);
  const scroll = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: started.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => ROW_PX,
    overscan: 12,
  });
  if (started.length === 0) return <Empty title={t.execution.nothingStarted} />;
  return (
    <div className="p-4">
      <p className="mb-2 text-[13px] text-soft">{t.execution.total(duration(gantt.totalMs))}</p>
      <div
        ref={scroll}
        className="thin-scroll max-h-96 overflow-auto"
        tabIndex={0}
        role="region"
        aria-label={t.execution.timeline}
      >
        <ol className="relative" style={{ height: rows.getTotalSize() }}>
          {rows.getVirtualItems().map(({ index, start }) => {
            const node = started[index]!;
            const bar = gantt.bars[index]!;
            const span =
              (node.finishedAt ? Date.parse(node.finishedAt) : Math.max(now, Date.parse(node.startedAt!))) -
              Date.parse(node.startedAt!);
            return (
              <li key={node.nodeId} className="absolute inset-x-0" style={{ top: start, height: ROW_PX }}>
                <button
                  type="button"
                  aria-pressed={node.nodeId === selected}
                  onClick={() => onSelect(node.nodeId)}
                  className={`flex h-full w-full items-center gap-3 rounded-md px-1 text-left ${node.nodeId === selected ? 'bg-tint' : 'hover:bg-raised'}`}
                >
                  <span className="w-28 shrink-0 truncate sm:w-40">{node.nodeId}</span>
                  <span className="relative h-4 flex-1">
                    {gantt.gaps.map((gap) => (
                      <span
                        key={gap.left}
                        title={t.execution.idle(duration(gap.ms))}
                        className="absolute inset-y-0 border-x border-dashed border-strong bg-raised"
                        style={{ left: `${gap.left * 100}%`, width: `${gap.width * 100}%` }}
                      />
                    ))}
                    <span
                      className={`absolute inset-y-0 min-w-1 rounded ${FILLS[toneOf(node.status)]}`}
                      style={{ left: `${bar.left * 100}%`, width: `${bar.width * 100}%` }}
                    />
                  </span>
                  <span className="nums w-20 shrink-0 text-right text-[13px] text-soft">
                    {duration(span)}
                  </span>
                </button>
              </li>
            );
          })}
        </ol>
      </div>
    </div>
  );
}
