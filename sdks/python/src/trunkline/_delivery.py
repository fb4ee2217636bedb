"""How jobs come to a worker: by long polls, or over a stream."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Any, Protocol

from trunkline import _retry
from trunkline._duration import text as duration_text
from trunkline.errors import ConnectionFailed, Problem
from trunkline.transport import Answer, Call, Interrupt, JobSource, StreamListener, Transport

_LOG = logging.getLogger("trunkline.worker")
#: How much longer than it may wait a poll can take before the health says so.
_POLL_GRACE = 2.0
_POLL_TIMEOUT_EXTRA = 10.0
_POLL_PAUSE_MAX = 5.0
_POLL_WAIT_FIRST = 0.1
_JOBS_MAX = 1000


class Reports(Protocol):
    """What carries reports."""

    def invoke(self, call: Call) -> Answer:
        """Makes a call."""


class Delivery(Protocol):
    """Where jobs come from."""

    #: What reports are sent over.
    reports: Reports
    #: Whether reports ask for the next jobs: then a handler's slot is free once its report is in.
    asks_with_reports: bool

    def start(self) -> None:
        """Takes jobs from now on."""

    def slots_changed(self) -> None:
        """A handler ended."""

    def poll_with(self, reports: int) -> dict[str, Any] | None:
        """What to ask for together with so many reports; None where jobs come anyway."""

    def is_well(self) -> tuple[bool, float | None]:
        """Whether jobs can come, and how long ago something came, in seconds."""

    def stop(self) -> None:
        """Takes no more jobs."""

    def close(self) -> None:
        """Ends what is left."""


class Polling:
    """Long polls, one at a time, from a thread of its own."""

    def __init__(
        self, transport: Transport, hello: dict[str, Any], wait: float, worker: StreamListener, concurrency: int
    ) -> None:
        self.reports: Reports = transport
        # With more handlers than one, polls of their own overlap with reports, and that is faster.
        self.asks_with_reports = concurrency == 1
        self._transport, self._hello, self._wait, self._worker = transport, hello, wait, worker
        self._condition = threading.Condition()
        self._polls = Interrupt()
        self._is_stopped = False
        self._poll_since: float | None = None
        self._last_ok: float | None = None
        self._has_failed = False
        self._thread = threading.Thread(target=self._run, daemon=True, name="trunkline-poll")

    def start(self) -> None:
        """Polls from now on."""
        self._thread.start()

    def slots_changed(self) -> None:
        """Lets the next poll begin."""
        with self._condition:
            self._condition.notify_all()

    def poll_with(self, reports: int) -> dict[str, Any] | None:
        """A worker with one handler asks for the next job with its report: one call instead of two."""
        if not self.asks_with_reports:
            return None
        with self._condition:
            is_wanted = self._poll_since is None and not self._is_stopped and not self._has_failed
        return {**self._hello, "maxJobs": min(reports, _JOBS_MAX)} if is_wanted else None

    def is_well(self) -> tuple[bool, float | None]:
        """Whether polls come back."""
        now = time.monotonic()
        with self._condition:
            since = self._poll_since
            is_overdue = since is not None and now - since > self._wait + _POLL_GRACE
            age = None if self._last_ok is None else now - self._last_ok
            return age is not None and not is_overdue and not self._has_failed, age

    def stop_polling(self) -> None:
        """Makes no other poll."""
        with self._condition:
            self._is_stopped = True
            self._condition.notify_all()

    def stop(self) -> None:
        """Ends the poll that is under way, and makes no other."""
        self.stop_polling()
        self._polls.trigger()
        self._thread.join(2.0)
        # Where jobs come by other ways, there is something to leave.
        end: Callable[[str], None] | None = getattr(self._transport, "end_delivery", None)
        if end is not None:
            end(self._hello["workerId"])

    def close(self) -> None:
        """Nothing is left after `stop`."""

    def _run(self) -> None:
        failures = 0
        while (free := self._free_slots()) is not None:
            try:
                self._poll(free)
                failures = 0
            except (Problem, ConnectionFailed) as error:
                failures += 1
                self._failed(failures, error)
            except Exception as error:  # an answer that makes no sense must not end the worker
                failures += 1
                _LOG.exception("an answer to a poll made no sense")
                self._failed(failures, error)

    def _free_slots(self) -> int | None:
        """Waits for free slots; None once it is stopped."""
        with self._condition:
            self._condition.wait_for(lambda: self._is_stopped or self._worker.free_slots() > 0)
            if self._is_stopped:
                return None
            self._poll_since = time.monotonic()
            return self._worker.free_slots()

    def _poll(self, free: int) -> None:
        # The first poll, and each one after a failure, comes back soon, so that the health is known.
        wait = self._wait if self._last_ok is not None and not self._has_failed else min(_POLL_WAIT_FIRST, self._wait)
        body = {**self._hello, "maxJobs": max(1, min(free, _JOBS_MAX)), "wait": duration_text(wait)}
        call = Call("poll_jobs", body=body, timeout=wait + _POLL_TIMEOUT_EXTRA, interrupt=self._polls)
        answer = self._transport.invoke(call)
        with self._condition:
            self._poll_since, self._has_failed = None, False
            self._last_ok = time.monotonic()
        for job in answer.body["jobs"]:
            self._worker.take(job, answer.clock_ahead)
        if answer.body.get("drain"):
            self.stop_polling()
            self._worker.drain()

    def _failed(self, failures: int, error: Exception) -> None:
        with self._condition:
            self._poll_since, self._has_failed = None, True
            if self._is_stopped:
                return
        self._worker.failed(failures, error)
        pause = _retry.wait_before(failures, error, _POLL_PAUSE_MAX)
        if failures in (1, 10) or failures % 100 == 0:
            _LOG.warning("poll %d failed, the next one is in %.1f s: %s", failures, pause, error)
        with self._condition:
            self._condition.wait_for(lambda: self._is_stopped, pause)


class Streaming:
    """A stream that the transport keeps open."""

    asks_with_reports = False

    def __init__(self, source: JobSource) -> None:
        self.reports: Reports = source
        self._source = source

    def start(self) -> None:
        """Opens the stream."""
        self._source.start()

    def slots_changed(self) -> None:
        """Lets the server offer more."""
        self._source.slots_changed()

    def poll_with(self, reports: int) -> dict[str, Any] | None:
        """Nothing: jobs come as there is room for them."""
        return None

    def is_well(self) -> tuple[bool, float | None]:
        """Whether the stream is open and the server says that it is there."""
        return not self._source.is_late(), self._source.silent_for()

    def stop(self) -> None:
        """Takes no more jobs."""
        self._source.stop()

    def close(self) -> None:
        """Ends the stream."""
        self._source.close()


def delivery_over(
    transport: Transport, hello: dict[str, Any], poll_wait: float, worker: StreamListener, concurrency: int
) -> Delivery:
    """A stream where the transport has one, long polls where it has none."""
    connect: Callable[[dict[str, Any], StreamListener], JobSource] | None = getattr(transport, "connect_worker", None)
    if connect is None:
        return Polling(transport, hello, poll_wait, worker, concurrency)
    return Streaming(connect(hello, worker))
