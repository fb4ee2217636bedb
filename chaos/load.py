"""The load: clients that enqueue, start, work and complete, and write to the history what they do."""

from __future__ import annotations

import http.client
import json
import random
import threading
import time
from collections.abc import Callable
from typing import Any

from cluster import KEY, LEASE_SECONDS, Cluster
from history import History

# Jobs of one concurrency key run one at a time; those of the tenant `small` three at a time.
KEY_LIMIT = 1
TENANT_LIMITS = {"small": 3}
# While so many jobs wait, nothing is enqueued: what a run of half an hour leaves must drain as fast as what a minute leaves.
WAITING_MAX = 300
WORKFLOW = {
    "name": "three-steps",
    "version": 1,
    "limits": {"maxConcurrent": 20},
    "nodes": [
        {"id": "one", "type": "SERVICE_TASK", "jobType": "step", "input": {"run": "${execution.id}"}, "retryCount": 20},
        {"id": "two", "type": "SERVICE_TASK", "jobType": "step", "dependsOn": ["one"], "retryCount": 20},
        {"id": "three", "type": "SERVICE_TASK", "jobType": "step", "dependsOn": ["two"], "retryCount": 20},
    ],
}
SCHEDULE = {"name": "each-minute", "workflow": "three-steps", "cron": "* * * * *", "timezone": "UTC", "input": {}}


class Refused(Exception):
    """An answer that says no for good."""


class Caller:
    """Calls any node; one that does not answer is left for another."""

    def __init__(self, cluster: Cluster, seed: int) -> None:
        self.cluster = cluster
        self.random = random.Random(seed)

    def call(
        self, method: str, path: str, body: Any = None, key: str | None = None, timeout: float = 8.0
    ) -> tuple[int, Any]:
        """One try. Status 0 where there is no answer, or none that says what became of the call."""
        node = self.random.choice(self.cluster.nodes)
        connection = http.client.HTTPConnection("127.0.0.1", node.port, timeout=timeout)
        headers = {"Authorization": f"Bearer {KEY}", "Content-Type": "application/json"}
        if key:
            headers["Idempotency-Key"] = key
        try:
            connection.request(method, path, None if body is None else json.dumps(body), headers)
            answer = connection.getresponse()
            text = answer.read()
            return answer.status, json.loads(text) if text else None
        except (OSError, http.client.HTTPException, ValueError):
            return 0, None
        finally:
            connection.close()

    def until_answered(
        self, method: str, path: str, body: Any, key: str | None, is_over: Callable[[], bool]
    ) -> Any | None:
        """Repeats a call under its key until there is an answer for good; None when the run is over before."""
        while not is_over():
            status, answer = self.call(method, path, body, key)
            if 200 <= status < 300:
                return answer
            # In flight (409), over a rate (429), our trouble (5xx) and no answer at all are tried again.
            if status not in (0, 409, 429) and status < 500:
                raise Refused(f"{method} {path} is answered {status}: {answer}")
            time.sleep(self.random.uniform(0.02, 0.2))
        return None


