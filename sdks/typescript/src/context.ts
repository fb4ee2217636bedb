// What a handler knows of its job, and how it speaks back.
import { AsyncLocalStorage } from "node:async_hooks";
import type { Json } from "./json.js";

/** Destination of log lines, such as `console`. */
export interface Logger {
  debug(message: string, fields?: Record<string, unknown>): void;
  info(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
  error(message: string, fields?: Record<string, unknown>): void;
}

/** One attempt of a job, as its handler sees it. */
export interface Context {
  readonly jobId: string;
  readonly jobType: string;
  /** The number of this attempt, from 1. */
  readonly attempt: number;
  readonly tenant: string;
  /** The same for every attempt of the job: send it with external side effects. */
  readonly idempotencyKey: string;
  /** When the attempt times out, if the job has a timeout. */
  readonly deadline: Date | undefined;
  /** The last progress reported by an earlier attempt, or undefined. */
  readonly previousProgress: Json;
  /** W3C trace context; calls of a client inside the handler propagate it. */
  readonly traceparent: string | undefined;
  readonly executionId: string | undefined;
  readonly nodeId: string | undefined;
  readonly workflow: string | undefined;
  /**
   * Aborted with a `Cancelled` when the job is cancelled, its lease is lost, or the drain timeout of the worker has
   * passed.
   */
  readonly signal: AbortSignal;
  /** Whether `signal` is aborted. */
  readonly cancelled: boolean;
  /**
   * Logs with the IDs of job and attempt. Lines from level `info` on are also stored with the attempt on the server.
   */
  readonly log: Logger;
  /** Reports progress. It is sent with the next heartbeat, and the next attempt receives the last value. */
  progress(value: Json): void;
}

const storage = new AsyncLocalStorage<Context>();

/** Runs `work` with this context as the current one. */
export function withContext<T>(context: Context, work: () => T): T {
  return storage.run(context, work);
}

/** The context of the handler that this code runs in, or undefined outside of one. */
export function currentContext(): Context | undefined {
  return storage.getStore();
}

/** A logger that adds the same fields to every line. */
export function loggerWith(logger: Logger, fields: Record<string, unknown>): Logger {
  const line = (level: keyof Logger) => (message: string, more?: Record<string, unknown>) =>
    logger[level](message, { ...fields, ...more });
  return { debug: line("debug"), info: line("info"), warn: line("warn"), error: line("error") };
}
