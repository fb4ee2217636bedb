// The client: what a program says to the server outside of its handlers.
import type { Activity } from "./activity.js";
import { backoffMs } from "./backoff.js";
import { plainCodec } from "./codec.js";
import type { PayloadCodec } from "./codec.js";
import { currentContext } from "./context.js";
import { durationText, milliseconds } from "./duration.js";
import type { Duration } from "./duration.js";
import { Api } from "./generated/api.js";
import type { Backoff, ChangeEvent, CreatedExecution, JobRequest, Priority, Problem } from "./generated/models.js";
import { JobHandle, RunHandle } from "./handles.js";
import type { Json } from "./json.js";
import { DeadLetters, Schedules } from "./resources.js";
import { RestTransport } from "./rest.js";
import { openTransport, registerTransport } from "./transport.js";
import type { CallOptions, Transport } from "./transport.js";
import type { WorkflowDefinition } from "./workflow.js";

registerTransport("rest", (settings) => new RestTransport(settings));

export interface ClientOptions {
  /** The server; `TRUNKLINE_URL`, else `http://127.0.0.1:8080`. */
  url?: string;
  /** API key (default: `TRUNKLINE_API_KEY`). */
  apiKey?: string;
  /** For keys that are not bound to a tenant: the tenant of created jobs and runs. */
  tenant?: string;
  /** A name (default: `TRUNKLINE_TRANSPORT`, else `rest`), or a custom transport. */
  transport?: string | Transport;
  /** Encodes and decodes data and results. */
  codec?: PayloadCodec;
  /** Timeout of a call, including retries (default: 30 s). */
  timeout?: Duration;
  /** Sent with every request. */
  headers?: Record<string, string>;
  /** Replaces the built-in `fetch`, for example for a proxy. Heartbeats then share the event loop with handlers. */
  fetch?: typeof fetch;
}

export interface EnqueueOptions {
  priority?: Priority;
  delay?: Duration;
  runAt?: Date | string;
  /** At most one unfinished job has this key: a second enqueue returns the first job. */
  uniqueKey?: string;
  /** At most one job with this key runs at a time. */
  concurrencyKey?: string;
  maxRetries?: number;
  backoff?: Backoff;
  /** Timeout of an attempt. */
  timeout?: Duration;
  tags?: string[];
  tenant?: string;
  traceparent?: string;
  /** Repeated calls with the same key and data create one job. */
  idempotencyKey?: string;
}

export interface StartOptions {
  /** The latest where absent. */
  version?: number;
  priority?: Priority;
  tenant?: string;
  tags?: string[];
  correlationId?: string;
  traceparent?: string;
  idempotencyKey?: string;
}

/** One job of a batch. */
export interface BatchItem {
  type: string | Activity;
  data: Json;
  options?: Omit<EnqueueOptions, "idempotencyKey">;
}

/** A client of one server. Safe to share. */
export class Client {
  readonly transport: Transport;
  readonly codec: PayloadCodec;
  readonly tenant: string | undefined;
  /** Every call of the API. */
  readonly api: Api;
  readonly schedules: Schedules;
  readonly deadLetters: DeadLetters;

  constructor(options: ClientOptions = {}) {
    const env = process.env;
    const transport = options.transport ?? (env["TRUNKLINE_TRANSPORT"] || "rest");
    this.transport =
      typeof transport === "string"
        ? openTransport(transport, {
            url: options.url ?? (env["TRUNKLINE_URL"] || "http://127.0.0.1:8080"),
            isUrlGiven: options.url !== undefined,
            apiKey: options.apiKey ?? env["TRUNKLINE_API_KEY"],
            headers: options.headers ?? {},
            timeoutMs: milliseconds(options.timeout ?? 30_000),
            fetch: options.fetch,
          })
        : transport;
    this.codec = options.codec ?? plainCodec;
    this.tenant = options.tenant;
    this.api = new Api(this.transport);
    this.schedules = new Schedules(this.api, this.tenant);
    this.deadLetters = new DeadLetters(this.api);
  }

  /** Enqueues a job. It is stored durably once this returns. */
  async enqueue<Data = Json, Result = Json>(
    type: string | Activity<Data, Result>,
    data: Data,
    options: EnqueueOptions = {},
  ): Promise<JobHandle<Result>> {
    const body = await this.jobRequest(type, data, options);
    const { id, existing } = await this.api.enqueueJob(body, { idempotencyKey: options.idempotencyKey });
    return new JobHandle<Result>(this, id, existing === true);
  }

