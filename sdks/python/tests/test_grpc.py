"""gRPC: the contract as data, errors, and the rules of a worker's stream against a server that is scripted here."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta, timezone
from typing import Any

import grpc
import pytest

from trunkline import Client, ConnectionFailed, Context, Interrupt, Problem, Worker, activity
from trunkline._generated import OPERATIONS
from trunkline.grpc import GrpcTransport, values
from trunkline.grpc.contract import CONNECT, message, method_of
from trunkline.transport import Call, grpc_url, transport_from

DEADLINE = 20.0
WATCH = "/trunkline.v1.EventService/Watch"
ONLY_REST = {
    "answer_challenge", "call_back", "create_backup", "create_session", "delete_session", "export_archive",
    "export_audit", "get_job_type_attributes", "get_published_schema", "get_tenant_attributes",
    "get_workflow_attributes", "healthz", "readyz", "read_session", "receive_delivery",
    "set_job_type_attributes", "set_tenant_attributes", "set_workflow_attributes",
}  # fmt: skip

# People and the console set up, look and decide over REST.
FOR_PEOPLE = (
    "/v1/search/", "/v1/servers", "/v1/alerts", "/v1/dead-letters/groups/", "/v1/rates", "/v1/stats", "/v1/views",
    "/v1/workers/", "/v1/moves", "/v1/dispatch", "/v1/dev/",
    "/v1/doctor", "/v1/retention", "/v1/tenants/{tenant}/retention", "/v1/tenants/{tenant}/erase",
    "/v1/tenants/{tenant}/encryption",
    "/v1/jobs/{id}/data", "/v1/dead-letters/{id}/data", "/v1/jobs/{id}/result", "/v1/executions/{id}/input", "/v1/executions/{id}/output",
    "/v1/executions/{id}/nodes/", "/v1/executions/{id}/states", "/v1/user-tasks/{executionId}/{nodeId}/input", "/v1/deliveries/{id}/body",
)  # fmt: skip


def test_every_operation_is_over_grpc_but_those_that_are_named() -> None:
    missing = {name for name in OPERATIONS if method_of(name, waits=False) is None}
    assert {name for name in missing if not OPERATIONS[name].path.startswith(FOR_PEOPLE)} == ONLY_REST
    assert method_of("get_job", waits=True) != method_of("get_job", waits=False)
    with pytest.raises(Problem, match="only over REST"):
        GrpcTransport("http://127.0.0.1:1").invoke(Call("export_audit"))
    with pytest.raises(Problem, match="no stream"):
        next(GrpcTransport("http://127.0.0.1:1").stream(Call("export_audit")))


def test_values_come_back_as_they_went() -> None:
    body = {
        "jobType": "a", "data": {"n": 2**70, "t": "žluť", "none": None}, "maxRetries": 0, "tags": ["x"],
        "backoff": {"initial": "1s", "factor": 2.5, "jitter": False},
    }  # fmt: skip
    sent = values.write(message("trunkline.v1.EnqueueJobRequest")(), body)
    assert values.read(message("trunkline.v1.EnqueueJobRequest").FromString(sent.SerializeToString())) == body
    assert values.read(message("trunkline.v1.EnqueueJobRequest")(job_type="a")) == {"jobType": "a", "tags": []}
    null = values.write(message("trunkline.v1.Completion")(), {"id": "1", "leaseToken": "t", "result": None})
    assert (null.result, values.read(null)["result"]) == (b"null", None)
    error = values.write(message("trunkline.v1.Failure")(), {"id": "1", "leaseToken": "t", "error": "no"})
    assert error.error.message == "no"
    places = values.write(
        message("trunkline.v1.SetWorkflowSourceRequest")(), {"nodes": {"a": {"file": "f.py", "line": 3}}}
    )
    assert values.read(places)["nodes"] == {"a": {"file": "f.py", "line": 3}}


@pytest.mark.parametrize(
    ("body", "pointer"),
    [({"colour": 1}, "/colour"), ({"maxRetries": "x"}, "/maxRetries"), ({"tags": "x"}, "/tags"),
     ({"maxRetries": -1}, "/maxRetries"), ({"backoff": {"first": 1}}, "/backoff/first"), ({"backoff": 1}, "/backoff")],
)  # fmt: skip
def test_what_does_not_fit_is_a_problem_with_its_place(body: dict[str, Any], pointer: str) -> None:
    with pytest.raises(Problem) as caught:
        values.write(message("trunkline.v1.EnqueueJobRequest")(), body)
    assert (caught.value.status, caught.value.errors[0]["pointer"]) == (422, pointer)


def test_where_grpc_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRUNKLINE_URL", "https://jobs.example:8443/base")
    monkeypatch.delenv("TRUNKLINE_GRPC_URL", raising=False)
    assert grpc_url() == "https://jobs.example:9090"
    assert grpc_url("http://[::1]:8080") == "http://[::1]:9090"
    monkeypatch.setenv("TRUNKLINE_GRPC_URL", "http://127.0.0.1:7")
    monkeypatch.setenv("TRUNKLINE_TRANSPORT", "grpc")
    made = transport_from()
    assert isinstance(made, GrpcTransport)
    assert made.link.address == "127.0.0.1:7"
    with pytest.raises(ValueError, match="TRUNKLINE_GRPC_URL"):
        GrpcTransport("127.0.0.1:9090")


class Stream:
    """One stream of a worker, as the server sees it."""

    def __init__(self, context: Any) -> None:
        self.context = context
        self.inbox: queue.Queue[Any] = queue.Queue()
        self.outbox: queue.Queue[Any] = queue.Queue()

    def send(self, **content: Any) -> None:
        self.outbox.put(message("trunkline.v1.ToWorker")(**content))

    def offer(self, *ids: str, job_type: str = "echo", lease: float = 30.0) -> None:
        until = (datetime.now(timezone.utc) + timedelta(seconds=lease)).isoformat()
        jobs = [
            {"id": one, "job_type": job_type, "attempt": 1, "data": b'{"n": 1}', "lease_token": f"token-{one}",
             "lease_expires_at": until, "tenant": "default"}
            for one in ids
        ]  # fmt: skip
        self.send(offer={"jobs": jobs})

    def next(self, *kinds: str) -> Any:
        """The next message of these kinds; others are left out. None for the end of the worker's side."""
        while True:
            sent = self.inbox.get(timeout=DEADLINE)
            if sent is None or not kinds or sent.WhichOneof("message") in kinds:
                return sent

    def answer(self, report: Any, outcome: str = "ok") -> None:
        jobs = getattr(report, report.WhichOneof("message")).jobs
        results = [{"id": job.id, "outcome": outcome} for job in jobs]
        self.send(outcome={"number": report.number, "results": results})

    def end(self) -> None:
        self.outbox.put(None)


