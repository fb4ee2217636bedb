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
  /** Where an instant is, as a part of the whole width. */
  at: (time: number) => number;
}

/** How much of the width a collapsed time takes. */
const GAP_WIDTH = 0.04;
/** Idle times are collapsed where they are longer than this part of the time in which something ran. */
const GAP_FROM = 0.25;
const GAP_MS_MIN = 1_000;

/** Lays bars out over time. Long idle times are collapsed, so that what ran can be seen. */
export function layOut(spans: Span[], waiting: ReadonlySet<string> = new Set()): Gantt {
  if (spans.length === 0) return { bars: [], gaps: [], totalMs: 0, at: () => 0 };
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
    at,
  };
}

/** A part of the width that is drawn over all of it. */
export interface Zoom {
  from: number;
  to: number;
}

export const WHOLE: Zoom = { from: 0, to: 1 };

/** Reads `0.2-0.5`; the whole where it is none, or too narrow to be seen. */
export function zoomOf(text: string | undefined): Zoom {
  const [from, to] = (text ?? '').split('-').map(Number);
  if (from === undefined || to === undefined || !(from >= 0 && to <= 1 && to - from >= 0.001)) return WHOLE;
  return { from, to };
}

/** The address of a zoom; nothing for the whole. */
export function zoomText({ from, to }: Zoom): string | undefined {
  return from <= 0 && to >= 1 ? undefined : `${from.toFixed(4)}-${to.toFixed(4)}`;
}

/** A place of the whole width, seen through a zoom; beyond its ends where it is outside. */
export function through(zoom: Zoom, place: { left: number; width: number }): { left: number; width: number } {
  const scale = 1 / (zoom.to - zoom.from);
  const left = Math.max(-0.05, (place.left - zoom.from) * scale);
  const right = Math.min(1.05, (place.left + place.width - zoom.from) * scale);
  return { left, width: Math.max(0, right - left) };
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
