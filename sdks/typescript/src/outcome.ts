// What a handler's end means for its job. Pure: no calls, no clock.
import { durationText } from "./duration.js";
import { Cancelled, NonRetryable, RetryAfter, Snooze } from "./errors.js";
import type { CancelReason } from "./errors.js";
import type { JobError } from "./generated/models.js";
import type { Json } from "./json.js";

/** What is reported of an attempt. */
export type Outcome =
  | { kind: "complete"; result: Json }
  | { kind: "fail"; error: JobError; retryable?: boolean; retryAfter?: string }
  | { kind: "release"; delay?: string }
  /** The lease is gone: whatever was reported would be refused. */
  | { kind: "none" };

/** What becomes of a job whose handler threw `error`. `cancelled` is why its context was cancelled, if it was. */
export function outcomeOf(error: unknown, cancelled?: CancelReason): Outcome {
  if (cancelled === "draining") return { kind: "release" };
  // At its deadline the server ends the attempt itself, and counts it as one that took too long.
  if (cancelled !== undefined) return { kind: "none" };
  if (error instanceof Snooze) return { kind: "release", delay: durationText(error.delay) };
  if (error instanceof NonRetryable) return { kind: "fail", error: jobError(error), retryable: false };
  if (error instanceof RetryAfter) {
    return { kind: "fail", error: jobError(error), retryAfter: durationText(error.delay) };
  }
  if (error instanceof Cancelled) {
    return { kind: "fail", error: { message: error.message, code: "cancelled" }, retryable: false };
  }
  return { kind: "fail", error: jobError(error) };
}

/** An error as the server keeps it: message, `code` if it is text, `details`, and the class where there are no details. */
export function jobError(error: unknown): JobError {
  if (!(error instanceof Error)) return { message: String(error) };
  const extra = error as Error & { code?: unknown; details?: unknown };
  const details = extra.details ?? (error.name === "Error" ? undefined : { type: error.name });
  return {
    message: error.message || error.name,
    ...(typeof extra.code === "string" ? { code: extra.code } : {}),
    ...(details === undefined ? {} : { details }),
  };
}
