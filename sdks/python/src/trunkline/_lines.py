"""Lines that a handler logs through its context: kept within bounds until a heartbeat brings them."""

from __future__ import annotations

import json
import logging
import threading
from collections import deque
from collections.abc import Callable, Mapping
from datetime import datetime, timezone
from typing import Any

from trunkline._convert import encode

LINES_OF_CALL_MAX = 100
_LINE_BYTES_MAX = 8 * 1024
# One line less than an attempt may have on the server: the last one says how many were dropped.
_LINES_MAX = 999
_BYTES_MAX = 255 * 1024


class LineBuffer:
    """The lines of one attempt that wait to be sent. May be used from any thread."""

    def __init__(self, on_line: Callable[[], None] | None = None) -> None:
        self._on_line = on_line
        self._lock = threading.Lock()
        self._waiting: deque[dict[str, Any]] = deque()
        self._sequence = self._bytes = self._dropped = 0
        self._is_closed = False

    def add(self, level: str, message: str, fields: Mapping[str, Any] | None) -> None:
        """Takes a line, or counts it where the attempt has logged as much as it may."""
        line = line_of(level, message, fields)
        size = len(line["message"].encode()) + len(json.dumps(line.get("fields", ""), ensure_ascii=False).encode())
        with self._lock:
            if self._is_closed:
                return
            if self._dropped or self._sequence >= _LINES_MAX or self._bytes + size > _BYTES_MAX:
                self._dropped += 1
                return
            self._bytes += size
            self._put(line)
        if self._on_line is not None:
            self._on_line()

    def close(self) -> None:
        """Takes no more; where lines were dropped, a last one says how many."""
        with self._lock:
            if self._is_closed:
                return
            self._is_closed = True
            if self._dropped:
                self._put(line_of("warn", f"{self._dropped} more lines were dropped by the worker", None))

    def first(self, count: int) -> list[dict[str, Any]]:
        """The next lines to send. They stay until `sent` is told."""
        with self._lock:
            return [line for _, line in zip(range(count), self._waiting, strict=False)]

    def sent(self, lines: list[dict[str, Any]]) -> bool:
        """These need not be sent again. Answers whether there are more."""
        with self._lock:
            while lines and self._waiting and self._waiting[0]["sequence"] <= lines[-1]["sequence"]:
                self._waiting.popleft()
            return bool(self._waiting)

    def _put(self, line: dict[str, Any]) -> None:
        self._sequence += 1
        self._waiting.append({**line, "sequence": self._sequence})


def line_of(level: str, message: str, fields: Mapping[str, Any] | None) -> dict[str, Any]:
    """A line as it is sent, within its bounds."""
    now = datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    encoded = message.replace("\0", "\ufffd").encode(errors="replace")
    if len(encoded) > _LINE_BYTES_MAX:
        encoded = encoded[: _LINE_BYTES_MAX - 3].decode(errors="ignore").encode() + "…".encode()
    line: dict[str, Any] = {"at": now, "level": level, "message": encoded.decode()}
    if fields:
        own = {str(name).replace("\0", "\ufffd"): _plain(value) for name, value in fields.items()}
        if len(json.dumps(own, ensure_ascii=False).encode(errors="replace")) + len(encoded) <= _LINE_BYTES_MAX:
            line["fields"] = own
    return line


def level_of(number: int) -> str:
    """The server's word for a level of the `logging` module."""
    if number >= logging.ERROR:
        return "error"
    if number >= logging.WARNING:
        return "warn"
    return "info" if number >= logging.INFO else "debug"


def _plain(value: Any) -> Any:
    """What JSON can hold; anything else as text. A log line never fails its handler."""
    try:
        text = json.dumps(encode(value), ensure_ascii=False, allow_nan=False)
        # The server takes neither NUL nor half of a character.
        return json.loads(text.replace("\\u0000", "\ufffd").encode(errors="replace"))
    except Exception:
        return repr(value).replace("\0", "\ufffd").encode(errors="replace").decode()
