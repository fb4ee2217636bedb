"""The activities of generated programs. What they do follows from their data alone, so that both sides do the same."""

from __future__ import annotations

import asyncio
import json
import threading
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from trunkline import Context, NonRetryable, activity

#: By execution, what ran with which data, in the order of their beginnings; None stands for the local run.
RAN: dict[str | None, list[str]] = defaultdict(list)
#: By execution and group of steps, the nodes of those that are done, in the order of their ends.
ENDED: dict[tuple[str | None, str], list[str | None]] = defaultdict(list)
#: Whether the server knows that a node of an execution is done; set by the test.
IS_SETTLED: list[Callable[[str, str], bool]] = []
_LOCK = threading.Lock()


@dataclass
class Box:
    value: int
    tag: str
    note: str | None
    numbers: list[int]


def ran(ctx: Context, name: str, *data: Any) -> None:
    if ctx.attempt == 1:
        with _LOCK:
            RAN[ctx.execution_id].append(f"{name} {json.dumps(data)}")


@activity()
def add(ctx: Context, a: int, b: int) -> int:
    ran(ctx, "add", a, b)
    return a + b


@activity()
def is_even(ctx: Context, a: int) -> bool:
    ran(ctx, "is_even", a)
    return a % 2 == 0


@activity()
def word(ctx: Context, a: int) -> str:
    ran(ctx, "word", a)
    return ["red", "green", "blue", "", "žluť"][a % 5]


@activity()
def numbers(ctx: Context, n: int) -> list[int]:
    ran(ctx, "numbers", n)
    return [(n * 7 + i) % 11 - 3 for i in range(abs(n) % 5)]


@activity()
def box(ctx: Context, a: int) -> Box:
    ran(ctx, "box", a)
    return Box(a, "even" if a % 2 == 0 else "odd", None if a % 3 == 0 else f"n{a}", [a, a + 1])


@activity()
def unbox(ctx: Context, it: Box) -> int:
    ran(ctx, "unbox", it.value, it.tag, it.note)
    return it.value + len(it.numbers)


@activity(max_retries=0)
def risky(ctx: Context, a: int) -> int:
    ran(ctx, "risky", a)
    if a % 3 == 1:
        raise NonRetryable(f"no luck with {a}", code="no_luck")
    return a * 2


@activity()
def flaky(ctx: Context, a: int) -> int:
    ran(ctx, "flaky", a)
    if ctx.attempt <= a % 3:
        raise RuntimeError(f"busy {a}")
    return a - 1


@activity()
def undo(ctx: Context, a: int) -> None:
    ran(ctx, "undo", a)


async def turn_of(ctx: Context, ended: list[str | None], turn: int) -> None:
    """Waits until the one whose turn is before this one is done, for the server as well."""
    while len(ended) < turn:
        await asyncio.sleep(0 if ctx.execution_id is None else 0.05)  # between two looks
    if turn == 0 or ctx.execution_id is None:
        return
    execution, node = ctx.execution_id, str(ended[turn - 1])
    while not await asyncio.to_thread(IS_SETTLED[0], execution, node):
        await asyncio.sleep(0.05)  # between two looks


@activity()
async def step(ctx: Context, a: int, group: str, turn: int, size: int, may_fail: bool) -> int:
    """One of `size` side by side, which end in the order of their turns, in each round of a loop anew."""
    ended = ENDED[ctx.execution_id, group]
    first = len(ended) // size * size
    await turn_of(ctx, ended, first + turn)
    ran(ctx, "step", a, group, turn)
    ended.append(ctx.node_id)
    if may_fail and a % 3 == 1:
        raise NonRetryable(f"step {group} failed with {a}", code="step")
    return a + turn


ALL = [add, is_even, word, numbers, box, unbox, risky, flaky, step, undo]
