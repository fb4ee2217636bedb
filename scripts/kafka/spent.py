"""How long the processors worked for each part of what is measured, and for others."""

from __future__ import annotations

import os
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")


def _ticks(pid: int) -> tuple[str, int]:
    """The name of a process, and what it and its ended children had of the processors; nothing where it is gone."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return "", 0
    # The name may have blanks and brackets in it.
    name, rest = text[text.index("(") + 1:].rsplit(")", 1)
    return name, sum(int(value) for value in rest.split()[11:15])


def _of_postgres() -> int:
    """All its processes. One that ends meanwhile is counted with its parent."""
    found = (_ticks(int(entry)) for entry in os.listdir("/proc") if entry.isdigit())
    return sum(ticks for name, ticks in found if name == "postgres")


def _of_all() -> int:
    """What the processors worked for anybody."""
    user, nice, system, _idle, _waiting, irq, softirq, *_ = Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]
    return sum(map(int, (user, nice, system, irq, softirq)))


class Spent:
    """The time of the processors by parts from now on: those that are named by their processes, PostgreSQL, and all others but
    this process."""

    def __init__(self, **parts: list[int]) -> None:
        self._parts = parts
        self._before = self._now()

    def _now(self) -> dict[str, int]:
        parts = {part: sum(_ticks(pid)[1] for pid in pids) for part, pids in self._parts.items()}
        parts["PostgreSQL"] = _of_postgres()
        parts["others"] = _of_all() - sum(parts.values()) - _ticks(os.getpid())[1]
        return parts

    def since(self) -> dict[str, float]:
        """Seconds of a processor."""
        return {part: max(0, ticks - self._before[part]) / TICKS for part, ticks in self._now().items()}
