// How long to wait before a call is made again. Pure: randomness is an argument.
import { ConnectionError, ProblemError } from "./errors.js";

const FIRST_MS = 100;
const LONGEST_MS = 5_000;

/** Exponential with full jitter: `attempt` counts from 0, `random` is from 0 to 1. */
export function backoffMs(attempt: number, random: number): number {
  const ceiling = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(attempt, 16));
  return ceiling * (0.5 + random / 2);
}

/** The wait before the next try: at least what the server asked for, spread by up to a quarter or 100 ms. */
export function retryDelayMs(error: unknown, attempt: number, random: number): number {
  const asked = error instanceof ProblemError ? error.retryAfterMs : undefined;
  if (asked === undefined) return backoffMs(attempt, random);
  return asked + random * Math.max(100, asked / 4);
}

/** Whether the server may answer otherwise if it is asked again. */
export function isTransient(error: unknown): boolean {
  if (error instanceof ConnectionError) return true;
  if (!(error instanceof ProblemError)) return false;
  // A 409 with Retry-After is a call with the same idempotency key that is still under way.
  return [429, 502, 503, 504].includes(error.status) || (error.status === 409 && error.retryAfterMs !== undefined);
}
