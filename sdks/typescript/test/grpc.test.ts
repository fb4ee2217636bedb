// gRPC: the contract as data, errors, and the rules of a worker's stream against a server that is scripted here.
import assert from "node:assert/strict";
import { once } from "node:events";
import { after, test } from "node:test";
import { Metadata, Server, ServerCredentials, status as Code } from "@grpc/grpc-js";
import type { ServerDuplexStream, ServerUnaryCall, ServerWritableStream, sendUnaryData } from "@grpc/grpc-js";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import type { Message } from "@bufbuild/protobuf";
import { CONNECT, messageNamed, methodFor } from "../src/grpc/contract.js";
import { grpcUrl } from "../src/grpc/transport.js";
import { read, write } from "../src/grpc/values.js";
import { Client, ConnectionError, ProblemError, TimeoutError, Worker, defineActivity } from "../src/index.js";
import { GrpcTransport } from "../src/grpc.js";
import type { Json } from "../src/index.js";

const DEADLINE_MS = 20_000;
const FROM = messageNamed("trunkline.v1.FromWorker");
const TO = messageNamed("trunkline.v1.ToWorker");
const quiet = { debug() {}, info() {}, warn() {}, error() {} };

type Sent = { number: bigint; message: { case: string; value: Record<string, Json> } };

/** One stream of a worker, as the server sees it. */
class Stream {
  private readonly inbox: (Sent | null)[] = [];
  private wake: () => void = () => undefined;

  constructor(private readonly call: ServerDuplexStream<Sent, Message>) {
    const put = (sent: Sent | null): void => {
      this.inbox.push(sent);
      this.wake();
    };
    call.on("data", put);
    call.on("end", () => put(null));
    call.on("error", () => put(null));
    call.on("cancelled", () => put(null));
  }

  get metadata(): Metadata {
    return this.call.metadata;
  }

  send(kind: string, content: Json): void {
    const field = TO.fields.find(({ localName }) => localName === kind);
    assert(field?.message);
    this.call.write(create(TO, { message: { case: kind, value: write(field.message, content) } }));
  }

  offer(id: string, jobType: string): void {
    const leaseExpiresAt = new Date(Date.now() + 30_000).toISOString();
    const job = {
      id,
      jobType,
      attempt: 1,
      data: { n: 1 },
      leaseToken: `token-${id}`,
      leaseExpiresAt,
      tenant: "default",
    };
    this.send("offer", { jobs: [job] });
  }

  answer(report: Sent): void {
    const jobs = report.message.value["jobs"] as { id: string }[];
    const results = jobs.map(({ id }) => ({ id, outcome: "ok" }));
    this.send("outcome", { number: report.number, results });
  }

  /** The next message of these kinds; others are left out. Null for the end of the worker's side. */
  async next(...kinds: string[]): Promise<Sent | null> {
    for (;;) {
      while (this.inbox.length === 0) await within(new Promise<void>((resolve) => (this.wake = resolve)));
      const sent = this.inbox.shift() ?? null;
      if (sent === null || kinds.length === 0 || kinds.includes(sent.message.case)) return sent;
    }
  }

  async expect(kind: string): Promise<Sent> {
    const sent = await this.next(kind);
    assert(sent, `a stream ended before ${kind}`);
    return sent;
  }

  /** Ends the stream as a server that goes away does. */
  break(): void {
    this.call.emit("error", { code: Code.UNAVAILABLE, details: "going" });
  }

  end(): void {
    this.call.end();
  }
}

async function within<T>(promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("not in time")), DEADLINE_MS);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

class FakeServer {
  readonly streams: Stream[] = [];
  unary: (call: ServerUnaryCall<Buffer, Buffer>, answer: sendUnaryData<Buffer>) => void = (_, answer) =>
    answer({ code: Code.UNIMPLEMENTED, details: "no" });
  watch: (call: ServerWritableStream<Buffer, Buffer>) => void = (call) => call.end();
  private readonly server = new Server();
  private wake: () => void = () => undefined;
  private port = 0;