  /**
   * Enqueues many jobs in one commit. With `partial`, the result of an invalid job is a problem instead of an error.
   */
  async enqueueBatch(
    items: readonly BatchItem[],
    options: { partial?: boolean; idempotencyKey?: string } = {},
  ): Promise<(JobHandle | { error: Problem })[]> {
    const jobs = await Promise.all(
      items.map((item) => this.jobRequest(item.type, item.data as never, item.options ?? {})),
    );
    const body = { jobs, partial: options.partial ?? false };
    const { results } = await this.api.enqueueJobs(body, { idempotencyKey: options.idempotencyKey });
    return results.map(({ id, error, existing }) =>
      id === undefined ? { error: error as Problem } : new JobHandle(this, id, existing === true),
    );
  }

  /** An existing job, by its ID. */
  job<Result = Json>(id: string): JobHandle<Result> {
    return new JobHandle<Result>(this, id, true);
  }

  /** Starts a workflow. It is stored durably once this returns. */
  async start<Output = Json>(
    workflow: string,
    input: Json = {},
    options: StartOptions = {},
  ): Promise<RunHandle<Output>> {
    const { idempotencyKey, traceparent = currentContext()?.traceparent, ...rest } = options;
    const body = { workflow, input, ...rest, ...present({ traceparent, tenant: rest.tenant ?? this.tenant }) };
    const { id } = (await this.api.startExecution(body, {}, { idempotencyKey })) as CreatedExecution;
    return new RunHandle<Output>(this, id);
  }

  /** An existing run, by its ID. */
  run<Output = Json>(id: string): RunHandle<Output> {
    return new RunHandle<Output>(this, id);
  }

  /** Registers a version of a workflow; the same content again changes nothing. */
  async push(
    workflow: WorkflowDefinition | { definition(): WorkflowDefinition },
  ): Promise<{ name: string; version: number }> {
    const definition = isBuilder(workflow) ? workflow.definition() : workflow;
    const { name = "", version = 0 } = await this.api.registerWorkflow(definition);
    return { name, version };
  }

  /**
   * The stream of changes; each signals that a resource should be read again. `opened` is called once the stream is
   * open.
   */
  events(options: { signal?: AbortSignal; opened?: () => void } = {}): AsyncIterable<ChangeEvent> {
    return this.transport.events(options);
  }

  /** Polls until `read` returns a value, with growing pauses, for at most `timeoutMs`. */
  async until<T>(read: (leftMs: number) => Promise<T | undefined>, timeoutMs: number): Promise<T | undefined> {
    const ends = Date.now() + timeoutMs;
    for (let round = 0; ; round += 1) {
      const asked = Date.now();
      const found = await read(Math.max(0, ends - asked));
      if (found !== undefined) return found;
      const now = Date.now();
      if (now >= ends) return undefined;
      // Where the server held the answer, the next question comes at once.
      if (now - asked < 1_000) await pause(Math.min(ends - now, backoffMs(Math.min(round, 4), Math.random())));
    }
  }

  /** Closes the transport. */
  close(): Promise<void> {
    return this.transport.close();
  }

  private async jobRequest<Data>(
    type: string | Activity<Data>,
    data: Data,
    options: EnqueueOptions,
  ): Promise<JobRequest> {
    const jobType = typeof type === "string" ? type : type.type;
    const defaults = typeof type === "string" ? {} : type.options;
    const { delay, runAt, timeout = defaults.timeout, maxRetries = defaults.maxRetries, ...rest } = options;
    const { traceparent = currentContext()?.traceparent, ...plain } = rest;
    delete plain.idempotencyKey;
    return {
      jobType,
      data: await this.codec.encode(data, { kind: "data", jobType }),
      ...plain,
      ...present({
        maxRetries,
        traceparent,
        tenant: plain.tenant ?? this.tenant,
        delay: delay === undefined ? undefined : durationText(delay),
        timeout: timeout === undefined ? undefined : durationText(timeout),
        runAt: runAt instanceof Date ? runAt.toISOString() : runAt,
      }),
    };
  }
}

function isBuilder(workflow: object): workflow is { definition(): WorkflowDefinition } {
  return "definition" in workflow && typeof workflow.definition === "function";
}

/** How long one question to the server may be held. */
export const HELD_MAX_MS = 20_000;

/** The options of a question that the server may hold for `heldMs`. */
export function heldCall(heldMs: number, signal?: AbortSignal): CallOptions {
  return { timeoutMs: heldMs + 10_000, signal };
}

function present<T extends Record<string, unknown>>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
