"""Polls against Kafka on the same machine: how long a job takes from its creation to its handler, and how many a second.

Run by scripts/bench-kafka.sh. The clients are the same in both modes but for where their jobs come from: threads of Python that
take up to 50 jobs, and complete them with one call. Writes load-tests/results/kafka.md and kafka.json, in the form of the others.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import time
from pathlib import Path
from typing import Any

from brokers import end_what_is_started, wait_for
from clients import Crew, Task
from kit import KEY, Run, Server

RESULTS = Path(__file__).resolve().parents[2] / "load-tests" / "results"
TITLE = "Kafka against polls"
EXPLANATION = (
    "Jobs over REST on loopback, by workers that poll (reference) and by workers of a consumer group (Trunkline through Kafka), in turns "
    "on the same PostgreSQL; clients, servers, the broker and the database share the machine. A worker is a thread of a Python process, "
    "one for each processor, that takes up to 50 jobs with one call and completes them with one. *Created to handled*: single jobs at a "
    "steady rate, from before the enqueue until the worker has the lease. *Rate*: jobs that are enqueued 500 at a time, until all are "
    "completed. *Catch-up*: jobs that came while the broker was away, by workers that take up to 500 of them with one call; from the "
    "first that is accepted after its return to the last. There is nothing to compare that with: the reference is the target."
)

TAKEN_AT_ONCE = 50
#: For what is measured after an outage.
TAKEN_AT_ONCE_LATE = 500
#: How many jobs a second are to be offered and accepted when Kafka is back.
CATCH_UP_LEAST = 20_000.0


def task(mode: str, servers: list[Server], taken_at_once: int, completes: bool = True) -> Task:
    return Task(mode, KEY, [server.url for server in servers], servers[0].brokers.address, "bench", taken_at_once, completes)


def round_of(run: Run, mode: str, workers: int, nodes: int, options: argparse.Namespace) -> dict[str, float]:
    database = run.database()
    servers = [run.server(database, TRUNKLINE_DISPATCH__MODE=mode, TRUNKLINE_KAFKA__PARTITIONS="64",
                          TRUNKLINE_LOG__FILTER="warn") for _ in range(nodes)]
    crew = Crew().start(task(mode, servers, TAKEN_AT_ONCE), workers)
    enqueue(servers[0], 20)
    wait_for("all workers are there", lambda: crew.has(crew.done >= 20 and len(crew.ready) == workers), 180)
    # A group comes to rest.
    time.sleep(options.settle)
    figures = {}
    crew.latencies.clear()
    total = crew.done
    for _ in range(options.rate * options.seconds):
        began = time.monotonic()
        enqueue(servers[0], 1)
        time.sleep(max(0.0, 1 / options.rate - (time.monotonic() - began)))
    total += options.rate * options.seconds
    wait_for("all are done", lambda: crew.has(crew.done >= total))
    percentiles = statistics.quantiles(crew.latencies, n=100)
    figures["p50"], figures["p99"] = percentiles[49] * 1000, percentiles[98] * 1000
    began = time.monotonic()
    for _ in range(options.jobs // 500):
        enqueue(servers[0], 500)
    total += options.jobs // 500 * 500
    wait_for("all are done", lambda: crew.has(crew.done >= total), 600)
    figures["rate"] = (options.jobs // 500 * 500) / (time.monotonic() - began)
    crew.stop()
    run.clean()
    return figures


def catch_up(run: Run, options: argparse.Namespace, *, completes: bool) -> float:
    """How many jobs a second are taken that came while Kafka was away, from its first message to the last."""
    server = run.server(run.database(), TRUNKLINE_LOG__FILTER="warn", TRUNKLINE_KAFKA__PARTITIONS="12")
    crew = Crew().start(task("kafka_outbox", [server], TAKEN_AT_ONCE_LATE, completes), options.catch_up_workers)
    enqueue(server, 20)
    wait_for("all workers are there", lambda: crew.has(len(crew.ready) == options.catch_up_workers and len(crew.latencies) >= 20), 180)
    run.brokers.kill()
    wait_for("the server says so", lambda: "brokerAwaySince" in server.get("/readyz"))
    count = options.backlog // 500 * 500
    for _ in range(count // 500):
        enqueue(server, 500)
    crew.latencies.clear()
    crew.done = 0
    run.brokers.start(1)
    wait_for("the first are taken", lambda: crew.has(bool(crew.latencies)))
    began, before = time.monotonic(), len(crew.latencies)
    wait_for("all are taken", lambda: crew.has((crew.done if completes else len(crew.latencies)) >= count), 600)
    rate = (count - before) / (time.monotonic() - began)
    crew.stop()
    run.clean()
    return rate


def enqueue(server: Server, count: int) -> None:
    at = time.time()
    server.post("/v1/jobs/batch", {"jobs": [{"jobType": "bench", "data": {"at": at}} for _ in range(count)]})


def spread(values: list[float]) -> dict[str, float]:
    return {"median": statistics.median(values), "min": min(values), "max": max(values)}


def facts(options: argparse.Namespace, load: float, took: float) -> list[list[str]]:
    commit = subprocess.run(["git", "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True, check=False).stdout.strip()
    return [
        ["date", time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime())],
        ["commit", commit or "unknown"],
        ["processors", str(os.cpu_count())],
        ["kernel", f"{platform.system()} {platform.release()}"],
        ["load average before", f"{load:.2f}"],
        ["size", f"jobs: {options.jobs}, rate: {options.rate}, seconds: {options.seconds}, backlog: {options.backlog}, "
                 f"rounds: {options.rounds}"],
        ["build", options.build],
        *([["note", options.note]] if options.note else []),
        ["took", f"{took:.0f} s"],
    ]


def write(lines: list[dict[str, Any]], of: list[list[str]]) -> None:
    report = {"title": TITLE, "explanation": EXPLANATION, "lines": lines, "sections": [], "comparisons": [], "facts": of}
    (RESULTS / "kafka.json").write_text(json.dumps(report, indent=2) + "\n")
    rows = []
    for line in lines:
        polls, kafka = line["reference"], line["ours"]
        shown = [f"{one['median']:,.0f} ({one['min']:,.0f} to {one['max']:,.0f})" for one in (polls, kafka)]
        met = "–"
        if line["target"]:
            least = line["target"]["ValueMin"]
            shown[0], met = f"≥ {least:,.0f}", "met" if kafka["median"] >= least else "**missed**"
        rows.append(f"| {line['what']} | {line['unit']} | {shown[0]} | {shown[1]} | **{kafka['median'] / polls['median']:.2f}** | {met} |")
    text = [f"# {TITLE}", "", EXPLANATION, "", "Each figure is the median (smallest to largest) of its rounds.",
            "The ratio counts; absolute figures are those of one machine on one day.", "",
            "| figure | unit | polls | Kafka | ratio | |", "|---|---|---|---|---|---|", *rows, "", *(f"- {name}: {what}" for name, what in of)]
    (RESULTS / "kafka.md").write_text("\n".join(text) + "\n")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("binary")
    parser.add_argument("--workers", default="1,8,64")
    parser.add_argument("--nodes", default="1,3")
    parser.add_argument("--jobs", type=int, default=20_000, help="for the rate")
    parser.add_argument("--rate", type=int, default=50, help="jobs a second for the latency")
    parser.add_argument("--seconds", type=int, default=20, help="how long that rate is held")
    parser.add_argument("--backlog", type=int, default=100_000, help="what comes while Kafka is away; 0 to leave the catch-up out")
    parser.add_argument("--catch-up-workers", type=int, default=4)
    parser.add_argument("--settle", type=float, default=3.0, help="seconds before a round begins to count")
    parser.add_argument("--rounds", type=int, default=1, help="how often each is measured")
    parser.add_argument("--build", default="release", help="what is said of the binary")
    parser.add_argument("--note", default="", help="what else is said")
    return parser.parse_args()


def compare(run: Run, nodes: int, workers: int, options: argparse.Namespace) -> list[dict[str, Any]]:
    """Polls and Kafka in turns: a line for each figure."""
    found: dict[str, list[dict[str, float]]] = {"polling": [], "kafka_outbox": []}
    for _ in range(options.rounds):
        for mode, figures in found.items():
            figures.append(round_of(run, mode, workers, nodes, options))
            print(nodes, "node(s),", workers, "worker(s),", mode, figures[-1], flush=True)
    lines = []
    for figure, what, unit in (("rate", "rate", "jobs/s"), ("p50", "created to handled, p50", "ms"),
                               ("p99", "created to handled, p99", "ms")):
        polls, kafka = ([one[figure] for one in found[mode]] for mode in ("polling", "kafka_outbox"))
        lines.append({"what": f"{nodes} node(s), {workers} worker(s): {what}", "unit": unit, "target": None,
                      "reference": spread(polls), "ours": spread(kafka)})
    return lines


def after_an_outage(run: Run, options: argparse.Namespace) -> list[dict[str, Any]]:
    """Two lines: what the relay offers and workers accept, and what they complete as well."""
    lines = []
    for completes, what in ((False, "offered and accepted"), (True, "offered, accepted and completed")):
        rates = [catch_up(run, options, completes=completes) for _ in range(options.rounds)]
        print("catch-up,", what, rates, flush=True)
        target = None if completes else {"ValueMin": CATCH_UP_LEAST}
        reference = spread([CATCH_UP_LEAST])
        lines.append({"what": f"catch-up, {options.backlog:,} jobs: {what}", "unit": "jobs/s", "target": target,
                      "reference": reference, "ours": spread(rates)})
    return lines


def main() -> None:
    options = arguments()
    end_what_is_started()
    run = Run(options.binary)
    load, began, lines = os.getloadavg()[0], time.monotonic(), []
    try:
        run.brokers.start()
        for nodes in filter(None, map(int, options.nodes.split(","))):
            for workers in map(int, options.workers.split(",")):
                lines += compare(run, nodes, workers, options)
                write(lines, facts(options, load, time.monotonic() - began))
        if options.backlog:
            lines += after_an_outage(run, options)
            write(lines, facts(options, load, time.monotonic() - began))
    finally:
        run.clean()
        run.brokers.stop()


if __name__ == "__main__":
    main()
