// The worker over a transport that answers as the test says.
import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { Attempt } from "../src/attempt.js";
import type { LeasedJob } from "../src/channel.js";
import { plainCodec } from "../src/codec.js";
import { Client, Worker, defineActivity } from "../src/index.js";
import type { Json, Transport } from "../src/index.js";

const quiet = { debug() {}, info() {}, warn() {}, error() {} };

function leased(id: string, jobType: string): LeasedJob {
  const leaseExpiresAt = new Date(Date.now() + 60_000).toISOString();
  const lease = { leaseToken: `token-${id}`, leaseExpiresAt, attempt: 1, maxRetries: 0 };
  return { id, jobType, data: { n: 1 }, tenant: "default", idempotencyKey: id, ...lease };
}

/** Polls are answered one after another by `polls`; reports are recorded, and answered with `more` besides. */
function scripted(
  polls: (() => Json)[],
  more: { [name: string]: Json } = {},
): { transport: Transport; calls: string[] } {
  const calls: string[] = [];
  const transport: Transport = {
    name: "scripted",
    call: ({ name, body }) => {
      calls.push(name);
      const answer = name === "pollJobs" ? polls.shift() : undefined;
      if (answer) return Promise.resolve(answer());
      const { jobs = [] } = body as { jobs?: { id: string }[] };
      return Promise.resolve({ results: jobs.map(({ id }) => ({ id, outcome: "ok" })), ...more });
    },
    // eslint-disable-next-line require-yield, @typescript-eslint/require-await -- nothing changes here
    async *events() {
      return;
    },
    close: () => Promise.resolve(),
  };
  return { transport, calls };
}

test("a worker that an operator drains finishes what it has, and ends", async () => {
  let go: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (go = resolve));
  const gate = defineActivity("gate", async () => {
    await opened;
    return 7;
  });
  const drain = (): Json => {
    go();
    return { jobs: [], drain: true };
  };
  const { transport, calls } = scripted([() => ({ jobs: [leased("job_1", "gate")] as unknown }), drain]);
  await new Worker(new Client({ transport }), { activities: [gate], logger: quiet }).run();
  assert.deepEqual(calls, ["pollJobs", "pollJobs", "completeJobs"]);
});

test("the answer to a report drains a worker as well", async () => {
  const echo = defineActivity("echo", (data) => data);
  const first = (): Json => ({ jobs: [leased("job_1", "echo")] as unknown });
  const { transport, calls } = scripted([first], { jobs: [], drain: true });
  await new Worker(new Client({ transport }), { activities: [echo], concurrency: 1, logger: quiet }).run();
  assert.deepEqual(calls, ["pollJobs", "completeJobs"]);
});

test("a handler whose job was cancelled before it begins is not called", async () => {
  const gate = defineActivity("gate", async (_, ctx) => {
    await once(ctx.signal, "abort");
    return null;
  });
  const attempt = new Attempt(leased("job_1", "gate"), gate, { codec: plainCodec, middleware: [], logger: quiet });
  attempt.cancel("cancelled");
  assert.deepEqual(await attempt.run(), { kind: "none" });
});

test("a job whose result is on its way is not given back", async () => {
  const quick = defineActivity("quick", () => 7);
  const stubborn = defineActivity("stubborn", () => new Promise<never>(() => undefined));
  const jobs = [leased("job_1", "quick"), leased("job_2", "stubborn")];
  const { transport, calls } = scripted([() => ({ jobs: jobs as unknown })]);
  const call = transport.call.bind(transport);
  const released: string[] = [];
  let reported: () => void = () => undefined;
  let takeReport: () => void = () => undefined;
  const isReported = new Promise<void>((resolve) => (reported = resolve));
  const isTaken = new Promise<void>((resolve) => (takeReport = resolve));
  transport.call = async (request, options) => {
    if (request.name === "completeJobs") {
      reported();
      await isTaken;
    }
    if (request.name === "releaseJobs") {
      released.push(...(request.body as { jobs: { id: string }[] }).jobs.map(({ id }) => id));
      takeReport();
    }
    return call(request, options);
  };
  const activities = [quick, stubborn];
  const worker = new Worker(new Client({ transport }), { activities, concurrency: 2, drainTimeout: 1, logger: quiet });
  await worker.start();
  await isReported;
  await worker.stop();
  assert.deepEqual(released, ["job_2"]);
  assert.equal(calls.at(-1), "completeJobs");
});
