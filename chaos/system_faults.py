"""Faults of the machine: descriptors, disks, other programs on the file, and the database's own processes and clock."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import sqlite3
import subprocess
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cluster import Cluster
    from faults import Fault

# The calls with which SQLite waits for the disk.
FLUSHES = "fsync,fdatasync"


def can_trace() -> bool:
    """Whether strace is there and may look at a process of ours."""
    if not shutil.which("strace"):
        return False
    with subprocess.Popen(["sleep", "5"]) as target:
        tracer = subprocess.Popen(
            ["strace", "-f", "-p", str(target.pid), "-e", "trace=fsync"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        time.sleep(0.3)
        is_tracing = tracer.poll() is None
        tracer.send_signal(signal.SIGINT)
        tracer.wait(timeout=10)
        target.kill()
    return is_tracing


def signal_process(process: int, number: signal.Signals) -> None:
    """Sends a signal to a process, if it is still there."""
    try:
        os.kill(process, number)
    except ProcessLookupError:
        pass


class SystemFaults:
    """What the machine does."""

    cluster: Cluster

    def heal_system(self) -> None:
        """Undoes what may be left."""
        for node in self.cluster.nodes:
            self._limit_descriptors(node.pid(), None)
        if self.cluster.postgres:
            self.cluster.postgres.set_clock("+0")
            self.cluster.postgres.signal_processes(signal.SIGCONT)

    def _limit_descriptors(self, process: int | None, soft: int | None) -> None:
        if process is None:
            return
        try:
            _, hard = resource.prlimit(process, resource.RLIMIT_NOFILE)
            resource.prlimit(process, resource.RLIMIT_NOFILE, (hard if soft is None else min(soft, hard), hard))
        except (ProcessLookupError, PermissionError):
            pass

    def _no_descriptors(self, fault: Fault) -> bool:
        # Not one more file or connection than there are.
        process = self.cluster.nodes[fault.node].pid()
        if process is None:
            return False
        self._limit_descriptors(process, len(os.listdir(f"/proc/{process}/fd")))
        time.sleep(fault.seconds)
        self._limit_descriptors(process, None)
        return True

    def _trace(self, fault: Fault, inject: str) -> bool:
        process = self.cluster.nodes[fault.node].pid()
        if process is None:
            return False
        said = self.cluster.folder / "strace.txt"
        command = ["strace", "-f", "-o", str(said), "-p", str(process), "-e", f"trace={FLUSHES}"]
        command += ["-e", f"inject={FLUSHES}:{inject}"]
        tracer = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(fault.seconds)
        tracer.send_signal(signal.SIGINT)
        tracer.wait(timeout=30)
        # Each call that was met is a line.
        return "sync(" in said.read_text(errors="replace") if said.exists() else False

    def _fsync_fails(self, fault: Fault) -> bool:
        # One in three, so that what comes after a failure is met, too.
        return self._trace(fault, "error=EIO:when=1+3")

    def _slow_disk(self, fault: Fault) -> bool:
        return self._trace(fault, "delay_exit=200000")

    def _file(self) -> Path:
        assert self.cluster.file is not None
        return self.cluster.file

    def _old_reader(self, fault: Fault) -> None:
        # Nothing that is written since can be taken out of the log.
        with closing(sqlite3.connect(self._file(), isolation_level=None)) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM job").fetchone()
            time.sleep(fault.seconds * 2)
            reader.execute("COMMIT")

    def _lock_file(self, fault: Fault) -> bool:
        with closing(sqlite3.connect(self._file(), isolation_level=None, timeout=10)) as writer:
            try:
                writer.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError:
                return False
            time.sleep(fault.seconds)
            writer.execute("ROLLBACK")
            return True

    def _database_clock(self, fault: Fault) -> bool:
        # Twenty minutes back and, later, forward again.
        assert self.cluster.postgres is not None
        self.cluster.postgres.set_clock("-1200")
        says = self.cluster.postgres.sql("SELECT floor(extract(epoch FROM clock_timestamp()))")
        time.sleep(fault.seconds)
        self.cluster.postgres.set_clock("+0")
        return says is None or float(says) < time.time() - 600

    def _freeze_backend(self, fault: Fault) -> bool:
        # One of those that serve the nodes, whatever it holds.
        assert self.cluster.postgres is not None
        backends = self.cluster.postgres.backends()
        if backends:
            signal_process(backends[int(fault.seconds * 1000) % len(backends)], signal.SIGSTOP)
        time.sleep(fault.seconds)
        self.cluster.postgres.signal_processes(signal.SIGCONT)
        return bool(backends)

    def _freeze_database(self, fault: Fault) -> None:
        # As a disk on which nothing moves: the writers of the log and of the tables stand still, and so do the others.
        assert self.cluster.postgres is not None
        self.cluster.postgres.signal_processes(signal.SIGSTOP)
        time.sleep(fault.seconds)
        self.cluster.postgres.signal_processes(signal.SIGCONT)
