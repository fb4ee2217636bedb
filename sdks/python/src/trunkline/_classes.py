"""Workflow classes as type checkers see them."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any, Protocol, TypeVar

I_contra = TypeVar("I_contra", contravariant=True)
O_co = TypeVar("O_co", covariant=True)


class Runs(Protocol[I_contra, O_co]):
    """A workflow with an input."""

    def run(self, input: I_contra, /) -> Coroutine[Any, Any, O_co]:
        """What it does."""


class RunsAlone(Protocol[O_co]):
    """A workflow without an input."""

    def run(self) -> Coroutine[Any, Any, O_co]:
        """What it does."""
