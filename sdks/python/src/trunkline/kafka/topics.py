"""The names of topics, as docs/kafka.md has them."""

from __future__ import annotations

import hashlib

#: The highest tier first.
TIERS = ("high", "normal", "low")
_BYTES_MAX = 249


def topics_of(prefix: str, job_type: str, layout: str = "per_type") -> tuple[str, str, str]:
    """The topics of a job type, the one of the highest tier first."""
    if layout == "single":
        high, normal, low = (f"{prefix}.jobs.{tier}" for tier in TIERS)
    else:
        high, normal, low = (_topic(prefix, job_type, tier) for tier in TIERS)
    return high, normal, low


def _topic(prefix: str, job_type: str, tier: str) -> str:
    name = f"{prefix}.jobs.{_escaped(job_type)}.{tier}"
    if len(name) <= _BYTES_MAX:
        return name
    return f"{prefix}.jobs._.{hashlib.sha256(job_type.encode()).hexdigest()[:32]}.{tier}"


def _escaped(job_type: str) -> str:
    """A job type in the characters of topics: others as `._` and their code, and so is a dot before an underscore."""
    name = []
    for place, character in enumerate(job_type):
        if character == ".":
            is_plain = job_type[place + 1 : place + 2] != "_"
        else:
            is_plain = character in "_-" or (character.isascii() and character.isalnum())
        name.append(character if is_plain else f"._{ord(character):02X}")
    return "".join(name)
