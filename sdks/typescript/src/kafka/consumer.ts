// What is needed of a consumer of Kafka.

/** A position in a partition. */
export interface PartitionOffset {
  topic: string;
  partition: number;
  offset: bigint;
}

/** A message. */
export interface KafkaRecord extends PartitionOffset {
  value: Buffer;
  /** The header `tl-job-type`. */
  jobType?: string | undefined;
}

/** Callbacks of a consumer. */
export interface ConsumerListener {
  /** Takes the first of these messages, and returns their number: the others are read again later. */
  receive(records: KafkaRecord[]): number;
  /** All partitions were revoked; some of them may be assigned again. */
  revoked(): void;
  /** Whether a broker can be reached, or why not. */
  reached(reason: string | undefined): void;
}

/** A consumer of a group. */
export interface Consumer {
  /** Joins the group. Rejects if no broker can be reached, and may then be called again. */
  start(listener: ConsumerListener): Promise<void>;
  /** Pauses or resumes reading topics. */
  pause(topics: string[], isPaused: boolean): void;
  /** Rejects if the broker does not accept them: they may be sent again, or left to the next owner. */
  commit(offsets: PartitionOffset[]): Promise<void>;
  /** Leaves the group. */
  close(): Promise<void>;
}

/** Makes a consumer of a group for some topics. */
export type ConsumerFactory = (group: string, topics: string[]) => Consumer;
