"""Generated programs do the same in this process and, compiled, on the real binary."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import property_activities
from programs import Program, generate

from trunkline import Client, CompileError, Problem, Run, RunFailed, Worker
from trunkline.compiler import compile_file

PROGRAMS = int(os.environ.get("TRUNKLINE_PROGRAMS", "200"))
FIRST_SEED = int(os.environ.get("TRUNKLINE_FIRST_SEED", "0"))


@dataclass
class Outcome:
    """What a run came to."""

    failed: bool
    output: Any
    ran: list[str]

    def undone(self) -> list[str]:
        """What was undone, in order."""
        return [name for name in self.ran if name.startswith("undo ")]


@dataclass
class Case:
    """A program that was compiled, and what it did in this process."""

    program: Program
    definition: dict[str, Any]
    here: Outcome


def locally(seed: int, path: Path, program: Program) -> Outcome:
    spec = importlib.util.spec_from_file_location(f"program_{seed}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    ran = property_activities.RAN[None] = []
    for key in [key for key in property_activities.ENDED if key[0] is None]:
        del property_activities.ENDED[key]
    run = module.Program.run_locally(program.input, signals=program.signals, events=program.events)
    try:
        return Outcome(False, asyncio.run(run), ran)
    except Exception as error:
        return Outcome(True, f"{type(error).__name__}: {error}", ran)


def on_server(client: Client, case: Case) -> tuple[str, Outcome]:
    run = client.start(case.definition["name"], case.program.input)
    send_what_it_waits_for(client, run, case)
    try:
        output, failed = run.wait("120s"), False
    except RunFailed as error:
        output, failed = str(error), True
    return run.id, Outcome(failed, output, property_activities.RAN[run.id])


def send_what_it_waits_for(client: Client, run: Run, case: Case) -> None:
    """Signals and events, each once a node waits for it, until the execution has ended."""
    waits = waits_of(case)
    coming: dict[str, Iterator[Any]] = {
        name: iter(values) for name, values in {**case.program.signals, **case.program.events}.items()
    }
    sent: set[str] = set()
    while waits and run.status() not in ("COMPLETED", "FAILED", "CANCELLED"):
        new = [node["nodeId"] for node in run.nodes() if node["status"] == "WAITING" and node["nodeId"] in waits]
        for node in sorted(set(new) - sent):
            sent.add(node)
            send_next(client, run, waits[node], coming[waits[node]])
        time.sleep(0.1)  # between two looks of the poll


def waits_of(case: Case) -> dict[str, str]:
    """What nodes wait for that comes, by their ids."""
    waits = {}
    for node in case.definition["nodes"]:
        names = node.get("signal", node.get("event"))
        name = names[-1] if isinstance(names, list) else names
        if name in case.program.signals or name in case.program.events:
            waits[node["id"]] = name
    return waits


def send_next(client: Client, run: Run, name: str, coming: Iterator[Any]) -> None:
    if name.startswith("prop."):
        for body in coming:
            client.send_event(name, body)
            if body["n"] is not None:
                break
        return
    try:
        run.signal(name, next(coming))
    except Problem as problem:
        # It failed meanwhile, at what stands beside the wait.
        if problem.status != 409:
            raise


def difference(program: Program, here: Outcome, there: Outcome) -> str | None:
    if here.failed != there.failed:
        return f"locally {'failed' if here.failed else 'done'}, compiled {'failed' if there.failed else 'done'}"
    if not here.failed and here.output != there.output:
        return "the outputs differ"
    if here.failed and program.cancels:
        # What stands side by side with a failure may be cancelled before it begins, and undone or not.
        more = Counter(there.ran) - Counter(here.ran) - Counter(there.undone())
        return f"ran only compiled: {more}" if more else None
    if Counter(here.ran) != Counter(there.ran):
        return "other activities ran"
    if not program.races and here.undone() != there.undone():
        return "undone in another order"
    return None


def test_generated_programs(client: Client, tmp_path: Path) -> None:
    cases: dict[int, Case] = {}
    for seed in range(FIRST_SEED, FIRST_SEED + PROGRAMS):
        program = generate(seed)
        path = tmp_path / f"program_{seed}.py"
        path.write_text(program.text, encoding="utf-8")
        try:
            definition = compile_file(path, "Program").definition
        except CompileError:
            continue
        client.push(definition)
        cases[seed] = Case(program, definition, locally(seed, path, program))
    assert len(cases) >= PROGRAMS * 0.95
    property_activities.IS_SETTLED[:] = [lambda run, node: is_settled(client, run, node)]
    complaints = []
    # More hands than all programs together can keep busy with steps that wait for their turns.
    with Worker(client, property_activities.ALL, concurrency=256, poll_wait="5s"), ThreadPoolExecutor(32) as pool:
        runs = {seed: pool.submit(on_server, client, case) for seed, case in cases.items()}
        for seed, future in runs.items():
            run_id, there = future.result()
            case = cases[seed]
            if complaint := difference(case.program, case.here, there):
                complaints.append(
                    f"seed {seed} ({run_id}): {complaint}\n  local    {case.here}\n  compiled {there}\n"
                    f"  input {case.program.input}"
                )
    assert not complaints, "\n".join(complaints[:10]) + f"\n{len(complaints)} of {len(cases)} differ"
    check_variety(list(cases.values()))


def is_settled(client: Client, run_id: str, node_id: str) -> bool:
    nodes = client.run(run_id).nodes()
    return any(node["nodeId"] == node_id and node["status"] in ("COMPLETED", "FAILED") for node in nodes)


def check_variety(cases: list[Case]) -> None:
    """Whether the programs did what they are meant to be about."""
    failed = [case for case in cases if case.here.failed]
    assert 0 < len(failed) < len(cases) / 2
    assert any(len(case.here.undone()) > 1 and not case.program.races for case in failed)
    kinds = Counter(node["type"] for case in cases for node in case.definition["nodes"])
    assert all(kinds[kind] > len(cases) / 10 for kind in ("MAP", "SIGNAL", "TIMER", "WAIT_EVENT"))
    assert sum(any(name.startswith("step ") for name in case.here.ran) for case in cases) > len(cases) / 10
