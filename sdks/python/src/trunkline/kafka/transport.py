"""The transport over Kafka: jobs come from there, and every call goes over REST."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Mapping
from typing import Any

from trunkline._duration import seconds
from trunkline.kafka.consumer import ConsumerFactory, confluent
from trunkline.kafka.delivery import Delivery
from trunkline.kafka.reader import Reader
from trunkline.kafka.topics import topics_of
from trunkline.rest import RestTransport
from trunkline.transport import URL_DEFAULT, Answer, Call, Transport

_REPORTS = ("complete_jobs", "fail_jobs", "release_jobs", "heartbeat_jobs")


class KafkaTransport:
    """Receives jobs that the server publishes (`dispatch.mode = "kafka_outbox"`); reports and all other calls use REST.

    `brokers` defaults to TRUNKLINE_KAFKA_BROKERS, `properties` are properties of librdkafka (`security.protocol`).
    `topic_prefix` and `topics` ("per_type" or "single") must match the server's. The consumer group of a job type is
    `<group>.<job type>`.
    """

    def __init__(
        self,
        url: str | None = None,
        api_key: str | None = None,
        *,
        brokers: str | None = None,
        topic_prefix: str = "trunkline",
        topics: str = "per_type",
        group: str = "trunkline",
        properties: Mapping[str, Any] | None = None,
        rest: Transport | None = None,
        consumers: ConsumerFactory | None = None,
    ) -> None:
        if topics not in ("per_type", "single"):
            raise ValueError(f"topics={topics}: it is `per_type` or `single`, as the server's kafka.topics")
        self._rest = rest or RestTransport(
            url or os.environ.get("TRUNKLINE_URL") or URL_DEFAULT, api_key or os.environ.get("TRUNKLINE_API_KEY")
        )
        self._prefix, self._layout, self._group = topic_prefix, topics, group
        if consumers is None:
            brokers = brokers or os.environ.get("TRUNKLINE_KAFKA_BROKERS")
            if not brokers:
                raise ValueError("TRUNKLINE_KAFKA_BROKERS is not set: the brokers, as host:port,host:port")
            consumers = confluent(brokers, dict(properties or {}))
        self._consumers = consumers
        self._lock = threading.Lock()
        self._deliveries: dict[str, Delivery] = {}

    def invoke(self, call: Call) -> Answer:
        """Makes a call; polls return jobs from Kafka."""
        if call.operation == "poll_jobs":
            return self._poll(call)
        if call.operation not in _REPORTS:
            return self._rest.invoke(call)
        # The server answers no polls in this mode, those with reports neither.
        call.body = {name: value for name, value in call.body.items() if name != "poll"}
        answer = self._rest.invoke(call)
        with self._lock:
            deliveries = list(self._deliveries.values())
        renews = call.operation == "heartbeat_jobs"
        for delivery in deliveries:
            delivery.report(call.body["jobs"], answer.body["results"], answer.clock_ahead, renews)
        return answer

    def stream(self, call: Call) -> Iterator[dict[str, Any]]:
        """The messages of an operation that streams."""
        return self._rest.stream(call)

    def end_delivery(self, worker_id: str) -> None:
        """A worker takes no more jobs: it leaves its groups. It still sends reports."""
        with self._lock:
            delivery = self._deliveries.pop(worker_id, None)
        if delivery is not None:
            delivery.end()

    def close(self) -> None:
        """Leaves all groups, and closes all connections."""
        for worker_id in list(self._deliveries):
            self.end_delivery(worker_id)
        self._rest.close()

    def _poll(self, call: Call) -> Answer:
        body = call.body
        jobs_max = int(body.get("maxJobs") or 1)
        wait = seconds(body["wait"]) if body.get("wait") else 0.0
        delivery = self._delivery(body["workerId"], list(body["jobTypes"]), jobs_max)
        jobs, clock_ahead = delivery.poll(jobs_max, wait, call.interrupt)
        return Answer(200, {"jobs": jobs}, clock_ahead)

    def _delivery(self, worker_id: str, job_types: list[str], jobs_max: int) -> Delivery:
        with self._lock:
            known = self._deliveries.get(worker_id)
            if known is None:
                known = Delivery(self._rest, worker_id, job_types, self._reader, jobs_max)
                self._deliveries[worker_id] = known
            return known

    def _reader(self, job_type: str, condition: threading.Condition, room: int) -> Reader:
        topics = topics_of(self._prefix, job_type, self._layout)
        return Reader(job_type, topics, self._consumers(f"{self._group}.{job_type}"), condition, room)
