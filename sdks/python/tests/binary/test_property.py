"""Generated programs do the same in this process and, compiled, on the real binary."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import property_activities
from programs import generate

from trunkline import Client, CompileError, RunFailed, Worker
from trunkline.compiler import compile_file

PROGRAMS = int(os.environ.get("TRUNKLINE_PROGRAMS", "200"))
FIRST_SEED = int(os.environ.get("TRUNKLINE_FIRST_SEED", "0"))


@dataclass
class Outcome:
    """What a run came to."""

    failed: bool
    output: Any
    ran: Counter[str]


def locally(seed: int, path: Path, given: Any) -> Outcome:
    spec = importlib.util.spec_from_file_location(f"program_{seed}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    property_activities.RAN[None] = Counter()
    try:
        output = asyncio.run(module.Program.run_locally(given))
        return Outcome(False, output, property_activities.RAN[None])
    except Exception as error:
        return Outcome(True, f"{type(error).__name__}: {error}", property_activities.RAN[None])


def on_server(client: Client, name: str, given: Any) -> tuple[str, Outcome]:
    run = client.start(name, given)
    try:
        output, failed = run.wait("120s"), False
    except RunFailed as error:
        output, failed = str(error), True
    return run.id, Outcome(failed, output, property_activities.RAN[run.id])


def difference(here: Outcome, there: Outcome) -> str | None:
    if here.failed != there.failed:
        return f"locally {'failed' if here.failed else 'done'}, compiled {'failed' if there.failed else 'done'}"
    if here.failed:
        # What stands side by side with a failure may be cancelled before it begins, and undone or not.
        return f"ran only compiled: {there.ran - here.ran}" if there.ran - here.ran - undone(there.ran) else None
    if here.output != there.output:
        return "the outputs differ"
    return "other activities ran" if here.ran != there.ran else None


def undone(ran: Counter[str]) -> Counter[str]:
    return Counter({name: count for name, count in ran.items() if name.startswith("undo ")})


def test_generated_programs(client: Client, tmp_path: Path) -> None:
    compiled: dict[int, tuple[Any, Outcome]] = {}
    for seed in range(FIRST_SEED, FIRST_SEED + PROGRAMS):
        text, given = generate(seed)
        path = tmp_path / f"program_{seed}.py"
        path.write_text(text, encoding="utf-8")
        try:
            definition = compile_file(path, "Program").definition
        except CompileError:
            continue
        client.push(definition)
        compiled[seed] = (given, locally(seed, path, given))
    assert len(compiled) >= PROGRAMS * 0.95
    complaints = []
    with Worker(client, property_activities.ALL, concurrency=32, poll_wait="5s"), ThreadPoolExecutor(32) as pool:
        runs = {seed: pool.submit(on_server, client, f"program-{seed}", given) for seed, (given, _) in compiled.items()}
        for seed, future in runs.items():
            run_id, there = future.result()
            here = compiled[seed][1]
            if complaint := difference(here, there):
                complaints.append(
                    f"seed {seed} ({run_id}): {complaint}\n  local    {here}\n  compiled {there}\n"
                    f"  input {compiled[seed][0]}"
                )
    assert not complaints, "\n".join(complaints[:10]) + f"\n{len(complaints)} of {len(compiled)} differ"
    failures = sum(outcome.failed for _, outcome in compiled.values())
    assert 0 < failures < len(compiled) / 2
