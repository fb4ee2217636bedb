/** A point of `GET /v1/stats`, as far as it is drawn. */
export interface Point {
  at: string;
  enqueued: number;
  claimed: number;
  completed: number;
  failed: number;
  deadLettered: number;
  queued: number;
  processing: number;
  waitP50?: number | null;
  waitP95?: number | null;
  waitP99?: number | null;
  runP50?: number | null;
  runP95?: number | null;
  runP99?: number | null;
  endToEndP50?: number | null;
  endToEndP95?: number | null;
  endToEndP99?: number | null;
}

export const RANGES = ['hour', 'day', 'month'] as const;
export type Range = (typeof RANGES)[number];
export const METRICS = ['depth', 'throughput', 'wait', 'run', 'endToEnd'] as const;
export type Metric = (typeof METRICS)[number];

type Figure = Exclude<keyof Point, 'at'>;

/** What is asked for a range: minutes are kept for a day, hours for 30 days. */
export const ASKED: Record<Range, { from: string; step: '1m' | '1h' }> = {
  hour: { from: 'now-1h', step: '1m' },
  day: { from: 'now-24h', step: '1m' },
  month: { from: 'now-30d', step: '1h' },
};

/** The figures that are drawn together, with their colors. */
export const LINES: Record<Metric, { figure: Figure; color: string }[]> = {
  depth: [
    { figure: 'queued', color: 'busy' },
    { figure: 'processing', color: 'ok' },
  ],
  throughput: [
    { figure: 'enqueued', color: 'busy' },
    { figure: 'completed', color: 'ok' },
    { figure: 'failed', color: 'bad' },
  ],
  wait: [
    { figure: 'waitP50', color: 'ok' },
    { figure: 'waitP95', color: 'warn' },
    { figure: 'waitP99', color: 'bad' },
  ],
  run: [
    { figure: 'runP50', color: 'ok' },
    { figure: 'runP95', color: 'warn' },
    { figure: 'runP99', color: 'bad' },
  ],
  endToEnd: [
    { figure: 'endToEndP50', color: 'ok' },
    { figure: 'endToEndP95', color: 'warn' },
    { figure: 'endToEndP99', color: 'bad' },
  ],
};

/** Whether a metric is a time in milliseconds; a count otherwise. */
export function isTime(metric: Metric): boolean {
  return metric === 'wait' || metric === 'run' || metric === 'endToEnd';
}

export interface Series {
  /** Seconds since 1970. */
  at: number[];
  /** One list a line; null where there is no figure. */
  values: (number | null)[][];
}

/** The lines of a metric over time. */
export function seriesOf(points: readonly Point[], metric: Metric): Series {
  return {
    at: points.map(({ at }) => Date.parse(at) / 1_000),
    values: LINES[metric].map(({ figure }) => points.map((point) => point[figure] ?? null)),
  };
}

/** The sum of a figure over points. */
export function sumOf(points: readonly Point[] | undefined, figure: Figure): number {
  return (points ?? []).reduce((sum, point) => sum + (point[figure] ?? 0), 0);
}

/** One of the choices; the first where the address says something else. */
export function chosen<T extends string>(choices: readonly T[], text: string | undefined, usual: T): T {
  return choices.find((choice) => choice === text) ?? usual;
}

/** The newest point that has waits or runs: the current hour, or the one before where it has none yet. */
export function newestTimes(points: readonly Point[] | undefined): Point | undefined {
  return points?.findLast(({ waitP50, runP50 }) => typeof waitP50 === 'number' || typeof runP50 === 'number');
}
