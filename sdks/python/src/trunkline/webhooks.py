"""Signs and verifies webhooks as the Standard Webhooks specification says. Alerts of the server are signed so."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import time
from collections.abc import Mapping

from trunkline.errors import InvalidSignature

TOLERANCE_SECONDS = 300


def sign(secret: str, message_id: str, timestamp: int, body: bytes | str) -> str:
    """The value of the header `webhook-signature`. `timestamp` is in seconds."""
    content = body.encode() if isinstance(body, str) else body
    signed = b"%s.%d.%s" % (message_id.encode(), timestamp, content)
    digest = hmac.new(_key(secret), signed, hashlib.sha256).digest()
    return f"v1,{base64.b64encode(digest).decode()}"


def verify(secret: str, headers: Mapping[str, str], body: bytes | str, *, now: float | None = None) -> None:
    """Raises InvalidSignature unless the raw body was signed with this secret within five minutes of `now`."""
    lower = {name.lower(): value for name, value in headers.items()}
    try:
        message_id, stamp, given = (lower[f"webhook-{name}"] for name in ("id", "timestamp", "signature"))
        timestamp = int(stamp)
    except (KeyError, ValueError):
        raise InvalidSignature("a header of the signature is missing or wrong") from None
    if abs((time.time() if now is None else now) - timestamp) > TOLERANCE_SECONDS:
        raise InvalidSignature("the timestamp is more than five minutes away")
    expected = sign(secret, message_id, timestamp, body).encode()
    found = [hmac.compare_digest(expected, one.encode()) for one in given.split()]
    if not any(found):
        raise InvalidSignature("no signature fits")


def _key(secret: str) -> bytes:
    try:
        return base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except binascii.Error:
        raise InvalidSignature("the secret is not whsec_ and base64") from None
