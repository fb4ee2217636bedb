"""What is needed of a consumer of Kafka, and the one over confluent-kafka."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol

from trunkline.kafka.offsets import Partition


@dataclass(frozen=True)
class Record:
    """A message."""

    partition: Partition
    offset: int
    value: bytes
    #: The header `tl-job-type`.
    job_type: str | None = None


class Consumer(Protocol):
    """A consumer of a group. All but `failed` is called from one thread."""

    def subscribe(
        self, topics: list[str], assigned: Callable[[], None], revoked: Callable[[list[Partition], bool], None]
    ) -> None:
        """Joins the group. `revoked` is called before partitions are reassigned, with `False` afterwards.

        Partitions that come may be paused or not.
        """

    def poll(self, seconds: float, records_max: int) -> list[Record]:
        """Returns the records that arrive within the time, and calls the callbacks of `subscribe`."""

    def pause(self, topics: Iterable[str], is_paused: bool) -> None:
        """Pauses or resumes reading the assigned partitions of these topics."""

    def commit(self, offsets: dict[Partition, int]) -> bool:
        """Commits offsets and returns `False` on failure, which may be repeated or left to the next owner."""

    def failed(self) -> str | None:
        """Why no broker can be reached, if so."""

    def close(self) -> None:
        """Leaves the group."""


#: Makes a consumer of a group.
ConsumerFactory = Callable[[str], Consumer]


def confluent(brokers: str, properties: dict[str, Any]) -> ConsumerFactory:
    """Consumers over confluent-kafka, with these properties of librdkafka."""
    try:
        import confluent_kafka  # noqa: F401
    except ImportError as error:
        raise ImportError("Kafka needs another package: pip install 'trunkline[kafka]'") from error
    # Partitions are spread by `range` in all SDKs, so that a group may have members in several languages.
    basis = {
        "bootstrap.servers": brokers,
        "auto.offset.reset": "earliest",
        "partition.assignment.strategy": "range",
        "topic.metadata.refresh.interval.ms": 3000,
        "reconnect.backoff.max.ms": 1000,
        "client.id": "trunkline-python",
    }
    fixed = {"enable.auto.commit": False, "enable.auto.offset.store": False, "allow.auto.create.topics": False}
    return lambda group: ConfluentConsumer({**basis, **properties, **fixed, "group.id": group})


class ConfluentConsumer:
    """A consumer over confluent-kafka."""

    def __init__(self, config: dict[str, Any]) -> None:
        import confluent_kafka

        self._library = confluent_kafka
        self._reason: str | None = None
        self._consumer = confluent_kafka.Consumer({**config, "error_cb": self._on_error})
        self._topics: list[str] = []

    def subscribe(
        self, topics: list[str], assigned: Callable[[], None], revoked: Callable[[list[Partition], bool], None]
    ) -> None:
        """Joins the group."""
        self._topics = topics

        def names(partitions: list[Any]) -> list[Partition]:
            return [(one.topic, one.partition) for one in partitions]

        self._consumer.subscribe(
            topics,
            on_assign=lambda _consumer, _partitions: assigned(),
            on_revoke=lambda _consumer, partitions: revoked(names(partitions), True),
            on_lost=lambda _consumer, partitions: revoked(names(partitions), False),
        )

    def poll(self, seconds: float, records_max: int) -> list[Record]:
        """The first message as soon as it is there, and what has come with it."""
        first = self._consumer.poll(seconds)
        messages = [] if first is None else [first]
        if messages and records_max > 1:
            messages += self._consumer.consume(records_max - 1, 0)
        # Errors of one partition or topic pass, or topics come to be: whatever lasts is what `failed` says.
        return [self._record(message) for message in messages if message.error() is None]

    def _record(self, message: Any) -> Record:
        self._reason = None
        headers = dict(message.headers() or ())
        job_type = headers.get("tl-job-type")
        partition = (message.topic(), message.partition())
        return Record(partition, message.offset(), message.value() or b"", job_type.decode() if job_type else None)

    def pause(self, topics: Iterable[str], is_paused: bool) -> None:
        """Stops or goes on reading."""
        wanted = set(topics)
        change = self._consumer.pause if is_paused else self._consumer.resume
        with contextlib.suppress(self._library.KafkaException):
            change([one for one in self._consumer.assignment() if one.topic in wanted])

    def commit(self, offsets: dict[Partition, int]) -> bool:
        """Commits, and waits for the broker."""
        partitions = [self._library.TopicPartition(topic, number, at) for (topic, number), at in offsets.items()]
        try:
            self._consumer.commit(offsets=partitions, asynchronous=False)
        except self._library.KafkaException:
            return False
        return True

    def failed(self) -> str | None:
        """Why no broker can be reached, if so. Asks once more before it says so."""
        if self._reason is not None:
            with contextlib.suppress(self._library.KafkaException):
                self._consumer.list_topics(self._topics[0], timeout=1.0)
                self._reason = None
        return self._reason

    def close(self) -> None:
        """Leaves the group."""
        self._consumer.close()

    def _on_error(self, error: Any) -> None:
        lasting = (self._library.KafkaError._ALL_BROKERS_DOWN, self._library.KafkaError._AUTHENTICATION)
        if error.code() in lasting:
            self._reason = error.str()
