"""What compiled definitions look like: types, ids, texts, other files; and what local runs do."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from trunkline import (
    CompileError,
    Context,
    NodeFailed,
    NonRetryable,
    activity,
    gather,
    run_locally,
    signal,
    workflow,
)
from trunkline.compiler import compile_file, compile_text
from trunkline.local import LocalRun

HEAD = "from trunkline import NodeFailed, Retry, activity, child, gather, signal, sleep, user_task, workflow\n"


def nodes(text: str, name: str = "W") -> dict[str, dict[str, Any]]:
    return {node["id"]: node for node in compile_text(HEAD + text, name).definition["nodes"]}


def test_types_become_json_schema() -> None:
    text = """
from typing import Literal, NotRequired, TypedDict
from datetime import datetime
from pydantic import BaseModel

class Inner(BaseModel):
    size: float
    kind: Literal["a", "b"] = "a"

class Input(TypedDict):
    at: datetime
    tags: list[str]
    inner: Inner | None
    extra: NotRequired[dict[str, int]]

@workflow(version=1)
class W:
    input: Input
    async def run(self, given):
        return given["tags"]
"""
    with pytest.raises(CompileError, match="may be absent beside fields with defaults"):
        compile_text(HEAD + text, "W")
    schema = compile_text(HEAD + text.replace(' = "a"', ""), "W").definition["input"]
    assert schema["required"] == ["at", "tags", "inner"]
    assert schema["properties"]["at"] == {"type": "string", "format": "date-time"}
    inner = {
        "type": "object",
        "required": ["size", "kind"],
        "properties": {"size": {"type": "number"}, "kind": {"enum": ["a", "b"]}},
    }
    assert schema["properties"]["inner"] == {"anyOf": [inner, {"type": "null"}]}
    assert schema["properties"]["extra"] == {"type": "object", "additionalProperties": {"type": "integer"}}


def test_texts_that_look_like_expressions_are_escaped() -> None:
    found = nodes(
        "@activity()\ndef f(a, b, c): ...\n@workflow(version=1)\nclass W:\n    async def run(self, x: str):\n"
        "        await f('${x}', f'${x}', f'a {x} ${{y}}')\n"
    )
    assert found["f"]["input"] == {"a": "$${x}", "b": '${("$" + input)}', "c": "a ${input} $${y}"}


def test_names_that_cel_keeps_for_itself() -> None:
    found = nodes(
        "from dataclasses import dataclass\n@dataclass\nclass I:\n    package: str\n    loop: list[int]\n"
        "@activity()\ndef function(a): ...\n@workflow(version=1)\nclass W:\n    async def run(self, x: I):\n"
        "        y = await function([input + 1 for input in x.loop])\n        return [x.package, y]\n"
    )
    assert found["function"]["input"] == {"a": '${input["loop"].map(input_, (input_ + 1))}'}
    assert found["result"]["output"] == ['${input["package"]}', '${nodes["function"].output}']


def test_activities_and_children_of_other_files(tmp_path: Path) -> None:
    (tmp_path / "parts.py").write_text(
        HEAD + "LIMIT = 3\n@activity('part', max_retries=2)\ndef work(n: int) -> int: ...\n"
        "@workflow(version=4, name='inner')\nclass Inner:\n    async def run(self, n: int) -> int:\n"
        "        return n\n"
    )
    (tmp_path / "whole.py").write_text(
        HEAD + "from parts import LIMIT, Inner, work as do\n@workflow(version=1)\nclass W:\n"
        "    async def run(self, n: int):\n        a = await do(LIMIT)\n        b = await child(Inner, a)\n"
        "        return a + b\n"
    )
    found = {node["id"]: node for node in compile_file(tmp_path / "whole.py", "W").definition["nodes"]}
    assert found["work"]["jobType"] == "part"
    assert found["work"]["input"] == {"n": 3}
    assert found["work"]["retry"] == {"maxRetries": 2}
    assert found["inner"]["workflow"] == "inner"
    assert found["result"]["output"] == "${(nodes.work.output + nodes.inner.output)}"


def test_nothing_is_executed(tmp_path: Path) -> None:
    path = tmp_path / "loud.py"
    path.write_text(
        "raise SystemExit('executed')\n"
        + HEAD
        + "@workflow(version=1)\nclass W:\n    async def run(self):\n        return 1\n"
    )
    assert compile_file(path, "W").definition["output"] == "${nodes.result.output}"


@activity(max_retries=1)
def shaky(n: int) -> int:
    if n > 1:
        raise ValueError(f"{n} is too much")
    return n


@activity()
def undo(n: int) -> None: ...


@workflow(version=1)
class Local:
    async def run(self, numbers: list[int]) -> Any:
        first = await shaky(numbers[0]).compensate(undo)
        try:
            others = await gather(*[shaky(n) for n in numbers], concurrency=1)
        except NodeFailed as error:
            others = [error.message, error.code]
        said = await signal("go")
        return {"first": first, "others": others, "by": said.by}


def run(numbers: list[int], **given: Any) -> tuple[Any, list[str]]:
    local = LocalRun(given.pop("signals", {"go": {"by": "Ada"}}), None, None, given.pop("activities", ()), 3)
    try:
        return asyncio.run(Local.run_locally(numbers, run=local)), local.started  # type: ignore[attr-defined]
    except NodeFailed as error:
        return error, local.started


def test_local_runs_keep_to_tries_and_catch_failures() -> None:
    output, started = run([1, 5, 1])
    assert output == {"first": 1, "others": ["5 is too much", "ValueError"], "by": "Ada"}
    assert started == ["shaky", "shaky", "shaky"]
    failed, _ = run([7])
    assert isinstance(failed, NodeFailed)


@activity("slow", timeout="20ms", max_retries=1)
async def slow(ctx: Context) -> None:
    ATTEMPTS.append(ctx.attempt)
    await asyncio.Event().wait()


ATTEMPTS: list[int] = []


@workflow(version=1)
class Slow:
    async def run(self) -> Any:
        try:
            await slow()
        except NodeFailed as error:
            return error.code


def test_local_runs_keep_to_timeouts() -> None:
    assert asyncio.run(run_locally(Slow)) == "timeout"
    assert ATTEMPTS == [1, 2]


def test_calls_side_by_side_all_begin() -> None:
    """As on the server, where a failure that is caught does not keep back what stands beside it."""

    async def fails() -> None:
        raise NodeFailed("at once")

    begun: list[int] = []

    async def begins() -> None:
        begun.append(1)

    with pytest.raises(NodeFailed, match="at once"):
        asyncio.run(gather(fails(), begins()))
    assert begun == [1]
    with pytest.raises(NodeFailed, match="at once"):
        asyncio.run(gather(*[fails(), begins()], concurrency=1))
    assert begun == [1]


def test_what_is_compiled_does_not_depend_on_the_library_of_python() -> None:
    text = "from typing import TYPE_CHECKING\nfrom string import digits\n@workflow(version=1)\nclass W:\n    async def run(self):\n"
    found = nodes(f"{text}        return 1 if TYPE_CHECKING else 2\n")
    assert found["result"]["output"] == 2
    with pytest.raises(CompileError, match="digits is not known here"):
        nodes(f"{text}        return digits\n")


def test_local_runs_undo_what_completed() -> None:
    @activity("shaky")
    def instead(n: int) -> int:
        if n == 3:
            raise NonRetryable("no")
        return n

    with pytest.raises(LookupError, match="signals="):
        run([1], signals={})
    assert run([2, 3], activities=[instead])[0]["others"] == ["no", None]
    local = LocalRun(None, None, None, (), 3)
    with pytest.raises(LookupError):
        asyncio.run(Local.run_locally([1], run=local))  # type: ignore[attr-defined]
    assert local.started == ["shaky", "shaky", "undo"]
