"""The driver of the Python SDK for the table of scenarios. See sdks/conformance/README.md."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from trunkline import (
    Activity,
    Cancelled,
    Client,
    ConnectionFailed,
    Context,
    Interrupt,
    InvalidSignature,
    Job,
    JobFailed,
    NonRetryable,
    Problem,
    RetryAfter,
    RunFailed,
    Snooze,
    TrunklineError,
    WaitTimeout,
    Worker,
    activity,
    webhooks,
)
from trunkline._duration import seconds

PREFIX = os.environ.get("CONFORMANCE_PREFIX", "")
PAUSE = 0.02
SEEN: Counter[str] = Counter()


@dataclass
class Greeting:
    name: str
    count: int


@activity(PREFIX + "echo")
def echo(**data: Any) -> Any:
    return data


class Echo(Activity[Any, Any]):
    """Takes all of the data, whatever it is."""

    def invoke(self, context: Context, data: Any) -> Any:
        return data


echo = Echo(echo.function, PREFIX + "echo", None, None)


@activity(PREFIX + "context")
def context(ctx: Context) -> dict[str, Any]:
    return {
        "jobId": ctx.job_id,
        "attempt": ctx.attempt,
        "idempotencyKey": ctx.idempotency_key,
        "traceparent": ctx.traceparent,
        "previousProgress": ctx.previous_progress,
        "cancelled": ctx.cancelled,
        "hasDeadline": ctx.deadline is not None,
    }


@activity(PREFIX + "fail-times")
def fail_times(ctx: Context, times: int, message: str) -> dict[str, int]:
    if ctx.attempt <= times:
        raise RuntimeError(message)
    return {"attempt": ctx.attempt}


@activity(PREFIX + "non-retryable")
def non_retryable(message: str) -> None:
    raise NonRetryable(message)


@activity(PREFIX + "retry-after")
def retry_after(ctx: Context, delay: str) -> dict[str, int]:
    if ctx.attempt == 1:
        raise RetryAfter(delay)
    return {"attempt": ctx.attempt}


@activity(PREFIX + "snooze")
def snooze(ctx: Context, times: int, delay: str) -> dict[str, int]:
    SEEN[ctx.job_id] += 1
    if SEEN[ctx.job_id] <= times:
        raise Snooze(delay)
    return {"attempt": ctx.attempt, "snoozed": times}


@activity(PREFIX + "cancelled")
def cancelled(ctx: Context) -> None:
    raise Cancelled("nobody asked for it")


@activity(PREFIX + "gate")
async def gate(ctx: Context, dir: str, progress: Any = None, log: str | None = None) -> dict[str, Any]:
    folder = Path(dir)
    (folder / f"started-{ctx.attempt}").touch()
    if progress is not None:
        ctx.progress(progress)
    if log is not None:
        ctx.log.info(log, extra={"of": "the gate"})
    try:
        while not (folder / "go").exists():
            await asyncio.sleep(PAUSE)
    except asyncio.CancelledError:
        (folder / f"cancelled-{ctx.attempt}").touch()
        raise
    (folder / f"done-{ctx.attempt}").touch()
    return {"attempt": ctx.attempt, "previousProgress": ctx.previous_progress}


@activity(PREFIX + "stubborn")
def stubborn(ctx: Context, dir: str) -> dict[str, Any]:
    folder = Path(dir)
    (folder / f"started-{ctx.attempt}").touch()
    while not (folder / "go").exists():
        time.sleep(PAUSE)
    (folder / f"done-{ctx.attempt}").touch()
    return {"attempt": ctx.attempt}


@activity(PREFIX + "progress")
def progress(ctx: Context, value: Any) -> dict[str, Any]:
    if ctx.attempt == 1:
        ctx.progress(value)
        raise RuntimeError("the first attempt fails")
    return {"previousProgress": ctx.previous_progress}


@activity(PREFIX + "big")
def big(bytes: int) -> dict[str, str]:
    return {"text": "x" * bytes}


@activity(PREFIX + "typed")
def typed(greeting: Greeting) -> dict[str, str]:
    return {"greeting": f"{greeting.name} x {greeting.count}"}


@activity(PREFIX + "middleware")
def middleware(ctx: Context) -> dict[str, Any]:
    return {"seen": getattr(ctx, "seen", None)}


@activity(PREFIX + "log")
def log(ctx: Context, lines: int = 1, text: str | None = None, fail: str | None = None) -> None:
    for number in range(1, lines + 1):
        ctx.log.info("line %d", number)
    if text is not None:
        ctx.log.error(text)
    if fail is not None and ctx.attempt == 1:
        raise RuntimeError(fail)


@activity(PREFIX + "soak")
def soak(ctx: Context, n: int, fail: int, dir: str) -> dict[str, Any]:
    nonce = os.urandom(8).hex()

    def record(what: str) -> None:
        with (Path(dir) / f"python-{os.getpid()}").open("a") as history:
            history.write(f"{what} {ctx.job_id} {ctx.attempt} {nonce}\n")

    record("start")
    if ctx.attempt <= fail:
        raise RuntimeError("planned")
    time.sleep(n % 20 / 1000)
    record("end")
    return {"n": n, "nonce": nonce}


def around(ctx: Context, call: Callable[[], Any]) -> Any:
    ctx.seen = ctx.job_type  # type: ignore[attr-defined]
    return call()


HANDLERS = [
    echo, context, fail_times, non_retryable, retry_after, snooze, cancelled, gate, stubborn, progress, big, typed,
    middleware, log, soak,
]  # fmt: skip


class Sealed:
    """A codec after which the server cannot read what it has."""

    def encode(self, value: Any) -> Any:
        return {"sealed": base64.b64encode(json.dumps(value).encode()).decode()}

    def decode(self, value: Any) -> Any:
        if isinstance(value, dict) and value.keys() == {"sealed"}:
            return json.loads(base64.b64decode(value["sealed"]))
        return value


CODEC = Sealed() if os.environ.get("CONFORMANCE_CODEC") else None


def worker_client() -> Client:
    if (silence := os.environ.get("CONFORMANCE_SILENCE")) and os.environ.get("TRUNKLINE_TRANSPORT") == "grpc":
        from trunkline.grpc import GrpcTransport

        return Client(transport=GrpcTransport.from_environment(silence=silence), codec=CODEC)
    return Client(codec=CODEC)


def worker() -> None:
    Worker(
        worker_client(),
        HANDLERS,
        concurrency=int(os.environ.get("CONFORMANCE_CONCURRENCY", "8")),
        poll_wait=os.environ.get("CONFORMANCE_POLL_WAIT", "20s"),
        middleware=[around],
        build=os.environ.get("CONFORMANCE_BUILD"),
        builds=os.environ["CONFORMANCE_BUILDS"].split(",") if os.environ.get("CONFORMANCE_BUILDS") else None,
    ).run()


OPTIONS = {
    "priority": "priority", "delay": "delay", "runAt": "run_at", "uniqueKey": "unique_key",
    "concurrencyKey": "concurrency_key", "maxRetries": "max_retries", "backoff": "backoff", "timeout": "timeout",
    "tags": "tags", "tenant": "tenant", "traceparent": "traceparent", "idempotencyKey": "idempotency_key",
    "version": "version", "correlationId": "correlation_id",
}  # fmt: skip


def options(args: dict[str, Any]) -> dict[str, Any]:
    return {OPTIONS[name]: value for name, value in args.get("options", {}).items()}


class Calls:
    """The calls of the protocol; names are those of the table."""

    def __init__(self, opened: Callable[[], None]) -> None:
        self.client = Client(codec=CODEC)
        self.opened = opened

    def enqueue(self, args: dict[str, Any]) -> Any:
        job = self.client.enqueue(args["type"], args["data"], **options(args))
        return {"id": job.id, "existing": job.existing}

    def batch(self, args: dict[str, Any]) -> Any:
        jobs = [self.client.job_request(one["type"], one["data"], **options(one)) for one in args["jobs"]]
        results = self.client.batch(jobs, partial=args.get("partial", False))
        return [{"id": one.id} if isinstance(one, Job) else {"error": {"code": one.code}} for one in results]

    def wait(self, args: dict[str, Any]) -> Any:
        return self.client.job(args["job"]).wait(args["timeout"])

    def job(self, args: dict[str, Any]) -> Any:
        return self.client.job(args["job"]).read()

    def cancel(self, args: dict[str, Any]) -> Any:
        return self.client.job(args["job"]).cancel()

    def push(self, args: dict[str, Any]) -> Any:
        return self.client.push(args["definition"])

    def start(self, args: dict[str, Any]) -> Any:
        return {"id": self.client.start(args["workflow"], args["input"], **options(args)).id}

    def startWait(self, args: dict[str, Any]) -> Any:  # noqa: N802
        return self.client.start(args["workflow"], args["input"]).wait(args["timeout"])

    def waitRun(self, args: dict[str, Any]) -> Any:  # noqa: N802
        return self.client.run(args["run"]).wait(args["timeout"])

    def run(self, args: dict[str, Any]) -> Any:
        return self.client.run(args["run"]).read()

    def nodes(self, args: dict[str, Any]) -> Any:
        return self.client.run(args["run"]).nodes()

    def signal(self, args: dict[str, Any]) -> Any:
        self.client.run(args["run"]).signal(args["name"], args["payload"])

    def cancelRun(self, args: dict[str, Any]) -> Any:  # noqa: N802
        self.client.run(args["run"]).cancel()

    def deadLetters(self, args: dict[str, Any]) -> Any:  # noqa: N802
        return self.client.dead_letters.list(jobType=args["jobType"])

    def requeue(self, args: dict[str, Any]) -> Any:
        changes = {"data": args["data"]} if "data" in args else {}
        self.client.dead_letters.requeue(args["deadLetter"], **changes)

    def schedule(self, args: dict[str, Any]) -> Any:
        return self.client.schedules.create(args["name"], args["workflow"], args["cron"], input=args["input"])

    def schedules(self, args: dict[str, Any]) -> Any:
        return self.client.schedules.list()

    def deleteSchedule(self, args: dict[str, Any]) -> Any:  # noqa: N802
        self.client.schedules.delete(args["schedule"])

    def event(self, args: dict[str, Any]) -> Any:
        interrupt = Interrupt()
        timer = threading.Timer(seconds(args["timeout"]), interrupt.trigger)
        timer.start()
        try:
            for event in self.client.events(interrupt=interrupt):
                if not event:
                    self.opened()
                elif event.get("executionId") == args["run"] and event.get("ended"):
                    return event
        finally:
            timer.cancel()
        raise WaitTimeout("no such event")

    def sign(self, args: dict[str, Any]) -> Any:
        return webhooks.sign(args["secret"], args["id"], args["timestamp"], args["body"])

    def verify(self, args: dict[str, Any]) -> Any:
        webhooks.verify(args["secret"], args["headers"], args["body"], now=args["now"])
        return True


KINDS: list[tuple[type[Exception], str]] = [
    (JobFailed, "JobFailed"), (RunFailed, "RunFailed"), (WaitTimeout, "Timeout"), (Problem, "Problem"),
    (InvalidSignature, "InvalidSignature"), (ConnectionFailed, "Connection"),
]  # fmt: skip


def client() -> None:
    lock = threading.Lock()

    def answer(line: dict[str, Any]) -> None:
        with lock:
            sys.stdout.write(json.dumps(line) + "\n")
            sys.stdout.flush()

    def carry_out(request: dict[str, Any]) -> None:
        number = request["id"]
        try:
            if request["call"] == "hello":
                answer({"id": number, "value": {"language": "Python", "lacks": []}})
                return
            calls = Calls(lambda: answer({"id": number, "opened": True}))
            answer({"id": number, "value": getattr(calls, request["call"])(request["args"])})
        except Exception as error:
            kind = next((name for type_, name in KINDS if isinstance(error, type_)), "Other")
            described = {"kind": kind, "message": str(error)}
            for name in ("status", "code"):
                if isinstance(error, TrunklineError) and getattr(error, name, None) is not None:
                    described[name] = getattr(error, name)
            answer({"id": number, "error": described})

    threads = []
    for line in sys.stdin:
        thread = threading.Thread(target=carry_out, args=(json.loads(line),), daemon=True)
        thread.start()
        threads.append(thread)


if __name__ == "__main__":
    {"worker": worker, "client": client}[sys.argv[1]]()
