"""The transport over HTTP, with nothing but the standard library."""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
import threading
import time
from collections import deque
from collections.abc import Iterator
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from trunkline._generated import OPERATIONS, Operation
from trunkline.errors import ConnectionFailed, Problem
from trunkline.transport import Answer, Call

_IDLE_MAX = 32
_NEW_OPERATIONS = {
    "release_jobs": Operation("POST", "/v1/jobs/release", False),
    "put_source": Operation("PUT", "/v1/workflows/{name}/versions/{version}/source", True),
}
_BROKEN = (OSError, http.client.HTTPException)


class RestTransport:
    """Keeps connections open between calls. May be used by many threads at once."""

    def __init__(self, url: str, api_key: str | None) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"TRUNKLINE_URL: {url!r} is not an address with http:// or https://")
        self._parts, self._api_key = parts, api_key
        self._idle: deque[http.client.HTTPConnection] = deque(maxlen=_IDLE_MAX)
        self._lock = threading.Lock()
        self._is_closed = False

    def invoke(self, call: Call) -> Answer:
        """Makes a call. One over a connection that turns out to be closed is made over a new one."""
        method, target, headers, content = self._prepare(call)
        while True:
            connection, is_fresh = self._take(call.timeout)
            try:
                return self._exchange(connection, call, (method, target, headers, content))
            except _StaleConnection:
                if is_fresh:
                    raise ConnectionFailed(f"{self._parts.netloc} closed the connection without an answer") from None

    def stream(self, call: Call) -> Iterator[dict[str, Any]]:
        """The data of server-sent events. The first value is an empty object, once the stream is open."""
        method, target, headers, content = self._prepare(call)
        connection = self._open(call.timeout)
        close = _closer(connection)
        key = call.interrupt.add(close) if call.interrupt else 0
        try:
            connection.request(method, target, content, {**headers, "accept": "text/event-stream"})
            response = connection.getresponse()
            if response.status >= 300:
                raise _problem(response, response.read())
            yield {}
            for line in response:
                if line.startswith(b"data:"):
                    yield json.loads(line[5:])
            raise ConnectionFailed("the stream of events ended")
        except _BROKEN as error:
            raise ConnectionFailed(f"{self._parts.netloc}: {error or type(error).__name__}") from error
        finally:
            if call.interrupt:
                call.interrupt.remove(key)
            connection.close()

    def close(self) -> None:
        """Closes idle connections. Calls that are under way end by themselves."""
        with self._lock:
            self._is_closed = True
            while self._idle:
                self._idle.pop().close()

    def _prepare(self, call: Call) -> tuple[str, str, dict[str, str], bytes | None]:
        operation = OPERATIONS.get(call.operation) or _NEW_OPERATIONS[call.operation]
        path = operation.path
        for name, value in call.path.items():
            path = path.replace("{" + name + "}", quote(value, safe=""))
        query = {name: _query_text(value) for name, value in call.query.items() if value is not None}
        target = self._parts.path.rstrip("/") + path + (f"?{urlencode(query)}" if query else "")
        headers = {"accept": "application/json", "user-agent": "trunkline-python"}
        if self._api_key:
            headers["authorization"] = f"Bearer {self._api_key}"
        if call.idempotency_key and operation.takes_idempotency_key:
            headers["idempotency-key"] = call.idempotency_key
        content = None
        if call.body is not None:
            content = json.dumps(call.body, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
            headers["content-type"] = "application/json"
        return operation.method, target, headers, content

    def _take(self, timeout: float) -> tuple[http.client.HTTPConnection, bool]:
        with self._lock:
            connection = self._idle.pop() if self._idle else None
        if connection is None:
            return self._open(timeout), True
        if connection.sock is not None:
            connection.sock.settimeout(timeout)
        return connection, False

    def _open(self, timeout: float) -> http.client.HTTPConnection:
        is_secure = self._parts.scheme == "https"
        kind = http.client.HTTPSConnection if is_secure else http.client.HTTPConnection
        connection = kind(self._parts.hostname or "", self._parts.port, timeout=min(timeout, 10.0))
        try:
            connection.connect()
            connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection.sock.settimeout(timeout)
        except OSError as error:
            connection.close()
            raise ConnectionFailed(f"cannot connect to {self._parts.netloc}: {error}") from error
        return connection

    def _exchange(
        self, connection: http.client.HTTPConnection, call: Call, request: tuple[str, str, dict[str, str], bytes | None]
    ) -> Answer:
        method, target, headers, content = request
        key = call.interrupt.add(_closer(connection)) if call.interrupt else 0
        sent_at = time.monotonic()
        try:
            try:
                connection.request(method, target, content, headers)
                response = connection.getresponse()
            except (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError):
                raise _StaleConnection from None
            body = response.read()
        except _StaleConnection:
            connection.close()
            if call.interrupt and call.interrupt.is_set:
                raise ConnectionFailed("the call was interrupted") from None
            raise
        except _BROKEN as error:
            connection.close()
            took = time.monotonic() - sent_at
            raise ConnectionFailed(
                f"{self._parts.netloc}: no whole answer after {took:.1f} s: {error or type(error).__name__}"
            ) from error
        finally:
            if call.interrupt:
                call.interrupt.remove(key)
        self._give_back(connection, response.will_close)
        if response.status >= 300:
            raise _problem(response, body)
        return Answer(response.status, _content(response, body), _clock_ahead(response))

    def _give_back(self, connection: http.client.HTTPConnection, will_close: bool) -> None:
        with self._lock:
            if not will_close and not self._is_closed and len(self._idle) < _IDLE_MAX:
                self._idle.append(connection)
                return
        connection.close()


class _StaleConnection(Exception):
    """A connection that was kept open was closed by the other side."""


def _closer(connection: http.client.HTTPConnection) -> Any:
    def close() -> None:
        with contextlib.suppress(OSError, AttributeError):
            connection.sock.shutdown(socket.SHUT_RDWR)

    return close


def _query_text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _content(response: http.client.HTTPResponse, body: bytes) -> Any:
    """JSON as it is, other text as text."""
    if "json" not in (response.getheader("content-type") or "json"):
        return body.decode(errors="replace")
    try:
        return json.loads(body) if body else None
    except ValueError:
        raise ConnectionFailed("the answer is no JSON") from None


def _clock_ahead(response: http.client.HTTPResponse) -> float:
    """The header has whole seconds, so that less than two say nothing."""
    try:
        ahead = parsedate_to_datetime(response.getheader("date") or "").timestamp() - time.time()
    except ValueError:
        return 0.0
    return ahead if abs(ahead) > 2.0 else 0.0


def _problem(response: http.client.HTTPResponse, body: bytes) -> Problem:
    try:
        document = json.loads(body)
    except ValueError:
        document = None
    if not isinstance(document, dict):
        document = {"detail": body[:200].decode(errors="replace")}
    problem = Problem(
        response.status, str(document.get("code", "unknown")), str(document.get("detail", "")), document.get("errors")
    )
    with contextlib.suppress(TypeError, ValueError):
        problem.retry_after = float(response.getheader("retry-after") or "")
    return problem
