"""A former version beside this one: both on one PostgreSQL, under the load of chaos, with its checker of promises. Twice: once
the former version is killed at the end, as in an upgrade, and once this one, as in an upgrade that is taken back."""

from __future__ import annotations

import argparse
import re
import shutil
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

import checker
import history
from cluster import Node, Postgres, panics, wait_until
from load import KEY_LIMIT, TENANT_LIMITS, Caller, Load
from run import RECOVERY_SECONDS, read_final_state, say, wait_for_quiet

# A version that has this migration starts on the schema of a later one (docs/adr/0089-what-a-process-must-know.md).
STARTS_AGAIN_SINCE = b"m0077_needs"

# A process of each version must have done some of each.
SHARED_WORK = ["workflow-execution", "workflow-node"]


class Versions:
    """The processes of a run; those that are up, in the order of their versions."""

    def __init__(self, folder: Path, former: Path, present: Path) -> None:
        self.folder = folder
        self.postgres = Postgres(folder)
        binaries = [former, present]
        self.former, self.present = (
            Node(binary, folder, number, self.postgres.port, folder / "none") for number, binary in enumerate(binaries)
        )
        self.nodes: list[Node] = []

    def start(self, node: Node) -> None:
        """Starts a process, which brings the schema of its version."""
        node.start()
        wait_until(f"the start of node {node.number}", node.is_ready, 120)
        # Threads of the load read the list meanwhile: it is replaced as a whole.
        self.nodes = [*self.nodes, node]

    def kill(self, node: Node) -> None:
        """Ends a process without a word."""
        self.nodes = [other for other in self.nodes if other is not node]
        node.kill()

    def close(self) -> None:
        """Ends everything."""
        for node in (self.former, self.present):
            node.stop()
        self.postgres.stop()


def claimed(node: Node) -> dict[str, float]:
    """How many attempts a process has started, by queue."""
    with urllib.request.urlopen(f"http://127.0.0.1:{node.metrics_port}/metrics", timeout=5) as answer:
        text = answer.read().decode()
    lines = re.findall(r'^trunkline_jobs_claimed_total\{[^}]*queue="([^"]+)"[^}]*\} ([0-9.e+]+)$', text, re.MULTILINE)
    # One line for each tier.
    counts: dict[str, float] = {}
    for queue, count in lines:
        counts[queue] = counts.get(queue, 0.0) + float(count)
    return counts


def run(former: Path, present: Path, back: bool, arguments: argparse.Namespace) -> list[str]:
    """Answers what went wrong. The present version is taken back at the end, or the former one is gone for good."""
    seconds, seed = arguments.seconds, arguments.seed
    folder = Path(tempfile.mkdtemp(prefix="trunkline-versions-"))
    log = history.History(folder / "history.jsonl")
    versions = Versions(folder, former, present)
    try:
        versions.start(versions.former)
        load = Load(versions, log, seed)
        load.prepare()
        load.start()
        time.sleep(seconds / 4)
        say("the present version joins")
        versions.start(versions.present)
        time.sleep(seconds / 4)
        if STARTS_AGAIN_SINCE in former.read_bytes():
            say("the former version is killed and starts again")
            versions.kill(versions.former)
            versions.start(versions.former)
        time.sleep(seconds / 4)
        found = []
        for node, name in ((versions.former, "former"), (versions.present, "present")):
            work = claimed(node)
            say(f"the {name} version has claimed {work}")
            found += [f"the {name} version claimed nothing of {queue}" for queue in SHARED_WORK if not work.get(queue)]
        say(f"the {'present' if back else 'former'} version is killed")
        versions.kill(versions.present if back else versions.former)
        time.sleep(seconds / 4)
        log.record("healed")
        load.stop_feeding()
        caller = Caller(versions, seed)
        quiet = wait_for_quiet(caller, RECOVERY_SECONDS)
        if quiet is not None:
            log.record("quiet", seconds=quiet)
        load.stop()
        read_final_state(caller, log)
        judge = checker.Checker(RECOVERY_SECONDS, KEY_LIMIT, TENANT_LIMITS)
        judge.read(history.read(folder / "history.jsonl"))
        found += judge.faults() + [f"refused: {text}" for text in load.refused]
        found += [f"panic: {line}" for line in panics(folder)]
        say(f"load: {load.counts}; quiet after {quiet if quiet is None else round(quiet, 1)} s")
        return found
    finally:
        log.close()
        versions.close()
        if arguments.keep:
            say(f"kept: {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("former", type=Path, help="the binary of the former version")
    parser.add_argument("present", type=Path, help="the binary of this version")
    parser.add_argument("--seconds", type=float, default=40)
    parser.add_argument("--seed", type=int, default=20261123)
    parser.add_argument("--keep", action="store_true", help="keep history and logs")
    arguments = parser.parse_args()
    broken = 0
    for back in (False, True):
        say("back: the former version goes on alone" if back else "forward: the present version goes on alone")
        found = run(arguments.former.resolve(), arguments.present.resolve(), back, arguments)
        for fault in found[:50]:
            print(f"BROKEN {fault}")
        broken += len(found)
    if not broken:
        say("both versions did their share, and every promise held")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
