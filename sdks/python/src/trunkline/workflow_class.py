"""The decorator of workflow classes, and their local runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from trunkline._duration import seconds

C = TypeVar("C", bound=type)


@dataclass(frozen=True)
class WorkflowMeta:
    """What the decorator was given."""

    name: str
    version: int
    timeout: str | None
    max_concurrent: int | None


def workflow(
    *, version: int, name: str | None = None, timeout: str | None = None, max_concurrent: int | None = None
) -> Callable[[C], C]:
    """Makes a class a workflow. `name` defaults to the class name in lower case with hyphens.

    The class has `input: T` and `async def run(self, input)`. It gets `run_locally` for tests; `trunkline.compile`
    returns its definition.
    """
    if version < 1:
        raise ValueError("versions begin with 1")
    if timeout is not None:
        seconds(timeout)

    def decorate(cls: C) -> C:
        from trunkline.compiler.source import default_name
        from trunkline.local import run_locally

        meta = WorkflowMeta(name or default_name(cls.__name__), version, timeout, max_concurrent)
        cls.__trunkline__ = meta  # type: ignore[attr-defined]

        async def locally(input: Any = None, **given: Any) -> Any:
            return await run_locally(cls, input, **given)

        locally.__doc__ = run_locally.__doc__
        cls.run_locally = staticmethod(locally)  # type: ignore[attr-defined]
        return cls

    return decorate
