// What is needed of a consumer of Kafka.

/** A place in a partition. */
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

/** What a consumer reports to. */
export interface ConsumerListener {
  /** Takes the first of these messages, and says how many: the others are to be read again later. */
  receive(records: KafkaRecord[]): number;
  /** All partitions were taken away; some of them may come back. */
  revoked(): void;
  /** Whether a broker is reached: why not, if so. */
  reached(reason: string | undefined): void;
}

/** A consumer of a group. */
export interface Consumer {
  /** Joins the group. Rejects where no broker is reached; it may be called again then. */
  start(listener: ConsumerListener): Promise<void>;
  /** Stops or goes on reading topics. */
  pause(topics: string[], isPaused: boolean): void;
  /** Rejects where the broker does not take them: they may be sent again, or are left to the next owner. */
  commit(offsets: PartitionOffset[]): Promise<void>;
  /** Leaves the group. */
  close(): Promise<void>;
}

/** Makes a consumer of a group for some topics. */
export type ConsumerFactory = (group: string, topics: string[]) => Consumer;
