"""What the scenarios of dispatch through Kafka share: servers, consumers in Python, and a history of what they did."""

from __future__ import annotations

import http.client
import json
import os
import random
import signal
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.request
import uuid
from pathlib import Path
from typing import Any

from brokers import OWNED, Brokers, free_port, wait_for
from confluent_kafka import Consumer, KafkaException, Message
from history import History

#: How long a long outage takes, in seconds.
OUTAGE = float(os.environ.get("TRUNKLINE_KAFKA_OUTAGE", "8"))
KEY = "end-to-end-" + uuid.uuid4().hex
#: The default length of leases of the server.
LEASE_SECONDS = 30.0
#: What an answer that did not come raises.
NO_ANSWER = (OSError, http.client.HTTPException)


class Server:
    """One process of the server."""

    def __init__(self, binary: str, database: str, brokers: Brokers, directory: Path, **settings: str) -> None:
        self.binary, self.database, self.brokers = binary, database, brokers
        self.settings = settings
        self.log = directory / f"server-{uuid.uuid4().hex[:8]}.log"
        self.process: subprocess.Popen[bytes] | None = None
        self.url = self.metrics_url = ""

    def environment(self) -> dict[str, str]:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("TRUNKLINE_")}
        environment.update(
            TRUNKLINE_DATABASE_URL=self.database,
            TRUNKLINE_BOOTSTRAP_KEY=KEY,
            TRUNKLINE_DISPATCH__MODE="kafka_outbox",
            TRUNKLINE_KAFKA__BROKERS=self.brokers.address,
            TRUNKLINE_KAFKA__PARTITIONS="3",
            TRUNKLINE_UPKEEP__REAP_EVERY="200ms",
        )
        environment.update(self.settings)
        return environment

    def start(self, waits: bool = True) -> Server:
        port = free_port(3)
        self.url, self.metrics_url = f"http://127.0.0.1:{port}", f"http://127.0.0.1:{port + 1}/metrics"
        command = [*OWNED, self.binary, "serve", "--http", f"127.0.0.1:{port}", "--metrics", f"127.0.0.1:{port + 1}",
                   "--grpc", f"127.0.0.1:{port + 2}"]
        self.process = subprocess.Popen(command, env=self.environment(), stdout=self.log.open("ab"),
                                        stderr=subprocess.STDOUT)
        if waits:
            wait_for("the server is ready", self.is_ready)
        return self

    def is_ready(self) -> bool:
        if self.process is None or self.process.poll() is not None:
            raise AssertionError(f"the server ended:\n{self.log.read_text()[-3000:]}")
        try:
            return self.get("/readyz")["status"] == "ready"
        except (urllib.error.URLError, OSError):
            return False

    def stop(self) -> None:
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(40)
            except subprocess.TimeoutExpired:
                self.kill()

    def kill(self) -> None:
        if self.process:
            self.process.send_signal(signal.SIGCONT)
            self.process.kill()
            self.process.wait()

    def freeze(self) -> None:
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self.process.send_signal(signal.SIGCONT)

    def call(self, method: str, path: str, body: Any = None, key: str | None = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        headers = {"authorization": f"Bearer {KEY}", "content-type": "application/json"}
        if key:
            headers["idempotency-key"] = key
        request = urllib.request.Request(self.url + path, data, headers, method=method)
        with urllib.request.urlopen(request, timeout=30) as answer:
            text = answer.read()
            return json.loads(text) if text else None

    def get(self, path: str) -> Any:
        return self.call("GET", path)

    def post(self, path: str, body: Any) -> Any:
        return self.call("POST", path, body)

    def enqueue(self, job_type: str, count: int, **fields: Any) -> list[str]:
        jobs = [{"jobType": job_type, "data": {"n": number}, **fields} for number in range(count)]
        return [job["id"] for job in self.post("/v1/jobs/batch", {"jobs": jobs})["results"]]

    def ids_of(self, job_type: str) -> list[str]:
        """The jobs of a type, up to a page of them."""
        return [job["id"] for job in self.get(f"/v1/jobs?jobType={job_type}&limit=100")["items"]]

    def job(self, job_id: str) -> Any:
        return self.get(f"/v1/jobs/{job_id}")

    def completed(self, ids: list[str]) -> bool:
        return all(self.job(job_id)["status"] == "COMPLETED" for job_id in ids)

    def metric(self, name: str) -> float:
        """The sum of a metric over its labels."""
        with urllib.request.urlopen(self.metrics_url, timeout=10) as answer:
            lines = answer.read().decode().splitlines()
        return sum(float(line.rsplit(" ", 1)[1]) for line in lines
                   if line.startswith((name + " ", name + "{")))

    def pid(self) -> int:
        assert self.process is not None, "the server runs"
        return self.process.pid

    def memory_bytes(self) -> int:
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        (line,) = [line for line in status.splitlines() if line.startswith("VmRSS:")]
        return int(line.split()[1]) * 1024

    def command(self, *arguments: str) -> list[str]:
        return [self.binary, *arguments, "--database-url", self.database]

    def dispatch(self) -> Any:
        return self.get("/v1/dispatch")

    def offers(self) -> int:
        """How many offers stand."""
        return self.dispatch()["offers"]["standing"]

    def shown_offline(self) -> Any:
        """What the command says that reads the database itself."""
        command = [self.binary, "--json", "dispatch", "status", "--database-url", self.database]
        return json.loads(subprocess.run(command, env=self.environment(), check=True, capture_output=True).stdout)


class Worker(threading.Thread):
    """Consumes a job type, accepts what comes, and completes it. What it does is written to the history, if there is one."""

    def __init__(self, servers: list[Server], brokers: Brokers, job_type: str, name: str = "w1",
                 group: str | None = None, accepts: bool = True, history: History | None = None,
                 takes: float = 0.0, topics: list[str] | None = None) -> None:
        super().__init__(daemon=True)
        self.servers, self.name_of, self.brokers = servers, name, brokers
        self.topics = topics or [f"trunkline.jobs.{job_type}.{tier}" for tier in ("high", "normal", "low")]
        self.group = group or f"trunkline.{job_type}"
        self.accepts, self.history, self.takes = accepts, history, takes
        self.offers: list[dict[str, Any]] = []
        self.outcomes: list[tuple[str, str]] = []
        self.faults: list[str] = []
        self.ended = threading.Event()

    def run(self) -> None:
        consumer = Consumer({"bootstrap.servers": self.brokers.address, "group.id": self.group,
                             "auto.offset.reset": "earliest", "enable.auto.commit": False,
                             "topic.metadata.refresh.interval.ms": 500, "reconnect.backoff.max.ms": 500,
                             "session.timeout.ms": 6000, "allow.auto.create.topics": False,
                             # That brokers go away is what the scenarios are about.
                             "log_level": 2})
        consumer.subscribe(self.topics)
        try:
            while not self.ended.is_set():
                messages = [message for message in consumer.consume(50, 0.1) if message.error() is None]
                if messages:
                    offers = [json.loads(message.value()) for message in messages]
                    self.record_places(messages, offers)
                    self.handle(offers)
                    self.commit(consumer)
        except Exception as fault:  # noqa: BLE001 - the scenario shows it
            self.faults.append(repr(fault))
        finally:
            consumer.close()

    def record_places(self, messages: list[Message], offers: list[dict[str, Any]]) -> None:
        """Where the messages of executions lie, with the place of their jobs among those of their execution."""
        for message, offer in zip(messages, offers, strict=True):
            job = offer["job"]
            if "executionId" in job and "place" in (job["data"] or {}):
                self.record("message", execution=job["executionId"], place=job["data"]["place"], topic=message.topic(),
                            partition=message.partition(), offset=message.offset())

    @staticmethod
    def commit(consumer: Consumer) -> None:
        try:
            consumer.commit(asynchronous=False)
        except KafkaException:
            # The broker is away, or the partitions are another's: the messages come again, and are answered `taken`.
            pass

    def handle(self, offers: list[dict[str, Any]]) -> None:
        self.offers.extend(offers)
        if not self.accepts:
            return
        jobs = [{"id": offer["job"]["id"], "leaseToken": offer["job"]["leaseToken"]} for offer in offers]
        sent_at = time.monotonic()
        answer = self.until_answered("/v1/jobs/accept", {"workerId": self.name_of, "jobs": jobs})
        if answer is None:
            return
        self.outcomes.extend((result["id"], result["outcome"]) for result in answer["results"])
        mine = [(offer["job"], result) for offer, result in zip(offers, answer["results"], strict=True)
                if result["outcome"] == "ok"]
        for job, result in mine:
            data = job["data"] if isinstance(job["data"], dict) else {}
            self.record("claim", id=job["id"], token=result["leaseToken"], sentAt=sent_at, leaseSeconds=LEASE_SECONDS,
                        tenant=job["tenant"], concurrencyKey=data.get("concurrencyKey"))
        if self.takes:
            self.ended.wait(self.takes)
        reports = [{"id": result["id"], "leaseToken": result["leaseToken"]} for _, result in mine]
        for report in reports:
            self.record("complete.ask", id=report["id"], token=report["leaseToken"])
        answer = self.until_answered("/v1/jobs/complete", {"jobs": reports}) if reports else None
        for report, result in zip(reports, answer["results"] if answer else [], strict=False):
            self.record("complete.answer", id=report["id"], token=report["leaseToken"], outcome=result["outcome"])

    def record(self, kind: str, **fields: Any) -> None:
        if self.history:
            self.history.record(kind, **fields)

    def until_answered(self, path: str, body: Any) -> Any:
        """Repeats a call until some server answers; None where it is to end before that."""
        while True:
            try:
                return random.choice(self.servers).post(path, body)
            except urllib.error.HTTPError as error:
                if error.code < 500 and error.code not in (409, 429):
                    raise
            except NO_ANSWER:
                pass
            if self.ended.wait(0.2):
                return None

    def stop(self) -> None:
        self.ended.set()
        self.join(60)
        assert not self.is_alive(), "the consumer does not end"
        assert not self.faults, self.faults

    def ran(self) -> list[str]:
        return [job_id for job_id, outcome in self.outcomes if outcome == "ok"]


class Run:
    """What scenarios share."""

    def __init__(self, binary: str, nodes: int = 1) -> None:
        self.binary = binary
        self.directory = Path(tempfile.mkdtemp(prefix="trunkline-kafka-"))
        self.brokers = Brokers(self.directory / "brokers", nodes)
        self.servers: list[Server] = []
        self.workers: list[Worker] = []
        self.databases: list[str] = []

    def database(self) -> str:
        base = os.environ["TRUNKLINE_TEST_POSTGRES_URL"]
        name = f"kafka_{uuid.uuid4().hex[:12]}"
        subprocess.run(["psql", base, "-qc", f"CREATE DATABASE {name}"], check=True)
        self.databases.append(name)
        return f"{base.rsplit('/', 1)[0]}/{name}"

    def server(self, database: str, waits: bool = True, **settings: str) -> Server:
        server = Server(self.binary, database, self.brokers, self.directory, **settings)
        self.servers.append(server)
        return server.start(waits)

    def worker(self, server: Server | list[Server], job_type: str, **more: Any) -> Worker:
        servers = server if isinstance(server, list) else [server]
        worker = Worker(servers, self.brokers, job_type, **more)
        self.workers.append(worker)
        worker.start()
        return worker

    def clean(self) -> None:
        for worker in self.workers:
            worker.ended.set()
        for server in self.servers:
            if server.process and server.process.poll() is None:
                server.kill()
        for name in self.databases:
            # It takes room, and that it stays would be no fault.
            drop = f"DROP DATABASE IF EXISTS {name} WITH (FORCE)"
            subprocess.run(["psql", os.environ["TRUNKLINE_TEST_POSTGRES_URL"], "-qc", drop], check=False)
        self.servers, self.workers, self.databases = [], [], []
