"""A proxy between workers and server that misbehaves on request."""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

DEFAULT: dict[str, Any] = {"mode": "pass"}
#: What changes requests or answers instead of keeping them back.
_CHANGES = ("inject", "rename")


class Proxy:
    """Forwards requests to the address that `upstream` names; `behave` changes what it does from then on."""

    def __init__(self, upstream: str) -> None:
        self.upstream = upstream
        self.lock = threading.Condition()
        self.rule = dict(DEFAULT)
        self.seen: list[tuple[str, float]] = []
        proxy = self

        class Handler(_Handler):
            """Handles the requests of this proxy."""

            owner = proxy

        self.server = _Server(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True)
        self.thread.start()

    @property
    def url(self) -> str:
        """Where the proxy listens."""
        return f"http://127.0.0.1:{self.server.server_address[1]}"

    def behave(self, rule: dict[str, Any]) -> None:
        """Changes the behaviour; what was stalled until now ends without an answer."""
        with self.lock:
            self.rule = {**rule, "left": rule.get("times", -1)}
            self.seen = []
            self.lock.notify_all()

    def count(self, path: str) -> list[float]:
        """When requests for this path came since the last change."""
        with self.lock:
            return [at for seen, at in self.seen if seen.startswith(path)]

    def decide(self, path: str) -> dict[str, Any]:
        """What to do with a request for this path."""
        with self.lock:
            self.seen.append((path, time.monotonic()))
            rule = self.rule
            prefix = rule.get("path")
            if prefix is not None and path.split("?")[0] != prefix:
                return DEFAULT
            if rule["mode"] in ("pass", *_CHANGES) or rule.get("left", -1) == 0:
                return rule if rule["mode"] in _CHANGES else DEFAULT
            if rule["left"] > 0:
                rule["left"] -= 1
            return rule

    def hold(self, rule: dict[str, Any]) -> None:
        """Waits until the behaviour is another one."""
        with self.lock:
            self.lock.wait_for(lambda: self.rule is not rule, timeout=120)

    def close(self) -> None:
        """Stops listening, and lets go of what is stalled."""
        self.behave({"mode": "pass"})
        self.server.shutdown()
        self.server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Peers that go away are what this proxy is for."""


class _Handler(BaseHTTPRequestHandler):
    owner: Proxy
    protocol_version = "HTTP/1.1"
    timeout = 120

    def log_message(self, *_args: Any) -> None:
        """Says nothing."""

    def _serve(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        rule = self.owner.decide(self.path)
        mode = rule["mode"]
        if mode == "refuse":
            self._drop()
        elif mode == "stall":
            self.owner.hold(rule)
            self._drop()
        elif mode == "answer":
            self._answer(rule)
        else:
            self._forward(rule, body)

    do_GET = do_POST = do_PUT = do_DELETE = _serve  # noqa: N815

    def _drop(self) -> None:
        self.close_connection = True
        with contextlib.suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)

    def _answer(self, rule: dict[str, Any]) -> None:
        problem = {
            "type": "urn:trunkline:problem:proxy", "title": "Proxy", "status": rule["status"],
            "detail": "the proxy answers by itself", "code": "overloaded",
        }
        content = json.dumps(problem).encode()
        self.send_response(rule["status"])
        self.send_header("content-type", "application/problem+json")
        if "retryAfter" in rule:
            self.send_header("retry-after", str(rule["retryAfter"]))
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def _forward(self, rule: dict[str, Any], body: bytes) -> None:
        # Without accept-encoding answers come plain, so that they can be read and changed here.
        left_out = ("host", "connection", "content-length", "accept-encoding")
        headers = {k: v for k, v in self.headers.items() if k.lower() not in left_out}
        if rule["mode"] == "rename":
            body = body.replace(rule["from"].encode(), rule["to"].encode())
        upstream = http.client.HTTPConnection(self.owner.upstream, timeout=60)
        try:
            upstream.request(self.command, self.path, body=body or None, headers=headers)
            response = upstream.getresponse()
            content = response.read()
        except (OSError, http.client.HTTPException):
            self._drop()
            return
        finally:
            upstream.close()
        if rule["mode"] == "inject" and "json" in (response.getheader("content-type") or ""):
            content = json.dumps(_with_unknown(json.loads(content))).encode()
        self.send_response(response.status)
        for name, value in response.getheaders():
            if name.lower() not in ("content-length", "transfer-encoding", "connection", "server", "date"):
                self.send_header(name, value)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        if rule["mode"] == "cut":
            self.wfile.write(content[: len(content) // 2])
            self.wfile.flush()
            self._drop()
        else:
            self.wfile.write(content)


def _with_unknown(answer: Any) -> Any:
    """The answer with a field that nobody knows, at the top and in each job; never inside of data."""
    if isinstance(answer, dict):
        answer = {**answer, "fieldOfTomorrow": {"x": [1]}}
        for name in ("jobs", "results", "items"):
            if isinstance(answer.get(name), list):
                answer[name] = [{**i, "fieldOfTomorrow": 1} if isinstance(i, dict) else i for i in answer[name]]
    return answer
