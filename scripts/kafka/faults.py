"""Faults: brokers that go, leaders that move, relays that freeze, consumers that come and go, modes that change, under load."""

from __future__ import annotations

import base64
import json
import subprocess
import time

from brokers import DEADLINE, wait_for
from kit import OUTAGE, Run, Server
from loads import Load

#: How much a process may grow while Kafka is away: what it had is not given back to the system at once.
GROWTH_MAX = 64 * 1024 * 1024


def a_broker_goes_and_comes_back(run: Run) -> None:
    """Killed. Jobs wait in the store, and in it alone; what comes meanwhile is offered by tiers when Kafka is back."""
    server = run.server(run.database())
    before = server.enqueue("away", 50)
    worker = run.worker(server, "away")
    wait_for("all are completed", lambda: server.completed(before))
    run.brokers.kill()
    wait_for("the server says so", lambda: "brokerAwaySince" in server.get("/readyz"))
    assert server.get("/readyz")["status"] == "ready"
    during = server.enqueue("away", 250, priority="low") + server.enqueue("away", 50, priority="high")
    wait_for("nothing is offered", lambda: server.offers() == 0)
    wait_for("each job says why", lambda: server.get(f"/v1/jobs/{during[0]}/why")["reason"] == "broker_away")
    (check,) = [one for one in server.get("/v1/doctor")["checks"] if one["check"] == "dispatch"]
    assert check["status"] == "warn", check
    run.brokers.start(1)
    wait_for("all are completed", lambda: server.completed(during))
    worker.stop()
    wait_for("the server says nothing any more", lambda: "brokerAwaySince" not in server.get("/readyz"))
    assert sorted(worker.ran()) == sorted(before + during), "each ran once"
    assert all(server.job(job_id)["retryCount"] == 0 for job_id in during), "no attempt was lost"


def a_broker_goes_under_load(run: Run) -> None:
    """Killed while callers enqueue, workers accept and executions go on; the only one there is."""
    server = run.server(run.database())
    load = Load(run, [server], "goes").prepare()
    workers = load.workers(2)
    load.begin()
    load.enough(40)
    run.brokers.kill()
    wait_for("the server says so", lambda: "brokerAwaySince" in server.get("/readyz"))
    load.enough(40)
    run.brokers.start(1)
    load.enough(40)
    load.end(workers, at_least=120)


def a_long_outage_costs_nothing(run: Run) -> None:
    """Callers go on enqueueing while Kafka is away for long: the process does not grow, and nothing is lost."""
    server = run.server(run.database())
    warm = server.enqueue("outage", 200)
    worker = run.worker(server, "outage")
    wait_for("all are completed", lambda: server.completed(warm))
    run.brokers.kill()
    wait_for("the server says so", lambda: "brokerAwaySince" in server.get("/readyz"))
    before, ids, ends = server.memory_bytes(), [], time.monotonic() + OUTAGE
    while time.monotonic() < ends:
        ids += server.enqueue("outage", 100)
        assert server.get("/readyz")["status"] == "ready"
        assert server.offers() <= 500, "no more than the window stands"
        # A few hundred a second; a long outage is to be long, and not large.
        time.sleep(max(0.3, OUTAGE / 40))
    grown = server.memory_bytes() - before
    assert grown < GROWTH_MAX, f"it has grown by {grown >> 20} MiB"
    run.brokers.start(1)
    wait_for("all are completed", lambda: server.completed(ids))
    worker.stop()
    assert sorted(worker.ran()) == sorted(warm + ids), "each ran once"


def consumers_come_and_go(run: Run) -> None:
    """Rebalances under load: each newcomer takes partitions from the others, which leave with jobs that they have not begun."""
    server = run.server(run.database())
    load = Load(run, [server], "storm").prepare()
    workers = load.workers(1)
    load.begin()
    load.enough(30)
    for _ in range(3):
        workers += load.workers(1, takes=0.05)
        load.enough(30)
        workers[0].stop()
        workers.append(workers.pop(0))
        load.enough(20)
    load.end([worker for worker in workers if worker.is_alive()], at_least=150)


