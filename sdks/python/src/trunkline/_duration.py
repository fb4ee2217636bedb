"""Durations as the server writes them."""

from __future__ import annotations

import re

_PATTERN = re.compile(r"\s*(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?(?:(\d+)ms)?\s*")
_SECONDS = (86400.0, 3600.0, 60.0, 1.0, 0.001)


def seconds(text: str) -> float:
    """The seconds of a duration such as 500ms, 30s or 1h30m. Raises ValueError for anything else."""
    match = _PATTERN.fullmatch(text) if isinstance(text, str) else None
    if match is None or not any(match.groups()):
        raise ValueError(f"{text!r} is not a duration; write it with units, such as 500ms, 30s or 1h30m")
    return sum(int(part) * unit for part, unit in zip(match.groups(), _SECONDS, strict=True) if part)


def text(seconds_: float) -> str:
    """A duration of so many seconds, to the millisecond."""
    return f"{max(0, round(seconds_ * 1000))}ms"
