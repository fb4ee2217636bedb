"""Sends reports on jobs: those that come while a call is under way go together in the next one."""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from trunkline import _retry
from trunkline._delivery import Delivery
from trunkline.errors import ConnectionFailed, Problem
from trunkline.health import Metrics
from trunkline.transport import Call

_LOG = logging.getLogger("trunkline.worker")
_JOBS_MAX = 500
_BYTES_MAX = 4 * 1024 * 1024
_GIVE_UP_AFTER = 120.0
_CALL_TIMEOUT = 15.0


@dataclass
class Report:
    """What became of a job, and what to do once the server knows."""

    operation: str
    body: dict[str, Any]
    done: Callable[[str | None], None]
    bytes: int = 0
    since: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        self.bytes = len(json.dumps(self.body, ensure_ascii=False))


class Reporter:
    """Sends the reports of one operation (complete, fail or release), in a thread of its own."""

    def __init__(
        self,
        delivery: Delivery,
        operation: str,
        metrics: Metrics,
        refused: Callable[[Report, Problem], None],
        take: Callable[[dict[str, Any], float], None],
        drain: Callable[[], None],
    ) -> None:
        self._delivery, self._operation, self._metrics, self._refused = delivery, operation, metrics, refused
        self._take, self._drain = take, drain
        self._polls = operation in ("complete_jobs", "fail_jobs")
        self._condition = threading.Condition()
        self._waiting: list[Report] = []
        self._under_way = 0
        self._is_closed = False
        threading.Thread(target=self._run, daemon=True, name=f"trunkline-{operation}").start()

    def add(self, report: Report) -> None:
        """Sends it with the next call."""
        with self._condition:
            self._waiting.append(report)
            self._condition.notify_all()

    def flush(self, deadline: float) -> bool:
        """Waits until all is sent, until `deadline`: whether it is."""
        with self._condition:
            return self._condition.wait_for(
                lambda: not self._waiting and not self._under_way, max(0.0, deadline - time.monotonic())
            )

    def close(self) -> None:
        """Ends the thread. What was not sent is dropped."""
        with self._condition:
            self._is_closed = True
            self._condition.notify_all()

    def _run(self) -> None:
        while True:
            with self._condition:
                self._condition.wait_for(lambda: self._waiting or self._is_closed)
                if self._is_closed:
                    return
                batch = self._next_batch()
                self._under_way = len(batch)
            try:
                self._send(batch)
            except Exception:  # the thread must go on for the reports that come
                _LOG.exception("a report could not be sent")
                for report in batch:
                    report.done(None)
            with self._condition:
                self._under_way = 0
                self._condition.notify_all()

    def _next_batch(self) -> list[Report]:
        size, number = 0, 0
        for report in self._waiting[:_JOBS_MAX]:
            size += report.bytes
            if number and size > _BYTES_MAX:
                break
            number += 1
        batch, self._waiting = self._waiting[:number], self._waiting[number:]
        return batch

    def _send(self, batch: list[Report]) -> None:
        attempt = 0
        while not self._is_closed:
            attempt += 1
            body: dict[str, Any] = {"jobs": [report.body for report in batch]}
            if self._polls and (poll := self._delivery.poll_with(len(batch))) is not None:
                body["poll"] = poll
            try:
                answer = self._delivery.reports.invoke(Call(self._operation, body=body, timeout=_CALL_TIMEOUT))
            except (Problem, ConnectionFailed) as error:
                if isinstance(error, Problem) and "poll" in body and _is_about_poll(error):
                    self._polls = False  # a server before polls in reports, or one that refuses this poll
                    continue
                if isinstance(error, Problem) and not _retry.is_passing(error):
                    self._split(batch, error)
                    return
                self._metrics.add("trunkline_worker_report_retries_total", operation=self._operation)
                if time.monotonic() - batch[0].since > _GIVE_UP_AFTER:
                    _LOG.error("gave up to report %d jobs: %s", len(batch), error)
                    break
                self._pause(_retry.wait_before(attempt, error))
                continue
            # The jobs first: their handlers get the slots of those that were reported on.
            for job in answer.body.get("jobs") or ():
                self._take(job, answer.clock_ahead)
            if answer.body.get("drain"):
                self._drain()
            for report, result in zip(batch, answer.body["results"], strict=True):
                self._answered(report, result)
            return
        for report in batch:
            report.done(None)

    def _answered(self, report: Report, result: dict[str, Any]) -> None:
        outcome = result["outcome"]
        self._metrics.add("trunkline_worker_reports_total", operation=self._operation, outcome=outcome)
        if outcome == "rejected":
            # The lease holds still: the others of the call were taken, this one was not.
            self._refused(report, Problem(422, "result_refused", str(result.get("reason", "no reason given"))))
        else:
            report.done(outcome)

    def _pause(self, seconds: float) -> None:
        with self._condition:
            self._condition.wait_for(lambda: self._is_closed, seconds)

    def _split(self, batch: list[Report], error: Problem) -> None:
        """One bad report must not spoil the others: each goes by itself, and the bad one is refused."""
        if len(batch) > 1:
            for report in batch:
                self._send([report])
        else:
            self._refused(batch[0], error)


def _is_about_poll(error: Problem) -> bool:
    return error.status in (400, 422) and any(str(fault.get("pointer")).startswith("/poll") for fault in error.errors)
