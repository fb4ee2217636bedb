"""Polls against Kafka on the same machine: how long a job takes from its creation to its handler, and how many a second.

Run by scripts/bench-kafka.sh. The clients are the same in both modes but for where their jobs come from: threads of Python that
take up to 50 jobs, and complete them with one call. Writes load-tests/results/kafka.md and kafka.json, in the form of the others,
and the table of docs/kafka.md. Nothing is waited for without a bound; what does not fit into the time is left out and named, and so is
what failed, which ends no other measurement.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from brokers import end_what_is_started, wait_for
from clients import Crew, Task
from kit import KEY, NO_ANSWER, Run, Server
from spent import Spent

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "load-tests" / "results"
PAGE = ROOT / "docs" / "kafka.md"
#: Between these lines of the page are the figures of the last run.
MARKS = ("<!-- figures of scripts/bench-kafka.sh -->", "<!-- end of figures -->")
TITLE = "Kafka against polls"
EXPLANATION = (
    "Jobs over REST on loopback, by workers that poll (reference) and by workers of a consumer group (Trunkline through Kafka), in turns "
    "on the same PostgreSQL; clients, servers, the broker and the database share the machine. A worker is a thread of a Python process, "
    "one for each processor, that takes up to 50 jobs with one call and completes them with one. *Created to handled*: single jobs at a "
    "steady rate, from when each was to be enqueued until the worker has the lease, so that an enqueue that is late counts. *Rate*: jobs "
    "that are completed in a span during which thousands wait, after a span in which windows open; each round has topics of its own. "
    "*Catch-up*: jobs that came while the broker was away, by workers that take up to 500 of them with one call and read of a message "
    "what that needs; from the first that is accepted after its return to the last, and the second half of them, because a broker that "
    "has just begun is slow. There is nothing to compare that with: the reference is the target. What the processors spent meanwhile is "
    "said for each part, because the workers and the broker would have machines of their own."
)

TAKEN_AT_ONCE = 50
#: For what is measured after an outage.
TAKEN_AT_ONCE_LATE = 500
#: A worker without a partition has nothing to do.
PARTITIONS_LEAST = 12
#: How many jobs a second are to be offered and accepted when Kafka is back.
CATCH_UP_LEAST = 20_000.0
#: How many jobs wait while a rate is measured.
WAITING = 10_000
#: What one enqueue brings at most.
AT_ONCE = 500
#: What ends a measurement, and no other one.
FAULTS = (AssertionError, ValueError, KeyError, subprocess.SubprocessError, *NO_ANSWER)
FIGURES = (("rate", "rate", "jobs/s"), ("p50", "created to handled, p50", "ms"), ("p99", "created to handled, p99", "ms"))


#: Figures by layout, mode and name.
Found = dict[tuple[int, int], dict[str, dict[str, float]]]


def enqueue(server: Server, job_type: str, count: int, at: float | None = None) -> None:
    at = time.monotonic() if at is None else at
    server.post("/v1/jobs/batch", {"jobs": [{"jobType": job_type, "data": {"at": at}} for _ in range(count)]})


class Feeder(threading.Thread):
    """Sees to it that thousands of jobs wait, until it is ended."""

    def __init__(self, server: Server, job_type: str, crew: Crew) -> None:
        super().__init__(daemon=True)
        self.server, self.job_type, self.crew, self.sent = server, job_type, crew, crew.done
        self.ended, self.fault = threading.Event(), ""

    def run(self) -> None:
        try:
            while not self.ended.is_set():
                if self.sent - self.crew.done < WAITING:
                    enqueue(self.server, self.job_type, AT_ONCE)
                    self.sent += AT_ONCE
                else:
                    self.ended.wait(0.01)
        except Exception as fault:  # noqa: BLE001 - the measurement ends with it
            self.fault = repr(fault)

    def stop(self) -> None:
        self.ended.set()
        self.join(60)
        assert not self.fault, self.fault


def latencies(server: Server, job_type: str, crew: Crew, options: argparse.Namespace) -> dict[str, float]:
    """Single jobs, each at its instant, whatever became of the one before."""
    count = options.rate * options.seconds
    crew.latencies.clear()
    total, began = crew.done + count, time.monotonic()
    for number in range(count):
        at = began + number / options.rate
        time.sleep(max(0.0, at - time.monotonic()))
        enqueue(server, job_type, 1, at)
    wait_for("all are done", lambda: crew.has(crew.done >= total))
    percentiles = statistics.quantiles(crew.latencies, n=100)
    return {"p50": percentiles[49] * 1000, "p99": percentiles[98] * 1000}


def rate(run: Run, servers: list[Server], job_type: str, crew: Crew, options: argparse.Namespace) -> dict[str, float]:
    """Jobs a second while more wait than are taken, and which part of the processors others used meanwhile."""
    feeder = Feeder(servers[0], job_type, crew)
    feeder.start()
    time.sleep(options.warm)
    spent = Spent(server=[server.pid() for server in servers], Kafka=run.brokers.pids(), workers=crew.pids())
    before, began = crew.done, time.monotonic()
    time.sleep(options.span)
    done, took = crew.done - before, time.monotonic() - began
    others = spent.since()["others"] / took / (os.cpu_count() or 1)
    feeder.stop()
    crew.has(True)
    assert done > 0, "nothing was done"
    return {"rate": done / took, "others": others}


def topics_of(job_type: str) -> list[str]:
    return [f"trunkline.jobs.{job_type}.{tier}" for tier in ("high", "normal", "low")]


def round_of(run: Run, mode: str, workers: int, nodes: int, options: argparse.Namespace) -> dict[str, float]:
    database, job_type = run.database(), f"bench-{uuid.uuid4().hex[:8]}"
    partitions = str(max(PARTITIONS_LEAST, workers))
    settings = {"TRUNKLINE_DISPATCH__MODE": mode, "TRUNKLINE_KAFKA__PARTITIONS": partitions, "TRUNKLINE_LOG__FILTER": "warn"}
    servers = [run.server(database, **(settings | options.trial)) for _ in range(nodes)]
    urls, crew = [server.url for server in servers], Crew()
    try:
        # They subscribe once the topics are there, or would look for them every second.
        enqueue(servers[0], job_type, 20)
        if mode != "polling":
            wait_for("the topics are there", lambda: all(map(run.brokers.has_topic, topics_of(job_type))))
        crew.start(Task(mode, KEY, urls, run.brokers.address, job_type, TAKEN_AT_ONCE), workers)
        wait_for("all workers are there", lambda: crew.has(crew.done >= 20 and len(crew.ready) == workers), 120)
        wait_for("the group is at rest", lambda: crew.has(crew.rested() > options.settle), 120)
        figures = latencies(servers[0], job_type, crew, options) | rate(run, servers, job_type, crew, options)
    finally:
        crew.stop()
        run.clean()
    if mode != "polling":
        run.brokers.delete_topics(topics_of(job_type))
    return figures


@dataclass(frozen=True)
class CatchUp:
    """How many jobs a second are taken that came while Kafka was away, and what one cost the processors meanwhile, by the part that
    spent it, in microseconds."""

    all: float
    second_half: float
    costs: dict[str, float]
    #: How many jobs a call brought: what a job costs depends on it in all parts.
    by_call: float


def catch_up(run: Run, options: argparse.Namespace, *, completes: bool) -> CatchUp:
    # What is only accepted is not to come back while others are counted.
    job_type = f"late-{uuid.uuid4().hex[:8]}"
    settings = {"TRUNKLINE_LOG__FILTER": "warn", "TRUNKLINE_KAFKA__PARTITIONS": str(PARTITIONS_LEAST),
                "TRUNKLINE_QUEUES__WORKFLOW_NODE__LEASE": "10m"}
    server = run.server(run.database(), **(settings | options.trial))
    task = Task("kafka_outbox", KEY, [server.url], run.brokers.address, job_type, TAKEN_AT_ONCE_LATE, completes, reads_all=False,
                properties=tuple(options.of_consumers.items()))
    crew = Crew()

    def taken() -> int:
        return crew.done if completes else len(crew.latencies)

    try:
        enqueue(server, job_type, 20)
        wait_for("the topics are there", lambda: all(map(run.brokers.has_topic, topics_of(job_type))))
        crew.start(task, options.catch_up_workers)
        wait_for("all workers are there", lambda: crew.has(len(crew.ready) == options.catch_up_workers and taken() >= 20), 120)
        run.brokers.kill()
        wait_for("the server says so", lambda: "brokerAwaySince" in server.get("/readyz"))
        count = options.backlog // AT_ONCE * AT_ONCE
        for _ in range(count // AT_ONCE):
            enqueue(server, job_type, AT_ONCE)
        crew.latencies.clear()
        crew.done = crew.calls = 0
        run.brokers.start(1)
        wait_for("the first are taken", lambda: crew.has(taken() > 0))
        spent = Spent(server=[server.pid()], Kafka=run.brokers.pids(), workers=crew.pids())
        began, before = time.monotonic(), taken()
        wait_for("half are taken", lambda: crew.has(taken() >= count // 2), 300)
        middle, half = time.monotonic(), taken()
        wait_for("all are taken", lambda: crew.has(taken() >= count), 300)
        ended, jobs = time.monotonic(), count - before
        costs = {part: seconds / jobs * 1e6 for part, seconds in spent.since().items()}
        return CatchUp(jobs / (ended - began), (count - half) / (ended - middle), costs, count / crew.calls)
    finally:
        crew.stop()
        run.clean()


def spread(values: list[float]) -> dict[str, float]:
    return {"median": statistics.median(values), "min": min(values), "max": max(values)}


def facts(options: argparse.Namespace, load: float, took: float, found: Found, left_out: list[str],
          failed: list[str]) -> list[list[str]]:
    commit = subprocess.run(["git", "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True, check=False).stdout.strip()
    return [
        ["date", time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime())],
        ["commit", commit or "unknown"],
        ["processors", str(os.cpu_count())],
        ["kernel", f"{platform.system()} {platform.release()}"],
        ["load average before", f"{load:.2f}"],
        ["size", f"rate: {options.rate} jobs/s for {options.seconds} s, span: {options.span} s after {options.warm} s, "
                 f"backlog: {options.backlog}, rounds: {options.rounds}"],
        *([["others used of the processors", used_by_others(found)]] if found else []),
        ["build", options.build],
        *([["note", options.note]] if options.note else []),
        *([["left out, because the time was over", ", ".join(left_out)]] if left_out else []),
        *([["failed", "; ".join(failed)]] if failed else []),
        ["took", f"{took:.0f} s"],
    ]


def write(lines: list[dict[str, Any]], said: list[str], of: list[list[str]]) -> None:
    report = {"title": TITLE, "explanation": EXPLANATION, "lines": lines, "sections": said, "comparisons": [], "facts": of}
    (RESULTS / "kafka.json").write_text(json.dumps(report, indent=2) + "\n")
    rows = []
    for line in lines:
        polls, kafka = line["reference"], line["ours"]
        shown = [f"{rounded(one['median'])} ({rounded(one['min'])} to {rounded(one['max'])})" for one in (polls, kafka)]
        met = "–"
        if line["target"]:
            least = line["target"]["ValueMin"]
            shown[0], met = f"≥ {least:,.0f}", "met" if kafka["median"] >= least else "**missed**"
        rows.append(f"| {line['what']} | {line['unit']} | {shown[0]} | {shown[1]} | **{kafka['median'] / polls['median']:.2f}** | {met} |")
    text = [f"# {TITLE}", "", EXPLANATION, "", "Each figure is the median (smallest to largest) of its rounds.",
            "The ratio counts; absolute figures are those of one machine on one day.", "",
            "| figure | unit | polls | Kafka | ratio | |", "|---|---|---|---|---|---|", *rows, "",
            *(part for one in said for part in (one, "")), *(f"- {name}: {what}" for name, what in of)]
    (RESULTS / "kafka.md").write_text("\n".join(text) + "\n")


def used_by_others(found: Found) -> str:
    shares = [figures["others"] for modes in found.values() for figures in modes.values()]
    return f"{statistics.median(shares):.0%} as a rule and {max(shares):.0%} at most, while rates were measured"


def rounded(value: float) -> str:
    return f"{value:,.1f}" if value < 100 else f"{value:,.0f}"


def called(nodes: int, workers: int) -> str:
    return f"{nodes} node{'s' if nodes > 1 else ''}, {workers} worker{'s' if workers > 1 else ''}"


def growth(found: Found) -> list[str]:
    """How the rates grow with the workers of one node, and with nodes of as many workers."""

    def said(what: str, first: tuple[int, int], last: tuple[int, int]) -> str:
        by = [f"{name} from {found[first][mode]['rate']:,.0f} to {found[last][mode]['rate']:,.0f} jobs/s "
              f"({found[last][mode]['rate'] / found[first][mode]['rate']:.2f} times)"
              for mode, name in (("polling", "polls"), ("kafka_outbox", "Kafka"))]
        return f"{what}: {', '.join(by)}."

    sentences = []
    of_one_node = sorted(layout for layout in found if layout[0] == 1)
    if len(of_one_node) > 1:
        first, last = of_one_node[0], of_one_node[-1]
        sentences.append(said(f"On one node, from {first[1]} to {last[1]} workers", first, last))
    for workers in sorted({layout[1] for layout in found}):
        nodes = sorted(layout for layout in found if layout[1] == workers)
        if len(nodes) > 1:
            sentences.append(said(f"With {workers} workers, from {nodes[0][0]} to {nodes[-1][0]} nodes", nodes[0], nodes[-1]))
    return sentences


def where_it_pays(found: Found) -> list[str]:
    if not found:
        return []
    ahead = [called(*layout) for layout in sorted(found)
             if found[layout]["kafka_outbox"]["rate"] > found[layout]["polling"]["rate"]]
    return [f"More jobs a second were handled through Kafka {'with ' + '; with '.join(ahead) if ahead else 'nowhere'}."]


def how_sure(found: Found, options: argparse.Namespace) -> list[str]:
    """How far apart the rates of all layouts are: a difference within one of them says little where that is much."""
    if len(found) < 2:
        return []
    apart = {}
    for mode in ("polling", "kafka_outbox"):
        rates = [figures[mode]["rate"] for figures in found.values()]
        apart[mode] = max(rates) / min(rates)
    times = "once" if options.rounds == 1 else f"{options.rounds} times"
    return [f"From the slowest layout to the fastest, rates differ {apart['polling']:.1f} times by polls and "
            f"{apart['kafka_outbox']:.1f} times through Kafka; each was measured {times}."]


def of_catch_ups(catch_ups: dict[str, CatchUp], options: argparse.Namespace) -> list[str]:
    sentences = []
    for what, found in catch_ups.items():
        parts = ", ".join(f"{part} {cost:,.0f}" for part, cost in found.costs.items())
        ours = found.costs["server"] + found.costs["PostgreSQL"]
        sentences.append(
            f"After an outage {found.all:,.0f} jobs a second were {what} of {options.backlog:,}, and {found.second_half:,.0f} of the "
            f"second half, {found.by_call:,.0f} with a call. Microseconds of a processor that a job cost: {parts}. Two processors that "
            f"had the server and PostgreSQL alone would be busy at {2e6 / ours:,.0f} jobs a second.")
    return sentences


def page(found: Found, said: list[str], options: argparse.Namespace) -> list[str]:
    """The figures as docs/kafka.md shows them: medians, and what is said of them."""
    rows = []
    for (nodes, workers), figures in sorted(found.items()):
        shown = [rounded(figures[mode][figure]) for figure, _, _ in FIGURES for mode in ("polling", "kafka_outbox")]
        rows.append(f"| {nodes} | {workers} | {' | '.join(shown)} |")
    stamp = f"Measured on {time.strftime('%Y-%m-%d', time.gmtime())}, {os.cpu_count()} processors, a {options.build} build."
    if options.note:
        stamp += f" {options.note[0].upper()}{options.note[1:]}."
    return ["| nodes | workers | polls: jobs/s | Kafka: jobs/s | polls: p50 ms | Kafka: p50 ms | polls: p99 ms | Kafka: p99 ms |",
            "|---|---|---|---|---|---|---|---|", *rows, "", *said, stamp]


def write_page(shown: list[str]) -> None:
    before, rest = PAGE.read_text().split(MARKS[0] + "\n", 1)
    _, after = rest.split(MARKS[1], 1)
    PAGE.write_text(before + MARKS[0] + "\n" + "\n".join(shown) + "\n" + MARKS[1] + after)


def layouts(text: str) -> list[tuple[int, int]]:
    """`1:4,3:16` as pairs of nodes and workers."""
    pairs = [one.split(":") for one in text.split(",") if one]
    return [(int(nodes), int(workers)) for nodes, workers in pairs]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("binary")
    parser.add_argument("--layouts", default="1:1,1:64,1:16,3:16,3:64,1:4,2:16",
                        help="nodes:workers,… in the order in which they are measured: the ends of both growths come first")
    parser.add_argument("--within", type=float, default=720.0, help="seconds that the whole may take; layouts that do not fit are left out")
    parser.add_argument("--rate", type=int, default=50, help="jobs a second for the latency")
    parser.add_argument("--seconds", type=int, default=10, help="how long that rate is held")
    parser.add_argument("--span", type=float, default=8.0, help="seconds in which completed jobs are counted for the rate")
    parser.add_argument("--warm", type=float, default=3.0, help="seconds of load before that")
    parser.add_argument("--backlog", type=int, default=400_000, help="what comes while Kafka is away; 0 to leave the catch-up out")
    parser.add_argument("--catch-up-workers", type=int, default=4)
    parser.add_argument("--settle", type=float, default=4.0,
                        help="seconds for which no partition moves before a round begins to count; a heartbeat takes three")
    parser.add_argument("--rounds", type=int, default=1, help="how often each is measured")
    parser.add_argument("--build", default="release", help="what is said of the binary")
    parser.add_argument("--note", default="", help="what else is said")
    parser.add_argument("--set", dest="trial", action="append", default=[], metavar="NAME=VALUE",
                        help="a setting of the servers, such as TRUNKLINE_KAFKA__PROPERTIES=linger.ms=20: a trial, of which figures are "
                             "printed and nothing is written")
    parser.add_argument("--consume", dest="of_consumers", action="append", default=[], metavar="NAME=VALUE",
                        help="a setting of the consumers of the catch-up, such as fetch.min.bytes=65536: a trial as well")
    options = parser.parse_args()
    if strange := [one for one in options.trial + options.of_consumers if "=" not in one]:
        parser.error(f"{strange[0]}: expected NAME=VALUE")
    options.trial = dict(one.split("=", 1) for one in options.trial)
    options.of_consumers = dict(one.split("=", 1) for one in options.of_consumers)
    return options


def compare(run: Run, nodes: int, workers: int, options: argparse.Namespace) -> dict[str, list[dict[str, float]]]:
    """Polls and Kafka in turns."""
    found: dict[str, list[dict[str, float]]] = {"polling": [], "kafka_outbox": []}
    for _ in range(options.rounds):
        for mode, figures in found.items():
            figures.append(round_of(run, mode, workers, nodes, options))
            print(called(nodes, workers), mode, figures[-1], flush=True)
    return found


def lines_of(nodes: int, workers: int, found: dict[str, list[dict[str, float]]]) -> list[dict[str, Any]]:
    lines = []
    for figure, what, unit in FIGURES:
        polls, kafka = ([one[figure] for one in found[mode]] for mode in ("polling", "kafka_outbox"))
        lines.append({"what": f"{called(nodes, workers)}: {what}", "unit": unit, "target": None,
                      "reference": spread(polls), "ours": spread(kafka)})
    return lines


def after_an_outage(run: Run, options: argparse.Namespace, what: str, catch_ups: dict[str, CatchUp],
                    *, completes: bool) -> list[dict[str, Any]]:
    found = [catch_up(run, options, completes=completes) for _ in range(options.rounds)]
    print("catch-up,", what, found, flush=True)
    by_part = {"all": [one.all for one in found], "the second half": [one.second_half for one in found]}
    costs = {part: statistics.median(one.costs[part] for one in found) for part in found[0].costs}
    by_call = statistics.median(one.by_call for one in found)
    catch_ups[what] = CatchUp(*map(statistics.median, by_part.values()), costs, by_call)
    target = None if completes else {"ValueMin": CATCH_UP_LEAST}
    return [{"what": f"catch-up, {part} of {options.backlog:,} jobs: {what}", "unit": "jobs/s", "target": target,
             "reference": spread([CATCH_UP_LEAST]), "ours": spread(rates)} for part, rates in by_part.items()]


def main() -> int:
    options = arguments()
    end_what_is_started()
    run = Run(options.binary)
    load, began = os.getloadavg()[0], time.monotonic()
    late: list[dict[str, Any]] = []
    compared: dict[tuple[int, int], list[dict[str, Any]]] = {}
    left_out: list[str] = []
    failed: list[str] = []
    catch_ups: dict[str, CatchUp] = {}
    found: Found = {}

    def keep() -> None:
        if options.trial or options.of_consumers:
            return
        said = [*where_it_pays(found), *how_sure(found, options), *growth(found), *of_catch_ups(catch_ups, options)]
        lines = late + [line for layout in sorted(compared) for line in compared[layout]]
        write(lines, said, facts(options, load, time.monotonic() - began, found, left_out, failed))
        write_page(page(found, said, options))

    def measure(what: str, act: Callable[[], None]) -> None:
        try:
            run.brokers.start_missing()
            act()
        except FAULTS as fault:
            failed.append(f"{what} ({str(fault)[:200]})")
            print("FAILED", what, repr(fault), flush=True)
        keep()

    def take(nodes: int, workers: int) -> None:
        of_both = compare(run, nodes, workers, options)
        found[nodes, workers] = {mode: {figure: statistics.median(one[figure] for one in rounds) for figure in rounds[0]}
                                 for mode, rounds in of_both.items()}
        compared[nodes, workers] = lines_of(nodes, workers, of_both)

    try:
        # First, because the broker has few topics to recover.
        for completes, what in ((False, "offered and accepted"), (True, "offered, accepted and completed")):
            if options.backlog:
                measure(f"catch-up: {what}", lambda what=what, completes=completes: late.extend(
                    after_an_outage(run, options, what, catch_ups, completes=completes)))
        longest = 0.0
        for nodes, workers in layouts(options.layouts):
            start = time.monotonic()
            if start - began + longest > options.within:
                left_out.append(called(nodes, workers))
                continue
            measure(called(nodes, workers), lambda nodes=nodes, workers=workers: take(nodes, workers))
            longest = max(longest, time.monotonic() - start)
        keep()
    finally:
        run.clean()
        run.brokers.stop()
    if not failed:
        shutil.rmtree(run.directory, ignore_errors=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
