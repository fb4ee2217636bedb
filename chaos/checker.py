"""Holds a history against the promises. Offline: it knows nothing but the events.

Events, in the order of their writing:

- ``job.ask`` key, ``job.ok`` key id concurrencyKey? tenant: an enqueue, before it is sent and when it is acknowledged.
- ``claim`` id token leaseSeconds sentAt, ``complete.ask`` id token, ``complete.answer`` id token outcome: a worker's turn.
- ``drop`` id token: the worker forgot a job, as if it had died.
- ``execution.ok`` key id: a start that was acknowledged.
- ``message`` execution place topic partition offset: a consumer read a message of a job of an execution; `place` is the job's among
  those of the execution, in the order in which they became due.
- ``healed``: the last fault is over. ``quiet`` seconds: everything came to its end after so many seconds.
- ``final.job`` id status key, ``final.execution`` id status nodes.
- ``final.fire`` schedule instant executionId: an execution that says so of itself; ``final.run``: the same as the history of the
  schedule has it.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from history import Event, read

ENDED_JOB = {"COMPLETED", "DEAD_LETTER", "CANCELLED", "FAILED"}
ENDED_EXECUTION = {"COMPLETED", "FAILED", "CANCELLED"}


class Checker:
    """Collects what the events say; `faults` judges them."""

    def __init__(self, recovery_bound: float, key_limit: int, tenant_limits: dict[str, int]) -> None:
        self.recovery_bound = recovery_bound
        self.key_limit = key_limit
        self.tenant_limits = tenant_limits
        self.jobs: dict[str, Event] = {}
        self.ids_by_key: dict[str, set[str]] = defaultdict(set)
        self.completed: dict[str, dict[str, float]] = defaultdict(dict)
        self.claims: list[Event] = []
        self.ends: dict[tuple[str, str], float] = {}
        self.executions: dict[str, Event] = {}
        self.final_jobs: dict[str, Event] = {}
        self.final_by_key: dict[str, set[str]] = defaultdict(set)
        self.final_executions: dict[str, Event] = {}
        self.fires: dict[tuple[str, str], set[str]] = defaultdict(set)
        self.runs: list[Event] = []
        #: Offsets and places, by topic, execution and partition.
        self.messages: dict[tuple[str, str, int], set[tuple[int, int]]] = defaultdict(set)
        self.quiet: float | None = None

    def read(self, events: Iterable[Event]) -> None:
        """Takes in events."""
        for event in events:
            kind = event["kind"]
            if kind == "job.ok":
                self.jobs[event["id"]] = event
                self.ids_by_key[event["key"]].add(event["id"])
            elif kind == "claim":
                self.claims.append(event)
            elif kind == "complete.ask" or kind == "drop":
                # The slot may be free from the moment at which this was sent.
                self.ends.setdefault((event["id"], event["token"]), event["at"])
            elif kind == "complete.answer" and event["outcome"] == "ok":
                self.completed[event["id"]].setdefault(event["token"], event["at"])
            elif kind == "execution.ok":
                self.executions[event["id"]] = event
                self.ids_by_key[event["key"]].add(event["id"])
            elif kind == "final.job":
                self.final_jobs[event["id"]] = event
                if event.get("key"):
                    self.final_by_key[event["key"]].add(event["id"])
            elif kind == "final.execution":
                self.final_executions[event["id"]] = event
            elif kind == "final.fire":
                self.fires[(event["schedule"], event["instant"])].add(event["executionId"])
            elif kind == "final.run":
                self.runs.append(event)
            elif kind == "message":
                of = (event["topic"], event["execution"], event["partition"])
                self.messages[of].add((event["offset"], event["place"]))
            elif kind == "quiet":
                self.quiet = event["seconds"]

    def faults(self) -> list[str]:
        """The broken promises, each as a sentence that begins with its number."""
        found = [*self._durable(), *self._one_effect(), *self._no_loss(), *self._recovery(), *self._fires()]
        found += self._limits()
        found += self._order()
        return found

    def _durable(self) -> Iterable[str]:
        for job in self.jobs:
            if job not in self.final_jobs:
                yield f"P1: job {job} was acknowledged and is not there"
        for key, ids in self.ids_by_key.items():
            if len(ids) > 1:
                yield f"P1: key {key} was answered with {sorted(ids)}"
        for key, ids in self.final_by_key.items():
            if len(ids) > 1:
                yield f"P1: key {key} made {sorted(ids)}"
        for job in self.completed:
            status = self.final_jobs.get(job, {}).get("status", "COMPLETED")
            if status != "COMPLETED":
                yield f"P1: the completion of job {job} was acknowledged, and it is {status}"

    def _one_effect(self) -> Iterable[str]:
        for job, tokens in self.completed.items():
            if len(tokens) > 1:
                yield f"P2: job {job} was completed under {len(tokens)} leases"
        for claim in self.claims:
            done = [at for at in self.completed.get(claim["id"], {}).values() if at < claim["sentAt"]]
            if done:
                yield f"P2: job {claim['id']} was claimed after its completion had been acknowledged"

    def _no_loss(self) -> Iterable[str]:
        for job, event in self.final_jobs.items():
            if event["status"] not in ENDED_JOB:
                yield f"P3: job {job} is still {event['status']}"
        for execution in self.executions:
            final = self.final_executions.get(execution)
            if final is None:
                yield f"P1: execution {execution} was acknowledged and is not there"
            elif final["status"] not in ENDED_EXECUTION:
                yield f"P3: execution {execution} is still {final['status']}"
            elif final["status"] == "COMPLETED" and set(final["nodes"].values()) != {"COMPLETED"}:
                yield f"P3: execution {execution} completed with nodes {final['nodes']}"

    def _recovery(self) -> Iterable[str]:
        if self.quiet is None:
            yield f"P4: not everything came to its end within {self.recovery_bound:.0f} s after the last fault"
        elif self.quiet > self.recovery_bound:
            yield f"P4: it took {self.quiet:.0f} s after the last fault until all was done"

    def _fires(self) -> Iterable[str]:
        for (schedule, instant), executions in self.fires.items():
            if len(executions) > 1:
                yield f"P5: schedule {schedule} started {sorted(executions)} for {instant}"
        for run in self.runs:
            if run["executionId"] not in self.fires[(run["schedule"], run["instant"])]:
                yield f"P5: schedule {run['schedule']} has {run['executionId']} for {run['instant']}, which is not there"

    def _limits(self) -> Iterable[str]:
        by_key: dict[str, list[tuple[float, float, str]]] = defaultdict(list)
        by_tenant: dict[str, list[tuple[float, float, str]]] = defaultdict(list)
        for claim in self.claims:
            # The job was surely in work from when the worker had it until it sent its report or its lease may have ended. The
            # claim is made after the poll is sent, so the lease cannot have ended before `sentAt` + its length.
            until = claim["sentAt"] + claim["leaseSeconds"]
            until = min(until, self.ends.get((claim["id"], claim["token"]), until))
            if until <= claim["at"]:
                continue
            held = (claim["at"], until, claim["id"])
            if claim.get("concurrencyKey"):
                by_key[claim["concurrencyKey"]].append(held)
            if claim.get("tenant") in self.tenant_limits:
                by_tenant[claim["tenant"]].append(held)
        for key, spans in by_key.items():
            yield from _too_many(f"P6: concurrency key {key}", spans, self.key_limit)
        for tenant, spans in by_tenant.items():
            yield from _too_many(f"P6: tenant {tenant}", spans, self.tenant_limits[tenant])

    def places(self) -> dict[tuple[str, str, int], list[int]]:
        """The places by topic, execution and partition, in the order in which their first messages lie."""
        return {of: list(dict.fromkeys(place for _, place in sorted(messages))) for of, messages in self.messages.items()}

    def _order(self) -> Iterable[str]:
        partitions: dict[tuple[str, str], set[int]] = defaultdict(set)
        for (topic, execution, partition), places in self.places().items():
            partitions[topic, execution].add(partition)
            if places != sorted(places):
                yield f"P7: the messages of execution {execution} in {topic} are in the order {places}"
        for (topic, execution), found in partitions.items():
            if len(found) > 1:
                yield f"P7: the messages of execution {execution} in {topic} are in the partitions {sorted(found)}"


def _too_many(name: str, spans: list[tuple[float, float, str]], limit: int) -> Iterable[str]:
    """One sentence where more spans than `limit` overlap. A span that ends as another begins does not."""
    edges = sorted([(end, 0, job) for _, end, job in spans] + [(start, 1, job) for start, _, job in spans])
    held: set[str] = set()
    for _, begins, job in edges:
        if not begins:
            held.discard(job)
            continue
        held.add(job)
        if len(held) > limit:
            yield f"{name}: {len(held)} jobs at once, {limit} allowed: {sorted(held)}"
            return


def main() -> int:
    """Checks a history from the command line: ``checker.py HISTORY``, with the limits of `run.py`."""
    from load import KEY_LIMIT, TENANT_LIMITS

    checker = Checker(recovery_bound=float("inf"), key_limit=KEY_LIMIT, tenant_limits=TENANT_LIMITS)
    checker.read(read(Path(sys.argv[1])))
    found = checker.faults()
    for fault in found:
        print(fault)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
