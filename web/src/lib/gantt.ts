/** What of a node is drawn over time. */
export interface Span {
  id: string;
  from: number;
  to: number;
}

export interface Bar {
  id: string;
  /** Where it begins and how long it is, as parts of the whole width. */
  left: number;
  width: number;
}

export interface Gap {
  left: number;
  width: number;
  ms: number;
}

export interface Gantt {
  bars: Bar[];
  /** Times in which nothing ran, drawn narrow. */
  gaps: Gap[];
  totalMs: number;
}

/** How much of the width a collapsed time takes. */
const GAP_WIDTH = 0.04;
/** Idle times are collapsed where they are longer than this part of the time in which something ran. */
const GAP_FROM = 0.25;
const GAP_MS_MIN = 1_000;

/** Lays bars out over time. Long idle times are collapsed, so that what ran can be seen. */
export function layOut(spans: Span[], waiting: ReadonlySet<string> = new Set()): Gantt {
  if (spans.length === 0) return { bars: [], gaps: [], totalMs: 0 };
  const start = Math.min(...spans.map(({ from }) => from));
  const end = Math.max(...spans.map(({ to }) => to), start + 1);
  // What only waits keeps nothing busy.
  const busy = merged(spans.filter(({ id }) => !waiting.has(id)));
  const busyMs = busy.reduce((sum, { from, to }) => sum + to - from, 0);
  const idle = between(busy, start, end).filter(
    ({ from, to }) => to - from > Math.max(GAP_MS_MIN, busyMs * GAP_FROM),
  );
  const drawnMs = end - start - idle.reduce((sum, { from, to }) => sum + to - from, 0);
  const scale = (1 - idle.length * GAP_WIDTH) / Math.max(1, drawnMs);
  const at = (time: number): number => {
    let width = 0;
    let cursor = start;
    for (const gap of idle) {
      if (time <= gap.from) break;
      width += (gap.from - cursor) * scale;
      const inside = Math.min(time, gap.to) - gap.from;
      width += GAP_WIDTH * (inside / (gap.to - gap.from));
      cursor = gap.to;
      if (time <= gap.to) return width;
    }
    return width + (time - cursor) * scale;
  };
  return {
    bars: spans.map(({ id, from, to }) => ({ id, left: at(from), width: Math.max(0, at(to) - at(from)) })),
    gaps: idle.map(({ from, to }) => ({ left: at(from), width: GAP_WIDTH, ms: to - from })),
    totalMs: end - start,
  };
}

type Range = Pick<Span, 'from' | 'to'>;

function merged(spans: Range[]): Range[] {
  const sorted = [...spans].sort((a, b) => a.from - b.from);
  const result: Range[] = [];
  for (const { from, to } of sorted) {
    const last = result.at(-1);
    if (last && from <= last.to) last.to = Math.max(last.to, to);
    else result.push({ from, to });
  }
  return result;
}

function between(busy: Range[], start: number, end: number): Range[] {
  const edges = [{ from: start, to: start }, ...busy, { from: end, to: end }];
  return edges.slice(1).map((range, index) => ({ from: edges[index]!.to, to: range.from }));
}
