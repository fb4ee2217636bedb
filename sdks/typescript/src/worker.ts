// The runner: polls, runs handlers side by side, reports, and drains on SIGTERM.
import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { AnyActivity } from "./activity.js";
import { Attempt } from "./attempt.js";
import type { Middleware } from "./attempt.js";
import { isTransient, retryDelayMs } from "./backoff.js";
import { JobChannel, pollOf } from "./channel.js";
import type { LeasedJob, Polled, PollRequest } from "./channel.js";
import type { Client } from "./client.js";
import type { Logger } from "./context.js";
import { durationText, milliseconds, sleep } from "./duration.js";
import type { Duration } from "./duration.js";
import { ConfigurationError, ProblemError, TimeoutError } from "./errors.js";
import { Health, serveHealth } from "./health.js";
import type { HealthServer, HealthStatus } from "./health.js";
import { Heartbeats } from "./heartbeats.js";
import { LineSender } from "./lines.js";
import { WorkerMetrics } from "./metrics.js";
import type { Outcome } from "./outcome.js";
import { Reporter } from "./reporter.js";
import type { JobStream, WorkerHello } from "./transport.js";

/** What happened, for metrics. */
export type WorkerEvent =
  | { kind: "started"; jobType: string }
  | { kind: "finished"; jobType: string; outcome: "complete" | "fail" | "release" | "lost"; durationMs: number }
  | { kind: "polled"; jobs: number }
  | { kind: "pollFailed" | "heartbeatFailed"; error: unknown };

export interface WorkerOptions {
  /** The handlers, each with its job type. */
  activities: readonly AnyActivity[];
  /** Maximum number of concurrent handlers (default: 10). */
  concurrency?: number;
  /** Wraps every handler; the first is the outermost. */
  middleware?: readonly Middleware[];
  /** How long a poll waits for a job, at most 30 s (default: 20 s). */
  pollWait?: Duration;
  /** How long handlers may continue after SIGTERM (default: `TRUNKLINE_DRAIN_TIMEOUT`, else 25 s). */
  drainTimeout?: Duration;
  /** Duration of leases (default: the server's setting). */
  lease?: Duration;
  /** Only jobs of this tenant. */
  tenant?: string;
  /** `host:port` of `/healthz` and `/metrics`; `TRUNKLINE_WORKER_HEALTH`, else none. */
  health?: string;
  /** ID of the worker (default: host name and a random part). */
  workerId?: string;
  /** Names the code that the worker runs, such as a version or a commit. It is shown with the worker. */
  build?: string;
  /**
   * Pins the job types to these builds, which must include the worker's own, when the worker starts: from then on, only
   * workers of these builds receive their jobs.
   */
  builds?: string[];
  /** Destination of log lines (default: the console). */
  logger?: Logger;
  /** Called with events for metrics. It must not throw or block. */
  onEvent?: (event: WorkerEvent) => void;
}

const POLL_JOBS_MAX = 100;
// A poll that is this much later than it was to wait is a channel that does not deliver, whatever becomes of it.
const POLL_LATE_MS = 2_000;
// Cancelled handlers get this long to end before their jobs are given back without them.
const CANCEL_GRACE_MS = 1_000;
// How long a report may take once the worker has to end.
const LAST_REPORTS_MS = 5_000;
/** For so long a job of a type that has no handler here goes back, which no server should have sent. */
const NOT_OURS_DELAY = "1s";

interface Running {
  attempt: Attempt;
  done: Promise<void>;
  /** Whether somebody reports the end: whoever ran the handler, or the drain that gives the job back. */
  isClaimed: boolean;
}

