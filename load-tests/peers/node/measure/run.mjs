// The course of every measurement: enqueue and drain, or latency; one line of JSON for each.
import { address, readArguments } from "./arguments.mjs";
import { Counters } from "./counters.mjs";
import { percentile, Starts } from "./starts.mjs";

const EVERY_MS = 20;

/**
 * Measures one peer.
 *
 * `open(mode)` answers an object with
 *   setup()                    makes the peer's tables
 *   enqueue(count)             enqueues in bulk, with the payload of `payload(number)`
 *   enqueueOne(number)         enqueues one job
 *   start(handled)             starts workers whose handler calls `handled(number)` and does nothing else
 *   unfinished()               how many jobs the store still holds as unfinished
 *   stop()                     ends the workers
 *   close()                    closes everything
 */
export async function run(peer, version, open) {
  const options = readArguments();
  const emit = (line) => console.log(JSON.stringify({ peer, version, mode: options.mode, ...line }));
  const queue = await open(options.mode);
  await queue.setup();
  if (options.scenario === "latency") {
    emit({ scenario: "latency", ...(await latency(queue, options.latencySeconds)) });
    await queue.close();
  } else {
    await bulk(queue, options, emit);
  }
}

async function bulk(queue, { jobs, drainSeconds }, emit) {
  const counters = queue.isRedis ? undefined : await Counters.open(address("PEER_DATABASE_URL"));
  const before = await counters?.read();
  const walBefore = await counters?.wal();
  const enqueueSeconds = await timed(() => queue.enqueue(jobs));
  emit({ scenario: "enqueue", jobs, seconds: enqueueSeconds, perSecond: jobs / enqueueSeconds });
  const walOfVacuum = await counters?.vacuum();
  const drained = await drain(queue, jobs, drainSeconds);
  const walAfter = await counters?.wal();
  // Its sessions report when they end.
  await queue.close();
  const after = await counters?.read();
  await counters?.close();
  const cost = counters && {
    walBytesPerJob: (walAfter - walBefore - walOfVacuum) / drained.jobs,
    commitsPerJob: (after.commits - before.commits) / drained.jobs,
    deadTuples: after.dead,
  };
  // A drain that was cut off has enqueued more than it finished: its cost a job would be too high.
  emit({ scenario: "drain", ...drained, ...(drained.jobs >= jobs ? cost : {}) });
}

async function timed(work) {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
}

/** Starts the workers on a full queue and waits until the store holds nothing unfinished, or the time is up. */
async function drain(queue, jobs, secondsMax) {
  let handled = 0;
  const started = performance.now();
  const elapsed = () => (performance.now() - started) / 1000;
  await queue.start(() => {
    handled += 1;
  });
  while (handled < jobs && elapsed() < secondsMax) await pause(2);
  let left = 0;
  if (handled >= jobs) {
    while ((left = await queue.unfinished()) > 0 && elapsed() < secondsMax) await pause(5);
  } else {
    left = await queue.unfinished();
  }
  const seconds = elapsed();
  await queue.stop();
  return { jobs: jobs - left, seconds, perSecond: (jobs - left) / seconds };
}

/** 50 jobs a second, one call each; from the call to the start of the handler, workers idle before. */
async function latency(queue, seconds) {
  const count = seconds * 50;
  const starts = new Starts(count);
  await queue.start((number) => starts.started(number));
  await pause(500);
  const base = performance.now();
  const calls = [];
  for (let number = 0; number < count; number += 1) {
    const due = base + number * EVERY_MS;
    while (performance.now() < due) await pause(Math.max(0, due - performance.now() - 1));
    starts.sent(number);
    calls.push(queue.enqueueOne(number));
  }
  await Promise.all(calls);
  const until = performance.now() + 30_000;
  while (starts.left > 0 && performance.now() < until) await pause(5);
  await queue.stop();
  const times = starts.milliseconds();
  return { jobs: times.length, seconds, perSecond: 50, p50Ms: percentile(times, 50), p99Ms: percentile(times, 99) };
}

function pause(ms) {
  return new Promise((resolve) => (ms < 1 ? setImmediate(resolve) : setTimeout(resolve, ms)));
}
