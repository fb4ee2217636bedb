// The test kit, in three layers: a handler with a fake context, a runner in memory, and the real server.
import { spawn } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { AnyActivity } from "./activity.js";
import { Attempt } from "./attempt.js";
import type { Middleware } from "./attempt.js";
import { plainCodec } from "./codec.js";
import type { PayloadCodec } from "./codec.js";
import type { Context, Logger } from "./context.js";
import { milliseconds } from "./duration.js";
import { Cancelled, ConfigurationError } from "./errors.js";
import type { JobError } from "./generated/models.js";
import { parseJson, stringifyJson } from "./json.js";
import type { Json } from "./json.js";
import type { Outcome } from "./outcome.js";

/** A context for handlers that are called directly: `await greet.handler(data, new FakeContext())`. */
export class FakeContext implements Context {
  jobId = "job_test";
  jobType = "test";
  attempt = 1;
  tenant = "default";
  idempotencyKey = "job_test";
  deadline: Date | undefined;
  previousProgress: Json;
  traceparent: string | undefined;
  executionId: string | undefined;
  nodeId: string | undefined;
  workflow: string | undefined;
  /** Progress that the handler reported, in order. */
  readonly reported: Json[] = [];
  /** What the handler logged. */
  readonly lines: { level: string; message: string; fields?: Record<string, unknown> }[] = [];
  readonly log: Logger = collect(this.lines);
  private readonly controller = new AbortController();

  constructor(fields: Partial<Omit<Context, "signal" | "cancelled" | "log" | "progress">> = {}) {
    Object.assign(this, fields);
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  get cancelled(): boolean {
    return this.signal.aborted;
  }

  /** Cancels the handler, as the server would. */
  cancel(): void {
    this.controller.abort(new Cancelled());
  }

  progress(value: Json): void {
    this.reported.push(value);
  }
}

/** A job of an `InMemoryWorker`, as it ended. */
export interface TestJob {
  id: string;
  jobType: string;
  data: Json;
  status: "QUEUED" | "COMPLETED" | "DEAD_LETTER";
  attempts: number;
  snoozes: number;
  /** Delays that retries and snoozes requested; no time actually passes. */
  waitsMs: number[];
  result?: Json;
  error?: JobError;
  progress?: Json;
}

/** Runs handlers with retries, middleware and codec, without a server and without waiting. */
export class InMemoryWorker {
  readonly lines: { level: string; message: string; fields?: Record<string, unknown> }[] = [];
  private readonly activities: Map<string, AnyActivity>;
  private readonly queue: (TestJob & { maxRetries: number })[] = [];

  constructor(
    activities: readonly AnyActivity[],
    private readonly options: { middleware?: readonly Middleware[]; codec?: PayloadCodec; snoozesMax?: number } = {},
  ) {
    this.activities = new Map(activities.map((activity) => [activity.type, activity]));
  }

  enqueue(type: string | AnyActivity, data: Json, options: { maxRetries?: number } = {}): TestJob {
    const jobType = typeof type === "string" ? type : type.type;
    const activity = this.activities.get(jobType);
    if (!activity) throw new ConfigurationError(`no activity is named ${jobType}`);
    const maxRetries = options.maxRetries ?? activity.options.maxRetries ?? 3;
    // As over the wire: the handler gets a copy, and what is no JSON is refused here.
    const copy = parseJson(stringifyJson(data));
    const job = { id: `job_${randomUUID()}`, jobType, data: copy, status: "QUEUED" as const };
    this.queue.push({ ...job, attempts: 0, snoozes: 0, waitsMs: [], maxRetries });
    return this.queue[this.queue.length - 1] as TestJob;
  }

  /** Enqueues one job and runs it to its end. */
  async run(type: string | AnyActivity, data: Json, options: { maxRetries?: number } = {}): Promise<TestJob> {
    const job = this.enqueue(type, data, options);
    await this.drain();
    return job;
  }

  /** Runs everything that is queued, retries included, one after another. */
  async drain(): Promise<void> {
    for (let job = this.queue.shift(); job; job = this.queue.shift()) {
      while (job.status === "QUEUED") await this.attempt(job);
    }
  }

  private async attempt(job: TestJob & { maxRetries: number }): Promise<void> {
    const codec = this.options.codec ?? plainCodec;
    const info = { kind: "data", jobType: job.jobType } as const;
    const leased = {
      ...{ id: job.id, jobType: job.jobType, tenant: "default", leaseToken: "test" },
      ...{ attempt: job.attempts + 1, leaseExpiresAt: new Date(Date.now() + 60_000).toISOString() },
      data: await codec.encode(job.data, info),
      progress: job.progress,
      idempotencyKey: job.id,
      maxRetries: job.maxRetries,
    };
    const settings = { codec, middleware: this.options.middleware ?? [], logger: collect(this.lines) };
    const activity = this.activities.get(job.jobType) as AnyActivity;
    const attempt = new Attempt(leased, activity, settings, (value) => (job.progress = value));
    await this.apply(job, await attempt.run(), codec);
  }