/** Serves job types until it is stopped. */
export class Worker {
  readonly workerId: string;
  private readonly activities = new Map<string, AnyActivity>();
  private readonly channel: JobChannel;
  private readonly concurrency: number;
  private readonly pollWaitMs: number;
  private readonly drainMs: number;
  private readonly logger: Logger;
  // By lease token: two attempts of a job may overlap here.
  private readonly running = new Map<string, Running>();
  /** Jobs of types that it does not have, on their way back. */
  private readonly returning = new Set<Promise<unknown>>();
  private readonly healthState = new Health();
  private readonly metrics = new WorkerMetrics();
  private readonly polling = new AbortController();
  private readonly reporting = new AbortController();
  private readonly reporter: Reporter;
  private readonly lines: LineSender;
  private heartbeats: Heartbeats | undefined;
  private healthServer: HealthServer | undefined;
  private loop: Promise<void> | undefined;
  private stopping: Promise<void> | undefined;
  private slotFreed: () => void = () => undefined;
  private stream: JobStream | undefined;

  constructor(
    private readonly client: Client,
    private readonly options: WorkerOptions,
  ) {
    for (const activity of options.activities) {
      if (this.activities.has(activity.type)) throw new ConfigurationError(`two activities are named ${activity.type}`);
      this.activities.set(activity.type, activity);
    }
    if (this.activities.size === 0) throw new ConfigurationError("a worker needs at least one activity");
    this.concurrency = options.concurrency ?? 10;
    if (!(this.concurrency >= 1)) throw new ConfigurationError("concurrency is at least 1");
    this.pollWaitMs = Math.min(milliseconds(options.pollWait ?? 20_000), 30_000);
    this.drainMs = milliseconds(options.drainTimeout ?? process.env["TRUNKLINE_DRAIN_TIMEOUT"] ?? 25_000);
    this.workerId = options.workerId ?? `${hostname().slice(0, 60)}-${process.pid}-${randomUUID().slice(0, 8)}`;
    this.logger = options.logger ?? consoleLogger;
    this.channel = new JobChannel(client.transport);
    this.reporter = new Reporter(this.channel, this.reporting.signal, {
      request: (reports) => this.pollWith(reports),
      take: (answer) => this.take(answer),
    });
    this.lines = new LineSender(this.channel);
  }

  /** Whether jobs can reach this worker, as shown by `/healthz`. */
  get health(): HealthStatus {
    return this.healthState.status;
  }

  /**
   * Serves until SIGTERM or SIGINT, or an operator drains it, then drains and returns. Throws if the server rejects the
   * first poll.
   */
  async run(): Promise<void> {
    const signals = { count: 0 };
    const onSignal = (): void => {
      // A second signal does not wait for handlers.
      signals.count += 1;
      if (signals.count > 1) this.cancelAll();
      void this.stop();
    };
    process.on("SIGTERM", onSignal);
    process.on("SIGINT", onSignal);
    try {
      await this.start();
      await this.loop;
    } finally {
      await this.stop();
      process.off("SIGTERM", onSignal);
      process.off("SIGINT", onSignal);
      // A handler that does not end would keep the process: it was asked to end, so it does.
      if (signals.count > 0 && this.running.size > 0) setTimeout(() => process.exit(0), 100);
    }
  }

  /** Starts serving in the background. */
  async start(): Promise<void> {
    if (this.loop) throw new ConfigurationError("the worker was started before");
    const address = this.options.health ?? process.env["TRUNKLINE_WORKER_HEALTH"];
    if (address) this.healthServer = await serveHealth(address, this.healthState, this.metrics);
    const lease = this.options.lease === undefined ? undefined : milliseconds(this.options.lease);
    this.heartbeats = new Heartbeats(this.client.transport, this.channel, lease, (notice) => {
      if ("failed" in notice) this.event({ kind: "heartbeatFailed", error: notice.failed });
      else this.running.get(notice.lost)?.attempt.cancel(notice.outcome === "cancelled" ? "cancelled" : "lease_lost");
    });
    await this.heartbeats.ready;
    this.loop = this.client.transport.connectWorker ? this.serveStream() : this.poll();
    // `run` sees its error; one that only started the worker is not to be ended by it.
    this.loop.catch((error: unknown) => this.logger.error("worker stopped", { error: String(error) }));
  }

