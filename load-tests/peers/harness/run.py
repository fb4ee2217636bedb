#!/usr/bin/env python3
"""Runs the driver of the harness postgresql-job-queue-benchmarking with Trunkline among its systems, without containers.

    run.py --checkout DIRECTORY --trunkline BINARY [--adapter BINARY] [--command NAME=COMMAND]… -- run --systems …

What follows `--` is for the driver. PostgreSQL is the one that is installed here, private and on loopback, with the
harness's own postgresql.conf; it starts and stops where the driver would start and stop its container. A system runs
by the command that is given for it, in its own directory; without one the driver starts it as it always does.
"""

import argparse
import os
import pwd
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
START_SECONDS = 60


class Postgres:
    """A private server that can be stopped and started again with its data."""

    def __init__(self, binaries: Path, settings: Path, port: int, user: str, password: str) -> None:
        self.binaries, self.settings, self.port = binaries, settings, port
        self.user, self.password = user, password
        self.home: Path | None = None

    def create(self) -> None:
        """Starts a new server without data; leaves one that is there alone."""
        if self.home is not None:
            return
        self.home = Path(tempfile.mkdtemp(prefix="trunkline-harness-"))
        secret = self.home / "password"
        secret.write_text(self.password)
        if os.geteuid() == 0:
            owner = pwd.getpwnam("postgres")
            for path in (self.home, secret):
                os.chown(path, owner.pw_uid, owner.pw_gid)
        self._run("initdb", "--pgdata", self.home / "data", "--username", self.user, "--pwfile", secret,
                  "--auth", "scram-sha-256", "--encoding", "UTF8", "--locale", "C", "--no-instructions")
        # The harness's settings, then what keeps the server on this machine.
        shutil.copy(self.settings, self.home / "data" / "harness.conf")
        os.chmod(self.home / "data" / "harness.conf", 0o644)
        with open(self.home / "data" / "postgresql.conf", "a", encoding="utf-8") as file:
            file.write(f"include 'harness.conf'\nlisten_addresses = '127.0.0.1'\nport = {self.port}\n"
                       "unix_socket_directories = ''\n")
        self.start()

    def start(self) -> None:
        """Starts it with the data that it has, and answers once it takes connections."""
        self._run("pg_ctl", "start", "--pgdata", self.home / "data", "--log", self.home / "data" / "server.log",
                  "--wait", "--timeout", str(START_SECONDS))

    def stop(self) -> None:
        """Ends it and all its sessions; the data stays."""
        self._run("pg_ctl", "stop", "--pgdata", self.home / "data", "--mode", "fast", "--wait")

    def remove(self) -> None:
        """Ends it and removes the data."""
        if self.home is None:
            return
        home, self.home = self.home, None
        subprocess.run(self._as_owner("pg_ctl", "stop", "--pgdata", home / "data", "--mode", "immediate"), check=False,
                       cwd="/", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        shutil.rmtree(home)

    def _as_owner(self, program: str, *arguments: object) -> list[str]:
        # The server refuses to run as root, so that root lends it the identity of a system user.
        become = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.geteuid() == 0 else []
        return [*become, str(self.binaries / program), *map(str, arguments)]

    def _run(self, program: str, *arguments: object) -> None:
        subprocess.run(self._as_owner(program, *arguments), check=True, cwd="/", stdout=subprocess.DEVNULL)


def find_binaries() -> Path:
    """The directory of the newest installed server."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda path: int(path.parts[4]))
    if not found:
        sys.exit("run.py: PostgreSQL is not installed in /usr/lib/postgresql")
    return found[-1].parent


def replace_containers(orchestrator, postgres: Postgres) -> None:
    """Lets the driver start, stop and restart `postgres` where it would its container."""
    orchestrator.start_postgres = lambda image: postgres.create()
    orchestrator.stop_postgres = lambda image: postgres.remove()
    orchestrator._compose_stop_postgres = lambda image: postgres.stop()
    orchestrator._compose_start_postgres = lambda image: postgres.start()


def register(adapters, commands: dict[str, list[str]], directories: dict[str, Path]) -> None:
    """Registers systems that run by a command."""
    for name, command in commands.items():
        known = adapters.ADAPTERS.get(name)
        directory = directories[name] if known is None else known.bench_dir

        def launch(manifest, overrides, command=command, directory=directory):
            environment = adapters._base_env(manifest, overrides)
            return adapters.LaunchSpec(argv=command, env=environment, cwd=str(directory))

        adapters.ADAPTERS[name] = adapters.AdapterEntry(
            bench_dir=directory, builder=lambda skip: None, launcher=launch)


def read_arguments(given: list[str]) -> tuple[argparse.Namespace, list[str]]:
    """What is for this program, and what is for the driver."""
    own, driver = given, []
    if "--" in given:
        place = given.index("--")
        own, driver = given[:place], given[place + 1:]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checkout", type=Path, required=True, help="the directory of the harness")
    parser.add_argument("--trunkline", type=Path, required=True, help="the server's binary, a release build")
    parser.add_argument("--adapter", type=Path, default=HERE / "harness", help="the adapter's binary (go build .)")
    parser.add_argument("--command", action="append", default=[], metavar="NAME=COMMAND",
                        help="how a system of the harness is started, such as river=./river-bench")
    read = parser.parse_args(own)
    if not driver:
        parser.error("say what the driver is to do, after --")
    for place in (read.checkout / "bench_harness", read.trunkline, read.adapter):
        if not place.exists():
            parser.error(f"{place} is not there")
    return read, driver


def main() -> int:
    read, driver = read_arguments(sys.argv[1:])
    sys.path.insert(0, str(read.checkout.resolve()))
    from bench_harness import adapters, orchestrator  # pylint: disable=import-outside-toplevel

    os.environ["TRUNKLINE_BINARY"] = str(read.trunkline.resolve())
    commands = {"trunkline": [str(read.adapter.resolve())]}
    for given in read.command:
        name, _, command = given.partition("=")
        commands[name] = shlex.split(command)
    register(adapters, commands, {"trunkline": HERE})
    postgres = Postgres(find_binaries(), read.checkout.resolve() / "postgres.conf",
                        adapters.PG_PORT, adapters.PG_USER, adapters.PG_PASS)
    replace_containers(orchestrator, postgres)
    try:
        return orchestrator.main(driver)
    finally:
        postgres.remove()


if __name__ == "__main__":
    raise SystemExit(main())
