// pg-boss. Fast: batches of 500, four local workers, no delay while batches are full, LISTEN/NOTIFY. It keeps jobs.
import pg from "pg";
import { PgBoss } from "pg-boss";

import { address } from "./measure/arguments.mjs";
import { payload, pieces } from "./measure/payload.mjs";
import { run } from "./measure/run.mjs";
import { version } from "./measure/version.mjs";

const connectionString = address("PEER_DATABASE_URL");
const QUEUE = "noop";
const FAST = { batchSize: 500, localConcurrency: 4, burstWhenBatchFull: true, pollingIntervalSeconds: 0.5 };
// The defaults of `work` are one job every two seconds; ten workers at the shortest interval are kinder.
const DEFAULTS = { localConcurrency: 10, pollingIntervalSeconds: 0.5 };

async function open(mode) {
  const isFast = mode === "fast";
  const boss = new PgBoss({ connectionString, useListenNotify: isFast, schedule: false });
  boss.on("error", (error) => console.error(error));
  const store = new pg.Pool({ connectionString, max: 1 });
  return {
    async setup() {
      await boss.start();
      await boss.createQueue(QUEUE, { notify: isFast });
    },
    async enqueue(count) {
      for (const numbers of pieces(count)) {
        await boss.insert(QUEUE, numbers.map((number) => ({ data: payload(number) })));
      }
    },
    enqueueOne: (number) => boss.send(QUEUE, payload(number)),
    start: (handled) =>
      boss.work(QUEUE, isFast ? FAST : DEFAULTS, async (jobs) => {
        for (const job of jobs) handled(job.data.number);
      }),
    async unfinished() {
      const { rows } = await store.query("SELECT count(*)::int AS count FROM pgboss.job WHERE state < 'completed'");
      return rows[0].count;
    },
    stop: () => boss.offWork(QUEUE),
    async close() {
      await boss.stop({ graceful: false });
      await store.end();
    },
  };
}

await run("pg-boss", version("pg-boss"), open);
// Its timers would keep the process alive.
process.exit(0);
