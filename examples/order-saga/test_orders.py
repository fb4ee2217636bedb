"""The saga without a server: plain Python."""

import asyncio

import pytest
from orders import OrderSaga
from trunkline import NodeFailed
from trunkline.local import LocalRun

ORDER = {"id": "7", "card": "visa", "lines": [{"sku": "book"}, {"sku": "pen", "count": 2}]}


def run(order: dict, **given) -> tuple[object, list[str]]:
    local = LocalRun(given.get("signals"), None, None, (), 3)
    try:
        return asyncio.run(OrderSaga.run_locally(order, run=local)), local.started
    except NodeFailed as error:
        return error, local.started


def test_an_order_is_sent() -> None:
    output, started = run(ORDER, signals={"approved": {"by": "Ada"}})
    assert output == {"status": "sent", "tracking": "T-7-2", "charge": "c-visa", "approved_by": "Ada"}
    assert started == ["order-reserve", "order-charge", "order-pack", "order-pack", "order-ship", "order-tell"]


def test_a_declined_card_ends_the_order() -> None:
    output, started = run({**ORDER, "card": "declined", "approve_above": 9999})
    assert output == {"status": "declined"}
    assert started == ["order-reserve", "order-charge", "order-tell"]


def test_a_courier_that_does_not_come_undoes_what_was_done() -> None:
    output, started = run({**ORDER, "id": "lost-1", "approve_above": 9999})
    assert isinstance(output, NodeFailed)
    assert started[-3:] == ["order-ship", "order-refund", "order-release"]


@pytest.mark.parametrize("lines", [[], None])
def test_an_order_without_lines_is_refused(lines) -> None:
    output, _ = run({"id": "8", "card": "visa", **({"lines": lines} if lines is not None else {})})
    assert isinstance(output, NodeFailed)
