"""Changes over connections that break: opened again, with a word that something may have been missed."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

from trunkline import _retry
from trunkline.errors import ConnectionFailed, Problem
from trunkline.transport import Call, Interrupt, Transport


def follow(transport: Transport, call: Call) -> Iterator[dict[str, Any]]:
    """The events of one stream after another, until the call's interrupt ends them."""
    interrupt = call.interrupt or Interrupt()
    was_opened = False
    failures = 0
    while True:
        try:
            for event in transport.stream(call):
                failures = 0
                if event:
                    yield event
                elif was_opened:
                    yield {"kind": "resync"}
                else:
                    was_opened = True
                    yield event
        except (ConnectionFailed, Problem) as error:
            if interrupt.is_set:
                return
            if not was_opened or not _retry.is_passing(error):
                raise
            failures += 1
            _pause(_retry.wait_before(failures, error), interrupt)


def _pause(length: float, interrupt: Interrupt) -> None:
    is_over = threading.Event()
    key = interrupt.add(is_over.set)
    is_over.wait(length)
    interrupt.remove(key)
