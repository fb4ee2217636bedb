"""How a failed node is tried again."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Retry:
    """At most `max` retries. Delays start with `initial` and grow by `factor` up to `max_wait`.

    The defaults are the server's.
    """

    max: int
    initial: str | None = None
    factor: float | None = None
    max_wait: str | None = None
    jitter: bool | None = None
