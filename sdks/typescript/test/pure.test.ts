// Decisions without calls: outcomes, waits, durations.
import assert from "node:assert/strict";
import { test } from "node:test";
import { backoffMs, isTransient, retryDelayMs } from "../src/backoff.js";
import { durationText, milliseconds } from "../src/duration.js";
import { leaseLength } from "../src/heartbeats.js";
import { Cancelled, ConnectionError, NonRetryable, ProblemError, RetryAfter, Snooze } from "../src/index.js";
import { WorkerMetrics } from "../src/metrics.js";
import { outcomeOf } from "../src/outcome.js";

test("what a handler throws decides what is reported", () => {
  const typed = Object.assign(new TypeError("no"), { code: "bad" });
  const error = { message: "no", code: "bad", details: { type: "TypeError" } };
  assert.deepEqual(outcomeOf(typed), { kind: "fail", error });
  assert.deepEqual(outcomeOf("text"), { kind: "fail", error: { message: "text" } });
  assert.deepEqual(outcomeOf(new Snooze(1_500)), { kind: "release", delay: "1500ms" });
  const final = outcomeOf(new NonRetryable("gone", { code: "gone", details: { id: 7 } }));
  const gone = { message: "gone", code: "gone", details: { id: 7 } };
  assert.deepEqual(final, { kind: "fail", error: gone, retryable: false });
  const later = outcomeOf(new RetryAfter("2s", "busy"));
  assert.equal(later.kind === "fail" && later.retryAfter, "2s");
  const own = outcomeOf(new Cancelled());
  assert.equal(own.kind === "fail" && own.error.code === "cancelled" && own.retryable === false, true);
});

test("after a cancellation nothing is reported, and a drain gives the job back", () => {
  for (const reason of ["cancelled", "lease_lost", "deadline"] as const) {
    assert.deepEqual(outcomeOf(new Error("late"), reason), { kind: "none" });
  }
  assert.deepEqual(outcomeOf(new NonRetryable("late"), "draining"), { kind: "release" });
});

test("waits grow to a ceiling, and Retry-After is a floor", () => {
  const waits = [0, 1, 2, 9, 500].map((attempt) => backoffMs(attempt, 1));
  assert.deepEqual(waits, [100, 200, 400, 5_000, 5_000]);
  assert.equal(backoffMs(0, 0), 50);
  const asked = new ProblemError({ status: 429, code: "rate_limited" }, 2_000);
  assert.equal(retryDelayMs(asked, 0, 0), 2_000);
  assert.equal(retryDelayMs(asked, 0, 1), 2_500);
});

test("only what may pass is tried again", () => {
  assert.equal(isTransient(new ConnectionError("cut")), true);
  for (const status of [429, 502, 503, 504]) assert.equal(isTransient(new ProblemError({ status })), true);
  for (const status of [400, 401, 404, 409, 422, 500]) assert.equal(isTransient(new ProblemError({ status })), false);
  assert.equal(isTransient(new ProblemError({ status: 409 }, 1_000)), true);
});

test("durations", () => {
  const read = ["250ms", "30s", "1m 30s", "1h", "2d", "1.5s", 7].map(milliseconds);
  assert.deepEqual(read, [250, 30_000, 90_000, 3_600_000, 172_800_000, 1_500, 7]);
  for (const text of ["", "s", "5", "5 parsecs", "1s x"]) assert.throws(() => milliseconds(text), TypeError, text);
  assert.equal(durationText(1_500.4), "1500ms");
});

test("the length of a lease is only believed where the clocks can be", () => {
  const job = { leaseExpiresAt: "2026-01-01T00:00:30Z" } as Parameters<typeof leaseLength>[0];
  const end = Date.parse(job.leaseExpiresAt);
  assert.equal(leaseLength(job, end - 30_000), 30_000);
  assert.equal(leaseLength(job, end + 1), undefined);
  assert.equal(leaseLength(job, end - 7_200_000), undefined);
});

test("metrics are those of all languages", () => {
  const metrics = new WorkerMetrics();
  for (const kind of ["started", "started"] as const) metrics.count({ kind, jobType: "greet" });
  metrics.count({ kind: "finished", jobType: "greet", outcome: "complete", durationMs: 1_500 });
  metrics.count({ kind: "finished", jobType: 'a"b\\', outcome: "lost", durationMs: 0 });
  metrics.count({ kind: "polled", jobs: 2 });
  metrics.count({ kind: "pollFailed", error: new Error("no") });
  assert.deepEqual(metrics.render().split("\n"), [
    'trunkline_worker_handler_seconds_total{job_type="a\\"b\\\\"} 0',
    'trunkline_worker_handler_seconds_total{job_type="greet"} 1.5',
    'trunkline_worker_jobs_ended_total{how="complete",job_type="greet"} 1',
    'trunkline_worker_jobs_ended_total{how="lost",job_type="a\\"b\\\\"} 1',
    'trunkline_worker_jobs_started_total{job_type="greet"} 2',
    "trunkline_worker_poll_failures_total 1",
    "",
  ]);
});
