"""The worker's own small HTTP port: /healthz and /metrics."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Metrics:
    """Counters and sums by name and labels, in memory. `render` gives Prometheus text."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._values: dict[tuple[str, tuple[tuple[str, str], ...]], float] = {}

    def add(self, name: str, value: float = 1.0, **labels: str) -> None:
        """Adds to a counter."""
        key = (name, tuple(sorted(labels.items())))
        with self._lock:
            self._values[key] = self._values.get(key, 0.0) + value

    def get(self, name: str, **labels: str) -> float:
        """The value of one counter; 0 where it never counted."""
        with self._lock:
            return self._values.get((name, tuple(sorted(labels.items()))), 0.0)

    def render(self) -> str:
        """All values as Prometheus text."""
        with self._lock:
            values = sorted(self._values.items())
        lines = []
        for (name, labels), value in values:
            inner = ",".join(f'{key}="{_escape(text)}"' for key, text in labels)
            text = str(int(value)) if value.is_integer() else repr(value)
            lines.append(f"{name}{{{inner}}} {text}\n" if inner else f"{name} {text}\n")
        return "".join(lines)


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


class HealthServer:
    """Serves /healthz with what `check` gives (whether all is well, and details), and /metrics."""

    def __init__(self, address: str, check: Callable[[], tuple[bool, dict[str, Any]]], metrics: Metrics) -> None:
        host, _, port = address.rpartition(":")

        class Handler(BaseHTTPRequestHandler):
            """Answers two paths."""

            def do_GET(self) -> None:
                """Answers a request."""
                if self.path == "/healthz":
                    is_well, details = check()
                    self._send(200 if is_well else 503, "application/json", json.dumps(details))
                elif self.path == "/metrics":
                    self._send(200, "text/plain; version=0.0.4", metrics.render())
                else:
                    self._send(404, "text/plain", "")

            def _send(self, status: int, kind: str, text: str) -> None:
                content = text.encode()
                self.send_response(status)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, format: str, *args: Any) -> None:
                """Says nothing."""

        self._server = ThreadingHTTPServer((host.strip("[]") or "127.0.0.1", int(port)), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.1,), daemon=True, name="trunkline-health").start()

    @property
    def port(self) -> int:
        """The port that it listens on."""
        return int(self._server.server_address[1])

    def close(self) -> None:
        """Stops listening."""
        self._server.shutdown()
        self._server.server_close()
