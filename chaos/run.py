"""One run: start, load, faults, heal, wait, read, check."""

from __future__ import annotations

import argparse
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import checker
import faults
import history
from usage import grown, usage
from cluster import LEASE_SECONDS, Cluster, panics
from load import KEY_LIMIT, TENANT_LIMITS, Caller, Load

# After the last fault: a lease that was just renewed runs out, retries wait for their backoff, a backlog drains.
RECOVERY_SECONDS = 60.0
OPEN = "SCHEDULED,QUEUED,PROCESSING,WAITING,RETRY_WAIT"


def say(text: str) -> None:
    """Prints at once, with the time."""
    print(f"{time.strftime('%H:%M:%S')} {text}", flush=True)


def items(caller: Caller, path: str) -> list[dict]:
    """All items of a list; raises when a page cannot be had."""
    found: list[dict] = []
    cursor = None
    while True:
        joiner = "&" if "?" in path else "?"
        answer = read_one(caller, f"{path}{joiner}limit=500" + (f"&cursor={cursor}" if cursor else ""))
        found += answer["items"]
        cursor = answer["nextCursor"]
        if not cursor:
            return found


def read_one(caller: Caller, path: str) -> dict:
    """The answer to a read; raises when there is none."""
    for _ in range(50):
        status, answer = caller.call("GET", path, timeout=30)
        if status == 200:
            return answer
        time.sleep(0.2)
    raise SystemExit(f"chaos: GET {path} is answered {status}: {answer}")


def wait_for_quiet(caller: Caller, seconds: float) -> float | None:
    """How long it takes until no job is open."""
    started = time.monotonic()
    while time.monotonic() - started < seconds:
        # By status first, since that is quick. A job that changes between two of these lists is in neither, so that all jobs
        # are looked at before it is believed: after a long run that takes long itself, and is no part of the recovery.
        if not any(items(caller, f"/v1/jobs?status={status}") for status in OPEN.split(",")):
            quiet = time.monotonic() - started
            if not any(job["status"] in OPEN.split(",") for job in items(caller, "/v1/jobs")):
                return quiet
        time.sleep(0.5)
    return None


def read_final_state(caller: Caller, log: history.History) -> None:
    """Writes what the server has at the end to the history."""
    for job in items(caller, "/v1/jobs"):
        data = job.get("data")
        log.record("final.job", id=job["id"], status=job["status"], key=data.get("key") if isinstance(data, dict) else None)
    # What names something is read before what it names.
    for schedule in items(caller, "/v1/schedules"):
        for run in items(caller, f"/v1/schedules/{schedule['id']}/runs"):
            if run.get("executionId"):
                log.record("final.run", schedule=schedule["id"], instant=run["scheduledFor"], executionId=run["executionId"])
    for execution in items(caller, "/v1/executions"):
        nodes = read_one(caller, f"/v1/executions/{execution['id']}/nodes")["items"]
        states = {node["nodeId"]: node["status"] for node in nodes}
        log.record("final.execution", id=execution["id"], status=execution["status"], nodes=states)
        trigger = execution["trigger"]
        if trigger["kind"] == "schedule":
            # The history of a schedule has one row for an instant, whatever was started: the executions themselves say it.
            fire = {"schedule": trigger["scheduleId"], "instant": trigger["scheduledFor"]}
            log.record("final.fire", **fire, executionId=execution["id"])


