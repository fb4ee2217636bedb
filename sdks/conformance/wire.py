"""A proxy of connections, whatever they carry, that misbehaves on request: for gRPC."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from typing import Any

from frames import DATA, HEADERS, Frame, Frames, report_of, with_unknown
from refusals import refuse_calls

_CHUNK = 65_536
#: The longest frame that everybody takes.
_FRAME_MAX = 16_384
#: How these change connections is said when they begin.
_FROM_THE_START = ("refuse", "answer", "inject", "rename")


class WireProxy:
    """Forwards connections to the address that `upstream` names; `behave` changes what it does from then on.

    `stall` takes what comes and sends nothing on, also over connections that were open before; those stay as they are
    when the behaviour changes, as dead connections do. `cut` ends a connection where an answer begins (see `cuts_at`),
    `times` of them. `refuse` ends all connections, and new ones at once. `answer` ends them, too, and answers the
    calls of new ones by itself. `inject` adds fields that nobody knows to what the server says, and `rename` writes one
    text in the place of another in what it gets: over new connections, for which those that are open end.
    """

    def __init__(self, upstream: str) -> None:
        self.upstream = upstream
        self.lock = threading.Condition()
        self.rule: dict[str, Any] = {"mode": "pass"}
        self.left = -1
        #: What was counted, and when: paths of reports, and answers that were cut or given here.
        self.seen: list[tuple[str, float]] = []
        self.pairs: list[_Pair] = []
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self) -> str:
        """Where the proxy listens."""
        return f"http://127.0.0.1:{self.listener.getsockname()[1]}"

    def behave(self, rule: dict[str, Any]) -> None:
        """Changes the behaviour."""
        with self.lock:
            self.rule, self.left = rule, rule.get("times", -1)
            self.seen = []
            pairs = list(self.pairs)
        for pair in pairs:
            pair.has_completed = False
            if rule["mode"] == "stall":
                pair.is_stalled = True
            elif rule["mode"] in _FROM_THE_START:
                pair.close()

    def count(self, path: str) -> list[float]:
        """When what belongs to this path came since the last change.

        That is a report over a stream, or an answer that was cut, whose report comes again: over the next stream or in
        a call of its own. What this proxy answers by itself belongs to every path.
        """
        counted = {path, "answered", *(["cut"] if path == "/v1/jobs/complete" else [])}
        with self.lock:
            return [at for seen, at in self.seen if seen in counted]

    def saw(self, what: str) -> None:
        """Counts something."""
        with self.lock:
            self.seen.append((what, time.monotonic()))

    def cuts_at(self, kind: int, has_completed: bool) -> bool:
        """Whether to cut where this frame of the server begins; counts it."""
        with self.lock:
            if self.rule["mode"] != "cut" or self.left == 0:
                return False
            path = self.rule.get("path")
            is_it = kind == HEADERS
            if path in ("/v1/jobs/poll", "/v1/jobs/complete"):
                is_it = kind == DATA and (has_completed or path == "/v1/jobs/poll")
            self.left -= is_it and self.left > 0
        if is_it:
            self.saw("cut")
        return is_it

    def answers(self, rule: dict[str, Any], begin: bytes) -> bool:
        """Whether a call that begins with this is answered here by this rule; counts it."""
        with self.lock:
            if self.rule is not rule or self.left == 0:
                return False
            self.left -= self.left > 0
        if rule.get("having", "").encode() in begin:
            self.saw("answered")
        return True

    def close(self) -> None:
        """Stops listening, and ends all connections."""
        self.listener.close()
        for pair in list(self.pairs):
            pair.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            with self.lock:
                rule, left = self.rule, self.left
            if rule["mode"] == "refuse":
                client.close()
                continue
            if rule["mode"] == "answer" and left != 0:
                threading.Thread(target=self._answer, args=(client, rule), daemon=True).start()
                continue
            try:
                server = socket.create_connection(self.upstream.split(":"), timeout=10)  # type: ignore[arg-type]
            except OSError:
                client.close()
                continue
            server.settimeout(None)
            pair = _Pair(self, client, server, rule)
            with self.lock:
                # The behaviour may have changed while this one was made.
                pair.is_stalled = self.rule["mode"] == "stall"
                is_over = self.rule is not rule and self.rule["mode"] in _FROM_THE_START
                self.pairs.append(pair)
            if is_over:
                pair.close()
            pair.start()

    def _answer(self, client: socket.socket, rule: dict[str, Any]) -> None:
        with contextlib.suppress(OSError), client:
            refuse_calls(client, rule["status"], rule["retryAfter"], lambda begin: self.answers(rule, begin))


class _Pair:
    """One connection, with its other half to the server."""

    def __init__(self, owner: WireProxy, client: socket.socket, server: socket.socket, rule: dict[str, Any]) -> None:
        self.owner, self.client, self.server, self.rule = owner, client, server, rule
        self.is_stalled = self.has_completed = False

    def start(self) -> None:
        """Forwards both ways."""
        threading.Thread(target=self._forward, args=(self.client, self.server, False), daemon=True).start()
        threading.Thread(target=self._forward, args=(self.server, self.client, True), daemon=True).start()

    def close(self) -> None:
        """Ends both halves."""
        for half in (self.client, self.server):
            with contextlib.suppress(OSError):
                half.shutdown(socket.SHUT_RDWR)

    def _forward(self, source: socket.socket, target: socket.socket, is_answer: bool) -> None:
        frames = Frames(is_client=not is_answer)
        try:
            while content := source.recv(_CHUNK):
                if self.is_stalled:
                    continue
                found = frames.feed(content)
                if is_answer and any(self.owner.cuts_at(frame.kind, self.has_completed) for frame in found):
                    target.sendall(content[: len(content) // 2])
                    break
                if not is_answer:
                    self._see(frames, found)
                target.sendall(self._changed(content, found, frames, is_answer))
        except OSError:
            pass
        if not self.is_stalled:
            self.close()

    def _see(self, frames: Frames, found: list[Frame]) -> None:
        """Counts the reports of a worker's stream."""
        for message in (message for frame in found if frame.kind == DATA for message in frames.messages.feed(frame)):
            if path := report_of(message):
                self.has_completed = self.has_completed or path == "/v1/jobs/complete"
                self.owner.saw(path)

    def _changed(self, content: bytes, found: list[Frame], frames: Frames, is_answer: bool) -> bytes:
        """What is sent on of what came."""
        if self.rule["mode"] == "rename" and not is_answer:
            # Of the same length: so no length of a frame or a message is another.
            return content.replace(self.rule["from"].encode(), self.rule["to"].encode())
        if self.rule["mode"] != "inject" or not is_answer:
            return content
        return b"".join(_with_unknown(frame, frames) for frame in found)


def _with_unknown(frame: Frame, frames: Frames) -> bytes:
    """A frame of the server with fields that nobody knows in its messages, which are held back until they are whole."""
    if frame.kind != DATA:
        return frame.encoded()
    messages = [with_unknown(message) for message in frames.messages.feed(frame)]
    payload = b"".join(b"\x00" + len(message).to_bytes(4, "big") + message for message in messages)
    parts = [payload[at : at + _FRAME_MAX] for at in range(0, len(payload), _FRAME_MAX)] or [b""]
    flags = [0] * (len(parts) - 1) + [frame.flags]
    return b"".join(Frame(DATA, flag, frame.stream, part).encoded() for flag, part in zip(flags, parts, strict=True))
