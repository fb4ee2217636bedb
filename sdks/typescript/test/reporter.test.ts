// Reports that ask for the next jobs.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { JobChannel, LeasedJob, Polled } from "../src/channel.js";
import { ProblemError } from "../src/index.js";
import { Reporter } from "../src/reporter.js";

function reporterOver(report: JobChannel["report"], taken: LeasedJob[]): Reporter {
  const channel = { report } as unknown as JobChannel;
  const polls = {
    request: (reports: number) => ({ maxJobs: reports }),
    take: ({ jobs }: Polled) => taken.push(...(jobs ?? [])),
  };
  return new Reporter(channel, new AbortController().signal, polls);
}

test("a report asks for the next job, and its job is taken before the report is done", async () => {
  const asked: unknown[] = [];
  const taken: LeasedJob[] = [];
  const job = { id: "job_2" } as LeasedJob;
  const reporter = reporterOver((kind, reports, _signal, poll) => {
    asked.push([kind, poll]);
    const results = reports.map(({ id }) => ({ id, outcome: "ok" }));
    return Promise.resolve(poll ? { results, jobs: [job] } : { results });
  }, taken);
  await reporter.send("complete", { id: "job_1", leaseToken: "t" });
  assert.deepEqual(taken, [job]);
  await reporter.send("release", { id: "job_2", leaseToken: "t" });
  assert.deepEqual(asked, [
    ["complete", { maxJobs: 1 }],
    ["release", undefined],
  ]);
});

test("a server that takes no polls with reports is reported to without them", async () => {
  const polls: unknown[] = [];
  const reporter = reporterOver((_kind, reports, _signal, poll) => {
    polls.push(poll);
    const errors = [{ pointer: "/poll", message: "is not a known field" }];
    if (poll) return Promise.reject(new ProblemError({ status: 422, code: "invalid", errors }));
    return Promise.resolve({ results: reports.map(({ id }) => ({ id, outcome: "ok" })) });
  }, []);
  for (const id of ["job_1", "job_2"])
    assert.equal((await reporter.send("fail", { id, leaseToken: "t" })).outcome, "ok");
  assert.deepEqual(polls, [{ maxJobs: 1 }, undefined, undefined]);
});
