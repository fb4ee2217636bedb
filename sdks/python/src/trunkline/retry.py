"""How a failed node is tried again."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Retry:
    """`max` tries after the first. The waits begin with `initial` and grow by `factor` up to `max_wait`.

    Without them the server's own hold.
    """

    max: int
    initial: str | None = None
    factor: float | None = None
    max_wait: str | None = None
    jitter: bool | None = None