class FakeServer:
    """Streams come into `streams`; unary calls are answered by `unary` and recorded."""

    def __init__(self) -> None:
        self.streams: queue.Queue[Stream] = queue.Queue()
        self.calls: queue.Queue[tuple[str, bytes]] = queue.Queue()
        self.rules: dict[str, Callable[[Any], bytes]] = {}
        self.server = grpc.server(ThreadPoolExecutor(32))
        self.server.add_generic_rpc_handlers((self,))
        self.port = self.server.add_insecure_port("127.0.0.1:0")
        self.server.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def service(self, details: Any) -> Any:
        if details.method == CONNECT:
            return grpc.stream_stream_rpc_method_handler(
                self._connect, message("trunkline.v1.FromWorker").FromString, lambda one: one.SerializeToString()
            )

        if details.method == WATCH:
            return grpc.unary_stream_rpc_method_handler(self._watch, None, lambda one: one.SerializeToString())

        def unary(request: bytes, context: Any) -> bytes:
            self.calls.put((details.method.rsplit("/", 1)[1], request))
            rule = self.rules.get(details.method.rsplit("/", 1)[1])
            return rule(context) if rule else b""

        return grpc.unary_unary_rpc_method_handler(unary)

    def _connect(self, requests: Iterator[Any], context: Any) -> Iterator[Any]:
        stream = Stream(context)
        context.add_callback(stream.end)

        def read() -> None:
            try:
                for one in requests:
                    stream.inbox.put(one)
            except Exception:  # the call was ended from elsewhere
                pass
            stream.inbox.put(None)

        threading.Thread(target=read, daemon=True).start()
        self.streams.put(stream)
        while (one := stream.outbox.get()) is not None:
            if isinstance(one, Exception):
                context.abort(grpc.StatusCode.UNAVAILABLE, str(one))
            yield one

    def _watch(self, _request: bytes, context: Any) -> Iterator[Any]:
        stream = Stream(context)
        context.add_callback(stream.end)
        self.streams.put(stream)
        while (one := stream.outbox.get()) is not None:
            yield one

    def stream(self, *, answers: bool = True) -> Stream:
        """The next stream that a worker opens, with its first message answered."""
        stream = self.streams.get(timeout=DEADLINE)
        assert stream.next().WhichOneof("message") == "hello"
        if answers:
            stream.send(alive={"stream_id": "str_1"})
        return stream


