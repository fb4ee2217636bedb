import { sumOf, type Point } from './stats';

/** When a job is expected to start. */
export interface Estimate {
  at: number;
  /** `due` is when it may; `bound` is the earliest that its rate lets it; `guess` follows from the starts of late. */
  kind: 'due' | 'bound' | 'guess';
  /** The starts a minute that a guess follows from. */
  perMinute?: number;
}

interface Held {
  reason: string;
  rank?: number | null;
  canStartAt?: string | null;
}

/** Reasons that end when others have had their turn. */
const TURNS = /^(behind|limit_)/;

/**
 * When a job that is held starts. A guess counts the jobs ahead of it in its lane and how many of that lane started in
 * the last minutes; nothing where none did, or where it waits for a person.
 */
export function estimateStart(
  why: Held,
  runAt: string,
  points: readonly Point[] | undefined,
  now: number,
): Estimate | null {
  if (why.reason === 'not_due') return { at: Date.parse(runAt), kind: 'due' };
  if (why.canStartAt) return { at: Date.parse(why.canStartAt), kind: 'bound' };
  if (!TURNS.test(why.reason) || typeof why.rank !== 'number' || !points || points.length === 0) return null;
  const perMinute = sumOf(points, 'claimed') / points.length;
  if (perMinute === 0) return null;
  return { at: now + ((why.rank + 1) / perMinute) * 60_000, kind: 'guess', perMinute };
}
