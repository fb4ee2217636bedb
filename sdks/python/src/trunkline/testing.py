"""The test kit in three layers: a handler with a fake context, an in-memory runner, the real binary."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import inspect
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from trunkline._convert import encode
from trunkline.activity import Activity
from trunkline.context import Context
from trunkline.errors import Cancelled, JobFailed, NonRetryable, Problem, RetryAfter, Snooze

_READY_WITHIN = 60.0
_DEV_KEY = "tl_dev_0123456789abcdef0123456789abcdef"


class FakeContext(Context):
    """A context for unit tests. `progressed` and `logged` hold what the handler sent; `cancel()` cancels it."""

    def __init__(self, job_id: str = "job_test", job_type: str = "test", **options: Any) -> None:
        self.progressed: list[Any] = []
        #: Lines as (level, message, fields).
        self.logged: list[tuple[str, str, dict[str, Any]]] = []
        super().__init__(
            job_id=job_id,
            job_type=job_type,
            on_progress=self.progressed.append,
            on_line=lambda *line: self.logged.append(line),
            **options,
        )


@dataclass
class MemoryJob:
    """A job of an InMemoryWorker."""

    id: str
    job_type: str
    data: Any
    max_retries: int
    attempt: int = 1
    status: str = "QUEUED"
    result: Any = None
    error: str | None = None
    code: str | None = None
    progress: Any = None
    #: The lines of all attempts, as (level, message, fields).
    logged: list[tuple[str, str, dict[str, Any]]] = field(default_factory=list)
    #: How often it ran, snoozes included.
    runs: int = 0
    #: The waits that were asked for: those of RetryAfter and Snooze.
    delays: list[str] = field(default_factory=list)


class InMemoryWorker:
    """Runs jobs in the test's own thread, without a server and without waiting: delays and backoffs take no time."""

    def __init__(self, activities: Sequence[Any], *, max_retries: int = 3) -> None:
        self._activities: dict[str, Activity[Any, Any]] = {one.name: one for one in activities}
        self._max_retries = max_retries
        self.jobs: list[MemoryJob] = []

    def enqueue(self, job_type: Any, data: Any = None, *, max_retries: int | None = None) -> MemoryJob:
        """Adds a job by job type or by the function of an activity."""
        name = job_type if isinstance(job_type, str) else job_type.name
        own = self._activities[name].max_retries if name in self._activities else None
        most = next(one for one in (max_retries, own, self._max_retries) if one is not None)
        job = MemoryJob(f"job_{len(self.jobs) + 1}", name, encode({} if data is None else data), most)
        self.jobs.append(job)
        return job

    def run(self, job: MemoryJob) -> Any:
        """Runs one job to its end and returns its result, or raises JobFailed."""
        while job.status == "QUEUED":
            if job.runs > 10_000:
                raise RuntimeError(f"{job.id} snoozes without end")
            self._attempt(job)
        if job.status == "COMPLETED":
            return job.result
        raise JobFailed(job.id, job.status, job.error or "failed", job.code)

    def drain(self) -> list[MemoryJob]:
        """Runs all waiting jobs to their ends."""
        done = [job for job in self.jobs if job.status == "QUEUED" and job.job_type in self._activities]
        for job in done:
            with contextlib.suppress(JobFailed):
                self.run(job)
        return done

    def _attempt(self, job: MemoryJob) -> None:
        job.runs += 1
        context = Context(
            job_id=job.id,
            job_type=job.job_type,
            attempt=job.attempt,
            previous_progress=job.progress,
            on_progress=lambda value: setattr(job, "progress", encode(value)),
            on_line=lambda *line: job.logged.append(line),
        )
        try:
            result = self._activities[job.job_type].invoke(context, job.data)
            if inspect.iscoroutine(result):
                result = asyncio.run(result)
            job.status, job.result = "COMPLETED", encode(result)
        except Snooze as snooze:
            job.delays.append(snooze.delay)
        except RetryAfter as again:
            job.delays.append(again.delay)
            self._fail(job, again.message, None, is_retryable=True)
        except NonRetryable as error:
            self._fail(job, error.message, error.code, is_retryable=False)
        except Cancelled as error:
            self._fail(job, str(error), "cancelled", is_retryable=False)
        except Exception as error:  # a handler's ordinary failure
            self._fail(job, str(error), type(error).__name__, is_retryable=True)

    def _fail(self, job: MemoryJob, message: str, code: str | None, *, is_retryable: bool) -> None:
        job.error, job.code = message, code
        if is_retryable and job.attempt <= job.max_retries:
            job.attempt += 1
        else:
            job.status = "DEAD_LETTER"