@pytest.fixture
def server() -> Iterator[FakeServer]:
    made = FakeServer()
    yield made
    made.server.stop(0)


@activity("echo")
def echo(n: int) -> int:
    return n


class Gate:
    """A handler that waits until it is let go, or cancelled."""

    def __init__(self) -> None:
        self.begun: queue.Queue[Context] = queue.Queue()
        self.go = threading.Event()

        @activity("gate")
        def gate(ctx: Context, n: int) -> int:
            self.begun.put(ctx)
            while not self.go.wait(0.01):
                ctx.check()
            return n

        self.activity = gate


def worker(server: FakeServer, *activities: Any, alive: str = "20s", silence: str = "60s", **options: Any) -> Worker:
    transport = GrpcTransport(server.url, "tl_key", alive=alive, silence=silence)
    return Worker(Client(transport=transport), activities or [echo], drain_timeout="2s", **options)


def change(**fields: Any) -> Any:
    return message("trunkline.v1.ChangeEvent")(**fields)


def test_changes_come_as_events(server: FakeServer) -> None:
    events = Client(transport=GrpcTransport(server.url, "tl_key")).events()
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(next, events)
        stream = server.streams.get(timeout=DEADLINE)
        assert ("authorization", "Bearer tl_key") in stream.context.invocation_metadata()
        for one in (change(), change(), change(kind="execution", execution_id="exe_1", ended=True)):
            stream.outbox.put(one)
        assert first.result(DEADLINE) == {}
        assert next(events) == {"kind": "execution", "executionId": "exe_1", "ended": True}
        stream.end()
        after = pool.submit(next, events)
        server.streams.get(timeout=DEADLINE).outbox.put(change())
        assert after.result(DEADLINE) == {"kind": "resync"}


def test_a_silent_stream_of_changes_is_given_up(server: FakeServer) -> None:
    transport = GrpcTransport(server.url, silence="2s")
    with pytest.raises(ConnectionFailed, match="silent for 2 s"):
        next(Client(transport=transport).events())
    events = Client(transport=transport).events()
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(next, events)
        server.streams.get(timeout=DEADLINE)
        server.streams.get(timeout=DEADLINE).outbox.put(change())
        assert first.result(DEADLINE) == {}
        again = pool.submit(next, events)
        server.streams.get(timeout=DEADLINE).outbox.put(change())
        assert again.result(DEADLINE) == {"kind": "resync"}


def test_an_interrupt_ends_a_stream_of_changes(server: FakeServer) -> None:
    interrupt = Interrupt()
    events = Client(transport=GrpcTransport(server.url)).events(interrupt=interrupt)
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(next, events, None)
        server.streams.get(timeout=DEADLINE)
        interrupt.trigger()
        assert first.result(DEADLINE) is None


def test_a_job_is_received_run_and_reported(server: FakeServer) -> None:
    with worker(server, concurrency=3, worker_id="w-1", lease="7s") as running:
        first = server.streams.get(timeout=DEADLINE)
        assert ("authorization", "Bearer tl_key") in first.context.invocation_metadata()
        hello = first.next().hello
        assert (hello.worker_id, list(hello.job_types), hello.lease) == ("w-1", ["echo"], "7s")
        assert running.health()[0] is False
        first.send(alive={"stream_id": "str_1"})
        assert first.next("credits").credits.count == 3
        first.offer("job_1", "job_2")
        assert list(first.next("received").received.ids) == ["job_1", "job_2"]
        done = []
        while len(done) < 2:
            report = first.next("complete")
            done += [(job.id, job.lease_token, job.result) for job in report.complete.jobs]
            first.answer(report)
        assert sorted(done) == [("job_1", "token-job_1", b"1"), ("job_2", "token-job_2", b"1")]
        assert running.health()[0] is True


def test_never_more_credits_than_free_slots(server: FakeServer) -> None:
    gate = Gate()
    with worker(server, gate.activity, concurrency=2):
        stream = server.stream()
        assert stream.next("credits").credits.count == 2
        stream.offer("job_1", "job_2", job_type="gate")
        gate.begun.get(timeout=DEADLINE)
        gate.begun.get(timeout=DEADLINE)
        gate.go.set()
        count, left = 0, 2
        while left or count < 2:
            sent = stream.next("credits", "complete")
            if sent.WhichOneof("message") == "credits":
                count += sent.credits.count
            else:
                left -= len(sent.complete.jobs)
                stream.answer(sent)
        assert count == 2


