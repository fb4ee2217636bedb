"""Handlers by themselves and in memory: types, what raising means, progress."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any, Literal, TypedDict

import pytest
from pydantic import BaseModel

from trunkline import (
    Cancelled,
    Context,
    InvalidData,
    JobFailed,
    NonRetryable,
    RetryAfter,
    Snooze,
    ZlibCodec,
    activity,
)
from trunkline._convert import decode, encode
from trunkline._duration import seconds
from trunkline.testing import FakeContext, InMemoryWorker


class Colour(enum.Enum):
    RED = "red"


@dataclass
class Item:
    sku: str
    count: int = 1
    price: float = 0.5
    colour: Colour = Colour.RED
    at: datetime | None = None
    tags: list[str] = field(default_factory=list)


class Loose(TypedDict, total=False):
    name: str


class Model(BaseModel):
    name: str
    count: int = 2


@pytest.mark.parametrize(
    ("hint", "value"),
    [
        (int, 2**60), (float, 2.0), (str, "žluť"), (bool, True), (list[int], [1, 2]), (dict[str, int], {"a": 1}),
        (int | None, None), (Literal["a", 1], 1), (Item, Item("x", at=datetime(2026, 1, 2, tzinfo=timezone.utc))),
        (list[Item], [Item("x", tags=["t"])]), (Loose, {"name": "a"}), (Model, Model(name="a")), (Any, [{"a": None}]),
    ],
)  # fmt: skip
def test_values_come_back_as_they_went(hint: Any, value: Any) -> None:
    assert decode(hint, encode(value)) == value


@pytest.mark.parametrize(
    ("hint", "value", "place"),
    [
        (int, "1", "data"), (int, True, "data"), (float, "x", "data"), (Item, {"count": 1}, "sku is missing"),
        (Item, {"sku": "x", "count": "many"}, "count"), (list[int], [1, "2"], "[1]"), (Literal["a"], "b", "data"),
        (Item, {"sku": "x", "colour": "blue"}, "colour"), (Model, {"count": 1}, "name"), (dict[str, int], [], "data"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_named(hint: Any, value: Any, place: str) -> None:
    with pytest.raises(InvalidData, match=place.replace("[", r"\[").replace("]", r"\]")):
        decode(hint, value)


@pytest.mark.parametrize(("text", "value"), [("500ms", 0.5), ("30s", 30), ("1h30m", 5400), ("3d", 259200)])
def test_durations(text: str, value: float) -> None:
    assert seconds(text) == value


@pytest.mark.parametrize("text", ["", "5", "5 minutes", "s", None, 5])
def test_what_is_no_duration(text: Any) -> None:
    with pytest.raises(ValueError, match="not a duration"):
        seconds(text)


def test_a_handler_with_a_fake_context() -> None:
    @activity()
    def greet(ctx: Context, name: str) -> dict[str, str]:
        ctx.progress({"percent": 50})
        ctx.log.info("greeting %s", name)
        ctx.check()
        return {"text": f"Hello, {name}"}

    context = FakeContext(attempt=2)
    assert greet(context, "Ada") == {"text": "Hello, Ada"}
    assert context.progressed == [{"percent": 50}]
    context.cancel()
    with pytest.raises(Cancelled):
        greet(context, name="Ada")


@activity("act", max_retries=2)
def act(ctx: Context, what: str) -> Any:
    if what == "fatal":
        raise NonRetryable("no", code="gone")
    if what == "again" and ctx.attempt == 1:
        ctx.progress(7)
        raise RetryAfter("2s")
    if what == "always":
        raise ValueError("broken")
    if what == "cancelled":
        raise Cancelled
    return {"attempt": ctx.attempt, "before": ctx.previous_progress}


@pytest.mark.parametrize(
    ("what", "attempts", "code"), [("fatal", 1, "gone"), ("always", 3, "ValueError"), ("cancelled", 1, "cancelled")]
)
def test_failures_in_memory(what: str, attempts: int, code: str) -> None:
    worker = InMemoryWorker([act])
    job = worker.enqueue(act, {"what": what})
    with pytest.raises(JobFailed) as caught:
        worker.run(job)
    assert (job.attempt, caught.value.code, job.status) == (attempts, code, "DEAD_LETTER")


def test_retries_in_memory_carry_progress() -> None:
    worker = InMemoryWorker([act])
    job = worker.enqueue("act", {"what": "again"})
    assert worker.run(job) == {"attempt": 2, "before": 7}
    assert job.delays == ["2s"]


def test_snoozing_costs_no_attempt() -> None:
    seen: list[int] = []

    @activity()
    async def nap(ctx: Context) -> int:
        seen.append(ctx.attempt)
        if len(seen) < 4:
            raise Snooze("1h")
        return ctx.attempt

    worker = InMemoryWorker([nap], max_retries=0)
    assert worker.run(worker.enqueue(nap)) == 1
    assert seen == [1, 1, 1, 1]


def test_data_that_does_not_fit_fails_for_good() -> None:
    @activity()
    def typed(item: Item) -> str:
        return item.sku

    context = FakeContext()
    assert typed.invoke(context, {"sku": "a"}) == "a"
    with pytest.raises(InvalidData, match="sku is missing"):
        typed.invoke(context, {})


def test_wrong_uses_are_said_early() -> None:
    with pytest.raises(TypeError, match="parentheses"):
        activity(lambda: None)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="not a duration"):
        activity(timeout="soon")
    with pytest.raises(TypeError, match="act misses what"):
        act()


def test_the_codec_compresses_what_is_long() -> None:
    codec = ZlibCodec(bytes_min=10)
    value = {"text": "x" * 1000}
    assert len(str(codec.encode(value))) < 100
    assert codec.decode(codec.encode(value)) == value
    assert codec.encode(1) == 1
    assert codec.decode({"a": 1}) == {"a": 1}