  private async apply(job: TestJob & { maxRetries: number }, outcome: Outcome, codec: PayloadCodec): Promise<void> {
    if (outcome.kind === "release") {
      job.snoozes += 1;
      job.waitsMs.push(milliseconds(outcome.delay ?? 0));
      if (job.snoozes <= (this.options.snoozesMax ?? 1_000)) return;
      throw new ConfigurationError(`job ${job.id} was snoozed ${job.snoozes} times`);
    }
    job.attempts += 1;
    if (outcome.kind === "complete") {
      job.status = "COMPLETED";
      const onWire = parseJson(stringifyJson(outcome.result));
      job.result = await codec.decode(onWire, { kind: "result", jobType: job.jobType });
    } else if (outcome.kind === "fail") {
      job.error = outcome.error;
      if (outcome.retryable === false || job.attempts > job.maxRetries) job.status = "DEAD_LETTER";
      else job.waitsMs.push(milliseconds(outcome.retryAfter ?? 0));
    }
  }
}

/** A server for a test. `await using server = await devServer()` stops it automatically. */
export interface DevServer extends AsyncDisposable {
  readonly url: string;
  readonly apiKey: string;
  /**
   * Advances its time by a duration such as `1d`, through all timers, retries and schedules, and returns its time. Only
   * with `timeSkip`.
   */
  advance(duration: string): Promise<Date>;
  /**
   * Sets whether its time jumps automatically to the next timer or retry, and returns its time. Only with `timeSkip`.
   */
  skip(on: boolean): Promise<Date>;
  stop(): Promise<void>;
}

export interface DevServerOptions {
  /** The program; `TRUNKLINE_BINARY`, else `trunkline` on the PATH. */
  binary?: string;
  /** Settings, such as `{ TRUNKLINE_QUEUES__WORKFLOW_NODE__LEASE: "2s" }`. */
  env?: Record<string, string>;
  /**
   * Its time jumps to the next timer or retry while no job is leased and no request is in progress; schedules fire only
   * by `advance`.
   */
  timeSkip?: boolean;
  /** Timeout of the start (default: 20 s). */
  timeout?: string | number;
}

/** Starts the real server on free ports of the loopback interface, with a SQLite database in a temporary directory. */
export async function devServer(options: DevServerOptions = {}): Promise<DevServer> {
  const directory = await mkdtemp(join(tmpdir(), "trunkline-"));
  const apiKey = `tl_test_${randomBytes(16).toString("hex")}`;
  const binary = options.binary ?? process.env["TRUNKLINE_BINARY"] ?? "trunkline";
  const inherited = Object.entries(process.env).filter(([name]) => !/^(TRUNKLINE_|DATABASE_URL$|PORT$)/.test(name));
  const child = spawn(binary, options.timeSkip ? ["dev", "--time-skip"] : ["serve"], {
    cwd: directory,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...Object.fromEntries(inherited),
      TRUNKLINE_HTTP: "127.0.0.1:0",
      TRUNKLINE_GRPC: "127.0.0.1:0",
      TRUNKLINE_METRICS: "127.0.0.1:0",
      TRUNKLINE_DATABASE_URL: `sqlite://${join(directory, "trunkline.db")}`,
      TRUNKLINE_BOOTSTRAP_KEY: apiKey,
      TMPDIR: directory,
      ...options.env,
    },
  });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const stop = async (): Promise<void> => {
    child.kill("SIGTERM");
    const kill = setTimeout(() => child.kill("SIGKILL"), 10_000);
    await ended;
    clearTimeout(kill);
    await rm(directory, { recursive: true, force: true });
  };
  const lines: string[] = [];
  createInterface({ input: child.stderr }).on("line", (line) => lines.push(line));
  const timeoutMs = milliseconds(options.timeout ?? 20_000);
  const url = await new Promise<string>((resolve, reject) => {
    const fail = (reason: string): void =>
      reject(new ConfigurationError(`${binary} did not start: ${reason}\n${lines.slice(-10).join("\n")}`));
    const timer = setTimeout(() => fail(`no address within ${timeoutMs} ms`), timeoutMs);
    child.once("error", (error) => fail(`${error.message}; is it on the PATH, or TRUNKLINE_BINARY set?`));
    child.once("close", (code) => fail(`exit code ${String(code)}`));
    createInterface({ input: child.stdout }).on("line", (line) => {
      const found = /^\s*REST\s+(http:\S+)/.exec(line)?.[1];
      if (found === undefined) return;
      clearTimeout(timer);
      resolve(found);
    });
  }).catch(async (error: unknown) => {
    child.kill("SIGKILL");
    await rm(directory, { recursive: true, force: true });
    throw error;
  });
  const moveTime = async (asked: { advance: string } | { skip: boolean }): Promise<Date> => {
    const answer = await fetch(`${url}/v1/dev/time`, {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      body: JSON.stringify(asked),
    });
    const body = (await answer.json()) as { now: string; detail?: string };
    if (!answer.ok) throw new ConfigurationError(body.detail ?? `the time could not be moved: ${answer.status}`);
    return new Date(body.now);
  };
  const advance = (duration: string): Promise<Date> => moveTime({ advance: duration });
  const skip = (on: boolean): Promise<Date> => moveTime({ skip: on });
  return { url, apiKey, advance, skip, stop, [Symbol.asyncDispose]: stop };
}

function collect(lines: { level: string; message: string; fields?: Record<string, unknown> }[]): Logger {
  const line = (level: string) => (message: string, fields?: Record<string, unknown>) =>
    void lines.push({ level, message, ...(fields ? { fields } : {}) });
  return { debug: line("debug"), info: line("info"), warn: line("warn"), error: line("error") };
}
