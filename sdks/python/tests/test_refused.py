"""Each program of the table is refused at its place, for its reason."""

from __future__ import annotations

import textwrap

import pytest
from refused import BODIES, HEAD, MODULES

from trunkline import CompileError
from trunkline.compiler import compile_text


def module_of(body: str) -> str:
    run = "@workflow(version=1)\nclass W:\n    input: Order\n\n    async def run(self, order):\n"
    return run + textwrap.indent(body, " " * 8) + "\n"


def check(text: str, reason: str) -> None:
    before, _, after = (HEAD + text).partition("§")
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    with pytest.raises(CompileError) as caught:
        compile_text(before + after, "W")
    error = caught.value
    assert reason in error.reason
    assert (error.line, error.column) == (line, column), str(error)
    assert str(error) == f"workflow.py:{line}:{column}: {error.reason}; {error.nearest}"
    assert error.nearest


@pytest.mark.parametrize(("body", "reason"), BODIES, ids=[body for body, _ in BODIES])
def test_refused_body(body: str, reason: str) -> None:
    check(module_of(body), reason)


@pytest.mark.parametrize(("text", "reason"), MODULES, ids=[reason for _, reason in MODULES])
def test_refused_module(text: str, reason: str) -> None:
    check(text, reason)


def test_the_table_is_long_enough() -> None:
    assert len(BODIES) + len(MODULES) >= 60
