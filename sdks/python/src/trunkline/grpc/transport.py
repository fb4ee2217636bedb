"""The transport over gRPC: the operations of REST by the methods that mirror them."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from email.utils import parsedate_to_datetime
from typing import Any

import grpc

from trunkline._duration import seconds
from trunkline._generated import OPERATIONS
from trunkline.errors import ConnectionFailed, Problem
from trunkline.grpc import values
from trunkline.grpc.contract import Method, method_of
from trunkline.grpc.link import Link
from trunkline.grpc.status import error_of
from trunkline.grpc.stream import JobStream
from trunkline.transport import Answer, Call, StreamListener, grpc_url


class GrpcTransport:
    """Sends all calls over gRPC. Safe for concurrent use by threads.

    `url` is the address of the server's gRPC interface, such as `http://127.0.0.1:9090`; with `https` the connection is
    encrypted, optionally with `credentials` of grpcio. On a worker stream, both sides send a message every `alive`, and
    a stream without messages for `silence` is closed.
    """

    def __init__(
        self,
        url: str,
        api_key: str | None = None,
        *,
        credentials: grpc.ChannelCredentials | None = None,
        alive: str = "20s",
        silence: str = "60s",
    ) -> None:
        self.link = Link(url, credentials)
        self.metadata: tuple[tuple[str, str], ...] = (("authorization", f"Bearer {api_key}"),) if api_key else ()
        self.alive, self.silence = seconds(alive), seconds(silence)

    @classmethod
    def from_environment(cls, **options: Any) -> GrpcTransport:
        """Uses TRUNKLINE_GRPC_URL (default: port 9090 of the host of TRUNKLINE_URL) and TRUNKLINE_API_KEY."""
        return cls(grpc_url(), os.environ.get("TRUNKLINE_API_KEY"), **options)

    def invoke(self, call: Call) -> Answer:
        """Makes a call."""
        method = method_of(call.operation, waits=bool(call.query.get("wait")))
        if method is None or method.is_stream:
            raise Problem(501, "not_over_grpc", f"{call.operation} is only over REST: use TRUNKLINE_TRANSPORT=rest.")
        request = _request(method, call)
        metadata = self.metadata
        if call.idempotency_key and OPERATIONS[call.operation].takes_idempotency_key:
            metadata += (("idempotency-key", call.idempotency_key),)
        with self.link.channel() as channel:
            invoke = channel.unary_unary(
                method.path,
                request_serializer=lambda one: one.SerializeToString(),
                response_deserializer=method.response.FromString,
            )
            under_way = invoke.future(request, timeout=call.timeout, metadata=metadata)
            key = call.interrupt.add(under_way.cancel) if call.interrupt else 0
            try:
                response = under_way.result()
            except grpc.FutureCancelledError:
                raise error_of(under_way, self.link.address) from None
            except grpc.RpcError as error:
                if under_way.code() is grpc.StatusCode.DEADLINE_EXCEEDED:
                    self.link.replace(channel)  # perhaps nobody is there any more
                raise error_of(error, self.link.address) from error
            finally:
                if call.interrupt:
                    call.interrupt.remove(key)
            body = values.read(response)
            return Answer(200, body.get(method.answer) if method.answer else body, clock_ahead(under_way))

    def stream(self, call: Call) -> Iterator[dict[str, Any]]:
        """The messages of a stream. The first value is an empty object, once the stream is open."""
        method = method_of(call.operation, waits=False)
        if method is None or not method.is_stream:
            raise Problem(501, "not_over_grpc", f"{call.operation} is no stream over gRPC.")
        with self.link.channel() as channel:
            open_stream = channel.unary_stream(
                method.path,
                request_serializer=lambda one: one.SerializeToString(),
                response_deserializer=method.response.FromString,
            )
            under_way = open_stream(_request(method, call), metadata=self.metadata)
            key = call.interrupt.add(under_way.cancel) if call.interrupt else 0
            watch = _SilenceWatch(self.silence, under_way.cancel)
            is_open = False
            try:
                while True:
                    with watch:
                        message = next(under_way, None)
                    if message is None:
                        raise ConnectionFailed("the stream of events ended")
                    event = {name: value for name, value in values.read(message).items() if value != ""}
                    # What is empty says that the stream is there.
                    if event or not is_open:
                        is_open = True
                        yield event
            except grpc.RpcError as error:
                if watch.is_silent:
                    self.link.replace(channel)
                    raise ConnectionFailed(f"{self.link.address}: silent for {self.silence:g} s") from error
                raise error_of(error, self.link.address) from error
            finally:
                watch.end()
                under_way.cancel()
                if call.interrupt:
                    call.interrupt.remove(key)

    def connect_worker(self, hello: dict[str, Any], listener: StreamListener) -> JobStream:
        """The stream over which a worker receives its jobs."""
        return JobStream(self, hello, listener)

    def close(self) -> None:
        """Closes the connection."""
        self.link.close()


class _SilenceWatch:
    """Ends a call that is waited for, within `with`, for so many seconds."""

    def __init__(self, limit: float, cancel: Callable[[], Any]) -> None:
        self.is_silent = False
        self._limit, self._cancel = limit, cancel
        self._condition = threading.Condition()
        self._until: float | None = None
        self._is_over = False
        threading.Thread(target=self._run, daemon=True, name="trunkline-events").start()

    def __enter__(self) -> None:
        self._set(time.monotonic() + self._limit)

    def __exit__(self, *_: object) -> None:
        self._set(None)

    def end(self) -> None:
        """The call is over."""
        with self._condition:
            self._is_over = True
            self._condition.notify()

    def _set(self, until: float | None) -> None:
        with self._condition:
            self._until = until
            self._condition.notify()

    def _run(self) -> None:
        with self._condition:
            while not self._is_over:
                left = None if self._until is None else self._until - time.monotonic()
                if left is not None and left <= 0:
                    self.is_silent = True
                    break
                self._condition.wait(left)
        if self.is_silent:
            self._cancel()


def clock_ahead(call: Any) -> float:
    """By how much the server's clock is ahead, by the head of an answer, which has whole seconds."""
    try:
        text = next((value for name, value in call.initial_metadata() or () if name == "date"), "")
        ahead = parsedate_to_datetime(text).timestamp() - time.time()
    except (ValueError, grpc.RpcError):
        return 0.0
    return ahead if abs(ahead) > 2.0 else 0.0


def _request(method: Method, call: Call) -> Any:
    request = method.request()
    if method.body:
        field = request.DESCRIPTOR.fields_by_name[method.body]
        if isinstance(call.body, str) and field.type == field.TYPE_BYTES:
            setattr(request, method.body, call.body.encode())  # a definition in YAML
        else:
            values.write(request, {field.json_name: call.body})
    elif call.body is not None:
        values.write(request, call.body)
    names = {field.json_name: field for field in request.DESCRIPTOR.fields}
    for name, value in {**call.query, **call.path}.items():
        if value is None or (name == "wait" and name not in names):
            continue
        field = names.get(name)
        if field is None:
            raise Problem(422, "invalid", f"There is no parameter {name} over gRPC.")
        values.write(request, {name: _parameter(field, value)})
    return request


def _parameter(field: Any, value: Any) -> Any:
    """A parameter, which may be text, as its field wants it."""
    if field.type == field.TYPE_STRING:
        return value if isinstance(value, str) else str(value)
    if field.type == field.TYPE_BOOL and isinstance(value, str):
        return value == "true"
    return int(value) if isinstance(value, str) and value.lstrip("-").isdigit() else value
