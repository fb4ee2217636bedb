"""The workers of a measurement: they take up to a number of jobs with one call, by polls or through Kafka, and complete them with one.

They are threads of as many processes as the machine has processors, so that no interpreter is the bound of what is measured.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import multiprocessing
import os
import re
import signal
import threading
import time
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Any
from urllib.parse import urlsplit

from brokers import end_with_parent
from confluent_kafka import Consumer, KafkaException

#: Processes are started anew: a client of Kafka does not outlive a fork.
SPAWN = multiprocessing.get_context("spawn")


#: What accepting needs of a message in JSON: `data` comes after all that is read before it.
OFFERED = re.compile(rb'"job":\{"id":"([^"]+)".*?"leaseToken":"([^"]+)".*?"at":\s*([0-9.e+-]+)', re.DOTALL)


@dataclass(frozen=True)
class Task:
    """What a worker does."""

    mode: str
    key: str
    urls: list[str]
    brokers: str
    job_type: str
    taken_at_once: int
    #: Whether jobs that came through Kafka are completed; otherwise they are accepted, and that is all.
    completes: bool = True
    #: Whether messages are read as a whole, as a handler needs them; otherwise what accepting needs, so that what is measured is the
    #: server and not this program.
    reads_all: bool = True
    #: Settings of the consumers.
    properties: tuple[tuple[str, str], ...] = ()

    def job_of(self, message: bytes) -> dict[str, Any]:
        """The job that a message offers."""
        if self.reads_all:
            return json.loads(message)["job"]
        job_id, token, at = OFFERED.search(message).groups()
        return {"id": job_id.decode(), "leaseToken": token.decode(), "data": {"at": float(at)}}


class Link:
    """A connection of one worker that stays open."""

    def __init__(self, task: Task, number: int) -> None:
        self._connection = http.client.HTTPConnection(urlsplit(task.urls[number % len(task.urls)]).netloc, timeout=60)
        self._headers = {"authorization": f"Bearer {task.key}", "content-type": "application/json"}

    def post(self, path: str, body: Any) -> Any:
        try:
            answer = self._send(path, body)
        except (ConnectionError, http.client.RemoteDisconnected):
            # A connection that had nothing to do for long was closed.
            self._connection.close()
            answer = self._send(path, body)
        text = answer.read()
        if answer.status >= 400:
            raise AssertionError(f"{path}: {answer.status} {text[:200]!r}")
        return json.loads(text)

    def _send(self, path: str, body: Any) -> http.client.HTTPResponse:
        self._connection.request("POST", path, json.dumps(body), self._headers)
        return self._connection.getresponse()


class Reporter:
    """Says to the process that measures what workers did."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe, self._lock = pipe, threading.Lock()

    def say(self, what: str, value: Any) -> None:
        with self._lock:
            self._pipe.send((what, value))

    def handled(self, jobs: list[dict[str, Any]]) -> None:
        # One clock for all processes of the machine, which no correction of its time moves.
        now = time.monotonic()
        self.say("handled", [now - job["data"]["at"] for job in jobs])

    def complete(self, link: Link, jobs: list[dict[str, Any]]) -> None:
        reports = [{"id": job["id"], "leaseToken": job["leaseToken"]} for job in jobs]
        results = link.post("/v1/jobs/complete", {"jobs": reports})["results"]
        self.say("done", sum(result["outcome"] == "ok" for result in results))


def poll(task: Task, number: int, reporter: Reporter, ended: threading.Event) -> None:
    request = {"workerId": f"w{number}", "jobTypes": [task.job_type], "maxJobs": task.taken_at_once, "wait": "1s"}
    link = Link(task, number)
    reporter.say("ready", number)
    while not ended.is_set():
        if jobs := link.post("/v1/jobs/poll", request)["jobs"]:
            reporter.handled(jobs)
            reporter.complete(link, jobs)


