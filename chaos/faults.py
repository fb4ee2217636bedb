"""The faults: drawn from a seed, carried out one after the other, each undone before the next."""

from __future__ import annotations

import random
import subprocess
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from client_faults import ClientFaults
from cluster import LEASE_SECONDS, Cluster, wait_until
from system_faults import SystemFaults


@dataclass(frozen=True)
class Fault:
    """One fault: after how many seconds of quiet, of which kind, on which node, for how long."""

    pause: float
    kind: str
    node: int
    seconds: float

    def __str__(self) -> str:
        return f"+{self.pause:.1f} s {self.kind} node {self.node} for {self.seconds:.1f} s"


EITHER = [
    "kill",
    "freeze",
    "freeze_past_lease",
    "clock",
    "rolling_restart",
    "no_descriptors",
    "hang_ups",
    "half_open",
    "schedule_edits",
]
POSTGRES = [
    "stall",
    "reset",
    "rob_commits",
    "database_crash",
    "end_sessions",
    "lock_jobs",
    "lock_claim",
    "old_snapshot",
    "kill_two",
    "freeze_two",
    "database_clock",
    "freeze_backend",
    "freeze_database",
    "lock_executions",
    "rewrite_tables",
    "end_listeners",
    "pooler_restart",
]
SQLITE = ["disk_full", "kill_in_a_row", "fsync_fails", "slow_disk", "old_reader", "lock_file"]


def draw(seed: int, seconds: float, database: str, cluster: Cluster) -> list[Fault]:
    """The schedule of a run, which depends on its arguments alone."""
    source = random.Random(seed)
    kinds = EITHER + (POSTGRES if database == "postgres" else SQLITE)
    kinds = [kind for kind in kinds if kind not in cluster.impossible]
    drawn, at = [], 0.0
    # Every kind once in a random order, then at will, so that a short run meets most of them.
    order = source.sample(kinds, len(kinds))
    while True:
        kind = order.pop() if order else source.choice(kinds)
        pause = source.uniform(0.5, 3.0)
        length = source.uniform(LEASE_SECONDS * 1.3, LEASE_SECONDS * 2) if kind == "freeze_past_lease" else source.uniform(0.3, 2.5)
        at += pause + length
        if at > seconds:
            return drawn
        drawn.append(Fault(round(pause, 2), kind, source.randrange(len(cluster.nodes)), round(length, 2)))


