"""Tests against the real binary, which TRUNKLINE_BINARY names."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from trunkline import Client
from trunkline.testing import dev_server


@pytest.fixture(scope="session")
def client() -> Iterator[Client]:
    limits = {f"QUEUES__WORKFLOW_EXECUTION__LIMITS__{kind}": "unlimited" for kind in ("GLOBAL", "TENANT", "WORKFLOW")}
    with dev_server(UPKEEP__PROMOTE_EVERY="50ms", DATABASE__SYNCHRONOUS="normal", **limits):
        yield Client()
