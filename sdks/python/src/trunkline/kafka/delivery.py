"""The jobs of one worker: offers are accepted when slots are free, and their messages are over with their jobs."""

from __future__ import annotations

import logging
import threading
import time
from dataclasses import dataclass
from typing import Any

from trunkline.context import monotonic_of, parse_instant
from trunkline.errors import ConnectionFailed
from trunkline.kafka.reader import Offer, ReaderFactory, take
from trunkline.transport import Call, Interrupt, Transport

_LOG = logging.getLogger("trunkline.worker")
#: A reader buffers at most so many times what its worker asked for, and at least so many messages.
_ROOM_FACTOR, _ROOM_MIN = 2, 16
_ACCEPT_TIMEOUT = 15.0
_ACCEPT_MAX = 500
#: How much longer than its lease nothing may be heard of a job before its message is over all the same.
_GRACE = 60.0
_CLOSE_SECONDS = 10.0


@dataclass
class Held:
    """A job that this worker has or had."""

    #: Its message, and those that came again.
    offers: list[Offer]
    #: Monotonic: its lease has surely ended by then, unless a heartbeat renews it.
    until: float


class Delivery:
    """What one worker reads."""

    def __init__(
        self, rest: Transport, worker_id: str, job_types: list[str], reader: ReaderFactory, jobs_max: int
    ) -> None:
        self._rest, self._worker_id = rest, worker_id
        self._condition = threading.Condition()
        room = max(_ROOM_MIN, _ROOM_FACTOR * jobs_max)
        self._readers = [reader(job_type, self._condition, room) for job_type in job_types]
        self._held: dict[str, Held] = {}
        #: Tokens of jobs that ended since offers were last accepted.
        self._over: set[str] = set()
        self._is_ended = False
        for one in self._readers:
            one.start()

    def poll(self, jobs_max: int, wait: float, interrupt: Interrupt | None) -> tuple[list[dict[str, Any]], float]:
        """Jobs that this worker has the leases of, within the wait, and by how much the server's clock is ahead."""
        deadline = time.monotonic() + wait
        key = interrupt.add(self._wake) if interrupt else 0
        try:
            while True:
                offers = self._wait_for_offers(min(jobs_max, _ACCEPT_MAX), deadline, interrupt)
                if not offers:
                    return [], 0.0
                jobs, clock_ahead = self._accept(offers)
                if jobs:
                    return jobs, clock_ahead
        finally:
            if interrupt:
                interrupt.remove(key)

    def report(
        self, jobs: list[dict[str, Any]], results: list[dict[str, Any]], clock_ahead: float, renews: bool
    ) -> None:
        """What the server said of jobs: those that are not this worker's any more are over."""
        with self._condition:
            for job, result in zip(jobs, results, strict=True):
                held = self._held.get(job["leaseToken"])
                if held is None or result["outcome"] == "rejected":
                    continue
                if renews and result["outcome"] == "ok":
                    if until := result.get("leaseExpiresAt"):
                        held.until = monotonic_of(parse_instant(until), clock_ahead) + _GRACE
                    continue
                self._end(job["leaseToken"])

    def end(self) -> None:
        """Takes no more jobs. What still runs is not committed: whoever reads its message next is answered `taken`."""
        with self._condition:
            self._is_ended = True
            self._condition.notify_all()
        deadline = time.monotonic() + _CLOSE_SECONDS
        for reader in self._readers:
            reader.close(max(0.1, deadline - time.monotonic()))

    def _wake(self) -> None:
        with self._condition:
            self._condition.notify_all()

    def _wait_for_offers(self, count: int, deadline: float, interrupt: Interrupt | None) -> list[Offer]:
        with self._condition:
            self._sweep()
            while not self._is_ended and not (interrupt and interrupt.is_set):
                if offers := take(self._readers, count):
                    return offers
                if failure := next((one.failure for one in self._readers if one.failure), None):
                    raise ConnectionFailed(f"Kafka is not reached: {failure}")
                left = deadline - time.monotonic()
                if left <= 0:
                    return []
                self._condition.wait(left)
        raise ConnectionFailed("the worker takes no more jobs")

    def _accept(self, offers: list[Offer]) -> tuple[list[dict[str, Any]], float]:
        with self._condition:
            self._over.clear()
        body = {"workerId": self._worker_id, "jobs": [offer.lease for offer in offers]}
        try:
            answer = self._rest.invoke(Call("accept_jobs", body=body, timeout=_ACCEPT_TIMEOUT))
        except Exception:
            self._put_back(offers)
            raise
        jobs = []
        with self._condition:
            for offer, result in zip(offers, answer.body["results"], strict=True):
                if result["outcome"] != "ok":
                    # A duplicate, or an offer that the store has withdrawn: it does not run.
                    _LOG.debug("the offer of %s is %s", offer.job["id"], result["outcome"])
                    offer.reader.over(offer)
                    continue
                job = {name: value for name, value in offer.job.items() if name != "deadline"}
                job |= {name: result[name] for name in ("leaseToken", "leaseExpiresAt")}
                job["progress"] = result.get("progress")
                if job["leaseToken"] in self._over:
                    # Its job ended here while this was asked.
                    offer.reader.over(offer)
                    continue
                until = monotonic_of(parse_instant(job["leaseExpiresAt"]), answer.clock_ahead) + _GRACE
                if (held := self._held.get(job["leaseToken"])) is not None:
                    # What runs here came again, as after a rebalance: the server answers the same, and it does not run
                    # twice.
                    held.offers.append(offer)
                    held.until = until
                    continue
                self._held[job["leaseToken"]] = Held([offer], until)
                jobs.append(job)
        return jobs, answer.clock_ahead

    def _put_back(self, offers: list[Offer]) -> None:
        """The server did not answer: they are asked about again, in their order. `accept` may be repeated."""
        with self._condition:
            for offer in reversed(offers):
                offer.reader.put_back(offer)

    def _sweep(self) -> None:
        """A report that never came through leaves a lease that ends by itself, and its job is offered anew."""
        now = time.monotonic()
        for token in [token for token, held in self._held.items() if held.until < now]:
            self._end(token)

    def _end(self, token: str) -> None:
        self._over.add(token)
        for offer in self._held.pop(token).offers:
            offer.reader.over(offer)
