"""The faults: drawn from a seed, carried out one after the other, each undone before the next."""

from __future__ import annotations

import random
import subprocess
import threading
import time
from collections import defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass, replace

from client_faults import ClientFaults
from cluster import LEASE_SECONDS, Cluster, wait_until
from system_faults import SystemFaults
from usage import Usage, usage


@dataclass(frozen=True)
class Fault:
    """One fault: after how many seconds of quiet, of which kind, on which node, for how long."""

    pause: float
    kind: str
    node: int
    seconds: float

    def __str__(self) -> str:
        return f"+{self.pause:.1f} s {self.kind} node {self.node} for {self.seconds:.1f} s"

    def text(self) -> str:
        """As `--faults` takes it."""
        return f"{self.pause}:{self.kind}:{self.node}:{self.seconds}"

    @classmethod
    def parse(cls, text: str) -> Fault:
        """Reads what `text` says."""
        pause, kind, node, seconds = text.split(":")
        if kind not in EITHER + POSTGRES + SQLITE:
            raise ValueError(f"there is no fault {kind}")
        return cls(float(pause), kind, int(node), float(seconds))


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
    "database_disk_full",
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

# In a run of so many seconds nothing ends a process in the last quarter: what it holds would grow for want of an end.
LONG = 600.0
LAST = 0.75
ENDS = {"kill", "kill_two", "kill_in_a_row", "rolling_restart"}
# A kind that was drawn so often and never met anything is broken itself.
TIMES = 3


def draw(seed: int, seconds: float, database: str, cluster: Cluster) -> list[Fault]:
    """The schedule of a run, which depends on its arguments alone."""
    source = random.Random(seed)
    kinds = EITHER + (POSTGRES if database == "postgres" else SQLITE)
    kinds = [kind for kind in kinds if kind not in cluster.impossible]
    mild = [kind for kind in kinds if kind not in ENDS] if seconds >= LONG else kinds

    def one(kind: str) -> Fault:
        pause = source.uniform(0.5, 3.0)
        length = source.uniform(LEASE_SECONDS * 1.3, LEASE_SECONDS * 2) if kind == "freeze_past_lease" else source.uniform(0.3, 2.5)
        return Fault(round(pause, 2), kind, source.randrange(len(cluster.nodes)), round(length, 2))

    # Every kind once in a random order, with less quiet before each where the run is short; then at will.
    first = [one(kind) for kind in source.sample(kinds, len(kinds))]
    room = seconds - sum(fault.seconds for fault in first)
    quiet = min(1.0, max(0.0, room) / sum(fault.pause for fault in first))
    waiting = deque(replace(fault, pause=int(fault.pause * quiet * 100) / 100) for fault in first)
    drawn, at = [], 0.0
    while True:
        fault = waiting.popleft() if waiting else one(source.choice(mild if at > seconds * LAST else kinds))
        at += fault.pause + fault.seconds
        if at > seconds:
            return drawn
        drawn.append(fault)


class Nemesis(ClientFaults, SystemFaults):
    """Carries faults out on a cluster."""

    def __init__(self, cluster: Cluster, say: Callable[[str], None]) -> None:
        self.cluster, self.say = cluster, say
        # Whether each fault met anything, by kind.
        self.effects: dict[str, list[bool]] = defaultdict(list)
        # What the nodes held before the last quarter.
        self.before: list[Usage | None] = []

    def run(self, schedule: list[Fault], seconds: float) -> None:
        """All of them, in order. Everything is whole again at the end."""
        at = 0.0
        for fault in schedule:
            if not self.before and at > seconds * LAST:
                self.before = [usage(node.pid()) for node in self.cluster.nodes]
            at += fault.pause + fault.seconds
            time.sleep(fault.pause)
            self.say(str(fault))
            # Nothing is said of some, which always have an effect.
            has_effect = getattr(self, f"_{fault.kind}")(fault) is not False
            self.effects[fault.kind].append(has_effect)
            if not has_effect:
                self.say(f"{fault.kind} met nothing")
        self.heal()

    def without_effect(self) -> list[str]:
        """The kinds that never met anything, however often they came."""
        return [kind for kind, effects in self.effects.items() if len(effects) >= TIMES and not any(effects)]

    def heal(self) -> None:
        """Undoes what may be left of any fault."""
        self.heal_system()
        if self.cluster.disk:
            self.cluster.disk.free()
        if self.cluster.postgres and self.cluster.postgres.disk:
            self.cluster.postgres.disk.free()
            self.cluster.postgres.revive()
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

    def _disk_full(self, fault: Fault) -> bool:
        disk = self.cluster.disk
        assert disk is not None
        is_full = disk.fill()
        time.sleep(fault.seconds)
        disk.free()
        return is_full

    def _database_disk_full(self, fault: Fault) -> bool:
        postgres = self.cluster.postgres
        assert postgres is not None and postgres.disk is not None
        is_full = postgres.disk.fill()
        time.sleep(fault.seconds)
        postgres.disk.free()
        postgres.revive()
        return is_full

    def _stall(self, fault: Fault) -> bool:
        proxy = self.cluster.nodes[fault.node].proxy
        assert proxy is not None
        proxy.stall()
        stalled = proxy.connections()
        time.sleep(fault.seconds)
        proxy.resume()
        return stalled > 0

    def _reset(self, fault: Fault) -> bool:
        proxy = self.cluster.nodes[fault.node].proxy
        assert proxy is not None
        until, ended = time.monotonic() + fault.seconds, 0
        while time.monotonic() < until:
            ended += proxy.reset()
            time.sleep(0.25)
        return ended > 0

    def _rob_commits(self, fault: Fault) -> bool:
        proxy = self.cluster.nodes[fault.node].proxy
        assert proxy is not None
        proxy.rob_commits(20)
        time.sleep(fault.seconds)
        return proxy.rob_commits(0) < 20

    def _database_crash(self, _fault: Fault) -> None:
        assert self.cluster.postgres is not None
        self.cluster.postgres.crash()

    def _sql(self, text: str) -> str | None:
        assert self.cluster.postgres is not None
        return self.cluster.postgres.sql(text)

    def _end_sessions(self, _fault: Fault) -> bool:
        return bool(self._sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = 'postgres'"))

    def _lock_jobs(self, fault: Fault) -> bool:
        return self._sql(f"BEGIN; LOCK TABLE job IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep({fault.seconds}); COMMIT") is not None

    def _lock_claim(self, fault: Fault) -> bool:
        return self._sql(f"BEGIN; SELECT * FROM queue_claim FOR UPDATE; SELECT pg_sleep({fault.seconds}); COMMIT") is not None

    def _lock_executions(self, fault: Fault) -> bool:
        return self._sql(f"BEGIN; LOCK TABLE execution IN SHARE MODE; SELECT pg_sleep({fault.seconds}); COMMIT") is not None

    def _rewrite_tables(self, _fault: Fault) -> bool:
        # Every row lies elsewhere afterwards.
        done = [self._sql(f"VACUUM FULL {table}") for table in ("job", "queue_claim", "execution")]
        return None not in done

    def _end_listeners(self, _fault: Fault) -> bool:
        return bool(self._sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'"))

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
