"""Signs and verifies webhooks as the Standard Webhooks specification says. Alerts of the server are signed so."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import time
from collections.abc import Mapping, Sequence

from trunkline.errors import InvalidSignature

TOLERANCE_SECONDS = 300


def sign(secret: str, message_id: str, timestamp: int, body: bytes | str) -> str:
    """The value of the header `webhook-signature`. `timestamp` is in seconds."""
    content = body.encode() if isinstance(body, str) else body
    signed = b"%s.%d.%s" % (message_id.encode(), timestamp, content)
    digest = hmac.new(_key(secret), signed, hashlib.sha256).digest()
    return f"v1,{base64.b64encode(digest).decode()}"


def signed_headers(secret: str, message_id: str, body: bytes | str, *, now: float | None = None) -> dict[str, str]:
    """The headers of a signed webhook, for tests of receivers."""
    timestamp = int(time.time() if now is None else now)
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": sign(secret, message_id, timestamp, body),
    }


def verify(
    secret: str | Sequence[str], headers: Mapping[str, str], body: bytes | str, *, now: float | None = None
) -> None:
    """Raises InvalidSignature unless the raw body was signed within five minutes of `now`.

    Pass all valid secrets during a rotation.
    """
    lower = {name.lower(): value for name, value in headers.items()}
    try:
        message_id, stamp, given = (lower[f"webhook-{name}"] for name in ("id", "timestamp", "signature"))
        timestamp = int(stamp)
    except (KeyError, ValueError):
        raise InvalidSignature("a header of the signature is missing or wrong") from None
    if abs((time.time() if now is None else now) - timestamp) > TOLERANCE_SECONDS:
        raise InvalidSignature("the timestamp is more than five minutes away")
    secrets = [secret] if isinstance(secret, str) else secret
    expected = [sign(one, message_id, timestamp, body).encode() for one in secrets]
    # All are compared, so that the time says nothing of which fits.
    found = [hmac.compare_digest(own, one.encode()) for own in expected for one in given.split()]
    if not any(found):
        raise InvalidSignature("no signature matches")


def _key(secret: str) -> bytes:
    try:
        return base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except binascii.Error:
        raise InvalidSignature("the secret is not whsec_ and base64") from None
