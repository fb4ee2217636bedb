// The loop that renews leases.
import assert from "node:assert/strict";
import { test } from "node:test";
import { heartbeatLoop } from "../src/heartbeats.js";

test("progress that the server refuses does not keep a lease from being renewed", async () => {
  const sent: (string | undefined)[] = [];
  const notices: object[] = [];
  let renewed: () => void = () => undefined;
  const over = new Promise<void>((resolve) => (renewed = resolve));
  const command = heartbeatLoop(
    (beats) => {
      const progress = beats[0]?.progress;
      sent.push(progress);
      // Whatever the handler says next is as large.
      if (sent.length === 1) command({ progress: "token", text: '"larger"' });
      if (sent.length === 3) renewed();
      return Promise.resolve([progress === undefined ? "ok" : "rejected"]);
    },
    (notice) => notices.push(notice),
  );
  command({ add: "token", id: "job_1", leaseMs: 3_600_000, everyMs: 1_200_000 });
  command({ progress: "token", text: '"large"' });
  await over;
  command({ stop: true });
  assert.deepEqual(sent, ['"large"', undefined, '"larger"']);
  const failed = "the server refused the progress of job_1, which may be too large";
  assert.deepEqual(notices[0], { failed });
});

test("a heartbeat that fails is sent again soon, and not after a third of the lease", async () => {
  const notices: object[] = [];
  let tries = 0;
  let again: () => void = () => undefined;
  const over = new Promise<void>((resolve) => (again = resolve));
  const command = heartbeatLoop(
    () => {
      tries += 1;
      if (tries === 1) return Promise.reject(new Error("nobody is there"));
      again();
      return Promise.resolve(["ok"]);
    },
    (notice) => notices.push(notice),
  );
  command({ add: "token", id: "job_1", leaseMs: 3_600_000, everyMs: 1_200_000 });
  // Brings the first one forward.
  command({ progress: "token", text: "1" });
  await over;
  command({ stop: true });
  assert.deepEqual(notices, [{ failed: "nobody is there" }]);
});
