"""An Apache Kafka on private loopback ports, and processes that do not outlive the one that starts them."""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient, NewTopic

HERE = Path(__file__).resolve().parent
# The history and its checker are those of `chaos/`.
sys.path.append(str(HERE.parents[1] / "chaos"))

from ports import free_port  # noqa: E402

#: A group with workers of all SDKs takes a minute to come together on two cores, and longer on slow ones.
DEADLINE = float(os.environ.get("TRUNKLINE_KAFKA_DEADLINE", "180"))
#: A broker that was killed recovers all its partitions first, on a disk that others use.
START_DEADLINE = max(300.0, DEADLINE)
#: The kernel kills the process that it begins when the thread is gone that started it. To be started by the main thread.
OWNED = ["setpriv", "--pdeathsig", "SIGKILL"]
PR_SET_PDEATHSIG = 1


def end_with_parent(number: signal.Signals) -> None:
    """Lets this process get a signal when the one is gone that started it."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, number, 0, 0, 0)


def end_what_is_started() -> None:
    """Lets SIGTERM end this process as an exception does, so that what it started is ended, also when its own parent is gone."""

    def leave(number: int, _frame: FrameType | None) -> None:
        # Once: what is being ended is not to be left halfway.
        signal.signal(number, signal.SIG_IGN)
        sys.exit(128 + number)

    signal.signal(signal.SIGTERM, leave)
    end_with_parent(signal.SIGTERM)


def wait_for(what: str, condition: Callable[[], Any], deadline: float = DEADLINE) -> Any:
    """Looks at a condition until it holds; answers what it answered."""
    end = time.monotonic() + deadline
    while True:
        answer = condition()
        if answer:
            return answer
        if time.monotonic() > end:
            raise AssertionError(f"{what}: it did not come true within {deadline:.0f} s")
        time.sleep(0.05)


class Brokers:
    """An Apache Kafka of some nodes."""

    def __init__(self, directory: Path, nodes: int = 1) -> None:
        self.directory, self.nodes = directory, nodes
        self.port = free_port(2 * nodes + 1)
        self._processes: dict[int, subprocess.Popen[bytes]] = {}
        directory.mkdir(parents=True, exist_ok=True)
        if nodes == 1:
            self._make_certificate()

    def _make_certificate(self) -> None:
        key, certificate = self.directory / "key.pem", self.certificate
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1",
                        "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate],
                       check=True, capture_output=True)
        (self.directory / "broker.pem").write_text(key.read_text() + certificate.read_text())

    @property
    def certificate(self) -> Path:
        """What the secured address of a single node shows."""
        return self.directory / "certificate.pem"

    @property
    def secured_address(self) -> str:
        """Where a single node listens with TLS and SASL."""
        return f"127.0.0.1:{self.port + 2}"

    def start(self, node: int | None = None) -> None:
        """Starts one node, or all side by side, and waits until they answer."""
        subprocess.run(self._command("fetch", 1), check=True)
        nodes = [node] if node is not None else list(range(1, self.nodes + 1))
        for one in nodes:
            log = (self.directory / f"node-{one}.log").open("ab")
            self._processes[one] = subprocess.Popen([*OWNED, *self._command("run", one)], stdout=log, stderr=log)
        for one in nodes:
            wait_for(f"node {one} of Kafka answers", lambda one=one: self._answers(one), START_DEADLINE)

    def start_missing(self) -> None:
        """Starts the nodes that do not run."""
        for node in range(1, self.nodes + 1):
            process = self._processes.get(node)
            if process is None or process.poll() is not None:
                self.start(node)

    def pids(self) -> list[int]:
        return [process.pid for process in self._processes.values()]

    def _command(self, verb: str, node: int) -> list[str]:
        return [str(HERE / "broker.sh"), str(self.directory), str(self.port), verb, str(node), str(self.nodes)]

    def _answers(self, node: int) -> bool:
        code = self._processes[node].poll()
        if code is not None:
            log = (self.directory / f"node-{node}.log").read_text()
            raise AssertionError(f"node {node} of Kafka ended with {code}:\n{log[-3000:]}")
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port + 2 * (node - 1))) == 0

    def kill(self, node: int = 1) -> None:
        process = self._processes.pop(node, None)
        if process is not None:
            process.kill()
            process.wait()

    def stop(self) -> None:
        """Ends all nodes; what they have is not needed any more."""
        for node in list(self._processes):
            self.kill(node)

    @property
    def address(self) -> str:
        return ",".join(f"127.0.0.1:{self.port + 2 * node}" for node in range(self.nodes))

    def create_topics(self, names: list[str], replicas: list[list[int]] | None = None) -> None:
        """Topics of three partitions, or of those whose nodes are named."""
        admin = AdminClient({"bootstrap.servers": self.address, "log_level": 2})
        of = {"num_partitions": 3, "replication_factor": 1}
        if replicas is not None:
            of = {"num_partitions": len(replicas), "replica_assignment": replicas, "config": {"min.insync.replicas": "1"}}
        for made in admin.create_topics([NewTopic(name, **of) for name in names]).values():
            made.result(DEADLINE)

    def delete_topics(self, names: list[str]) -> None:
        admin = AdminClient({"bootstrap.servers": self.address, "log_level": 2})
        for gone in admin.delete_topics(names).values():
            gone.result(DEADLINE)

    def has_topic(self, name: str) -> bool:
        admin = AdminClient({"bootstrap.servers": self.address, "log_level": 2})
        try:
            return name in admin.list_topics(timeout=10).topics
        except KafkaException:
            # Nobody says so in time, which is no answer.
            return False

    def leader_of(self, topic: str, partition: int = 0) -> int:
        """The node that leads it; -1 where none does, the topic is not there yet, or nobody says so in time."""
        admin = AdminClient({"bootstrap.servers": self.address, "log_level": 2})
        try:
            partitions = admin.list_topics(topic, timeout=10).topics[topic].partitions
        except KafkaException:
            return -1
        return partitions[partition].leader if partition in partitions else -1
