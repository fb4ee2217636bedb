"""The value of a message: JSON, or the bytes of `trunkline.v1.JobOffer`, which never begin with a brace."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

#: The fields of `OfferedJob` by their numbers.
_TEXTS = {
    1: "id", 2: "jobType", 3: "tenant", 4: "priority", 6: "leaseToken", 8: "idempotencyKey", 10: "executionId",
    11: "nodeId", 12: "workflow", 13: "deadline", 14: "traceparent",
}  # fmt: skip
_NUMBERS = {5: "attempt", 9: "maxRetries"}
_DATA = 7
#: The field of `JobOffer` that is the job.
_JOB = 4


def job_of(value: bytes) -> dict[str, Any]:
    """The job of an offer, as JSON has it. `ValueError`, `KeyError` or `TypeError` where the value is no offer."""
    if value[:1] == b"{":
        return dict(json.loads(value)["job"])
    offered = dict(_fields(value))[_JOB]
    if not isinstance(offered, bytes):
        raise ValueError("the job is no message")
    job: dict[str, Any] = dict.fromkeys(_NUMBERS.values(), 0)
    for number, field in _fields(offered):
        if isinstance(field, int):
            if number in _NUMBERS:
                job[_NUMBERS[number]] = field
        elif number in _TEXTS:
            job[_TEXTS[number]] = field.decode()
        elif number == _DATA:
            job["data"] = json.loads(field)
    return job


def _fields(message: bytes) -> Iterator[tuple[int, int | bytes]]:
    """The fields of a message in the wire format of Protocol Buffers; only numbers and bytes are there."""
    at = 0
    while at < len(message):
        tag, at = _varint(message, at)
        number, kind = tag >> 3, tag & 7
        if kind == 0:
            integer, at = _varint(message, at)
            yield number, integer
            continue
        if kind == 2:
            length, at = _varint(message, at)
        elif kind in (1, 5):
            length = 8 if kind == 1 else 4
        else:
            raise ValueError(f"there is no field of kind {kind}")
        end = at + length
        if end > len(message):
            raise ValueError("the message is cut off")
        if kind == 2:
            yield number, message[at:end]
        at = end


def _varint(message: bytes, at: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        if at >= len(message):
            break
        byte = message[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
    raise ValueError("a number is cut off")
