"""An order as a saga: reserve, charge, ship; what completed is undone when a later step fails."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field
from pathlib import Path

from trunkline import Context, NodeFailed, NonRetryable, Retry, activity, gather, signal, sleep, workflow


@dataclass
class Line:
    sku: str
    count: int = 1


@dataclass
class Order:
    id: str
    card: str
    lines: list[Line] = field(default_factory=list)
    approve_above: int = 1000


@dataclass
class Stock:
    reservation: str
    total: int


@dataclass
class Approval:
    by: str


@dataclass
class Charge:
    id: str
    cents: int


def record(ctx: Context, what: str) -> None:
    """Writes a line to the file that LEDGER names, so that the demonstration can show what ran."""
    ctx.log.info("%s", what)
    if ledger := os.environ.get("LEDGER"):
        with Path(ledger).open("a", encoding="utf-8") as file:
            file.write(f"{what}\n")


@activity("order-reserve")
def reserve(ctx: Context, order: Order) -> Stock:
    record(ctx, "reserve")
    if not order.lines:
        raise NonRetryable("an order without lines")
    return Stock(f"r-{order.id}", sum(line.count for line in order.lines) * 500)


@activity("order-release")
def release(ctx: Context, stock: Stock) -> None:
    record(ctx, f"release {stock.reservation}")


@activity("order-charge", timeout="10s")
def charge(ctx: Context, card: str, cents: int) -> Charge:
    record(ctx, "charge")
    if card == "declined":
        raise NonRetryable("the card was declined", code="declined")
    return Charge(f"c-{card}", cents)


@activity("order-refund")
def refund(ctx: Context, charge: Charge) -> None:
    record(ctx, f"refund {charge.cents}")


@activity("order-pack")
def pack(ctx: Context, sku: str, count: int) -> str:
    record(ctx, f"pack {sku}")
    if gate := os.environ.get("GATE"):
        # The demonstration kills the worker here.
        while not Path(gate).exists():
            ctx.check()
            time.sleep(0.02)
    return f"{count} x {sku}"


@activity("order-ship", max_retries=0)
def ship(ctx: Context, id: str, boxes: list[str]) -> str:
    record(ctx, "ship")
    if id.startswith("lost"):
        raise NonRetryable("the courier does not come")
    return f"T-{id}-{len(boxes)}"


@activity("order-tell")
def tell(ctx: Context, id: str, text: str) -> None:
    record(ctx, f"tell {text}")


@workflow(version=1, name="order-saga")
class OrderSaga:
    """Reserves, charges, packs line by line side by side, ships, and tells the customer."""

    input: Order

    async def run(self, order):
        stock = await reserve(order).compensate(release)
        if stock.total > order.approve_above:
            decision: Approval = await signal("approved", timeout="24h")
            by = decision.by
        else:
            by = "nobody"
        try:
            paid = await charge(order.card, stock.total, retry=Retry(max=5)).compensate(refund)
        except NodeFailed as error:
            await tell(order.id, f"not charged: {error.message}")
            return {"status": "declined"}
        await sleep("100ms")
        boxes = await gather(*[pack(line.sku, line.count) for line in order.lines], concurrency=10)
        tracking = await ship(order.id, boxes)
        await tell(order.id, f"sent as {tracking}")
        return {"status": "sent", "tracking": tracking, "charge": paid.id, "approved_by": by}


ACTIVITIES = [reserve, release, charge, refund, pack, ship, tell]
