"""Tries of calls again: with what the server asks for, or a growing wait, and jitter in both."""

from __future__ import annotations

import random
import time

from trunkline.errors import ConnectionFailed, Problem
from trunkline.transport import Answer, Call, Transport

_WAIT_FIRST = 0.1
_WAIT_MAX = 5.0
_TRIES_MAX = 6


def is_passing(error: Exception) -> bool:
    """Whether another try of the same call can help."""
    if isinstance(error, Problem):
        return error.status in (429, 502, 503, 504) or (error.status == 409 and error.retry_after is not None)
    return isinstance(error, ConnectionFailed)


def wait_before(attempt: int, error: Exception, wait_max: float = _WAIT_MAX) -> float:
    """How long to wait before the next try, in seconds; `attempt` counts from 1."""
    asked = error.retry_after if isinstance(error, Problem) else None
    if asked is not None:
        return asked + random.uniform(0, 0.1 + asked / 10)
    return random.uniform(0.5, 1.0) * min(wait_max, _WAIT_FIRST * 2.0 ** min(attempt - 1, 10))


def invoke(transport: Transport, call: Call, deadline: float) -> Answer:
    """Makes a call, again while that can help, until `deadline` (monotonic seconds)."""
    attempt = 0
    while True:
        attempt += 1
        try:
            return transport.invoke(call)
        except (Problem, ConnectionFailed) as error:
            pause = wait_before(attempt, error)
            if not is_passing(error) or attempt >= _TRIES_MAX or time.monotonic() + pause >= deadline:
                raise
        time.sleep(pause)
