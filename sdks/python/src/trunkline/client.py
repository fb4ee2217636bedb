"""The client: what a program asks of the server."""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar, overload

from trunkline import _follow, _retry
from trunkline._classes import Runs, RunsAlone
from trunkline._convert import encode
from trunkline._duration import seconds
from trunkline.codec import NoCodec, PayloadCodec
from trunkline.errors import JobFailed, Problem, RunFailed, WaitTimeout
from trunkline.transport import Call, Interrupt, Transport, transport_from

Given = TypeVar("Given")

_JOB_OPTIONS = {
    "priority": "priority",
    "delay": "delay",
    "run_at": "runAt",
    "unique_key": "uniqueKey",
    "concurrency_key": "concurrencyKey",
    "max_retries": "maxRetries",
    "backoff": "backoff",
    "timeout": "timeout",
    "tags": "tags",
    "tenant": "tenant",
    "traceparent": "traceparent",
}
_START_OPTIONS = {
    "version": "version",
    "priority": "priority",
    "tenant": "tenant",
    "tags": "tags",
    "correlation_id": "correlationId",
    "traceparent": "traceparent",
}
_JOB_ENDED = ("COMPLETED", "FAILED", "DEAD_LETTER", "CANCELLED")
_RUN_ENDED = ("COMPLETED", "FAILED", "CANCELLED")
_WAIT_CALL = 20.0


