"""The frames of HTTP/2, the messages of gRPC in them, and what they carry of a worker."""

from __future__ import annotations

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
#: The kinds of frames that matter here, and the flags of theirs.
DATA, HEADERS, SETTINGS, PING, GOAWAY = 0, 1, 4, 6, 7
ACK = END_STREAM = 1
END_HEADERS = 4
#: The tag of FromWorker.number, and of the reports behind it.
_NUMBER = b"\x08"
_REPORTS = {b"\x2a": "/v1/jobs/complete", b"\x42": "/v1/jobs/release"}
#: The tag of ToWorker.offer, that of Offer.jobs, and what the id of a job begins with.
_OFFER, _JOB, _JOB_ID = b"\x12", b"\x0a", b"job_"
#: A number and a text with tags that no message has.
_UNKNOWN = b"\x88\x7d\x01" + b"\x92\x7d\x03new"
_HEAD = 9


class Frame:
    """One frame."""

    def __init__(self, kind: int, flags: int, stream: int, payload: bytes) -> None:
        self.kind, self.flags, self.stream, self.payload = kind, flags, stream, payload

    def encoded(self) -> bytes:
        """Its bytes."""
        head = len(self.payload).to_bytes(3, "big") + bytes((self.kind, self.flags))
        return head + self.stream.to_bytes(4, "big") + self.payload


class Frames:
    """Frames in what passes by in one direction."""

    def __init__(self, *, is_client: bool) -> None:
        self.left = b""
        self.preface = PREFACE if is_client else b""
        self.messages = Messages()

    def feed(self, content: bytes) -> list[Frame]:
        """The frames that are complete now."""
        self.left += content
        if len(self.left) < len(self.preface):
            return []
        self.left, self.preface = self.left[len(self.preface) :], b""
        found = []
        while len(self.left) >= _HEAD and len(self.left) >= (end := _HEAD + int.from_bytes(self.left[:3], "big")):
            head, payload = self.left[:_HEAD], self.left[_HEAD:end]
            found.append(Frame(head[3], head[4], int.from_bytes(head[5:], "big"), payload))
            self.left = self.left[end:]
        return found


class Messages:
    """Messages of gRPC in frames of data."""

    def __init__(self) -> None:
        self.left: dict[int, bytes] = {}

    def feed(self, frame: Frame) -> list[bytes]:
        """The messages that are complete with this frame of data."""
        left, found = self.left.pop(frame.stream, b"") + frame.payload, []
        while len(left) >= 5 and len(left) >= (end := 5 + int.from_bytes(left[1:5], "big")):
            found.append(left[5:end])
            left = left[end:]
        if left:
            self.left[frame.stream] = left
        return found


def report_of(message: bytes) -> str | None:
    """Which report of a worker's stream a message is, by the path that it has in REST: it stands behind its number."""
    if message[:1] != _NUMBER:
        return None
    _, at = _varint(message, 1)
    return _REPORTS.get(message[at : at + 1])


def with_unknown(message: bytes) -> bytes:
    """A message with fields that nobody knows, in each job of an offer, too."""
    if message[:1] == _OFFER:
        length, at = _varint(message, 1)
        offer, after = message[at : at + length], message[at + length :]
        if not after and (jobs := _jobs(offer)):
            offer = b"".join(_JOB + _length(job + _UNKNOWN) + job + _UNKNOWN for job in jobs)
            message = _OFFER + _length(offer) + offer
    return message + _UNKNOWN


def _jobs(offer: bytes) -> list[bytes]:
    """The jobs of an offer; none where it is something else."""
    jobs, at = [], 0
    while at < len(offer):
        if offer[at : at + 1] != _JOB:
            return []
        length, at = _varint(offer, at + 1)
        job = offer[at : at + length]
        if job[2:6] != _JOB_ID:
            return []
        jobs.append(job)
        at += length
    return jobs


def _length(content: bytes) -> bytes:
    value, digits = len(content), b""
    while value > 0x7F:
        digits, value = digits + bytes((value & 0x7F | 0x80,)), value >> 7
    return digits + bytes((value,))


def _varint(message: bytes, at: int) -> tuple[int, int]:
    value, shift = 0, 0
    while at < len(message):
        byte = message[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            break
    return value, at
