"""Dispatch through a real Apache Kafka, from end to end.

Run by scripts/test-kafka.sh, with the binary as its argument and then parts of the names of scenarios, where not all are meant.
Each scenario waits for what it expects, up to a deadline, and ends with a check that every job completed once.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import time
import urllib.error
from collections.abc import Callable
from typing import Any

from brokers import DEADLINE, OWNED, end_what_is_started, wait_for
from consumers import sdks_read_protobuf, sdks_share_the_jobs
from faults import CLUSTER, OUTAGES, SINGLE
from kit import NO_ANSWER, Run, Server
from loads import Load
from ordering import (
    a_refused_message_holds_nobody_up,
    a_type_without_leaders_waits_in_the_database,
    only_the_keys_of_a_partition_wait,
)


def jobs_reach_their_worker(run: Run) -> None:
    """Enqueue, relay, consume, accept, complete; a poll is refused, and a duplicate is `taken`."""
    server = run.server(run.database())
    ids = server.enqueue("charge", 500)
    wait_for("the topics are there", lambda: run.brokers.has_topic("trunkline.jobs.charge.high"))
    worker = run.worker(server, "charge")
    wait_for("all are completed", lambda: server.completed(ids))
    worker.stop()
    assert sorted(worker.ran()) == sorted(ids), "each ran once"
    figures_are_there(server, len(ids))
    try:
        server.post("/v1/jobs/poll", {"workerId": "w", "jobTypes": ["charge"]})
        raise AssertionError("a poll is answered")
    except urllib.error.HTTPError as refusal:
        problem = json.loads(refusal.read())
        assert (refusal.code, problem["code"]) == (409, "dispatched_by_kafka"), problem
    # Another group receives every message again.
    other = run.worker(server, "charge", name="w2", group="another")
    wait_for("it had all again", lambda: len(other.outcomes) >= 500)
    other.stop()
    assert {outcome for _, outcome in other.outcomes} == {"already_done"}, other.outcomes[:5]


def figures_are_there(server: Server, published: int) -> None:
    """Metrics, REST and doctor say what was published, and that nothing waits any more."""
    wait_for("the acknowledgements are counted", lambda: server.metric("trunkline_dispatch_published_total") == published)
    wait_for("the gauges follow", lambda: server.metric("trunkline_dispatch_outbox_depth") == 0
             and server.metric("trunkline_dispatch_lag") == 0)
    assert server.metric("trunkline_dispatch_leader") == 8
    assert server.metric("trunkline_dispatch_term") >= 8
    wait_for("the relay says so", lambda: sum(node["published"] for node in server.dispatch()["nodes"]) == published)
    state = server.dispatch()
    assert (state["mode"], state["offers"]["standing"], state["outbox"]["jobs"]) == ("kafka_outbox", 0, 0), state
    assert all("node" in shard and shard["term"] >= 1 for shard in state["shards"]), state["shards"]
    (check,) = [one for one in server.get("/v1/doctor")["checks"] if one["check"] == "dispatch"]
    assert check["status"] == "ok", check


def one_topic_serves_all_types(run: Run) -> None:
    """The other layout of topics: by tiers alone."""
    server = run.server(run.database(), TRUNKLINE_KAFKA__TOPICS="single", TRUNKLINE_KAFKA__TOPIC_PREFIX="one")
    topics = [f"one.jobs.{tier}" for tier in ("high", "normal", "low")]
    ids = server.enqueue("first", 30) + server.enqueue("second", 30, priority="high")
    worker = run.worker(server, "both", topics=topics)
    wait_for("all are completed", lambda: server.completed(ids))
    worker.stop()
    assert sorted(worker.ran()) == sorted(ids), "each ran once"
    assert {offer["job"]["jobType"] for offer in worker.offers} == {"first", "second"}
    try:
        server.post("/v1/jobs/poll", {"workerId": "w", "jobTypes": ["first"]})
        raise AssertionError("a poll is answered")
    except urllib.error.HTTPError as refusal:
        text = refusal.read().decode()
        assert refusal.code == 409 and topics[0] in text, text


def a_duplicate_is_taken(run: Run) -> None:
    server = run.server(run.database())
    (job_id,) = server.enqueue("dup", 1)
    wait_for("it is offered", lambda: "offeredUntil" in server.job(job_id))
    assert server.job(job_id)["status"] == "QUEUED"
    seen = run.worker(server, "dup", name="w1", accepts=False)
    wait_for("its message came", lambda: seen.offers)
    seen.stop()
    job = seen.offers[0]["job"]
    jobs = [{"id": job["id"], "leaseToken": job["leaseToken"]}]
    first = server.post("/v1/jobs/accept", {"workerId": "w1", "jobs": jobs})["results"][0]
    second = server.post("/v1/jobs/accept", {"workerId": "w2", "jobs": jobs})["results"][0]
    again = server.post("/v1/jobs/accept", {"workerId": "w1", "jobs": jobs})["results"][0]
    assert (first["outcome"], second["outcome"], again) == ("ok", "taken", first), (first, second, again)
    assert server.job(job_id)["status"] == "PROCESSING"
    stale = server.post("/v1/jobs/complete", {"jobs": jobs})["results"][0]
    assert stale["outcome"] == "lease_lost", "the token of the message is worth nothing any more"
    done = [{"id": job_id, "leaseToken": first["leaseToken"]}]
    assert server.post("/v1/jobs/complete", {"jobs": done})["results"][0]["outcome"] == "ok"


def enqueue_as_it_dies(server: Server, job_type: str, count: int, **fields: Any) -> None:
    """Enqueues jobs whose relay ends the process: perhaps before the answer is out, and after they are in the database."""
    try:
        server.enqueue(job_type, count, **fields)
    except NO_ANSWER:
        pass


def a_relay_dies(run: Run, points: tuple[str, ...]) -> None:
    """The process ends at a point between the claim and the acknowledgement, and perhaps the next one as it takes over; the last
    one publishes what they left."""
    database = run.database()
    for death, point in enumerate(points):
        dying = run.server(database, FAILPOINTS=point)
        if death == 0:
            enqueue_as_it_dies(dying, "left", 40)
        wait_for("it has died", lambda dying=dying: dying.process.poll() is not None)
    server = run.server(database)
    ids = server.ids_of("left")
    assert len(ids) == 40, ids
    worker = run.worker(server, "left")
    wait_for("all are completed", lambda: server.completed(ids))
    worker.stop()
    assert sorted(worker.ran()) == sorted(ids), "each ran once"
    events: dict[str, set[str]] = {}
    for offer in worker.offers:
        events.setdefault(offer["job"]["id"], set()).add(offer["eventId"])
    assert all(len(of) == 1 for of in events.values()), "published again under the same event id"
    assert all(offer["job"]["attempt"] == 1 for offer in worker.offers)


def a_relay_dies_under_load(run: Run, point: str) -> None:
    """The only process ends at a point while callers enqueue and workers accept; they go on with the next one."""
    database = run.database()
    dying = run.server(database, FAILPOINTS=point)
    load = Load(run, [dying], "dies-" + point.split("=")[0]).prepare()
    workers = load.workers(2)
    load.begin()
    wait_for("it has died", lambda: dying.process.poll() is not None)
    load.servers[:] = [run.server(database)]
    load.enough(80)
    load.end(workers, at_least=80)


def a_relay_dies_as_it_refuses(run: Run, point: str) -> None:
    """The message is too large, and the process ends before or after that is in the database: one dead letter says so."""
    database = run.database()
    sizes = {"TRUNKLINE_HTTP__JSON_SIZE": "4MiB", "TRUNKLINE_HTTP__MAX_SINGLE_BODY": "8MiB"}
    dying = run.server(database, FAILPOINTS=f"{point}=return", **sizes)
    enqueue_as_it_dies(dying, "refused", 1, data="x" * 2_000_000)
    wait_for("it has died", lambda: dying.process.poll() is not None)
    server = run.server(database, **sizes)
    (large,) = server.ids_of("refused")
    dead = wait_for("it is dead", lambda: (job := server.job(large))["status"] == "DEAD_LETTER" and job)
    assert dead["error"]["code"] == "message_too_large", dead["error"]
    assert len(server.get("/v1/dead-letters?jobType=refused")["items"]) == 1


def a_large_message_dies(run: Run) -> None:
    server = run.server(run.database(), TRUNKLINE_HTTP__JSON_SIZE="4MiB", TRUNKLINE_HTTP__MAX_SINGLE_BODY="8MiB")
    (large,) = server.enqueue("large", 1, data="x" * 2_000_000)
    (small,) = server.enqueue("large", 1)
    worker = run.worker(server, "large")
    wait_for("the other is completed", lambda: server.completed([small]))
    dead = wait_for("it is dead", lambda: (job := server.job(large))["status"] == "DEAD_LETTER" and job)
    worker.stop()
    assert dead["error"]["code"] == "message_too_large", dead["error"]
    assert server.metric("trunkline_dispatch_publish_errors_total") >= 1, "it is counted"


def a_type_without_topics_holds_nobody_up(run: Run) -> None:
    """One topic cannot be created for now and another never: their types wait or die, and others of the same server go on."""
    def topics(job_type: str) -> list[str]:
        return [f"trunkline.jobs.{job_type}.{tier}" for tier in ("high", "normal", "low")]

    run.brokers.create_topics(topics("with-topics") + topics("same.name"))
    # One node cannot have three replicas.
    server = run.server(run.database(), TRUNKLINE_KAFKA__REPLICATION_FACTOR="3")
    waits, goes_on = server.enqueue("without-topics", 5), server.enqueue("with-topics", 20)
    # Kafka tells no dot from an underscore.
    (dies,) = server.enqueue("same_name", 1)
    worker = run.worker(server, "with-topics")
    wait_for("the others are completed", lambda: server.completed(goes_on))
    worker.stop()
    dead = wait_for("it is dead", lambda: (job := server.job(dies))["status"] == "DEAD_LETTER" and job)
    assert dead["error"]["code"] == "topic_invalid", dead["error"]
    assert all("offeredUntil" not in server.job(job_id) for job_id in waits), "no offer is made of it"
    wait_for("it says why", lambda: server.get(f"/v1/jobs/{waits[0]}/why")["reason"] == "topic_not_created")

    def is_said() -> bool:
        (check,) = [one for one in server.get("/v1/doctor")["checks"] if one["check"] == "dispatch"]
        return check["status"] == "warn" and "topic_" in check["detail"]

    wait_for("the doctor says so", is_said)
    run.brokers.create_topics(topics("without-topics"))
    worker = run.worker(server, "without-topics")
    wait_for("they are completed", lambda: server.completed(waits))
    worker.stop()
    assert all(server.job(job_id)["retryCount"] == 0 for job_id in waits), "no attempt was lost"


def an_offer_returns(run: Run) -> None:
    server = run.server(run.database(), TRUNKLINE_DISPATCH__OFFER_TIMEOUT="2s")
    (job_id,) = server.enqueue("late", 1)
    returned = re.compile("offer was returned|offers were returned")
    wait_for("it came back", lambda: returned.search(server.get(f"/v1/jobs/{job_id}/why")["detail"]))
    wait_for("it is counted", lambda: server.metric("trunkline_dispatch_returned_total") >= 1)
    worker = run.worker(server, "late")
    wait_for("it is completed", lambda: server.completed([job_id]))
    worker.stop()
    outcomes = [outcome for _, outcome in worker.outcomes]
    assert outcomes.count("ok") == 1, outcomes
    assert all(offer["job"]["attempt"] == 1 for offer in worker.offers), "no attempt was consumed"


def the_mode_is_switched(run: Run) -> None:
    """Both ways, with jobs that are offered at the time; a node of another mode is refused."""
    database = run.database()
    pushes = run.server(database)
    ids = pushes.enqueue("switch", 20)
    wait_for("they are offered", lambda: pushes.offers() == 20)
    wait_for("the gauges say so", lambda: pushes.metric("trunkline_dispatch_offers") == 20
             and pushes.metric("trunkline_dispatch_oldest_offer_seconds") > 0)
    stranger = run.server(database, waits=False, TRUNKLINE_DISPATCH__MODE="polling")
    assert stranger.process.wait(60) != 0
    assert "kafka_outbox" in stranger.log.read_text(), "it says which other mode runs"
    command = [*OWNED, pushes.binary, "dispatch", "drain", "--database-url", database]
    drain = subprocess.Popen(command, env=pushes.environment(), stdout=subprocess.DEVNULL)
    wait_for("it drains", lambda: pushes.dispatch()["draining"])
    more = pushes.enqueue("switch", 5)
    worker = run.worker(pushes, "switch")
    assert drain.wait(DEADLINE) == 0
    worker.stop()
    assert pushes.completed(ids)
    assert all("offeredUntil" not in pushes.job(job_id) for job_id in more), "no offers while it drains"
    pushes.stop()
    polls = run.server(database, TRUNKLINE_DISPATCH__MODE="polling")
    polled = polls.post("/v1/jobs/poll", {"workerId": "w", "jobTypes": ["switch"], "maxJobs": 10})["jobs"]
    assert sorted(job["id"] for job in polled) == sorted(more)
    polls.post("/v1/jobs/complete", {"jobs": [{"id": job["id"], "leaseToken": job["leaseToken"]} for job in polled]})
    last = polls.enqueue("switch", 5)
    polls.stop()
    again = run.server(database)
    worker = run.worker(again, "switch", name="w3")
    wait_for("all are completed", lambda: again.completed(last))
    worker.stop()


def with_point(scenario: Callable[..., None], name: str, point: object) -> Callable[[Run], None]:
    """A scenario at a fail point."""

    def played(run: Run) -> None:
        scenario(run, point)

    played.__name__ = f"{scenario.__name__}({name})"
    return played


#: Each step of a relay: it leases shards, claims, publishes, is acknowledged, and reads what one before it left.
DEATHS = {
    "published": ("offer-published=return",),
    "some-published": ("offer-published=9*off->return",),
    "taking-over": ("offer-claimed=return", "offers-read=return"),
}
DEATHS_UNDER_LOAD = {
    "leased-again": "shards-leased=2*off->return",
    "claimed": "offer-claimed=12*off->return",
    "published": "offer-published=30*off->return",
}


#: Scenarios by the number of nodes that their Kafka has. Those that kill it come while it has few topics to recover.
SCENARIOS: list[tuple[int, list[Callable[[Run], None]]]] = [
    (1, [
        jobs_reach_their_worker,
        *OUTAGES,
        one_topic_serves_all_types,
        a_duplicate_is_taken,
        *(with_point(a_relay_dies, name, points) for name, points in DEATHS.items()),
        *(with_point(a_relay_dies_under_load, name, point) for name, point in DEATHS_UNDER_LOAD.items()),
        *(with_point(a_relay_dies_as_it_refuses, point, point) for point in ("offer-refused-before", "offer-refused-after")),
        a_large_message_dies,
        a_refused_message_holds_nobody_up,
        a_type_without_topics_holds_nobody_up,
        an_offer_returns,
        the_mode_is_switched,
        *SINGLE,
        sdks_share_the_jobs,
        sdks_read_protobuf,
    ]),
    (3, [*CLUSTER, only_the_keys_of_a_partition_wait, a_type_without_leaders_waits_in_the_database]),
]


def show_logs(run: Run) -> None:
    for server in run.servers:
        print(f"--- {server.log}\n{server.log.read_text()[-1500:]}", flush=True)


def play(run: Run, scenarios: list[Callable[[Run], None]]) -> int:
    """How many of them failed."""
    failed = 0
    try:
        run.brokers.start()
        for scenario in scenarios:
            name, began = scenario.__name__, time.monotonic()
            try:
                scenario(run)
                print(f"ok   {name} ({time.monotonic() - began:.1f} s)", flush=True)
            except Exception as fault:  # noqa: BLE001 - the other scenarios still run
                failed += 1
                print(f"FAIL {name}: {fault!r}", flush=True)
                show_logs(run)
            finally:
                run.clean()
    finally:
        run.clean()
        run.brokers.stop()
        if not failed:
            shutil.rmtree(run.directory, ignore_errors=True)
    return failed


def main() -> int:
    end_what_is_started()
    binary, *only = sys.argv[1:]
    failed = 0
    for nodes, scenarios in SCENARIOS:
        chosen = [one for one in scenarios if not only or any(word in one.__name__ for word in only)]
        if chosen:
            began = time.monotonic()
            failed += play(Run(binary, nodes), chosen)
            print(f"     {nodes} node(s) of Kafka, after {time.monotonic() - began:.0f} s", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
