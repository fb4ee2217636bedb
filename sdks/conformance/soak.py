#!/usr/bin/env python3
"""Runs jobs through workers of several languages at once, kills workers and the server, and checks the history.

    sdks/conformance/soak.py --binary target/debug/trunkline --jobs 5000 --driver "python=python3 …" --driver "go=…"

Each language has a worker over REST and one over gRPC. Handlers record outside of the store what they do; `history.py`
holds that against what the server shows in the end: no job is lost, and none is settled twice. The same seed makes the
same plan.
"""

from __future__ import annotations

import argparse
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from history import History, read
from processes import KEY, Server, Worker, until

JOB_TYPE = "soak"
BATCH = 1_000
PAGE = 500
OPEN = ("SCHEDULED", "QUEUED", "PROCESSING", "RETRY_WAIT")
#: A soak that gets no further for so long has lost something.
STALLED = 60.0


class Soak:
    """A server, two workers of each language, and what they do."""

    def __init__(self, chosen: argparse.Namespace, folder: Path) -> None:
        self.folder, self.jobs = folder, chosen.jobs
        self.random = random.Random(chosen.seed)
        self.drivers = dict(one.split("=", 1) for one in chosen.driver)
        self.records = folder / "history"
        self.records.mkdir()
        self.server = Server(chosen.binary, folder / "server", {})
        self.workers: dict[str, Worker] = {}
        self.history = History({}, {})
        self.kills: list[str] = []
        self.requeued = 0
        #: How far the records of each process were read, and how many attempts had ended by then.
        self.read: dict[Path, tuple[int, int]] = {}

    def carry_out(self) -> list[str]:
        """Runs all of it and gives what was not kept."""
        for number in range(0, self.jobs, BATCH):
            self._enqueue(range(number, min(number + BATCH, self.jobs)))
        for name in self.drivers:
            for transport in ("rest", "grpc"):
                self._start(f"{name} over {transport}")
        self._disturb()
        self._await("all jobs are done", self._is_done)
        for worker in self.workers.values():
            worker.send("TERM")
        codes = {name: worker.process.wait(40) for name, worker in self.workers.items()}
        final = self._final()
        for file in sorted(self.records.iterdir()):
            self.history.lines += read(file.read_text())
        faults = self.history.faults(final)
        faults += [f"the worker {name} ended with {code}" for name, code in codes.items() if code != 0]
        served = {file.name.split("-")[0] for file in self.records.iterdir()}
        faults += [f"{name} served nothing" for name in self.drivers if name not in served]
        return faults

    def close(self) -> None:
        """Ends what is left."""
        for worker in self.workers.values():
            worker.end()
        self.server.stop()

    def _enqueue(self, numbers: range) -> None:
        # Of five jobs one fails once, of fifty one twice: retries are in the mix.
        failures = [2 if n % 50 == 0 else 1 if n % 5 == 0 else 0 for n in numbers]
        jobs = [
            {"jobType": JOB_TYPE, "data": {"n": n, "fail": fail, "dir": str(self.records)}, "maxRetries": 50}
            for n, fail in zip(numbers, failures, strict=True)
        ]
        status, answer = self.server.call("POST", "/v1/jobs/batch", {"jobs": jobs})
        if status != 202:
            raise AssertionError(f"jobs were not enqueued: {status} {answer}")
        for n, fail, result in zip(numbers, failures, answer["results"], strict=True):
            self.history.numbers[result["id"]], self.history.failures[result["id"]] = n, fail

    def _start(self, name: str) -> None:
        language, _, transport = name.split()
        environment = {
            "TRUNKLINE_API_KEY": KEY, "TRUNKLINE_URL": self.server.url, "TRUNKLINE_TRANSPORT": transport,
            "TRUNKLINE_GRPC_URL": f"http://{self.server.grpc_address}", "CONFORMANCE_SILENCE": "10s",
        }
        log = self.folder / f"{language}-{transport}.log"
        self.workers[name] = Worker(self.drivers[language], environment, log)

    def _disturb(self) -> None:
        """Kills one process after the other, at a job of each part of the run that the seed says."""
        plan = [*self.workers, "server", "server"]
        self.random.shuffle(plan)
        part = max(1, self.jobs // (len(plan) + 1))
        for number, name in enumerate(plan):
            self._await_attempts(part * number + self.random.randrange(part))
            self.kills.append(name)
            if name == "server":
                self.server.stop(signal.SIGKILL)
                self.server.start()
                self._look()
            else:
                self.workers[name].end()
                self._start(name)

    def _await_attempts(self, count: int) -> None:
        self._await(f"{count} attempts have ended", lambda: self._ended() >= count)

    def _await(self, what: str, condition: Callable[[], bool]) -> None:
        """Waits for something, as long as handlers get further."""
        last, since = -1, time.monotonic()

        def has_come() -> bool:
            nonlocal last, since
            if (now := self._ended()) != last:
                last, since = now, time.monotonic()
            if time.monotonic() - since > STALLED:
                raise AssertionError(f"{now} of {self.jobs} have ended, and nothing more, after kills of {self.kills}")
            return condition()

        until(what, has_come, 7_200.0)

    def _ended(self) -> int:
        """How many attempts handlers have ended."""
        for file in self.records.iterdir():
            offset, count = self.read.get(file, (0, 0))
            with file.open("rb") as records:
                records.seek(offset)
                whole, newline, _ = records.read().rpartition(b"\n")
            self.read[file] = (offset + len(whole) + len(newline), count + whole.count(b"end "))
        return sum(count for _, count in self.read.values())

    def _look(self) -> None:
        """Keeps the results that are there now: they must not change any more."""
        for job in self._listed("&status=COMPLETED"):
            self.history.seen.setdefault(job["id"], set()).add(job["result"]["nonce"])

    def _is_done(self) -> bool:
        # By status first, since that is quick. A job that goes from one of them to another meanwhile is in no list.
        if any(next(self._listed(f"&status={status}", 1), None) for status in OPEN):
            return False
        return not any(job["status"] in OPEN for job in self._listed("")) and not self._requeue()

    def _requeue(self) -> bool:
        """A job that lost its worker three times in a row waits for a decision: it is put back, and that is counted."""
        filters = f"jobType={JOB_TYPE}&reason=worker_lost&status=open&limit={PAGE}"
        status, found = self.server.call("GET", f"/v1/dead-letters?{filters}")
        if status != 200:
            raise AssertionError(f"dead letters were not listed: {status} {found}")
        for letter in found["items"]:
            status, answer = self.server.call("POST", f"/v1/dead-letters/{letter['id']}/requeue", {})
            if status != 200:
                raise AssertionError(f"a dead letter was not put back: {status} {answer}")
            self.requeued += 1
        return len(found["items"]) > 0

    def _listed(self, filters: str, page: int = PAGE) -> Iterator[dict[str, Any]]:
        cursor = ""
        while True:
            status, answer = self.server.call("GET", f"/v1/jobs?jobType={JOB_TYPE}&limit={page}{filters}{cursor}")
            if status != 200:
                raise AssertionError(f"jobs were not listed: {status} {answer}")
            yield from answer["items"]
            if not answer.get("nextCursor"):
                return
            cursor = f"&cursor={answer['nextCursor']}"

    def _final(self) -> dict[str, dict[str, Any]]:
        """All jobs, those with more than one attempt with their attempts."""
        final = {job["id"]: job for job in self._listed("")}
        retried = [job for job, shown in final.items() if shown["retryCount"] > 0]
        with ThreadPoolExecutor(8) as pool:
            for status, shown in pool.map(lambda job: self.server.call("GET", f"/v1/jobs/{job}"), retried):
                if status != 200:
                    raise AssertionError(f"a job was not read: {status} {shown}")
                final[shown["id"]] = shown
        return final


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--driver", action="append", required=True, metavar="LANGUAGE=COMMAND")
    parser.add_argument("--jobs", type=int, default=5_000)
    parser.add_argument("--seed", type=int, default=20_261_126)
    parser.add_argument("--keep", action="store_true", help="keep logs, records and the database")
    chosen = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="trunkline-soak-"))
    started = time.monotonic()
    soak = Soak(chosen, folder)
    try:
        faults = soak.carry_out()
    finally:
        soak.close()
        if chosen.keep:
            print(f"logs in {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)
    for fault in faults[:50]:
        print(f"FAILED   {fault}")
    attempts = sum(line.what == "start" for line in soak.history.lines)
    print(
        f"soak of {chosen.jobs} jobs in {', '.join(soak.drivers)}: {attempts} attempts, {len(soak.kills)} kills, "
        f"{soak.requeued} put back, {len(faults)} faults in {time.monotonic() - started:.0f} s (seed {chosen.seed})")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