  async start(...unary: string[]): Promise<this> {
    const bytes = { requestSerialize: (b: Buffer) => b, responseDeserialize: (b: Buffer) => b };
    const plain = { ...bytes, requestDeserialize: (b: Buffer) => b, responseSerialize: (b: Buffer) => b };
    const stream = {
      path: CONNECT,
      requestStream: true,
      responseStream: true,
      requestSerialize: (m: Message) => Buffer.from(toBinary(FROM, m)),
      responseDeserialize: (b: Buffer) => fromBinary(TO, b),
      requestDeserialize: (b: Buffer) => fromBinary(FROM, b) as unknown as Sent,
      responseSerialize: (m: Message) => Buffer.from(toBinary(TO, m)),
    };
    this.server.addService(
      { connect: stream },
      {
        connect: (call: ServerDuplexStream<Sent, Message>) => {
          this.streams.push(new Stream(call));
          this.wake();
        },
      },
    );
    const watch = { path: "/trunkline.v1.EventService/Watch", requestStream: false, responseStream: true, ...plain };
    this.server.addService({ watch }, { watch: (call: ServerWritableStream<Buffer, Buffer>) => this.watch(call) });
    for (const path of unary) {
      const service = { one: { path, requestStream: false, responseStream: false, ...plain } };
      this.server.addService(service, {
        one: (call: ServerUnaryCall<Buffer, Buffer>, answer: sendUnaryData<Buffer>) => this.unary(call, answer),
      });
    }
    this.port = await new Promise<number>((resolve, reject) =>
      this.server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) =>
        error ? reject(error) : resolve(port),
      ),
    );
    after(() => this.server.forceShutdown());
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** The next stream that a worker opens, with its first message answered. */
  async stream(): Promise<Stream> {
    while (this.streams.length === 0) await within(new Promise<void>((resolve) => (this.wake = resolve)));
    const stream = this.streams.shift();
    assert(stream);
    await stream.expect("hello");
    stream.send("alive", { streamId: "str_1" });
    return stream;
  }

  stop(): void {
    this.server.forceShutdown();
  }
}

const echo = defineActivity<{ n: number }, number>("echo", ({ n }) => n);

async function serving(server: FakeServer, options: object, run: (worker: Worker) => Promise<void>): Promise<void> {
  const {
    activities = [echo],
    concurrency = 2,
    ...transport
  } = options as { activities?: never; concurrency?: number };
  const client = new Client({ transport: new GrpcTransport(server.url, { apiKey: "tl_key", ...transport }) });
  const worker = new Worker(client, { activities, concurrency, drainTimeout: "2s", logger: quiet });
  await worker.start();
  try {
    await run(worker);
  } finally {
    await worker.stop();
    await client.close();
  }
}

test("calls of REST find their methods", () => {
  assert.equal(methodFor("POST", "/v1/jobs", false)?.method.path, "/trunkline.v1.JobService/Enqueue");
  assert.equal(methodFor("POST", "/v1/jobs/poll", false)?.method.path, "/trunkline.v1.WorkerService/Poll");
  const wait = methodFor("GET", "/v1/jobs/a%2Fb", true);
  assert.equal(wait?.method.path, "/trunkline.v1.JobService/Wait");
  assert.deepEqual(wait.parameters, { id: "a/b" });
  assert.equal(methodFor("GET", "/v1/events", false)?.method.isStream, true);
  assert.equal(methodFor("GET", "/v1/audit/export", false), undefined);
});

test("values come back as they went", () => {
  const request = messageNamed("trunkline.v1.EnqueueJobRequest");
  const body = {
    jobType: "a",
    data: { n: 2n ** 70n, t: "žluť", none: null },
    maxRetries: 0,
    tags: ["x"],
    backoff: { initial: "1s", factor: 2.5, jitter: false },
  };
  assert.deepEqual(read(request, fromBinary(request, toBinary(request, write(request, body)))), body);
  const failure = messageNamed("trunkline.v1.Failure");
  assert.deepEqual(read(failure, write(failure, { id: "1", leaseToken: "t", error: "no" }))["error"], {
    message: "no",
  });
  const completion = messageNamed("trunkline.v1.Completion");
  assert.equal(read(completion, write(completion, { id: "1", leaseToken: "t", result: null }))["result"], null);
  for (const [wrong, pointer] of [
    [{ colour: 1 }, "/colour"],
    [{ maxRetries: -1 }, "/maxRetries"],
    [{ tags: "x" }, "/tags"],
    [{ backoff: { first: 1 } }, "/backoff/first"],
  ] as const) {
    assert.throws(
      () => write(request, wrong),
      (error) => error instanceof ProblemError && error.status === 422 && error.faults[0]?.pointer === pointer,
    );
  }
});

