import assert from "node:assert/strict";
import { test } from "node:test";
import * as trunkline from "../src/index.js";
import { nodeOutput, task, workflow, workflowInput } from "../src/index.js";

test("a definition is the JSON that the server takes", () => {
  const order = workflow("order", { version: 2, timeout: "1h", retry: { maxRetries: 2, initial: 500 } })
    .node("check", task("order.check", { id: workflowInput("id") }))
    .node("ship", task("order.ship", nodeOutput("check")), { dependsOn: ["check"], when: "input.ship", timeout: "5m" })
    .onFailure("tell", task("tell"))
    .output({ parcel: nodeOutput("ship", "parcel-no") });
  assert.deepEqual(JSON.parse(JSON.stringify(order)), {
    name: "order",
    version: 2,
    timeout: "1h",
    retry: { maxRetries: 2, initial: "500ms" },
    nodes: [
      { id: "check", type: "SERVICE_TASK", jobType: "order.check", input: { id: "${input.id}" } },
      {
        id: "ship",
        type: "SERVICE_TASK",
        jobType: "order.ship",
        input: "${nodes.check.output}",
        dependsOn: ["check"],
        when: "input.ship",
        timeout: "5m",
      },
    ],
    onFailure: [{ id: "tell", type: "SERVICE_TASK", jobType: "tell" }],
    output: { parcel: '${nodes.ship.output["parcel-no"]}' },
  });
  const begun = workflow("typo").node("a", task("a"));
  // @ts-expect-error only nodes before it can be depended on
  begun.node("b", task("b"), { dependsOn: ["c"] });
});

test("every kind of node", () => {
  const { http, transform, timer, signal, userTask, waitWebhook, child, map, choice } = trunkline;
  const works = [
    http({ url: "http://x/", method: "POST", body: {} }, [201]),
    transform({ a: 1 }),
    timer("2h"),
    timer({ until: new Date(0) }),
    signal("paid"),
    userTask({ group: "finance", dueIn: "1d" }),
    waitWebhook(),
    child("other", {}, 3),
    map("${input.list}", task("each"), { concurrency: 2 }),
    choice([{ when: "true", goto: "a" }], "b"),
  ];
  const types = "HTTP TRANSFORM TIMER TIMER SIGNAL USER_TASK WAIT_WEBHOOK WORKFLOW MAP SWITCH";
  assert.equal(works.map((work) => work.type).join(" "), types);
  assert.deepEqual(works[3], { type: "TIMER", until: "1970-01-01T00:00:00.000Z" });
});
