"""The leases of jobs in work: renewed from a thread of their own, lost ones cancel their handlers."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from trunkline._convert import encode
from trunkline._delivery import Reports
from trunkline._lines import LINES_OF_CALL_MAX, LineBuffer
from trunkline.activity import Activity
from trunkline.context import Context, monotonic_of, parse_instant
from trunkline.errors import ConnectionFailed, Problem
from trunkline.health import Metrics
from trunkline.transport import Call

_LOG = logging.getLogger("trunkline.worker")
_PROGRESS_PAUSE = 0.1
#: How long a line waits for others before a heartbeat brings them.
_LINES_PAUSE = 1.0
#: How long a heartbeat may take at most.
_CALL_MAX = 10.0
#: How long after one that failed the next goes out at most.
_AGAIN_MAX = 1.0


@dataclass
class Running:
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
    #: Whether another handler may have its slot.
    is_slot_free: bool = False
    is_reported: bool = False
    progress: list[Any] = field(default_factory=list)
    #: Whether the next heartbeat goes without progress, because the server refused what the last one had.
    is_bare: bool = False
    lines: LineBuffer = field(default_factory=LineBuffer)

    @property
    def key(self) -> str:
        """What it is known by: a job may be in work twice, under two leases."""
        return f"{self.job['id']}:{self.job['leaseToken']}"

    @property
    def next_at(self) -> float:
        """Monotonic: when something is to be done about the lease. Its end is nothing to a handler that has ended."""
        return self.beat_at if self.has_ended else min(self.beat_at, self.lease_until)

    @property
    def lease(self) -> dict[str, Any]:
        """The proof of the lease, as reports begin."""
        return {"id": self.job["id"], "leaseToken": self.job["leaseToken"]}


class Leases:
    """The jobs in work with their leases."""

    def __init__(self, transport: Reports, metrics: Metrics, on_forget: Callable[[Running], None]) -> None:
        self._transport, self._metrics, self._on_forget = transport, metrics, on_forget
        self._lock = threading.Lock()
        self._running: dict[str, Running] = {}
        self._takes_lines = True
        self._wake = threading.Event()
        self._is_closed = threading.Event()
        self._thread = threading.Thread(target=self._beat_forever, daemon=True, name="trunkline-heartbeat")
        self._thread.start()

    def add(self, one: Running) -> None:
        """Keeps a lease from here on."""
        with self._lock:
            self._running[one.key] = one
        self._wake.set()

    def unended(self) -> list[Running]:
        """The jobs whose handlers have not ended."""
        with self._lock:
            return [one for one in self._running.values() if not one.has_ended]

    def close(self) -> None:
        """Renews no more."""
        self._is_closed.set()
        self._wake.set()
        self._thread.join(2.0)

    def forget(self, one: Running) -> None:
        """The server knows what became of it, or its lease is lost."""
        with self._lock:
            self._running.pop(one.key, None)
        if one.has_ended:
            self._on_forget(one)

    def holds(self, one: Running) -> bool:
        """Whether it is still kept here."""
        with self._lock:
            return one.key in self._running

    def lose(self, job_id: str, reason: str) -> None:
        """A job is not the worker's any more: the oldest of its attempts here that does not know it yet."""
        with self._lock:
            found = [one for one in self._running.values() if one.job["id"] == job_id and not one.has_ended]
        for one in found:
            if one.context.cancel_reason is None:
                one.context.cancel(reason)
                return

    def progress(self, key: str, value: Any) -> None:
        """Sends how far a job is with a heartbeat at once."""
        with self._lock:
            if one := self._running.get(key):
                one.progress = [encode(value)]
                one.beat_at = time.monotonic()
        self._wake.set()

    def logged(self, key: str) -> None:
        """A line of a job waits to be sent."""
        with self._lock:
            soon = time.monotonic() + _LINES_PAUSE
            one = self._running.get(key)
            if one is None or one.beat_at <= soon:
                return
            one.beat_at = soon
        self._wake.set()

    def flush(self, one: Running) -> None:
        """Sends the lines that wait, before the report ends the lease. Tried once: no report is delayed for them."""
        one.lines.close()
        while self._takes_lines and (lines := one.lines.first(LINES_OF_CALL_MAX)):
            self.beat([one])
            if one.lines.first(1) == lines[:1]:
                return

    def _beat_forever(self) -> None:
        """Renews leases from a thread of its own, so that a busy handler does not look dead."""
        while not self._is_closed.is_set():
            now = time.monotonic()
            with self._lock:
                running = list(self._running.values())
            for one in running:
                if now >= one.lease_until and not one.has_ended:
                    one.context.cancel("lease_lost")
            due = [one for one in running if now >= one.beat_at and one.context.cancel_reason in (None, "draining")]
            if due:
                self._beat_surely(due)
            times = [one.next_at for one in running if one.context.cancel_reason is None]
            pause = max(0.02, min(times) - time.monotonic()) if times else 5.0
            self._wake.wait(min(pause, 5.0))
            if self._wake.is_set():
                self._wake.clear()
                self._is_closed.wait(_PROGRESS_PAUSE if due else 0.0)

    def _beat_surely(self, due: list[Running]) -> None:
        try:
            self.beat(due)
        except Exception:  # the thread must go on: without it all leases are lost
            _LOG.exception("a heartbeat came to nothing")
            for one in due:
                one.beat_at = time.monotonic() + 1.0

    def beat(self, due: list[Running]) -> None:
        """Renews these leases in one call."""
        shortest, now = min(one.lease_seconds for one in due), time.monotonic()
        # While a call hangs nobody sees that a lease has ended.
        left = min((one.lease_until - now for one in due if not one.has_ended), default=_CALL_MAX)
        sent, jobs, room = [], [], LINES_OF_CALL_MAX
        for one in due:
            progress = [] if one.is_bare else one.progress
            lines = one.lines.first(room) if self._takes_lines else []
            room -= len(lines)
            sent.append((one, progress, lines))
            job = {**one.lease, "progress": progress[0]} if progress else dict(one.lease)
            jobs.append({**job, "logs": lines} if lines else job)
        timeout = max(0.1, min(_CALL_MAX, max(0.5, shortest / 3), left))
        call = Call("heartbeat_jobs", body={"jobs": jobs}, timeout=timeout)
        try:
            answer = self._transport.invoke(call)
        except (Problem, ConnectionFailed) as error:
            if room < LINES_OF_CALL_MAX and isinstance(error, Problem) and error.status in (400, 422):
                # A server that knows no lines yet, or lines that it refuses: the leases are worth more than they are.
                self._takes_lines = not any(str(fault.get("pointer")).endswith("/logs") for fault in error.errors or [])
                _LOG.info("the server does not take the log lines: %s", error)
                for one, _, lines in sent:
                    one.lines.sent(lines)
                self.beat(due)
                return
            self._metrics.add("trunkline_worker_heartbeat_failures_total")
            _LOG.warning("a heartbeat failed: %s", error)
            again = time.monotonic() + max(0.1, min(_AGAIN_MAX, shortest / 10))
            for one in due:
                one.beat_at = again
            return
        for (one, progress, lines), result in zip(sent, answer.body["results"], strict=True):
            self._answered(one, progress, lines, result, answer.clock_ahead)

    def _answered(
        self, one: Running, progress: list[Any], lines: list[dict[str, Any]], result: dict[str, Any], clock_ahead: float
    ) -> None:
        """Takes in what the server says to a heartbeat, which had this progress and these lines."""
        now, outcome = time.monotonic(), result["outcome"]
        if outcome == "rejected":
            _LOG.warning("the server refused the progress of %s: %s", one.job["id"], result.get("reason"))
            with self._lock:
                # Nothing was renewed: another heartbeat goes at once, and no progress keeps it from that.
                one.is_bare, one.beat_at = True, now if progress else now + 1.0
                if one.progress is progress:
                    one.progress = []
            return
        if outcome != "ok":
            # There is nothing to renew any more, also while the report of a handler that ended is on its way.
            one.beat_at = math.inf
            if not one.has_ended:
                one.context.cancel("cancelled" if outcome == "cancelled" else "lease_lost")
            return
        has_more = one.lines.sent(lines)
        if until := result.get("leaseExpiresAt"):
            one.lease_until = monotonic_of(parse_instant(until), clock_ahead)
        pause = max(0.1, min(one.lease_seconds, max(0.0, one.lease_until - now)) / 3)
        if has_more and self._takes_lines:
            # Lines that came while the heartbeat was under way wait no longer than others.
            pause = min(pause, _LINES_PAUSE)
        with self._lock:
            one.is_bare = False
            if one.progress is progress:
                one.progress = []
            # What was said while the heartbeat was under way goes with another one at once.
            one.beat_at = now if one.progress or (has_more and lines) else now + pause