test("where gRPC is", () => {
  const before = process.env["TRUNKLINE_GRPC_URL"];
  delete process.env["TRUNKLINE_GRPC_URL"];
  assert.equal(grpcUrl("https://jobs.example:8443/base", false), "https://jobs.example:9090");
  process.env["TRUNKLINE_GRPC_URL"] = "http://127.0.0.1:7";
  assert.equal(grpcUrl("http://jobs.example", false), "http://127.0.0.1:7");
  assert.equal(grpcUrl("http://[::1]:8080", true), "http://[::1]:9090");
  if (before === undefined) delete process.env["TRUNKLINE_GRPC_URL"];
  else process.env["TRUNKLINE_GRPC_URL"] = before;
});

test("a job is received, run and reported, within the credits", async () => {
  const server = await new FakeServer().start();
  await serving(server, {}, async (worker) => {
    const stream = await server.stream();
    assert.deepEqual(stream.metadata.get("authorization"), ["Bearer tl_key"]);
    assert.equal((await stream.expect("credits")).message.value["count"], 2);
    stream.offer("job_1", "echo");
    assert.deepEqual((await stream.expect("received")).message.value["ids"], ["job_1"]);
    const report = await stream.expect("complete");
    const [job] = report.message.value["jobs"] as { leaseToken: string; result: Uint8Array }[];
    assert.equal(job?.leaseToken, "token-job_1");
    assert.equal(Buffer.from(job.result).toString(), "1");
    stream.answer(report);
    assert.equal((await stream.expect("credits")).message.value["count"], 1);
    assert.equal(worker.health, "ok");
  });
});

test("a silent stream is given up, and the worker says that it is there", async () => {
  const server = await new FakeServer().start();
  await serving(server, { silence: "2s", alive: "50ms" }, async () => {
    const stream = await server.stream();
    await stream.expect("alive");
    while ((await stream.next()) !== null); // until the worker ends it
    const again = await server.stream();
    again.offer("job_1", "echo");
    again.answer(await again.expect("complete"));
  });
});

test("drained and broken streams: jobs live on, and their reports go over the next one", async () => {
  let go: () => void = () => undefined;
  const gate = defineActivity("gate", async () => {
    await new Promise<void>((resolve) => (go = resolve));
    return 7;
  });
  const server = await new FakeServer().start();
  await serving(server, { activities: [gate] }, async (worker) => {
    const first = await server.stream();
    first.offer("job_1", "gate");
    await first.expect("received");
    first.send("drain", { reason: "age" });
    const second = await server.stream();
    while ((await first.next()) !== null); // until the worker closes its side
    first.end();
    assert.equal((await second.expect("credits")).message.value["count"], 1);
    second.break();
    const third = await server.stream();
    assert.equal((await third.expect("credits")).message.value["count"], 1);
    assert.equal(worker.health, "ok");
    go();
    const report = await third.expect("complete");
    third.answer(report);
  });
});

test("what is not the worker's any more is stopped, and nothing is reported", async () => {
  const cancelled: string[] = [];
  const gate = defineActivity("gate", async (_, ctx) => {
    await once(ctx.signal, "abort");
    cancelled.push(ctx.jobId);
    throw ctx.signal.reason;
  });
  const server = await new FakeServer().start();
  await serving(server, { activities: [gate] }, async () => {
    const stream = await server.stream();
    await stream.expect("credits");
    stream.offer("job_1", "gate");
    await stream.expect("received");
    stream.send("cancel", { jobs: [{ id: "job_1", reason: "cancelled" }] });
    const next = await stream.next("credits", "complete", "fail", "release");
    assert.equal(next?.message.case, "credits");
    assert.deepEqual(cancelled, ["job_1"]);
  });
});

test("a worker that an operator drains opens no other stream, and ends", async () => {
  const server = await new FakeServer().start();
  const client = new Client({ transport: new GrpcTransport(server.url) });
  const worker = new Worker(client, { activities: [echo], logger: quiet });
  const ended = worker.run();
  const stream = await server.stream();
  stream.send("drain", { reason: "worker" });
  await within(ended);
  assert.equal(server.streams.length, 0);
  await client.close();
});

