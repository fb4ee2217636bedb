"""What workflows are written with: nodes that wait, side by side or for something."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Coroutine
from dataclasses import dataclass
from typing import Any, TypeVar, overload

from trunkline import _scope
from trunkline._classes import Runs, RunsAlone
from trunkline.retry import Retry

A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
D = TypeVar("D")


class Record(dict[str, Any]):
    """An object without a type of its own: fields are read as attributes or by key."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


def record(value: Any) -> Any:
    """The JSON value with its objects as records."""
    if isinstance(value, dict):
        return Record({name: record(item) for name, item in value.items()})
    if isinstance(value, list):
        return [record(item) for item in value]
    return value


@dataclass(frozen=True)
class Event:
    """An event that a workflow waited for, or a delivery of a webhook."""

    event: str
    #: What was sent with it; fields are read as attributes or by key.
    body: Any
    deliveryId: str  # noqa: N815 - as the server names it
    receivedAt: str  # noqa: N815


@overload
async def gather(a: Awaitable[A], b: Awaitable[B], /) -> tuple[A, B]: ...
@overload
async def gather(a: Awaitable[A], b: Awaitable[B], c: Awaitable[C], /) -> tuple[A, B, C]: ...
@overload
async def gather(a: Awaitable[A], b: Awaitable[B], c: Awaitable[C], d: Awaitable[D], /) -> tuple[A, B, C, D]: ...
@overload
async def gather(*calls: Awaitable[A], concurrency: int | None = None) -> list[A]: ...


async def gather(*calls: Awaitable[Any], concurrency: int | None = None) -> Any:
    """Runs nodes in parallel and returns their results in order. A starred comprehension is a MAP.

    `concurrency` limits the items of a MAP. Running calls complete before a failure is raised, the first in order;
    calls that have not started, because of `concurrency`, do not start. On the server, an uncaught failure, or the
    failure of an item of a MAP, also cancels running calls.
    """
    gate = asyncio.Semaphore(concurrency or max(1, len(calls)))
    failures: list[BaseException] = []

    async def one(call: Awaitable[Any]) -> Any:
        async with gate:
            if failures and concurrency is not None:
                if isinstance(call, Coroutine):
                    call.close()
                return None
            try:
                return await call
            except BaseException as error:
                failures.append(error)
                raise

    results = await asyncio.gather(*(one(call) for call in calls), return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return results


async def sleep(duration: str) -> None:
    """Waits for a duration such as 2h: a TIMER."""
    await _scope.runner("sleep").sleep(duration)


async def signal(name: str, *, timeout: str | None = None) -> Any:
    """Waits for a signal and returns its payload. Raises NodeFailed with the code `timeout` after the timeout."""
    return await _scope.runner("signal").signal(name, timeout)


async def wait_event(
    name: str | list[str],
    *,
    match: dict[str, Any] | None = None,
    lookback: str | None = None,
    timeout: str | None = None,
) -> Event:
    """Waits for an event of this name, or the first event of one of these names.

    `match` has paths into its body, such as `body.order.id`, with the expected values. `lookback` also considers
    earlier events, the newest first. Raises NodeFailed with the code `timeout` after the timeout.
    """
    return await _scope.runner("wait_event").event(
        [name] if isinstance(name, str) else name, {"match": match, "lookback": lookback, "timeout": timeout}
    )


async def user_task(
    node_id: str,
    *,
    form: Any = None,
    group: str | None = None,
    assignee: str | None = None,
    input: Any = None,
    due_in: str | None = None,
    timeout: str | None = None,
) -> Any:
    """Waits for a person, with `form` as the schema of the submitted data, which is returned."""
    options = {"form": form, "group": group, "assignee": assignee, "input": input, "due_in": due_in, "timeout": timeout}
    return await _scope.runner("user_task").user_task(node_id, options)


@overload
async def child(
    workflow: type[Runs[A, B]], data: A, *, retry: Retry | None = None, timeout: str | None = None
) -> B: ...
@overload
async def child(workflow: type[RunsAlone[B]], *, retry: Retry | None = None, timeout: str | None = None) -> B: ...


async def child(workflow: Any, data: Any = None, *, retry: Any = None, timeout: str | None = None) -> Any:
    """Runs another workflow to its end and returns its output."""
    return await _scope.runner("child").child(workflow, data, {"retry": retry, "timeout": timeout})
