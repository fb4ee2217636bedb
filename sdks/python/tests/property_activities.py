"""The activities of generated programs. What they do follows from their data alone, so that both sides do the same."""

from __future__ import annotations

import json
import threading
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import Any

from trunkline import Context, NonRetryable, activity

#: By execution, what ran with which data; None stands for the local run.
RAN: dict[str | None, Counter[str]] = defaultdict(Counter)
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
            RAN[ctx.execution_id][f"{name} {json.dumps(data)}"] += 1


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


ALL = [add, is_even, word, numbers, box, unbox, risky, flaky, undo]
