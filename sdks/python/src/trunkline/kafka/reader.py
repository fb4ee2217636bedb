"""Reads the topics of one job type: fills buffers, pauses what is not wanted, and commits what is over."""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from trunkline.kafka.consumer import Consumer, Record
from trunkline.kafka.envelope import job_of
from trunkline.kafka.offsets import Offsets, Partition

_LOG = logging.getLogger("trunkline.worker")
_POLL_SECONDS = 0.1
#: While nothing is to be read, polls only keep the consumer in its group.
_PAUSED_SECONDS = 0.02
_COMMIT_EVERY = 0.5
_FAILED_PAUSE = 1.0


@dataclass
class Offer:
    """An offer that was received."""

    reader: Reader
    partition: Partition
    offset: int
    #: 0 is the highest.
    tier: int
    job: dict[str, Any]

    @property
    def lease(self) -> dict[str, str]:
        """The job and the token of the offer, as `accept` takes them."""
        return {"id": self.job["id"], "leaseToken": self.job["leaseToken"]}


class Reader:
    """The consumer of one job type. What it reads is in `buffers`, by tier; all of it is guarded by `condition`."""

    def __init__(
        self, job_type: str, topics: tuple[str, ...], consumer: Consumer, condition: threading.Condition, room: int
    ) -> None:
        self.job_type, self._topics, self._consumer = job_type, topics, consumer
        self._condition, self.room = condition, room
        self.buffers: tuple[deque[Offer], ...] = tuple(deque() for _ in topics)
        self.failure: str | None = None
        self._offsets = Offsets()
        #: Whether each tier is paused, as last asked of the consumer; nothing where partitions may be paused or not.
        self._paused: dict[int, bool] = {}
        self._committed_at = 0.0
        self._is_closed = False
        self._thread = threading.Thread(target=self._run, daemon=True, name=f"trunkline-kafka-{job_type}")

    def start(self) -> None:
        """Joins the group."""
        self._thread.start()

    def close(self, seconds: float) -> None:
        """Leaves the group after what is over is committed. What was not begun is its next owner's."""
        with self._condition:
            self._is_closed = True
        self._thread.join(seconds)

    def over(self, offer: Offer) -> None:
        """The job is settled, given back, or another's. Called under the lock."""
        self._offsets.over(offer.partition, offer.offset)

    def put_back(self, offer: Offer) -> None:
        """It could not be accepted now. One whose partition was taken away is its next owner's. Under the lock."""
        if self._offsets.has(offer.partition, offer.offset):
            self.buffers[offer.tier].appendleft(offer)

    def _run(self) -> None:
        failures = 0
        try:
            self._consumer.subscribe(list(self._topics), self._assigned, self._revoked)
            while not self._is_closed:
                try:
                    self._turn()
                    failures = 0
                except Exception:  # whatever a broker or a message brings, the reader goes on
                    failures += 1
                    if failures in (1, 10) or failures % 100 == 0:
                        _LOG.exception("reading the jobs of %s failed", self.job_type)
                    time.sleep(_FAILED_PAUSE)
            self._commit()
        finally:
            self._consumer.close()

    def _turn(self) -> None:
        wanted = self._adjust()
        records = self._consumer.poll(_POLL_SECONDS if wanted else _PAUSED_SECONDS, max(1, wanted))
        failure = self._consumer.failed()
        with self._condition:
            for record in records:
                self._receive(record)
            if records or failure != self.failure:
                self.failure = failure
                self._condition.notify_all()
        if time.monotonic() - self._committed_at >= _COMMIT_EVERY:
            self._commit()

    def _adjust(self) -> int:
        """Pauses the lower tiers while a higher one has messages, and all while the buffers are full.

        Answers how many messages are wanted.
        """
        with self._condition:
            counts = [len(buffer) for buffer in self.buffers]
        total = sum(counts)
        # Below half of the room it reads on, so that it does not pause and resume with each message.
        is_full = total >= self.room or (self._paused.get(0, False) and total > self.room // 2)
        highest = next((tier for tier, count in enumerate(counts) if count), len(counts))
        paused = {tier: is_full or tier > highest for tier in range(len(counts))}
        for is_paused in (True, False):
            tiers = [tier for tier in paused if paused[tier] is is_paused and self._paused.get(tier) is not is_paused]
            if tiers:
                self._consumer.pause([self._topics[tier] for tier in tiers], is_paused)
        self._paused = paused
        return 0 if is_full else self.room - total

    def _receive(self, record: Record) -> None:
        self._offsets.received(record.partition, record.offset)
        job = self._job_of(record)
        if job is None:
            self._offsets.over(record.partition, record.offset)
            return
        tier = self._topics.index(record.partition[0])
        self.buffers[tier].append(Offer(self, record.partition, record.offset, tier, job))

    def _job_of(self, record: Record) -> dict[str, Any] | None:
        """The job of a message; None where it is another type's, or no offer at all."""
        if record.job_type is not None and record.job_type != self.job_type:
            return None
        try:
            job = job_of(record.value)
            if isinstance(job["id"], str) and isinstance(job["leaseToken"], str) and job["jobType"] == self.job_type:
                return job
        except (ValueError, KeyError, TypeError):
            # If it was one, it returns after a while.
            _LOG.error("a message in %s is no offer", record.partition[0])
        return None

    def _assigned(self) -> None:
        # librdkafka gives a partition back paused if it was paused when it went.
        self._paused = {}

    def _revoked(self, partitions: list[Partition], is_owner: bool) -> None:
        """What is buffered of them was not begun: the next owner reads it again, and no attempt is lost."""
        if is_owner:
            self._commit()
        gone = set(partitions)
        with self._condition:
            self._offsets.forget(gone)
            for buffer in self.buffers:
                kept = [offer for offer in buffer if offer.partition not in gone]
                buffer.clear()
                buffer.extend(kept)

    def _commit(self) -> None:
        self._committed_at = time.monotonic()
        with self._condition:
            offsets = self._offsets.to_commit()
        if offsets and self._consumer.commit(offsets):
            with self._condition:
                self._offsets.committed(offsets)


def take(readers: list[Reader], count: int) -> list[Offer]:
    """So many offers of all readers, those of higher tiers first, and of a tier one of each reader in turn."""
    taken: list[Offer] = []
    for tier in range(max((len(reader.buffers) for reader in readers), default=0)):
        waiting = [reader.buffers[tier] for reader in readers if reader.buffers[tier]]
        while waiting and len(taken) < count:
            for buffer in waiting[: count - len(taken)]:
                taken.append(buffer.popleft())
            waiting = [buffer for buffer in waiting if buffer]
    return taken


#: Makes the reader of a job type.
ReaderFactory = Callable[[str, threading.Condition, int], Reader]
