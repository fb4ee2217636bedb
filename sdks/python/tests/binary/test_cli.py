"""`python -m trunkline` compiles, pushes and compares; what is refused goes to stderr with its place."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from trunkline import Client
from trunkline.compiler import compile_text

SOURCE = """from trunkline import activity, workflow

@activity()
def greet(name: str) -> str: ...

@workflow(version={version}, name="py-cli")
class Hello:
    async def run(self, name: str):
{blank}        text = await greet({argument})
        return {{"text": text}}
"""


def source(version: int = 1, argument: str = "name", blank: str = "") -> str:
    return SOURCE.format(version=version, argument=argument, blank=blank)


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(folder), str(Path(__file__).parents[2] / "src")])
    return subprocess.run(
        [sys.executable, "-m", "trunkline", *arguments],
        cwd=folder, env={**os.environ, "PYTHONPATH": path}, capture_output=True, encoding="utf-8", timeout=60, check=False,
    )  # fmt: skip


def test_compile_push_diff(client: Client, tmp_path: Path) -> None:
    (tmp_path / "hello.py").write_text(source())
    compiled = run(tmp_path, "compile", "hello:Hello", "--places", str(tmp_path / "places.json"))
    assert compiled.returncode == 0
    assert compiled.stdout.encode() == compile_text(source(), "Hello").bytes
    places = json.loads((tmp_path / "places.json").read_text())
    assert places["greet"] == {"file": "hello.py", "line": 9, "column": 22}
    assert run(tmp_path, "diff", "hello:Hello").returncode == 1
    assert run(tmp_path, "push", "hello:Hello").stdout.startswith("py-cli 1")
    same = run(tmp_path, "diff", "hello:Hello")
    assert (same.returncode, same.stdout) == (0, "")
    (tmp_path / "hello.py").write_text(source(2, "name + '!'"))
    other = run(tmp_path, "diff", "hello.py:Hello")
    assert other.returncode == 1
    assert '+        "name": "${(input + \\"!\\")}"' in other.stdout
    (tmp_path / "hello.py").write_text(source(1, "name + '!'"))
    conflict = run(tmp_path, "push", "hello:Hello")
    assert conflict.returncode == 1
    assert "workflow_version_conflict" in conflict.stderr


def test_an_execution_shows_where_its_nodes_are_in_the_source(client: Client, tmp_path: Path) -> None:
    (tmp_path / "shown.py").write_text(
        source().replace("py-cli", "py-shown").replace("activity()", 'activity("py-greet")')
    )
    assert run(tmp_path, "push", "shown:Hello").returncode == 0
    execution = client.start("py-shown", "Ada")
    end = time.monotonic() + 120
    while not any(node["nodeId"] == "greet" and node["status"] != "PENDING" for node in execution.nodes()):
        assert time.monotonic() < end
        time.sleep(0.02)  # between two looks of the poll
    shown = subprocess.run(
        [os.environ["TRUNKLINE_BINARY"], "execution", "show", execution.id],
        capture_output=True, encoding="utf-8", timeout=60, check=True,
    ).stdout  # fmt: skip
    row = next(line for line in shown.splitlines() if line.split()[:1] == ["greet"])
    assert row.split()[-1] == "shown.py:9"
    execution.cancel()


def test_a_refusal_has_its_place(tmp_path: Path) -> None:
    (tmp_path / "hello.py").write_text(source(1, "name.upper()"))
    refused = run(tmp_path, "compile", "hello:Hello")
    assert refused.returncode == 1
    assert refused.stdout == ""
    assert refused.stderr.startswith("hello.py:9:28: the method upper of a value of type str is not in CEL; ")


@pytest.mark.parametrize("target", ["hello", "nothing:Hello", ":Hello"])
def test_a_target_that_names_nothing(tmp_path: Path, target: str) -> None:
    assert run(tmp_path, "compile", target).returncode == 1


def test_ids_stay_when_lines_move() -> None:
    moved = compile_text(source(blank="        # a comment\n\n\n"), "Hello")
    assert moved.bytes == compile_text(source(), "Hello").bytes
    assert moved.places["greet"]["line"] == 12
