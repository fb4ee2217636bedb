"""The event loop of handlers that are coroutines."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from typing import Any


class LoopThread:
    """An event loop in a thread of its own, for handlers that are coroutines."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, daemon=True, name="trunkline-async")
        self._thread.start()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()

    def submit(
        self, coroutine: Coroutine[Any, Any, Any], done: Callable[[asyncio.Task[Any]], None]
    ) -> Callable[[], None]:
        """Runs a coroutine and calls `done` in the loop; the answer cancels it from any thread."""
        tasks: list[asyncio.Task[Any]] = []

        def start() -> None:
            task = self._loop.create_task(coroutine)
            tasks.append(task)
            task.add_done_callback(done)

        self._loop.call_soon_threadsafe(start)
        return lambda: self._loop.call_soon_threadsafe(lambda: [task.cancel() for task in tasks])  # type: ignore[return-value]

    def close(self) -> None:
        """Stops the loop."""
        self._loop.call_soon_threadsafe(self._loop.stop)
