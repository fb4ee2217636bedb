"""A TCP proxy between one node and PostgreSQL, whose connections a fault can stall, reset, or rob of an answer."""

from __future__ import annotations

import asyncio
import threading


class Proxy:
    """Listens on a free port of loopback and forwards to `target`. All proxies share one event loop in a thread."""

    _loop: asyncio.AbstractEventLoop | None = None
    _lock = threading.Lock()

    def __init__(self, target: int) -> None:
        self.target = target
        self._open = asyncio.Event()
        self._open.set()
        self._pairs: set[tuple[asyncio.StreamWriter, asyncio.StreamWriter]] = set()
        # How many of the next commits lose their answer: the database carries them out, then the connection is reset.
        self._robbed = 0
        self.port: int = self._call(self._listen())

    @classmethod
    def _call(cls, coroutine):  # type: ignore[no-untyped-def]
        with cls._lock:
            if cls._loop is None:
                cls._loop = asyncio.new_event_loop()
                threading.Thread(target=cls._loop.run_forever, daemon=True).start()
        return asyncio.run_coroutine_threadsafe(coroutine, cls._loop).result(timeout=10)

    async def _listen(self) -> int:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        return self._server.sockets[0].getsockname()[1]

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            there, back = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:
            writer.transport.abort()
            return
        pair = (writer, back)
        self._pairs.add(pair)
        try:
            robbed = asyncio.Event()
            ways = [
                asyncio.ensure_future(self._up(reader, back, robbed)),
                asyncio.ensure_future(self._down(there, writer, robbed)),
            ]
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
            for way in ways:
                way.cancel()
            # A side that is gone is what ends a connection; nothing else is expected to fail.
            for ended in await asyncio.gather(*ways, return_exceptions=True):
                if isinstance(ended, Exception) and not isinstance(ended, OSError):
                    raise ended
        finally:
            self._pairs.discard(pair)
            for side in pair:
                side.transport.abort()

    async def _up(self, reader: asyncio.StreamReader, back: asyncio.StreamWriter, robbed: asyncio.Event) -> None:
        while data := await reader.read(1 << 16):
            await self._open.wait()
            # A commit is a simple query, or a statement by itself that ends with Sync ('S', length 4).
            if self._robbed > 0 and (b"COMMIT" in data or data.endswith(b"S\x00\x00\x00\x04")):
                self._robbed -= 1
                robbed.set()
            back.write(data)
            await back.drain()

    async def _down(self, there: asyncio.StreamReader, writer: asyncio.StreamWriter, robbed: asyncio.Event) -> None:
        while data := await there.read(1 << 16):
            await self._open.wait()
            if robbed.is_set():
                return
            writer.write(data)
            await writer.drain()

    def stall(self) -> None:
        """Holds back everything in both directions, without a word."""
        self._call(self._set_open(False))

    def resume(self) -> None:
        """Lets everything through again."""
        self._call(self._set_open(True))

    async def _set_open(self, is_open: bool) -> None:
        if is_open:
            self._open.set()
        else:
            self._open.clear()

    def connections(self) -> int:
        """How many there are."""
        return len(self._pairs)

    def reset(self) -> int:
        """Resets every connection. Answers how many there were."""
        return self._call(self._reset())

    async def _reset(self) -> int:
        pairs = list(self._pairs)
        for pair in pairs:
            for side in pair:
                side.transport.abort()
        return len(pairs)

    def rob_commits(self, count: int) -> int:
        """The next so many commits are carried out, and their answers are lost with their connections. Answers how many were left
        of those that were asked for before."""
        left, self._robbed = self._robbed, count
        return left
