// Jobs from a Kafka in memory: accept, duplicates, commits, rebalances, tiers.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { Client, ConnectionError, Worker, defineActivity } from "../src/index.js";
import type { Json, Transport } from "../src/index.js";
import { KafkaTransport } from "../src/kafka.js";
import type { Consumer, ConsumerListener, KafkaRecord, PartitionOffset } from "../src/kafka.js";
import { ranges } from "../src/kafka/kafkajs.js";
import { jobOf } from "../src/kafka/envelope.js";
import { Offsets } from "../src/kafka/offsets.js";
import { topicsOf } from "../src/kafka/topics.js";
import type { TopicLayout } from "../src/kafka/topics.js";

const DEADLINE_MS = 20_000;
const NORMAL = "trunkline.jobs.add.normal";
const quiet = { debug() {}, info() {}, warn() {}, error() {} };

async function eventually(what: string, condition: () => boolean): Promise<void> {
  const ends = Date.now() + DEADLINE_MS;
  while (!condition()) {
    if (Date.now() > ends) assert.fail(`${what}: it did not come true`);
    await pause(5);
  }
}

/** Topics of one partition each. Of a group, the last consumer that came has all of them. */
class MemoryKafka {
  readonly logs = new Map<string, Buffer[]>();
  readonly committed = new Map<string, number>();
  owner: MemoryConsumer | undefined;
  isAway = false;

  publish(topic: string, value: string): void {
    this.logs.set(topic, [...(this.logs.get(topic) ?? []), Buffer.from(value)]);
  }

  /** Publishes an offer as the relay does. */
  offer(n: number, tier = "normal"): void {
    const job = { id: `job_${n}`, jobType: "add", tenant: "default", priority: tier, attempt: 1, maxRetries: 3 };
    const leased = { ...job, leaseToken: `offer-${n}`, idempotencyKey: `job_${n}`, data: { n } };
    this.publish(`trunkline.jobs.add.${tier}`, JSON.stringify({ v: 1, eventId: `event-${n}`, job: leased }));
  }

  offset(topic: string): number {
    return this.committed.get(topic) ?? 0;
  }

  transport(server: AcceptingServer): KafkaTransport {
    return new KafkaTransport(server, { consumers: (_group, topics) => new MemoryConsumer(this, topics) });
  }
}

class MemoryConsumer implements Consumer {
  private readonly paused = new Set<string>();
  private readonly positions = new Map<string, number>();
  private listener: ConsumerListener | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly kafka: MemoryKafka,
    private readonly topics: string[],
  ) {}

  start(listener: ConsumerListener): Promise<void> {
    if (this.kafka.isAway) return Promise.reject(new Error("no broker answers"));
    this.listener = listener;
    listener.reached(undefined);
    // A newcomer has the partitions once the one before has given them up.
    this.kafka.owner?.revoke();
    this.kafka.owner = this;
    for (const topic of this.topics) this.positions.set(topic, this.kafka.offset(topic));
    this.timer = setInterval(() => this.read(), 2);
    return Promise.resolve();
  }

  revoke(): void {
    clearInterval(this.timer);
    this.listener?.revoked();
  }

  private read(): void {
    for (const topic of this.topics) {
      if (this.paused.has(topic)) continue;
      const position = this.positions.get(topic) ?? 0;
      const values = (this.kafka.logs.get(topic) ?? []).slice(position, position + 10);
      const records: KafkaRecord[] = values.map((value, place) => {
        return { topic, partition: 0, offset: BigInt(position + place), value };
      });
      if (records.length > 0) this.positions.set(topic, position + (this.listener?.receive(records) ?? 0));
    }
  }

  pause(topics: string[], isPaused: boolean): void {
    for (const topic of topics) {
      if (isPaused) this.paused.add(topic);
      else this.paused.delete(topic);
    }
  }

  commit(offsets: PartitionOffset[]): Promise<void> {
    if (this.kafka.owner !== this) return Promise.reject(new Error("not the owner"));
    for (const { topic, offset } of offsets) this.kafka.committed.set(topic, Number(offset));
    return Promise.resolve();
  }

  close(): Promise<void> {
    this.revoke();
    if (this.kafka.owner === this) this.kafka.owner = undefined;
    return Promise.resolve();
  }
}

/** Answers as the server does: the first worker that accepts an offer has it. */
class AcceptingServer implements Transport {
  readonly name = "memory";
  readonly holders = new Map<string, string>();
  readonly done = new Map<string, string>();
  accepts = 0;
  /** So many answers of `accept` are lost, after the server has done what was asked. */
  lost = 0;

