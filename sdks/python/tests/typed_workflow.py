"""A workflow that type checkers understand: run by mypy --strict, compiled and run locally by test_typed.py."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from trunkline import (
    Client,
    Context,
    Event,
    NodeFailed,
    Retry,
    activity,
    child,
    gather,
    run_locally,
    signal,
    sleep,
    user_task,
    wait_event,
    workflow,
)

if TYPE_CHECKING:
    from typing_extensions import assert_type


@dataclass
class Order:
    id: str
    skus: list[str]
    express: bool = False


@dataclass
class Stock:
    reservation: str
    count: int


@dataclass
class Approval:
    by: str


@dataclass
class Sent:
    tracking: str
    labels: list[str]
    by: str
    paid: int


@activity("typed-reserve", timeout="10s")
def reserve(ctx: Context, order: Order) -> Stock:
    return Stock(f"r-{order.id}", len(order.skus))


@activity("typed-release")
def release(stock: Stock) -> None: ...


@activity("typed-check")
async def check(id: str) -> bool:
    return id != ""


@activity("typed-label")
def label(sku: str) -> str:
    return f"label {sku}"


@activity("typed-ship", max_retries=2)
def ship(id: str, count: int) -> str:
    return f"T-{id}-{count}"


@workflow(version=1, name="typed-hello")
class Hello:
    async def run(self) -> int:
        return 7


@workflow(version=1, name="typed-line")
class Line:
    async def run(self, name: str) -> str:
        return f"<{name}>"


@workflow(version=1, name="typed-order")
class TypedOrder:
    input: Order

    async def run(self, order: Order) -> Sent | None:
        checked, stock = await gather(check(order.id), reserve(order).compensate(release))
        if TYPE_CHECKING:
            assert_type(checked, bool)
        if not checked:
            return None
        labels = await gather(*[label(sku) for sku in order.skus], concurrency=5)
        await sleep("10ms")
        approval: Approval = await signal("approved", timeout="1h")
        paid = await wait_event("typed.paid", match={"body.order": order.id}, timeout="3d")
        decision: Approval = await user_task("look", form=Approval, group="office")
        try:
            tracking = await ship(order.id, stock.count, retry=Retry(max=1), timeout="5s")
        except NodeFailed as error:
            tracking = error.message
        line = await child(Line, tracking)
        seven = await child(Hello)
        if TYPE_CHECKING:
            assert_type(stock, Stock)
            assert_type(labels, list[str])
            assert_type(paid, Event)
            assert_type(tracking, str)
            assert_type(line, str)
            assert_type(seven, int)
        cents: int = paid.body.sum
        return Sent(line, labels, approval.by + decision.by, cents + seven)


async def locally() -> Any:
    return await run_locally(
        TypedOrder,
        Order("7", ["a", "b"]),
        signals={"approved": Approval("Ada")},
        events={"typed.paid": [{"order": "8", "sum": 1}, {"order": "7", "sum": 120}]},
        user_tasks={"look": Approval("Bob")},
    )


async def wrong(client: Client) -> None:
    """What a type checker complains about: an unused ignore is an error of the check."""
    await label(7)  # type: ignore[call-overload]
    await child(Line, 7)  # type: ignore[misc]
    await run_locally(Line, 7)  # type: ignore[misc]
    client.start(Line, 7)  # type: ignore[misc]
    client.start(TypedOrder, Order("7", []))
    client.start("typed-order", {"id": "7"})