  /** Takes no new jobs, waits for handlers up to the drain timeout, and cancels and releases the rest. */
  stop(): Promise<void> {
    this.stopping ??= this.drain();
    return this.stopping;
  }

  /** Takes jobs over a stream until it stops. Throws when the server refuses the first one. */
  private async serveStream(): Promise<void> {
    const { lease, tenant = this.client.tenant, build, builds } = this.options;
    const hello: WorkerHello = {
      workerId: this.workerId,
      jobTypes: [...this.activities.keys()],
      ...(lease === undefined ? {} : { lease: durationText(lease) }),
      ...(tenant === undefined ? {} : { tenant }),
      ...(build === undefined ? {} : { build }),
      ...(builds === undefined ? {} : { builds }),
    };
    let refuse: (error: unknown) => void = () => undefined;
    const refused = new Promise<never>((_, reject) => (refuse = reject));
    let cameOnce = false;
    const stream = this.client.transport.connectWorker?.(hello, {
      freeSlots: () => (this.isStopping() ? 0 : Math.max(0, this.concurrency - this.running.size)),
      take: (jobs) => {
        this.event({ kind: "polled", jobs: jobs.length });
        for (const job of jobs) this.begin(job);
      },
      lose: (jobId, reason) => this.lose(jobId, reason === "cancelled" ? "cancelled" : "lease_lost"),
      drain: () => this.drainedByOperator(),
      heard: () => {
        cameOnce = true;
        this.healthState.pollCame();
      },
      failed: (error) => {
        this.healthState.pollFailed(error);
        this.event({ kind: "pollFailed", error });
        if (!mayPass(error) && !cameOnce) refuse(error);
        else this.logger.warn("stream broke", { error: error instanceof Error ? error.message : String(error) });
      },
    });
    if (!stream) return;
    this.stream = stream;
    this.channel.over(stream);
    this.slotFreed = () => stream.slotsChanged();
    stream.start();
    const stopped = new Promise<void>((resolve) =>
      this.polling.signal.addEventListener("abort", () => resolve(), { once: true }),
    );
    try {
      await Promise.race([stopped, refused]);
    } finally {
      stream.stop();
    }
  }

  /** A job is not this worker's any more: the oldest of its attempts here that does not know it yet. */
  private lose(jobId: string, reason: "cancelled" | "lease_lost"): void {
    for (const { attempt } of this.running.values()) {
      if (attempt.job.id !== jobId || attempt.cancelReason !== undefined) continue;
      attempt.cancel(reason);
      return;
    }
  }

  /** A worker all of whose slots are in use asks for the next jobs with its reports: one call instead of two. */
  private pollWith(reports: number): object | undefined {
    const isBusy = !this.stream && this.running.size >= this.concurrency;
    if (!isBusy || this.isStopping() || this.healthState.status !== "ok") return undefined;
    return pollOf(this.pollRequest(Math.min(reports, POLL_JOBS_MAX)));
  }

  private async poll(): Promise<void> {
    let failures = 0;
    let cameOnce = false;
    while (!this.isStopping()) {
      const free = this.concurrency - this.running.size;
      if (free <= 0) {
        await new Promise<void>((resolve) => (this.slotFreed = resolve));
        continue;
      }
      // Until polls come back they do not wait, so that the health is known at once.
      const waitMs = this.healthState.status === "ok" ? this.pollWaitMs : 0;
      const late = setTimeout(
        () => this.healthState.pollFailed(new TimeoutError("a poll has no answer")),
        waitMs + POLL_LATE_MS,
      );
      try {
        const answer = await this.pollOnce(Math.min(free, POLL_JOBS_MAX), waitMs);
        failures = 0;
        cameOnce = true;
        this.healthState.pollCame();
        this.event({ kind: "polled", jobs: answer.jobs?.length ?? 0 });
        this.take(answer);
      } catch (error) {
        if (this.isStopping()) return;
        this.healthState.pollFailed(error);
        this.event({ kind: "pollFailed", error });
        if (!mayPass(error) && !cameOnce) throw error;
        this.logger.warn("poll failed", { error: error instanceof Error ? error.message : String(error) });
        await sleep(retryDelayMs(error, failures, Math.random()), this.polling.signal);
        failures += 1;
      } finally {
        clearTimeout(late);
      }
    }
  }