class Load:
    """Threads that put work in and take it out."""

    def __init__(self, cluster: Cluster, history: History, seed: int) -> None:
        self.cluster, self.history, self.seed = cluster, history, seed
        self._feeding = threading.Event()
        self._working = threading.Event()
        self._feeding.set()
        self._working.set()
        # Nobody waits for what is under way any more.
        self._over = threading.Event()
        self.refused: list[str] = []
        self.counts = {"jobs": 0, "executions": 0, "claims": 0, "completions": 0}
        self._producers = [self._thread(self._produce, number) for number in range(3)]
        self._starters = [self._thread(self._start_executions, number) for number in range(1)]
        self._workers = [self._thread(self._work, number) for number in range(6)]
        self._has_room = threading.Event()
        self._watchers = [self._thread(self._watch, number) for number in range(1)]

    def _thread(self, run: Callable[[int], None], number: int) -> threading.Thread:
        def guarded() -> None:
            try:
                run(number)
            except Refused as refused:
                self.refused.append(str(refused))
            except Exception as broken:  # noqa: BLE001 - a thread that ends by itself must not pass for a quiet one
                if not self._over.is_set():
                    self.refused.append(f"{run.__name__} ended: {broken!r}")

        return threading.Thread(target=guarded, daemon=True)

    def prepare(self) -> None:
        """What must be there first, before any fault."""
        caller = Caller(self.cluster, self.seed)
        never = lambda: False  # noqa: E731
        for tenant in TENANT_LIMITS:
            status, answer = caller.call("POST", "/v1/tenants", {"name": tenant})
            if status not in (200, 201, 409):
                raise Refused(f"the tenant {tenant} is answered {status}: {answer}")
            limits = {"workflow-node": {"maxConcurrent": TENANT_LIMITS[tenant]}}
            caller.until_answered("PUT", f"/v1/tenants/{tenant}/limits", limits, None, never)
        caller.until_answered("POST", "/v1/workflows", WORKFLOW, None, never)
        caller.until_answered("POST", "/v1/schedules", SCHEDULE, None, never)

    def start(self) -> None:
        """Starts all threads."""
        for thread in (*self._producers, *self._starters, *self._workers, *self._watchers):
            thread.start()

    def stop_feeding(self) -> None:
        """Nothing new, from schedules neither: what they start while the end is read is not at its end. Workers go on."""
        self._feeding.clear()
        for thread in (*self._producers, *self._starters, *self._watchers):
            thread.join(timeout=60)
        caller, deadline = Caller(self.cluster, self.seed), time.monotonic() + 60
        is_over = lambda: time.monotonic() > deadline  # noqa: E731
        schedules = caller.until_answered("GET", "/v1/schedules", None, None, is_over)
        paths = [f"/v1/schedules/{schedule['id']}/pause" for schedule in schedules["items"]] if schedules else []
        if not paths or not all([caller.until_answered("POST", path, {}, None, is_over) for path in paths]):
            self.refused.append("the schedules were not paused within 60 s")

    def stop(self) -> None:
        """Ends the workers."""
        self._working.clear()
        for thread in self._workers:
            thread.join(timeout=60)

    def abandon(self) -> None:
        """Ends all threads, whatever they are about."""
        self._over.set()
        self._feeding.clear()
        self._working.clear()

    def _watch(self, number: int) -> None:
        """Looks how much waits. While nobody says, it is as it was."""
        caller = Caller(self.cluster, self.seed * 1000 + 900 + number)
        while self._feeding.is_set():
            status, answer = caller.call("GET", "/v1/queues", timeout=2)
            if status == 200:
                is_full = sum(queue["queued"] for queue in answer["items"]) >= WAITING_MAX
                (self._has_room.clear if is_full else self._has_room.set)()
            time.sleep(0.3)

    def _produce(self, number: int) -> None:
        caller = Caller(self.cluster, self.seed * 1000 + number)
        count = 0
        while self._feeding.is_set():
            if not self._has_room.wait(timeout=0.5):
                continue
            count += 1
            key = f"job-{self.seed}-{number}-{count}"
            body: dict[str, Any] = {"jobType": "chaos", "data": {"key": key}, "maxRetries": 50, "tags": ["chaos"]}
            draw = caller.random.random()
            if draw < 0.2:
                body["concurrencyKey"] = f"lock-{caller.random.randrange(3)}"
                body["data"]["concurrencyKey"] = body["concurrencyKey"]
            elif draw < 0.4:
                body["tenant"] = "small"
            body["priority"] = caller.random.choice(["high", "normal", "low"])
            self.history.record("job.ask", key=key)
            answer = caller.until_answered("POST", "/v1/jobs", body, key, self._over.is_set)
            if answer is None:
                return
            self.history.record("job.ok", key=key, id=answer["id"])
            self.counts["jobs"] += 1
            time.sleep(caller.random.uniform(0, 0.03))

    def _start_executions(self, number: int) -> None:
        caller = Caller(self.cluster, self.seed * 1000 + 500 + number)
        count = 0
        while self._feeding.is_set():
            if not self._has_room.wait(timeout=0.5):
                continue
            count += 1
            key = f"execution-{self.seed}-{number}-{count}"
            self.history.record("execution.ask", key=key)
            body = {"workflow": "three-steps", "input": {}}
            answer = caller.until_answered("POST", "/v1/executions", body, key, self._over.is_set)
            if answer is None:
                return
            self.history.record("execution.ok", key=key, id=answer["id"])
            self.counts["executions"] += 1
            time.sleep(caller.random.uniform(0.05, 0.3))

    def _work(self, number: int) -> None:
        caller = Caller(self.cluster, self.seed * 1000 + 700 + number)
        while self._working.is_set():
            sent_at = time.monotonic()
            poll = {
                "workerId": f"chaos-{number}",
                "jobTypes": ["chaos", "step"],
                "maxJobs": caller.random.choice([1, 1, 4, 16]),
                "wait": "1s",
            }
            # Some callers hang up while their poll is under way.
            timeout = caller.random.uniform(0.01, 0.3) if caller.random.random() < 0.1 else 8.0
            status, answer = caller.call("POST", "/v1/jobs/poll", poll, timeout=timeout)
            if status != 200:
                time.sleep(0.05)
                continue
            for job in answer["jobs"]:
                data = job["data"] if isinstance(job["data"], dict) else {}
                self.history.record(
                    "claim",
                    id=job["id"],
                    token=job["leaseToken"],
                    sentAt=sent_at,
                    leaseSeconds=LEASE_SECONDS,
                    concurrencyKey=data.get("concurrencyKey"),
                    tenant=job.get("tenant"),
                )
                self.counts["claims"] += 1
            for job in answer["jobs"]:
                self._turn(caller, job)

    def _turn(self, caller: Caller, job: dict[str, Any]) -> None:
        """Works one job: completes it, fails it once in a while, or forgets it as a worker that dies would."""
        time.sleep(caller.random.uniform(0, 0.02))
        name = {"id": job["id"], "token": job["leaseToken"]}
        draw = caller.random.random()
        if draw < 0.01:
            self.history.record("drop", **name)
            return
        report = {"id": job["id"], "leaseToken": job["leaseToken"]}
        if draw < 0.04:
            self.history.record("drop", **name)
            caller.call("POST", "/v1/jobs/fail", {"jobs": [{**report, "error": {"message": "drawn"}, "retryable": True}]})
            return
        self.history.record("complete.ask", **name)
        for _ in range(3):
            timeout = 0.005 if caller.random.random() < 0.05 else 8.0
            body = {"jobs": [{**report, "result": {"done": True}}]}
            status, answer = caller.call("POST", "/v1/jobs/complete", body, timeout=timeout)
            if status == 200:
                outcome = answer["results"][0]["outcome"]
                self.history.record("complete.answer", **name, outcome=outcome)
                self.counts["completions"] += outcome == "ok"
                return
            time.sleep(0.1)
