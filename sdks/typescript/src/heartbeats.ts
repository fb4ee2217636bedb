// Renews the leases of running jobs, from a thread of its own: a handler that keeps the event loop busy keeps its job.
import { Worker as Thread } from "node:worker_threads";
import type { JobChannel, LeasedJob } from "./channel.js";
import { parseJson, stringifyJson } from "./json.js";
import type { Json } from "./json.js";
import type { Transport } from "./transport.js";

/** What the loop is given. Leases are named by their tokens: the next attempt of a job may be in this process too. `progress` is JSON text, which goes into the request as it is. */
type Command =
  | { add: string; id: string; leaseMs: number; everyMs: number }
  | { remove: string }
  | { progress: string; text: string }
  | { stop: true };

/** What the loop says: a lease is not this worker's any more, or a heartbeat did not get through. */
type Notice = { lost: string; outcome: string } | { failed: string };

/** The heartbeats of one worker. */
export class Heartbeats {
  private thread: Thread | undefined;
  private readonly command: (command: Command) => void;
  /** Resolves once leases can be renewed: a worker takes no job before. */
  readonly ready: Promise<void>;

  constructor(
    transport: Transport,
    channel: JobChannel,
    private readonly leaseMs: number | undefined,
    onNotice: (notice: Notice) => void,
  ) {
    if (!transport.heartbeats) {
      this.ready = Promise.resolve();
      this.command = heartbeatLoop((beats, timeoutMs) => sendOn(channel, beats, timeoutMs), onNotice);
      return;
    }
    const program = transport.heartbeats.protocol === "grpc" ? GRPC_THREAD_PROGRAM : THREAD_PROGRAM;
    const thread = new Thread(program, { eval: true, workerData: transport.heartbeats });
    this.ready = new Promise((resolve) => thread.once("online", resolve).once("error", () => resolve()));
    // Only running jobs keep the process alive.
    thread.unref();
    thread.on("message", onNotice);
    thread.on("error", (error) => onNotice({ failed: `the thread of heartbeats ended: ${String(error)}` }));
    this.thread = thread;
    this.command = (command) => thread.postMessage(command);
  }

  add(job: LeasedJob): void {
    const leaseMs = this.leaseMs ?? leaseLength(job, Date.now());
    const { id, leaseToken } = job;
    // Where the length is not known, a clock is wrong or the lease is over already: the next heartbeat tells.
    if (leaseMs === undefined)
      this.command({ add: leaseToken, id, leaseMs: LEASE_ASSUMED_MS, everyMs: UNSURE_EVERY_MS });
    else this.command({ add: leaseToken, id, leaseMs, everyMs: Math.min(leaseMs / 3, EVERY_MAX_MS) });
  }

  remove(leaseToken: string): void {
    this.command({ remove: leaseToken });
  }

  progress(leaseToken: string, value: Json): void {
    this.command({ progress: leaseToken, text: stringifyJson(value) });
  }

  async stop(): Promise<void> {
    this.command({ stop: true });
    await this.thread?.terminate();
  }
}

// What is assumed where the clocks of worker and server are too far apart to tell.
const LEASE_ASSUMED_MS = 30_000;
const LEASE_BELIEVED_MAX_MS = 3_600_000;
const UNSURE_EVERY_MS = 500;
// A clock that is behind the server's must not cost the lease.
const EVERY_MAX_MS = 10_000;

/** How long the lease of a job that just came holds; undefined where the times do not fit together. */
export function leaseLength(job: LeasedJob, now: number): number | undefined {
  const measured = Date.parse(job.leaseExpiresAt) - now;
  return measured > 0 && measured < LEASE_BELIEVED_MAX_MS ? measured : undefined;
}

/** One lease to renew, with the progress as JSON text. */
interface Beat {
  id: string;
  token: string;
  progress: string | undefined;
}

async function sendOn(channel: JobChannel, beats: Beat[], timeoutMs: number): Promise<string[]> {
  const jobs = beats.map(({ id, token, progress }) => ({
    id,
    leaseToken: token,
    ...(progress === undefined ? {} : { progress: parseJson(progress) }),
  }));
  const { results } = await channel.heartbeat(jobs, timeoutMs);
  return results.map(({ outcome }) => outcome);
}