class Client:
    """A client of a server. Safe for concurrent use by threads.

    Defaults are TRUNKLINE_URL, TRUNKLINE_API_KEY and TRUNKLINE_TRANSPORT. `tenant` is the default tenant of calls.
    `call_timeout` is the timeout of a call, including retries.
    """

    def __init__(
        self,
        url: str | None = None,
        api_key: str | None = None,
        tenant: str | None = None,
        transport: str | Transport | None = None,
        *,
        codec: PayloadCodec | None = None,
        call_timeout: str = "30s",
    ) -> None:
        self.url = url or os.environ.get("TRUNKLINE_URL")
        self.transport = transport_from(url, api_key, transport)
        self.tenant = tenant
        self.codec: PayloadCodec = codec or NoCodec()
        self.call_timeout = seconds(call_timeout)
        self.schedules = Schedules(self)
        self.dead_letters = DeadLetters(self)

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes idle connections."""
        self.transport.close()

    def call(
        self,
        operation: str,
        body: Any = None,
        *,
        path: dict[str, str] | None = None,
        query: dict[str, Any] | None = None,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> Any:
        """Calls an operation by its name in the OpenAPI document, and returns the body of the response."""
        within = self.call_timeout if timeout is None else timeout
        key = idempotency_key or str(uuid.uuid4())
        call = Call(operation, path or {}, query or {}, body, key, timeout=within)
        return _retry.invoke(self.transport, call, time.monotonic() + within).body

    def enqueue(self, job_type: Any, data: Any = None, *, idempotency_key: str | None = None, **options: Any) -> Job:
        """Enqueues a job by job type, or by the function of an activity.

        Options: priority, delay, run_at, unique_key, concurrency_key, max_retries, backoff, timeout, tags, tenant,
        traceparent.
        """
        body = self.job_request(job_type, data, **options)
        answer = self.call("enqueue_job", body, idempotency_key=idempotency_key)
        return Job(self, answer["id"], bool(answer.get("existing")))

    def batch(self, jobs: Sequence[Any], *, partial: bool = False) -> list[Job | Problem]:
        """Enqueues many jobs, as returned by `job_request`, in one commit. With `partial`, the result of an invalid
        job is a Problem; otherwise, an invalid job rejects the batch.
        """  # noqa: D205
        results = self.call("enqueue_jobs", {"jobs": list(jobs), "partial": partial})["results"]
        return [self._batch_result(result) for result in results]

    def _batch_result(self, result: dict[str, Any]) -> Job | Problem:
        if "error" in result:
            error = result["error"]
            return Problem(error["status"], error["code"], error["detail"], error.get("errors"))
        return Job(self, result["id"], bool(result.get("existing")))

    def job_request(self, job_type: Any, data: Any = None, **options: Any) -> dict[str, Any]:
        """The body of an enqueue, for `batch`."""
        defaults: dict[str, Any] = {}
        if not isinstance(job_type, str):
            defaults = {"timeout": job_type.timeout, "max_retries": job_type.max_retries}
            job_type = job_type.name
        given = {name: value for name, value in {**defaults, **options}.items() if value is not None}
        if self.tenant is not None:
            given.setdefault("tenant", self.tenant)
        named = _named(given, _JOB_OPTIONS)
        return {"jobType": job_type, "data": self.codec.encode(encode({} if data is None else data)), **named}

    def job(self, job_id: str) -> Job:
        """A job by its id."""
        return Job(self, job_id)

    @overload
    def start(self, workflow: str, input: Any = None, *, idempotency_key: str | None = None, **options: Any) -> Run: ...
    @overload
    def start(
        self,
        workflow: type[Runs[Given, Any]],
        input: Given | Mapping[str, Any],
        *,
        idempotency_key: str | None = None,
        **options: Any,
    ) -> Run: ...
    @overload
    def start(self, workflow: type[RunsAlone[Any]], *, idempotency_key: str | None = None, **options: Any) -> Run: ...

    def start(self, workflow: Any, input: Any = None, *, idempotency_key: str | None = None, **options: Any) -> Run:
        """Starts an execution by the workflow's name or class.

        Options: version, priority, tenant, tags, correlation_id, traceparent.
        """
        name = workflow if isinstance(workflow, str) else workflow.__trunkline__.name
        given = {key: value for key, value in options.items() if value is not None}
        if self.tenant is not None:
            given.setdefault("tenant", self.tenant)
        body = {"workflow": name, "input": encode({} if input is None else input), **_named(given, _START_OPTIONS)}
        answer = self.call("start_execution", body, idempotency_key=idempotency_key)
        return Run(self, answer["id"])

    def run(self, run_id: str) -> Run:
        """An execution by its id."""
        return Run(self, run_id)

    def push(self, definition: Any) -> dict[str, Any]:
        """Registers a definition, or a workflow class with its source places: its name, version and content hash."""
        if isinstance(definition, type):
            from trunkline.compiler import compiled

            definition = compiled(definition)
        places = getattr(definition, "places", None)
        if places is not None:
            definition = definition.definition
        answer: dict[str, Any] = self.call("register_workflow", definition)
        if places:
            self._push_places(answer, places)
        return answer

    def _push_places(self, registered: dict[str, Any], places: dict[str, dict[str, Any]]) -> None:
        """Where the nodes are in the source, beside the version: its content and hash do not depend on it."""
        path = {"name": registered["name"], "version": str(registered["version"])}
        try:
            self.call("put_source", {"nodes": places}, path=path)
        except Problem as problem:
            # A server before this call, or a key that may only register: nothing but the places is missing.
            if problem.status not in (403, 404, 405):
                raise

    def workflow(self, name: str, version: int | None = None) -> dict[str, Any]:
        """A registered workflow with its definition (default: the latest version)."""
        path = {"name": name} if version is None else {"name": name, "version": str(version)}
        answer: dict[str, Any] = self.call("get_workflow" if version is None else "get_version", path=path)
        return answer

    def send_event(
        self,
        name: str,
        data: Any = None,
        *,
        id: str | None = None,
        tenant: str | None = None,
        idempotency_key: str | None = None,
    ) -> str:
        """Sends an event, which starts workflows and wakes executions, and returns the ID of its delivery.

        A second event with the same name and `id` within 24 hours does nothing, and gives the first delivery.
        """
        given = {"id": id, "tenant": tenant if tenant is not None else self.tenant}
        body = {"name": name, "data": encode(data), **{key: one for key, one in given.items() if one is not None}}
        return str(self.call("send_event", body, idempotency_key=idempotency_key)["deliveryId"])

    def events(self, *, interrupt: Interrupt | None = None) -> Iterator[dict[str, Any]]:
        """The stream of changes of jobs, executions and queues. The first value is empty: the stream is open.

        A stream that breaks is opened again, and `{"kind": "resync"}` comes first then: what changed meanwhile is not
        repeated, so read again. Raises ConnectionFailed where the first one cannot be opened, Problem where the server
        refuses. `interrupt` ends it.
        """
        return _follow.follow(self.transport, Call("stream_events", timeout=90.0, interrupt=interrupt))


class Job:
    """A job on the server."""

    def __init__(self, client: Client, job_id: str, existing: bool = False) -> None:
        self.client = client
        self.id = job_id
        #: Whether a job with the same unique key was there already.
        self.existing = existing

    def __repr__(self) -> str:
        return f"Job({self.id!r})"

    def read(self) -> dict[str, Any]:
        """The job as the server shows it."""
        answer: dict[str, Any] = self.client.call("get_job", path={"id": self.id})
        return answer

    def status(self) -> str:
        """Its status, such as QUEUED or COMPLETED."""
        return str(self.read()["status"])

    def cancel(self) -> None:
        """Cancels the job. The handler of a running job is notified with its next heartbeat."""
        self.client.call("cancel_job", path={"id": self.id})

    def wait(self, timeout: str = "30s") -> Any:
        """Waits for the result. Raises JobFailed, or WaitTimeout after the timeout."""
        end, pause = time.monotonic() + seconds(timeout), 0.02
        while True:
            job = self.read()
            if job["status"] in _JOB_ENDED:
                return self._result(job)
            left = end - time.monotonic()
            if left <= 0:
                raise WaitTimeout(f"{self.id} is {job['status']} after {timeout}")
            time.sleep(min(pause, left))
            pause = min(pause * 1.5, 1.0)

    def _result(self, job: dict[str, Any]) -> Any:
        if job["status"] == "COMPLETED":
            return self.client.codec.decode(job.get("result"))
        error = job.get("error") or {}
        is_cancelled = job["status"] == "CANCELLED"
        message = error.get("message") or f"the job is {job['status']}"
        code = "cancelled" if is_cancelled else error.get("code")
        raise JobFailed(self.id, job["status"], message, code, error.get("details"))


class Run:
    """An execution of a workflow."""

    def __init__(self, client: Client, run_id: str) -> None:
        self.client = client
        self.id = run_id

    def __repr__(self) -> str:
        return f"Run({self.id!r})"

    @property
    def _path(self) -> dict[str, str]:
        return {"id": self.id}

    def read(self) -> dict[str, Any]:
        """The execution as the server shows it."""
        answer: dict[str, Any] = self.client.call("get_execution", path=self._path)
        return answer

    def status(self) -> str:
        """Its status, such as RUNNING, WAITING or COMPLETED."""
        return str(self.read()["status"])

    def output(self) -> Any:
        """Its output; None until it is completed."""
        return self.read().get("output")

    def nodes(self) -> list[dict[str, Any]]:
        """Its nodes with status, input and output."""
        items: list[dict[str, Any]] = self.client.call("list_nodes", path=self._path)["items"]
        return items

    def signal(self, name: str, payload: Any = None, *, idempotency_key: str | None = None) -> int:
        """Sends a signal and returns the position of the command."""
        answer = self.client.call(
            "signal_execution",
            {"payload": encode(payload)},
            path={**self._path, "name": name},
            idempotency_key=idempotency_key,
        )
        return int(answer["commandPosition"])

    def complete_user_task(self, node: str, output: Any = None) -> None:
        """Submits the output of a user task."""
        self.client.call("complete_user_task", {"output": encode(output)}, path={**self._path, "nodeId": node})

    def cancel(self, reason: str | None = None, *, compensate: bool = False) -> None:
        """Cancels the execution, optionally with compensation of completed nodes."""
        body = {"compensate": compensate, **({"reason": reason} if reason else {})}
        self.client.call("cancel_execution", body, path=self._path)

    def retry(self) -> None:
        """Retries a failed execution from its failed nodes."""
        self.client.call("retry_execution", path=self._path)

    def wait(self, timeout: str = "30s") -> Any:
        """Waits for the output. Raises RunFailed, or WaitTimeout after the timeout."""
        end = time.monotonic() + seconds(timeout)
        while True:
            left = max(0.001, end - time.monotonic())
            span = min(left, _WAIT_CALL)
            query = {"wait": True, "timeout": f"{max(1, round(span * 1000))}ms"}
            run = self.client.call("get_execution", path=self._path, query=query, timeout=span + 10.0)
            if run["status"] in _RUN_ENDED:
                return self._output(run)
            if time.monotonic() >= end:
                raise WaitTimeout(f"{self.id} is {run['status']} after {timeout}")

    def _output(self, run: dict[str, Any]) -> Any:
        if run["status"] == "COMPLETED":
            return run.get("output")
        error = run.get("error") or {}
        message = error.get("message") or f"the execution is {run['status']}"
        code = "cancelled" if run["status"] == "CANCELLED" else error.get("code")
        raise RunFailed(self.id, run["status"], message, code, error.get("node"))


class Schedules:
    """The schedules of a server."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def create(self, name: str, workflow: str, cron: str, **options: Any) -> dict[str, Any]:
        """Makes a schedule. Options are those of REST, such as timezone, input, misfire, overlap, paused."""
        body = {"name": name, "workflow": workflow, "cron": cron, **encode(options)}
        return dict(self._client.call("create_schedule", body))

    def list(self, **filters: Any) -> list[dict[str, Any]]:
        """All schedules that fit."""
        return _all_pages(self._client, "list_schedules", filters)

    def get(self, schedule: str) -> dict[str, Any]:
        """One schedule."""
        return dict(self._client.call("get_schedule", path={"id": schedule}))

    def delete(self, schedule: str) -> None:
        """Deletes one."""
        self._client.call("delete_schedule", path={"id": schedule})

    def pause(self, schedule: str) -> None:
        """Pauses one."""
        self._client.call("pause_schedule", path={"id": schedule})

    def resume(self, schedule: str) -> None:
        """Lets a paused one go on."""
        self._client.call("resume_schedule", path={"id": schedule})

    def run(self, schedule: str) -> dict[str, Any]:
        """Starts an execution now."""
        return dict(self._client.call("run_schedule", path={"id": schedule}))