def once(arguments: argparse.Namespace, schedule: list[faults.Fault] | None) -> tuple[list[str], list[faults.Fault]]:
    """One run. Answers the broken promises and the faults that were carried out."""
    folder = Path(tempfile.mkdtemp(prefix="trunkline-chaos-"))
    log = history.History(folder / "history.jsonl")
    cluster, load = None, None
    try:
        binary = Path(arguments.binary).resolve()
        cluster = Cluster(binary, folder, arguments.db, arguments.nodes, arguments.seconds)
        if schedule is None:
            schedule = faults.draw(arguments.seed, arguments.seconds, arguments.db, cluster)
        if missing := {fault.kind for fault in schedule} & cluster.impossible:
            raise SystemExit(f"chaos: this machine does not allow {sorted(missing)}")
        for skipped in cluster.skipped:
            say(f"SKIPPED {skipped}")
        load = Load(cluster, log, arguments.seed)
        load.prepare()
        load.start()
        nemesis = faults.Nemesis(cluster, say)
        try:
            nemesis.run(schedule, arguments.seconds)
        except (OSError, subprocess.SubprocessError) as failed:
            # A node that does not come back, for one: the schedule is worth more than a trace.
            return [f"P4: {failed}"] + [f"panic: {line}" for line in panics(folder)], schedule
        log.record("healed")
        load.stop_feeding()
        caller = Caller(cluster, arguments.seed)
        quiet = wait_for_quiet(caller, RECOVERY_SECONDS)
        if quiet is not None:
            log.record("quiet", seconds=quiet)
        load.stop()
        held = [usage(node.pid()) for node in cluster.nodes]
        say(f"at the end: {held}")
        read_final_state(caller, log)
        say(f"load: {load.counts}; {len(schedule)} faults; quiet after {quiet if quiet is None else round(quiet, 1)} s")
        judge = checker.Checker(RECOVERY_SECONDS, KEY_LIMIT, TENANT_LIMITS)
        judge.read(history.read(folder / "history.jsonl"))
        found = judge.faults() + [f"refused: {text}" for text in load.refused]
        found += [f"panic: {line}" for line in panics(folder)]
        found += [f"{kind} never met anything, so that it was not tested" for kind in nemesis.without_effect()]
        if arguments.seconds >= faults.LONG:
            for number, (before, after) in enumerate(zip(nemesis.before, held)):
                found += grown(number, before, after)
        if min(load.counts.values()) == 0:
            found.append(f"the load did nothing, so that nothing was tested: {load.counts}")
        return found, schedule
    finally:
        if load:
            load.abandon()
        log.close()
        if cluster:
            cluster.close()
        if arguments.keep:
            say(f"kept: {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)


def shrink(arguments: argparse.Namespace, schedule: list[faults.Fault]) -> list[faults.Fault]:
    """Drops halves, then single faults, as long as the run still fails; at most `--shrink` runs."""
    tries, size = arguments.shrink, max(1, len(schedule) // 2)
    while tries > 0 and len(schedule) > 1:
        for start in range(0, len(schedule), size):
            smaller = schedule[:start] + schedule[start + size :]
            tries -= 1
            if smaller and once(arguments, smaller)[0]:
                schedule = smaller
                break
            if tries == 0:
                return schedule
        else:
            if size == 1:
                return schedule
            size = max(1, size // 2)
    return schedule


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", default="target/debug/trunkline", help="the server to test")
    parser.add_argument("--db", choices=["sqlite", "postgres"], default="postgres")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, help="what the faults and the load are drawn from (default: a fresh one)")
    parser.add_argument("--nodes", type=int, help="how many processes (default: 3 on PostgreSQL, 1 on SQLite)")
    parser.add_argument("--shrink", type=int, default=6, metavar="RUNS", help="after a failure, look for fewer faults (6)")
    parser.add_argument("--faults", metavar="FAULTS", help="these instead of any that are drawn, as a failure prints them")
    parser.add_argument("--keep", action="store_true", help="keep history and logs")
    arguments = parser.parse_args()
    # Ends as an exception does, so that processes are ended and disks are given back.
    signal.signal(signal.SIGTERM, lambda number, _frame: sys.exit(128 + number))
    if arguments.seed is None:
        arguments.seed = random.SystemRandom().randrange(1 << 31)
    # A SQLite file has one owner.
    arguments.nodes = 1 if arguments.db == "sqlite" else arguments.nodes or 3
    say(f"chaos on {arguments.db}: seed {arguments.seed}, {arguments.seconds:.0f} s, lease {LEASE_SECONDS:.0f} s")
    asked = [faults.Fault.parse(text) for text in arguments.faults.split(",")] if arguments.faults else None
    found, schedule = once(arguments, asked)
    if not found:
        say("every promise held")
        return 0
    for fault in found[:50]:
        print(f"BROKEN {fault}")
    if arguments.shrink:
        schedule = shrink(arguments, schedule)
    print("faults, in order:", *schedule, sep="\n  ")
    repeat = f"make chaos SECONDS={arguments.seconds:.0f} SEED={arguments.seed} DB={arguments.db}"
    print(f"repeat: {repeat}")
    print(f"repeat with these faults alone: {repeat} FAULTS={','.join(fault.text() for fault in schedule)}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
