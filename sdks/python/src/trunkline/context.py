"""What a handler knows about the job that it runs."""

from __future__ import annotations

import logging
import sys
import threading
import time
import traceback
from collections.abc import Callable, MutableMapping
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

from trunkline._lines import level_of
from trunkline.errors import Cancelled

_LOGGER = logging.getLogger("trunkline.job")


if TYPE_CHECKING:
    _Adapter = logging.LoggerAdapter[logging.Logger]
else:  # not generic in Python 3.10
    _Adapter = logging.LoggerAdapter


class _JobLog(_Adapter):
    """Puts the ids of the job beside each line, and sends it to the server as well."""

    on_line: Callable[[str, str, dict[str, Any]], None] | None = None

    def log(self, level: int, msg: object, *args: object, **kwargs: Any) -> None:
        """Logs here by the logger's configuration; the server gets what is INFO or more, and DEBUG where it is on."""
        if self.on_line is not None and (level >= logging.INFO or self.isEnabledFor(level)):
            self.on_line(level_of(level), _text(msg, args, kwargs.get("exc_info")), dict(kwargs.get("extra") or {}))
        kwargs["stacklevel"] = kwargs.get("stacklevel", 1) + 1
        super().log(level, msg, *args, **kwargs)

    def process(self, msg: Any, kwargs: MutableMapping[str, Any]) -> tuple[Any, MutableMapping[str, Any]]:
        extra = {**(self.extra or {}), **kwargs.get("extra", {})}
        return msg, {**kwargs, "extra": extra}


class Context:
    """The job that a handler processes. May be used from any thread."""

    def __init__(
        self,
        *,
        job_id: str,
        job_type: str,
        attempt: int = 1,
        idempotency_key: str | None = None,
        previous_progress: Any = None,
        traceparent: str | None = None,
        tenant: str = "default",
        workflow: str | None = None,
        execution_id: str | None = None,
        node_id: str | None = None,
        deadline: datetime | None = None,
        on_progress: Callable[[Any], None] | None = None,
        on_line: Callable[[str, str, dict[str, Any]], None] | None = None,
    ) -> None:
        self.job_id = job_id
        self.job_type = job_type
        #: The number of this attempt, from 1.
        self.attempt = attempt
        #: The same in each attempt: for effects elsewhere that must not happen twice.
        self.idempotency_key = idempotency_key or job_id
        #: What the attempt before said of how far it was; None in the first.
        self.previous_progress = previous_progress
        self.traceparent = traceparent
        self.tenant = tenant
        self.workflow = workflow
        self.execution_id = execution_id
        self.node_id = node_id
        #: When the attempt has to be over; None where it has no timeout.
        self.deadline = deadline
        ids = {
            "job_id": job_id,
            "job_type": job_type,
            "attempt": attempt,
            "execution_id": execution_id,
            "node_id": node_id,
        }
        #: A logger whose records carry the ids. Its lines go to the server too, where they stand beside the attempt.
        self.log = _JobLog(_LOGGER, ids)
        self.log.on_line = on_line
        #: Why the work is to be broken off: cancelled, lease_lost, timeout or draining; None while it is not.
        self.cancel_reason: str | None = None
        self._on_progress = on_progress
        self._cancelled = threading.Event()
        self._callbacks: list[Callable[[], None]] = []
        self._lock = threading.Lock()

    @property
    def cancelled(self) -> bool:
        """Whether the work should stop. Coroutines are also cancelled."""
        return self._cancelled.is_set()

    def check(self) -> None:
        """Raises Cancelled if the work should stop."""
        if self.cancelled:
            raise Cancelled(self.cancel_reason or "cancelled")

    def wait(self, seconds: float) -> bool:
        """Pauses a handler for this time, or until the work should stop, and returns whether it should stop."""
        return self._cancelled.wait(seconds)

    def remaining(self) -> float | None:
        """The seconds until the deadline, or None without a deadline."""
        if self.deadline is None:
            return None
        return (self.deadline - datetime.now(timezone.utc)).total_seconds()

    def progress(self, value: Any) -> None:
        """Reports progress: any JSON value. It is sent with the next heartbeat, within moments."""
        if self._on_progress is not None:
            self._on_progress(value)

    def cancel(self, reason: str = "cancelled") -> None:
        """Asks the handler to stop. Called by the worker, and by tests."""
        with self._lock:
            if self.cancel_reason is not None:
                return
            self.cancel_reason = reason
            callbacks, self._callbacks = self._callbacks, []
        self._cancelled.set()
        for callback in callbacks:
            try:
                callback()
            except Exception:  # the worker that cancels has other jobs to see to
                _LOGGER.exception("a callback of %s failed", self.job_id)

    def on_cancel(self, callback: Callable[[], None]) -> None:
        """Calls back once when the work should stop, immediately if it should already."""
        with self._lock:
            if self.cancel_reason is None:
                self._callbacks.append(callback)
                return
        callback()


def _text(message: object, arguments: tuple[object, ...], error: Any) -> str:
    try:
        text = str(message) % arguments if arguments else str(message)
    except (TypeError, ValueError):  # the logger says so on stderr
        text = str(message)
    if error is True:
        error = sys.exc_info()
    if isinstance(error, BaseException):
        error = (type(error), error, error.__traceback__)
    if isinstance(error, tuple) and error[0] is not None:
        text += "\n" + "".join(traceback.format_exception(*error)).rstrip()
    return text


def monotonic_of(instant: datetime, clock_ahead: float) -> float:
    """The monotonic time of an instant of the server's clock."""
    return time.monotonic() + instant.timestamp() - time.time() - clock_ahead


def parse_instant(text: str) -> datetime:
    """An instant as the server writes it."""
    return datetime.fromisoformat(text.replace("Z", "+00:00"))
