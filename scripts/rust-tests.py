#!/usr/bin/env python3
"""Runs the tests of Rust side by side: rust-tests.py ARGUMENTS-OF-CARGO-TEST…

`cargo test` runs one executable after the other. Most of the time of the longest ones goes by while a test waits for a server, a lease
or a flush, so that two of them run at once here, the longest first. What an executable has written is printed when it has ended, and
what failed once more at the end. Examples in documentation come last. Fails where anything did.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

ROOT = Path(__file__).resolve().parent.parent
AT_ONCE = 2
# Those of minutes, the longest first; all others take seconds.
LONG = ["server/it", "store-sql/conformance", "engine/it", "domain/claim_policy", "api/it", "store-sql/queue_model"]


@dataclass(frozen=True)
class Executable:
    package: Path
    target: str
    path: str

    @property
    def name(self) -> str:
        return f"{self.package.name}/{self.target}"

    @property
    def rank(self) -> int:
        return LONG.index(self.name) if self.name in LONG else len(LONG)


def executables(arguments: list[str]) -> list[Executable]:
    """Builds the tests, and answers what cargo would run, the longest first."""
    command = ["cargo", "test", *arguments, "--no-run", "--message-format=json-render-diagnostics"]
    built = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
    if built.returncode != 0:
        sys.exit(built.returncode)
    found = []
    for line in built.stdout.splitlines():
        message = json.loads(line)
        if message.get("reason") == "compiler-artifact" and message["executable"] and message["profile"]["test"]:
            package = Path(message["manifest_path"]).parent
            found.append(Executable(package, message["target"]["name"], message["executable"]))
    if not found:
        sys.exit("error: cargo named no tests")
    return sorted(found, key=lambda executable: executable.rank)


# The files of those that run, by their paths: a library and a program of one package have the same name.
RUNNING: dict[str, tuple[str, Path]] = {}


def run(executable: Executable, environment: dict[str, str], scratch: Path) -> tuple[Executable, int, str]:
    """Runs it as cargo would: in the directory of its package, with the environment of .cargo/config.toml."""
    started = time.monotonic()
    written = scratch / Path(executable.path).name
    # A test of a package may ask where that is.
    variables = environment | {"CARGO_MANIFEST_DIR": str(executable.package)}
    RUNNING[executable.path] = (executable.name, written)
    with written.open("wb") as output:
        ended = subprocess.run(
            [executable.path], cwd=executable.package, env=variables, stdout=output, stderr=output, check=False
        )
    del RUNNING[executable.path]
    text = written.read_text(errors="replace")
    print(f"\n--> {executable.name}, {time.monotonic() - started:.0f} s\n{text}", flush=True)
    return executable, ended.returncode, text


def tell(number: int, _frame: FrameType | None) -> None:
    """Somebody ends this, since it takes too long: says what runs, and what that has written."""
    for name, written in list(RUNNING.values()):
        print(f"\n--> ended in the middle: {name}\n{written.read_text(errors='replace')}", flush=True)
    os._exit(128 + number)


def main() -> int:
    arguments = sys.argv[1:]
    settings = tomllib.loads((ROOT / ".cargo/config.toml").read_text())
    environment = {**settings.get("env", {}), **os.environ}
    found = executables(arguments)
    signal.signal(signal.SIGTERM, tell)
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(AT_ONCE) as lanes:
        ended = list(lanes.map(lambda executable: run(executable, environment, Path(scratch)), found))
    examples = subprocess.run(["cargo", "test", *arguments, "--no-fail-fast", "--doc"], cwd=ROOT, check=False)
    failed = [(executable, output) for executable, code, output in ended if code != 0]
    for executable, output in failed:
        print(f"\n--> failed: {executable.name}\n{output}")
    for executable, _ in failed:
        print(f"failed: {executable.name}")
    return 1 if failed else examples.returncode


if __name__ == "__main__":
    sys.exit(main())
