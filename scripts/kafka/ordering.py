"""Order within an execution where messages fail: what comes behind waits, or goes on, and only where it has the same key.

That it is kept under other faults is judged by each scenario with a load.
"""

from __future__ import annotations

import uuid
from typing import Any

from brokers import wait_for
from checker import Checker
from history import History, read
from kit import Run, Server
from loads import Load

TIERS = ("high", "normal", "low")
#: More than a message may have, and no more than an expression (1 MiB).
TOO_LARGE = 1_020_000
#: So many executions that began later are over: one that is not waits for something.
LATER = 20


def a_refused_message_holds_nobody_up(run: Run) -> None:
    """An item that is too large for the broker fails; the others of its execution come in order, and so do other executions."""
    server = run.server(run.database(), TRUNKLINE_HTTP__JSON_SIZE="4MiB", TRUNKLINE_HTTP__MAX_SINGLE_BODY="8MiB")
    history = History(path := run.directory / f"history-{uuid.uuid4().hex[:8]}.jsonl")
    server.post("/v1/workflows", {"name": "refused", "version": 1, "nodes": [
        {"id": "all", "type": "MAP", "items": "${input.items}", "onItemError": "collect",
         "node": {"type": "SERVICE_TASK", "jobType": "refused", "input": "${item}", "retryCount": 0}},
    ]})

    def start(large: int | None) -> str:
        items = [{"place": place, "filling": "x" * TOO_LARGE if place == large else ""} for place in range(6)]
        return server.post("/v1/executions", {"workflow": "refused", "input": {"items": items}})["id"]

    with_large, others = start(2), [start(None) for _ in range(3)]
    worker = run.worker(server, "refused", history=history)
    wait_for("all are completed", lambda: all(shown(server, one)["status"] == "COMPLETED" for one in [with_large, *others]))
    worker.stop()
    failed = shown(server, with_large)["output"]["all"]
    assert [item and item["error"]["code"] for item in failed] == [None, None, "message_too_large", None, None, None], failed
    history.close()
    checker = Checker(0, 1, {})
    checker.read(read(path))
    places = {execution: found for (_, execution, _), found in checker.places().items()}
    assert places == {with_large: [0, 1, 3, 4, 5], **{execution: list(range(6)) for execution in others}}, places


def only_the_keys_of_a_partition_wait(run: Run) -> None:
    """Three nodes with a partition each, of which one is gone for a while: what it leads waits, and all else goes on."""
    names = [f"trunkline.jobs.partly.{tier}" for tier in TIERS]
    run.brokers.create_topics(names, [[1], [2], [3]])
    server = run.server(run.database(), TRUNKLINE_KAFKA__CREATE_TOPICS="false")
    load = Load(run, [server], "partly").prepare()
    # Executions that wait for the node take the places of others, of which a workflow has five.
    many = {"maxConcurrent": 1000, "tenantMaxConcurrent": 1000, "workflowMaxConcurrent": 1000}
    server.call("PUT", "/v1/limits", {"workflow-execution": many})
    workers = load.workers(2)
    load.begin()
    load.enough(40)
    run.brokers.kill(1)
    first = len(load.executions)

    def seen() -> tuple[list[str], list[str]] | None:
        """The executions that are over, and one that is not though later ones are."""
        began = load.executions[first:]
        over = [load.has_ended(execution) for execution in began]
        waiting = [execution for at, execution in enumerate(began) if not over[at] and sum(over[at:]) >= LATER]
        return ([execution for at, execution in enumerate(began) if over[at]], waiting) if waiting else None

    went_on, waited = wait_for("others go on while some wait", seen)
    run.brokers.start(1)
    load.enough(40)
    load.end(workers, at_least=80)
    # Some of the others are late as well while the producer learns who leads what.
    assert 0 in {load.partitions[execution] for execution in waited}, "some waited for the node that was gone"
    assert {load.partitions[execution] for execution in went_on} <= {1, 2}, "none of those went on"


def a_type_without_leaders_waits_in_the_database(run: Run) -> None:
    """Three nodes, of which one is gone for a while that leads all partitions of a type: its offers go back and its jobs say why,
    those of another type go on, and so do they when it is back."""
    for job_type, node in (("without-leaders", 1), ("with-leaders", 2)):
        run.brokers.create_topics([f"trunkline.jobs.{job_type}.{tier}" for tier in TIERS], [[node]])
    server = run.server(run.database(), TRUNKLINE_KAFKA__CREATE_TOPICS="false")
    before = server.enqueue("without-leaders", 20)
    worker = run.worker(server, "without-leaders")
    wait_for("all are completed", lambda: server.completed(before))
    run.brokers.kill(1)
    held = server.enqueue("without-leaders", 300)
    wait_for("they say why", lambda: server.get(f"/v1/jobs/{held[0]}/why")["reason"] == "not_acknowledged")
    wait_for("no offer stands", lambda: server.offers() == 0)
    assert "brokerAwaySince" not in server.get("/readyz"), "other brokers are there"
    wait_for("the doctor says so", lambda: any("without-leaders" in one["detail"] for one in server.get("/v1/doctor")["checks"]))
    others = server.enqueue("with-leaders", 200)
    other = run.worker(server, "with-leaders")
    wait_for("the others are completed", lambda: server.completed(others))
    other.stop()
    run.brokers.start(1)
    wait_for("they are completed as well", lambda: server.completed(held))
    worker.stop()
    assert sorted(worker.ran()) == sorted(before + held), "each ran once"
    assert all(server.job(job_id)["retryCount"] == 0 for job_id in held), "no attempt was lost"


def shown(server: Server, execution: str) -> dict[str, Any]:
    return server.get(f"/v1/executions/{execution}")
