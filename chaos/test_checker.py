"""The checker finds each kind of broken promise, and nothing in a history that keeps them."""

from __future__ import annotations

import unittest
from typing import Any

from checker import Checker


def events() -> list[dict[str, Any]]:
    """A run in which all went well: two jobs of one key and tenant, one execution, one fire."""
    return [
        {"kind": "job.ok", "at": 1.0, "key": "k1", "id": "job_1"},
        {"kind": "job.ok", "at": 1.1, "key": "k2", "id": "job_2"},
        claim("job_1", "a", 2.0),
        {"kind": "complete.ask", "at": 3.0, "id": "job_1", "token": "a"},
        {"kind": "complete.answer", "at": 3.1, "id": "job_1", "token": "a", "outcome": "ok"},
        claim("job_2", "b", 3.2),
        {"kind": "complete.ask", "at": 4.0, "id": "job_2", "token": "b"},
        {"kind": "complete.answer", "at": 4.1, "id": "job_2", "token": "b", "outcome": "ok"},
        {"kind": "execution.ok", "at": 1.0, "key": "e1", "id": "exe_1"},
        {"kind": "healed", "at": 5.0},
        {"kind": "quiet", "at": 6.0, "seconds": 1.0},
        {"kind": "final.job", "at": 7.0, "id": "job_1", "status": "COMPLETED", "key": "k1"},
        {"kind": "final.job", "at": 7.0, "id": "job_2", "status": "COMPLETED", "key": "k2"},
        {"kind": "final.execution", "at": 7.0, "id": "exe_1", "status": "COMPLETED", "nodes": {"one": "COMPLETED"}},
        {"kind": "final.fire", "at": 7.0, "schedule": "s", "instant": "12:00", "executionId": "exe_2"},
        {"kind": "final.run", "at": 7.0, "schedule": "s", "instant": "12:00", "executionId": "exe_2"},
    ]


def claim(job: str, token: str, at: float) -> dict[str, Any]:
    return {
        "kind": "claim",
        "at": at,
        "sentAt": at - 0.1,
        "id": job,
        "token": token,
        "leaseSeconds": 2.0,
        "concurrencyKey": "one",
        "tenant": "small",
    }


def message(execution: str, place: int, offset: int) -> dict[str, Any]:
    return {"kind": "message", "at": 2.0, "execution": execution, "place": place, "topic": "t", "partition": 0, "offset": offset}


def faults(history: list[dict[str, Any]], tenant_limit: int = 1) -> list[str]:
    checker = Checker(recovery_bound=30, key_limit=1, tenant_limits={"small": tenant_limit})
    checker.read(history)
    return checker.faults()


class Promises(unittest.TestCase):
    def expect(self, number: str, history: list[dict[str, Any]]) -> None:
        found = faults(history)
        self.assertTrue(any(fault.startswith(number) for fault in found), f"{number} is not among {found}")

    def without(self, kind: str, **fields: Any) -> list[dict[str, Any]]:
        return [
            event
            for event in events()
            if event["kind"] != kind or any(event.get(name) != value for name, value in fields.items())
        ]

    def test_a_run_that_went_well_has_no_faults(self) -> None:
        self.assertEqual(faults(events()), [])

    def test_p1_an_acknowledged_job_is_gone(self) -> None:
        self.expect("P1", self.without("final.job", id="job_1"))

    def test_p1_an_acknowledged_execution_is_gone(self) -> None:
        self.expect("P1", self.without("final.execution"))

    def test_p1_one_key_made_two_jobs(self) -> None:
        self.expect("P1", [*events(), {"kind": "final.job", "at": 8.0, "id": "job_3", "status": "COMPLETED", "key": "k1"}])

    def test_p1_one_key_was_answered_with_two_ids(self) -> None:
        self.expect("P1", [*events(), {"kind": "job.ok", "at": 8.0, "id": "job_2", "key": "k1"}])

    def test_p1_an_acknowledged_completion_is_undone(self) -> None:
        history = self.without("final.job", id="job_1")
        self.expect("P1", [*history, {"kind": "final.job", "at": 8.0, "id": "job_1", "status": "DEAD_LETTER", "key": "k1"}])

    def test_p2_two_leases_completed_one_job(self) -> None:
        again = {"kind": "complete.answer", "at": 4.5, "id": "job_1", "token": "z", "outcome": "ok"}
        self.expect("P2", [*events(), again])

    def test_p2_a_completed_job_is_claimed_again(self) -> None:
        self.expect("P2", [*events(), claim("job_1", "z", 4.9)])

    def test_p3_a_job_never_ends(self) -> None:
        history = self.without("final.job", id="job_2")
        self.expect("P3", [*history, {"kind": "final.job", "at": 8.0, "id": "job_2", "status": "QUEUED", "key": "k2"}])

    def test_p3_an_execution_hangs(self) -> None:
        history = self.without("final.execution")
        hangs = {"kind": "final.execution", "at": 8.0, "id": "exe_1", "status": "RUNNING", "nodes": {}}
        self.expect("P3", [*history, hangs])

    def test_p4_recovery_takes_too_long(self) -> None:
        self.expect("P4", self.without("quiet"))
        self.expect("P4", [*self.without("quiet"), {"kind": "quiet", "at": 99.0, "seconds": 94.0}])

    def test_p5_two_executions_for_one_fire(self) -> None:
        twice = {"kind": "final.fire", "at": 7.0, "schedule": "s", "instant": "12:00", "executionId": "exe_9"}
        self.expect("P5", [*events(), twice])

    def test_p5_a_fire_is_recorded_whose_execution_is_gone(self) -> None:
        self.expect("P5", self.without("final.fire"))

    def test_p6_two_jobs_of_one_key_at_once(self) -> None:
        self.expect("P6", [*events(), claim("job_2", "y", 2.5)])

    def test_p6_a_lease_that_has_ended_holds_no_slot(self) -> None:
        history = [event for event in events() if event.get("token") != "a"]
        self.assertEqual(faults([*history, claim("job_1", "a", 0.9)]), [])

    def test_p7_messages_of_an_execution_are_out_of_order(self) -> None:
        in_order = [message("exe_1", place, place) for place in range(3)]
        again = [message("exe_1", 0, 3), message("exe_1", 1, 4), message("exe_2", 0, 5)]
        self.assertEqual(faults([*events(), *in_order, *again]), [], "a message that comes again says nothing")
        self.expect("P7", [*events(), message("exe_1", 1, 7), message("exe_1", 0, 8)])
        read_late = [message("exe_1", 1, 8), message("exe_1", 0, 7)]
        self.assertEqual(faults([*events(), *read_late]), [], "what counts is where they lie")

    def test_p7_messages_of_an_execution_are_in_two_partitions(self) -> None:
        self.expect("P7", [*events(), message("exe_1", 0, 0), {**message("exe_1", 1, 1), "partition": 1}])


if __name__ == "__main__":
    unittest.main()