/**
 * The loop. It runs in the thread as text, so it refers to nothing outside of itself but timers and the clock.
 * Each lease is renewed after a third of its length; one that could not be renewed until its end counts as lost.
 */
export function heartbeatLoop(
  send: (beats: Beat[], timeoutMs: number) => Promise<string[]>,
  notify: (notice: Notice) => void,
): (command: Command) => void {
  interface Entry {
    id: string;
    leaseMs: number;
    everyMs: number;
    dueAt: number;
    endsAt: number;
    progress: string | undefined;
    /** Whether the next heartbeat goes without progress, because the server refused what the last one had. */
    isBare: boolean;
  }
  const leases = new Map<string, Entry>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isSending = false;

  const plan = (): void => {
    clearTimeout(timer);
    if (isSending || leases.size === 0) return;
    let next = Infinity;
    for (const entry of leases.values()) next = Math.min(next, entry.dueAt, entry.endsAt);
    timer = setTimeout(() => void beat(), Math.max(0, next - performance.now()));
  };

  const dropEnded = (now: number): void => {
    for (const [token, entry] of leases) {
      if (entry.endsAt > now) continue;
      leases.delete(token);
      notify({ lost: token, outcome: "lease_lost" });
    }
  };

  const beat = async (): Promise<void> => {
    const now = performance.now();
    dropEnded(now);
    // Those that are due soon come along; a request holds at most 1,000.
    const due = [...leases].filter(([, entry]) => entry.dueAt <= now + entry.everyMs / 5).slice(0, 1000);
    if (due.length === 0) {
      plan();
      return;
    }
    isSending = true;
    const sent = due.map(([, { isBare, progress }]) => (isBare ? undefined : progress));
    const beats = due.map(([token, { id }], index) => ({ id, token, progress: sent[index] }));
    const longest = Math.min(...due.map(([, entry]) => Math.min(entry.endsAt - now, Math.max(entry.everyMs, 500))));
    try {
      const outcomes = await send(beats, Math.max(100, longest));
      outcomes.forEach((outcome, index) => {
        const [token, entry] = due[index] ?? [];
        if (token === undefined || !entry || leases.get(token) !== entry) return;
        if (outcome === "cancelled" || outcome === "lease_lost" || outcome === "already_done") {
          leases.delete(token);
          notify({ lost: token, outcome });
          return;
        }
        const isRefused = outcome === "rejected";
        const hasNewer = entry.progress !== sent[index];
        if (!hasNewer) entry.progress = undefined;
        entry.isBare = isRefused;
        if (isRefused) {
          // Nothing was renewed: another heartbeat goes at once, and no progress keeps it from that.
          const pause = sent[index] === undefined ? Math.min(entry.everyMs / 2, 1_000) : 0;
          entry.dueAt = performance.now() + pause;
          notify({ failed: `the server refused the progress of ${entry.id}, which may be too large` });
          return;
        }
        entry.endsAt = now + entry.leaseMs;
        entry.dueAt = now + entry.everyMs;
        if (hasNewer) entry.dueAt = Math.min(entry.dueAt, performance.now() + 250);
      });
    } catch (error) {
      const again = performance.now();
      for (const [, entry] of due) entry.dueAt = again + Math.min(entry.everyMs / 2, 1_000);
      notify({ failed: error instanceof Error ? error.message : String(error) });
    }
    isSending = false;
    plan();
  };

  return (command) => {
    const now = performance.now();
    if ("add" in command) {
      const { id, leaseMs, everyMs } = command;
      const times = { everyMs, dueAt: now + everyMs, endsAt: now + leaseMs };
      leases.set(command.add, { id, leaseMs, ...times, progress: undefined, isBare: false });
    } else if ("remove" in command) {
      leases.delete(command.remove);
    } else if ("progress" in command) {
      const entry = leases.get(command.progress);
      if (entry) {
        entry.progress = command.text;
        entry.dueAt = Math.min(entry.dueAt, now + 250);
      }
    } else {
      leases.clear();
    }
    plan();
  };
}

