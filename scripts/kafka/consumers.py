"""Workers of the five SDKs in one consumer group, with a newcomer, one that is killed and some that are stopped."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path

from brokers import DEADLINE, OWNED, wait_for
from kit import KEY, Run, Server

ROOT = Path(__file__).resolve().parents[2]
SDKS = ROOT / "sdks"
#: How long a handler takes.
WORK_MS = 15
#: How long those take that still run when the members of the group change, which read their messages again: some end before the others,
#: so that their workers ask about what they still run, and some take longer than a lease.
LONG_MS = (6_000, 12_000)
LEASE = "10s"
#: More than all workers run at once, in each partition, and so many behind them that all buffers are full.
LONG_JOBS, BEHIND = 60, 150
SLOTS = 4


def commands() -> dict[str, list[str]]:
    """How the worker of each SDK is started; those that were built, as scripts/test-kafka.sh does."""
    built = Path(os.environ.get("TRUNKLINE_KAFKA_WORKERS", ROOT / "target" / "kafka" / "workers"))
    java = SDKS / "java" / "kafka"
    jars = [java / "target" / "trunkline-kafka-0.1.0.jar", java / "target" / "lib" / "*"]
    found = {
        "python": [sys.executable, str(SDKS / "python" / "conformance" / "kafka_worker.py")],
        "go": [str(built / "go")],
        "rust": [str(built / "rust")],
        "typescript": ["node", str(SDKS / "typescript" / "conformance" / "kafka-worker.mjs")],
        "java": ["java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m", "-cp", ":".join(map(str, jars)),
                 str(java / "conformance" / "KafkaWorker.java")],
    }
    needs = {"go": built / "go", "rust": built / "rust", "java": jars[0],
             "typescript": SDKS / "typescript" / "dist" / "esm" / "kafka.js"}
    for name, needed in needs.items():
        if not needed.exists():
            print(f"SKIPPED  {name} among the SDKs that read Kafka: {needed} is not built", flush=True)
            del found[name]
    return found


class Process:
    """A worker of an SDK, and what it says that it ran."""

    def __init__(self, name: str, command: list[str], job_type: str, server: Server, log: Path) -> None:
        self.name, self.log = name, log
        environment = {key: value for key, value in os.environ.items() if not key.startswith("TRUNKLINE_")}
        environment |= {"TRUNKLINE_URL": server.url, "TRUNKLINE_API_KEY": KEY, "TRUNKLINE_TRANSPORT": "kafka",
                        "TRUNKLINE_KAFKA_BROKERS": server.brokers.address, "TRUNKLINE_DRAIN_TIMEOUT": "10s"}
        self.process = subprocess.Popen([*OWNED, *command, job_type], env=environment, stdout=subprocess.PIPE,
                                        stderr=log.open("wb"), text=True)
        self.ran: list[tuple[str, int]] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        for line in self.process.stdout:
            # Two handlers may write at once, so that one line has what both say.
            for job, number in re.findall(r"ran (\S+) (\d+?)(?=ran |\s|$)", line):
                self.ran.append((job, int(number)))

    def check(self) -> None:
        assert self.process.poll() is None, f"{self.name} ended:\n{self.log.read_text()[-3000:]}"

    def stop(self) -> None:
        """Asks it to end, which it does by itself and without a fault."""
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(DEADLINE)
        self._reader.join(10)
        # A JVM that ends by a signal says so with its code, whatever its hooks did.
        assert code in (0, 128 + signal.SIGTERM), f"{self.name} ended with {code}:\n{self.log.read_text()[-3000:]}"

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        self._reader.join(10)


def sdks_share_the_jobs(run: Run) -> None:
    """JSON envelopes, with a newcomer and one that is killed."""
    share(run, "shared", members_change=True)


def sdks_read_protobuf(run: Run) -> None:
    """The same with protobuf envelopes, and nothing besides."""
    share(run, "shared-protobuf", members_change=False, TRUNKLINE_KAFKA__ENVELOPE="protobuf")


def share(run: Run, job_type: str, *, members_change: bool, **settings: str) -> None:
    """A group with a member of each SDK."""
    server = run.server(run.database(), TRUNKLINE_KAFKA__PARTITIONS="6",
                        TRUNKLINE_QUEUES__WORKFLOW_NODE__LEASE=LEASE, **settings)
    known = commands()
    processes: list[Process] = []

    def start(name: str) -> Process:
        log = run.directory / f"{job_type}-{name}-{len(processes)}.log"
        processes.append(Process(name, known[name], job_type, server, log))
        return processes[-1]

    def enqueue(count: int, *times: int, tiers: tuple[str, ...] = ("high", "normal", "low")) -> list[str]:
        lengths = times or (WORK_MS,)
        jobs = [{"jobType": job_type, "data": {"ms": lengths[number % len(lengths)]}, "priority": tiers[number % len(tiers)]}
                for number in range(count)]
        return [job["id"] for job in server.post("/v1/jobs/batch", {"jobs": jobs})["results"]]

    try:
        ids = enqueue(60)
        members = {name: start(name) for name in known}

        def all_have_run() -> bool:
            nonlocal ids
            for member in members.values():
                member.check()
            if all(member.ran for member in members.values()):
                return True
            if server.offers() < 20:
                ids += enqueue(20)
            return False

        wait_for("each SDK has run a job", all_have_run)
        ids += enqueue(100)
        if members_change:
            # A newcomer takes partitions from the others, in the middle of long jobs; later, another one dies in the middle of its jobs.
            long_ones = enqueue(LONG_JOBS, *LONG_MS, tiers=("high",))
            ids += long_ones + enqueue(BEHIND, tiers=("high",))
            wait_for("most slots have long jobs", lambda: at_work(server, long_ones) > 0.7 * SLOTS * len(members))
            newcomer = start("go" if "go" in known else "python")
            ids += enqueue(100)

            def newcomer_has_run() -> bool:
                nonlocal ids
                newcomer.check()
                if not newcomer.ran and server.offers() < 20:
                    ids += enqueue(20)
                return bool(newcomer.ran)

            wait_for("the newcomer has run some", newcomer_has_run)
            wait_for("the long jobs are completed", lambda: server.completed(long_ones))
            check(server, long_ones, processes, again_max=0)
            ids += enqueue(60)
            members["python"].kill()
            ids += enqueue(60)
        wait_for("all are completed", lambda: server.completed(ids))
        for process in processes:
            if process.process.poll() is None:
                process.stop()
        # The one that died can have had so many.
        check(server, ids, processes, again_max=8)
        counts = Counter(process.name for process in processes for _ in process.ran)
        print(f"     {len(ids)} jobs: {dict(counts)}", flush=True)
    except AssertionError:
        for process in processes:
            print(f"--- {process.name}: ran {len(process.ran)}\n{process.log.read_text()[-1500:]}", flush=True)
        raise
    finally:
        for process in processes:
            if process.process.poll() is None:
                process.kill()


def at_work(server: Server, ids: list[str]) -> int:
    """How many of these jobs run."""
    running = server.get("/v1/jobs?status=PROCESSING&limit=100")["items"]
    return len({job["id"] for job in running} & set(ids))


def check(server: Server, ids: list[str], processes: list[Process], *, again_max: int) -> None:
    """Nothing is lost, nothing settled twice, and no attempt ran twice; so many jobs may have had another, all of one worker."""
    turns = Counter(turn for process in processes for turn in process.ran)
    twice = [turn for turn, count in turns.items() if count > 1]
    assert not twice, f"these attempts ran twice: {twice[:5]}"
    again, losers = 0, set()
    for job_id in ids:
        job = server.job(job_id)
        assert job["status"] == "COMPLETED", job
        settled = [attempt for attempt in job["attempts"] if attempt["status"] == "COMPLETED"]
        assert len(settled) == 1, job
        again += len(job["attempts"]) > 1
        losers |= {attempt["workerId"] for attempt in job["attempts"] if attempt["status"] == "WORKER_LOST"}
    assert again <= again_max, f"{again} jobs had another attempt, after leases of {losers or 'nobody'} were lost"
    assert len(losers) <= 1, f"{losers} lost leases: all but one of them went on"
