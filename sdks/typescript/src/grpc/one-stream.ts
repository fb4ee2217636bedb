// One stream of a worker, from `hello` to its end.
import type { ClientDuplexStream, ServiceError } from "@grpc/grpc-js";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import type { DescField, Message } from "@bufbuild/protobuf";
import type { LeasedJob, ReportKind } from "../channel.js";
import { ConnectionError, ProblemError, TimeoutError } from "../errors.js";
import type { Outcomes, Problem } from "../generated/models.js";
import type { Json } from "../json.js";
import { CONNECT, messageNamed } from "./contract.js";
import type { Use } from "./link.js";
import { errorOf } from "./status.js";
import type { KeptStream } from "./stream.js";
import { read, write } from "./values.js";

// A stream that is not answered for so long after it was opened, or after a report, is dead.
const OPENING_MAX_MS = 10_000;
const UNANSWERED_MAX_MS = 10_000;
const FROM_WORKER = messageNamed("trunkline.v1.FromWorker");
const TO_WORKER = messageNamed("trunkline.v1.ToWorker");

interface Unanswered {
  sentAt: number;
  resolve(outcomes: Outcomes): void;
  reject(error: Error): void;
}

export class OneStream {
  readonly beganAt = performance.now();
  heardAt = this.beganAt;
  /** Whether the server answered. */
  isOpen = false;
  private saidAt = this.beganAt;
  private call: ClientDuplexStream<Message, Message> | undefined;
  private use: Use | undefined;
  private readonly unanswered = new Map<bigint, Unanswered>();
  private number = 0n;
  private outstanding = 0;
  private isRetired = false;
  private isHalfClosed = false;
  private deadBecause: string | undefined;
  private hasEnded = false;

  constructor(private readonly owner: KeptStream) {}

  open(): void {
    const { transport, hello } = this.owner;
    this.use = transport.link.use();
    const call = this.use.client.makeBidiStreamRequest<Message, Message>(
      CONNECT,
      (one) => Buffer.from(toBinary(FROM_WORKER, one)),
      (bytes) => fromBinary(TO_WORKER, bytes),
      transport.metadata(),
    );
    this.call = call;
    call.on("data", (message: Message) => this.takeIn(message));
    call.on("error", (error: Error) => this.end(errorOf(error as ServiceError, "the stream")));
    call.on("end", () => this.end(undefined));
    this.send("hello", hello);
  }

  /** Sends a report; the promise is what the server says to it. */
  report(kind: ReportKind | "heartbeat", jobs: object[], timeoutMs: number): Promise<Outcomes> | undefined {
    if (this.isRetired || this.isHalfClosed) return undefined;
    this.number += 1n;
    const number = this.number;
    return new Promise<Outcomes>((resolve, reject) => {
      // A report without an answer stays known: it shows that nobody is there.
      const timer = setTimeout(() => reject(new TimeoutError(`${kind}: no answer within ${timeoutMs} ms`)), timeoutMs);
      const settled =
        <T>(settle: (value: T) => void) =>
        (value: T): void => {
          clearTimeout(timer);
          settle(value);
        };
      this.unanswered.set(number, { sentAt: performance.now(), resolve: settled(resolve), reject: settled(reject) });
      try {
        this.send(kind, { jobs }, number);
      } catch (error) {
        this.unanswered.delete(number);
        settled(reject)(error);
      }
    });
  }

  /** Lets the server offer as many jobs as handlers may begin. */
  giveCredits(): void {
    if (!this.isOpen || this.isRetired || this.isHalfClosed) return;
    const more = this.owner.listener.freeSlots() - this.outstanding;
    if (more <= 0) return;
    this.outstanding += more;
    this.send("credits", { count: more });
  }

  /** Takes nothing more; closes our side once what was reported is answered. */
  retire(): void {
    this.isRetired = true;
    this.halfCloseIfDone();
  }

  cancel(): void {
    this.isHalfClosed = true;
    this.call?.cancel();
  }

