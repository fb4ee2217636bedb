"""The stream over which a worker gets its jobs: opened again whenever it breaks or looks dead."""

from __future__ import annotations

import logging
import threading
import time
from typing import TYPE_CHECKING, Any

from trunkline import _retry
from trunkline.grpc.one_stream import REPORTS, OneStream
from trunkline.transport import Answer, Call, StreamListener

if TYPE_CHECKING:
    from trunkline.grpc.transport import GrpcTransport

_LOG = logging.getLogger("trunkline.worker")
_PAUSE_MAX = 5.0
#: A stream that lived so long was a good one: the next failure is the first again.
_GOOD_AFTER = 5.0
#: How much later than it should the server may say that it is there, before the health says so.
_LATE = 5.0


class JobStream:
    """Keeps one stream open, and lets those that the server drains come to their ends beside it."""

    def __init__(self, transport: GrpcTransport, hello: dict[str, Any], listener: StreamListener) -> None:
        self.transport, self.hello, self.listener = transport, hello, listener
        self._condition = threading.Condition()
        self._current: OneStream | None = None
        self._old: list[OneStream] = []
        self._failures = 0
        self._open_at = time.monotonic()
        self._is_stopping = self._is_closed = False
        self._thread = threading.Thread(target=self._keep, daemon=True, name="trunkline-stream")

    def start(self) -> None:
        """Opens the first stream."""
        self._thread.start()

    def invoke(self, call: Call) -> Answer:
        """Makes a report over the stream; beside it where none is open, and for what only goes there."""
        with self._condition:
            stream = self._current
        has_lines = any("logs" in job for job in (call.body or {}).get("jobs", ()))
        if stream is None or not stream.is_open or has_lines or call.operation not in REPORTS:
            return self.transport.invoke(call)
        return stream.report(call)

    def slots_changed(self) -> None:
        """Lets the server offer as many jobs as handlers may begin."""
        with self._condition:
            stream = self._current
        if stream is not None:
            stream.give_credits()

    def silent_for(self) -> float | None:
        """The seconds since something came; None while no stream is open."""
        with self._condition:
            stream = self._current
        return time.monotonic() - stream.heard_at if stream is not None and stream.is_open else None

    def is_late(self) -> bool:
        """Whether no stream is open, or nothing came for longer than the server lets pass."""
        silent = self.silent_for()
        return silent is None or silent > min(self.transport.alive + _LATE, self.transport.silence)

    def stop(self) -> None:
        """Takes no more jobs. Reports go on, over calls of their own."""
        with self._condition:
            self._is_stopping = True
            self._retire()
            self._condition.notify_all()

    def close(self) -> None:
        """Ends all streams."""
        with self._condition:
            self._is_stopping = self._is_closed = True
            self._retire()
            left = list(self._old)
            self._condition.notify_all()
        for stream in left:
            stream.cancel()
        self._thread.join(2.0)

    # What the streams say.

    def drained(self, stream: OneStream, reason: str) -> None:
        """The server offers nothing more over it: another one is opened, unless an operator drains the worker."""
        if reason == "worker":
            self.stop()
            self.listener.drain()
            return
        with self._condition:
            if stream is self._current:
                self._retire()
                self._open_at = time.monotonic()
            self._condition.notify_all()

    def ended(self, stream: OneStream, error: Exception | None) -> None:
        """It is over, for the reason that `error` says."""
        with self._condition:
            was_current = stream is self._current
            if was_current:
                self._current = None
            elif stream in self._old:
                self._old.remove(stream)
            if not was_current or self._is_stopping:
                return
            now = time.monotonic()
            self._failures = 1 if stream.is_open and now - stream.began_at > _GOOD_AFTER else self._failures + 1
            failures, reason = self._failures, error or ConnectionError("the server ended the stream")
            pause = _retry.wait_before(failures, reason, _PAUSE_MAX)
            self._open_at = now + pause
            self._condition.notify_all()
        if failures in (1, 10) or failures % 100 == 0:
            _LOG.warning("stream %d broke, the next one is in %.1f s: %s", failures, pause, reason)
        self.listener.failed(failures, reason)

    def _retire(self) -> None:
        if self._current is not None:
            self._old.append(self._current)
            self._current.retire()
            self._current = None

    def _keep(self) -> None:
        """Opens streams, says that the worker is there, and gives up those that are dead."""
        tick = min(1.0, self.transport.alive / 4, self.transport.silence / 4)
        while True:
            with self._condition:
                if self._is_closed:
                    return
                now = time.monotonic()
                if self._current is None and not self._is_stopping and now >= self._open_at:
                    self._current = OneStream(self)
                    self._current.start()
                streams = [one for one in (self._current, *self._old) if one is not None]
            for stream in streams:
                stream.keep(time.monotonic())
            with self._condition:
                wait = tick
                if self._current is None and not self._is_stopping:
                    wait = min(tick, max(0.0, self._open_at - time.monotonic()))
                if not self._is_closed and wait > 0:
                    self._condition.wait(wait)