  call(request: { name: string; body?: Json }): Promise<Json> {
    const body = request.body as { workerId: string; jobs: { id: string; leaseToken: string }[]; poll?: Json };
    assert.notEqual(request.name, "pollJobs", "the server is not asked for jobs");
    assert.equal(body.poll, undefined, "nor with a report");
    const leaseExpiresAt = new Date(Date.now() + 30_000).toISOString();
    const results = body.jobs.map(({ id, leaseToken }) => {
      if (request.name === "acceptJobs") return { id, ...this.accept(id, leaseToken, body.workerId), leaseExpiresAt };
      if (request.name !== "heartbeatJobs") {
        assert(!this.done.has(id), `${id} is settled twice`);
        this.done.set(id, request.name);
      }
      return { id, outcome: "ok", leaseExpiresAt };
    });
    if (request.name === "acceptJobs") {
      this.accepts += 1;
      if (this.lost-- > 0) return Promise.reject(new ConnectionError("the answer was lost"));
    }
    return Promise.resolve({ results });
  }

  private accept(id: string, token: string, worker: string): object {
    const holder = this.holders.get(id) ?? worker;
    this.holders.set(id, holder);
    if (this.done.has(id)) return { outcome: "already_done" };
    return holder === worker ? { outcome: "ok", leaseToken: `${token}-${worker}` } : { outcome: "taken" };
  }

  heldBy(worker: string): number {
    return [...this.holders.values()].filter((holder) => holder === worker).length;
  }

  async *events(): AsyncGenerator<never> {}

  close(): Promise<void> {
    return Promise.resolve();
  }
}

async function serving(
  transport: KafkaTransport,
  handle: (n: number) => Promise<void>,
  options: { concurrency?: number; workerId?: string } = {},
): Promise<Worker> {
  const add = defineActivity<{ n: number }, number>("add", async ({ n }) => {
    await handle(n);
    return n;
  });
  const client = new Client({ transport });
  const worker = new Worker(client, {
    activities: [add],
    logger: quiet,
    drainTimeout: 200,
    pollWait: 1_000,
    ...options,
  });
  await worker.start();
  return worker;
}

const nothing = (): Promise<void> => Promise.resolve();

/** Topics and messages as the server has them: its tests read the same table. */
const TABLE = JSON.parse(readFileSync(new URL("../../conformance/kafka.json", import.meta.url), "utf8")) as {
  topics: { prefix: string; layout: TopicLayout; jobType: string; topics: string[] }[];
  offers: { about: string; job: object; json: string; protobuf: string }[];
};

for (const { about, job, json, protobuf } of TABLE.offers) {
  test(`messages of the relay are read in both forms: ${about}`, () => {
    for (const message of [Buffer.from(json), Buffer.from(protobuf, "hex")]) {
      assert.deepEqual({ ...jobOf(message) }, job);
      for (let cut = 0; cut < message.length; cut += 1) assert.throws(() => jobOf(message.subarray(0, cut)));
    }
  });
}

test("topics are those of the server", () => {
  for (const { prefix, layout, jobType, topics } of TABLE.topics) {
    assert.deepEqual(topicsOf(prefix, jobType, layout), topics);
  }
});

test("partitions are spread in ranges", () => {
  assert.deepEqual(ranges([2, 0, 1, 3, 4], ["b", "a"]), [
    ["a", [0, 1, 2]],
    ["b", [3, 4]],
  ]);
  assert.deepEqual(ranges([0], ["b", "a"]), [["a", [0]]]);
});

test("only what is over is committed", () => {
  const offsets = new Offsets();
  const at = (offset: bigint): PartitionOffset => ({ topic: "t", partition: 0, offset });
  for (const offset of [5n, 6n, 7n, 8n]) offsets.received(at(offset));
  offsets.over(at(6n));
  assert.deepEqual(offsets.toCommit(), [at(5n)]);
  offsets.over(at(5n));
  assert.deepEqual(offsets.toCommit(), [at(7n)]);
  offsets.committed([at(7n)]);
  assert.deepEqual(offsets.toCommit(), []);
  offsets.over(at(7n));
  offsets.over(at(8n));
  assert.deepEqual(offsets.toCommit(), [at(9n)]);
  offsets.forget();
  offsets.over(at(8n));
  assert.deepEqual(offsets.toCommit(), []);
  assert(!offsets.has(at(8n)));
});

test("jobs are accepted, run and committed, and duplicates and nonsense are dropped", async () => {
  const [server, kafka] = [new AcceptingServer(), new MemoryKafka()];
  server.holders.set("job_3", "another");
  server.lost = 1;
  for (let n = 0; n < 60; n += 1) kafka.offer(n);
  for (const value of ["\b\u0001", '{"job": {"id": 1}}', "[]"]) kafka.publish(NORMAL, value);
  const worker = await serving(kafka.transport(server), nothing);
  await eventually("all are committed", () => kafka.offset(NORMAL) === 63);
  await worker.stop();
  assert.equal(server.done.size, 59);
  assert(server.accepts < 60, "many with one call");
});