  /** Says that the worker is there, and ends the stream if the server is not. */
  keep(now: number): void {
    const { aliveMs, silenceMs } = this.owner.transport;
    if (now - this.saidAt >= aliveMs && !this.isHalfClosed) {
      this.saidAt = now;
      this.send("alive", {});
    }
    const waiting = [...this.unanswered.values()].filter(({ sentAt }) => sentAt > this.heardAt);
    if (!this.isOpen && now - this.beganAt > OPENING_MAX_MS) {
      this.deadBecause = "no answer since it was opened";
    } else if (waiting.some(({ sentAt }) => now - sentAt > UNANSWERED_MAX_MS)) {
      this.deadBecause = "no answer to a report";
    } else if (now - this.heardAt > silenceMs) {
      this.deadBecause = `silent for ${silenceMs} ms`;
    }
    if (this.deadBecause === undefined) return;
    this.use?.replace();
    this.cancel();
    // Where the connection is dead, its end may never be seen.
    this.end(new ConnectionError(`the stream is dead: ${this.deadBecause}`));
  }

  private send(kind: string, content: Json, number = 0n): void {
    const field = fieldNamed(kind);
    if (!field.message) throw new Error(`${kind} is no message`);
    const message = create(FROM_WORKER) as unknown as Record<string, unknown>;
    message["number"] = number;
    message["message"] = { case: kind, value: write(field.message, content) };
    this.call?.write(message as unknown as Message);
  }

  private halfCloseIfDone(): void {
    if (!this.isRetired || this.isHalfClosed || this.unanswered.size > 0) return;
    this.isHalfClosed = true;
    this.call?.end();
  }

  private takeIn(message: Message): void {
    this.heardAt = performance.now();
    const { case: kind, value } = (message as unknown as { message: { case?: string; value?: Message } }).message;
    if (!this.isOpen) {
      this.isOpen = true;
      this.giveCredits();
    }
    this.owner.heard(this);
    if (kind === undefined || value === undefined) return;
    if (kind === "offer") this.begin(value as unknown as { jobs: (Message & { id: string })[] });
    else if (kind === "outcome") this.answer(value as unknown as Answer);
    else if (kind === "cancel") this.lose(value as unknown as { jobs: { id: string; reason: string }[] });
    else if (kind === "drain") this.owner.drained(this, (value as unknown as { reason: string }).reason);
  }

  /** The receipt goes out first: until it is there the jobs are only offered. */
  private begin(offer: { jobs: (Message & { id: string })[] }): void {
    if (this.isHalfClosed) return; // they go back as they are
    this.send("received", { ids: offer.jobs.map((job) => job.id) });
    const description = messageNamed("trunkline.v1.PolledJob");
    const jobs = offer.jobs.map((job) => ({ data: null, ...read(description, job) }) as unknown as LeasedJob);
    this.owner.listener.take(jobs);
    this.outstanding -= offer.jobs.length;
    this.giveCredits();
  }

  private answer(outcome: Answer): void {
    const waiting = this.unanswered.get(outcome.number);
    this.unanswered.delete(outcome.number);
    this.halfCloseIfDone();
    if (!waiting) return;
    if (outcome.error) {
      const problem = read(messageNamed("trunkline.v1.Problem"), outcome.error) as unknown as Problem;
      waiting.reject(new ProblemError(problem));
      return;
    }
    const description = messageNamed("trunkline.v1.Outcome");
    waiting.resolve({ results: outcome.results.map((one) => read(description, one)) } as unknown as Outcomes);
  }

  private lose(cancel: { jobs: { id: string; reason: string }[] }): void {
    for (const { id, reason } of cancel.jobs) {
      if (reason === "not_received") this.outstanding += 1;
      this.owner.listener.lose(id, reason);
    }
  }

  private end(error: Error | undefined): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.use?.done();
    this.isHalfClosed = true;
    const why = this.deadBecause === undefined ? error : new ConnectionError(`the stream is dead: ${this.deadBecause}`);
    for (const waiting of this.unanswered.values()) {
      waiting.reject(new ConnectionError("the stream ended before the answer", { cause: why }));
    }
    this.unanswered.clear();
    this.owner.ended(this, why);
  }
}

interface Answer {
  number: bigint;
  results: Message[];
  error?: Message;
}

function fieldNamed(name: string): DescField {
  const field = FROM_WORKER.fields.find((candidate) => candidate.localName === name);
  if (!field) throw new Error(`a worker does not send ${name}`);
  return field;
}
