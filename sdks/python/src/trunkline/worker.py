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
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from typing import Any

from trunkline import _retry
from trunkline._convert import encode
from trunkline._duration import seconds
from trunkline._duration import text as duration_text
from trunkline._pool import LoopThread
from trunkline._reports import Report, Reporter
from trunkline.activity import Activity
from trunkline.client import Client
from trunkline.context import Context, monotonic_of, parse_instant
from trunkline.errors import (
    Cancelled,
    ConnectionFailed,
    InvalidData,
    NonRetryable,
    Problem,
    RetryAfter,
    Snooze,
)
from trunkline.health import HealthServer, Metrics
from trunkline.transport import Call, Interrupt

_LOG = logging.getLogger("trunkline.worker")
#: How much longer than it may wait a poll can take before the health says so.
_POLL_GRACE = 2.0
_POLL_TIMEOUT_EXTRA = 10.0
_POLL_PAUSE_MAX = 5.0
_POLL_WAIT_FIRST = 0.1
_PROGRESS_PAUSE = 0.1
_CANCEL_GRACE = 2.0
_MESSAGE_CHARACTERS_MAX = 8_000

Middleware = Callable[[Context, Callable[[], Any]], Any]


@dataclass
class _Running:
    """A job in work."""

    job: dict[str, Any]
    context: Context
    activity: Activity[Any, Any]
    #: Monotonic: when the lease is over unless a heartbeat renews it.
    lease_until: float
    lease_seconds: float
    beat_at: float
    started_at: float = field(default_factory=time.monotonic)
    has_ended: bool = False
    is_reported: bool = False
    progress: list[Any] = field(default_factory=list)


