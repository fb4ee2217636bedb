"""What becomes of a job, by what its handler returned or raised."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable
from typing import Any

from trunkline._convert import encode
from trunkline._delivery import Delivery
from trunkline._leases import Leases, Running
from trunkline._reports import Report, Reporter
from trunkline.codec import PayloadCodec
from trunkline.errors import Cancelled, InvalidData, NonRetryable, Problem, RetryAfter, Snooze
from trunkline.health import Metrics

_LOG = logging.getLogger("trunkline.worker")
_MESSAGE_CHARACTERS_MAX = 8_000
#: For so long a job of a type that has no handler here goes back, which no server should have sent.
_NOT_OURS_DELAY = "1s"


class Outcomes:
    """Reports what handlers came to."""

    def __init__(
        self,
        delivery: Delivery,
        codec: PayloadCodec,
        metrics: Metrics,
        leases: Leases,
        take: Callable[[dict[str, Any], float], None],
        drain: Callable[[], None],
    ) -> None:
        self._codec, self._metrics, self._leases = codec, metrics, leases
        self._delivery = delivery
        self._lock = threading.Lock()
        self._reporters = {
            name: Reporter(delivery, name, metrics, self._report_refused, take, drain)
            for name in ("complete_jobs", "fail_jobs", "release_jobs")
        }

    def settle(self, one: Running, result: Any, error: BaseException | None) -> None:
        """Reports a result, or what was raised."""
        if error is None:
            self._complete(one, result)
        else:
            self._fail(one, error)

    def holds_slot(self, one: Running) -> bool:
        """Whether the slot of a handler that ended waits for its report, which asks for the next job."""
        return self._delivery.asks_with_reports and one.is_reported and self._leases.holds(one)

    def close(self, deadline: float) -> None:
        """Sends what is left, until `deadline` (monotonic)."""
        for reporter in self._reporters.values():
            reporter.flush(deadline)
        for reporter in self._reporters.values():
            reporter.close()

    def _complete(self, one: Running, result: Any) -> None:
        try:
            value = encode(result)
            # Expressions of the workflow read the results of its jobs.
            if one.job.get("executionId") is None:
                value = self._codec.encode(value)
            self._report(one, "complete_jobs", {"result": value})
        except (InvalidData, ValueError) as error:
            self._report_failure(one, f"the result cannot be sent: {error}", "invalid_result", is_retryable=False)

    def _fail(self, one: Running, error: BaseException) -> None:
        reason = one.context.cancel_reason
        if reason == "draining":
            self.release(one, None)
        elif reason is not None:
            self._leases.forget(one)  # the lease is gone: nothing that is said counts
        elif isinstance(error, Snooze):
            self.release(one, error.delay)
        elif isinstance(error, RetryAfter):
            self._report_failure(one, error.message, None, retryAfter=error.delay)
        elif isinstance(error, NonRetryable):
            self._report_failure(one, error.message, error.code, error.details, is_retryable=False)
        elif isinstance(error, (Cancelled, asyncio.CancelledError)):
            self._report_failure(one, str(error) or "cancelled", "cancelled", is_retryable=False)
        elif isinstance(error, InvalidData):
            self._report_failure(one, str(error), "invalid_data", is_retryable=False)
        else:
            _LOG.warning("attempt %d of %s failed", one.context.attempt, one.job["id"], exc_info=error)
            self._report_failure(one, str(error) or type(error).__name__, type(error).__name__)

    def _report_failure(
        self,
        one: Running,
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

    def release(self, one: Running, delay: str | None) -> None:
        """Gives a job back without an attempt, for a while if `delay` says so."""
        self._report(one, "release_jobs", {"delay": delay} if delay else {})

    def give_back(self, job: dict[str, Any]) -> None:
        """Gives back a job that nothing here serves: another worker gets it, and this one not at once again."""
        back = {"id": job["id"], "leaseToken": job["leaseToken"], "delay": _NOT_OURS_DELAY}
        self._reporters["release_jobs"].add(Report("release_jobs", back, lambda _outcome: None))

    def _report(self, one: Running, operation: str, body: dict[str, Any]) -> None:
        report = Report(operation, {**one.lease, **body}, lambda _outcome: self._leases.forget(one))
        with self._lock:
            if one.is_reported:
                return
            one.is_reported = True
        self._leases.flush(one)
        if operation != "complete_jobs" and one.progress:
            self._leases.beat([one])  # the next attempt is to read it
        self._reporters[operation].add(report)
        self._metrics.add("trunkline_worker_jobs_ended_total", job_type=one.activity.name, how=operation[:-5])

    def _report_refused(self, report: Report, problem: Problem) -> None:
        """A report that the server finds invalid: the job fails with the reason, if it was a result."""
        _LOG.error("the server refused the report on %s: %s", report.body["id"], problem)
        if report.operation != "complete_jobs":
            report.done(None)
            return
        self._fail_instead(report, problem.detail, problem.code)

    def _fail_instead(self, report: Report, reason: str, code: str) -> None:
        lease = {name: report.body[name] for name in ("id", "leaseToken")}
        error = {"message": f"the server refused the result: {reason}"[:_MESSAGE_CHARACTERS_MAX], "code": code}
        failure = Report("fail_jobs", {**lease, "error": error, "retryable": False}, report.done)
        self._reporters["fail_jobs"].add(failure)
