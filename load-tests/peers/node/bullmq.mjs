// BullMQ on Redis. Fast: 100 jobs at once. Redis writes its log every second, so that a crash may lose a second.
import { Queue, Worker } from "bullmq";
import { Redis } from "ioredis";

import { address } from "./measure/arguments.mjs";
import { payload, pieces } from "./measure/payload.mjs";
import { run } from "./measure/run.mjs";
import { version } from "./measure/version.mjs";

const QUEUE = "noop";

async function open(mode) {
  const connect = () => new Redis(address("PEER_REDIS_URL"), { maxRetriesPerRequest: null });
  const [forQueue, forWorker] = [connect(), connect()];
  const queue = new Queue(QUEUE, { connection: forQueue });
  let worker;
  return {
    isRedis: true,
    setup: () => forQueue.flushall(),
    async enqueue(count) {
      for (const numbers of pieces(count)) {
        await queue.addBulk(numbers.map((number) => ({ name: "noop", data: payload(number) })));
      }
    },
    enqueueOne: (number) => queue.add("noop", payload(number)),
    async start(handled) {
      const options = { connection: forWorker, ...(mode === "fast" ? { concurrency: 100 } : {}) };
      worker = new Worker(QUEUE, async (job) => handled(job.data.number), options);
      await worker.waitUntilReady();
    },
    async unfinished() {
      const counts = await queue.getJobCounts("wait", "active", "delayed", "paused", "prioritized");
      return Object.values(counts).reduce((sum, count) => sum + count, 0);
    },
    stop: () => worker.close(),
    async close() {
      await queue.close();
      forQueue.disconnect();
      forWorker.disconnect();
    },
  };
}

await run("BullMQ", version("bullmq"), open);
