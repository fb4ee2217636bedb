"""Signatures of webhooks: our own are accepted, and nothing else."""

from __future__ import annotations

import pytest

from trunkline import InvalidSignature, webhooks

OLD, NEW = "whsec_b2xk", "whsec_bmV3"
BODY = '{"a": "\u017elu\u0165"}'
NOW = 1_700_000_000.0


def test_signed_headers_are_accepted_with_any_of_the_secrets_that_hold() -> None:
    headers = webhooks.signed_headers(OLD, "msg_1", BODY, now=NOW)
    assert (headers["webhook-id"], headers["webhook-timestamp"]) == ("msg_1", "1700000000")
    webhooks.verify(OLD, headers, BODY, now=NOW + 299)
    webhooks.verify([NEW, OLD], {name.title(): value for name, value in headers.items()}, BODY.encode(), now=NOW)


@pytest.mark.parametrize(
    ("secrets", "body", "now"),
    [(NEW, BODY, NOW), ([NEW], BODY, NOW), ([], BODY, NOW), (OLD, "{}", NOW), (OLD, BODY, NOW + 301)],
)
def test_anything_else_is_refused(secrets: str | list[str], body: str, now: float) -> None:
    headers = webhooks.signed_headers(OLD, "msg_1", BODY, now=NOW)
    with pytest.raises(InvalidSignature):
        webhooks.verify(secrets, headers, body, now=now)
