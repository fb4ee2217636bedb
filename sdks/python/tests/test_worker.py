"""The worker against a transport in memory: reports, leases, back-pressure, drain."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from trunkline import Answer, Call, Client, ConnectionFailed, Context, NonRetryable, Problem, Snooze, Worker, activity
from trunkline._leases import Leases, Running
from trunkline._lines import LineBuffer, line_of
from trunkline.health import Metrics
from trunkline.transport import Interrupt, transport_from

DEADLINE = 20.0
UNTIL = (datetime.now(timezone.utc) + timedelta(hours=1)).isoformat()


class FakeTransport:
    """Gives jobs to polls and records reports; `rules` answer an operation in place of it."""

    def __init__(self, jobs: list[dict[str, Any]], lease: float = 30.0) -> None:
        self.condition = threading.Condition()
        self.jobs, self.lease = jobs, lease
        self.calls: list[Call] = []
        self.rules: dict[str, Callable[[Call], Answer]] = {}

    def invoke(self, call: Call) -> Answer:
        with self.condition:
            self.calls.append(call)
            self.condition.notify_all()
        if rule := self.rules.get(call.operation):
            return rule(call)
        return self.answer(call)

    def answer(self, call: Call) -> Answer:
        until = (datetime.now(timezone.utc) + timedelta(seconds=self.lease)).isoformat()
        if call.operation == "poll_jobs":
            return self.poll(call, until)
        results = [{"id": job["id"], "outcome": "ok", "leaseExpiresAt": until} for job in call.body["jobs"]]
        return Answer(200, {"results": results})

    def poll(self, call: Call, until: str) -> Answer:
        given = []
        with self.condition:
            while self.jobs and len(given) < call.body["maxJobs"]:
                given.append(
                    {"attempt": 1, "leaseToken": "t", "leaseExpiresAt": until, "tenant": "default", **self.jobs.pop(0)}
                )
        if not given:
            done = threading.Event()
            assert call.interrupt is not None
            key = call.interrupt.add(done.set)
            done.wait(0.05)
            call.interrupt.remove(key)
        return Answer(200, {"jobs": given})

    def stream(self, call: Call) -> Iterator[dict[str, Any]]:
        yield {}

    def close(self) -> None:
        pass

    def reports(self, operation: str) -> list[dict[str, Any]]:
        with self.condition:
            return [job for call in self.calls if call.operation == operation for job in call.body["jobs"]]

    def wait_for(self, operation: str, number: int = 1) -> list[dict[str, Any]]:
        with self.condition:
            assert self.condition.wait_for(lambda: len(self.reports(operation)) >= number, DEADLINE), operation
        return self.reports(operation)


def job(number: int, kind: str, data: Any = None) -> dict[str, Any]:
    return {"id": f"job_{number}", "jobType": kind, "data": {} if data is None else data}


def worker(transport: FakeTransport, *activities: Any, **options: Any) -> Worker:
    return Worker(Client(transport=transport), activities, drain_timeout="200ms", **options)


@activity("add")
def add(a: int, b: int) -> int:
    return a + b


def test_results_go_out() -> None:
    transport = FakeTransport([job(n, "add", {"a": n, "b": 1}) for n in range(20)])
    with worker(transport, add) as running:
        reports = transport.wait_for("complete_jobs", 20)
        assert running.metrics.get("trunkline_worker_jobs_started_total", job_type="add") == 20
    assert sorted(report["result"] for report in reports) == list(range(1, 21))


def test_what_handlers_raise_becomes_reports() -> None:
    @activity("fatal")
    async def fatal() -> None:
        raise NonRetryable("no", code="gone", details={"a": 1})

    @activity("nap")
    def nap() -> None:
        raise Snooze("3s")

    transport = FakeTransport([job(1, "fatal"), job(2, "nap"), job(3, "add", {"a": "x", "b": 1})])
    with worker(transport, fatal, nap, add):
        (released,) = transport.wait_for("release_jobs")
        failed = {report["id"]: report for report in transport.wait_for("fail_jobs", 2)}
    assert released == {"id": "job_2", "leaseToken": "t", "delay": "3s"}
    assert failed["job_1"]["error"] == {"message": "no", "code": "gone", "details": {"a": 1}}
    assert not failed["job_1"]["retryable"]
    assert failed["job_3"]["error"]["code"] == "invalid_data"


def test_one_refused_result_does_not_spoil_the_others() -> None:
    transport = FakeTransport([])

    def refuse(call: Call) -> Answer:
        if any(job["id"] == "job_1" for job in call.body["jobs"]):
            raise Problem(413, "payload_too_large", "the result is too large")
        return transport.answer(call)

    transport.rules["complete_jobs"] = refuse
    transport.jobs = [job(n, "add", {"a": n, "b": 0}) for n in range(5)]
    with worker(transport, add):
        (failed,) = transport.wait_for("fail_jobs")
    assert failed["error"]["code"] == "payload_too_large"


def test_one_handler_asks_for_its_next_job_with_its_report() -> None:
    transport = FakeTransport([job(n, "add", {"a": n, "b": 0}) for n in range(4)])

    def complete(call: Call) -> Answer:
        answer = transport.answer(call)
        if "poll" in call.body:
            jobs = transport.poll(Call("poll_jobs", body=call.body["poll"], interrupt=Interrupt()), UNTIL)
            answer.body["jobs"] = jobs.body["jobs"]
        return answer

    transport.rules["complete_jobs"] = complete
    with worker(transport, add, concurrency=1):
        transport.wait_for("complete_jobs", 4)
    polls = [call.body["poll"] for call in transport.calls if "poll" in (call.body or {})]
    assert [poll["maxJobs"] for poll in polls] == [1, 1, 1, 1]
    assert polls[0]["jobTypes"] == ["add"]
    assert "wait" not in polls[0]


def test_a_server_that_takes_no_polls_with_reports_is_polled() -> None:
    transport = FakeTransport([job(n, "add", {"a": n, "b": 0}) for n in range(3)])

    def complete(call: Call) -> Answer:
        if "poll" in call.body:
            raise Problem(422, "invalid", "no", [{"pointer": "/poll", "message": "is not a known field"}])
        return transport.answer(call)

    transport.rules["complete_jobs"] = complete
    with worker(transport, add, concurrency=1):
        reports = transport.wait_for("complete_jobs", 4)  # the first one twice
    assert sorted(report["result"] for report in reports) == [0, 0, 1, 2]


def test_reports_are_sent_again_after_overload() -> None:
    transport = FakeTransport([job(1, "add", {"a": 1, "b": 1})])
    tries: list[Call] = []

    def overloaded(call: Call) -> Answer:
        tries.append(call)
        if len(tries) == 1:
            problem = Problem(503, "overloaded", "later")
            problem.retry_after = 0.0
            raise problem
        if len(tries) == 2:
            raise ConnectionFailed("cut")
        return transport.answer(call)

    transport.rules["complete_jobs"] = overloaded
    with worker(transport, add):
        transport.wait_for("complete_jobs", 3)


def test_a_lost_lease_cancels_the_handler() -> None:
    ended: list[str | None] = []
    gone = threading.Event()

    @activity("long")
    def long(ctx: Context) -> None:
        ctx.wait(DEADLINE)
        ended.append(ctx.cancel_reason)
        gone.set()
        ctx.check()

    transport = FakeTransport([job(1, "long")], lease=0.6)
    transport.rules["heartbeat_jobs"] = lambda call: Answer(
        200, {"results": [{"id": "job_1", "outcome": "lease_lost"}]}
    )
    with worker(transport, long):
        assert gone.wait(DEADLINE)
    assert ended == ["lease_lost"]
    assert not transport.reports("fail_jobs")
    assert not transport.reports("release_jobs")


def test_stopping_gives_back_what_is_not_done() -> None:
    started = threading.Event()

    @activity("long")
    def long(ctx: Context) -> None:
        started.set()
        while not ctx.wait(DEADLINE):
            pass
        ctx.check()

    transport = FakeTransport([job(1, "long")])
    running = worker(transport, long)
    running.start()
    assert started.wait(DEADLINE)
    running.stop()
    assert transport.reports("release_jobs") == [{"id": "job_1", "leaseToken": "t"}]
    assert running.health()[1]["status"] == "draining"


def test_progress_goes_with_the_next_heartbeat() -> None:
    go = threading.Event()

    @activity("steps")
    def steps(ctx: Context) -> None:
        ctx.progress({"step": 1})
        go.wait(DEADLINE)

    transport = FakeTransport([job(1, "steps")])
    with worker(transport, steps):
        (beat, *_) = transport.wait_for("heartbeat_jobs")
        go.set()
        transport.wait_for("complete_jobs")
    assert beat["progress"] == {"step": 1}


def test_middleware_goes_around_in_order() -> None:
    said: list[str] = []

    def outer(ctx: Context, call: Callable[[], Any]) -> Any:
        said.append(f"before {ctx.job_type}")
        result = call()
        said.append("after")
        return result + 1

    def inner(ctx: Context, call: Callable[[], Any]) -> Any:
        said.append("inner")
        return call()

    transport = FakeTransport([job(1, "add", {"a": 1, "b": 1})])
    with worker(transport, add, middleware=[outer, inner]):
        (report,) = transport.wait_for("complete_jobs")
    assert report["result"] == 3
    assert said == ["before add", "inner", "after"]


def test_other_transports_are_refused_clearly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRUNKLINE_TRANSPORT", "pigeon")
    with pytest.raises(ValueError, match="TRUNKLINE_TRANSPORT=pigeon"):
        transport_from()


def test_lines_go_with_heartbeats_and_before_the_report() -> None:
    @activity("talk")
    def talk(ctx: Context) -> None:
        ctx.log.info("read %d orders", 3, extra={"orders": 3, "odd": object})
        ctx.log.debug("not sent where debug is off here")
        try:
            raise ValueError("no stock\0")
        except ValueError:
            ctx.log.exception("broken")

    transport = FakeTransport([{"id": "job_1", "jobType": "talk", "data": {}}])
    with Worker(Client(transport=transport), [talk], poll_wait="50ms"):
        transport.wait_for("complete_jobs")
    lines = {line["sequence"]: line for job in transport.reports("heartbeat_jobs") for line in job.get("logs", [])}
    first, second = lines[1], lines[2]
    assert (first["level"], first["message"], first["sequence"]) == ("info", "read 3 orders", 1)
    assert first["fields"] == {"orders": 3, "odd": repr(object)}
    assert second["level"] == "error"
    assert second["message"].endswith("ValueError: no stock\ufffd")


def test_a_server_that_knows_no_lines_gets_none() -> None:
    @activity("talk")
    def talk(ctx: Context) -> None:
        ctx.log.info("x")

    transport = FakeTransport([{"id": f"job_{n}", "jobType": "talk", "data": {}} for n in range(2)])

    def refuse(call: Call) -> Answer:
        if any("logs" in job for job in call.body["jobs"]):
            raise Problem(422, "invalid", "no", [{"pointer": "/jobs/0/logs", "message": "unknown field"}])
        return transport.answer(call)

    transport.rules["heartbeat_jobs"] = refuse
    with Worker(Client(transport=transport), [talk], concurrency=1, poll_wait="50ms"):
        transport.wait_for("complete_jobs", 2)
    assert {one["id"] for one in transport.reports("heartbeat_jobs") if "logs" in one} == {"job_0"}


def test_an_attempt_sends_so_many_lines() -> None:
    buffer = LineBuffer()
    for number in range(1, 1201):
        buffer.add("info", f"line {number}", None)
    buffer.close()
    lines = buffer.first(2000)
    assert len(lines) == 1000
    assert lines[998]["message"] == "line 999"
    assert lines[999]["message"] == "201 more lines were dropped by the worker"
    assert buffer.sent(lines[:100])
    assert buffer.first(1)[0]["sequence"] == 101
    long = line_of("info", "\u00fc" * 9000, {"a": 1})
    assert len(long["message"].encode()) <= 8192
    assert long["message"].endswith("\u2026")
    assert "fields" not in long


def test_a_worker_that_an_operator_drains_finishes_and_ends() -> None:
    is_drained = threading.Event()

    @activity("gate")
    def gate() -> bool:
        return is_drained.wait(DEADLINE)

    transport = FakeTransport([job(1, "gate")])
    polls: list[Call] = []

    def poll(call: Call) -> Answer:
        polls.append(call)
        if transport.jobs:
            return transport.answer(call)
        is_drained.set()
        return Answer(200, {"jobs": [], "drain": True})

    transport.rules["poll_jobs"] = poll
    Worker(Client(transport=transport), [gate], drain_timeout="20s").run()
    assert [report["result"] for report in transport.reports("complete_jobs")] == [True]
    assert len(polls) == 2


def test_a_worker_is_also_drained_by_the_answer_to_a_report() -> None:
    transport = FakeTransport([job(1, "add", {"a": 1, "b": 2})])

    def complete(call: Call) -> Answer:
        results = [{"id": one["id"], "outcome": "ok"} for one in call.body["jobs"]]
        return Answer(200, {"results": results, "jobs": [], "drain": True})

    transport.rules["complete_jobs"] = complete
    Worker(Client(transport=transport), [add], concurrency=1, drain_timeout="20s").run()
    assert transport.reports("complete_jobs")[0]["result"] == 3


def test_a_job_that_nothing_here_serves_is_given_back() -> None:
    transport = FakeTransport([job(1, "unknown"), job(2, "add", {"a": 1, "b": 1})])
    with worker(transport, add):
        assert transport.wait_for("release_jobs") == [{"id": "job_1", "leaseToken": "t", "delay": "1s"}]
        assert [report["id"] for report in transport.wait_for("complete_jobs")] == ["job_2"]


def test_progress_that_the_server_refuses_costs_no_lease() -> None:
    renewed = threading.Event()
    transport = FakeTransport([job(1, "steps")])

    def beat(call: Call) -> Answer:
        answer = transport.answer(call)
        (sent,), (result,) = call.body["jobs"], answer.body["results"]
        if "progress" not in sent:
            renewed.set()
            return answer
        return Answer(200, {"results": [{"id": result["id"], "outcome": "rejected", "reason": "at most 64 KiB"}]})

    @activity("steps")
    def steps(ctx: Context) -> bool:
        ctx.progress("large")
        return renewed.wait(DEADLINE) and not ctx.cancelled

    transport.rules["heartbeat_jobs"] = beat
    with worker(transport, steps):
        (report,) = transport.wait_for("complete_jobs")
    assert report["result"] is True
    beats = [one.get("progress") for one in transport.reports("heartbeat_jobs")]
    assert beats[:2] == ["large", None]


def test_a_cancelled_job_says_so_and_a_callback_that_fails_keeps_no_other_from_its_heartbeats() -> None:
    is_cancelled, is_renewed = threading.Event(), threading.Event()
    reasons: list[str | None] = []

    @activity("gone")
    def gone(ctx: Context) -> None:
        def fail() -> None:
            reasons.append(ctx.cancel_reason)
            raise RuntimeError("a program's own fault")

        ctx.on_cancel(fail)
        ctx.wait(DEADLINE)
        ctx.check()

    @activity("long")
    def long() -> bool:
        return is_renewed.wait(DEADLINE)

    transport = FakeTransport([job(1, "gone"), job(2, "long")], lease=0.6)

    def beat(call: Call) -> Answer:
        answer = transport.answer(call)
        for result in answer.body["results"]:
            if result["id"] == "job_1":
                result["outcome"] = "cancelled"
                is_cancelled.set()
            elif is_cancelled.is_set() and len(call.body["jobs"]) == 1:
                is_renewed.set()
        return answer

    transport.rules["heartbeat_jobs"] = beat
    with worker(transport, gone, long):
        (report,) = transport.wait_for("complete_jobs")
    assert (report["id"], report["result"]) == ("job_2", True)
    assert reasons == ["cancelled"]


def running(seconds: float = 30.0) -> Running:
    now = time.monotonic()
    context = Context(job_id="job_1", job_type="add")
    return Running(job(1, "add") | {"leaseToken": "t"}, context, add, now + seconds, seconds, now)


def test_a_lease_that_is_gone_is_renewed_no_more_while_its_report_is_on_its_way() -> None:
    transport = FakeTransport([])
    transport.rules["heartbeat_jobs"] = lambda _: Answer(200, {"results": [{"id": "job_1", "outcome": "lease_lost"}]})
    leases = Leases(transport, Metrics(), lambda _: None)
    one = running()
    one.has_ended = True
    leases.beat([one])
    assert one.next_at == math.inf
    leases.close()


def test_a_line_that_comes_during_a_heartbeat_waits_no_longer_than_others() -> None:
    transport = FakeTransport([])
    one = running()

    def beat(call: Call) -> Answer:
        one.lines.add("info", "meanwhile", None)
        return transport.answer(call)

    transport.rules["heartbeat_jobs"] = beat
    leases = Leases(transport, Metrics(), lambda _: None)
    leases.beat([one])
    assert one.next_at <= time.monotonic() + 1.0
    leases.close()


def test_a_heartbeat_that_fails_is_sent_again_a_second_later_and_takes_no_longer_than_its_lease_holds() -> None:
    transport = FakeTransport([])

    def fail(_: Call) -> Answer:
        raise ConnectionFailed("nobody is there")

    transport.rules["heartbeat_jobs"] = fail
    leases = Leases(transport, Metrics(), lambda _: None)
    one = running()
    one.lease_until = time.monotonic() + 2.0
    leases.beat([one])
    assert transport.calls[-1].timeout <= 2.0
    assert one.beat_at <= time.monotonic() + 1.0
    leases.close()