  private isStopping(): boolean {
    return this.polling.signal.aborted;
  }

  private pollOnce(maxJobs: number, waitMs: number): Promise<Polled> {
    return this.channel.poll({ ...this.pollRequest(maxJobs), waitMs }, this.polling.signal);
  }

  private pollRequest(maxJobs: number): Omit<PollRequest, "waitMs"> {
    const { lease, tenant = this.client.tenant, build, builds } = this.options;
    const request = { workerId: this.workerId, jobTypes: [...this.activities.keys()], maxJobs };
    return {
      ...request,
      ...(lease === undefined ? {} : { lease }),
      ...(tenant === undefined ? {} : { tenant }),
      ...(build === undefined ? {} : { build }),
      ...(builds === undefined ? {} : { builds }),
    };
  }

  private take({ jobs, drain }: Polled): void {
    for (const job of jobs ?? []) this.begin(job);
    if (drain) this.drainedByOperator();
  }

  private drainedByOperator(): void {
    this.logger.info("an operator drains this worker: it ends");
    void this.stop();
  }

  private begin(job: LeasedJob): void {
    // It came again: another handler would work on the same lease.
    if (this.running.has(job.leaseToken)) return;
    const activity = this.activities.get(job.jobType);
    if (!activity) {
      // Not ours, whatever the server thinks: another worker gets it, and this one not at once again.
      const back = { id: job.id, leaseToken: job.leaseToken, delay: NOT_OURS_DELAY };
      const sent = this.reporter
        .send("release", back)
        .catch(() => undefined)
        .finally(() => this.returning.delete(sent));
      this.returning.add(sent);
      return;
    }
    const { middleware = [] } = this.options;
    const { id, leaseToken } = job;
    const attempt = new Attempt(
      job,
      activity,
      { codec: this.client.codec, middleware, logger: this.logger },
      (value) => this.heartbeats?.progress(leaseToken, value),
      this.lines.begin({ id, leaseToken }),
    );
    this.heartbeats?.add(job);
    const running: Running = { attempt, done: Promise.resolve(), isClaimed: false };
    this.running.set(job.leaseToken, running);
    running.done = this.serve(running).catch((error: unknown) => {
      this.logger.error("report failed", {
        jobId: job.id,
        error: error instanceof Error ? error.message : String(error),
      });
    });
    void running.done.finally(() => {
      this.heartbeats?.remove(job.leaseToken);
      this.lines.forget(attempt.lines);
      this.running.delete(job.leaseToken);
      this.slotFreed();
    });
  }

  private event(event: WorkerEvent): void {
    this.metrics.count(event);
    this.options.onEvent?.(event);
  }

  private async serve(running: Running): Promise<void> {
    const { attempt } = running;
    const { jobType } = attempt.job;
    const started = performance.now();
    this.event({ kind: "started", jobType });
    const outcome = await attempt.run();
    const isOurs = !running.isClaimed;
    running.isClaimed = true;
    const durationMs = performance.now() - started;
    if (isOurs && outcome.kind !== "none") await this.settle(attempt, outcome);
    const kind = outcome.kind === "none" ? "lost" : outcome.kind;
    this.event({ kind: "finished", jobType, outcome: kind, durationMs });
  }