def test_a_silent_stream_is_given_up(server: FakeServer) -> None:
    with worker(server, silence="2s") as running:
        stream = server.stream()
        assert stream.next("credits").credits.count == 10
        while stream.next() is not None:  # until the worker ends it
            pass
        again = server.stream()
        again.next("credits")
        again.offer("job_1")
        again.answer(again.next("complete"))
        assert running.metrics.get("trunkline_worker_poll_failures_total") >= 1


def test_the_worker_says_that_it_is_there(server: FakeServer) -> None:
    with worker(server, alive="50ms"):
        stream = server.stream()
        stream.next("alive")
        stream.next("alive")


def test_a_stream_without_an_answer_is_not_well(server: FakeServer) -> None:
    with worker(server) as running:
        stream = server.stream(answers=False)
        assert running.health()[0] is False
        stream.send(alive={})
        stream.next("credits")
        assert running.health()[0] is True
        stream.outbox.put(RuntimeError("going"))
        server.stream(answers=False)
        assert running.health()[0] is False


def test_drained_streams_end_and_reports_go_over_the_next_one(server: FakeServer) -> None:
    gate = Gate()
    with worker(server, gate.activity, concurrency=2):
        first = server.stream()
        first.next("credits")
        first.offer("job_1", job_type="gate")
        gate.begun.get(timeout=DEADLINE)
        first.send(drain={"reason": "age"})
        second = server.stream()
        assert second.next("credits").credits.count == 1
        while first.next() is not None:  # until the worker closes its side
            pass
        first.end()
        gate.go.set()
        report = second.next("complete")
        assert [job.id for job in report.complete.jobs] == ["job_1"]
        second.answer(report)


def test_jobs_live_on_when_their_stream_breaks(server: FakeServer) -> None:
    gate = Gate()
    with worker(server, gate.activity, concurrency=2):
        first = server.stream()
        first.next("credits")
        first.offer("job_1", job_type="gate", lease=600)
        ctx = gate.begun.get(timeout=DEADLINE)
        first.outbox.put(RuntimeError("going"))
        second = server.stream()
        assert second.next("credits").credits.count == 1
        assert not ctx.cancelled
        gate.go.set()
        report = second.next("complete")
        assert [job.id for job in report.complete.jobs] == ["job_1"]
        second.answer(report)


def test_what_is_not_the_workers_any_more_is_stopped(server: FakeServer) -> None:
    gate = Gate()
    with worker(server, gate.activity, concurrency=2):
        stream = server.stream()
        stream.next("credits")
        stream.offer("job_1", "job_2", job_type="gate")
        contexts = {ctx.job_id: ctx for ctx in (gate.begun.get(timeout=DEADLINE), gate.begun.get(timeout=DEADLINE))}
        stream.send(cancel={"jobs": [{"id": "job_1", "reason": "cancelled"}]})
        stream.next("credits")  # its handler ended, and nothing was reported
        assert (contexts["job_1"].cancel_reason, contexts["job_2"].cancel_reason) == ("cancelled", None)
        gate.go.set()
        report = stream.next("complete", "fail")
        assert [job.id for job in report.complete.jobs] == ["job_2"]
        stream.answer(report)


def test_a_cancellation_that_comes_right_behind_its_job_is_kept(server: FakeServer) -> None:
    gate = Gate()
    with worker(server, gate.activity, concurrency=2):
        stream = server.stream()
        stream.next("credits")
        stream.offer("job_1", job_type="gate")
        stream.send(cancel={"jobs": [{"id": "job_1", "reason": "cancelled"}]})
        assert gate.begun.get(timeout=DEADLINE).wait(DEADLINE)
        assert stream.next("credits", "complete", "fail").WhichOneof("message") == "credits"


def test_a_worker_that_an_operator_drains_opens_no_other_stream(server: FakeServer) -> None:
    transport = GrpcTransport(server.url, "tl_key")
    running = Worker(Client(transport=transport), [echo], drain_timeout="20s")
    serving = threading.Thread(target=running.run)
    serving.start()
    server.stream().send(drain={"reason": "worker"})
    serving.join(DEADLINE)
    assert not serving.is_alive()
    assert server.streams.empty()


