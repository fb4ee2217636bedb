// graphile-worker. Fast: the preset of its documentation's performance page. It deletes jobs that are done.
import { Logger, makeWorkerUtils, run as runWorker } from "graphile-worker";
import pg from "pg";

import { address } from "./measure/arguments.mjs";
import { payload, pieces } from "./measure/payload.mjs";
import { run } from "./measure/run.mjs";
import { version } from "./measure/version.mjs";

const connectionString = address("PEER_DATABASE_URL");
// Its log says a line for each job unless it is told not to; a measurement wants none.
const logger = new Logger(() => () => {});
const FAST = {
  concurrentJobs: 24,
  maxPoolSize: 25,
  localQueue: { size: 500 },
  completeJobBatchDelay: 0,
  failJobBatchDelay: 0,
};

async function open(mode) {
  const preset = { worker: { connectionString, ...(mode === "fast" ? FAST : {}) } };
  const utils = await makeWorkerUtils({ connectionString, logger });
  const store = new pg.Pool({ connectionString, max: 1 });
  let runner;
  return {
    setup: () => utils.migrate(),
    async enqueue(count) {
      for (const numbers of pieces(count)) {
        await utils.addJobs(numbers.map((number) => ({ identifier: "noop", payload: payload(number) })));
      }
    },
    enqueueOne: (number) => utils.addJob("noop", payload(number)),
    async start(handled) {
      const noop = async (data) => handled(data.number);
      // Its documented default is one job at a time for the library and ten for the command line; ten is taken.
      const base = mode === "fast" ? {} : { concurrency: 10 };
      runner = await runWorker({ preset, logger, noHandleSignals: true, taskList: { noop }, ...base });
    },
    async unfinished() {
      const { rows } = await store.query("SELECT count(*)::int AS count FROM graphile_worker.jobs");
      return rows[0].count;
    },
    stop: () => runner.stop(),
    async close() {
      await store.end();
      await utils.release();
    },
  };
}

await run("graphile-worker", version("graphile-worker"), open);
