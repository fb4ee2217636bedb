// The REST transport against a server that answers as the test says.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { Client, ConfigurationError, ConnectionError, ProblemError, TimeoutError } from "../src/index.js";

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

async function scripted(t: TestContext, answers: Answer[]): Promise<{ client: Client; seen: IncomingMessage[] }> {
  const seen: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    const answer = answers[Math.min(seen.length, answers.length - 1)] as Answer;
    seen.push(request);
    request.resume().on("end", () => answer(request, response));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { client: new Client({ url: `http://127.0.0.1:${port}/`, apiKey: "k", timeout: "30s" }), seen };
}

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (_request, response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify(body));
  };
const cut: Answer = (request) => request.socket.destroy();
const made = json(202, { id: "job_1", position: 1, status: "QUEUED" });
const busy = json(503, { code: "overloaded", status: 503, detail: "busy" }, { "retry-after": "0" });

test("a busy server and a cut connection are asked again with the same idempotency key", async (t) => {
  const { client, seen } = await scripted(t, [busy, cut, made]);
  const job = await client.enqueue("greet", {});
  assert.equal(job.id, "job_1");
  const keys = new Set(seen.map((request) => request.headers["idempotency-key"]));
  assert.equal(seen.length, 3);
  assert.equal(keys.size, 1);
  assert.equal(seen[0]?.headers.authorization, "Bearer k");
});

test("a refusal is a problem at once, with its code and faults", async (t) => {
  const body = { status: 422, code: "invalid", detail: "no", errors: [{ pointer: "/jobType", message: "bad" }] };
  const { client, seen } = await scripted(t, [json(422, body)]);
  await assert.rejects(client.enqueue("x y", {}), (error) => {
    assert.ok(error instanceof ProblemError);
    assert.deepEqual([error.status, error.code, error.faults.length], [422, "invalid", 1]);
    assert.match(error.message, /\/jobType: bad/);
    return true;
  });
  assert.equal(seen.length, 1);
});

test("an answer that is no problem document is still a problem", async (t) => {
  const page: Answer = (_request, response) => response.writeHead(404).end("<html>no</html>");
  const { client } = await scripted(t, [page]);
  await assert.rejects(client.job("job_1").get(), { name: "ProblemError", status: 404, code: "" });
});

test("every call has a deadline", async (t) => {
  const { client } = await scripted(t, [() => undefined]);
  await assert.rejects(client.api.getJob("job_1", {}, { timeoutMs: 50 }), TimeoutError);
});

test("a server that is not there is a connection error", async () => {
  const client = new Client({ url: "http://127.0.0.1:9", timeout: "2s" });
  await assert.rejects(client.enqueue("greet", {}), ConnectionError);
});

test("the stream of events comes back with a resync", async (t) => {
  const stream: Answer = (_request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(': hello\n\nevent: execution\ndata: {"kind":"execution","executionId":"exe_1"}\n\n');
  };
  const { client } = await scripted(t, [stream]);
  const kinds: string[] = [];
  const stop = new AbortController();
  for await (const event of client.events({ signal: stop.signal })) {
    kinds.push(event.kind);
    if (kinds.length === 3) stop.abort();
  }
  assert.deepEqual(kinds, ["execution", "resync", "execution"]);
});

test("a transport that is not there is said with the variable's name", () => {
  for (const transport of ["grpc", "kafka", "pigeon"]) {
    assert.throws(
      () => new Client({ transport }),
      (error) => error instanceof ConfigurationError && error.message.includes(`TRUNKLINE_TRANSPORT=${transport}`),
    );
  }
});
