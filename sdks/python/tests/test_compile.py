"""What compiled definitions look like: types, ids, texts, other files; and what local runs do."""

from __future__ import annotations

import asyncio
import importlib.util
import sys
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


RECORDS = """
from __future__ import annotations
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, NotRequired, Optional, TypedDict
from pydantic import BaseModel, ConfigDict, Field
from trunkline import activity, workflow

@dataclass
class Data:
    n: int
    tags: list[str] = field(default_factory=lambda: ["a"])
    pair: tuple[int, int] = (1, 2)

class Typed(TypedDict):
    n: int
    note: NotRequired[str]

class Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)
    name: str = Field(min_length=1, max_length=9, pattern="^[a-z]+$", description="what it is called")
    share: Annotated[float, Field(gt=0, le=1)]
    count: Optional[int] = Field(None, ge=0)
    many: list[int] = Field(default_factory=list, max_length=3)
    kind: Literal["x", "y"] = Field("x")
    must: int = Field(...)

@activity("keep-data")
def keep_data(it: Data) -> Data: return it
@activity("keep-typed")
def keep_typed(it: Typed) -> Typed: return it
@activity("keep-model")
def keep_model(it: Model) -> Model: return it
"""


@pytest.mark.parametrize(
    ("name", "given", "schema", "back"),
    [
        ("Data", {"n": 3}, {"required": ["n"], "properties": {
            "n": {"type": "integer"},
            "tags": {"type": "array", "items": {"type": "string"}, "default": ["a"]},
            "pair": {"type": "array", "items": {"type": "integer"}, "default": [1, 2]},
        }}, {"n": 3, "tags": ["a"], "pair": [1, 2]}),
        ("Typed", {"n": 3}, {"required": ["n"], "properties": {
            "n": {"type": "integer"}, "note": {"type": "string"},
        }}, {"n": 3}),
        ("Model", {"name": "ada", "share": 0.5, "must": 1}, {"required": ["name", "share", "must"], "properties": {
            "name": {"type": "string", "minLength": 1, "maxLength": 9, "pattern": "^[a-z]+$",
                     "description": "what it is called"},
            "share": {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
            "count": {"anyOf": [{"type": "integer", "minimum": 0}, {"type": "null"}], "default": None},
            "many": {"type": "array", "items": {"type": "integer"}, "maxItems": 3, "default": []},
            "kind": {"enum": ["x", "y"], "default": "x"},
            "must": {"type": "integer"},
        }, "additionalProperties": False},
         {"name": "ada", "share": 0.5, "count": None, "many": [], "kind": "x", "must": 1}),
    ],
)  # fmt: skip
def test_types_become_json_schema_and_values_come_back(
    name: str, given: dict[str, Any], schema: dict[str, Any], back: dict[str, Any], tmp_path: Path
) -> None:
    text = f"""{RECORDS}
@workflow(version=1)
class W:
    async def run(self, given: {name}):
        kept = await keep_{name.lower()}(given)
        return kept
"""
    (tmp_path / f"records_{name}.py").write_text(text)
    compiled = compile_file(tmp_path / f"records_{name}.py", "W").definition
    assert compiled["input"] == {"type": "object", **schema}
    spec = importlib.util.spec_from_file_location(f"records_{name}", tmp_path / f"records_{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    seen: list[Any] = []

    def keep(it: Any) -> Any:
        seen.append(it)
        return it

    keep.__annotations__ = {"it": getattr(module, name), "return": getattr(module, name)}
    stand_in = activity(f"keep-{name.lower()}")(keep)
    assert asyncio.run(module.W.run_locally(given, activities=[stand_in])) == back
    assert type(seen[0]).__name__ == ("dict" if name == "Typed" else name)


def test_what_is_known_may_be_made_of_names() -> None:
    made = nodes("""
WITHIN = "5m"

@activity()
def ask(n: int) -> int: ...

@workflow(version=1)
class W:
    async def run(self):
        tries = 2
        for i in range(2):
            await user_task(f"answer-{i}", group="ops", timeout=WITHIN)
        for name in ("paid", "packed"):
            await signal(name)
        await gather(*[ask(n, retry=Retry(max=tries)) for n in range(3)])
        return dict(ok=True)
""")
    assert {"answer-0", "answer-1", "paid", "packed"} < made.keys()
    assert made["answer-1"]["timeout"] == "5m"
    assert made["ask"]["items"] == [0, 1, 2]
    assert made["ask"]["node"]["retry"] == {"maxRetries": 2}
    assert made["result"]["output"] == {"ok": True}


def test_star_imports_of_this_package_are_known() -> None:
    text = "from trunkline import *\n\n@workflow(version=1)\nclass W:\n    async def run(self):\n        await sleep('1s')\n"
    assert [node["type"] for node in compile_text(text, "W").definition["nodes"]] == ["TIMER"]


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
