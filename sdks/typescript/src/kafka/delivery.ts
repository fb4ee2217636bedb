// The jobs of one worker: offers are accepted when slots are free, and their messages are over with their jobs.
import type { Lease, LeasedJob } from "../channel.js";
import { ConnectionError } from "../errors.js";
import type { AcceptedJobs, Outcomes } from "../generated/models.js";
import type { Transport } from "../transport.js";
import { take } from "./reader.js";
import type { Offer, Reader } from "./reader.js";

const ACCEPT_MAX = 500;
const ACCEPT_TIMEOUT_MS = 15_000;
// After so long without a word of a job, its message is over: its lease ended by itself. Heartbeats may come from another thread,
// and are not seen here.
const UNHEARD_MAX_MS = 3_600_000;

interface Held {
  /** Its message, and those that came again. */
  offers: Offer[];
  heardAt: number;
}

export class Delivery {
  private readonly held = new Map<string, Held>();
  /** Tokens of jobs that ended since offers were last accepted. */
  private readonly over = new Set<string>();
  private isEnded = false;
  private wake: () => void = () => undefined;

  constructor(
    private readonly rest: Transport,
    private readonly workerId: string,
    readonly readers: Reader[],
  ) {}

  /** Something came, or a broker is reached or not. */
  changed(): void {
    this.wake();
  }

  /** Jobs that this worker has the leases of, within the wait. */
  async poll(jobsMax: number, waitMs: number, signal?: AbortSignal): Promise<LeasedJob[]> {
    const ends = performance.now() + waitMs;
    for (;;) {
      const offers = await this.nextOffers(Math.min(jobsMax, ACCEPT_MAX), ends, signal);
      if (offers.length === 0) return [];
      const jobs = await this.accept(offers);
      if (jobs.length > 0) return jobs;
    }
  }

  /** What the server said of jobs: those that are not this worker's any more are over. */
  reported(sent: Lease[], results: Outcomes["results"], renews: boolean): void {
    sent.forEach(({ leaseToken }, place) => {
      const outcome: string | undefined = results[place]?.outcome;
      const held = this.held.get(leaseToken);
      if (!held || outcome === undefined || outcome === "rejected") return;
      if (renews && outcome === "ok") held.heardAt = performance.now();
      else this.end(leaseToken, held);
    });
  }

  /** Takes no more jobs. Messages of jobs that still run are not committed: whoever reads them next is answered `taken`. */
  async close(): Promise<void> {
    this.isEnded = true;
    this.wake();
    await Promise.allSettled(this.readers.map((reader) => reader.close()));
  }

  private async nextOffers(count: number, ends: number, signal?: AbortSignal): Promise<Offer[]> {
    this.sweep();
    while (!this.isEnded && !signal?.aborted) {
      const offers = take(this.readers, count);
      if (offers.length > 0) return offers;
      const failure = this.readers.find((reader) => reader.failure !== undefined)?.failure;
      if (failure !== undefined) throw new ConnectionError(`Kafka is not reached: ${failure}`);
      const leftMs = ends - performance.now();
      if (leftMs <= 0) return [];
      await this.change(leftMs, signal);
    }
    throw new ConnectionError("the worker takes no more jobs");
  }

  private change(withinMs: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", done);
        resolve();
      };
      const timer = setTimeout(done, withinMs);
      signal?.addEventListener("abort", done, { once: true });
      this.wake = done;
    });
  }

  private async accept(offers: Offer[]): Promise<LeasedJob[]> {
    const jobs = offers.map(({ job }) => ({ id: job.id, leaseToken: job.leaseToken }));
    const body = { workerId: this.workerId, jobs };
    this.over.clear();
    let answer: AcceptedJobs;
    try {
      const request = { name: "acceptJobs", method: "POST", path: "/v1/jobs/accept", body };
      answer = (await this.rest.call(request, { timeoutMs: ACCEPT_TIMEOUT_MS, retry: false })) as AcceptedJobs;
    } catch (error) {
      // They are asked about again, those first that came first: accepting may be repeated.
      for (const offer of [...offers].reverse()) offer.reader.putBack(offer);
      throw error;
    }
    return offers.flatMap((offer, place) => {
      const result = answer.results[place];
      if (result?.outcome !== "ok" || typeof result.leaseToken !== "string") {
        // A duplicate, or an offer that the store has withdrawn: it does not run.
        offer.reader.over(offer);
        return [];
      }
      const { leaseToken, leaseExpiresAt, progress } = result;
      if (this.over.has(leaseToken)) {
        // Its job ended here while this was asked.
        offer.reader.over(offer);
        return [];
      }
      const known = this.held.get(leaseToken);
      this.held.set(leaseToken, { offers: [...(known?.offers ?? []), offer], heardAt: performance.now() });
      // What runs here came again, as after a rebalance: the server answers the same, and it does not run twice.
      if (known) return [];
      // The deadline of an offer is the latest possible one; the lease ends with that of the attempt.
      const job = { ...offer.job, deadline: undefined, leaseToken, leaseExpiresAt, progress };
      return [job as unknown as LeasedJob];
    });
  }

  private sweep(): void {
    const since = performance.now() - UNHEARD_MAX_MS;
    for (const [token, held] of this.held) if (held.heardAt < since) this.end(token, held);
  }

  private end(token: string, { offers }: Held): void {
    this.held.delete(token);
    this.over.add(token);
    for (const offer of offers) offer.reader.over(offer);
  }
}
