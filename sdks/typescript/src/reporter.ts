// Reports the ends of jobs: what ends while a report is under way goes into the next one, and nothing is given up while
// the server may come back.
import { isTransient, retryDelayMs } from "./backoff.js";
import type { JobChannel, Polled, Report, ReportKind } from "./channel.js";
import { sleep } from "./duration.js";
import { ProblemError, TimeoutError } from "./errors.js";
import type { Outcome } from "./generated/models.js";

const BATCH_MAX = 100;

interface Waiting {
  report: Report;
  resolve(outcome: Outcome): void;
  reject(error: unknown): void;
}

/** How reports ask for the next jobs. */
export interface PollWithReports {
  /** What to ask for with so many reports; undefined where jobs come anyway. */
  request(reports: number): object | undefined;
  take(answer: Polled): void;
}

export class Reporter {
  private readonly queues: Record<ReportKind, Waiting[]> = { complete: [], fail: [], release: [] };
  private readonly active = new Set<ReportKind>();

  constructor(
    private readonly channel: JobChannel,
    private readonly giveUp: AbortSignal,
    private polls?: PollWithReports,
  ) {}

  /** Reports one job; gives what the server said of it. Throws what the server refuses for good. */
  send(kind: ReportKind, report: Report): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      this.queues[kind].push({ report, resolve, reject });
      if (!this.active.has(kind)) void this.drain(kind);
    });
  }

  private async drain(kind: ReportKind): Promise<void> {
    this.active.add(kind);
    const queue = this.queues[kind];
    while (queue.length > 0) {
      const batch = queue.splice(0, BATCH_MAX);
      await this.sendBatch(kind, batch);
    }
    this.active.delete(kind);
  }

  private async sendBatch(kind: ReportKind, batch: Waiting[]): Promise<void> {
    for (let attempt = 0; ; attempt += 1) {
      const poll = kind === "release" ? undefined : this.polls?.request(batch.length);
      try {
        const reports = batch.map((waiting) => waiting.report);
        const answer = await this.channel.report(kind, reports, this.giveUp, poll);
        // The jobs first: their handlers get the slots of those that were reported on.
        this.polls?.take(answer);
        batch.forEach((waiting, index) =>
          waiting.resolve(answer.results[index] ?? { id: waiting.report.id, outcome: "ok" }),
        );
        return;
      } catch (error) {
        if (poll && isAboutPoll(error)) {
          this.polls = undefined; // a server before polls in reports, or one that refuses this poll
          continue;
        }
        const mayPass = isTransient(error) || error instanceof TimeoutError;
        if (mayPass && !this.giveUp.aborted) {
          await sleep(retryDelayMs(error, attempt, Math.random()), this.giveUp);
        } else if (batch.length === 1 || this.giveUp.aborted) {
          batch.forEach((waiting) => waiting.reject(error));
          return;
        } else {
          // One report spoils the batch: each by itself shows which.
          for (const waiting of batch) await this.sendBatch(kind, [waiting]);
          return;
        }
      }
    }
  }
}

function isAboutPoll(error: unknown): boolean {
  if (!(error instanceof ProblemError) || (error.status !== 400 && error.status !== 422)) return false;
  return error.faults.some(({ pointer }) => pointer.startsWith("/poll"));
}
