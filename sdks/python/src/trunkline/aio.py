"""The client for asyncio. Calls run in threads of its own, so that the core needs no other library."""

from __future__ import annotations

import asyncio
import contextlib
import functools
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from trunkline.client import Client, Job, Run
from trunkline.errors import Problem
from trunkline.transport import Interrupt

T = TypeVar("T")


class AsyncClient:
    """Like `Client`, with coroutines. `connections` is the maximum number of concurrent calls."""

    def __init__(self, *args: Any, connections: int = 32, **options: Any) -> None:
        self.sync = Client(*args, **options)
        self._pool = ThreadPoolExecutor(connections, thread_name_prefix="trunkline-client")

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_exception: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes idle connections."""
        self.sync.close()
        self._pool.shutdown(wait=False, cancel_futures=True)

    async def do(self, function: Callable[..., T], *args: Any, **options: Any) -> T:
        """Runs a call of the other client in a thread."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._pool, functools.partial(function, *args, **options))

    async def call(self, operation: str, body: Any = None, **options: Any) -> Any:
        """As `Client.call`."""
        return await self.do(self.sync.call, operation, body, **options)

    async def enqueue(self, job_type: Any, data: Any = None, **options: Any) -> AsyncJob:
        """As `Client.enqueue`."""
        return AsyncJob(self, await self.do(self.sync.enqueue, job_type, data, **options))

    async def batch(self, jobs: Sequence[Any], *, partial: bool = False) -> list[AsyncJob | Problem]:
        """As `Client.batch`."""
        results = await self.do(self.sync.batch, jobs, partial=partial)
        return [AsyncJob(self, one) if isinstance(one, Job) else one for one in results]

    def job_request(self, job_type: Any, data: Any = None, **options: Any) -> dict[str, Any]:
        """As `Client.job_request`."""
        return self.sync.job_request(job_type, data, **options)

    def job(self, job_id: str) -> AsyncJob:
        """A job by its id."""
        return AsyncJob(self, self.sync.job(job_id))

    async def start(self, workflow: Any, input: Any = None, **options: Any) -> AsyncRun:
        """As `Client.start`."""
        return AsyncRun(self, await self.do(self.sync.start, workflow, input, **options))

    def run(self, run_id: str) -> AsyncRun:
        """An execution by its id."""
        return AsyncRun(self, self.sync.run(run_id))

    async def push(self, definition: Any) -> dict[str, Any]:
        """As `Client.push`."""
        return await self.do(self.sync.push, definition)

    async def workflow(self, name: str, version: int | None = None) -> dict[str, Any]:
        """As `Client.workflow`."""
        return await self.do(self.sync.workflow, name, version)

    async def schedules(self, verb: str, *args: Any, **options: Any) -> Any:
        """A method of `Client.schedules` by its name, such as create, list or delete."""
        return await self.do(getattr(self.sync.schedules, verb), *args, **options)

    async def dead_letters(self, verb: str, *args: Any, **options: Any) -> Any:
        """A method of `Client.dead_letters` by its name, such as list or requeue."""
        return await self.do(getattr(self.sync.dead_letters, verb), *args, **options)

    async def send_event(self, name: str, data: Any = None, **options: Any) -> str:
        """As `Client.send_event`."""
        return await self.do(self.sync.send_event, name, data, **options)

    async def events(self) -> AsyncIterator[dict[str, Any]]:
        """As `Client.events`; leaving the loop closes the stream."""
        interrupt = Interrupt()
        stream = self.sync.events(interrupt=interrupt)
        try:
            while (event := await self.do(next, stream, None)) is not None:
                yield event
        finally:
            interrupt.trigger()
            with contextlib.suppress(Exception):
                stream.close()  # type: ignore[attr-defined]


class AsyncJob:
    """A job on the server."""

    def __init__(self, client: AsyncClient, job: Job) -> None:
        self._client, self._job = client, job
        self.id, self.existing = job.id, job.existing

    async def read(self) -> dict[str, Any]:
        """As `Job.read`."""
        return await self._client.do(self._job.read)

    async def status(self) -> str:
        """As `Job.status`."""
        return await self._client.do(self._job.status)

    async def cancel(self) -> None:
        """As `Job.cancel`."""
        await self._client.do(self._job.cancel)

    async def wait(self, timeout: str = "30s") -> Any:
        """As `Job.wait`."""
        return await self._client.do(self._job.wait, timeout)


class AsyncRun:
    """An execution of a workflow."""

    def __init__(self, client: AsyncClient, run: Run) -> None:
        self._client, self._run = client, run
        self.id = run.id

    async def read(self) -> dict[str, Any]:
        """As `Run.read`."""
        return await self._client.do(self._run.read)

    async def status(self) -> str:
        """As `Run.status`."""
        return await self._client.do(self._run.status)

    async def output(self) -> Any:
        """As `Run.output`."""
        return await self._client.do(self._run.output)

    async def nodes(self) -> list[dict[str, Any]]:
        """As `Run.nodes`."""
        return await self._client.do(self._run.nodes)

    async def signal(self, name: str, payload: Any = None) -> int:
        """As `Run.signal`."""
        return await self._client.do(self._run.signal, name, payload)

    async def complete_user_task(self, node: str, output: Any = None) -> None:
        """As `Run.complete_user_task`."""
        await self._client.do(self._run.complete_user_task, node, output)

    async def cancel(self, reason: str | None = None, *, compensate: bool = False) -> None:
        """As `Run.cancel`."""
        await self._client.do(self._run.cancel, reason, compensate=compensate)

    async def retry(self) -> None:
        """As `Run.retry`."""
        await self._client.do(self._run.retry)

    async def wait(self, timeout: str = "30s") -> Any:
        """As `Run.wait`."""
        return await self._client.do(self._run.wait, timeout)
