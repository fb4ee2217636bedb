"""Polls against Kafka on the same machine: how long a job takes from its creation to its handler, and how many a second.

Run by scripts/bench-kafka.sh. The clients are the same in both modes but for where their jobs come from: threads of Python that
take up to 50 jobs, and complete them with one call. Writes load-tests/results/kafka.md and kafka.json, in the form of the others.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import platform
import statistics
import subprocess
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from confluent_kafka import Consumer, KafkaException
from kit import KEY, Run, Server, wait_for

RESULTS = Path(__file__).resolve().parents[2] / "load-tests" / "results"
TITLE = "Kafka against polls"
EXPLANATION = (
    "Jobs over REST on loopback, by workers that poll (reference) and by workers of a consumer group (Trunkline through Kafka), in turns "
    "on the same PostgreSQL; clients, servers, the broker and the database share the machine. A worker is a thread of one Python process "
    "that takes up to 50 jobs with one call and completes them with one; that process is itself a bound of the rates, the same for "
    "both. *Created to handled*: single jobs at a steady rate, from before the enqueue until the worker has the lease. *Rate*: jobs "
    "that are enqueued 500 at a time, until all are completed."
)

TAKEN_AT_ONCE = 50


@dataclass
class Measured:
    """What the workers of one round saw."""

    latencies: list[float] = field(default_factory=list)
    done: int = 0
    ready: set[int] = field(default_factory=set)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def handled(self, jobs: list[dict[str, Any]]) -> None:
        now = time.time()
        with self.lock:
            self.latencies += [now - job["data"]["at"] for job in jobs]

    def completed(self, count: int) -> None:
        with self.lock:
            self.done += count


class Link:
    """A connection of one worker that stays open."""

    def __init__(self, server: Server) -> None:
        self._connection = http.client.HTTPConnection(urlsplit(server.url).netloc, timeout=60)
        self._headers = {"authorization": f"Bearer {KEY}", "content-type": "application/json"}

    def post(self, path: str, body: Any) -> Any:
        self._connection.request("POST", path, json.dumps(body), self._headers)
        answer = self._connection.getresponse()
        text = answer.read()
        if answer.status >= 400:
            raise AssertionError(f"{path}: {answer.status} {text[:200]!r}")
        return json.loads(text)


def complete(link: Link, jobs: list[dict[str, Any]], measured: Measured) -> None:
    reports = [{"id": job["id"], "leaseToken": job["leaseToken"]} for job in jobs]
    results = link.post("/v1/jobs/complete", {"jobs": reports})["results"]
    measured.completed(sum(result["outcome"] == "ok" for result in results))


def poll(server: Server, number: int, measured: Measured, ended: threading.Event) -> None:
    request = {"workerId": f"w{number}", "jobTypes": ["bench"], "maxJobs": TAKEN_AT_ONCE, "wait": "1s"}
    link = Link(server)
    measured.ready.add(number)
    while not ended.is_set():
        if jobs := link.post("/v1/jobs/poll", request)["jobs"]:
            measured.handled(jobs)
            complete(link, jobs, measured)


def consume(server: Server, number: int, measured: Measured, ended: threading.Event) -> None:
    consumer = Consumer({"bootstrap.servers": server.brokers.address, "group.id": "trunkline.bench", "fetch.wait.max.ms": 50,
                         "auto.offset.reset": "earliest", "enable.auto.commit": False,
                         "topic.metadata.refresh.interval.ms": 1000})
    link = Link(server)
    consumer.subscribe([f"trunkline.jobs.bench.{tier}" for tier in ("high", "normal", "low")],
                       on_assign=lambda *_: measured.ready.add(number))
    try:
        while not ended.is_set():
            first = consumer.poll(0.2)
            messages = [] if first is None else [first, *consumer.consume(TAKEN_AT_ONCE - 1, 0)]
            offers = [json.loads(message.value())["job"] for message in messages if message.error() is None]
            if not offers:
                continue
            asked = [{"id": job["id"], "leaseToken": job["leaseToken"]} for job in offers]
            answer = link.post("/v1/jobs/accept", {"workerId": f"w{number}", "jobs": asked})["results"]
            jobs = [{**job, "leaseToken": result["leaseToken"]} for job, result in zip(offers, answer, strict=True)
                    if result["outcome"] == "ok"]
            if jobs:
                measured.handled(jobs)
                complete(link, jobs, measured)
            try:
                consumer.commit(asynchronous=True)
            except KafkaException:
                pass
    finally:
        consumer.close()


def round_of(run: Run, mode: str, workers: int, nodes: int, options: argparse.Namespace) -> dict[str, float]:
    database = run.database()
    servers = [run.server(database, TRUNKLINE_DISPATCH__MODE=mode, TRUNKLINE_KAFKA__PARTITIONS="64",
                          TRUNKLINE_LOG__FILTER="warn") for _ in range(nodes)]
    ended, measured = threading.Event(), Measured()
    serve = consume if mode == "kafka_outbox" else poll
    threads = [threading.Thread(target=serve, args=(servers[number % nodes], number, measured, ended), daemon=True)
               for number in range(workers)]
    for thread in threads:
        thread.start()
    enqueue(servers[0], 20)
    wait_for("all workers are there", lambda: measured.done >= 20 and len(measured.ready) == workers, 180)
    # A group comes to rest.
    time.sleep(options.settle)
    figures = {}
    measured.latencies.clear()
    total = measured.done
    for _ in range(options.rate * options.seconds):
        began = time.monotonic()
        enqueue(servers[0], 1)
        time.sleep(max(0.0, 1 / options.rate - (time.monotonic() - began)))
    total += options.rate * options.seconds
    wait_for("all are done", lambda: measured.done >= total)
    percentiles = statistics.quantiles(measured.latencies, n=100)
    figures["p50"], figures["p99"] = percentiles[49] * 1000, percentiles[98] * 1000
    began = time.monotonic()
    for _ in range(options.jobs // 500):
        enqueue(servers[0], 500)
    total += options.jobs // 500 * 500
    wait_for("all are done", lambda: measured.done >= total, 600)
    figures["rate"] = (options.jobs // 500 * 500) / (time.monotonic() - began)
    ended.set()
    for thread in threads:
        thread.join(30)
    run.clean()
    return figures


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
        ["size", f"jobs: {options.jobs}, rate: {options.rate}, seconds: {options.seconds}, rounds: {options.rounds}"],
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
        rows.append(f"| {line['what']} | {line['unit']} | {shown[0]} | {shown[1]} | **{kafka['median'] / polls['median']:.2f}** |")
    text = [f"# {TITLE}", "", EXPLANATION, "", "Each figure is the median (smallest to largest) of its rounds.",
            "The ratio counts; absolute figures are those of one machine on one day.", "",
            "| figure | unit | polls | Kafka | ratio |", "|---|---|---|---|---|", *rows, "", *(f"- {name}: {what}" for name, what in of)]
    (RESULTS / "kafka.md").write_text("\n".join(text) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("binary")
    parser.add_argument("--workers", default="1,8,64")
    parser.add_argument("--nodes", default="1,3")
    parser.add_argument("--jobs", type=int, default=20_000, help="for the rate")
    parser.add_argument("--rate", type=int, default=50, help="jobs a second for the latency")
    parser.add_argument("--seconds", type=int, default=20, help="how long that rate is held")
    parser.add_argument("--settle", type=float, default=3.0, help="seconds before a round begins to count")
    parser.add_argument("--rounds", type=int, default=1, help="how often each is measured")
    parser.add_argument("--build", default="release", help="what is said of the binary")
    parser.add_argument("--note", default="", help="what else is said")
    options = parser.parse_args()
    run = Run(options.binary)
    load, began, lines = os.getloadavg()[0], time.monotonic(), []
    run.brokers.start()
    try:
        for nodes in map(int, options.nodes.split(",")):
            for workers in map(int, options.workers.split(",")):
                found: dict[str, list[dict[str, float]]] = {"polling": [], "kafka_outbox": []}
                for _ in range(options.rounds):
                    for mode, figures in found.items():
                        figures.append(round_of(run, mode, workers, nodes, options))
                        print(nodes, "node(s),", workers, "worker(s),", mode, figures[-1], flush=True)
                for figure, what, unit in (("rate", "rate", "jobs/s"), ("p50", "created to handled, p50", "ms"),
                                           ("p99", "created to handled, p99", "ms")):
                    polls, kafka = ([one[figure] for one in found[mode]] for mode in ("polling", "kafka_outbox"))
                    lines.append({"what": f"{nodes} node(s), {workers} worker(s): {what}", "unit": unit, "target": None,
                                  "reference": spread(polls), "ours": spread(kafka)})
                write(lines, facts(options, load, time.monotonic() - began))
    finally:
        run.clean()
        run.brokers.stop()


if __name__ == "__main__":
    main()
