"""What a soak has to keep, checked by what handlers recorded outside of the store. Does no input or output."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Line:
    """What a handler recorded: that it started or ended an attempt of a job. `nonce` is this run of it alone."""

    what: str
    job: str
    attempt: int
    nonce: str


@dataclass
class History:
    """A run: the jobs that were enqueued, what handlers recorded, and results as they were seen while it went on."""

    #: How often each job was to fail, by its id.
    failures: dict[str, int]
    #: The number in the data of each job, by its id.
    numbers: dict[str, int]
    lines: list[Line] = field(default_factory=list)
    #: The nonces of results that were seen before the end, by job.
    seen: dict[str, set[str]] = field(default_factory=dict)

    def faults(self, final: dict[str, dict[str, Any]]) -> list[str]:
        """What was not kept, given all jobs as the server shows them in the end."""
        ended: dict[str, dict[str, int]] = {}
        for line in self.lines:
            if line.what == "end":
                ended.setdefault(line.job, {})[line.nonce] = line.attempt
        found = [f"{job}: lost, the server does not show it" for job in self.failures if job not in final]
        found += [f"{job}: the server shows what nobody enqueued" for job in final if job not in self.failures]
        for job, shown in final.items():
            if job in self.failures:
                found += [f"{job}: {fault}" for fault in self._faults_of(job, shown, ended.get(job, {}))]
        return found

    def _faults_of(self, job: str, shown: dict[str, Any], ended: dict[str, int]) -> list[str]:
        if shown["status"] != "COMPLETED":
            return [f"not done, but {shown['status']}"]
        found = []
        result = shown.get("result") or {}
        nonce = result.get("nonce")
        if result.get("n") != self.numbers[job]:
            found.append(f"has the result of another one: {result}")
        if nonce not in ended:
            found.append("has a result that no handler came to")
        if others := self.seen.get(job, set()) - {nonce}:
            found.append(f"was settled twice: its result was {', '.join(sorted(others))} before it was {nonce}")
        attempts = shown.get("attempts")
        # The server shows attempts where there was more than one to ask for.
        if attempts is not None:
            completed = [one["attemptNumber"] for one in attempts if one["status"] == "COMPLETED"]
            if len(completed) != 1:
                found.append(f"was settled {len(completed)} times")
            elif ended.get(str(nonce)) not in (None, completed[0]):
                found.append(f"completed in attempt {completed[0]} with the result of attempt {ended[str(nonce)]}")
            failed = sum(one["status"] == "FAILED" for one in attempts)
            if failed > self.failures[job]:
                found.append(f"failed {failed} times, and was to fail {self.failures[job]} times")
        return found


def read(text: str) -> list[Line]:
    """The lines of one process. It may have been killed in the middle of the last one."""
    found = []
    for line in text.splitlines(keepends=True):
        parts = line.split()
        if line.endswith("\n") and len(parts) == 4:
            found.append(Line(parts[0], parts[1], int(parts[2]), parts[3]))
    return found
