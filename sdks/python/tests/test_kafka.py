"""Jobs from a Kafka in memory: accept, duplicates, commits, rebalances, tiers."""

from __future__ import annotations

import json
import queue
import threading
from pathlib import Path
from typing import Any

import pytest
from kafka_fakes import DEADLINE, AcceptingServer, MemoryKafka

from trunkline import Client, Worker, activity
from trunkline.kafka.envelope import job_of
from trunkline.kafka.offsets import Offsets
from trunkline.kafka.topics import topics_of
from trunkline.transport import transport_from

NORMAL = "trunkline.jobs.add.normal"
# Topics and messages as the server has them: its tests read the same table.
TABLE = json.loads((Path(__file__).parents[2] / "conformance/kafka.json").read_text(encoding="utf-8"))


@activity("add")
def add(a: int, b: int) -> int:
    return a + b


def worker(server: AcceptingServer, kafka: MemoryKafka, *activities: Any, **options: Any) -> Worker:
    return Worker(Client(transport=server.over(kafka)), activities or [add], drain_timeout="200ms", **options)


@pytest.mark.parametrize("row", TABLE["topics"], ids=lambda row: row["jobType"][:20])
def test_topics_are_those_of_the_server(row: dict[str, Any]) -> None:
    assert list(topics_of(row["prefix"], row["jobType"], row["layout"])) == row["topics"]


def test_only_what_is_over_is_committed() -> None:
    offsets, place = Offsets(), ("t", 0)
    for offset in range(5, 9):
        offsets.received(place, offset)
    assert offsets.to_commit() == {place: 5}
    offsets.over(place, 6)
    assert offsets.to_commit() == {place: 5}, "the fifth runs"
    offsets.over(place, 5)
    assert offsets.to_commit() == {place: 7}
    offsets.committed({place: 7})
    assert offsets.to_commit() == {}
    offsets.over(place, 7)
    offsets.over(place, 8)
    assert offsets.to_commit() == {place: 9}
    offsets.forget([place])
    offsets.over(place, 8)
    assert offsets.to_commit() == {}
    assert not offsets.has(place, 8)


@pytest.mark.parametrize("offer", TABLE["offers"], ids=lambda offer: offer["about"])
def test_messages_of_the_relay_are_read_in_both_forms(offer: dict[str, Any]) -> None:
    for message in (offer["json"].encode(), bytes.fromhex(offer["protobuf"])):
        assert job_of(message) == offer["job"]
        for cut in range(len(message)):
            with pytest.raises((ValueError, KeyError, TypeError)):
                job_of(message[:cut])


def test_a_message_in_protobuf_is_a_job() -> None:
    server, kafka = AcceptingServer(), MemoryKafka()
    kafka.publish(NORMAL, bytes.fromhex(TABLE["offers"][-1]["protobuf"]))
    with worker(server, kafka):
        server.wait_for_done(1)


def test_jobs_are_accepted_run_and_committed() -> None:
    server, kafka = AcceptingServer(), MemoryKafka()
    for number in range(60):
        kafka.offer(number)
    with worker(server, kafka):
        server.wait_for_done(60)
        kafka.wait_for(lambda: kafka.offset(NORMAL) == 60)
    accepts = [call for call in server.calls if call.operation == "accept_jobs"]
    assert len(accepts) < 60, "many with one call"
    assert set(server.done.values()) == {"complete_jobs"}


def test_what_another_worker_has_is_dropped() -> None:
    server, kafka = AcceptingServer(), MemoryKafka()
    server.holders |= {"job_0": "another", "job_2": "another"}
    for number in range(4):
        kafka.offer(number)
    with worker(server, kafka):
        kafka.wait_for(lambda: kafka.offset(NORMAL) == 4)
    assert set(server.done) == {"job_1", "job_3"}


def test_a_lost_answer_of_accept_is_asked_for_again() -> None:
    server, kafka = AcceptingServer(), MemoryKafka()
    server.lost = 1
    for number in range(3):
        kafka.offer(number)
    with worker(server, kafka):
        server.wait_for_done(3)
        kafka.wait_for(lambda: kafka.offset(NORMAL) == 3)


def test_a_job_that_runs_keeps_its_message_from_being_committed() -> None:
    begun, let_go = threading.Event(), threading.Event()

    @activity("add")
    def slow(a: int, b: int) -> None:
        if a == 1:
            begun.set()
            assert let_go.wait(DEADLINE)

    server, kafka = AcceptingServer(), MemoryKafka()
    for number in range(5):
        kafka.offer(number)
    with worker(server, kafka, slow):
        assert begun.wait(DEADLINE)
        server.wait_for_done(4)
        kafka.wait_for(lambda: kafka.offset(NORMAL) == 1)
        let_go.set()
        kafka.wait_for(lambda: kafka.offset(NORMAL) == 5)


