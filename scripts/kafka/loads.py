"""A load under which the scenarios let things fail, and what is judged when it is over."""

from __future__ import annotations

import random
import threading
import time
import urllib.error
import uuid
from typing import Any

from brokers import DEADLINE, wait_for
from checker import Checker
from history import History, read
from kit import NO_ANSWER, Run, Server, Worker

TENANT_LIMITS = {"small": 3}
#: After so many jobs an execution is started.
EXECUTION_EVERY = 15
#: The messages of at least so many executions are to have been read as a whole.
EXECUTIONS_LEAST = 3
#: The jobs of an execution, in the order in which they become due; the first few at once.
PLACES = list(range(10))
FIRST = 7


def in_order(name: str, job_type: str) -> dict[str, Any]:
    """A workflow whose jobs become due in the order of their places."""
    job = {"type": "SERVICE_TASK", "jobType": job_type, "input": {"place": "${item}"}, "retryCount": 20}
    return {"name": name, "version": 1, "nodes": [
        {"id": "first", "type": "MAP", "items": "${input.first}", "node": job},
        {"id": "then", "type": "MAP", "dependsOn": ["first"], "items": "${input.then}", "node": job},
    ]}


class Load:
    """Jobs of all tiers, some of a tenant with a limit and some with a concurrency key, and executions whose jobs become due in
    a known order, until it is ended; then a judgement by the checker of `chaos/`."""

    def __init__(self, run: Run, servers: list[Server], job_type: str) -> None:
        self.run_of, self.servers, self.job_type = run, servers, job_type
        self.path = run.directory / f"history-{uuid.uuid4().hex[:8]}.jsonl"
        self.history = History(self.path)
        self.ids: list[str] = []
        self.executions: list[str] = []
        self._feeding = threading.Event()
        self._thread = threading.Thread(target=self._feed, daemon=True)
        self._faults: list[str] = []
        #: In which partition the messages of an execution were, when all is over.
        self.partitions: dict[str, int] = {}

    def prepare(self) -> Load:
        server = self.servers[0]
        for tenant, limit in TENANT_LIMITS.items():
            server.post("/v1/tenants", {"name": tenant})
            server.call("PUT", f"/v1/tenants/{tenant}/limits", {"workflow-node": {"maxConcurrent": limit}})
        server.post("/v1/workflows", in_order(self.workflow, self.job_type))
        return self

    @property
    def workflow(self) -> str:
        return f"{self.job_type}-in-order"

    def workers(self, count: int, **more: Any) -> list[Worker]:
        return [self.run_of.worker(self.servers, self.job_type, name=f"{self.job_type}-{number}", history=self.history, **more)
                for number in range(count)]

    def begin(self) -> Load:
        self._feeding.set()
        self._thread.start()
        return self

    def _feed(self) -> None:
        try:
            number = 0
            while self._feeding.is_set():
                number += 1
                self._enqueue(f"{self.job_type}-{number}", number)
                time.sleep(0.02)
        except Exception as fault:  # noqa: BLE001 - the scenario shows it
            self._faults.append(repr(fault))

    def _enqueue(self, key: str, number: int) -> None:
        body: dict[str, Any] = {"jobType": self.job_type, "data": {"key": key}, "priority": ("high", "normal", "low")[number % 3]}
        if number % 7 == 0:
            body["concurrencyKey"] = body["data"]["concurrencyKey"] = f"{self.job_type}-lock-{number % 2}"
        elif number % 5 == 0:
            body["tenant"] = "small"
        if job_id := self._ask("job", "/v1/jobs", body, key):
            self.ids.append(job_id)
        if number % EXECUTION_EVERY == 0:
            body = {"workflow": self.workflow, "input": {"first": PLACES[:FIRST], "then": PLACES[FIRST:]}}
            if execution := self._ask("execution", "/v1/executions", body, f"{key}-execution"):
                self.executions.append(execution)

    def _ask(self, what: str, path: str, body: dict[str, Any], key: str) -> str | None:
        """Repeats a call until some server answers; None where nothing more is to be fed."""
        self.history.record(f"{what}.ask", key=key)
        while True:
            try:
                answer = random.choice(self.servers).call("POST", path, body, key)
                break
            except urllib.error.HTTPError as error:
                if error.code < 500 and error.code not in (409, 429):
                    raise
            except NO_ANSWER:
                pass
            if not self._feeding.is_set():
                return None
            time.sleep(0.1)
        self.history.record(f"{what}.ok", key=key, id=answer["id"])
        return answer["id"]

    def enough(self, count: int) -> None:
        """Waits until so many more were enqueued."""
        most = len(self.ids) + count
        wait_for(f"{count} more jobs", lambda: len(self.ids) >= most or self._faults)

    def end(self, workers: list[Worker], at_least: int) -> None:
        """Feeds no more, waits until all is done, and judges."""
        self._feeding.clear()
        self._thread.join(60)
        assert not self._faults, self._faults
        self.history.record("healed")
        began, server = time.monotonic(), self.servers[0]
        wait_for("all are completed", lambda: self._open(server) == 0)
        wait_for("all executions are completed", lambda: all(map(self.has_ended, self.executions)))
        self.history.record("quiet", seconds=time.monotonic() - began)
        for worker in workers:
            worker.stop()
        for job_id in self.ids:
            job = server.job(job_id)
            self.history.record("final.job", id=job_id, status=job["status"], key=job["data"]["key"])
        for execution in self.executions:
            nodes = server.get(f"/v1/executions/{execution}/nodes")["items"]
            states = {node["nodeId"]: node["status"] for node in nodes}
            self.history.record("final.execution", id=execution, status=self.status_of(execution), nodes=states)
        self.history.close()
        checker = Checker(DEADLINE, 1, TENANT_LIMITS)
        checker.read(read(self.path))
        found = checker.faults()
        assert not found, found
        assert len(self.ids) >= at_least, f"{len(self.ids)} jobs are too few to say something"
        statuses = {server.job(job_id)["status"] for job_id in self.ids}
        assert statuses == {"COMPLETED"}, statuses
        statuses = {self.status_of(execution) for execution in self.executions}
        assert statuses == {"COMPLETED"}, statuses
        read_through = sum(len(places) == len(PLACES) for places in checker.places().values())
        assert read_through >= EXECUTIONS_LEAST, f"the messages of {read_through} executions are too few to say something"
        self.partitions = {execution: partition for _, execution, partition in checker.messages}

    def status_of(self, execution: str) -> str:
        return self.servers[0].get(f"/v1/executions/{execution}")["status"]

    def has_ended(self, execution: str) -> bool:
        return self.status_of(execution) in ("COMPLETED", "FAILED", "CANCELLED")

    def _open(self, server: Server) -> int:
        return sum(server.job(job_id)["status"] != "COMPLETED" for job_id in self.ids[-50:] + self.ids[::10]) or \
            sum(server.job(job_id)["status"] != "COMPLETED" for job_id in self.ids)
