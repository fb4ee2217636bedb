// Reads the topics of one job type: fills buffers, pauses what is not wanted, and commits what is over.
import { sleep } from "../duration.js";
import type { Consumer, ConsumerListener, KafkaRecord } from "./consumer.js";
import { jobOf } from "./envelope.js";
import type { OfferedJob } from "./envelope.js";
import { Offsets } from "./offsets.js";

const COMMIT_EVERY_MS = 500;
const START_AGAIN_MS = 1_000;

/** An offer that was received. */
export interface Offer {
  reader: Reader;
  record: KafkaRecord;
  tier: number;
  job: OfferedJob;
}

export class Reader implements ConsumerListener {
  readonly buffers: Offer[][];
  /** Why no broker is reached, if so. */
  failure: string | undefined;
  private readonly offsets = new Offsets();
  private readonly paused = new Set<number>();
  private readonly closing = new AbortController();
  private readonly committing: NodeJS.Timeout;

  constructor(
    private readonly jobType: string,
    private readonly topics: string[],
    private readonly consumer: Consumer,
    private readonly room: number,
    private readonly changed: () => void,
  ) {
    this.buffers = topics.map(() => []);
    this.committing = setInterval(() => void this.commit(), COMMIT_EVERY_MS);
    this.committing.unref();
  }

  /** Joins the group, again and again until a broker is reached. */
  async start(): Promise<void> {
    while (!this.closing.signal.aborted) {
      try {
        await this.consumer.start(this);
        return;
      } catch (error) {
        this.reached(error instanceof Error ? error.message : String(error));
        await sleep(START_AGAIN_MS, this.closing.signal);
      }
    }
  }

  /** Leaves the group after what is over is committed. What was not begun is its next owner's. */
  async close(): Promise<void> {
    this.closing.abort();
    clearInterval(this.committing);
    await this.commit();
    await this.consumer.close();
  }

  receive(records: KafkaRecord[]): number {
    let taken = 0;
    for (const record of records) {
      if (this.buffered() >= this.room || this.closing.signal.aborted) break;
      taken += 1;
      this.offsets.received(record);
      const offer = this.offerOf(record);
      if (offer) this.buffers[offer.tier]?.push(offer);
      else this.offsets.over(record);
    }
    this.adjust();
    this.changed();
    return taken;
  }

  /** What is buffered was not begun: the next owner reads it again, and no attempt is lost. */
  revoked(): void {
    this.offsets.forget();
    for (const buffer of this.buffers) buffer.length = 0;
    this.adjust();
  }

  reached(reason: string | undefined): void {
    if (this.failure === reason) return;
    this.failure = reason;
    this.changed();
  }

  /** Takes the next offer of a tier out. */
  take(tier: number): Offer | undefined {
    const offer = this.buffers[tier]?.shift();
    if (offer) this.adjust();
    return offer;
  }

  /** It could not be accepted now. One whose partition was taken away is its next owner's. */
  putBack(offer: Offer): void {
    if (this.offsets.has(offer.record)) this.buffers[offer.tier]?.unshift(offer);
  }

  /** The job is settled, given back, or another's. */
  over(offer: Offer): void {
    this.offsets.over(offer.record);
  }

  private buffered(): number {
    return this.buffers.reduce((sum, buffer) => sum + buffer.length, 0);
  }

  /** Pauses the lower tiers while a higher one has messages, and all while the buffers are full. */
  private adjust(): void {
    const total = this.buffered();
    const highest = this.buffers.findIndex((buffer) => buffer.length > 0);
    // Below half of the room it reads on, so that it does not pause and resume with each message.
    const isFull = total >= this.room || (this.paused.has(0) && total > this.room / 2);
    this.topics.forEach((topic, tier) => {
      const isPaused = isFull || (highest >= 0 && tier > highest);
      if (isPaused === this.paused.has(tier)) return;
      this.consumer.pause([topic], isPaused);
      if (isPaused) this.paused.add(tier);
      else this.paused.delete(tier);
    });
  }

  /** The offer of a message; nothing where it is another type's, or no offer at all. */
  private offerOf(record: KafkaRecord): Offer | undefined {
    if (record.jobType !== undefined && record.jobType !== this.jobType) return undefined;
    try {
      const job = jobOf(record.value);
      if (job.jobType === this.jobType) return { reader: this, record, tier: this.topics.indexOf(record.topic), job };
    } catch {
      // It is no offer; if it was one, it returns after a while.
    }
    return undefined;
  }

  private async commit(): Promise<void> {
    const offsets = this.offsets.toCommit();
    if (offsets.length === 0) return;
    try {
      await this.consumer.commit(offsets);
      this.offsets.committed(offsets);
    } catch {
      // The broker is away, or the partitions are another's: the messages come again, and are answered `taken`.
    }
  }
}

/** Takes offers of all readers, those of higher tiers first, and of a tier one of each reader in turn. */
export function take(readers: Reader[], count: number): Offer[] {
  const taken: Offer[] = [];
  for (const tier of [0, 1, 2]) {
    for (let before = -1; before < taken.length && taken.length < count;) {
      before = taken.length;
      for (const reader of readers) {
        const offer = taken.length < count ? reader.take(tier) : undefined;
        if (offer) taken.push(offer);
      }
    }
  }
  return taken;
}
