import assert from "node:assert/strict";
import { test } from "node:test";
import { NonRetryable, RetryAfter, Snooze, currentContext, defineActivity } from "../src/index.js";
import type { PayloadCodec } from "../src/index.js";
import { FakeContext, InMemoryWorker } from "../src/testing.js";

const greet = defineActivity<{ name: string }, { text: string }>("greet", (data, ctx) => {
  ctx.progress({ half: true });
  ctx.log.info("greeting", { name: data.name });
  return { text: `Hello, ${data.name}` };
});

test("a handler with a fake context", async () => {
  const ctx = new FakeContext({ attempt: 2, previousProgress: { half: true } });
  assert.deepEqual(await greet.handler({ name: "Ada" }, ctx), { text: "Hello, Ada" });
  assert.deepEqual(ctx.reported, [{ half: true }]);
  assert.equal(ctx.lines[0]?.message, "greeting");
  ctx.cancel();
  assert.equal(ctx.cancelled, true);
});

test("retries carry the progress over, and snoozes cost no attempt", async () => {
  const flaky = defineActivity<null>("flaky", (_data, ctx) => {
    const seen = (ctx.previousProgress as number | undefined) ?? 0;
    ctx.progress(seen + 1);
    if (seen === 0) throw new Snooze("1m");
    if (seen === 1) throw new Error("once");
    if (seen === 2) throw new RetryAfter("2s");
    return { attempt: ctx.attempt, current: currentContext()?.jobId === ctx.jobId };
  });
  const job = await new InMemoryWorker([flaky]).run(flaky, null);
  assert.deepEqual(job.result, { attempt: 3, current: true });
  assert.deepEqual([job.status, job.attempts, job.snoozes, job.waitsMs], ["COMPLETED", 3, 1, [60_000, 0, 2_000]]);
});

test("what cannot succeed becomes a dead letter", async () => {
  const charge = defineActivity<{ amount: number }>("charge", () => {
    throw new NonRetryable("no", { code: "declined" });
  });
  const job = await new InMemoryWorker([charge]).run("charge", { amount: 1 });
  assert.deepEqual([job.status, job.attempts, job.error?.code], ["DEAD_LETTER", 1, "declined"]);
});

test("data is checked by parse and by Standard Schema", async () => {
  const parse = (value: unknown): { n: number } => {
    if (typeof (value as { n: unknown }).n !== "number") throw new TypeError("n is no number");
    return value as { n: number };
  };
  const validate = (value: unknown) =>
    typeof value === "object" ? { value: { n: 1 } } : { issues: [{ message: "no object", path: ["a", { key: 0 }] }] };
  const one = defineActivity("one", (data: { n: number }) => data.n, { input: { parse } });
  const two = defineActivity("two", (data: { n: number }) => data.n, { input: { "~standard": { validate } } });
  const kit = new InMemoryWorker([one, two]);
  assert.equal((await kit.run(one, { n: 7 })).result, 7);
  assert.equal((await kit.run(two, {})).result, 1);
  assert.equal((await kit.run(one, { n: "7" })).error?.code, "invalid_data");
  assert.match((await kit.run(two, "x")).error?.message ?? "", /a\.0: no object/);
});

test("middleware goes around, and the codec around everything", async () => {
  const order: string[] = [];
  const wrap =
    (name: string) =>
    async (_ctx: unknown, _data: unknown, next: () => Promise<unknown>): Promise<unknown> => {
      order.push(name);
      return next();
    };
  const sealed: unknown[] = [];
  const codec: PayloadCodec = {
    encode: (value) => (sealed.push(value), { sealed: value }),
    decode: (value) => (value as { sealed: unknown }).sealed,
  };
  const kit = new InMemoryWorker([greet], { middleware: [wrap("a"), wrap("b")], codec });
  const job = await kit.run(greet, { name: "Ada" });
  assert.deepEqual(order, ["a", "b"]);
  assert.deepEqual(job.result, { text: "Hello, Ada" });
  assert.deepEqual(sealed, [{ name: "Ada" }, { text: "Hello, Ada" }]);
});
