"""procrastinate on PostgreSQL: enqueue and drain, or latency; one line of JSON for each.

Fast: twenty jobs at once, done jobs are deleted, as its documentation on performance recommends. Defaults: one job at
a time, jobs are kept.
"""

import argparse
import asyncio
import contextlib
import importlib.metadata
import json
import os
import time

import psycopg
from procrastinate import App, PsycopgConnector

BULK = 1000
EVERY_S = 0.02
# The statistics of a session arrive a moment after its last statement, or at once when it ends.
ARRIVE_S = 1.2
COUNTERS = """
    SELECT (SELECT xact_commit::float8 FROM pg_stat_database WHERE datname = current_database()),
           (SELECT coalesce(sum(n_dead_tup), 0)::float8 FROM pg_stat_user_tables)
"""
WAL = "SELECT (pg_current_wal_insert_lsn() - '0/0')::float8"
UNFINISHED = "SELECT count(*) FROM procrastinate_jobs WHERE status IN ('todo', 'doing')"
# How a worker runs, by mode.
WORKERS = {
    "fast": {"concurrency": 20, "delete_jobs": "successful"},
    "defaults": {},
}


def payload(number: int) -> dict:
    """About 110 bytes of JSON, the same for all peers."""
    return {
        "number": number,
        "customer": "customer-0001",
        "address": "12 Long Street, 10115 Berlin",
        "amount": 129.5,
        "ok": True,
    }


def percentile(values: list[float], percent: float) -> float | None:
    """The value below which so many percent lie."""
    ordered = sorted(values)
    return ordered[round(percent / 100 * (len(ordered) - 1))] if ordered else None


class Peer:
    """One application with its store, and what its handler calls."""

    def __init__(self, url: str, mode: str) -> None:
        self.mode = mode
        self.handled = lambda number: None
        self.app = App(connector=PsycopgConnector(conninfo=url))
        self.store: psycopg.AsyncConnection | None = None
        self.url = url

        @self.app.task(name="noop")
        async def noop(number: int, **_rest: object) -> None:
            self.handled(number)

        self.noop = noop

    async def read(self) -> tuple[float, float]:
        """Commits and dead rows so far."""
        await asyncio.sleep(ARRIVE_S)
        return await (await self.store.execute(COUNTERS)).fetchone()

    async def wal(self) -> float:
        """How many bytes of log were written so far."""
        (wal,) = await (await self.store.execute(WAL)).fetchone()
        return wal

    async def vacuum(self) -> float:
        """Cleans up after the inserts, as the reference does; answers the bytes of log that it wrote."""
        before = await self.wal()
        await self.store.execute("VACUUM ANALYZE")
        return await self.wal() - before

    async def unfinished(self) -> int:
        """How many jobs the store holds as unfinished."""
        (count,) = await (await self.store.execute(UNFINISHED)).fetchone()
        return count

    async def enqueue(self, jobs: int) -> float:
        """Enqueues in bulk; answers seconds."""
        started = time.perf_counter()
        for start in range(0, jobs, BULK):
            numbers = range(start, min(start + BULK, jobs))
            await self.noop.batch_defer_async(*(payload(number) for number in numbers))
        return time.perf_counter() - started

    @contextlib.asynccontextmanager
    async def working(self, handled):
        """Runs a worker for as long as the block lasts."""
        self.handled = handled
        options = {"install_signal_handlers": False, "wait": True, **WORKERS[self.mode]}
        worker = asyncio.create_task(self.app.run_worker_async(**options))
        try:
            yield
        finally:
            worker.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await worker

    async def drain(self, jobs: int, seconds_max: float) -> tuple[int, float]:
        """Starts on a full queue; answers how many were finished in how many seconds."""
        count = 0

        def handled(_number: int) -> None:
            nonlocal count
            count += 1

        started = time.perf_counter()
        until = started + seconds_max
        async with self.working(handled):
            while count < jobs and time.perf_counter() < until:
                await asyncio.sleep(0.002)
            left = await self.unfinished()
            while count >= jobs and left > 0 and time.perf_counter() < until:
                await asyncio.sleep(0.005)
                left = await self.unfinished()
            seconds = time.perf_counter() - started
        return jobs - left, seconds

    async def latency(self, seconds: int) -> list[float]:
        """50 jobs a second, one call each; milliseconds from the call to the start of the handler."""
        sent: list[float] = [0.0] * (seconds * 50)
        started: dict[int, float] = {}
        async with self.working(lambda number: started.setdefault(number, time.perf_counter())):
            await asyncio.sleep(0.5)
            base = time.perf_counter()
            for number in range(len(sent)):
                await asyncio.sleep(max(0.0, base + number * EVERY_S - time.perf_counter()))
                sent[number] = time.perf_counter()
                await self.noop.defer_async(**payload(number))
            until = time.perf_counter() + 30
            while len(started) < len(sent) and time.perf_counter() < until:
                await asyncio.sleep(0.005)
        return [(at - sent[number]) * 1000 for number, at in started.items()]


async def measure(arguments: argparse.Namespace) -> None:
    """Runs one scenario on an empty database."""
    peer = Peer(os.environ["PEER_DATABASE_URL"], arguments.mode)
    version = importlib.metadata.version("procrastinate")

    def emit(**line: object) -> None:
        print(json.dumps({"peer": "procrastinate", "version": version, "mode": arguments.mode, **line}), flush=True)

    peer.store = await psycopg.AsyncConnection.connect(peer.url, autocommit=True)
    async with peer.store:
        if arguments.scenario == "bulk":
            await bulk(peer, arguments, emit)
            return
        seconds = arguments.latency_seconds
        async with peer.app.open_async():
            await peer.app.schema_manager.apply_schema_async()
            times = await peer.latency(seconds)
        p50, p99 = percentile(times, 50), percentile(times, 99)
        emit(scenario="latency", jobs=len(times), seconds=seconds, perSecond=50, p50Ms=p50, p99Ms=p99)


async def bulk(peer: Peer, arguments: argparse.Namespace, emit) -> None:
    """Enqueues everything, then drains."""
    jobs = arguments.jobs
    async with peer.app.open_async():
        await peer.app.schema_manager.apply_schema_async()
        before, wal_before = await peer.read(), await peer.wal()
        seconds = await peer.enqueue(jobs)
        emit(scenario="enqueue", jobs=jobs, seconds=seconds, perSecond=jobs / seconds)
        wal_of_vacuum = await peer.vacuum()
        done, seconds = await peer.drain(jobs, arguments.drain_seconds)
        wal = await peer.wal() - wal_before - wal_of_vacuum
    # Its sessions have ended and reported.
    after = await peer.read()
    cost = {}
    # A drain that was cut off has enqueued more than it finished: its cost a job would be too high.
    if done >= jobs:
        commits = after[0] - before[0]
        cost = {"walBytesPerJob": wal / done, "commitsPerJob": commits / done, "deadTuples": after[1]}
    emit(scenario="drain", jobs=done, seconds=seconds, perSecond=done / seconds, **cost)


def main() -> None:
    """Reads the options that all peers share."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scenario", choices=["bulk", "latency"], default="bulk")
    parser.add_argument("--mode", choices=["fast", "defaults"], default="fast")
    parser.add_argument("--jobs", type=int, default=1000)
    parser.add_argument("--latency-seconds", type=int, default=3)
    parser.add_argument("--drain-seconds", type=float, default=20)
    asyncio.run(measure(parser.parse_args()))


if __name__ == "__main__":
    main()
