"""What the process of a node holds, and whether that grows while it lives."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

# What may come on top: connections that are kept for the next caller, statements that were prepared meanwhile.
DESCRIPTORS_MORE = 64
MEMORY_MORE = 128


@dataclass(frozen=True)
class Usage:
    """Of one process: open descriptors, and MiB of memory that no file backs."""

    process: int
    descriptors: int
    memory: int


def usage(process: int | None) -> Usage | None:
    """What a process holds now, while it runs."""
    if process is None:
        return None
    try:
        descriptors = len(os.listdir(f"/proc/{process}/fd"))
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return None
    kibibytes = re.search(r"^RssAnon:\s+(\d+) kB$", status, re.MULTILINE)
    return Usage(process, descriptors, int(kibibytes[1]) // 1024 if kibibytes else 0)


def grown(node: int, before: Usage | None, after: Usage | None) -> list[str]:
    """What a process holds at the end that it did not need before; nothing where it is another one by then."""
    if before is None or after is None or before.process != after.process:
        return []
    found = []
    if after.descriptors > before.descriptors + DESCRIPTORS_MORE:
        found.append(f"node {node} has {after.descriptors} descriptors open, and had {before.descriptors}")
    if after.memory > before.memory + MEMORY_MORE:
        found.append(f"node {node} has {after.memory} MiB of memory, and had {before.memory} MiB")
    return found