class Worker:
    """Serves activities of a server.

    `concurrency` handlers run side by side. `poll_wait` is how long a poll waits for a job, `lease` how long leases
    hold (the server's default where absent), `drain_timeout` how long `stop` waits for handlers before it cancels
    them and gives their jobs back. Middlewares are called as `middleware(context, call)` around each handler, the
    first one outermost; around coroutines they are coroutine functions and await `call()`.
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
        self._poll_wait, self._lease = seconds(poll_wait), lease
        self._drain = seconds(drain_timeout or os.environ.get("TRUNKLINE_DRAIN_TIMEOUT") or "25s")
        self._health_address = health or os.environ.get("TRUNKLINE_WORKER_HEALTH")
        self.health_server: HealthServer | None = None
        self._condition = threading.Condition()
        self._running: dict[str, _Running] = {}
        self._busy = 0
        self._is_draining = False
        self._is_stopped = threading.Event()
        self._asked_to_stop = False
        self._stop_pipe: int | None = None
        self._polls = Interrupt()
        self._poll_since: float | None = None
        self._last_poll_ok: float | None = None
        self._poll_failed = False
        self._wake_beat = threading.Event()
        self._threads: list[threading.Thread] = []

    def run(self) -> None:
        """Serves until SIGTERM or SIGINT, then drains. Also works as the first process of a container."""
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
        """Serves in threads of its own, until `stop`."""
        if self._health_address and self.health_server is None:
            self.health_server = HealthServer(self._health_address, self.health, self.metrics)
        self._loop = LoopThread() if any(a.is_async for a in self.activities.values()) else None
        transport = self.client.transport
        self._reporters = {
            name: Reporter(transport, name, self.metrics, self._report_refused)
            for name in ("complete_jobs", "fail_jobs", "release_jobs")
        }
        for target in (self._poll_forever, self._beat_forever):
            thread = threading.Thread(target=target, daemon=True, name=f"trunkline-{target.__name__.strip('_')}")
            thread.start()
            self._threads.append(thread)
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
        """Takes no more jobs, waits for those in work, and gives back what is not done when the time is up."""
        with self._condition:
            if self._is_draining:
                return
            self._is_draining = True
            self._condition.notify_all()
        self._polls.trigger()
        deadline = time.monotonic() + self._drain
        with self._condition:
            self._condition.wait_for(lambda: self._busy == 0, self._drain)
            left = [one for one in self._running.values() if not one.has_ended]
        for one in left:
            one.context.cancel("draining")
        with self._condition:
            self._condition.wait_for(lambda: self._busy == 0, _CANCEL_GRACE if left else 0)
            left = [one for one in self._running.values() if not one.has_ended]
        for one in left:
            self._release(one, None)
        for reporter in self._reporters.values():
            reporter.flush(max(deadline, time.monotonic() + 5.0))
        self._is_stopped.set()
        self._wake_beat.set()
        for reporter in self._reporters.values():
            reporter.close()
        for thread in self._threads:
            thread.join(2.0)
        if self._loop is not None:
            self._loop.close()
        if self.health_server is not None:
            self.health_server.close()
        _LOG.info("worker %s stopped", self.worker_id)

    def health(self) -> tuple[bool, dict[str, Any]]:
        """Whether polls come back and it takes jobs, with details: the truth about the channel of delivery."""
        now = time.monotonic()
        with self._condition:
            since = self._poll_since
            is_overdue = since is not None and now - since > self._poll_wait + _POLL_GRACE
            is_well = self._last_poll_ok is not None and not is_overdue and not self._poll_failed
            is_well = is_well and not self._is_draining
            age = None if self._last_poll_ok is None else round(now - self._last_poll_ok, 3)
            status = "draining" if self._is_draining else "ok" if is_well else "unavailable"
            return is_well, {"status": status, "lastPollSecondsAgo": age, "running": self._busy}

    def _poll_forever(self) -> None:
        failures = 0
        while True:
            with self._condition:
                self._condition.wait_for(lambda: self._busy < self.concurrency or self._is_draining)
                if self._is_draining:
                    return
                free = self.concurrency - self._busy
                self._poll_since = time.monotonic()
            try:
                self._poll(free)
                failures = 0
            except (Problem, ConnectionFailed) as error:
                failures += 1
                self._poll_failure(failures, error)
            except Exception as error:  # an answer that makes no sense must not end the worker
                failures += 1
                _LOG.exception("an answer to a poll made no sense")
                self._poll_failure(failures, error)

    def _poll(self, free: int) -> None:
        # The first poll, and each one after a failure, comes back soon, so that the health is known.
        wait = self._poll_wait if self._last_poll_ok is not None and not self._poll_failed else _POLL_WAIT_FIRST
        wait = min(wait, self._poll_wait)
        body: dict[str, Any] = {
            "workerId": self.worker_id,
            "jobTypes": sorted(self.activities),
            "maxJobs": min(free, 1000),
            "wait": duration_text(wait),
        }
        if self._lease is not None:
            body["lease"] = self._lease
        if self.client.tenant is not None:
            body["tenant"] = self.client.tenant
        call = Call("poll_jobs", body=body, timeout=wait + _POLL_TIMEOUT_EXTRA, interrupt=self._polls)
        answer = self.client.transport.invoke(call)
        with self._condition:
            self._poll_since, self._poll_failed = None, False
            self._last_poll_ok = time.monotonic()
        for job in answer.body["jobs"]:
            self._take(job, answer.clock_ahead)

    def _poll_failure(self, failures: int, error: Exception) -> None:
        with self._condition:
            self._poll_since, self._poll_failed = None, True
            if self._is_draining:
                return
        self.metrics.add("trunkline_worker_poll_failures_total")
        pause = _retry.wait_before(failures, error, _POLL_PAUSE_MAX)
        if failures in (1, 10) or failures % 100 == 0:
            _LOG.warning("poll %d failed, the next one is in %.1f s: %s", failures, pause, error)
        with self._condition:
            self._condition.wait_for(lambda: self._is_draining, pause)

    def _take(self, job: dict[str, Any], clock_ahead: float) -> None:
        lease_until = monotonic_of(parse_instant(job["leaseExpiresAt"]), clock_ahead)
        now = time.monotonic()
        lease_seconds = max(0.1, lease_until - now)
        activity = self.activities[job["jobType"]]
        key = f"{job['id']}:{job['leaseToken']}"
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
            on_progress=lambda value: self._progress(key, value),
        )
        one = _Running(job, context, activity, lease_until, lease_seconds, now + lease_seconds / 3)
        with self._condition:
            self._running[key] = one
            self._busy += 1
        self.metrics.add("trunkline_worker_jobs_started_total", job_type=activity.name)
        self._wake_beat.set()
        if activity.is_async and self._loop is not None:
            cancel = self._loop.submit(self._handle_async(one), lambda task: self._end_async(one, task))
            context.on_cancel(cancel)
        else:
            # A daemon: a handler that never returns must not keep the process from ending.
            threading.Thread(target=self._handle, args=(one,), daemon=True, name=f"trunkline-{one.job['id']}").start()

    def _handle(self, one: _Running) -> None:
        try:
            result: Any = self._wrapped(one)()
            outcome: BaseException | None = None
        except BaseException as error:  # whatever a handler raises is the job's failure, never the worker's
            result, outcome = None, error
        self._end(one, result, outcome, time.monotonic() - one.started_at)

    async def _handle_async(self, one: _Running) -> Any:
        return await self._wrapped(one)()

    def _end_async(self, one: _Running, task: asyncio.Task[Any]) -> None:
        error = Cancelled("cancelled") if task.cancelled() else task.exception()
        result = None if error else task.result()
        took = time.monotonic() - one.started_at
        # In a thread: the report may have to send progress first, which must not hold up the loop.
        threading.Thread(target=self._end, args=(one, result, error, took), daemon=True).start()

    def _wrapped(self, one: _Running) -> Callable[[], Any]:
        def innermost() -> Any:
            return one.activity.invoke(one.context, self.client.codec.decode(one.job["data"]))

        call: Callable[[], Any] = innermost
        for middleware in reversed(self._middleware):
            call = _around(middleware, one.context, call)
        return call

    def _end(self, one: _Running, result: Any, error: BaseException | None, took: float) -> None:
        """Reports what a handler came to. Its slot is free from here on; its lease is kept until the report is in."""
        self.metrics.add("trunkline_worker_handler_seconds_total", took, job_type=one.activity.name)
        with self._condition:
            one.has_ended = True
        try:
            if error is None:
                self._complete(one, result)
            else:
                self._fail(one, error)
        finally:
            with self._condition:
                self._busy -= 1
                self._condition.notify_all()

    def _complete(self, one: _Running, result: Any) -> None:
        try:
            value = self.client.codec.encode(encode(result))
            self._report(one, "complete_jobs", {"result": value})
        except (InvalidData, ValueError) as error:
            self._report_failure(one, f"the result cannot be sent: {error}", "invalid_result", is_retryable=False)

    def _fail(self, one: _Running, error: BaseException) -> None:
        reason = one.context.cancel_reason
        if reason == "draining":
            self._release(one, None)
        elif reason is not None:
            self._forget(one)  # the lease is gone: nothing that is said counts
        elif isinstance(error, Snooze):
            self._release(one, error.delay)
        elif isinstance(error, RetryAfter):
            self._report_failure(one, error.message, None, retryAfter=error.delay)
        elif isinstance(error, NonRetryable):
            self._report_failure(one, error.message, error.code, error.details, is_retryable=False)
        elif isinstance(error, (Cancelled, asyncio.CancelledError)):
            self._report_failure(one, str(error) or "cancelled", "cancelled", is_retryable=False)
        elif isinstance(error, InvalidData):
            self._report_failure(one, str(error), "invalid_data", is_retryable=False)
        else:
            one.context.log.warning("attempt %d failed", one.context.attempt, exc_info=error)
            self._report_failure(one, str(error) or type(error).__name__, type(error).__name__)

    def _report_failure(
        self,
        one: _Running,
        message: str,
        code: str | None,
        details: Any = None,
        *,
        is_retryable: bool = True,
        **more: Any,
    ) -> None:
        described: dict[str, Any] = {"message": message[:_MESSAGE_CHARACTERS_MAX]}
        if code is not None:
            described["code"] = code
        if details is not None:
            described["details"] = encode(details)
        self._report(one, "fail_jobs", {"error": described, "retryable": is_retryable, **more})

    def _release(self, one: _Running, delay: str | None) -> None:
        self._report(one, "release_jobs", {"delay": delay} if delay else {})

    def _report(self, one: _Running, operation: str, body: dict[str, Any]) -> None:
        lease = {"id": one.job["id"], "leaseToken": one.job["leaseToken"]}
        report = Report(operation, {**lease, **body}, lambda _outcome: self._forget(one))
        with self._condition:
            if one.is_reported:
                return
            one.is_reported = True
        if operation != "complete_jobs" and one.progress:
            self._beat([one])  # the next attempt is to read it
        self._reporters[operation].add(report)
        self.metrics.add("trunkline_worker_jobs_ended_total", job_type=one.activity.name, how=operation[:-5])

    def _report_refused(self, report: Report, problem: Problem) -> None:
        """A report that the server finds invalid: the job fails with the reason, if it was a result."""
        _LOG.error("the server refused the report on %s: %s", report.body["id"], problem)
        if report.operation != "complete_jobs":
            report.done(None)
            return
        lease = {name: report.body[name] for name in ("id", "leaseToken")}
        error = {
            "message": f"the server refused the result: {problem.detail}"[:_MESSAGE_CHARACTERS_MAX],
            "code": problem.code,
        }
        failure = Report("fail_jobs", {**lease, "error": error, "retryable": False}, report.done)
        self._reporters["fail_jobs"].add(failure)

    def _forget(self, one: _Running) -> None:
        with self._condition:
            self._running.pop(f"{one.job['id']}:{one.job['leaseToken']}", None)
            self._condition.notify_all()

    def _progress(self, key: str, value: Any) -> None:
        with self._condition:
            if one := self._running.get(key):
                one.progress = [self.client.codec.encode(encode(value))]
                one.beat_at = time.monotonic()
        self._wake_beat.set()

    def _beat_forever(self) -> None:
        """Renews leases from a thread of its own, so that a busy handler does not look dead."""
        while not self._is_stopped.is_set():
            now = time.monotonic()
            with self._condition:
                running = list(self._running.values())
            for one in running:
                if now >= one.lease_until and not one.has_ended:
                    one.context.cancel("lease_lost")
            due = [one for one in running if now >= one.beat_at and one.context.cancel_reason in (None, "draining")]
            if due:
                self._beat(due)
            times = [min(one.beat_at, one.lease_until) for one in running if one.context.cancel_reason is None]
            pause = max(0.02, min(times) - time.monotonic()) if times else 5.0
            self._wake_beat.wait(min(pause, 5.0))
            if self._wake_beat.is_set():
                self._wake_beat.clear()
                self._is_stopped.wait(_PROGRESS_PAUSE if due else 0.0)

    def _beat(self, due: list[_Running]) -> None:
        shortest = min(one.lease_seconds for one in due)
        sent = [(one, one.progress) for one in due]
        jobs = []
        for one, progress in sent:
            lease = {"id": one.job["id"], "leaseToken": one.job["leaseToken"]}
            jobs.append({**lease, "progress": progress[0]} if progress else lease)
        call = Call("heartbeat_jobs", body={"jobs": jobs}, timeout=max(0.3, min(10.0, shortest / 3)))
        try:
            answer = self.client.transport.invoke(call)
        except (Problem, ConnectionFailed) as error:
            self.metrics.add("trunkline_worker_heartbeat_failures_total")
            _LOG.warning("a heartbeat failed: %s", error)
            again = time.monotonic() + max(0.1, min(2.0, shortest / 10))
            for one in due:
                one.beat_at = again
            return
        now = time.monotonic()
        for (one, progress), result in zip(sent, answer.body["results"], strict=True):
            if result["outcome"] != "ok":
                if not one.has_ended:
                    one.context.cancel("lease_lost")
                continue
            if one.progress is progress:
                one.progress = []
            if until := result.get("leaseExpiresAt"):
                one.lease_until = monotonic_of(parse_instant(until), answer.clock_ahead)
            # What was said while the heartbeat was under way goes with another one at once.
            pause = max(0.1, min(one.lease_seconds, max(0.0, one.lease_until - now)) / 3)
            one.beat_at = now if one.progress else now + pause


def _around(middleware: Middleware, context: Context, call: Callable[[], Any]) -> Callable[[], Any]:
    return lambda: middleware(context, call)


def _deadline(job: dict[str, Any], clock_ahead: float) -> datetime | None:
    """When the attempt has to be over, by our clock."""
    if instant := job.get("deadline"):
        return parse_instant(instant) - timedelta(seconds=clock_ahead)
    if timeout := job.get("timeout"):
        return datetime.now(timezone.utc) + timedelta(seconds=seconds(timeout))
    return None
