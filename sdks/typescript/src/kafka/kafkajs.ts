// Consumers over kafkajs.
import kafkajs from "kafkajs";
import type { Consumer as Client, EachBatchPayload, KafkaConfig, PartitionAssigner } from "kafkajs";
import type { Consumer, ConsumerFactory, ConsumerListener, PartitionOffset } from "./consumer.js";

const { AssignerProtocol, Kafka, logLevel } = kafkajs;
const EMPTY = Buffer.alloc(0);

/** Options of kafkajs, such as `ssl` and `sasl`. */
export type KafkaOptions = Omit<KafkaConfig, "brokers">;

/**
 * Spreads partitions as all SDKs do, so that a group may have members in several languages: of each topic, the members that
 * read it get ranges of its partitions. kafkajs has only an assignment of its own.
 */
export const range: PartitionAssigner = ({ cluster }) => ({
  name: "range",
  version: 0,
  assign({ members }) {
    const wanted = members.map(({ memberId, memberMetadata }) => ({
      memberId,
      topics: AssignerProtocol.MemberMetadata.decode(memberMetadata)?.topics ?? [],
    }));
    const assignments = new Map<string, Record<string, number[]>>(members.map(({ memberId }) => [memberId, {}]));
    for (const topic of new Set(wanted.flatMap(({ topics }) => topics))) {
      const numbers = cluster.findTopicPartitionMetadata(topic).map(({ partitionId }) => partitionId);
      const takers = wanted.filter(({ topics }) => topics.includes(topic)).map(({ memberId }) => memberId);
      for (const [memberId, own] of ranges(numbers, takers)) {
        const assignment = assignments.get(memberId);
        if (assignment) assignment[topic] = own;
      }
    }
    const encoded = [...assignments].map(([memberId, assignment]) => ({
      memberId,
      memberAssignment: AssignerProtocol.MemberAssignment.encode({ version: 0, assignment, userData: EMPTY }),
    }));
    return Promise.resolve(encoded);
  },
  protocol({ topics }) {
    return { name: "range", metadata: AssignerProtocol.MemberMetadata.encode({ version: 0, topics, userData: EMPTY }) };
  },
});

/** Divides numbers among takers, the first of them getting one more where they do not divide evenly. */
export function ranges(numbers: number[], takers: string[]): [string, number[]][] {
  const sorted = [...numbers].sort((one, other) => one - other);
  const names = [...takers].sort();
  const share = Math.floor(sorted.length / names.length);
  const more = sorted.length % names.length;
  let at = 0;
  return names
    .map((name, place): [string, number[]] => {
      const begin = at;
      at += share + (place < more ? 1 : 0);
      return [name, sorted.slice(begin, at)];
    })
    .filter(([, own]) => own.length > 0);
}

/** Makes consumers over kafkajs. */
export function overKafkaJs(brokers: string[], options: KafkaOptions): ConsumerFactory {
  const kafka = new Kafka({
    clientId: "trunkline-typescript",
    logLevel: logLevel.NOTHING,
    retry: { initialRetryTime: 100, maxRetryTime: 2_000, retries: 5 },
    ...options,
    brokers,
  });
  return (group, topics) => new KafkaJsConsumer(kafka, group, topics);
}

class KafkaJsConsumer implements Consumer {
  private readonly client: Client;
  private isConnected = false;

  constructor(
    kafka: InstanceType<typeof Kafka>,
    group: string,
    private readonly topics: string[],
  ) {
    this.client = kafka.consumer({
      groupId: group,
      partitionAssigners: [range],
      allowAutoTopicCreation: false,
      metadataMaxAge: 3_000,
      maxWaitTimeInMs: 200,
      retry: { initialRetryTime: 100, maxRetryTime: 2_000, retries: 5, restartOnFailure: () => Promise.resolve(true) },
    });
  }

  async start(listener: ConsumerListener): Promise<void> {
    if (!this.isConnected) {
      const { REBALANCING, GROUP_JOIN, CRASH, FETCH } = this.client.events;
      this.client.on(REBALANCING, () => listener.revoked());
      this.client.on(GROUP_JOIN, () => listener.revoked());
      this.client.on(CRASH, ({ payload }) => listener.reached(payload.error.message));
      this.client.on(FETCH, () => listener.reached(undefined));
      await this.client.connect();
      await this.client.subscribe({ topics: this.topics, fromBeginning: true });
      this.isConnected = true;
    }
    await this.client.run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      eachBatch: (payload) => this.each(payload, listener),
    });
  }

  private each(payload: EachBatchPayload, listener: ConsumerListener): Promise<void> {
    const { batch } = payload;
    if (!payload.isRunning() || payload.isStale()) return Promise.resolve();
    const records = batch.messages.map((message) => ({
      topic: batch.topic,
      partition: batch.partition,
      offset: BigInt(message.offset),
      value: message.value ?? EMPTY,
      jobType: message.headers?.["tl-job-type"]?.toString(),
    }));
    const taken = listener.receive(records);
    const last = records[taken - 1];
    if (last) payload.resolveOffset(last.offset.toString());
    return Promise.resolve();
  }

  pause(topics: string[], isPaused: boolean): void {
    const named = topics.map((topic) => ({ topic }));
    if (isPaused) this.client.pause(named);
    else this.client.resume(named);
  }

  async commit(offsets: PartitionOffset[]): Promise<void> {
    await this.client.commitOffsets(offsets.map((one) => ({ ...one, offset: one.offset.toString() })));
  }

  close(): Promise<void> {
    return this.client.disconnect();
  }
}
