import { useNavigate } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useMemo, useRef, useState, type PointerEvent } from 'react';
import type { Schemas } from '../../api/client';
import { useAll, useGet } from '../../api/hooks';
import { PAYLOAD_MAX } from '../../api/payloads';
import { useFilters } from '../../app/filters';
import { Button, Empty } from '../../components/basics';
import { Icon } from '../../components/icons';
import { toneOf } from '../../components/status';
import { useNow } from '../../components/time';
import { layOut, through, WHOLE, zoomOf, zoomText, type Gantt, type Zoom } from '../../lib/gantt';
import { duration } from '../../lib/time';
import { t } from '../../messages/en';
import { useLines, type Line, type Lines } from './timeline-lines';

type Node = Schemas['Node'];

const ROW_PX = 30;
/** A shorter drag is a click. */
const BRUSH_MIN = 0.01;
const WAITS = ['TIMER', 'SIGNAL', 'USER_TASK', 'WAIT_WEBHOOK', 'WAIT_EVENT'];
const FILLS: Record<string, string> = {
  ok: 'bg-ok',
  warn: 'bg-warn',
  bad: 'bg-bad',
  busy: 'bg-busy pulse',
  rest: 'bg-strong',
};

const percent = (part: number) => `${part * 100}%`;

interface TimelineProps {
  execution: string;
  nodes: Node[];
  selected: string | undefined;
  /** Whether the selected node is scrolled to, whenever another one is selected. */
  follow: boolean;
  onSelect: (id: string) => void;
}

/**
 * When each node ran, and each of its attempts; executions that a node started open in place. Long times in which nothing ran are
 * drawn narrow; a drag zooms in.
 */
export function Timeline({ execution, nodes, selected, follow, onSelect }: TimelineProps) {
  const [filters, change] = useFilters();
  const zoom = zoomOf(filters['zoom']);
  const isMoving = nodes.some(({ startedAt, finishedAt }) => startedAt && !finishedAt);
  const tick = useNow();
  const now = isMoving ? tick : 0;
  const started = useMemo(() => nodes.filter(({ startedAt }) => startedAt), [nodes]);
  const hasRetries = started.some(({ attempts }) => attempts > 1);
  const jobs = useAll('/v1/jobs', { query: { executionId: execution } }, { enabled: hasRetries });
  const gantt = useMemo(() => {
    const spans = started.map((node) => ({
      id: node.nodeId,
      from: Date.parse(node.startedAt!),
      to: endOf(node, now),
    }));
    const waiting = started.filter(({ type, status }) => status === 'WAITING' || WAITS.includes(type));
    return layOut(spans, new Set(waiting.map(({ nodeId }) => nodeId)));
  }, [started, now]);
  const lines = useLines(execution, started);
  if (started.length === 0) return <Empty title={t.execution.nothingStarted}>{t.execution.notStarted}</Empty>;
  const chosen = gantt.bars.find(({ id }) => id === selected);
  const setZoom = (next: Zoom) => change({ zoom: zoomText(next) });
  return (
    <div className="p-4">
      <div className="mb-2 flex flex-wrap items-center gap-2">
        <p className="flex-1 text-[13px] text-soft">{t.execution.total(duration(gantt.totalMs))}</p>
        {chosen && (
          <Button
            small
            look="quiet"
            onClick={() =>
              setZoom({ from: chosen.left, to: Math.min(1, chosen.left + Math.max(0.002, chosen.width)) })
            }
          >
            {t.execution.zoomToNode}
          </Button>
        )}
        {zoom !== WHOLE && (
          <Button small onClick={() => setZoom(WHOLE)}>
            {t.execution.zoomOut}
          </Button>
        )}
      </div>
      <Brush zoom={zoom} isIndented={lines.hasChildren} onZoom={setZoom} />
      <Rows
        lines={lines}
        jobs={jobs.items}
        gantt={gantt}
        zoom={zoom}
        now={now}
        selected={selected}
        follow={follow}
        onSelect={onSelect}
      />
    </div>
  );
}

