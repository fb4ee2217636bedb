"""Dispatch through a real Apache Kafka, from end to end.

Run by scripts/test-kafka.sh, with the binary as its argument. Each scenario waits for what it expects, up to a deadline, and
ends with a check that every job completed once.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
import uuid
from pathlib import Path

from confluent_kafka import Consumer
from confluent_kafka.admin import AdminClient

HERE = Path(__file__).resolve().parent
DEADLINE = float(os.environ.get("TRUNKLINE_KAFKA_DEADLINE", "90"))
KEY = "end-to-end-" + uuid.uuid4().hex


def free_port(count: int = 1) -> int:
    """The first of so many free ports in a row."""
    for _ in range(100):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        try:
            for offset in range(count):
                with socket.socket() as probe:
                    probe.bind(("127.0.0.1", port + offset))
            return port
        except OSError:
            continue
    raise RuntimeError("no free ports")


def wait_for(what: str, condition, deadline: float = DEADLINE):
    """Polls a condition until it holds; answers what it answered."""
    end = time.monotonic() + deadline
    while True:
        answer = condition()
        if answer:
            return answer
        if time.monotonic() > end:
            raise AssertionError(f"{what}: it did not come true within {deadline:.0f} s")
        time.sleep(0.05)


class Broker:
    """One broker."""

    def __init__(self, directory: Path):
        self.directory = directory
        self.port = free_port(2)

    def _run(self, verb: str) -> None:
        subprocess.run([HERE / "broker.sh", self.directory, str(self.port), verb], check=True)

    def start(self) -> None:
        self._run("start")

    def stop(self) -> None:
        self._run("stop")

    def kill(self) -> None:
        self._run("kill")

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"


class Server:
    """One process of the server."""

    def __init__(self, binary: str, database: str, broker: Broker, directory: Path, **settings: str):
        self.binary, self.database, self.broker = binary, database, broker
        self.settings = settings
        self.log = directory / f"server-{uuid.uuid4().hex[:8]}.log"
        self.process: subprocess.Popen[bytes] | None = None
        self.url = ""

    def environment(self) -> dict[str, str]:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("TRUNKLINE_")}
        environment.update(
            TRUNKLINE_DATABASE_URL=self.database,
            TRUNKLINE_BOOTSTRAP_KEY=KEY,
            TRUNKLINE_DISPATCH__MODE="kafka_outbox",
            TRUNKLINE_KAFKA__BROKERS=self.broker.address,
            TRUNKLINE_KAFKA__PARTITIONS="3",
            TRUNKLINE_UPKEEP__REAP_EVERY="200ms",
        )
        environment.update(self.settings)
        return environment

    def start(self, waits: bool = True) -> Server:
        http, metrics = free_port(), free_port()
        self.url = f"http://127.0.0.1:{http}"
        command = [self.binary, "serve", "--http", f"127.0.0.1:{http}", "--metrics", f"127.0.0.1:{metrics}",
                   "--grpc", f"127.0.0.1:{free_port()}"]
        self.process = subprocess.Popen(command, env=self.environment(), stdout=self.log.open("ab"),
                                        stderr=subprocess.STDOUT)
        if waits:
            wait_for("the server is ready", self.is_ready)
        return self

    def is_ready(self) -> bool:
        if self.process.poll() is not None:
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
                self.process.kill()
                self.process.wait()

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def call(self, method: str, path: str, body=None):
        data = None if body is None else json.dumps(body).encode()
        headers = {"authorization": f"Bearer {KEY}", "content-type": "application/json"}
        request = urllib.request.Request(self.url + path, data, headers, method=method)
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.loads(answer.read())

    def get(self, path: str):
        return self.call("GET", path)

    def post(self, path: str, body):
        return self.call("POST", path, body)

    def enqueue(self, job_type: str, count: int, **fields) -> list[str]:
        jobs = [{"jobType": job_type, "data": {"n": number}, **fields} for number in range(count)]
        return [job["id"] for job in self.post("/v1/jobs/batch", {"jobs": jobs})["results"]]

    def job(self, job_id: str):
        return self.get(f"/v1/jobs/{job_id}")

    def completed(self, ids: list[str]) -> bool:
        return all(self.job(job_id)["status"] == "COMPLETED" for job_id in ids)

    def status(self):
        command = [self.binary, "--json", "dispatch", "status", "--database-url", self.database]
        return json.loads(subprocess.run(command, env=self.environment(), check=True, capture_output=True).stdout)


class Worker(threading.Thread):
    """Consumes a job type, accepts what comes, and completes it."""

    def __init__(self, server: Server, broker: Broker, job_type: str, name: str = "w1", group: str | None = None,
                 accepts: bool = True):
        super().__init__(daemon=True)
        self.server, self.name_of = server, name
        self.topics = [f"trunkline.jobs.{job_type}.{tier}" for tier in ("high", "normal", "low")]
        self.group = group or f"trunkline.{job_type}"
        self.broker = broker
        self.accepts = accepts
        self.offers: list[dict] = []
        self.outcomes: list[tuple[str, str]] = []
        self.faults: list[str] = []
        self.ended = threading.Event()

    def run(self) -> None:
        consumer = Consumer({"bootstrap.servers": self.broker.address, "group.id": self.group,
                             "auto.offset.reset": "earliest", "enable.auto.commit": False,
                             "topic.metadata.refresh.interval.ms": 500,
                             "allow.auto.create.topics": False})
        consumer.subscribe(self.topics)
        try:
            while not self.ended.is_set():
                messages = [message for message in consumer.consume(200, 0.2) if message.error() is None]
                if messages:
                    self.handle([json.loads(message.value()) for message in messages])
                    consumer.commit(asynchronous=False)
        except Exception as fault:  # noqa: BLE001 - the scenario shows it
            self.faults.append(repr(fault))
        finally:
            consumer.close()

    def handle(self, offers: list[dict]) -> None:
        self.offers.extend(offers)
        if not self.accepts:
            return
        jobs = [{"id": offer["job"]["id"], "leaseToken": offer["job"]["leaseToken"]} for offer in offers]
        while True:
            try:
                accepted = self.server.post("/v1/jobs/accept", {"workerId": self.name_of, "jobs": jobs})["results"]
                break
            except (urllib.error.URLError, OSError):
                if self.ended.wait(0.2):
                    return
        self.outcomes.extend((result["id"], result["outcome"]) for result in accepted)
        mine = [{"id": result["id"], "leaseToken": result["leaseToken"]} for result in accepted
                if result["outcome"] == "ok"]
        while mine:
            try:
                self.server.post("/v1/jobs/complete", {"jobs": mine})
                return
            except (urllib.error.URLError, OSError):
                if self.ended.wait(0.2):
                    return

    def stop(self) -> None:
        self.ended.set()
        self.join(30)
        assert not self.faults, self.faults


class Run:
    """What scenarios share."""

    def __init__(self, binary: str):
        self.binary = binary
        self.directory = Path(tempfile.mkdtemp(prefix="trunkline-kafka-"))
        self.broker = Broker(self.directory / "broker")
        self.servers: list[Server] = []
        self.workers: list[Worker] = []

    def database(self) -> str:
        base = os.environ["TRUNKLINE_TEST_POSTGRES_URL"]
        name = f"kafka_{uuid.uuid4().hex[:12]}"
        subprocess.run(["psql", base, "-qc", f"CREATE DATABASE {name}"], check=True)
        return f"{base.rsplit('/', 1)[0]}/{name}"

    def server(self, database: str, waits: bool = True, **settings: str) -> Server:
        server = Server(self.binary, database, self.broker, self.directory, **settings)
        self.servers.append(server)
        return server.start(waits)

    def worker(self, server: Server, job_type: str, **more) -> Worker:
        worker = Worker(server, self.broker, job_type, **more)
        self.workers.append(worker)
        worker.start()
        return worker

    def clean(self) -> None:
        for worker in self.workers:
            worker.ended.set()
        for server in self.servers:
            if server.process and server.process.poll() is None:
                server.kill()
        self.servers, self.workers = [], []

    def has_topic(self, name: str) -> bool:
        admin = AdminClient({"bootstrap.servers": self.broker.address})
        return name in admin.list_topics(timeout=10).topics


def jobs_reach_their_worker(run: Run) -> None:
    """Enqueue, relay, consume, accept, complete; a poll is refused, and a duplicate is `taken`."""
    server = run.server(run.database())
    ids = server.enqueue("charge", 500)
    wait_for("the topics are there", lambda: run.has_topic("trunkline.jobs.charge.high"))
    worker = run.worker(server, "charge")
    wait_for("all are completed", lambda: server.completed(ids))
    worker.stop()
    ran = [job_id for job_id, outcome in worker.outcomes if outcome == "ok"]
    assert sorted(ran) == sorted(ids), "each ran once"
    try:
        server.post("/v1/jobs/poll", {"workerId": "w", "jobTypes": ["charge"]})
        raise AssertionError("a poll is answered")
    except urllib.error.HTTPError as refusal:
        problem = json.loads(refusal.read())
        assert (refusal.code, problem["code"]) == (409, "dispatched_by_kafka"), problem
    # Another group receives every message again.
    other = run.worker(server, "charge", name="w2", group="another")
    wait_for("it had all again", lambda: len(other.outcomes) >= 500)
    other.stop()
    assert {outcome for _, outcome in other.outcomes} == {"already_done"}, other.outcomes[:5]


def a_duplicate_is_taken(run: Run) -> None:
    server = run.server(run.database())
    (job_id,) = server.enqueue("dup", 1)
    wait_for("it is offered", lambda: "offeredUntil" in server.job(job_id))
    assert server.job(job_id)["status"] == "QUEUED"
    seen = run.worker(server, "dup", name="w1", accepts=False)
    wait_for("its message came", lambda: seen.offers)
    seen.stop()
    job = seen.offers[0]["job"]
    jobs = [{"id": job["id"], "leaseToken": job["leaseToken"]}]
    first = server.post("/v1/jobs/accept", {"workerId": "w1", "jobs": jobs})["results"][0]
    second = server.post("/v1/jobs/accept", {"workerId": "w2", "jobs": jobs})["results"][0]
    again = server.post("/v1/jobs/accept", {"workerId": "w1", "jobs": jobs})["results"][0]
    assert (first["outcome"], second["outcome"], again) == ("ok", "taken", first), (first, second, again)
    assert server.job(job_id)["status"] == "PROCESSING"
    stale = server.post("/v1/jobs/complete", {"jobs": jobs})["results"][0]
    assert stale["outcome"] == "lease_lost", "the token of the message is worth nothing any more"
    done = [{"id": job_id, "leaseToken": first["leaseToken"]}]
    assert server.post("/v1/jobs/complete", {"jobs": done})["results"][0]["outcome"] == "ok"


def a_broker_goes_and_comes_back(run: Run) -> None:
    server = run.server(run.database())
    before = server.enqueue("away", 50)
    worker = run.worker(server, "away")
    wait_for("all are completed", lambda: server.completed(before))
    run.broker.kill()
    during = server.enqueue("away", 300)
    wait_for("the server says so", lambda: "brokerAwaySince" in server.get("/readyz"))
    assert server.get("/readyz")["status"] == "ready"
    run.broker.start()
    wait_for("all are completed", lambda: server.completed(during))
    worker.stop()
    wait_for("the server says nothing any more", lambda: "brokerAwaySince" not in server.get("/readyz"))
    ran = [job_id for job_id, outcome in worker.outcomes if outcome == "ok"]
    assert sorted(ran) == sorted(before + during), "each ran once"
    assert all(server.job(job_id)["retryCount"] == 0 for job_id in during), "no attempt was lost"


def a_relay_dies(run: Run, point: str) -> None:
    """The process ends at a point between the claim and the acknowledgement; the next one publishes what it left."""
    database = run.database()
    dying = run.server(database, FAILPOINTS=f"{point}=return")
    ids = dying.enqueue("left", 40)
    wait_for("it has died", lambda: dying.process.poll() is not None)
    server = run.server(database)
    worker = run.worker(server, "left")
    wait_for("all are completed", lambda: server.completed(ids))
    worker.stop()
    ran = [job_id for job_id, outcome in worker.outcomes if outcome == "ok"]
    assert sorted(ran) == sorted(ids), "each ran once"
    events: dict[str, set[str]] = {}
    for offer in worker.offers:
        events.setdefault(offer["job"]["id"], set()).add(offer["eventId"])
    assert all(len(of) == 1 for of in events.values()), "published again under the same event id"
    assert all(offer["job"]["attempt"] == 1 for offer in worker.offers)


def a_large_message_dies(run: Run) -> None:
    server = run.server(run.database(), TRUNKLINE_HTTP__JSON_SIZE="4MiB", TRUNKLINE_HTTP__MAX_SINGLE_BODY="8MiB")
    (large,) = server.enqueue("large", 1, data="x" * 2_000_000)
    (small,) = server.enqueue("large", 1)
    worker = run.worker(server, "large")
    wait_for("the other is completed", lambda: server.completed([small]))
    dead = wait_for("it is dead", lambda: (job := server.job(large))["status"] == "DEAD_LETTER" and job)
    worker.stop()
    assert dead["error"]["code"] == "message_too_large", dead["error"]


def an_offer_returns(run: Run) -> None:
    server = run.server(run.database(), TRUNKLINE_DISPATCH__OFFER_TIMEOUT="2s")
    (job_id,) = server.enqueue("late", 1)
    wait_for("it came back", lambda: "came back" in server.get(f"/v1/jobs/{job_id}/why")["detail"])
    worker = run.worker(server, "late")
    wait_for("it is completed", lambda: server.completed([job_id]))
    worker.stop()
    outcomes = [outcome for _, outcome in worker.outcomes]
    assert outcomes.count("ok") == 1, outcomes
    assert all(offer["job"]["attempt"] == 1 for offer in worker.offers), "no attempt was consumed"


def the_mode_is_switched(run: Run) -> None:
    """Both ways, with jobs that are offered at the time; a node of another mode is refused."""
    database = run.database()
    pushes = run.server(database)
    ids = pushes.enqueue("switch", 20)
    wait_for("they are offered", lambda: pushes.status()["offers"] == 20)
    stranger = run.server(database, waits=False, TRUNKLINE_DISPATCH__MODE="polling")
    assert stranger.process.wait(60) != 0
    assert "kafka_outbox" in stranger.log.read_text(), "it says which other mode runs"
    command = [pushes.binary, "dispatch", "drain", "--database-url", database]
    drain = subprocess.Popen(command, env=pushes.environment(), stdout=subprocess.DEVNULL)
    wait_for("it drains", lambda: pushes.status()["draining"])
    more = pushes.enqueue("switch", 5)
    worker = run.worker(pushes, "switch")
    assert drain.wait(DEADLINE) == 0
    worker.stop()
    assert pushes.completed(ids)
    assert all("offeredUntil" not in pushes.job(job_id) for job_id in more), "no offers while it drains"
    pushes.stop()
    polls = run.server(database, TRUNKLINE_DISPATCH__MODE="polling")
    polled = polls.post("/v1/jobs/poll", {"workerId": "w", "jobTypes": ["switch"], "maxJobs": 10})["jobs"]
    assert sorted(job["id"] for job in polled) == sorted(more)
    polls.post("/v1/jobs/complete", {"jobs": [{"id": job["id"], "leaseToken": job["leaseToken"]} for job in polled]})
    last = polls.enqueue("switch", 5)
    polls.stop()
    again = run.server(database)
    worker = run.worker(again, "switch", name="w3")
    wait_for("all are completed", lambda: again.completed(last))
    worker.stop()


SCENARIOS = [
    jobs_reach_their_worker,
    a_duplicate_is_taken,
    a_relay_dies_after_its_claim := lambda run: a_relay_dies(run, "offer-claimed"),
    a_relay_dies_before_it_knows := lambda run: a_relay_dies(run, "offer-published"),
    a_large_message_dies,
    an_offer_returns,
    the_mode_is_switched,
    a_broker_goes_and_comes_back,
]
NAMES = {a_relay_dies_after_its_claim: "a_relay_dies(offer-claimed)",
         a_relay_dies_before_it_knows: "a_relay_dies(offer-published)"}


def main() -> int:
    run = Run(sys.argv[1])
    only = sys.argv[2:]
    failed = 0
    try:
        run.broker.start()
        for scenario in SCENARIOS:
            name = NAMES.get(scenario, scenario.__name__)
            if only and not any(word in name for word in only):
                continue
            began = time.monotonic()
            try:
                scenario(run)
                print(f"ok   {name} ({time.monotonic() - began:.1f} s)", flush=True)
            except Exception as fault:  # noqa: BLE001 - the other scenarios still run
                failed += 1
                print(f"FAIL {name}: {fault!r}", flush=True)
                for server in run.servers:
                    print(f"--- {server.log}\n{server.log.read_text()[-1500:]}", flush=True)
            finally:
                run.clean()
    finally:
        run.clean()
        run.broker.stop()
        if not failed:
            shutil.rmtree(run.directory, ignore_errors=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