def duplicates_and_late_messages_change_nothing(run: Run) -> None:
    """A second group has every message as well, and one comes when all is over."""
    server = run.server(run.database())
    load = Load(run, [server], "twice").prepare()
    workers = load.workers(2) + load.workers(1, group="another-group")
    load.begin()
    load.enough(150)
    load.end(workers, at_least=150)
    late = run.worker(server, "twice", name="late", group="a-late-group")
    wait_for("it has had all", lambda: len({job for job, _ in late.outcomes}) >= len(load.ids))
    late.stop()
    assert late.ran() == [], "nothing is left to run"


def a_frozen_relay_comes_back(run: Run) -> None:
    """Its shards go to the other one. What it publishes when it comes back are duplicates."""
    database = run.database()
    first, second = run.server(database), run.server(database)
    load = Load(run, [first, second], "frozen").prepare()
    load.servers[:] = [second]
    workers = load.workers(2)
    load.begin()
    load.enough(40)
    owner = wait_for("both have shards, and one of them that of the type", lambda: owner_beside_another(second, shard_of("frozen")))
    frozen = first if owner.endswith(f" {first.process.pid}") else second
    other = second if frozen is first else first
    load.servers[:] = [other]
    frozen.freeze()
    wait_for("the other has all shards", lambda: len(owners(other)) == 1)
    load.enough(60)
    frozen.thaw()
    load.enough(40)
    load.end(workers, at_least=140)


def owners(server: Server) -> set[str]:
    return {shard["node"] for shard in server.dispatch()["shards"] if "node" in shard}


def owner_beside_another(server: Server, number: int) -> str | None:
    """Who has a shard, where two nodes have shards; at one moment, since shards move."""
    nodes = {shard["shard"]: shard["node"] for shard in server.dispatch()["shards"] if shard.get("node")}
    return nodes.get(number) if len(set(nodes.values())) == 2 else None


def shard_of(job_type: str) -> int:
    import hashlib

    return hashlib.sha256(job_type.encode()).digest()[0] % 8


def the_mode_is_switched_under_load(run: Run) -> None:
    """From Kafka to polls and back, while jobs are enqueued and without a drain: what is offered is settled or comes back."""
    database = run.database()
    pushes = {"TRUNKLINE_DISPATCH__OFFER_TIMEOUT": "3s"}
    server = run.server(database, **pushes)
    load = Load(run, [server], "both").prepare()
    workers = load.workers(2)
    load.begin()
    load.enough(40)
    server.stop()
    load.servers[:] = [run.server(database, TRUNKLINE_DISPATCH__MODE="polling", **pushes)]
    load.enough(20)
    polled = poll_some(load, 40)
    load.servers[0].stop()
    load.servers[:] = [run.server(database, **pushes)]
    load.enough(40)
    load.end(workers, at_least=100)
    assert polled > 0, "polls had jobs"


def poll_some(load: Load, count: int) -> int:
    """Polls and completes so many jobs, as a worker of the other mode does."""
    server, done = load.servers[0], 0
    ends = time.monotonic() + DEADLINE
    while done < count and time.monotonic() < ends:
        sent_at = time.monotonic()
        request = {"workerId": "poller", "jobTypes": [load.job_type], "maxJobs": 10, "wait": "1s"}
        for job in server.post("/v1/jobs/poll", request)["jobs"]:
            load.history.record("claim", id=job["id"], token=job["leaseToken"], sentAt=sent_at, leaseSeconds=30.0,
                                tenant=job["tenant"], concurrencyKey=job["data"].get("concurrencyKey"))
            load.history.record("complete.ask", id=job["id"], token=job["leaseToken"])
            report = {"id": job["id"], "leaseToken": job["leaseToken"]}
            outcome = server.post("/v1/jobs/complete", {"jobs": [report]})["results"][0]["outcome"]
            load.history.record("complete.answer", id=job["id"], token=job["leaseToken"], outcome=outcome)
            done += 1
    return done


def a_drain_says_when_nothing_stands(run: Run) -> None:
    """The command waits for the offers under load, and callers go on meanwhile."""
    server = run.server(run.database())
    load = Load(run, [server], "drained").prepare()
    workers = load.workers(1)
    load.begin()
    load.enough(50)
    command = server.command("dispatch", "drain")
    subprocess.run(command, env=server.environment(), check=True, timeout=DEADLINE, stdout=subprocess.DEVNULL)
    shown = server.shown_offline()
    assert (shown["offers"], shown["draining"]) == (0, True), shown
    load.enough(20)
    subprocess.run([*command, "--undo"], env=server.environment(), check=True, timeout=DEADLINE, stdout=subprocess.DEVNULL)
    load.end(workers, at_least=70)