class DevServer(str):
    """The URL of a server for tests. `kill` ends it like a crash, `restart` starts it again with its data."""

    _command: list[str]
    _folder: Path
    _environment: dict[str, str]
    _process: subprocess.Popen[bytes] | None
    #: Where its gRPC is.
    grpc_url: str

    def advance(self, duration: str) -> datetime:
        """Advances its time by a duration such as "1d" and returns its time.

        Goes through all timers, retries and schedules. Only with `time_skip=True`. Waits while a job is
        leased or a request is in progress.
        """
        return self._move_time({"advance": duration})

    def skip(self, on: bool) -> datetime:
        """Sets whether its time jumps automatically, and returns its time.

        It jumps to the next timer or retry. Only with `time_skip=True`.
        """
        return self._move_time({"skip": on})

    def _move_time(self, asked: dict[str, Any]) -> datetime:
        connection = http.client.HTTPConnection(self.removeprefix("http://"), timeout=60)
        try:
            headers = {"authorization": f"Bearer {_DEV_KEY}", "content-type": "application/json"}
            connection.request("POST", "/v1/dev/time", json.dumps(asked), headers)
            response = connection.getresponse()
            answer = json.loads(response.read())
        finally:
            connection.close()
        if response.status != 200:
            raise Problem(response.status, answer.get("code", ""), answer.get("detail", ""))
        return datetime.fromisoformat(answer["now"].replace("Z", "+00:00"))

    def restart(self) -> None:
        """Starts it with the same addresses and data, and waits until it is ready."""
        with (self._folder / "server.log").open("ab") as log:
            self._process = subprocess.Popen(
                self._command, cwd=self._folder, stdout=log, stderr=log, env=self._environment
            )
        _wait_ready(self._process, self.removeprefix("http://"), self._folder)

    def kill(self) -> None:
        """Sends SIGKILL: data that is not stored is lost."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def stop(self) -> None:
        """SIGTERM, and SIGKILL if that takes longer than ten seconds."""
        if self._process is not None:
            self._process.send_signal(signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(10)
            self.kill()


@contextlib.contextmanager
def dev_server(binary: str | None = None, *, time_skip: bool = False, **settings: str) -> Iterator[DevServer]:
    """Runs the real binary on a temporary SQLite database and free ports, and yields its URL.

    Finds `trunkline` by TRUNKLINE_BINARY or on the PATH. Settings are names of environment variables without
    `TRUNKLINE_`, such as QUEUES__WORKFLOW_NODE__LEASE="2s". While it runs, TRUNKLINE_URL, TRUNKLINE_GRPC_URL and
    TRUNKLINE_API_KEY are set, so that `Client()` uses it.

    With `time_skip` its time jumps to the next timer or retry while no job is leased and no request is in progress, and
    schedules fire only by `advance`. Its data is removed when it ends.
    """
    program = binary or os.environ.get("TRUNKLINE_BINARY") or shutil.which("trunkline")
    if program is None:
        raise FileNotFoundError("there is no `trunkline` on the PATH; set TRUNKLINE_BINARY or pass binary=")
    folder = Path(tempfile.mkdtemp(prefix="trunkline-dev-"))
    http_address, grpc_address, metrics = (f"127.0.0.1:{port}" for port in _free_ports(3))
    server = DevServer(f"http://{http_address}")
    server.grpc_url = f"http://{grpc_address}"
    server._folder, server._process = folder, None
    verb = ["dev", "--time-skip"] if time_skip else ["serve", "--database-url", f"sqlite://{folder}/trunkline.db"]
    server._command = [program, *verb, "--http", http_address, "--grpc", grpc_address, "--metrics", metrics]
    variables = {f"TRUNKLINE_{name}": value for name, value in settings.items()}
    kept = {k: v for k, v in os.environ.items() if not k.startswith("TRUNKLINE_") and k not in ("DATABASE_URL", "PORT")}
    server._environment = {**kept, **variables, "TRUNKLINE_BOOTSTRAP_KEY": _DEV_KEY, "TMPDIR": str(folder)}
    names = {"TRUNKLINE_URL": str(server), "TRUNKLINE_GRPC_URL": server.grpc_url, "TRUNKLINE_API_KEY": _DEV_KEY}
    before = {name: os.environ.get(name) for name in names}
    try:
        server.restart()
        os.environ.update(names)
        yield server
    finally:
        for name, value in before.items():
            os.environ.pop(name, None) if value is None else os.environ.__setitem__(name, value)
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


def _free_ports(count: int) -> list[int]:
    """Ports that nobody uses now, all of them different."""
    with contextlib.ExitStack() as stack:
        probes = [stack.enter_context(socket.socket()) for _ in range(count)]
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [int(probe.getsockname()[1]) for probe in probes]


def _wait_ready(process: subprocess.Popen[bytes], address: str, folder: Path) -> None:
    end = time.monotonic() + _READY_WITHIN
    while True:
        if process.poll() is not None or time.monotonic() > end:
            raise RuntimeError(f"the server did not start: {(folder / 'server.log').read_text()[-2000:]}")
        connection = http.client.HTTPConnection(address, timeout=2)
        try:
            connection.request("GET", "/readyz")
            if connection.getresponse().status == 200:
                return
        except OSError:
            pass
        finally:
            connection.close()
        time.sleep(0.05)  # between two looks of the poll
