// The errors of calls, and the errors with which a handler says what becomes of its job.
import type { Duration } from "./duration.js";
import type { Fault, JobError, Problem } from "./generated/models.js";
import type { Json } from "./json.js";

/** The base class of all errors of this package. */
export class TrunklineError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** The server rejected a call; `code` is the stable code of its problem document. */
export class ProblemError extends TrunklineError {
  /** HTTP status. */
  readonly status: number;
  /** Stable code for programs, such as `invalid`; empty if the response was not a problem document. */
  readonly code: string;
  /** Faults of an invalid request, each with a JSON pointer. */
  readonly faults: readonly Fault[];
  /** Value of `Retry-After` in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(problem: Partial<Problem> & { status: number }, retryAfterMs?: number) {
    const faults = problem.errors ?? [];
    const places = faults.map((fault) => `\n  ${fault.pointer}: ${fault.message}`).join("");
    super(`${problem.status} ${problem.code ?? ""}: ${problem.detail ?? problem.title ?? "no reason given"}${places}`);
    this.status = problem.status;
    this.code = problem.code ?? "";
    this.faults = faults;
    this.retryAfterMs = retryAfterMs;
  }
}

/** The server could not be reached, or the connection broke. See `cause`. */
export class ConnectionError extends TrunklineError {}

/** A call, or a wait for a job or a run, timed out. The job or run continues. */
export class TimeoutError extends TrunklineError {}

/** An unknown transport or an invalid setting. */
export class ConfigurationError extends TrunklineError {}

/** The job that was waited for became a dead letter or was cancelled. */
export class JobFailed extends TrunklineError {
  constructor(
    readonly jobId: string,
    readonly status: string,
    /** What its last attempt reported. */
    readonly error: JobError | undefined,
  ) {
    super(`job ${jobId} is ${status}${error ? `: ${error.message}` : ""}`);
  }

  /** The code of its error; `cancelled` for a job that was cancelled. */
  get code(): string | undefined {
    return this.error?.code ?? (this.status === "CANCELLED" ? "cancelled" : undefined);
  }
}

/** The run that was waited for failed or was cancelled. */
export class RunFailed extends TrunklineError {
  constructor(
    readonly runId: string,
    readonly status: string,
    readonly error: { message: string; code?: string | null; node?: string | null } | undefined,
  ) {
    super(`run ${runId} is ${status}${error ? `: ${error.message}` : ""}`);
  }

  /** The code of its error; `cancelled` for a run that was cancelled. */
  get code(): string | undefined {
    return this.error?.code ?? (this.status === "CANCELLED" ? "cancelled" : undefined);
  }
}

/** A webhook whose signature, timestamp or headers are invalid. */
export class InvalidSignature extends TrunklineError {}

/** Additional details of a failure. */
export interface FailureOptions extends ErrorOptions {
  /** For programs; groups dead letters. */
  code?: string;
  /** Additional details, as JSON. */
  details?: Json;
}

/** Thrown by a handler: a retry cannot help. */
export class NonRetryable extends TrunklineError {
  readonly code: string | undefined;
  readonly details: Json;

  constructor(message: string, options: FailureOptions = {}) {
    super(message, options);
    this.code = options.code;
    this.details = options.details;
  }
}

/** Thrown by a handler: the next attempt starts after this delay, instead of the backoff. It consumes an attempt. */
export class RetryAfter extends TrunklineError {
  readonly code: string | undefined;
  readonly details: Json;

  constructor(
    readonly delay: Duration,
    message = "to be tried again later",
    options: FailureOptions = {},
  ) {
    super(message, options);
    this.code = options.code;
    this.details = options.details;
  }
}

/** Thrown by a handler: the job is released for this time without consuming an attempt. */
export class Snooze extends TrunklineError {
  constructor(readonly delay: Duration) {
    super("snoozed");
  }
}

/**
 * Why a handler was cancelled: the job was cancelled, its lease was lost, the worker drains, or the deadline has
 * passed.
 */
export type CancelReason = "cancelled" | "lease_lost" | "draining" | "deadline";

/**
 * The reason of `ctx.signal` once it is aborted, which handlers throw to stop. If the handler was not cancelled, the
 * job fails permanently with the code `cancelled`.
 */
export class Cancelled extends TrunklineError {
  constructor(readonly reason: CancelReason = "cancelled") {
    super(`cancelled (${reason})`);
  }
}
