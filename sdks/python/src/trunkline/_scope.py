"""Where a call of an activity runs: in a local run of a workflow, or by itself."""

from __future__ import annotations

import inspect
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from trunkline.activity import NodeCall
    from trunkline.flow import Event


class Runner(Protocol):
    """What carries out the nodes of a workflow."""

    async def node(self, call: NodeCall[Any]) -> Any:
        """Runs an activity and gives its result."""

    async def sleep(self, duration: str) -> None:
        """Waits."""

    async def signal(self, name: str, timeout: str | None) -> Any:
        """Waits for a signal and gives its payload."""

    async def user_task(self, node_id: str, options: dict[str, Any]) -> Any:
        """Waits for a person and gives what was submitted."""

    async def event(self, names: list[str], options: dict[str, Any]) -> Event:
        """Waits for an event and gives it."""

    async def child(self, workflow: Any, data: Any, options: dict[str, Any]) -> Any:
        """Runs another workflow and gives its output."""


current: ContextVar[Runner | None] = ContextVar("trunkline_runner", default=None)


def runner(what: str) -> Runner:
    """The runner at hand; an error where there is none."""
    found = current.get()
    if found is None:
        raise RuntimeError(f"{what} belongs into a workflow: compile the class, or call run_locally")
    return found


async def run_node(call: NodeCall[Any]) -> Any:
    """Runs an activity where a workflow runs locally, and else just calls it, without tries again."""
    found = current.get()
    if found is not None:
        return await found.node(call)
    from trunkline.context import Context

    context = Context(job_id="job_local", job_type=call.activity.name)
    result = call.activity.invoke(context, call.data)
    return await result if inspect.isawaitable(result) else result
