// What a handler knows of its job, and how it speaks back.
import { AsyncLocalStorage } from "node:async_hooks";
import type { Json } from "./json.js";

/** Where lines go. `console` is one. */
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
  /** The same for every attempt of the job: send it along with effects elsewhere. */
  readonly idempotencyKey: string;
  /** When the attempt has to be over, where the server says so. */
  readonly deadline: Date | undefined;
  /** What the attempt before last said with `progress`; undefined where it said nothing. */
  readonly previousProgress: Json;
  /** W3C trace context; calls of a client inside of the handler carry it on. */
  readonly traceparent: string | undefined;
  readonly executionId: string | undefined;
  readonly nodeId: string | undefined;
  readonly workflow: string | undefined;
  /** Aborted with a `Cancelled` when the job is cancelled, its lease is lost, or the worker's time to drain is up. */
  readonly signal: AbortSignal;
  /** Whether `signal` is aborted. */
  readonly cancelled: boolean;
  /** Logs with the ids of job and attempt; from `info` on the server keeps the lines beside the attempt as well. */
  readonly log: Logger;
  /** Says how far the work is. It is sent with the next heartbeat, and the next attempt reads the last one. */
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