interface RowsProps extends Pick<TimelineProps, 'selected' | 'follow' | 'onSelect'> {
  lines: Lines;
  jobs: Schemas['Job'][] | undefined;
  gantt: Gantt;
  zoom: Zoom;
  now: number;
}

/** The rows, of which only those on the screen are drawn. */
function Rows({
  lines: { all, open, toggle, hasChildren },
  jobs,
  selected,
  follow,
  onSelect,
  ...drawn
}: RowsProps) {
  const navigate = useNavigate();
  const { gantt, now } = drawn;
  const barOf = (node: Node) => {
    const left = gantt.at(Date.parse(node.startedAt!));
    return { left, width: Math.max(0, gantt.at(endOf(node, now)) - left) };
  };
  const scroll = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: all.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => ROW_PX,
    overscan: 12,
  });
  const followed = follow ? all.findIndex(({ node, of }) => of === null && node.nodeId === selected) : -1;
  useEffect(() => {
    if (followed >= 0) rows.scrollToIndex(followed);
  }, [followed, rows]);
  const select = ({ node: { nodeId }, of }: Line) => {
    if (of === null) onSelect(nodeId);
    else
      void navigate({
        to: `/executions/${of}` as never,
        search: { view: 'timeline', node: nodeId } as never,
      });
  };
  return (
    <div
      ref={scroll}
      className="thin-scroll max-h-96 overflow-auto"
      tabIndex={0}
      role="region"
      aria-label={t.execution.timeline}
    >
      <ol className="relative" style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ index, start }) => {
          const line = all[index]!;
          const { node, of, child } = line;
          const isRetried = of === null && node.attempts > 1;
          return (
            <li
              key={`${of ?? ''} ${node.nodeId}`}
              className="absolute inset-x-0 flex items-center"
              style={{ top: start, height: ROW_PX }}
            >
              {hasChildren && (
                <Toggle child={child} isOpen={child !== null && open.includes(child)} onToggle={toggle} />
              )}
              <TimelineRow
                node={node}
                isBelow={of !== null}
                bar={barOf(node)}
                job={isRetried ? jobs?.find(({ nodeId }) => nodeId === node.nodeId)?.id : undefined}
                isSelected={of === null && node.nodeId === selected}
                onSelect={() => select(line)}
                {...drawn}
              />
            </li>
          );
        })}
      </ol>
    </div>
  );
}

function endOf(node: Node, now: number): number {
  return node.finishedAt ? Date.parse(node.finishedAt) : Math.max(now, Date.parse(node.startedAt!));
}

interface ToggleProps {
  child: string | null;
  isOpen: boolean;
  onToggle: (child: string) => void;
}

/** Opens the execution that a node started; room for it where there is none. */
function Toggle({ child, isOpen, onToggle }: ToggleProps) {
  if (child === null) return <span className="w-5 shrink-0" />;
  return (
    <button
      type="button"
      aria-expanded={isOpen}
      aria-label={t.chain.nodesOf(child)}
      className="w-5 shrink-0 rounded p-0.5 text-soft hover:bg-raised hover:text-ink"
      onClick={() => onToggle(child)}
    >
      <Icon name={isOpen ? 'down' : 'right'} size={14} />
    </button>
  );
}

interface RowProps {
  node: Node;
  /** Whether it is of an execution that a node above it started. */
  isBelow: boolean;
  bar: { left: number; width: number };
  gantt: Gantt;
  zoom: Zoom;
  now: number;
  /** The job whose attempts are drawn; nothing where one attempt is the node itself. */
  job: string | undefined;
  isSelected: boolean;
  onSelect: () => void;
}

