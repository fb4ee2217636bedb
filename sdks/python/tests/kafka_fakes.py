"""A Kafka in memory, and a server that accepts what is published to it."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta, timezone
from typing import Any

from trunkline import Answer, Call, ConnectionFailed
from trunkline.kafka import KafkaTransport, Record
from trunkline.kafka.offsets import Partition
from trunkline.kafka.topics import topics_of

DEADLINE = 20.0


class MemoryKafka:
    """Topics with one partition each. Of a group the last consumer that subscribed has all of them."""

    def __init__(self) -> None:
        self.condition = threading.Condition()
        self.logs: dict[str, list[bytes]] = {}
        self.committed: dict[tuple[str, Partition], int] = {}
        self.owners: dict[str, MemoryConsumer] = {}
        self.failure: str | None = None

    def publish(self, topic: str, value: bytes) -> None:
        with self.condition:
            self.logs.setdefault(topic, []).append(value)
            self.condition.notify_all()

    def offer(self, number: int, job_type: str = "add", tier: str = "normal", data: Any = None) -> None:
        """Publishes an offer as the relay does."""
        topic = next(name for name in topics_of("trunkline", job_type) if name.endswith("." + tier))
        job = {"id": f"job_{number}", "jobType": job_type, "tenant": "default", "priority": tier, "attempt": 1}
        job |= {"maxRetries": 3, "leaseToken": f"offer-{number}", "data": data or {"a": number, "b": 1}}
        value = {"v": 1, "eventId": f"event-{number}", "offeredUntil": "2100-01-01T00:00:00Z", "job": job}
        self.publish(topic, json.dumps(value).encode())

    def consumer(self, group: str) -> MemoryConsumer:
        return MemoryConsumer(self, group)

    def rebalance(self, group: str = "trunkline.add") -> None:
        """The owner loses its partitions and gets them back."""
        with self.condition:
            owner = self.owners[group]
            owner.to_revoke = list(owner.positions)
            assert self.condition.wait_for(lambda: not owner.to_revoke, DEADLINE)

    def wait_for(self, condition: Callable[[], bool]) -> None:
        with self.condition:
            assert self.condition.wait_for(condition, DEADLINE)

    def offset(self, topic: str, group: str = "trunkline.add") -> int:
        return self.committed.get((group, (topic, 0)), 0)


class MemoryConsumer:
    def __init__(self, kafka: MemoryKafka, group: str) -> None:
        self.kafka, self.group = kafka, group
        self.positions: dict[Partition, int] = {}
        self.paused: set[str] = set()
        self.topics: list[str] = []
        self.to_revoke: list[Partition] = []
        self.before: MemoryConsumer | None = None

    def subscribe(
        self, topics: list[str], assigned: Callable[[], None], revoked: Callable[[list[Partition], bool], None]
    ) -> None:
        self.topics, self.assigned, self.revoked = topics, assigned, revoked
        with self.kafka.condition:
            if previous := self.kafka.owners.get(self.group):
                previous.to_revoke = list(previous.positions)
                self.before = previous
            self.kafka.owners[self.group] = self

    def poll(self, seconds: float, records_max: int) -> list[Record]:
        if self.to_revoke:
            self.revoked(self.to_revoke, True)
            with self.kafka.condition:
                self.positions, self.to_revoke = {}, []
                self.kafka.condition.notify_all()
        with self.kafka.condition:
            is_owner = self.kafka.owners.get(self.group) is self
            # Once the owner before has given them up.
            if is_owner and not self.positions and not (self.before and self.before.positions):
                places = [(topic, 0) for topic in self.topics]
                self.positions = {place: self.kafka.committed.get((self.group, place), 0) for place in places}
                self.assigned()
            found = self._next(records_max)
            if not found:
                self.kafka.condition.wait(min(seconds, 0.01))
                found = self._next(records_max)
            return found

    def _next(self, records_max: int) -> list[Record]:
        found: list[Record] = []
        if self.kafka.owners.get(self.group) is not self:
            return found
        for place, position in self.positions.items():
            values = self.kafka.logs.get(place[0], [])[position : position + records_max - len(found)]
            if place[0] not in self.paused:
                found += [Record(place, position + index, value) for index, value in enumerate(values)]
                self.positions[place] = position + len(values)
        return found

    def pause(self, topics: Iterable[str], is_paused: bool) -> None:
        with self.kafka.condition:
            # As librdkafka does: of partitions that are assigned, and they stay so when they go and come back.
            if self.positions:
                self.paused = self.paused | set(topics) if is_paused else self.paused - set(topics)
            self.kafka.condition.notify_all()

    def commit(self, offsets: dict[Partition, int]) -> bool:
        with self.kafka.condition:
            for place, offset in offsets.items():
                self.kafka.committed[(self.group, place)] = offset
            self.kafka.condition.notify_all()
        return True

    def failed(self) -> str | None:
        return self.kafka.failure

    def close(self) -> None:
        with self.kafka.condition:
            self.positions = {}
            if self.kafka.owners.get(self.group) is self:
                del self.kafka.owners[self.group]


class AcceptingServer:
    """Answers as the server does: the first worker that accepts an offer has it."""

    def __init__(self) -> None:
        self.condition = threading.Condition()
        self.holders: dict[str, str] = {}
        self.done: dict[str, str] = {}
        self.calls: list[Call] = []
        #: So many calls of `accept` go unanswered, after the server has done what they ask.
        self.lost = 0

    def invoke(self, call: Call) -> Answer:
        until = (datetime.now(timezone.utc) + timedelta(seconds=30)).isoformat()
        with self.condition:
            self.calls.append(call)
            if call.operation == "accept_jobs":
                results = [self._accept(job, call.body["workerId"], until) for job in call.body["jobs"]]
                if self.lost > 0:
                    self.lost -= 1
                    raise ConnectionFailed("the answer was lost")
            else:
                assert call.operation != "poll_jobs", "the server is not asked for jobs"
                assert "poll" not in call.body, "nor with a report"
                results = [self._report(call.operation, job, until) for job in call.body["jobs"]]
            self.condition.notify_all()
            return Answer(200, {"results": results})

    def _accept(self, job: dict[str, Any], worker: str, until: str) -> dict[str, Any]:
        holder = self.holders.setdefault(job["id"], worker)
        if job["id"] in self.done:
            return {"id": job["id"], "outcome": "already_done"}
        if holder != worker:
            return {"id": job["id"], "outcome": "taken"}
        token = f"{job['leaseToken']}-{worker}"
        return {"id": job["id"], "outcome": "ok", "leaseToken": token, "leaseExpiresAt": until}

    def _report(self, operation: str, job: dict[str, Any], until: str) -> dict[str, Any]:
        if operation != "heartbeat_jobs":
            assert job["id"] not in self.done, "nothing is settled twice"
            self.done[job["id"]] = operation
        return {"id": job["id"], "outcome": "ok", "leaseExpiresAt": until}

    def wait_for_done(self, number: int) -> None:
        with self.condition:
            assert self.condition.wait_for(lambda: len(self.done) >= number, DEADLINE), self.done

    def close(self) -> None:
        pass

    def stream(self, call: Call) -> Any:
        raise AssertionError(call.operation)

    def over(self, kafka: MemoryKafka) -> KafkaTransport:
        """The transport over both."""
        return KafkaTransport(rest=self, consumers=kafka.consumer)
