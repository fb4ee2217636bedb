"""The examples of docs/python-workflows.md, in this process and compiled on the real binary."""

from __future__ import annotations

import asyncio
import functools
import importlib.util
import json
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from trunkline import Activity, Client, NodeFailed, Run, RunFailed, Worker
from trunkline.compiler import compile_file, workflows_in

PAGE = Path(__file__).parents[4] / "docs/python-workflows.md"
EXAMPLE = re.compile(r"<!-- example: ([a-z-]+) -->\n```python\n(.*?)```\n((?:```json \w+\n.*?```\n)+)", re.DOTALL)
PART = re.compile(r"```json (\w+)\n(.*?)```", re.DOTALL)


def examples() -> list[Any]:
    found = EXAMPLE.findall(PAGE.read_text(encoding="utf-8"))
    return [pytest.param(name, text, dict(PART.findall(rest)), id=name) for name, text, rest in found]


def test_every_example_is_found() -> None:
    assert len(examples()) == PAGE.read_text(encoding="utf-8").count("<!-- example:") >= 10


def wait_until_waiting(run: Run, is_meant: Callable[[dict[str, Any]], bool], count: int = 1) -> None:
    end = time.monotonic() + 120
    while sum(node["status"] == "WAITING" and is_meant(node) for node in run.nodes()) < count:
        assert time.monotonic() < end
        time.sleep(0.02)  # between two looks of the poll


def send_events(client: Client, run: Run, events: dict[str, list[Any]]) -> None:
    """Once as many nodes wait as there are names: an event from before would not be seen."""
    if events:
        wait_until_waiting(run, lambda node: node["type"] == "WAIT_EVENT", len(events))
    for name, bodies in events.items():
        for body in bodies:
            client.send_event(name, body)


def complete_user_tasks(run: Run, tasks: dict[str, Any]) -> None:
    for node_id, output in tasks.items():
        wait_until_waiting(run, functools.partial(_is, node_id))
        run.complete_user_task(node_id, output)


def _is(node_id: str, node: dict[str, Any]) -> bool:
    return bool(node["nodeId"] == node_id)


@pytest.mark.parametrize(("name", "text", "parts"), examples())
def test_example(client: Client, tmp_path: Path, name: str, text: str, parts: dict[str, str]) -> None:
    given = {key: json.loads(value) for key, value in parts.items()}
    path = tmp_path / f"example_{name.replace('-', '_')}.py"
    path.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    names = workflows_in(path)
    for one in names:
        client.push(compile_file(path, one).definition)
    last = getattr(module, names[-1])
    outside = {kind: given.get(kind) for kind in ("signals", "events", "user_tasks")}
    here = last.run_locally(given.get("input"), **outside)
    handlers = [one for one in vars(module).values() if isinstance(one, Activity)]
    with Worker(client, handlers or [placeholder()], poll_wait="1s"):
        run = client.start(last, given.get("input"))
        for signal, payload in given.get("signals", {}).items():
            run.signal(signal, payload)
        send_events(client, run, given.get("events", {}))
        complete_user_tasks(run, given.get("user_tasks", {}))
        if "error" in given:
            with pytest.raises(NodeFailed, match=given["error"]):
                asyncio.run(here)
            with pytest.raises(RunFailed, match=given["error"]):
                run.wait("30s")
        else:
            assert asyncio.run(here) == given["output"]
            assert run.wait("30s") == given["output"]


def placeholder() -> Any:
    from trunkline import activity

    @activity("py-nothing")
    def nothing() -> None:
        return None

    return nothing
