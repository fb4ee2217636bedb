// The calls of a worker: poll, report, renew, give back.
import { durationText } from "./duration.js";
import type { Duration } from "./duration.js";
import type { Failure, Outcomes, PolledJob } from "./generated/models.js";
import type { Json } from "./json.js";
import type { JobStream, Transport } from "./transport.js";

// A report may wait for a server that restarts; the reporter asks again after that.
const REPORT_TIMEOUT_MS = 30_000;
// How much later than it was to wait a poll may be answered before it is given up: the jobs of an answer that nobody takes
// would wait for the end of their leases.
const POLL_GRACE_MS = 10_000;

/** What a worker says of itself when it polls. */
export interface PollRequest {
  workerId: string;
  jobTypes: string[];
  maxJobs: number;
  waitMs: number;
  lease?: Duration | undefined;
  tenant?: string | undefined;
  build?: string | undefined;
  builds?: string[] | undefined;
}

/** The proof that a job is this worker's. */
export interface Lease {
  id: string;
  leaseToken: string;
}

/** A line that a handler logged. */
export interface LogLine {
  at: string;
  level: "debug" | "info" | "warn" | "error";
  message: string;
  fields?: Record<string, Json>;
  sequence?: number;
}

/** The reports of one kind, as they are sent. */
export type ReportKind = "complete" | "fail" | "release";
export type Report = Lease & Partial<Omit<Failure, "id" | "leaseToken">> & { result?: Json; delay?: string };

/** A leased job. Older servers do not send the fields that are optional here. */
export type LeasedJob = PolledJob & {
  idempotencyKey?: string | null;
  deadline?: string | null;
  progress?: Json;
};

/** What came of a poll. With `drain` an operator drains this worker: it gets no more jobs, and ends. */
export interface Polled {
  jobs?: LeasedJob[] | null;
  drain?: boolean | null;
}

/** What became of reports, and the next jobs where they were asked for. */
export type Reported = Pick<Outcomes, "results"> & Polled;

/** What a poll asks for, but for how long it waits. */
export function pollOf({ lease, ...rest }: Omit<PollRequest, "waitMs">): Record<string, Json> {
  return { ...rest, ...(lease === undefined ? {} : { lease: durationText(lease) }) };
}

export class JobChannel {
  private stream: JobStream | undefined;

  constructor(private readonly transport: Transport) {}

  /** Reports go over this stream from now on, while it is open. */
  over(stream: JobStream): void {
    this.stream = stream;
  }

  /** Takes jobs; waits for one as long as the request says. */
  async poll(request: PollRequest, signal?: AbortSignal): Promise<Polled> {
    const { waitMs, ...rest } = request;
    const body = { ...pollOf(rest), wait: durationText(waitMs) };
    const answer = await this.transport.call(
      { name: "pollJobs", method: "POST", path: "/v1/jobs/poll", body },
      { signal, timeoutMs: waitMs + POLL_GRACE_MS, retry: false },
    );
    return answer as Polled;
  }

  /** Sends reports of one kind. All are lease-guarded, so that repeating them is safe. */
  async report(kind: ReportKind, reports: Report[], signal?: AbortSignal, poll?: object): Promise<Reported> {
    const sent = this.stream?.report(kind, reports, REPORT_TIMEOUT_MS);
    // Streams bring their jobs as offers, never with an answer to a report.
    if (sent) return { results: (await sent).results };
    const body = { jobs: reports, ...(poll ? { poll } : {}) };
    const answer = await this.transport.call(
      { name: `${kind}Jobs`, method: "POST", path: `/v1/jobs/${kind}`, body },
      { signal, timeoutMs: REPORT_TIMEOUT_MS },
    );
    return answer as Reported;
  }

  /** Sends lines of leased jobs once, within `timeoutMs`. */
  async log(jobs: (Lease & { lines: LogLine[] })[], timeoutMs: number): Promise<void> {
    const call = { name: "logJobs", method: "POST", path: "/v1/jobs/logs", body: { jobs } } as const;
    await this.transport.call(call, { timeoutMs, retry: false });
  }

  /** Renews leases once, within `timeoutMs`. */
  async heartbeat(beats: (Lease & { progress?: Json })[], timeoutMs: number): Promise<Outcomes> {
    const sent = this.stream?.report("heartbeat", beats, timeoutMs);
    // Streams bring their jobs as offers, never with an answer to a report.
    if (sent) return { results: (await sent).results };
    const answer = await this.transport.call(
      { name: "heartbeatJobs", method: "POST", path: "/v1/jobs/heartbeat", body: { jobs: beats } },
      { timeoutMs, retry: false },
    );
    return answer as Outcomes;
  }
}