test("problems of the server, calls without an answer, and no server", async () => {
  const server = await new FakeServer().start("/trunkline.v1.JobService/Enqueue");
  const encoded = (name: string, content: object): Buffer => {
    const description = messageNamed(`trunkline.sdk.${name}`);
    return Buffer.from(toBinary(description, create(description, content as never)));
  };
  let tries = 0;
  const keys = new Set<unknown>();
  server.unary = (call, answer) => {
    tries += 1;
    keys.add(call.metadata.get("idempotency-key")[0]);
    const reason = tries <= 2 ? "overloaded" : "invalid";
    const kinds: Record<string, object> = {
      ErrorInfo: { reason, domain: "trunkline", metadata: { status: tries <= 2 ? "503" : "415" } },
      BadRequest: { fieldViolations: [{ field: "/jobType", description: "is required" }] },
      RetryInfo: { retryDelay: { seconds: 0n, nanos: 1_000_000 } },
    };
    const details = Object.entries(kinds).map(([kind, content]) => ({
      typeUrl: `type.googleapis.com/google.rpc.${kind}`,
      value: encoded(kind, content),
    }));
    const metadata = new Metadata();
    metadata.set("grpc-status-details-bin", encoded("Status", { code: 3, message: "no", details }));
    answer({ code: tries <= 2 ? Code.UNAVAILABLE : Code.INVALID_ARGUMENT, details: "no", metadata });
  };
  const client = new Client({ transport: new GrpcTransport(server.url) });
  await assert.rejects(client.enqueue("a", {}), (error) => {
    assert(error instanceof ProblemError);
    assert.deepEqual([error.status, error.code], [415, "invalid"]);
    assert.deepEqual(error.faults, [{ pointer: "/jobType", message: "is required" }]);
    return true;
  });
  // What passes was repeated, with the same key.
  assert.deepEqual([tries, keys.size], [3, 1]);
  server.unary = () => undefined;
  await assert.rejects(client.api.enqueueJob({ jobType: "a" }, { timeoutMs: 100, retry: false }), TimeoutError);
  server.stop();
  await assert.rejects(client.api.enqueueJob({ jobType: "a" }, { timeoutMs: 500, retry: false }), ConnectionError);
  await assert.rejects(client.api.listServers(), /only over REST/);
  await client.close();
});

test("changes come as events, and a stream that ends or is silent is opened again", async () => {
  const server = await new FakeServer().start();
  const watched: ServerWritableStream<Buffer, Buffer>[] = [];
  const output = messageNamed("trunkline.v1.ChangeEvent");
  const change = (values: Json): Buffer => Buffer.from(toBinary(output, write(output, values)));
  server.watch = (call) => {
    watched.push(call);
    call.write(change({}));
    if (watched.length === 2) return; // and nothing more
    call.write(change({ kind: "execution", executionId: "exe_1", ended: true }));
    if (watched.length === 1) call.end();
  };
  const client = new Client({ transport: new GrpcTransport(server.url, { apiKey: "tl_key", silence: "2s" }) });
  const stop = new AbortController();
  const events: Json[] = [];
  let opened = 0;
  const follow = async (): Promise<void> => {
    for await (const event of client.events({ signal: stop.signal, opened: () => (opened += 1) })) {
      events.push(event);
      if (events.length === 4) stop.abort();
    }
  };
  await within(follow());
  const execution = { kind: "execution", executionId: "exe_1", ended: true };
  assert.deepEqual(events, [execution, { kind: "resync" }, { kind: "resync" }, execution]);
  assert.deepEqual([opened, watched.length], [1, 3]);
  assert.equal(watched[0]?.metadata.get("authorization")[0], "Bearer tl_key");
  await client.close();
  server.stop();
});

test("a stream of changes that is refused is a problem", async () => {
  const server = await new FakeServer().start();
  server.watch = (call) => call.emit("error", { code: Code.PERMISSION_DENIED, details: "no" });
  const client = new Client({ transport: new GrpcTransport(server.url) });
  const events = client.events()[Symbol.asyncIterator]();
  await assert.rejects(within(events.next()), (error) => error instanceof ProblemError && error.status === 403);
  await client.close();
  server.stop();
});