class DeadLetters:
    """The dead letters of a server."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def list(self, **filters: Any) -> list[dict[str, Any]]:
        """All dead letters that fit. Filters are those of REST, such as jobType, workflow, status, fingerprint."""
        return _all_pages(self._client, "list_dead_letters", filters)

    def get(self, dead_letter: str) -> dict[str, Any]:
        """One dead letter."""
        return dict(self._client.call("get_dead_letter", path={"id": dead_letter}))

    def requeue(self, dead_letter: str, **changes: Any) -> None:
        """Sends one back to its queue, with other data, priority or maxRetries if given."""
        if "data" in changes:
            changes["data"] = self._client.codec.encode(encode(changes["data"]))
        self._client.call("requeue_dead_letter", changes, path={"id": dead_letter})

    def archive(self, dead_letter: str, reason: str) -> None:
        """Puts one away."""
        self._client.call("archive_dead_letter", {"reason": reason}, path={"id": dead_letter})


def _named(options: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
    if unknown := options.keys() - names.keys():
        raise TypeError(f"unknown option {min(unknown)}; there are {', '.join(names)}")
    return {names[name]: encode(value) for name, value in options.items()}


def _all_pages(client: Client, operation: str, filters: dict[str, Any]) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    cursor = None
    while True:
        page = client.call(operation, query={"limit": 500, "cursor": cursor, **filters})
        items.extend(page["items"])
        cursor = page.get("nextCursor")
        if cursor is None:
            return items