function TimelineRow({ node, isBelow, bar, gantt, zoom, now, job, isSelected, onSelect }: RowProps) {
  const place = through(zoom, bar);
  return (
    <button
      type="button"
      aria-pressed={isSelected}
      onClick={onSelect}
      className={`flex h-full min-w-0 flex-1 items-center gap-3 rounded-md px-1 text-left ${isSelected ? 'bg-tint' : 'hover:bg-raised'}`}
    >
      <span className={`w-28 shrink-0 truncate sm:w-40 ${isBelow ? 'pl-3 text-soft' : ''}`}>
        {node.nodeId}
      </span>
      <span className="relative h-4 flex-1 overflow-hidden">
        {gantt.gaps.map((gap) => {
          const shown = through(zoom, gap);
          return (
            <span
              key={gap.left}
              title={t.execution.idle(duration(gap.ms))}
              className="absolute inset-y-0 border-x border-dashed border-strong bg-raised"
              style={{ left: percent(shown.left), width: percent(shown.width) }}
            />
          );
        })}
        <span
          className={`absolute inset-y-0 min-w-1 rounded ${FILLS[toneOf(node.status)]} ${job ? 'opacity-30' : ''}`}
          style={{ left: percent(place.left), width: percent(place.width) }}
        />
        {job && <AttemptLayers job={job} gantt={gantt} zoom={zoom} now={now} />}
      </span>
      <span className="nums w-20 shrink-0 text-right text-[13px] text-soft">
        {duration(endOf(node, now) - Date.parse(node.startedAt!))}
      </span>
    </button>
  );
}

/** The attempts of a job over the bar of its node. */
function AttemptLayers({
  job,
  gantt,
  zoom,
  now,
}: Pick<RowProps, 'gantt' | 'zoom' | 'now'> & { job: string }) {
  const { data } = useGet('/v1/jobs/{id}', { path: { id: job }, query: { maxPayload: PAYLOAD_MAX } });
  return data?.attempts?.map((attempt) => {
    const from = Date.parse(attempt.startedAt);
    const to = attempt.finishedAt ? Date.parse(attempt.finishedAt) : Math.max(now, from);
    const left = gantt.at(from);
    const place = through(zoom, { left, width: Math.max(0, gantt.at(to) - left) });
    return (
      <span
        key={attempt.attemptNumber}
        data-attempt={attempt.attemptNumber}
        title={t.execution.attemptBar(attempt.attemptNumber, duration(to - from))}
        className={`absolute inset-y-0.5 min-w-1.5 rounded-sm border border-card ${FILLS[toneOf(attempt.status)]}`}
        style={{ left: percent(place.left), width: percent(place.width) }}
      />
    );
  });
}

interface BrushProps {
  zoom: Zoom;
  /** Whether rows begin with room for what opens them. */
  isIndented: boolean;
  onZoom: (zoom: Zoom) => void;
}

/** A line above the rows: a drag over it zooms in. The buttons beside it do the same from the keyboard. */
function Brush({ zoom, isIndented, onZoom }: BrushProps) {
  const line = useRef<HTMLDivElement>(null);
  const [drag, setDrag] = useState<{ from: number; to: number } | null>(null);
  const placeOf = (event: PointerEvent) => {
    const box = line.current!.getBoundingClientRect();
    return Math.min(1, Math.max(0, (event.clientX - box.left) / Math.max(1, box.width)));
  };
  const end = () => {
    if (drag) {
      const [low, high] = [Math.min(drag.from, drag.to), Math.max(drag.from, drag.to)];
      const size = zoom.to - zoom.from;
      if (high - low >= BRUSH_MIN) onZoom({ from: zoom.from + low * size, to: zoom.from + high * size });
    }
    setDrag(null);
  };
  return (
    <div className={`mb-1 flex items-center gap-3 px-1 ${isIndented ? 'ml-5' : ''}`}>
      <span className="w-28 shrink-0 truncate text-xs text-soft sm:w-40">{t.execution.zoom}</span>
      <div
        ref={line}
        data-brush
        title={t.execution.zoom}
        className="relative h-4 flex-1 cursor-crosshair touch-none rounded bg-raised"
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          setDrag({ from: placeOf(event), to: placeOf(event) });
        }}
        onPointerMove={(event) => drag && setDrag({ ...drag, to: placeOf(event) })}
        onPointerUp={end}
        onPointerCancel={() => setDrag(null)}
      >
        {drag && (
          <span
            className="absolute inset-y-0 rounded bg-accent/40"
            style={{
              left: percent(Math.min(drag.from, drag.to)),
              width: percent(Math.abs(drag.to - drag.from)),
            }}
          />
        )}
      </div>
      <span className="w-20 shrink-0" />
    </div>
  );
}
