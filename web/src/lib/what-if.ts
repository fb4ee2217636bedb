import type { Point } from './stats';

/** Queued jobs of at most this age count as started at once. */
const MINUTE_MS = 60_000;

export interface WhatIf {
  /** The backlog at the end of each minute. */
  backlog: number[];
  /** The longest that a job would have waited, in milliseconds. */
  longestWaitMs: number;
  peak: number;
  /** The part of the slots that would have been in use in the busiest minute, from 0 to 1. */
  busiest: number;
}

/**
 * How a queue would have fared with another limit, from its figures by the minute: arrivals come as they did, each slot
 * starts the next job when its run ends, and runs take as long as they did. Workers are taken as many as the limit lets.
 */
export function whatIf(points: readonly Point[], limit: number): WhatIf {
  const usual = usualRun(points);
  let waiting = points[0]?.queued ?? 0;
  let [longestWaitMs, busiest] = [0, 0];
  const backlog = points.map((point) => {
    const runMs = Math.max(1, meanRun(point) ?? usual);
    const room = (limit * MINUTE_MS) / runMs;
    const wanted = waiting + point.enqueued + Math.max(0, point.failed - point.deadLettered);
    const started = Math.min(wanted, room);
    waiting = wanted - started;
    busiest = Math.max(busiest, room > 0 ? started / room : 0);
    if (room > 0) longestWaitMs = Math.max(longestWaitMs, (waiting / room) * MINUTE_MS);
    else if (waiting > 0) longestWaitMs = Infinity;
    return Math.round(waiting);
  });
  return { backlog, longestWaitMs, peak: Math.max(0, ...backlog), busiest };
}

/** The mean run of a minute, from its percentiles. Nothing where no attempt ended. */
function meanRun({ runP50, runP95, runP99 }: Point): number | null {
  if (typeof runP50 !== 'number') return null;
  const [p95, p99] = [runP95 ?? runP50, runP99 ?? runP95 ?? runP50];
  return 0.5 * runP50 + (0.45 * (runP50 + p95)) / 2 + (0.05 * (p95 + p99)) / 2;
}

/** The mean run over all minutes, weighted by what ended in each. */
function usualRun(points: readonly Point[]): number {
  let [sum, count] = [0, 0];
  for (const point of points) {
    const mean = meanRun(point);
    const ended = point.completed + point.failed;
    if (mean === null || ended === 0) continue;
    sum += mean * ended;
    count += ended;
  }
  return count > 0 ? sum / count : 0;
}
