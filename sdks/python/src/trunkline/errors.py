"""What goes wrong, and what handlers say by raising."""

from __future__ import annotations

from typing import Any


class TrunklineError(Exception):
    """The base of all errors of this package."""


class ConnectionFailed(TrunklineError):
    """No complete response was received from the server. The call may have been executed."""


class Problem(TrunklineError):
    """The server rejected a call: a problem document (RFC 9457)."""

    def __init__(self, status: int, code: str, detail: str, errors: list[dict[str, str]] | None = None) -> None:
        places = "; ".join(f"{e.get('pointer', '')}: {e.get('message', '')}" for e in errors or [])
        super().__init__(f"{detail} ({status} {code})" + (f": {places}" if places else ""))
        self.status = status
        self.code = code
        self.detail = detail
        self.errors = errors or []
        self.retry_after: float | None = None


class WaitTimeout(TrunklineError, TimeoutError):
    """The job or execution did not end in time. It continues."""


class JobFailed(TrunklineError):
    """A job ended without a result: it failed permanently or was cancelled."""

    def __init__(self, job_id: str, status: str, message: str, code: str | None = None, details: Any = None) -> None:
        super().__init__(message)
        self.job_id = job_id
        self.status = status
        self.message = message
        self.code = code
        self.details = details


class RunFailed(TrunklineError):
    """An execution ended without an output: it failed or was cancelled."""

    def __init__(
        self, run_id: str, status: str, message: str, code: str | None = None, node: str | None = None
    ) -> None:
        super().__init__(message)
        self.run_id = run_id
        self.status = status
        self.message = message
        self.code = code
        self.node = node


class InvalidSignature(TrunklineError):
    """A webhook is not signed with this secret, or was signed too long ago."""


class InvalidData(TrunklineError):
    """A value does not match the type that it is read as."""


class NonRetryable(TrunklineError):
    """Raised by a handler: a retry cannot help. The job fails permanently."""

    def __init__(self, message: str = "", *, code: str | None = None, details: Any = None) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.details = details


class RetryAfter(TrunklineError):
    """Raised by a handler: retry after this delay. It consumes an attempt."""

    def __init__(self, delay: str, message: str = "the handler asked for another try") -> None:
        super().__init__(message)
        self.delay = delay
        self.message = message


class Snooze(TrunklineError):
    """Raised by a handler: release the job and run it again after this delay. It consumes no attempt."""

    def __init__(self, delay: str) -> None:
        super().__init__(f"snoozed for {delay}")
        self.delay = delay


class Cancelled(TrunklineError):
    """Raised in or by a handler: the work was cancelled."""


class NodeFailed(TrunklineError):
    """In a workflow: a node failed permanently, with `message`, `code` and `node`."""

    def __init__(self, message: str = "", *, code: str | None = None, node: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.node = node


class CompileError(TrunklineError):
    """A workflow class cannot be compiled: the location, the reason, and the nearest form that works."""

    def __init__(self, file: str, line: int, column: int, reason: str, nearest: str) -> None:
        super().__init__(f"{file}:{line}:{column}: {reason}; {nearest}")
        self.file = file
        self.line = line
        self.column = column
        self.reason = reason
        self.nearest = nearest
