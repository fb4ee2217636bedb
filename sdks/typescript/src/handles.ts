// Jobs and runs by their ids: read, wait, signal, cancel.
import type { Client } from "./client.js";
import { HELD_MAX_MS, heldCall } from "./client.js";
import { milliseconds } from "./duration.js";
import type { Duration } from "./duration.js";
import { JobFailed, RunFailed, TimeoutError } from "./errors.js";
import type { Execution, Job, Node } from "./generated/models.js";
import type { Json } from "./json.js";

export interface WaitOptions {
  /** Timeout (default: one minute). */
  timeout?: Duration;
  signal?: AbortSignal;
}

const WAIT_DEFAULT_MS = 60_000;
const JOB_ENDS = new Set(["COMPLETED", "DEAD_LETTER", "CANCELLED"]);
const RUN_ENDS = new Set(["COMPLETED", "FAILED", "CANCELLED"]);

/** A job. */
export class JobHandle<Result = Json> {
  constructor(
    private readonly client: Client,
    readonly id: string,
    /** Whether it was there before the enqueue that gave this handle. */
    readonly existing: boolean,
  ) {}

  /** The job as it is now, with its attempts. */
  get(): Promise<Job> {
    return this.client.api.getJob(this.id);
  }

  async cancel(): Promise<void> {
    await this.client.api.cancelJob(this.id);
  }

  /**
   * Waits for the result. Throws `JobFailed` if the job becomes a dead letter or is cancelled, and `TimeoutError` after
   * the timeout, while the job continues.
   */
  async wait(options: WaitOptions = {}): Promise<Result> {
    const timeoutMs = milliseconds(options.timeout ?? WAIT_DEFAULT_MS);
    const job = await this.client.until(
      (leftMs) => this.ended(Math.min(leftMs, HELD_MAX_MS), options.signal),
      timeoutMs,
    );
    if (!job) throw new TimeoutError(`job ${this.id} has not ended within ${timeoutMs} ms`);
    if (job.status !== "COMPLETED") throw new JobFailed(this.id, job.status, job.error ?? undefined);
    const info = { kind: "result", jobType: job.jobType } as const;
    return (await this.client.codec.decode(job.result ?? null, info)) as Result;
  }

  private async ended(heldMs: number, signal?: AbortSignal): Promise<Job | undefined> {
    const query = heldMs >= 1 ? { wait: true, timeout: `${Math.ceil(heldMs)}ms` } : {};
    const path = `/v1/jobs/${encodeURIComponent(this.id)}`;
    const call = { name: "getJob", method: "GET", path, query };
    const job = (await this.client.transport.call(call, heldCall(heldMs, signal))) as Job;
    return JOB_ENDS.has(job.status) ? job : undefined;
  }
}

/** A run of a workflow, called an execution by the server. */
export class RunHandle<Output = Json> {
  constructor(
    private readonly client: Client,
    readonly id: string,
  ) {}

  /** The run as it is now. */
  get(): Promise<Execution> {
    return this.client.api.getExecution(this.id);
  }

  async status(): Promise<string> {
    return (await this.get()).status;
  }

  /** Its nodes, in the order of the definition, with their outputs. */
  async nodes(): Promise<Node[]> {
    return (await this.client.api.listNodes(this.id)).items;
  }

  /** The outputs of the nodes that completed, by node. */
  async outputs(): Promise<Record<string, Json>> {
    const nodes = (await this.nodes()).filter((node) => node.status === "COMPLETED");
    return Object.fromEntries(nodes.map((node) => [node.nodeId, node.output ?? null]));
  }

  /** Sends a signal, whose payload goes to the node that waits for it, or to the next node that will. */
  async signal(name: string, payload: Json = null, options: { idempotencyKey?: string } = {}): Promise<void> {
    await this.client.api.signalExecution(this.id, name, { payload }, options);
  }

  async cancel(options: { reason?: string; compensate?: boolean } = {}): Promise<void> {
    await this.client.api.cancelExecution(this.id, options);
  }

  /** Waits for the output. Throws `RunFailed` if it fails or is cancelled, and `TimeoutError` after the timeout. */
  async wait(options: WaitOptions = {}): Promise<Output> {
    const timeoutMs = milliseconds(options.timeout ?? WAIT_DEFAULT_MS);
    const run = await this.client.until(async (leftMs) => {
      const heldMs = Math.min(leftMs, HELD_MAX_MS);
      const query = heldMs >= 1 ? { wait: true, timeout: `${Math.ceil(heldMs)}ms` } : {};
      const found = await this.client.api.getExecution(this.id, query, heldCall(heldMs, options.signal));
      return RUN_ENDS.has(found.status) ? found : undefined;
    }, timeoutMs);
    if (!run) throw new TimeoutError(`run ${this.id} has not ended within ${timeoutMs} ms`);
    if (run.status !== "COMPLETED") throw new RunFailed(this.id, run.status, run.error ?? undefined);
    return (run.output ?? null) as Output;
  }
}
