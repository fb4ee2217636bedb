"""The server and the drivers as processes."""

from __future__ import annotations

import contextlib
import functools
import http.client
import json
import os
import queue
import shlex
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

# Behind this folder, which has modules of the same names as others of `chaos/`.
sys.path.append(str(Path(__file__).resolve().parents[2] / "chaos"))

from ports import free_port

KEY = "tl_conformance_0123456789abcdef0123456789"
PAUSE = 0.03
DEADLINE = 60.0
#: Longer than what the scenarios themselves wait for in a call.
CALL_DEADLINE = 120.0
SETTINGS = {
    # Eight programs that start at once leave little of two slow cores to a heartbeat, due after a third of the lease.
    "TRUNKLINE_QUEUES__WORKFLOW_NODE__LEASE": "8s",
    "TRUNKLINE_QUEUES__WORKFLOW_NODE__BACKOFF__INITIAL": "100ms",
    "TRUNKLINE_QUEUES__WORKFLOW_EXECUTION__LEASE": "2s",
    "TRUNKLINE_UPKEEP__REAP_EVERY": "100ms",
    "TRUNKLINE_UPKEEP__PROMOTE_EVERY": "50ms",
    "TRUNKLINE_DATABASE__SYNCHRONOUS": "normal",
    "TRUNKLINE_WORKERS__DRAIN_TIMEOUT": "1s",
    "TRUNKLINE_GRPC__ALIVE_INTERVAL": "1s",
}


def clean_environment() -> dict[str, str]:
    """The environment without settings of whoever runs this."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("TRUNKLINE_", "CONFORMANCE_"))}
    return {k: v for k, v in kept.items() if k not in ("DATABASE_URL", "REDIS_URL", "PORT")}


def until(what: str, condition: Any, deadline: float = DEADLINE) -> Any:
    """Polls until the condition gives something; the last failure is in the message."""
    end = time.monotonic() + deadline
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"not within {deadline:g} s: {what}")
        time.sleep(PAUSE)  # between two looks of the poll


class Server:
    """The real binary on free ports with a database of its own."""

    def __init__(self, binary: str, folder: Path, settings: dict[str, str]) -> None:
        folder.mkdir(parents=True)
        self.folder, self.address = folder, f"127.0.0.1:{free_port()}"
        self.grpc_address = f"127.0.0.1:{free_port()}"
        self.command = [
            binary, "serve", "--http", self.address, "--grpc", self.grpc_address,
            "--metrics", f"127.0.0.1:{free_port()}", "--database-url", f"sqlite://{folder}/trunkline.db",
        ]
        self.environment = clean_environment() | SETTINGS | settings | {"TRUNKLINE_BOOTSTRAP_KEY": KEY}
        self.process: subprocess.Popen[bytes] | None = None
        self.start()

    @property
    def url(self) -> str:
        """Its base URL."""
        return f"http://{self.address}"

    def start(self) -> None:
        """Starts it and waits until it serves."""
        with (self.folder / "server.log").open("ab") as log:
            self.process = subprocess.Popen(
                self.command, env=self.environment, stdout=log, stderr=log, cwd=self.folder)

        def ready() -> bool:
            assert self.process is not None
            if self.process.poll() is not None:
                raise AssertionError(f"the server ended: {(self.folder / 'server.log').read_text()[-600:]}")
            try:
                return self.call("GET", "/readyz")[0] == 200
            except OSError:
                return False

        until("the server is ready", ready, 60)

    def stop(self, number: int = signal.SIGTERM) -> None:
        """Ends it."""
        if self.process is not None:
            self.process.send_signal(number)
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
            self.process = None

    def call(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """One request with the admin's key: status and answer."""
        connection = http.client.HTTPConnection(self.address, timeout=40)
        try:
            headers = {"authorization": f"Bearer {KEY}", "content-type": "application/json"}
            connection.request(method, path, None if body is None else json.dumps(body).encode(), headers)
            response = connection.getresponse()
            content = response.read()
            is_json = "json" in (response.getheader("content-type") or "")
            return response.status, json.loads(content) if is_json and content else content.decode()
        finally:
            connection.close()


