"""The interface of transports: operations by their names, whatever carries them."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol
from urllib.parse import urlsplit

URL_DEFAULT = "http://127.0.0.1:8080"
GRPC_PORT_DEFAULT = 9090


class Interrupt:
    """Ends calls from another thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._closers: dict[int, Callable[[], None]] = {}
        self._is_set = False

    @property
    def is_set(self) -> bool:
        """Whether it was triggered."""
        return self._is_set

    def trigger(self) -> None:
        """Ends calls in progress, and later calls when they start."""
        with self._lock:
            self._is_set = True
            closers = list(self._closers.values())
        for close in closers:
            close()

    def add(self, close: Callable[[], None]) -> int:
        """Registers a function that ends a call. It is called immediately if the interrupt was already triggered."""
        with self._lock:
            key = id(close)
            self._closers[key] = close
            is_set = self._is_set
        if is_set:
            close()
        return key

    def remove(self, key: int) -> None:
        """The call ended by itself."""
        with self._lock:
            self._closers.pop(key, None)


@dataclass
class Call:
    """One call of an operation of the server. Names are those of the OpenAPI document."""

    operation: str
    path: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, Any] = field(default_factory=dict)
    body: Any = None
    idempotency_key: str | None = None
    #: How long the answer may take, in seconds.
    timeout: float = 30.0
    interrupt: Interrupt | None = None


@dataclass
class Answer:
    """A successful response."""

    status: int
    body: Any
    #: By how many seconds the server's clock is ahead of ours, to about a second; 0 where it is not known.
    clock_ahead: float = 0.0


class Transport(Protocol):
    """Sends calls to the server. A call is attempted once: the caller decides about retries.

    Raises `Problem` if the server rejects the call, `ConnectionFailed` if no complete response was received.
    """

    def invoke(self, call: Call) -> Answer:
        """Makes a call."""

    def stream(self, call: Call) -> Iterator[dict[str, Any]]:
        """The messages of a streaming operation, until it is closed or broken."""

    def close(self) -> None:
        """Closes what is open."""


class StreamListener(Protocol):
    """What a stream of jobs asks of its worker, and says to it. Called from the stream's own threads."""

    def free_slots(self) -> int:
        """How many more handlers may begin."""

    def take(self, job: dict[str, Any], clock_ahead: float) -> None:
        """Begins a job."""

    def lose(self, job_id: str, reason: str) -> None:
        """A job is not the worker's any more."""

    def drain(self) -> None:
        """An operator drains the worker: it gets no more jobs, and ends."""

    def failed(self, failures: int, error: Exception) -> None:
        """The stream broke, or could not be opened, so often in a row."""


class JobSource(Protocol):
    """A stream over which jobs come. Reports are made by `invoke`, as over a transport."""

    def start(self) -> None:
        """Opens it."""

    def invoke(self, call: Call) -> Answer:
        """Makes a report over the stream, or beside it."""

    def slots_changed(self) -> None:
        """A handler ended, or more may begin."""

    def silent_for(self) -> float | None:
        """The seconds since something came over it; None while no stream is open."""

    def is_late(self) -> bool:
        """Whether nothing came for longer than the server lets pass."""

    def stop(self) -> None:
        """Takes no more jobs. Reports go on."""

    def close(self) -> None:
        """Ends it."""


def transport_from(
    url: str | None = None, api_key: str | None = None, transport: str | Transport | None = None
) -> Transport:
    """The transport by arguments, or else by TRUNKLINE_TRANSPORT, TRUNKLINE_URL and TRUNKLINE_API_KEY."""
    chosen = transport or os.environ.get("TRUNKLINE_TRANSPORT") or "rest"
    if not isinstance(chosen, str):
        return chosen
    if chosen == "rest":
        from trunkline.rest import RestTransport

        return RestTransport(
            url or os.environ.get("TRUNKLINE_URL") or URL_DEFAULT, api_key or os.environ.get("TRUNKLINE_API_KEY")
        )
    if chosen == "grpc":
        from trunkline.grpc import GrpcTransport

        key = api_key or os.environ.get("TRUNKLINE_API_KEY")
        return GrpcTransport(grpc_url(url), key)
    if chosen == "kafka":
        from trunkline.kafka import KafkaTransport

        return KafkaTransport(url, api_key)
    raise ValueError(f"TRUNKLINE_TRANSPORT={chosen}: there is no such transport; use `rest`, `grpc` or `kafka`")


def grpc_url(url: str | None = None) -> str:
    """The address of gRPC: that of TRUNKLINE_GRPC_URL, else port 9090 of the host that the other address names."""
    own = os.environ.get("TRUNKLINE_GRPC_URL")
    if url is None and own:
        return own
    parts = urlsplit(url or os.environ.get("TRUNKLINE_URL") or URL_DEFAULT)
    host = parts.hostname or ""
    return f"{parts.scheme}://{f'[{host}]' if ':' in host else host}:{GRPC_PORT_DEFAULT}"
