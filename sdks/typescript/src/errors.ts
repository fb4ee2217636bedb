// The errors of calls, and the errors with which a handler says what becomes of its job.
import type { Duration } from "./duration.js";
import type { Fault, JobError, Problem } from "./generated/models.js";
import type { Json } from "./json.js";

/** What all errors of this package are. */
export class TrunklineError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** The server refused a call; `code` is the stable word of its problem document. */
export class ProblemError extends TrunklineError {
  /** HTTP status. */
  readonly status: number;
  /** Stable word for programs, such as `invalid`; empty where the answer was no problem document. */
  readonly code: string;
  /** Faults of an invalid request, each with a JSON pointer. */
  readonly faults: readonly Fault[];
  /** What `Retry-After` said, in milliseconds. */
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

/** The server was not reached, or the connection broke. The cause is in `cause`. */
export class ConnectionError extends TrunklineError {}

/** A call, or a wait for a job or a run, took longer than it might. What was waited for goes on. */
export class TimeoutError extends TrunklineError {}

/** A transport that is not there, or a setting that makes no sense. */
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

/** A webhook whose signature, time or headers are not right. */
export class InvalidSignature extends TrunklineError {}

/** What a handler may say about its failure beside the message. */
export interface FailureOptions extends ErrorOptions {
  /** For programs; groups dead letters. */
  code?: string;
  /** Whatever else helps, as JSON. */
  details?: Json;
}

/** Thrown by a handler: no retry could help. */
export class NonRetryable extends TrunklineError {
  readonly code: string | undefined;
  readonly details: Json;

  constructor(message: string, options: FailureOptions = {}) {
    super(message, options);
    this.code = options.code;
    this.details = options.details;
  }
}

/** Thrown by a handler: the next try comes after this wait, in place of the backoff. It costs an attempt. */
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

/** Thrown by a handler: the job goes back for this long, and it costs no attempt. */
export class Snooze extends TrunklineError {
  constructor(readonly delay: Duration) {
    super("snoozed");
  }
}

/** Why a handler was cancelled: the lease is gone, or the worker drains. */
export type CancelReason = "cancelled" | "lease_lost" | "draining" | "deadline";

/**
 * The reason of `ctx.signal` once it is aborted, and what a handler throws to end with it. Thrown by a handler that nobody
 * cancelled, it fails the job for good with the code `cancelled`.
 */
export class Cancelled extends TrunklineError {
  constructor(readonly reason: CancelReason = "cancelled") {
    super(`cancelled (${reason})`);
  }
}