// `__name` is what some bundlers wrap functions in; the text has to bring its own.
const threadProgram = (sender: string): string => `
"use strict";
const __name = (value) => value;
const { parentPort, workerData } = require("node:worker_threads");
${sender}
const loop = ${heartbeatLoop.toString()};
parentPort.on("message", loop(send, (notice) => parentPort.postMessage(notice)));
`;

const THREAD_PROGRAM = threadProgram(`
const headers = { ...workerData.headers, "content-type": "application/json" };
const send = async (beats, timeoutMs) => {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), timeoutMs);
  const jobs = beats.map(({ id, token, progress }) => {
    const last = progress === undefined ? "" : ',"progress":' + progress;
    return '{"id":' + JSON.stringify(id) + ',"leaseToken":' + JSON.stringify(token) + last + "}";
  });
  try {
    const body = '{"jobs":[' + jobs.join(",") + "]}";
    const answer = await fetch(workerData.url, { method: "POST", headers, body, signal: controller.signal });
    const text = await answer.text();
    if (!answer.ok) throw new Error("heartbeat: " + answer.status + " " + text.slice(0, 200));
    return JSON.parse(text).results.map(({ outcome }) => outcome);
  } finally {
    clearTimeout(timer);
  }
};
`);

// Over gRPC the thread has one call to make, which HTTP/2 and a few bytes are enough for: packages that the program
// installed are not found from a text. The fields are those of HeartbeatJobsRequest and Outcomes in worker.proto.
const GRPC_THREAD_PROGRAM = threadProgram(`
const http2 = require("node:http2");
const head = {
  ...workerData.headers,
  ":method": "POST",
  ":path": "/trunkline.v1.WorkerService/Heartbeat",
  "content-type": "application/grpc",
  te: "trailers",
};
let session;
const connection = () => {
  if (!session || session.closed || session.destroyed) {
    const made = (session = http2.connect(workerData.url));
    made.on("error", () => made.destroy());
  }
  return session;
};
const varint = (number) => {
  const bytes = [];
  for (; number > 127; number = Math.floor(number / 128)) bytes.push((number % 128) | 128);
  return Buffer.from([...bytes, number]);
};
const field = (number, content) => {
  const bytes = Buffer.from(content);
  return Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes]);
};
const encoded = (beats) => Buffer.concat(beats.map(({ id, token, progress }) => {
  const last = progress === undefined ? [] : [field(4, progress)];
  return field(1, Buffer.concat([field(1, id), field(2, token), ...last]));
}));
const fields = (bytes) => {
  const found = [];
  let at = 0;
  const number = () => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = bytes[at++];
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const tag = number();
    const size = tag % 8 === 2 ? number() : tag % 8 === 1 ? 8 : tag % 8 === 5 ? 4 : 0;
    if (tag % 8 === 0) number();
    found.push([Math.floor(tag / 8), bytes.subarray(at, at + size)]);
    at += size;
  }
  return found;
};
const outcomes = (bytes) => fields(bytes).filter(([number]) => number === 1).map(([, result]) =>
  fields(result).filter(([number]) => number === 2).map(([, text]) => text.toString()).join(""));
const send = (beats, timeoutMs) => new Promise((resolve, reject) => {
  const used = connection();
  const request = used.request(head);
  const timer = setTimeout(() => {
    reject(new Error("heartbeat: no answer within " + timeoutMs + " ms"));
    used.destroy(); // perhaps nobody is there any more
  }, timeoutMs);
  const chunks = [];
  let trailers = {};
  request.on("response", (headers) => (trailers = headers));
  request.on("trailers", (headers) => (trailers = { ...trailers, ...headers }));
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("error", (error) => reject(new Error("heartbeat: " + error.message)));
  request.on("close", () => {
    clearTimeout(timer);
    if (Number(trailers["grpc-status"] ?? -1) === 0) resolve(outcomes(Buffer.concat(chunks).subarray(5)));
    else reject(new Error("heartbeat: " + (trailers["grpc-message"] ?? trailers[":status"] ?? "no answer")));
  });
  const message = encoded(beats);
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(message.length, 1);
  request.end(Buffer.concat([prefix, message]));
});
`);