  private async settle(attempt: Attempt, outcome: Exclude<Outcome, { kind: "none" }>): Promise<void> {
    const { id, leaseToken } = attempt.job;
    const lease = { id, leaseToken };
    if (outcome.kind !== "complete") await this.sendLastProgress(attempt);
    await this.lines.end(attempt.lines);
    if (outcome.kind === "fail") {
      attempt.context.log.warn("attempt failed", { error: outcome.error.message });
    }
    const { kind, ...fields } = outcome;
    try {
      const answer = await this.reporter.send(kind, { ...lease, ...fields });
      if (answer.outcome === "rejected") await this.refused(kind, lease, answerReason(answer));
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      await this.refused(kind, lease, error.message, error);
    }
  }

  /** A result that the server does not take fails the job; there is nothing better to say of anything else. */
  private async refused(
    kind: string,
    lease: { id: string; leaseToken: string },
    reason: string,
    cause?: Error,
  ): Promise<void> {
    if (kind !== "complete") throw cause ?? new Error(reason);
    const error = { message: `the server refused the result: ${reason}`, code: "result_refused" };
    await this.reporter.send("fail", { ...lease, error, retryable: false });
  }

  /** The next attempt is to read what this one said last. */
  private async sendLastProgress(attempt: Attempt): Promise<void> {
    const progress = attempt.takeProgress();
    if (!progress) return;
    const { id, leaseToken } = attempt.job;
    try {
      await this.channel.heartbeat([{ id, leaseToken, progress: progress.value }], 5_000);
    } catch (error) {
      this.event({ kind: "heartbeatFailed", error });
    }
  }

  private async drain(): Promise<void> {
    this.healthState.drains();
    this.polling.abort();
    this.slotFreed();
    await this.loop?.catch(() => undefined);
    await this.client.transport.endDelivery?.(this.workerId).catch(() => undefined);
    await this.allDone(this.drainMs);
    this.cancelAll();
    await this.allDone(CANCEL_GRACE_MS);
    await this.lastReports();
    this.reporting.abort();
    await this.heartbeats?.stop();
    this.lines.stop();
    this.stream?.close();
    this.healthServer?.close();
  }

  /** Gives back what has not ended; what has is reported by itself. A server that does not answer holds none of it up. */
  private async lastReports(): Promise<void> {
    const ends = [...this.running.values()].map((one) => (one.isClaimed ? one.done : this.giveBack(one)));
    await settled([...ends, ...this.returning], LAST_REPORTS_MS);
  }

  private cancelAll(): void {
    for (const { attempt } of this.running.values()) attempt.cancel("draining");
  }

  private async allDone(withinMs: number): Promise<void> {
    await settled(
      [...this.running.values()].map((running) => running.done),
      withinMs,
    );
  }

  private async giveBack(running: Running): Promise<void> {
    running.isClaimed = true;
    const { id, leaseToken } = running.attempt.job;
    await this.sendLastProgress(running.attempt);
    await this.lines.end(running.attempt.lines);
    await this.reporter.send("release", { id, leaseToken });
  }
}

/** Waits until all have ended, one way or the other, or the time is up. */
async function settled(all: Promise<unknown>[], withinMs: number): Promise<void> {
  const done = new AbortController();
  void Promise.allSettled(all).then(() => done.abort());
  await sleep(withinMs, done.signal);
}

function mayPass(error: unknown): boolean {
  if (isTransient(error) || error instanceof TimeoutError) return true;
  return error instanceof ProblemError && error.status >= 500;
}

function answerReason(answer: object): string {
  return "reason" in answer ? String(answer.reason) : "no reason given";
}

const line = (level: "debug" | "info" | "warn" | "error") => (message: string, fields?: Record<string, unknown>) =>
  // On standard error, so that the program's own output stays clean.
  console.error(JSON.stringify({ time: new Date().toISOString(), level, message, ...fields }));

/** One JSON line per entry, on standard error. */
export const consoleLogger: Logger = {
  debug: () => undefined,
  info: line("info"),
  warn: line("warn"),
  error: line("error"),
};
