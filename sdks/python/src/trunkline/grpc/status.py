"""Errors of gRPC: a Problem where the server refused the call, ConnectionFailed where no answer came."""

from __future__ import annotations

import contextlib
from typing import Any

import grpc

from trunkline.errors import ConnectionFailed, Problem
from trunkline.grpc.contract import message

#: The status that REST answers with, by that of gRPC: for what gRPC or a proxy says by itself.
_STATUSES = {
    grpc.StatusCode.INVALID_ARGUMENT: 422,
    grpc.StatusCode.UNAUTHENTICATED: 401,
    grpc.StatusCode.PERMISSION_DENIED: 403,
    grpc.StatusCode.NOT_FOUND: 404,
    grpc.StatusCode.FAILED_PRECONDITION: 409,
    grpc.StatusCode.ABORTED: 409,
    grpc.StatusCode.RESOURCE_EXHAUSTED: 429,
    grpc.StatusCode.UNAVAILABLE: 503,
    grpc.StatusCode.DEADLINE_EXCEEDED: 504,
    grpc.StatusCode.UNIMPLEMENTED: 501,
}


def error_of(error: Any, where: str) -> Problem | ConnectionFailed:
    """What an error of a call means."""
    details = _details(error)
    info = details.get("ErrorInfo")
    code = error.code()
    if info is None:
        # Not the server of Trunkline speaks, but gRPC itself: the connection, or a proxy.
        if code in (grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.PERMISSION_DENIED):
            return Problem(_STATUSES[code], "unknown", error.details() or code.name)
        if code in (
            grpc.StatusCode.UNIMPLEMENTED,
            grpc.StatusCode.INVALID_ARGUMENT,
            grpc.StatusCode.RESOURCE_EXHAUSTED,
        ):
            return Problem(_STATUSES[code], code.name.lower(), error.details() or code.name)
        return ConnectionFailed(f"{where}: {code.name.lower()}: {error.details() or 'no answer'}")
    exact = info.metadata.get("status", "")
    status = int(exact) if exact.isdecimal() else _STATUSES.get(code, 500)
    places = [{"pointer": one.field, "message": one.description} for one in _violations(details)]
    problem = Problem(status, info.reason, error.details() or "", places or None)
    if (retry := details.get("RetryInfo")) is not None:
        problem.retry_after = retry.retry_delay.seconds + retry.retry_delay.nanos / 1e9
    return problem


def problem_of(refused: Any) -> Problem:
    """The problem that a report on a stream was refused with."""
    places = [{"pointer": one.pointer, "message": one.message} for one in refused.errors]
    return Problem(refused.status, refused.code, refused.detail, places or None)


def _violations(details: dict[str, Any]) -> Any:
    request = details.get("BadRequest")
    return () if request is None else request.field_violations


def _details(error: Any) -> dict[str, Any]:
    """The details by the last part of their types."""
    found: dict[str, Any] = {}
    with contextlib.suppress(Exception):  # whatever else a proxy puts there is no detail
        for name, value in error.trailing_metadata() or ():
            if name != "grpc-status-details-bin":
                continue
            for one in message("trunkline.sdk.Status").FromString(value).details:
                kind = one.type_url.rsplit(".", 1)[-1]
                if kind in ("ErrorInfo", "BadRequest", "RetryInfo"):
                    found[kind] = message(f"trunkline.sdk.{kind}").FromString(one.value)
    return found
