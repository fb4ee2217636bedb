#!/usr/bin/env python3
"""Runs a command, and ends it with all that it has started where it takes longer: within.py SECONDS COMMAND…

What ran at that time is said. The exit code is that of the command, or 124 where it was ended.
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import FrameType

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
ENDED = 124
# How long processes have to end in order.
GRACE_SECONDS = 30.0


def descendants() -> dict[int, str]:
    """The processes below this one that have not ended, each with its command."""
    children: dict[int, list[int]] = {}
    commands: dict[int, str] = {}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            stat = (entry / "stat").read_text(errors="replace")
            command = (entry / "cmdline").read_bytes()
        except OSError:
            continue
        # The name of a process is in parentheses, and may hold any other.
        state, parent = stat.rsplit(")", 1)[1].split()[:2]
        if state != "Z":
            commands[int(entry.name)] = command.replace(b"\0", b" ").decode(errors="replace").strip()
        children.setdefault(int(parent), []).append(int(entry.name))
    found, above = {}, [os.getpid()]
    while above:
        for process in children.get(above.pop(), []):
            above.append(process)
            if process in commands:
                found[process] = commands[process]
    return found


def end_all() -> None:
    """Ends them: in order, and then at once."""
    for number, seconds in ((signal.SIGTERM, GRACE_SECONDS), (signal.SIGKILL, 5.0)):
        for process in descendants():
            try:
                os.kill(process, number)
            except (ProcessLookupError, PermissionError):
                # It has ended, or it is another user's (what `sudo` installs), and ends by itself.
                pass
        end = time.monotonic() + seconds
        while descendants() and time.monotonic() < end:
            time.sleep(0.1)


def wait(process: subprocess.Popen[bytes], seconds: float) -> int | None:
    """The exit code of a process; none where it takes longer. Orphans that end meanwhile are waited for, too, so that they are gone."""
    end = time.monotonic() + seconds
    while True:
        ended, status = os.waitpid(-1, os.WNOHANG)
        if ended == process.pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            return process.returncode
        if ended == 0:
            if time.monotonic() > end:
                return None
            time.sleep(0.05)


def leave(number: int, _frame: FrameType | None) -> None:
    """Lets a signal end this process as an exception does. Once: what is being ended is not to be left halfway."""
    signal.signal(number, signal.SIG_IGN)
    sys.exit(128 + number)


def main() -> int:
    seconds, *command = sys.argv[1:]
    kernel = ctypes.CDLL(None)
    # What outlives its own parent is below this process, and this process does not outlive its parent.
    kernel.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    kernel.prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    signal.signal(signal.SIGTERM, leave)
    process = subprocess.Popen(command)
    try:
        code = wait(process, float(seconds))
        if code is not None:
            return code if code >= 0 else 128 - code
        print(f"\nerror: it takes longer than {seconds} s, and is ended; this ran: {' '.join(command)}", file=sys.stderr)
        for number, text in descendants().items():
            print(f"  {number}  {text[:200]}", file=sys.stderr)
        end_all()
        return ENDED
    except KeyboardInterrupt:
        # The command has got it, too.
        process.wait()
        return 128 + signal.SIGINT
    except SystemExit:
        end_all()
        raise


if __name__ == "__main__":
    sys.exit(main())
