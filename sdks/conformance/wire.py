"""A proxy of connections, whatever they carry, that misbehaves on request: for gRPC."""

from __future__ import annotations

import contextlib
import socket
import threading
from typing import Any

_CHUNK = 65_536
_PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
#: The head of a frame, and the kinds of frames.
_HEAD, _DATA, _HEADERS = 9, 0, 1
#: The tags of FromWorker.number and FromWorker.complete.
_NUMBER, _COMPLETE = 0x08, b"\x2a"


class WireProxy:
    """Forwards connections to the address that `upstream` names; `behave` changes what it does from then on.

    `stall` takes what comes and sends nothing on, also over connections that were open before; those stay as they are
    when the behaviour changes, as dead connections do. `cut` ends a connection where an answer begins (see `cuts_at`),
    `times` of them. `refuse` ends all connections, and new ones at once.
    """

    def __init__(self, upstream: str) -> None:
        self.upstream = upstream
        self.lock = threading.Condition()
        self.rule: dict[str, Any] = {"mode": "pass"}
        self.left = -1
        self.completions = self.cuts = 0
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
            self.completions = self.cuts = 0
            pairs = list(self.pairs)
        for pair in pairs:
            pair.has_completed = False
            if rule["mode"] == "stall":
                pair.is_stalled = True
            elif rule["mode"] == "refuse":
                pair.close()

    def count(self, path: str) -> int:
        """How many completions came over streams since the last change, and how many answers were cut.

        A completion whose answer was cut comes again, over the next stream or in a call of its own.
        """
        if path != "/v1/jobs/complete":
            raise ValueError(f"{path} is not counted over gRPC")
        with self.lock:
            return self.completions + self.cuts

    def saw_completion(self) -> None:
        """A completion came."""
        with self.lock:
            self.completions += 1

    def cuts_at(self, kind: int, has_completed: bool) -> bool:
        """Whether to cut where this frame of the server begins; counts it."""
        with self.lock:
            if self.rule["mode"] != "cut" or self.left == 0:
                return False
            path = self.rule.get("path")
            is_it = kind == _HEADERS
            if path in ("/v1/jobs/poll", "/v1/jobs/complete"):
                is_it = kind == _DATA and (has_completed or path == "/v1/jobs/poll")
            self.left -= is_it and self.left > 0
            self.cuts += is_it
            return is_it

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
                mode = self.rule["mode"]
            if mode == "refuse":
                client.close()
                continue
            try:
                server = socket.create_connection(self.upstream.split(":"), timeout=10)  # type: ignore[arg-type]
            except OSError:
                client.close()
                continue
            server.settimeout(None)
            pair = _Pair(self, client, server)
            pair.is_stalled = mode == "stall"
            self.pairs.append(pair)
            pair.start()


class _Pair:
    """One connection, with its other half to the server."""

    def __init__(self, owner: WireProxy, client: socket.socket, server: socket.socket) -> None:
        self.owner, self.client, self.server = owner, client, server
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
        frames = _Frames(is_client=not is_answer)
        try:
            while content := source.recv(_CHUNK):
                if self.is_stalled:
                    continue
                found = frames.feed(content)
                if is_answer and any(self.owner.cuts_at(kind, self.has_completed) for kind in found):
                    target.sendall(content[: len(content) // 2])
                    break
                if not is_answer and any(_is_completion(message) for message in frames.messages()):
                    self.has_completed = True
                    self.owner.saw_completion()
                target.sendall(content)
        except OSError:
            pass
        if not self.is_stalled:
            self.close()


class _Frames:
    """The frames of HTTP/2 in what passes by, and the messages of gRPC in them."""

    def __init__(self, *, is_client: bool) -> None:
        self.left = b""
        self.data: dict[bytes, bytes] = {}
        self.skip = len(_PREFACE) if is_client else 0

    def feed(self, content: bytes) -> list[int]:
        """The kinds of the frames that are complete now."""
        self.left += content
        if len(self.left) < self.skip:
            return []
        self.left, self.skip = self.left[self.skip :], 0
        found = []
        while len(self.left) >= _HEAD and len(self.left) >= (end := _HEAD + int.from_bytes(self.left[:3], "big")):
            kind, stream = self.left[3], self.left[5:_HEAD]
            found.append(kind)
            if kind == _DATA:
                self.data[stream] = self.data.get(stream, b"") + self.left[_HEAD:end]
            self.left = self.left[end:]
        return found

    def messages(self) -> list[bytes]:
        """The messages that are complete now."""
        found = []
        for stream, data in self.data.items():
            left = data
            while len(left) >= 5 and len(left) >= (end := 5 + int.from_bytes(left[1:5], "big")):
                found.append(left[5:end])
                left = left[end:]
            self.data[stream] = left
        return found


def _is_completion(message: bytes) -> bool:
    """Whether a message of a worker's stream is a completion: behind the number of the report stands field 5."""
    if not message or message[0] != _NUMBER:
        return False
    at = 1
    while at < len(message) and message[at] & 0x80:
        at += 1
    return message[at + 1 : at + 2] == _COMPLETE
