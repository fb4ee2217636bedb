// Against the real server: TRUNKLINE_BINARY, or trunkline on the PATH.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Client, Worker, choice, defineActivity, nodeOutput, signal, task, transform, workflow } from "../src/index.js";
import { devServer } from "../src/testing.js";
import type { DevServer } from "../src/testing.js";

describe("the real server", () => {
  let server: DevServer;
  let client: Client;
  before(async () => {
    server = await devServer({ env: { TRUNKLINE_QUEUES__WORKFLOW_NODE__LEASE: "5s" }, timeout: "60s" });
    client = new Client({ url: server.url, apiKey: server.apiKey });
  });
  after(() => server.stop());

  test("a handler that blocks the event loop for longer than its lease keeps its job", async () => {
    const busy = defineActivity<number, number>("busy", (ms, ctx) => {
      const ends = Date.now() + ms;
      while (Date.now() < ends);
      return ctx.attempt;
    });
    const worker = new Worker(client, { activities: [busy] });
    await worker.start();
    const job = await client.enqueue(busy, 7_000, { maxRetries: 3 });
    assert.equal(await job.wait({ timeout: "60s" }), 1);
    assert.equal((await job.get()).attempts?.length, 1);
    await worker.stop();
    assert.equal(worker.health, "draining");
  });

  test("a workflow of the builder runs, with a signal and its outputs", async () => {
    const add = defineActivity<{ a: number; b: number }, number>("add", ({ a, b }) => a + b);
    const sum = workflow("sum")
      .node("three", task(add, { a: 1, b: 2 }))
      .node("way", choice([{ when: "nodes.three.output == 3", goto: "go" }], "never"), { dependsOn: ["three"] })
      .node("go", signal("go"))
      .node("never", transform("never"))
      .node("end", transform({ three: nodeOutput("three"), by: nodeOutput("go", "by") }), { dependsOn: ["go"] })
      .output(nodeOutput("end"));
    assert.deepEqual(await client.push(sum), { name: "sum", version: 1 });
    const worker = new Worker(client, { activities: [add] });
    await worker.start();
    const run = await client.start<{ three: number }>("sum");
    await run.signal("go", { by: "Ada" });
    assert.deepEqual(await run.wait({ timeout: "60s" }), { three: 3, by: "Ada" });
    assert.equal((await run.outputs())["three"], 3);
    await worker.stop();
  });

  test("a worker with a wrong key says so", async () => {
    const stranger = new Client({ url: server.url, apiKey: "tl_wrong" });
    const nothing = defineActivity("nothing", () => null);
    await assert.rejects(new Worker(stranger, { activities: [nothing] }).run(), { name: "ProblemError", status: 401 });
  });
});

describe("a server whose time skips", () => {
  test("a day of waiting takes a moment, and the time can be moved on", async () => {
    await using server = await devServer({ timeSkip: true, timeout: "60s" });
    const client = new Client({ url: server.url, apiKey: server.apiKey });
    await client.push({ name: "reminder", version: 1, nodes: [{ id: "wait", type: "TIMER", duration: "1d" }] });
    const before = await server.skip(true);
    await (await client.start("reminder")).wait({ timeout: "60s" });
    const day = 86_400_000;
    const after = await server.skip(false);
    assert.ok(after.getTime() - before.getTime() >= day, after.toISOString());
    const later = await server.advance("7d");
    assert.ok(later.getTime() - after.getTime() >= 7 * day, later.toISOString());
  });
});
