"""A server of gRPC that answers every call with the same status, as one that has too much to do, or a proxy, does."""

from __future__ import annotations

import base64
import socket
from collections.abc import Callable

from frames import ACK, DATA, END_HEADERS, END_STREAM, GOAWAY, HEADERS, PING, SETTINGS, Frame, Frames

#: The codes of gRPC for statuses of HTTP.
_CODES = {429: 8, 503: 14}
_TYPES = "type.googleapis.com/google.rpc."


def refuse_calls(client: socket.socket, status: int, retry_after: str, is_refused: Callable[[bytes], bool]) -> None:
    """Answers the calls of one connection for as long as `is_refused` says so of what they begin with; then ends it."""
    frames, answer = Frames(is_client=True), _head(status, retry_after)
    client.sendall(Frame(SETTINGS, 0, 0, b"").encoded())
    answered: set[int] = set()
    while content := client.recv(65_536):
        for frame in frames.feed(content):
            if frame.kind in (SETTINGS, PING) and not frame.flags & ACK:
                payload = frame.payload if frame.kind == PING else b""
                client.sendall(Frame(frame.kind, ACK, 0, payload).encoded())
            # Calls that begin side by side need not send in the order of their streams.
            elif frame.kind == DATA and frame.stream not in answered:
                if not is_refused(frame.payload):
                    _go_away(client, max(answered, default=0))
                    return
                answered.add(frame.stream)
                client.sendall(Frame(HEADERS, END_HEADERS | END_STREAM, frame.stream, answer).encoded())


def _go_away(client: socket.socket, last: int) -> None:
    """Says that calls after the last that was answered may be made again; the client ends the connection."""
    client.sendall(Frame(GOAWAY, 0, 0, last.to_bytes(4, "big") + bytes(4)).encoded())
    client.shutdown(socket.SHUT_WR)
    while client.recv(65_536):
        pass


def _head(status: int, retry_after: str) -> bytes:
    """The head that is the whole answer: 200, the media type, and the status of gRPC with its details."""
    code, text = _CODES[status], "the proxy answers by itself"
    metadata = _field(1, "status") + _field(2, str(status))
    reason = _field(1, "overloaded") + _field(2, "trunkline") + _field(3, metadata)
    seconds = int(retry_after)
    duration = b"\x08" + bytes((seconds,)) if seconds else b""
    details = [("ErrorInfo", reason), ("RetryInfo", _field(1, duration))]
    whole = b"\x08" + bytes((code,)) + _field(2, text)
    for name, content in details:
        whole += _field(3, _field(1, _TYPES + name) + _field(2, content))
    trailers = {
        "grpc-status": str(code), "grpc-message": text,
        "grpc-status-details-bin": base64.b64encode(whole).decode().rstrip("="),
    }
    # `:status: 200` and the name `content-type` are in HPACK's static table, at 8 and 31.
    head = b"\x88" + b"\x0f\x10" + _text("application/grpc")
    return head + b"".join(b"\x00" + _text(name) + _text(value) for name, value in trailers.items())


def _text(text: str) -> bytes:
    """A text as HPACK has it, without Huffman's code: its length is a number with a prefix of seven bits."""
    content, length = text.encode(), len(text)
    if length < 0x7F:
        return bytes((length,)) + content
    length -= 0x7F
    digits = b"\x7f"
    while length >= 0x80:
        digits, length = digits + bytes((length & 0x7F | 0x80,)), length >> 7
    return digits + bytes((length,)) + content


def _field(number: int, value: str | bytes) -> bytes:
    """A field of Protocol Buffers, shorter than 128 bytes or as long as two bytes say."""
    content = value.encode() if isinstance(value, str) else value
    length = len(content)
    digits = bytes((length,)) if length < 0x80 else bytes((length & 0x7F | 0x80, length >> 7))
    return bytes((number << 3 | 2,)) + digits + content
