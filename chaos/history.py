"""The history: one JSON object a line, flushed to disk before the caller goes on."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Event = dict[str, Any]


class History:
    """Appends events. Times are seconds of the machine's monotonic clock, the same for all threads and processes."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("a", encoding="utf-8")
        self._lock = threading.Lock()

    def record(self, kind: str, **fields: Any) -> None:
        """Writes one event. Returns when it is on disk."""
        line = json.dumps({"at": time.monotonic(), "kind": kind, **fields})
        with self._lock:
            self._file.write(line + "\n")
            self._file.flush()
            os.fdatasync(self._file.fileno())

    def close(self) -> None:
        """Ends the history."""
        with self._lock:
            self._file.close()


def read(path: Path) -> Iterator[Event]:
    """The events of a history, in order."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)