test("a job that runs keeps its message from being committed", async () => {
  const [server, kafka] = [new AcceptingServer(), new MemoryKafka()];
  let letGo = (): void => undefined;
  const held = new Promise<void>((resolve) => (letGo = resolve));
  for (let n = 0; n < 5; n += 1) kafka.offer(n);
  const worker = await serving(kafka.transport(server), (n) => (n === 1 ? held : nothing()));
  await eventually("the others are done", () => server.done.size === 4 && kafka.offset(NORMAL) === 1);
  letGo();
  await eventually("all are committed", () => kafka.offset(NORMAL) === 5);
  await worker.stop();
});

test("a rebalance costs no attempt and runs nothing twice", async () => {
  const [server, kafka] = [new AcceptingServer(), new MemoryKafka()];
  let letGo = (): void => undefined;
  const held = new Promise<void>((resolve) => (letGo = resolve));
  for (let n = 0; n < 20; n += 1) kafka.offer(n);
  const first = await serving(kafka.transport(server), () => held, { concurrency: 2, workerId: "first" });
  await eventually("the first has two", () => server.heldBy("first") === 2);
  const second = await serving(kafka.transport(server), () => held, { concurrency: 2, workerId: "second" });
  // It is answered `taken` for what the first one has, and goes on with the rest.
  await eventually("the second has some", () => server.heldBy("second") > 0);
  letGo();
  await eventually("all are done", () => server.done.size === 20 && kafka.offset(NORMAL) === 20);
  assert.equal(server.heldBy("first"), 2);
  assert.deepEqual(new Set(server.done.values()), new Set(["completeJobs"]));
  await first.stop();
  await second.stop();
});

// As after a rebalance that gives a worker its partitions again, or where a relay publishes again.
test("a message that comes again does not run its job twice", async () => {
  const [server, kafka, begun] = [new AcceptingServer(), new MemoryKafka(), [] as number[]];
  let letGo = (): void => undefined;
  const held = new Promise<void>((resolve) => (letGo = resolve));
  const worker = await serving(kafka.transport(server), (n) => {
    begun.push(n);
    return n === 1 ? held : nothing();
  });
  kafka.offer(1);
  await eventually("the first runs", () => begun.length === 1);
  kafka.offer(1);
  kafka.offer(2);
  await eventually("the second is done", () => server.done.size === 1);
  assert.equal(kafka.offset(NORMAL), 0, "a message of what runs is not committed");
  letGo();
  await eventually("all are committed", () => kafka.offset(NORMAL) === 3);
  await worker.stop();
  assert.deepEqual(begun, [1, 2]);
});

test("higher tiers are read first", async () => {
  const [server, kafka, order] = [new AcceptingServer(), new MemoryKafka(), [] as number[]];
  for (let n = 0; n < 30; n += 1) kafka.offer(n, n < 10 ? "low" : n < 20 ? "normal" : "high");
  const record = (n: number): Promise<void> => {
    order.push(n);
    return nothing();
  };
  const worker = await serving(kafka.transport(server), record, { concurrency: 1 });
  await eventually("all are done", () => server.done.size === 30);
  await worker.stop();
  assert(
    order.slice(0, 10).every((n) => n >= 20),
    String(order),
  );
  assert(
    order.slice(20).every((n) => n < 10),
    String(order),
  );
});

test("a Kafka that is away shows in polls", async () => {
  const [server, kafka] = [new AcceptingServer(), new MemoryKafka()];
  kafka.isAway = true;
  const transport = kafka.transport(server);
  const body = { workerId: "w", jobTypes: ["add"], maxJobs: 1, wait: "5s" };
  const poll = { name: "pollJobs", method: "POST", path: "/v1/jobs/poll", body };
  await assert.rejects(transport.call(poll), /no broker answers/);
  kafka.isAway = false;
  kafka.offer(1);
  let jobs: object[] = [];
  await eventually("it gives jobs again", () => {
    void transport.call(poll).then(
      (answer) => (jobs = jobs.concat((answer as { jobs: object[] }).jobs)),
      () => undefined,
    );
    return jobs.length === 1;
  });
  await transport.close();
});

test("settings are checked", () => {
  const before = process.env["TRUNKLINE_KAFKA_BROKERS"];
  delete process.env["TRUNKLINE_KAFKA_BROKERS"];
  assert.throws(() => new Client({ transport: "kafka" }), /TRUNKLINE_KAFKA_BROKERS/);
  if (before !== undefined) process.env["TRUNKLINE_KAFKA_BROKERS"] = before;
});
