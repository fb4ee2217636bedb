"""One stream of a worker, from `hello` to its end."""

from __future__ import annotations

import itertools
import logging
import queue
import threading
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import grpc

from trunkline.errors import ConnectionFailed
from trunkline.grpc import values
from trunkline.grpc.contract import CONNECT, message
from trunkline.grpc.status import error_of, problem_of
from trunkline.transport import Answer, Call

if TYPE_CHECKING:
    from trunkline.grpc.stream import JobStream

_LOG = logging.getLogger("trunkline.worker")
#: The reports that a stream carries, with their fields.
REPORTS = {
    "complete_jobs": "complete",
    "fail_jobs": "fail",
    "heartbeat_jobs": "heartbeat",
    "release_jobs": "release",
}
#: A stream that is not answered for so long after it was opened, or after a report, is dead.
OPENING_MAX = 10.0
UNANSWERED_MAX = 10.0


class _Unanswered:
    """A report on its way."""

    def __init__(self) -> None:
        self.sent_at = time.monotonic()
        self.is_answered = threading.Event()
        self.outcome: Any = None
        self.error: Exception | None = None


class OneStream:
    """One stream. Its own thread reads it; whatever thread may write."""

    def __init__(self, owner: JobStream) -> None:
        self.owner = owner
        self.began_at = self.heard_at = self._said_at = time.monotonic()
        #: Whether the server answered.
        self.is_open = False
        self._is_retired = False
        self._lock = threading.Lock()
        self._numbers = itertools.count(1)
        self._outbox: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._unanswered: dict[int, _Unanswered] = {}
        self._outstanding = 0
        self._is_half_closed = False
        self._call: Any = None
        self._channel: Any = None
        self._is_dead: str | None = None
        self._clock_ahead = 0.0

    def start(self) -> None:
        """Opens it, in a thread of its own."""
        self._send("hello", self.owner.hello)
        threading.Thread(target=self._run, daemon=True, name="trunkline-stream-read").start()

    def report(self, call: Call) -> Answer:
        """Sends a report and waits for what the server says to it."""
        sent = message("trunkline.v1.FromWorker")()
        field = REPORTS[call.operation]
        getattr(sent, field).SetInParent()
        values.write(getattr(sent, field), call.body, "")
        one = _Unanswered()
        with self._lock:
            if self._is_half_closed or self._is_retired:
                raise ConnectionFailed("the stream is being closed")
            sent.number = next(self._numbers)
            self._unanswered[sent.number] = one
            self._outbox.put(sent)
        # A report without an answer stays known: it shows that nobody is there.
        if not one.is_answered.wait(call.timeout):
            raise ConnectionFailed(f"{self._where}: no answer to a report within {call.timeout:.1f} s")
        if one.error is not None:
            raise one.error
        results = [values.read(result) for result in one.outcome.results]
        return Answer(200, {"results": results}, self._clock_ahead)

    def give_credits(self) -> None:
        """Lets the server offer as many jobs as handlers may begin."""
        with self._lock:
            if not self.is_open or self._is_retired or self._is_half_closed:
                return
            more = self.owner.listener.free_slots() - self._outstanding
            if more > 0:
                self._outstanding += more
                self._send("credits", {"count": more})

    def retire(self) -> None:
        """Takes nothing more; closes our side once what was reported is answered."""
        with self._lock:
            self._is_retired = True
            self._half_close_if_done()

    def cancel(self) -> None:
        """Ends it at once."""
        with self._lock:
            call = self._call
            self._half_close()
        if call is not None:
            call.cancel()

    def keep(self, now: float) -> None:
        """Says that the worker is there, and ends the stream if the server is not."""
        transport = self.owner.transport
        with self._lock:
            if now - self._said_at >= transport.alive and not self._is_half_closed:
                self._said_at = now
                self._send("alive", {})
            unanswered = [one.sent_at for one in self._unanswered.values() if one.sent_at > self.heard_at]
            if not self.is_open and now - self.began_at > OPENING_MAX:
                self._is_dead = f"no answer for {OPENING_MAX:.0f} s"
            elif unanswered and now - min(unanswered) > UNANSWERED_MAX:
                self._is_dead = f"no answer to a report for {UNANSWERED_MAX:.0f} s"
            elif now - self.heard_at > transport.silence:
                self._is_dead = f"silent for {transport.silence:g} s"
            is_dead, channel = self._is_dead is not None, self._channel
        if is_dead:
            if channel is not None:
                transport.link.replace(channel)
            self.cancel()

    @property
    def _where(self) -> str:
        return self.owner.transport.link.address

    def _send(self, field: str, content: dict[str, Any]) -> None:
        sent = message("trunkline.v1.FromWorker")()
        getattr(sent, field).SetInParent()
        values.write(getattr(sent, field), content, "")
        self._outbox.put(sent)

    def _half_close(self) -> None:
        if not self._is_half_closed:
            self._is_half_closed = True
            self._outbox.put(None)

    def _half_close_if_done(self) -> None:
        if self._is_retired and not self._unanswered:
            self._half_close()

    def _sent(self) -> Iterator[Any]:
        while (one := self._outbox.get()) is not None:
            yield one

    def _run(self) -> None:
        transport = self.owner.transport
        error: Exception | None = None
        try:
            with transport.link.channel() as channel:
                connect = channel.stream_stream(
                    CONNECT,
                    request_serializer=lambda one: one.SerializeToString(),
                    response_deserializer=message("trunkline.v1.ToWorker").FromString,
                )
                call = connect(self._sent(), metadata=transport.metadata)
                with self._lock:
                    self._call, self._channel, is_over = call, channel, self._is_dead or self._is_half_closed
                if is_over:
                    call.cancel()
                for one in call:
                    self._take_in(one)
        except grpc.RpcError as problem:
            error = error_of(problem, self._where)
        except Exception as problem:  # what makes no sense must not leave the worker without a stream
            _LOG.exception("a stream ended")
            error = problem
        if self._is_dead is not None:
            error = ConnectionFailed(f"{self._where}: {self._is_dead}")
        with self._lock:
            self._half_close()
            left, self._unanswered = list(self._unanswered.values()), {}
        for waiting in left:
            waiting.error = ConnectionFailed(f"{self._where}: the stream ended before the answer")
            waiting.is_answered.set()
        self.owner.ended(self, error)

    def _take_in(self, one: Any) -> None:
        self.heard_at = time.monotonic()
        kind = one.WhichOneof("message")
        if not self.is_open:
            from trunkline.grpc.transport import clock_ahead

            self._clock_ahead = clock_ahead(self._call)
            self.is_open = True
            self.give_credits()
        if kind == "offer":
            self._begin(one.offer)
        elif kind == "outcome":
            self._answer(one.outcome)
        elif kind == "cancel":
            self._lose(one.cancel)
        elif kind == "drain":
            self.owner.drained(self, one.drain.reason)

    def _begin(self, offer: Any) -> None:
        """The receipt goes out first: until it is there the jobs are only offered."""
        with self._lock:
            if self._is_half_closed:
                return  # they go back as they are
            self._send("received", {"ids": [job.id for job in offer.jobs]})
        for job in offer.jobs:
            self.owner.listener.take({"data": None, **values.read(job)}, self._clock_ahead)
        with self._lock:
            self._outstanding -= len(offer.jobs)
        self.give_credits()

    def _answer(self, outcome: Any) -> None:
        with self._lock:
            one = self._unanswered.pop(outcome.number, None)
            self._half_close_if_done()
        if one is not None:
            one.outcome = outcome
            if outcome.HasField("error"):
                one.error = problem_of(outcome.error)
            one.is_answered.set()

    def _lose(self, cancel: Any) -> None:
        for job in cancel.jobs:
            if job.reason == "not_received":
                with self._lock:
                    self._outstanding += 1
            self.owner.listener.lose(job.id, job.reason)
