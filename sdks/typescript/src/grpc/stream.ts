// The stream over which a worker gets its jobs: opened again whenever it breaks or looks dead.
import { retryDelayMs } from "../backoff.js";
import type { ReportKind } from "../channel.js";
import { ConnectionError } from "../errors.js";
import type { Outcomes } from "../generated/models.js";
import type { JobStream, StreamListener, WorkerHello } from "../transport.js";
import { OneStream } from "./one-stream.js";
import type { GrpcTransport } from "./transport.js";

// A stream that lived so long was a good one: the next failure is the first again.
const GOOD_AFTER_MS = 5_000;
// How much later than it should the server may say that it is there, before the health says so.
const LATE_MS = 5_000;

/** Keeps one stream open, and lets those that the server drains come to their ends beside it. */
export class KeptStream implements JobStream {
  private current: OneStream | undefined;
  private readonly old = new Set<OneStream>();
  private failures = 0;
  private reopening: NodeJS.Timeout | undefined;
  private ticking: NodeJS.Timeout | undefined;
  private isStopping = false;
  private isLate = false;

  constructor(
    readonly transport: GrpcTransport,
    readonly hello: WorkerHello,
    readonly listener: StreamListener,
  ) {}

  start(): void {
    this.open();
    const { aliveMs, silenceMs } = this.transport;
    this.ticking = setInterval(() => this.tick(), Math.min(1_000, aliveMs / 4, silenceMs / 4));
    this.ticking.unref();
  }

  slotsChanged(): void {
    this.current?.giveCredits();
  }

  report(kind: ReportKind | "heartbeat", jobs: object[], timeoutMs: number): Promise<Outcomes> | undefined {
    return this.current?.isOpen ? this.current.report(kind, jobs, timeoutMs) : undefined;
  }

  stop(): void {
    this.isStopping = true;
    clearTimeout(this.reopening);
    this.retire();
  }

  close(): void {
    this.stop();
    clearInterval(this.ticking);
    for (const stream of this.old) stream.cancel();
  }

  /** Something came over a stream. */
  heard(stream: OneStream): void {
    if (stream !== this.current) return;
    this.isLate = false;
    this.listener.heard();
  }

  /** The server offers nothing more over it: another one is opened, unless an operator drains the worker. */
  drained(stream: OneStream, reason: string): void {
    if (reason === "worker") {
      this.stop();
      this.listener.drain();
      return;
    }
    if (stream !== this.current) return;
    this.retire();
    this.open();
  }

  /** It is over. */
  ended(stream: OneStream, error: Error | undefined): void {
    this.old.delete(stream);
    if (stream !== this.current) return;
    this.current = undefined;
    if (this.isStopping) return;
    const lived = performance.now() - stream.beganAt;
    this.failures = stream.isOpen && lived > GOOD_AFTER_MS ? 1 : this.failures + 1;
    const reason = error ?? new ConnectionError("the server ended the stream");
    this.listener.failed(reason);
    this.reopening = setTimeout(() => this.open(), retryDelayMs(reason, this.failures - 1, Math.random()));
  }

  private open(): void {
    if (this.isStopping) return;
    this.current = new OneStream(this);
    this.current.open();
  }

  private retire(): void {
    const stream = this.current;
    this.current = undefined;
    if (!stream) return;
    this.old.add(stream);
    stream.retire();
  }

  private tick(): void {
    const now = performance.now();
    for (const stream of [...this.old, ...(this.current ? [this.current] : [])]) stream.keep(now);
    const late = Math.min(this.transport.aliveMs + LATE_MS, this.transport.silenceMs);
    if (this.current?.isOpen && !this.isLate && now - this.current.heardAt > late) {
      this.isLate = true;
      this.listener.failed(new ConnectionError("the server has said nothing for longer than it should"));
    }
  }
}
