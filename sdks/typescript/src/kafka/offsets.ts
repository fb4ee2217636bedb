// Which messages of a consumer are over, and up to where its partitions may be committed.
import type { PartitionOffset } from "./consumer.js";

interface Known {
  topic: string;
  partition: number;
  open: Set<bigint>;
  next: bigint;
  committed: bigint | undefined;
}

/**
 * What was received of each partition. A message is over once its job is settled, given back or not this worker's; only what
 * lies before the first message that is not over may be committed.
 */
export class Offsets {
  private readonly partitions = new Map<string, Known>();

  received({ topic, partition, offset }: PartitionOffset): void {
    const key = `${topic}/${partition}`;
    const known = this.partitions.get(key) ?? { topic, partition, open: new Set(), next: 0n, committed: undefined };
    known.open.add(offset);
    if (offset + 1n > known.next) known.next = offset + 1n;
    this.partitions.set(key, known);
  }

  has({ topic, partition, offset }: PartitionOffset): boolean {
    return this.partitions.get(`${topic}/${partition}`)?.open.has(offset) === true;
  }

  /** Of partitions that were taken away, nothing is known any more. */
  over({ topic, partition, offset }: PartitionOffset): void {
    this.partitions.get(`${topic}/${partition}`)?.open.delete(offset);
  }

  /** All partitions were taken away. */
  forget(): void {
    this.partitions.clear();
  }

  /** What to commit of the partitions where that has moved. */
  toCommit(): PartitionOffset[] {
    const moved: PartitionOffset[] = [];
    for (const { topic, partition, open, next, committed } of this.partitions.values()) {
      let offset = next;
      for (const one of open) if (one < offset) offset = one;
      if (committed === undefined || offset > committed) moved.push({ topic, partition, offset });
    }
    return moved;
  }

  committed(offsets: PartitionOffset[]): void {
    for (const { topic, partition, offset } of offsets) {
      const known = this.partitions.get(`${topic}/${partition}`);
      if (known) known.committed = offset;
    }
  }
}
