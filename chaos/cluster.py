"""The processes of a run: PostgreSQL or a file, and the nodes."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import signal
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path

from disk import Disk
from ports import free_port
from proxy import Proxy
from system_faults import can_trace, signal_process

LEASE_SECONDS = 3.0
KEY = "tl_" + secrets.token_hex(24)


def wait_until(what: str, check, seconds: float) -> None:  # type: ignore[no-untyped-def]
    """Waits for a condition; raises when it does not come true in time."""
    deadline = time.monotonic() + seconds
    while not check():
        if time.monotonic() > deadline:
            raise TimeoutError(f"{what} did not happen within {seconds:.0f} s")
        time.sleep(0.05)


FAKETIME = next(iter(sorted(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))), None)


def faked_clock(file: Path) -> dict[str, str]:
    """The variables under which the wall clock of a process is what a file says."""
    return {
        "LD_PRELOAD": str(FAKETIME),
        "FAKETIME_TIMESTAMP_FILE": str(file),
        "FAKETIME_NO_CACHE": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    }


def children(process: int) -> list[int]:
    """The processes that a process started."""
    try:
        text = Path(f"/proc/{process}/task/{process}/children").read_text()
    except FileNotFoundError:
        return []
    return [int(number) for number in text.split()]


def title(process: int) -> bytes:
    """What a process says that it is; nothing where it has ended."""
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return b""


class Postgres:
    """A private PostgreSQL that can crash and come back. Commits are durable against a crash of its processes."""

    def __init__(self, folder: Path, mebibytes: int | None = None) -> None:
        """With a disk of its own of this size, where one is asked for and can be had."""
        found = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda path: int(path.parts[4]))
        if not found:
            raise SystemExit("chaos: PostgreSQL is not installed; scripts/with-postgres.sh installs it")
        self.programs = found[-1].parent
        self.folder = folder / "postgres"
        self.disk = Disk.mounted(self.folder, mebibytes) if mebibytes else None
        self.folder.mkdir(exist_ok=True)
        self.process: subprocess.Popen[bytes] | None = None
        try:
            self._make(folder)
        except BaseException:
            self.stop()
            raise

    def _make(self, folder: Path) -> None:
        # The server refuses to run as root, so root lends it the identity of a system user.
        self.user = ["setpriv", "--reuid", "postgres", "--regid", "postgres", "--clear-groups"] if os.getuid() == 0 else []
        if self.user:
            shutil.chown(self.folder, "postgres", "postgres")
        folder.chmod(0o711)
        self._run("initdb", "--pgdata", f"{self.folder}/data", "--username", "trunkline", "--auth", "trust", "--no-sync")
        self.port = free_port()
        self.clock = folder / "clock-postgres"
        self.set_clock("+0")
        self.start()

    def set_clock(self, offset: str) -> None:
        """Sets the server's clock this many seconds off, while it runs."""
        self.clock.write_text(f"{offset}\n")
        self.clock.chmod(0o644)

    def signal_processes(self, number: signal.Signals) -> None:
        """Sends a signal to all processes of the server but its first."""
        assert self.process is not None
        for child in children(self.process.pid):
            signal_process(child, number)

    def backends(self) -> list[int]:
        """The processes of the server that serve connections."""
        assert self.process is not None
        return [child for child in children(self.process.pid) if b"127.0.0.1" in title(child)]

    def _run(self, program: str, *arguments: str) -> str:
        command = [*self.user, str(self.programs / program), *arguments]
        return subprocess.run(command, check=True, cwd="/", capture_output=True, text=True, timeout=60).stdout

    def start(self) -> None:
        settings = ["fsync=off", "full_page_writes=off", "max_connections=200", "unix_socket_directories="]
        # So that a full disk is met by the log, too.
        settings += ["min_wal_size=32MB", "max_wal_size=256MB"]
        arguments = [part for setting in settings for part in ("-c", setting)]
        log = (self.folder.parent / "postgres.log").open("ab")
        # Set for the server alone: what lends it the identity must not meet the library as somebody else.
        faked = faked_clock(self.clock) if FAKETIME else {}
        variables = ["env", *(f"{name}={value}" for name, value in faked.items())]
        command = [*self.user, *variables, str(self.programs / "postgres"), "-D", f"{self.folder}/data", "-p", str(self.port)]
        self.process = subprocess.Popen([*command, *arguments], cwd="/", stdout=log, stderr=log)
        wait_until("the start of PostgreSQL", self.answers, 60)

    def answers(self) -> bool:
        command = [str(self.programs / "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(self.port)]
        return subprocess.run(command, check=False).returncode == 0

    def sql(self, text: str, timeout: float = 30) -> str | None:
        """Runs statements as the administrator, past the proxies. Answers what they say; nothing where one failed."""
        command = [str(self.programs / "psql"), "-qAt", "-h", "127.0.0.1", "-p", str(self.port), "-U", "trunkline"]
        done = subprocess.run(
            [*command, "-d", "postgres", "-c", text], check=False, capture_output=True, text=True, timeout=timeout
        )
        return done.stdout.strip() if done.returncode == 0 else None

    def crash(self) -> None:
        """Ends it at once, as a crash would, and starts it again."""
        assert self.process is not None
        self.process.send_signal(signal.SIGQUIT)
        self.process.wait(timeout=30)
        self.start()

    def revive(self) -> None:
        """Waits until it serves, and starts it where it has ended: for want of room, it cannot come back from a crash."""
        assert self.process is not None

        def serves() -> bool:
            assert self.process is not None
            if self.process.poll() is not None:
                self.start()
            return self.answers()

        wait_until("the recovery of PostgreSQL", serves, 60)

    def stop(self) -> None:
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            self.process.wait(timeout=30)
        if self.disk:
            self.disk.unmount()
            self.disk = None


class Pooler:
    """PgBouncer in transaction mode before PostgreSQL."""

    def __init__(self, folder: Path, postgres: Postgres) -> None:
        self.port = free_port()
        (folder / "users.txt").write_text('"trunkline" ""\n')
        settings = folder / "pgbouncer.ini"
        settings.write_text(
            f"[databases]\npostgres = host=127.0.0.1 port={postgres.port}\n"
            f"[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {self.port}\npool_mode = transaction\n"
            f"auth_type = trust\nauth_file = {folder}/users.txt\nunix_socket_dir =\nserver_login_retry = 1\n"
        )
        user = ["-u", "nobody"] if os.getuid() == 0 else []
        self.log = folder / "pgbouncer.log"
        program = shutil.which("pgbouncer", path=f"{os.environ['PATH']}:/usr/sbin")
        self.command = [str(program), *user, str(settings)]
        self.start()

    def start(self) -> None:
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(self.command, stdout=log, stderr=log)

    def stop(self) -> None:
        self.process.kill()
        self.process.wait(timeout=30)


class Node:
    """One process of the server, behind a proxy of its own where it is on PostgreSQL."""

    def __init__(self, binary: Path, folder: Path, number: int, database_port: int | None, database: Path) -> None:
        self.binary, self.folder, self.number = binary, folder, number
        self.clock = folder / f"clock-{number}"
        self.set_clock("+0")
        self.proxy = Proxy(database_port) if database_port else None
        self.url = (
            f"postgres://trunkline@127.0.0.1:{self.proxy.port}/postgres" if self.proxy else f"sqlite://{database}"
        )
        self.port, self.metrics_port, self.grpc_port = free_port(), free_port(), free_port()
        self.process: subprocess.Popen[bytes] | None = None
        self.is_frozen = False

    def start(self) -> None:
        environment = {
            "PATH": os.environ["PATH"],
            "DATABASE_URL": self.url,
            "TRUNKLINE_HTTP": f"127.0.0.1:{self.port}",
            "TRUNKLINE_METRICS": f"127.0.0.1:{self.metrics_port}",
            "TRUNKLINE_GRPC": f"127.0.0.1:{self.grpc_port}",
            "TRUNKLINE_BOOTSTRAP_KEY": KEY,
            "TRUNKLINE_LOG__FILTER": "warn",
            "RUST_BACKTRACE": "1",
            **(faked_clock(self.clock) if FAKETIME else {}),
        }
        for queue in ("NODE", "EXECUTION", "SCHEDULED", "WEBHOOK"):
            environment[f"TRUNKLINE_QUEUES__WORKFLOW_{queue}__LEASE"] = f"{LEASE_SECONDS:.0f}s"
            # Jobs lose many attempts to the faults; the wait for the next one must not decide how long a run takes.
            environment[f"TRUNKLINE_QUEUES__WORKFLOW_{queue}__BACKOFF__MAX"] = "2s"
        log = (self.folder / f"node-{self.number}.log").open("ab")
        self.process = subprocess.Popen([self.binary, "serve"], env=environment, cwd=self.folder, stdout=log, stderr=log)

    def pid(self) -> int | None:
        """The process, while it runs."""
        return self.process.pid if self.process and self.process.poll() is None else None

    def terminate(self) -> None:
        """Asks it to end in order, and ends it if it does not."""
        assert self.process is not None
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(timeout=40)
        except subprocess.TimeoutExpired:
            self.kill()

    def set_clock(self, offset: str) -> None:
        """Sets the wall clock of the process this many seconds off, while it runs."""
        self.clock.write_text(f"{offset}\n")

    def is_ready(self) -> bool:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/readyz", timeout=2) as answer:
                return answer.status == 200
        except (OSError, urllib.error.URLError):
            return False

    def kill(self) -> None:
        assert self.process is not None
        self.process.kill()
        self.process.wait(timeout=30)
        self.is_frozen = False

    def freeze(self) -> None:
        assert self.process is not None
        self.process.send_signal(signal.SIGSTOP)
        self.is_frozen = True

    def thaw(self) -> None:
        assert self.process is not None
        self.process.send_signal(signal.SIGCONT)
        self.is_frozen = False

    def stop(self) -> None:
        """Ends it for good."""
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait(timeout=30)


def panics(folder: Path) -> list[str]:
    """Lines of the nodes' logs that no fault may cause."""
    found = []
    for log in folder.glob("node-*.log"):
        text = log.read_text(errors="replace")
        found += [f"{log.name}: {line[:200]}" for line in text.splitlines() if re.search(r"panicked at", line)]
    return found


class Cluster:
    """The database and its nodes."""

    def __init__(self, binary: Path, folder: Path, database: str, nodes: int, seconds: float) -> None:
        self.folder = folder
        self.disk: Disk | None = None
        self.postgres: Postgres | None = None
        self.pooler: Pooler | None = None
        self.nodes: list[Node] = []
        self.file: Path | None = None
        self.skipped: list[str] = []
        self.impossible: set[str] = set()
        try:
            self._make(binary, database, nodes, seconds)
        except BaseException:
            self.close()
            raise

    def _make(self, binary: Path, database: str, nodes: int, seconds: float) -> None:
        # The disk is full when a fault says so, and not by the run alone: a run writes up to half a mebibyte a second to a file, and
        # more to PostgreSQL, which keeps what an old snapshot may see.
        if database == "postgres":
            self.postgres = Postgres(self.folder, 2048 + 4 * int(seconds))
            if not self.postgres.disk:
                self.impossible.add("database_disk_full")
                self.skipped.append("database_disk_full: this process may not mount a disk of its own")
        else:
            self.disk = Disk.mounted(self.folder / "disk", 256 + int(seconds))
            self.file = (self.disk.folder if self.disk else self.folder) / "trunkline.db"
            if not self.disk:
                self.impossible.add("disk_full")
                self.skipped.append("disk_full: this process may not mount a disk of its own")
        if not FAKETIME:
            self.impossible |= {"clock", "database_clock"}
            self.skipped.append("clock, database_clock: libfaketime is not installed")
        if not self.postgres and not can_trace():
            self.impossible |= {"fsync_fails", "slow_disk"}
            self.skipped.append("fsync_fails, slow_disk: strace is not installed, or may not look at processes")
        ports = [self.postgres.port if self.postgres else None] * nodes
        if self.postgres and nodes > 1:
            if shutil.which("pgbouncer", path=f"{os.environ['PATH']}:/usr/sbin"):
                # The last node speaks through a pooler, the others do not.
                self.pooler = Pooler(self.folder, self.postgres)
                ports[-1] = self.pooler.port
            else:
                self.skipped.append("pooler_restart, and all behind a pooler: PgBouncer is not installed")
        if not self.pooler:
            self.impossible.add("pooler_restart")
        file = self.file or self.folder / "none"
        self.nodes = [Node(binary, self.folder, number, ports[number], file) for number in range(nodes)]
        for node in self.nodes:
            node.start()
            # One after the other: the first brings the schema.
            wait_until(f"the start of node {node.number}", node.is_ready, 60)

    def close(self) -> None:
        """Ends every process and gives the disk back."""
        for node in self.nodes:
            node.stop()
        if self.pooler:
            self.pooler.stop()
        if self.postgres:
            self.postgres.stop()
        if self.disk:
            self.disk.unmount()
