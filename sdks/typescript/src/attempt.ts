// One attempt of a job: its context, the middleware around its handler, and the outcome.
import { checkedInput } from "./activity.js";
import type { AnyActivity } from "./activity.js";
import type { LeasedJob } from "./channel.js";
import type { PayloadCodec } from "./codec.js";
import { loggerWith, withContext } from "./context.js";
import type { Context, Logger } from "./context.js";
import { Cancelled } from "./errors.js";
import type { CancelReason } from "./errors.js";
import type { Json } from "./json.js";
import { AttemptLines, teed } from "./lines.js";
import { outcomeOf } from "./outcome.js";
import type { Outcome } from "./outcome.js";

/**
 * Wraps every handler: it can inspect the job, change the result, or throw. `next` calls the inner middleware or
 * handler.
 */
export type Middleware = (ctx: Context, data: Json, next: () => Promise<Json>) => Promise<Json>;

/** What all attempts of a worker share. */
export interface AttemptSettings {
  codec: PayloadCodec;
  middleware: readonly Middleware[];
  logger: Logger;
}

/** A running attempt. */
export class Attempt {
  readonly context: Context;
  private readonly controller = new AbortController();
  private latest: { value: Json } | undefined;
  private reason: CancelReason | undefined;
  private deadline: NodeJS.Timeout | undefined;

  constructor(
    readonly job: LeasedJob,
    private readonly activity: AnyActivity,
    private readonly settings: AttemptSettings,
    private readonly onProgress: (value: Json) => void = () => undefined,
    readonly lines: AttemptLines = new AttemptLines(job),
  ) {
    this.context = this.makeContext();
  }

  /** Why it was cancelled, if it was. */
  get cancelReason(): CancelReason | undefined {
    return this.reason;
  }

  /** Aborts the context's signal; the first reason stays. */
  cancel(reason: CancelReason): void {
    if (this.reason !== undefined) return;
    this.reason = reason;
    this.controller.abort(new Cancelled(reason));
  }

  /** The progress that was said since the last time this was asked. */
  takeProgress(): { value: Json } | undefined {
    const taken = this.latest;
    this.latest = undefined;
    return taken;
  }

  /** Runs the handler to its end. Never throws. */
  async run(): Promise<Outcome> {
    this.watchDeadline();
    try {
      const { job, settings, context } = this;
      const raw = await settings.codec.decode(job.data, { kind: "data", jobType: job.jobType });
      const data = await checkedInput(this.activity, raw);
      // A handler that only waits for the signal's event would wait for ever.
      if (this.reason !== undefined) throw new Cancelled(this.reason);
      const result = await withContext(context, () => this.handle(data));
      const isPlain = job.executionId !== undefined && job.executionId !== null;
      const encoded = isPlain ? result : await settings.codec.encode(result, { kind: "result", jobType: job.jobType });
      // A result is reported even after a cancellation: the server decides whether the lease still holds.
      return { kind: "complete", result: encoded };
    } catch (error) {
      return outcomeOf(error, this.reason);
    } finally {
      clearTimeout(this.deadline);
    }
  }

  private handle(data: Json): Promise<Json> {
    const inner = async (): Promise<Json> => await this.activity.handler(data, this.context);
    const chain = this.settings.middleware.reduceRight<() => Promise<Json>>(
      (next, middleware) => () => middleware(this.context, data, next),
      inner,
    );
    return chain();
  }

  /** The server ends the attempt at its deadline too; this frees the handler in time. */
  private watchDeadline(): void {
    const deadline = this.context.deadline;
    if (!deadline) return;
    const left = deadline.getTime() - Date.now();
    if (left > 2 ** 31 - 1) return;
    this.deadline = setTimeout(() => this.cancel("deadline"), Math.max(0, left));
  }

  private makeContext(): Context {
    const { job, controller } = this;
    const fields = { jobId: job.id, jobType: job.jobType, attempt: job.attempt };
    return {
      jobId: job.id,
      jobType: job.jobType,
      attempt: job.attempt,
      tenant: job.tenant,
      idempotencyKey: job.idempotencyKey,
      deadline: job.deadline ? new Date(job.deadline) : undefined,
      previousProgress: job.progress ?? undefined,
      traceparent: job.traceparent ?? undefined,
      executionId: job.executionId ?? undefined,
      nodeId: job.nodeId ?? undefined,
      workflow: job.workflow ?? undefined,
      signal: controller.signal,
      get cancelled() {
        return controller.signal.aborted;
      },
      log: teed(loggerWith(this.settings.logger, fields), (level, message, more) =>
        this.lines.add(level, message, more),
      ),
      progress: (value) => {
        this.latest = { value };
        this.onProgress(value);
      },
    };
  }
}
