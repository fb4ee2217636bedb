// The driver of sdks/conformance for TypeScript: `driver.mjs worker` and `driver.mjs client`. It uses the built package.
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { appendFile, mkdir, writeFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import {
  Cancelled,
  Client,
  ConnectionError,
  InvalidSignature,
  JobFailed,
  NonRetryable,
  ProblemError,
  RetryAfter,
  RunFailed,
  Snooze,
  TimeoutError,
  Worker,
  defineActivity,
  parseJson,
  signWebhook,
  stringifyJson,
  verifyWebhook,
} from "trunkline";
import { GrpcTransport } from "trunkline/grpc";

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function mark(dir, name) {
  await mkdir(dir, { recursive: true });
  await writeFile(`${dir}/${name}`, "");
}

async function gate(data, ctx, isStubborn) {
  await mark(data.dir, `started-${ctx.attempt}`);
  if (data.progress !== undefined) ctx.progress(data.progress);
  if (data.log !== undefined) ctx.log.info(data.log, { of: "the gate" });
  while (!existsSync(`${data.dir}/go`)) {
    if (!isStubborn && ctx.cancelled) {
      await mark(data.dir, `cancelled-${ctx.attempt}`);
      throw ctx.signal.reason;
    }
    await pause(20);
  }
  await mark(data.dir, `done-${ctx.attempt}`);
  return { attempt: ctx.attempt, previousProgress: ctx.previousProgress };
}

const typedInput = {
  parse(value) {
    if (typeof value?.name !== "string") throw new TypeError("name is to be text");
    if (!Number.isInteger(value.count)) throw new TypeError("count is to be a whole number");
    return value;
  },
};

const snoozed = new Map();
const seen = new Map();

const HANDLERS = {
  soak,
  echo: (data) => data,
  context: (_data, ctx) => ({
    jobId: ctx.jobId,
    attempt: ctx.attempt,
    idempotencyKey: ctx.idempotencyKey,
    traceparent: ctx.traceparent ?? null,
    previousProgress: ctx.previousProgress ?? null,
    cancelled: ctx.cancelled,
    hasDeadline: ctx.deadline !== undefined,
  }),
  "fail-times": ({ times, message }, ctx) => {
    if (ctx.attempt <= times) throw new Error(message);
    return { attempt: ctx.attempt };
  },
  "non-retryable": ({ message }) => {
    throw new NonRetryable(message);
  },
  "retry-after": ({ delay }, ctx) => {
    if (ctx.attempt === 1) throw new RetryAfter(delay);
    return { attempt: ctx.attempt };
  },
  snooze: ({ times, delay }, ctx) => {
    const count = snoozed.get(ctx.jobId) ?? 0;
    snoozed.set(ctx.jobId, count + 1);
    if (count < times) throw new Snooze(delay);
    return { attempt: ctx.attempt, snoozed: times };
  },
  cancelled: () => {
    throw new Cancelled();
  },
  gate: (data, ctx) => gate(data, ctx, false),
  stubborn: (data, ctx) => gate(data, ctx, true),
  progress: ({ value }, ctx) => {
    if (ctx.attempt > 1) return { previousProgress: ctx.previousProgress };
    ctx.progress(value);
    throw new Error("once more");
  },
  big: ({ bytes }) => ({ text: "x".repeat(bytes) }),
  typed: ({ name, count }) => ({ greeting: `${name} x ${count}` }),
  middleware: (_data, ctx) => ({ seen: seen.get(ctx.jobId) }),
  log: ({ lines = 1, text, fail }, ctx) => {
    for (let number = 1; number <= lines; number += 1) ctx.log.info(`line ${number}`, { of: "the handler" });
    if (text !== undefined) ctx.log.error(text);
    if (fail !== undefined && ctx.attempt === 1) throw new Error(fail);
    return null;
  },
};

/** Records outside of the store what it does: see ../../conformance/soak.py. */
async function soak({ n, fail, dir }, ctx) {
  const nonce = randomBytes(8).toString("hex");
  const record = (what) =>
    appendFile(`${dir}/typescript-${process.pid}`, `${what} ${ctx.jobId} ${ctx.attempt} ${nonce}\n`);
  await record("start");
  if (ctx.attempt <= fail) throw new Error("planned");
  await pause(n % 20);
  await record("end");
  return { n, nonce };
}

// A codec after which the server cannot read what it has.
const sealed = {
  encode: (value) => ({ sealed: Buffer.from(stringifyJson(value)).toString("base64") }),
  decode: (value) =>
    typeof value?.sealed === "string" ? parseJson(Buffer.from(value.sealed, "base64").toString()) : value,
};
const own = process.env.CONFORMANCE_CODEC ? { codec: sealed } : {};

function workerClient() {
  const silence = process.env.CONFORMANCE_SILENCE;
  const isGrpc = process.env.TRUNKLINE_TRANSPORT === "grpc";
  return new Client(silence && isGrpc ? { ...own, transport: GrpcTransport.fromEnvironment({ silence }) } : own);
}

async function runWorker() {
  const prefix = process.env.CONFORMANCE_PREFIX ?? "";
  const activities = Object.entries(HANDLERS).map(([name, handler]) =>
    defineActivity(prefix + name, handler, name === "typed" ? { input: typedInput } : {}),
  );
  const remember = (ctx, _data, next) => {
    seen.set(ctx.jobId, ctx.jobType);
    return next().finally(() => seen.delete(ctx.jobId));
  };
  const pollWait = process.env.CONFORMANCE_POLL_WAIT;
  const build = process.env.CONFORMANCE_BUILD;
  const builds = process.env.CONFORMANCE_BUILDS;
  const worker = new Worker(workerClient(), {
    activities,
    middleware: [remember],
    concurrency: Number(process.env.CONFORMANCE_CONCURRENCY ?? 8),
    ...(pollWait ? { pollWait } : {}),
    ...(build ? { build } : {}),
    ...(builds ? { builds: builds.split(",") } : {}),
  });
  await worker.run();
}

async function listed(items) {
  const found = [];
  for await (const item of items) found.push(item);
  return found;
}

async function untilEnded(client, run, timeout, opened) {
  const events = client.events({ signal: AbortSignal.timeout(parseInt(timeout) * 1000), opened });
  for await (const event of events) if (event.executionId === run && event.ended) return event;
  throw new TimeoutError("no event came");
}

const CALLS = {
  hello: () => ({ language: "typescript", lacks: [] }),
  enqueue: async (client, { type, data, options }) => {
    const { id, existing } = await client.enqueue(type, data, options);
    return { id, existing };
  },
  batch: async (client, { jobs, partial }) => {
    const results = await client.enqueueBatch(jobs, { partial });
    return results.map((result) => ("error" in result ? { error: result.error } : { id: result.id }));
  },
  wait: (client, { job, timeout }) => client.job(job).wait({ timeout }),
  job: (client, { job }) => client.job(job).get(),
  cancel: (client, { job }) => client.job(job).cancel(),
  push: (client, { definition }) => client.push(definition),
  start: async (client, { workflow, input, options }) => ({ id: (await client.start(workflow, input, options)).id }),
  startWait: async (client, { workflow, input, timeout }) => (await client.start(workflow, input)).wait({ timeout }),
  waitRun: (client, { run, timeout }) => client.run(run).wait({ timeout }),
  run: (client, { run }) => client.run(run).get(),
  nodes: (client, { run }) => client.run(run).nodes(),
  signal: (client, { run, name, payload }) => client.run(run).signal(name, payload),
  cancelRun: (client, { run }) => client.run(run).cancel(),
  deadLetters: (client, { jobType }) => listed(client.deadLetters.list({ jobType })),
  requeue: (client, { deadLetter, ...change }) => client.deadLetters.requeue(deadLetter, change),
  schedule: (client, schedule) => client.schedules.create(schedule),
  schedules: (client) => listed(client.schedules.list()),
  deleteSchedule: (client, { schedule }) => client.schedules.delete(schedule),
  event: (client, { run, timeout }, opened) => untilEnded(client, run, timeout, opened),
  sign: (_client, { secret, id, timestamp, body }) => signWebhook(secret, id, timestamp, body),
  verify: (_client, { secret, headers, body, now }) => {
    verifyWebhook(secret, headers, body, new Date(now * 1000));
    return true;
  },
};

const KINDS = { JobFailed, RunFailed, Timeout: TimeoutError, Problem: ProblemError, InvalidSignature };

function described(error) {
  const kinds = { ...KINDS, Connection: ConnectionError };
  const kind = Object.keys(kinds).find((name) => error instanceof kinds[name]) ?? "Other";
  return { kind, message: String(error?.message ?? error), status: error?.status, code: error?.code };
}

async function runClient() {
  let client;
  const answer = (line) => process.stdout.write(stringifyJson(line) + "\n");
  const running = new Set();
  for await (const line of createInterface({ input: process.stdin })) {
    const { id, call, args } = parseJson(line);
    const work = async () => {
      if (call !== "hello") client ??= new Client(own);
      const value = await CALLS[call](client, args ?? {}, () => answer({ id, opened: true }));
      answer({ id, value: value ?? null });
    };
    const done = work().catch((error) => answer({ id, error: described(error) }));
    running.add(done);
    void done.finally(() => running.delete(done));
  }
  await Promise.all(running);
}

if (process.argv[2] === "worker") await runWorker();
else if (process.argv[2] === "client") await runClient();
else throw new Error("say worker or client");