def a_leader_dies(run: Run) -> None:
    """Three nodes. The leader of a partition is killed under load; another one goes on, and it comes back."""
    server = run.server(run.database(), TRUNKLINE_KAFKA__PARTITIONS="1")
    load = Load(run, [server], "led").prepare()
    workers = load.workers(2)
    load.begin()
    load.enough(40)
    topic = "trunkline.jobs.led.normal"
    leader = wait_for("the topic has a leader", lambda: max(run.brokers.leader_of(topic), 0))
    run.brokers.kill(leader)
    wait_for("another one leads", lambda: run.brokers.leader_of(topic) not in (leader, -1))
    load.enough(60)
    run.brokers.start(leader)
    load.enough(40)
    load.end(workers, at_least=140)


def connections_are_secured(run: Run) -> None:
    """TLS, with SASL by PLAIN, SCRAM and OAUTHBEARER; a wrong password shows as a broker that is away, and no password is logged,
    also where the name of its property is mistyped."""
    claims = {"sub": "relay", "iat": int(time.time()) - 5, "exp": int(time.time()) + 3600}
    parts = (base64.urlsafe_b64encode(json.dumps(one).encode()).rstrip(b"=") for one in ({"alg": "none"}, claims))
    token = run.directory / "token"
    token.write_text(".".join(part.decode() for part in parts) + ".")
    password = ["sasl.username=relay", "sasl.password=relay-secret"]
    ways = {
        "plain": ["sasl.mechanism=PLAIN", *password],
        "scram": ["sasl.mechanism=SCRAM-SHA-512", *password],
        "oauthbearer": ["sasl.mechanism=OAUTHBEARER", f"sasl.oauthbearer.config=token_file={token}"],
    }
    for name, properties in ways.items():
        server = secured(run, name, properties)
        job_type = f"secured-{name}"
        if name == "oauthbearer":
            run.brokers.create_topics([f"trunkline.jobs.{job_type}.{tier}" for tier in ("high", "normal", "low")])
        ids = server.enqueue(job_type, 20)
        worker = run.worker(server, job_type)
        wait_for(f"all are completed over {name}", lambda: server.completed(ids))
        worker.stop()
        assert server.metric("trunkline_dispatch_published_total") >= 20, "published at least once"
        assert "relay-secret" not in server.log.read_text(), "no password is logged"
        server.stop()
    server = secured(run, "wrong", ["sasl.mechanism=PLAIN", "sasl.username=relay", "sasl.password=wrong-secret"])
    server.enqueue("secured-plain", 1)
    wait_for("the server says so", lambda: "brokerAwaySince" in server.get("/readyz"))
    assert "wrong-secret" not in server.log.read_text(), "no password is logged"
    refused = secured(run, "mistyped", ["sasl.mechanism=PLAIN", "sasl.username=relay", "sasl.passwrd=mistyped-secret"], waits=False)
    assert refused.process.wait(60) != 0, "it does not start"
    log = refused.log.read_text()
    assert "sasl.passwrd" in log and "mistyped-secret" not in log, log[-1000:]


def secured(run: Run, name: str, properties: list[str], *, waits: bool = True) -> Server:
    file = run.directory / f"properties-{name}"
    lines = ["security.protocol=SASL_SSL", f"ssl.ca.location={run.brokers.certificate}", *properties]
    file.write_text("\n".join(lines))
    return run.server(run.database(), waits, TRUNKLINE_KAFKA__BROKERS=run.brokers.secured_address,
                      TRUNKLINE_KAFKA__PROPERTIES_FILE=str(file),
                      TRUNKLINE_KAFKA__CREATE_TOPICS="false" if name == "oauthbearer" else "true")


SINGLE = [
    connections_are_secured,
    consumers_come_and_go,
    duplicates_and_late_messages_change_nothing,
    a_frozen_relay_comes_back,
    a_drain_says_when_nothing_stands,
    the_mode_is_switched_under_load,
]
OUTAGES = [a_broker_goes_and_comes_back, a_broker_goes_under_load, a_long_outage_costs_nothing]
CLUSTER = [a_leader_dies]
