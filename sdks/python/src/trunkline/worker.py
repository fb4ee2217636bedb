"""The worker: polls for jobs, runs handlers, keeps leases, reports, drains."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import socket
import threading
import time
import uuid
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta, timezone
from typing import Any

from trunkline._delivery import delivery_over
from trunkline._duration import seconds
from trunkline._leases import Leases, Running
from trunkline._lines import LineBuffer
from trunkline._outcomes import Outcomes
from trunkline._pool import LoopThread
from trunkline.activity import Activity
from trunkline.client import Client
from trunkline.context import Context, monotonic_of, parse_instant
from trunkline.errors import Cancelled
from trunkline.health import HealthServer, Metrics

_LOG = logging.getLogger("trunkline.worker")
_CANCEL_GRACE = 2.0
#: How long reports may take once the worker has to end.
_LAST_REPORTS = 5.0

Middleware = Callable[[Context, Callable[[], Any]], Any]


class Worker:
    """A worker that processes the jobs of activities.

    `concurrency` is the number of concurrent handlers. `poll_wait` is how long a poll waits for a job, `lease` the
    duration of leases (default: the server's), `drain_timeout` how long `stop` waits for handlers before it cancels
    them and releases their jobs. `build` names the code that the worker runs, such as a version or a commit, and is
    shown with the worker; `builds`, which must include its own build, pins the job types to these builds when the
    worker starts: from then on, only workers of these builds receive their jobs. Middlewares are called as
    `middleware(context, call)` around each handler, the first one outermost; for coroutines they are coroutine
    functions and await `call()`.
    """

    def __init__(
        self,
        client: Client,
        activities: Sequence[Any],
        *,
        concurrency: int = 10,
        middleware: Sequence[Middleware] = (),
        poll_wait: str = "20s",
        lease: str | None = None,
        drain_timeout: str | None = None,
        health: str | None = None,
        worker_id: str | None = None,
        build: str | None = None,
        builds: Sequence[str] | None = None,
    ) -> None:
        if concurrency < 1:
            raise ValueError("concurrency is at least 1")
        self.client = client
        self.activities: dict[str, Activity[Any, Any]] = {}
        for one in activities:
            if not isinstance(one, Activity):
                raise TypeError(f"{one!r} is no activity; decorate it with @activity()")
            if self.activities.setdefault(one.name, one) is not one:
                raise ValueError(f"two activities have the job type {one.name}")
        self.concurrency = concurrency
        self.metrics = Metrics()
        self.worker_id = worker_id or f"{socket.gethostname()}-{os.getpid()}-{uuid.uuid4().hex[:8]}"
        self._middleware = list(middleware)
        self._poll_wait, self._lease, self._build = seconds(poll_wait), lease, build
        self._builds = list(builds) if builds else None
        self._drain = seconds(drain_timeout or os.environ.get("TRUNKLINE_DRAIN_TIMEOUT") or "25s")
        self._health_address = health or os.environ.get("TRUNKLINE_WORKER_HEALTH")
        self.health_server: HealthServer | None = None
        self._condition = threading.Condition()
        self._busy = 0
        self._is_draining = False
        self._has_stopped = threading.Event()
        self._asked_to_stop = False
        self._stop_pipe: int | None = None

    def run(self) -> None:
        """Serves until SIGTERM, SIGINT or an operator's drain, then drains. Also works as process 1 of a container."""
        # A pipe and no lock: a signal handler may interrupt the very code that holds the lock. The interpreter writes
        # into it whichever thread the signal came to; without that a main thread that waits would not see it.
        reader, writer = os.pipe()
        os.set_blocking(writer, False)
        self._stop_pipe = writer
        previous, wakeup = {}, -1
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGTERM, signal.SIGINT):
                previous[number] = signal.signal(number, lambda *_: self.request_stop())
            wakeup = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        try:
            self.start()
            while not self._asked_to_stop:
                os.read(reader, 1)
            self.stop()
        finally:
            for number, handler in previous.items():
                signal.signal(number, handler)
            if previous:
                signal.set_wakeup_fd(wakeup)
            self._stop_pipe = None
            os.close(reader)
            os.close(writer)

    def start(self) -> None:
        """Serves in background threads, until `stop`."""
        if self._health_address and self.health_server is None:
            self.health_server = HealthServer(self._health_address, self.health, self.metrics)
        self._loop = LoopThread() if any(a.is_async for a in self.activities.values()) else None
        client = self.client
        hello = {"workerId": self.worker_id, "jobTypes": sorted(self.activities)}
        more = {"lease": self._lease, "tenant": client.tenant, "build": self._build, "builds": self._builds}
        hello |= {name: value for name, value in more.items() if value is not None}
        self._delivery = delivery_over(client.transport, hello, self._poll_wait, _Hooks(self), self.concurrency)
        self._leases = Leases(self._delivery.reports, self.metrics, self._free)
        self._outcomes = Outcomes(
            self._delivery, client.codec, self.metrics, self._leases, self._take, self._drained_by_operator
        )
        self._delivery.start()
        _LOG.info("worker %s serves %s", self.worker_id, ", ".join(sorted(self.activities)))

    def __enter__(self) -> Worker:
        self.start()
        return self

    def __exit__(self, *_exception: object) -> None:
        self.stop()

    def request_stop(self) -> None:
        """Lets `run` return after a drain. May be called from signal handlers and other threads."""
        self._asked_to_stop = True
        if (writer := self._stop_pipe) is not None:
            with contextlib.suppress(BlockingIOError):
                os.write(writer, b"x")

    def stop(self) -> None:
        """Takes no more jobs, waits for running handlers, and releases unfinished jobs after the timeout."""
        with self._condition:
            is_first, self._is_draining = not self._is_draining, True
            self._condition.notify_all()
        if not is_first:
            self._has_stopped.wait()
            return
        try:
            self._drain_and_close()
        finally:
            self._has_stopped.set()

    def _drain_and_close(self) -> None:
        self._delivery.stop()
        deadline = time.monotonic() + self._drain
        with self._condition:
            self._condition.wait_for(lambda: self._busy == 0, self._drain)
        left = self._leases.unended()
        for one in left:
            one.context.cancel("draining")
        with self._condition:
            self._condition.wait_for(lambda: self._busy == 0, _CANCEL_GRACE if left else 0)
        self._release_all(self._leases.unended())
        self._outcomes.close(max(deadline, time.monotonic() + _LAST_REPORTS))
        self._leases.close()
        self._delivery.close()
        if self._loop is not None:
            self._loop.close()
        if self.health_server is not None:
            self.health_server.close()
        _LOG.info("worker %s stopped", self.worker_id)

    def _release_all(self, left: list[Running]) -> None:
        """Side by side: what they have said goes out first, and a server that does not answer must not hold all up."""
        until = time.monotonic() + _LAST_REPORTS
        threads = [threading.Thread(target=self._outcomes.release, args=(one, None), daemon=True) for one in left]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(max(0.0, until - time.monotonic()))

    def health(self) -> tuple[bool, dict[str, Any]]:
        """Whether polls succeed and the worker takes jobs, with details about the delivery of jobs."""
        is_well, age = self._delivery.is_well()
        with self._condition:
            status = "draining" if self._is_draining else "ok" if is_well else "unavailable"
            details = {"lastPollSecondsAgo": None if age is None else round(age, 3), "running": self._busy}
            return status == "ok", {"status": status, **details}

    def _drained_by_operator(self) -> None:
        """An operator drains this worker: as on SIGTERM, and beside the thread that says so, which is needed for it."""
        _LOG.info("worker %s is drained by an operator: it ends", self.worker_id)
        self.request_stop()
        threading.Thread(target=self.stop, daemon=True, name="trunkline-drain").start()

    def _take(self, job: dict[str, Any], clock_ahead: float) -> None:
        activity = self.activities.get(job["jobType"])
        if activity is None:
            self._outcomes.give_back(job)
            return
        lease_until = monotonic_of(parse_instant(job["leaseExpiresAt"]), clock_ahead)
        now = time.monotonic()
        lease_seconds = max(0.1, lease_until - now)
        context = Context(
            job_id=job["id"],
            job_type=job["jobType"],
            attempt=job["attempt"],
            idempotency_key=job.get("idempotencyKey"),
            previous_progress=job.get("progress"),
            traceparent=job.get("traceparent"),
            tenant=job.get("tenant", "default"),
            workflow=job.get("workflow"),
            execution_id=job.get("executionId"),
            node_id=job.get("nodeId"),
            deadline=_deadline(job, clock_ahead),
            on_progress=lambda value: self._leases.progress(one.key, value),
            on_line=lambda level, message, fields: one.lines.add(level, message, fields),
        )
        one = Running(job, context, activity, lease_until, lease_seconds, now + lease_seconds / 3)
        one.lines = LineBuffer(lambda: self._leases.logged(one.key))
        self._leases.add(one)
        with self._condition:
            is_draining = self._is_draining
            self._busy += 0 if is_draining else 1
        if is_draining:
            self._outcomes.release(one, None)
            return
        self.metrics.add("trunkline_worker_jobs_started_total", job_type=activity.name)
        if activity.is_async and self._loop is not None:
            cancel = self._loop.submit(self._handle_async(one), lambda task: self._end_async(one, task))
            context.on_cancel(cancel)
        else:
            # A daemon: a handler that never returns must not keep the process from ending.
            threading.Thread(target=self._handle, args=(one,), daemon=True, name=f"trunkline-{one.job['id']}").start()

    def _handle(self, one: Running) -> None:
        try:
            result: Any = self._wrapped(one)()
            outcome: BaseException | None = None
        except BaseException as error:  # whatever a handler raises is the job's failure, never the worker's
            result, outcome = None, error
        self._end(one, result, outcome, time.monotonic() - one.started_at)

    async def _handle_async(self, one: Running) -> Any:
        return await self._wrapped(one)()

    def _end_async(self, one: Running, task: asyncio.Task[Any]) -> None:
        error = Cancelled("cancelled") if task.cancelled() else task.exception()
        result = None if error else task.result()
        took = time.monotonic() - one.started_at
        # In a thread: the report may have to send progress first, which must not hold up the loop.
        threading.Thread(target=self._end, args=(one, result, error, took), daemon=True).start()

    def _wrapped(self, one: Running) -> Callable[[], Any]:
        def innermost() -> Any:
            one.context.check()  # it may have been cancelled before it begins
            return one.activity.invoke(one.context, self.client.codec.decode(one.job["data"]))

        call: Callable[[], Any] = innermost
        for middleware in reversed(self._middleware):
            call = _around(middleware, one.context, call)
        return call

    def _end(self, one: Running, result: Any, error: BaseException | None, took: float) -> None:
        """Reports what a handler came to. Its lease is kept until the report is in."""
        self.metrics.add("trunkline_worker_handler_seconds_total", took, job_type=one.activity.name)
        one.has_ended = True
        try:
            self._outcomes.settle(one, result, error)
        finally:
            if not self._outcomes.holds_slot(one):
                self._free(one)

    def _free(self, one: Running) -> None:
        """The handler's slot is free: from its end on, or once the report is in that asks for the next job."""
        with self._condition:
            if one.is_slot_free:
                return
            one.is_slot_free = True
            self._busy -= 1
            self._condition.notify_all()
        self._delivery.slots_changed()