@functools.cache
def pid_1() -> list[str]:
    """What makes a command the first process of a namespace, as in a container; empty where that is forbidden."""
    for own in ([], ["--user"]):
        command = ["unshare", *own, "--pid", "--fork", "--kill-child"]
        try:
            if subprocess.run([*command, "true"], capture_output=True, check=False, timeout=10).returncode == 0:
                return command
        except OSError:
            break
    return []


def child_of(parent: int) -> int:
    """The one child of a process."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            # The name is in parentheses, and may hold any other.
            if int(stat.read_text().rsplit(")", 1)[1].split()[1]) == parent:
                return int(stat.parent.name)
    raise AssertionError(f"process {parent} has no child")


class Worker:
    """A driver in the mode `worker`."""

    def __init__(self, driver: str, environment: dict[str, str], log: Path) -> None:
        self.health_address = f"127.0.0.1:{free_port()}"
        environment = {"TRUNKLINE_WORKER_HEALTH": self.health_address, **environment}
        self.is_pid_1 = "CONFORMANCE_PID_1" in environment
        before = pid_1() if self.is_pid_1 else []
        with log.open("ab") as output:
            self.process = subprocess.Popen(
                [*before, *shlex.split(driver), "worker"], env=clean_environment() | environment,
                stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        self.log = log

    def health(self) -> int:
        """The status of its `/healthz`; 0 where nothing listens."""
        return self._get("/healthz")[0]

    def metric(self, name: str) -> float | None:
        """The value of one of its metrics; none where it is not there."""
        for line in self._get("/metrics")[1].splitlines():
            if line.startswith(name + " "):
                return float(line[len(name) + 1:])
        return None

    def _get(self, path: str) -> tuple[int, str]:
        host, port = self.health_address.split(":")
        connection = http.client.HTTPConnection(host, int(port), timeout=5)
        try:
            connection.request("GET", path)
            response = connection.getresponse()
            return response.status, response.read().decode()
        except (OSError, http.client.HTTPException):
            return 0, ""
        finally:
            connection.close()

    def send(self, name: str) -> None:
        """Sends it a signal."""
        number = getattr(signal, f"SIG{name}")
        if self.is_pid_1:
            os.kill(child_of(self.process.pid), number)
        else:
            self.process.send_signal(number)

    def end(self) -> None:
        """Ends it for good."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.process.kill()
        self.process.wait()


class ClientFault(Exception):
    """An error that a driver reports."""

    def __init__(self, error: dict[str, Any]) -> None:
        super().__init__(str(error))
        self.error = error


class Client:
    """A driver in the mode `client`."""

    def __init__(self, driver: str, environment: dict[str, str], log: Path) -> None:
        with log.open("ab") as output:
            self.process = subprocess.Popen(
                [*shlex.split(driver), "client"], env=clean_environment() | environment,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=output, encoding="utf-8")
        self.lock, self.number = threading.Lock(), 0
        self.answers: dict[int, queue.Queue[dict[str, Any]]] = {}
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            answer = json.loads(line)
            self.answers[answer["id"]].put(answer)
        with self.lock:
            for waiting in self.answers.values():
                waiting.put({"error": {"kind": "Ended", "message": "the driver ended"}})

    def begin(self, name: str, args: dict[str, Any]) -> int:
        """Sends a call and gives its number."""
        assert self.process.stdin is not None
        with self.lock:
            self.number += 1
            self.answers[self.number] = queue.Queue()
            self.process.stdin.write(json.dumps({"id": self.number, "call": name, "args": args}) + "\n")
            self.process.stdin.flush()
            return self.number

    def opened(self, number: int) -> None:
        """Waits for the line that says that a call has begun."""
        answer = self.answers[number].get(timeout=DEADLINE)
        if "error" in answer:
            raise ClientFault(answer["error"])
        assert answer.get("opened"), answer

    def finish(self, number: int) -> Any:
        """Waits for the answer of a call."""
        try:
            answer = self.answers[number].get(timeout=CALL_DEADLINE)
        except queue.Empty:
            raise AssertionError(f"the driver did not answer within {CALL_DEADLINE:g} s") from None
        if "error" in answer:
            raise ClientFault(answer["error"])
        return answer.get("value")

    def close(self) -> None:
        """Closes its stdin, at which it ends."""
        assert self.process.stdin is not None
        try:
            self.process.stdin.close()
            self.process.wait(10)
        except (OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