class Nemesis(ClientFaults, SystemFaults):
    """Carries faults out on a cluster."""

    def __init__(self, cluster: Cluster, say: Callable[[str], None]) -> None:
        self.cluster, self.say = cluster, say

    def run(self, schedule: list[Fault]) -> None:
        """All of them, in order. Everything is whole again at the end."""
        for fault in schedule:
            time.sleep(fault.pause)
            self.say(str(fault))
            getattr(self, f"_{fault.kind}")(fault)
        self.heal()

    def heal(self) -> None:
        """Undoes what may be left of any fault."""
        self.cluster.free_disk()
        self.heal_system()
        for node in self.cluster.nodes:
            node.set_clock("+0")
            if node.proxy:
                node.proxy.rob_commits(0)
                node.proxy.resume()
            if node.is_frozen:
                node.thaw()
            if node.process is None or node.process.poll() is not None:
                node.start()
        for node in self.cluster.nodes:
            wait_until(f"the recovery of node {node.number}", node.is_ready, 60)
        self.heal_schedules()

    def _restart(self, number: int) -> None:
        node = self.cluster.nodes[number]
        node.start()
        wait_until(f"the restart of node {number}", node.is_ready, 60)

    def _kill(self, fault: Fault) -> None:
        self.cluster.nodes[fault.node].kill()
        time.sleep(fault.seconds)
        self._restart(fault.node)

    def _kill_two(self, fault: Fault) -> None:
        others = [fault.node, (fault.node + 1) % len(self.cluster.nodes)]
        for number in set(others):
            self.cluster.nodes[number].kill()
        time.sleep(fault.seconds)
        for number in set(others):
            self._restart(number)

    def _freeze_two(self, fault: Fault) -> None:
        others = {fault.node, (fault.node + 1) % len(self.cluster.nodes)}
        for number in others:
            self.cluster.nodes[number].freeze()
        time.sleep(fault.seconds)
        for number in others:
            self.cluster.nodes[number].thaw()

    def _rolling_restart(self, _fault: Fault) -> None:
        for node in self.cluster.nodes:
            node.terminate()
            self._restart(node.number)

    def _kill_in_a_row(self, fault: Fault) -> None:
        for _ in range(3):
            self.cluster.nodes[fault.node].kill()
            self._restart(fault.node)
            time.sleep(fault.seconds / 3)

    def _freeze(self, fault: Fault) -> None:
        self.cluster.nodes[fault.node].freeze()
        time.sleep(fault.seconds)
        self.cluster.nodes[fault.node].thaw()

    _freeze_past_lease = _freeze

    def _clock(self, fault: Fault) -> None:
        # The wall clock of one process jumps by hours, there and back. What it does must rest on the database's clock.
        node = self.cluster.nodes[fault.node]
        node.set_clock("+7200" if fault.seconds > 1.4 else "-7200")
        time.sleep(fault.seconds)
        node.set_clock("+0")

    def _disk_full(self, fault: Fault) -> None:
        self.cluster.fill_disk()
        time.sleep(fault.seconds)
        self.cluster.free_disk()

    def _stall(self, fault: Fault) -> None:
        proxy = self.cluster.nodes[fault.node].proxy
        assert proxy is not None
        proxy.stall()
        time.sleep(fault.seconds)
        proxy.resume()

    def _reset(self, fault: Fault) -> None:
        proxy = self.cluster.nodes[fault.node].proxy
        assert proxy is not None
        until = time.monotonic() + fault.seconds
        while time.monotonic() < until:
            proxy.reset()
            time.sleep(0.25)

    def _rob_commits(self, fault: Fault) -> None:
        proxy = self.cluster.nodes[fault.node].proxy
        assert proxy is not None
        proxy.rob_commits(20)
        time.sleep(fault.seconds)
        proxy.rob_commits(0)

    def _database_crash(self, _fault: Fault) -> None:
        assert self.cluster.postgres is not None
        self.cluster.postgres.crash()

    def _sql(self, text: str) -> None:
        assert self.cluster.postgres is not None
        self.cluster.postgres.sql(text)

    def _end_sessions(self, _fault: Fault) -> None:
        self._sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = 'postgres'")

    def _lock_jobs(self, fault: Fault) -> None:
        self._sql(f"BEGIN; LOCK TABLE job IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep({fault.seconds}); COMMIT")

    def _lock_claim(self, fault: Fault) -> None:
        self._sql(f"BEGIN; SELECT * FROM queue_claim FOR UPDATE; SELECT pg_sleep({fault.seconds}); COMMIT")

    def _lock_executions(self, fault: Fault) -> None:
        self._sql(f"BEGIN; LOCK TABLE execution IN SHARE MODE; SELECT pg_sleep({fault.seconds}); COMMIT")

    def _rewrite_tables(self, _fault: Fault) -> None:
        # Every row lies elsewhere afterwards.
        for table in ("job", "queue_claim", "execution"):
            self._sql(f"VACUUM FULL {table}")

    def _end_listeners(self, _fault: Fault) -> None:
        self._sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'")

    def _pooler_restart(self, fault: Fault) -> None:
        assert self.cluster.pooler is not None
        self.cluster.pooler.stop()
        time.sleep(fault.seconds)
        self.cluster.pooler.start()

    def _old_snapshot(self, fault: Fault) -> None:
        # It stays while the next faults go on.
        text = f"BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM job; SELECT pg_sleep({fault.seconds * 4}); COMMIT"
        threading.Thread(target=self._quietly, args=(text,), daemon=True).start()

    def _quietly(self, text: str) -> None:
        try:
            self._sql(text)
        except subprocess.SubprocessError:
            pass