class _Hooks:
    """What the delivery of jobs asks of a worker, and says to it."""

    def __init__(self, worker: Worker) -> None:
        self._worker = worker
        self.take = worker._take

    def free_slots(self) -> int:
        """How many more handlers may begin."""
        worker = self._worker
        with worker._condition:
            return 0 if worker._is_draining else max(0, worker.concurrency - worker._busy)

    def drain(self) -> None:
        """An operator drains the worker."""
        self._worker._drained_by_operator()

    def lose(self, job_id: str, reason: str) -> None:
        """Stops the handler of a job that is not the worker's any more."""
        self._worker._leases.lose(job_id, "cancelled" if reason == "cancelled" else "lease_lost")

    def failed(self, failures: int, error: Exception) -> None:
        """Counts a poll that failed, or a stream that broke."""
        self._worker.metrics.add("trunkline_worker_poll_failures_total")


def _around(middleware: Middleware, context: Context, call: Callable[[], Any]) -> Callable[[], Any]:
    return lambda: middleware(context, call)


def _deadline(job: dict[str, Any], clock_ahead: float) -> datetime | None:
    """When the attempt has to be over, by our clock."""
    if instant := job.get("deadline"):
        return parse_instant(instant) - timedelta(seconds=clock_ahead)
    if timeout := job.get("timeout"):
        return datetime.now(timezone.utc) + timedelta(seconds=seconds(timeout))
    return None