def test_a_rebalance_costs_no_attempt_and_runs_nothing_twice() -> None:
    let_go = threading.Event()

    @activity("add")
    def held(a: int, b: int) -> None:
        assert let_go.wait(DEADLINE)

    server, kafka = AcceptingServer(), MemoryKafka()
    for number in range(20):
        kafka.offer(number)
    with worker(server, kafka, held, concurrency=2, worker_id="first"):
        with server.condition:
            assert server.condition.wait_for(lambda: len(server.holders) == 2, DEADLINE)
        with worker(server, kafka, held, concurrency=2, worker_id="second"):
            # The newcomer has the partitions: it is answered `taken` for what the first one has, and goes on with the rest.
            with server.condition:
                assert server.condition.wait_for(lambda: "second" in server.holders.values(), DEADLINE)
            let_go.set()
            server.wait_for_done(20)
            kafka.wait_for(lambda: kafka.offset(NORMAL) == 20)
    assert sum(holder == "first" for holder in server.holders.values()) == 2
    assert set(server.done.values()) == {"complete_jobs"}


def test_a_worker_that_had_enough_reads_on_after_a_rebalance() -> None:
    """Its partitions come back as they went, which is paused."""
    let_go = threading.Event()

    @activity("add")
    def held(a: int, b: int) -> None:
        assert let_go.wait(DEADLINE)

    server, kafka = AcceptingServer(), MemoryKafka()
    for number in range(40):
        kafka.offer(number)
    with worker(server, kafka, held, concurrency=2):
        kafka.wait_for(lambda: "trunkline.add" in kafka.owners and NORMAL in kafka.owners["trunkline.add"].paused)
        with server.condition:
            assert server.condition.wait_for(lambda: len(server.holders) == 2, DEADLINE)
        kafka.rebalance()
        let_go.set()
        server.wait_for_done(40)
        kafka.wait_for(lambda: kafka.offset(NORMAL) == 40)


def test_a_message_that_comes_again_does_not_run_its_job_twice() -> None:
    """As after a rebalance that gives a worker its partitions again, or where a relay publishes again."""
    begun: queue.SimpleQueue[int] = queue.SimpleQueue()
    let_go = threading.Event()

    @activity("add")
    def held(a: int, b: int) -> None:
        begun.put(a)
        assert a != 1 or let_go.wait(DEADLINE)

    server, kafka = AcceptingServer(), MemoryKafka()
    with worker(server, kafka, held):
        kafka.offer(1)
        assert begun.get(timeout=DEADLINE) == 1
        kafka.offer(1)
        kafka.offer(2)
        assert begun.get(timeout=DEADLINE) == 2
        server.wait_for_done(1)
        assert kafka.offset(NORMAL) == 0, "a message of what runs is not committed"
        let_go.set()
        kafka.wait_for(lambda: kafka.offset(NORMAL) == 3)
    assert begun.empty()


def test_higher_tiers_are_read_first() -> None:
    order: list[int] = []

    @activity("add")
    def record(a: int, b: int) -> None:
        order.append(a)

    server, kafka = AcceptingServer(), MemoryKafka()
    for number in range(30):
        kafka.offer(number, tier=("low", "normal", "high")[number // 10])
    with worker(server, kafka, record, concurrency=1):
        server.wait_for_done(30)
    assert [number // 10 for number in order[:10]] == [2] * 10
    assert [number // 10 for number in order[-10:]] == [0] * 10


def test_what_is_no_offer_is_dropped() -> None:
    server, kafka = AcceptingServer(), MemoryKafka()
    for value in (b"\x08\x01", b"{}", b'{"job": {"id": 1}}', b"[1]"):
        kafka.publish(NORMAL, value)
    kafka.offer(1)
    with worker(server, kafka):
        kafka.wait_for(lambda: kafka.offset(NORMAL) == 5)
    assert set(server.done) == {"job_1"}


def test_a_kafka_that_is_away_shows_in_the_health() -> None:
    server, kafka = AcceptingServer(), MemoryKafka()
    kafka.failure = "all brokers are down"
    pause = threading.Event()
    with worker(server, kafka) as running:
        for _ in range(400):
            if running.metrics.get("trunkline_worker_poll_failures_total"):
                break
            pause.wait(0.05)
        assert running.health()[1]["status"] == "unavailable"
        kafka.failure = None
        kafka.offer(1)
        server.wait_for_done(1)


def test_settings_are_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRUNKLINE_TRANSPORT", "kafka")
    monkeypatch.delenv("TRUNKLINE_KAFKA_BROKERS", raising=False)
    with pytest.raises(ValueError, match="TRUNKLINE_KAFKA_BROKERS"):
        transport_from()