def consume(task: Task, number: int, reporter: Reporter, ended: threading.Event) -> None:
    consumer = Consumer({"bootstrap.servers": task.brokers, "group.id": f"trunkline.{task.job_type}", "auto.offset.reset": "earliest",
                         "enable.auto.commit": False, "reconnect.backoff.max.ms": 500, "log_level": 2, **dict(task.properties)})
    link = Link(task, number)
    consumer.subscribe([f"trunkline.jobs.{task.job_type}.{tier}" for tier in ("high", "normal", "low")],
                       on_assign=lambda *_: reporter.say("ready", number))
    try:
        while not ended.is_set():
            first = consumer.poll(0.2)
            messages = [] if first is None else [first, *consumer.consume(task.taken_at_once - 1, 0)]
            offers = [task.job_of(message.value()) for message in messages if message.error() is None]
            if not offers:
                continue
            asked = [{"id": job["id"], "leaseToken": job["leaseToken"]} for job in offers]
            answer = link.post("/v1/jobs/accept", {"workerId": f"w{number}", "jobs": asked})["results"]
            jobs = [{**job, "leaseToken": result["leaseToken"]} for job, result in zip(offers, answer, strict=True)
                    if result["outcome"] == "ok"]
            if jobs:
                reporter.handled(jobs)
            if jobs and task.completes:
                reporter.complete(link, jobs)
            try:
                consumer.commit(asynchronous=True)
            except KafkaException:
                pass
    finally:
        consumer.close()


def serve(task: Task, numbers: list[int], pipe: Connection) -> None:
    """The workers of one process, until it is said that they are to end."""
    end_with_parent(signal.SIGKILL)
    reporter, ended = Reporter(pipe), threading.Event()

    def work(number: int) -> None:
        try:
            (poll if task.mode == "polling" else consume)(task, number, reporter, ended)
        except Exception as fault:  # noqa: BLE001 - the measurement ends with it
            reporter.say("fault", repr(fault))

    threads = [threading.Thread(target=work, args=(number,), daemon=True) for number in numbers]
    for thread in threads:
        thread.start()
    pipe.recv()
    ended.set()
    for thread in threads:
        thread.join(30)


@dataclass
class Crew:
    """The workers, and what they did so far."""

    latencies: list[float] = field(default_factory=list)
    #: How many calls brought jobs.
    calls: int = 0
    done: int = 0
    ready: set[int] = field(default_factory=set)
    #: When a worker was last given other partitions.
    changed_at: float = 0.0
    faults: list[str] = field(default_factory=list)
    _members: list[tuple[Any, Connection]] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def start(self, task: Task, workers: int) -> Crew:
        processes = min(workers, os.cpu_count() or 1)
        for process in range(processes):
            ours, theirs = SPAWN.Pipe()
            member = SPAWN.Process(target=serve, args=(task, list(range(process, workers, processes)), theirs), daemon=True)
            member.start()
            theirs.close()
            self._members.append((member, ours))
            threading.Thread(target=self._listen, args=(ours,), daemon=True).start()
        return self

    def _listen(self, pipe: Connection) -> None:
        while True:
            try:
                what, value = pipe.recv()
            except EOFError:
                return
            with self._lock:
                if what == "handled":
                    self.latencies += value
                    self.calls += 1
                elif what == "done":
                    self.done += value
                elif what == "ready":
                    self.ready.add(value)
                    self.changed_at = time.monotonic()
                else:
                    self.faults.append(value)

    def has(self, condition: bool) -> bool:
        """Whether a condition holds; an error where a worker has failed."""
        assert not self.faults, self.faults[:3]
        return condition

    def rested(self) -> float:
        """For how many seconds no worker was given other partitions."""
        return time.monotonic() - self.changed_at

    def pids(self) -> list[int]:
        return [member.pid for member, _ in self._members]

    def stop(self) -> None:
        for member, pipe in self._members:
            # One that has ended by itself reads nothing any more.
            with contextlib.suppress(OSError):
                pipe.send("end")
            member.join(40)
            if member.is_alive():
                member.kill()