def test_a_refused_report_fails_its_job(server: FakeServer) -> None:
    with worker(server):
        stream = server.stream()
        stream.next("credits")
        stream.offer("job_1")
        report = stream.next("complete")
        problem = {
            "status": 422,
            "code": "invalid",
            "detail": "no",
            "errors": [{"pointer": "/jobs/0", "message": "bad"}],
        }
        stream.send(outcome={"number": report.number, "error": problem})
        failed = stream.next("fail")
        assert "no" in failed.fail.jobs[0].error.message
        assert failed.fail.jobs[0].retryable is False
        stream.answer(failed)


def test_a_result_that_is_rejected_fails_its_job(server: FakeServer) -> None:
    with worker(server):
        stream = server.stream()
        stream.next("credits")
        stream.offer("job_1")
        report = stream.next("complete")
        results = [{"id": "job_1", "outcome": "rejected", "reason": "the result is too large"}]
        stream.send(outcome={"number": report.number, "results": results})
        failed = stream.next("fail")
        assert "too large" in failed.fail.jobs[0].error.message
        stream.answer(failed)


def test_a_worker_that_drains_closes_its_side_and_reports_beside_it(server: FakeServer) -> None:
    gate = Gate()
    running = worker(server, gate.activity)
    running.start()
    stream = server.stream()
    stream.next("credits")
    stream.offer("job_1", job_type="gate")
    gate.begun.get(timeout=DEADLINE)
    outcome = message("trunkline.v1.Outcomes")(results=[{"id": "job_1", "outcome": "ok"}])
    server.rules["Complete"] = lambda _context: bytes(outcome.SerializeToString())
    stopping = threading.Thread(target=running.stop)
    stopping.start()
    while stream.next() is not None:
        pass
    gate.go.set()
    method, request = server.calls.get(timeout=DEADLINE)
    assert (method, message("trunkline.v1.CompleteJobsRequest").FromString(request).jobs[0].id) == ("Complete", "job_1")
    stopping.join(DEADLINE)
    assert not stopping.is_alive()


def test_problems_of_the_server(server: FakeServer) -> None:
    def refuse(context: Any) -> bytes:
        kinds = {
            "ErrorInfo": {"reason": "invalid", "domain": "trunkline", "metadata": {"status": "415"}},
            "BadRequest": {"field_violations": [{"field": "/jobType", "description": "is required"}]},
            "RetryInfo": {"retry_delay": {"seconds": 1, "nanos": 500_000_000}},
        }
        details = [
            {"type_url": f"type.googleapis.com/google.rpc.{kind}",
             "value": message(f"trunkline.sdk.{kind}")(**content).SerializeToString()}
            for kind, content in kinds.items()
        ]  # fmt: skip
        status = message("trunkline.sdk.Status")(code=3, message="The request is invalid.", details=details)
        context.set_trailing_metadata((("grpc-status-details-bin", status.SerializeToString()),))
        context.abort(grpc.StatusCode.INVALID_ARGUMENT, "The request is invalid.")
        return b""

    server.rules["Enqueue"] = refuse
    transport = GrpcTransport(server.url)
    with pytest.raises(Problem) as caught:
        transport.invoke(Call("enqueue_job", body={"jobType": "a"}))
    problem = caught.value
    assert (problem.status, problem.code, problem.detail) == (415, "invalid", "The request is invalid.")
    assert problem.errors == [{"pointer": "/jobType", "message": "is required"}]
    assert problem.retry_after == 1.5


def test_calls_that_get_no_answer_are_connection_errors(server: FakeServer) -> None:
    transport = GrpcTransport(server.url)
    is_under_way = threading.Event()

    def never(context: Any) -> bytes:
        is_under_way.set()
        over = threading.Event()
        context.add_callback(over.set)
        over.wait(DEADLINE)
        return b""

    server.rules["Get"] = never
    with pytest.raises(ConnectionFailed, match="deadline"):
        transport.invoke(Call("get_job", path={"id": "job_1"}, timeout=0.2))
    interrupt = Interrupt()
    is_under_way.clear()
    threading.Thread(target=lambda: (is_under_way.wait(DEADLINE), interrupt.trigger()), daemon=True).start()
    with pytest.raises(ConnectionFailed, match="cancel"):
        transport.invoke(Call("get_job", path={"id": "job_1"}, interrupt=interrupt))
    server.server.stop(0).wait()
    with pytest.raises(ConnectionFailed, match="unavailable"):
        transport.invoke(Call("get_job", path={"id": "job_1"}, timeout=2.0))
