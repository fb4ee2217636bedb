"""The checker of the soak finds each kind of broken promise, and nothing in a history that keeps them."""

from __future__ import annotations

import copy
import unittest
from typing import Any

from history import History, read

LINES = "start job_1 1 a\nend job_1 1 a\nstart job_2 1 b\nstart job_2 2 c\nend job_2 2 c\nstart job_2 3 d"
FINAL: dict[str, dict[str, Any]] = {
    "job_1": {"status": "COMPLETED", "result": {"n": 7, "nonce": "a"}},
    "job_2": {
        "status": "COMPLETED",
        "result": {"n": 8, "nonce": "c"},
        "attempts": [{"attemptNumber": 1, "status": "FAILED"}, {"attemptNumber": 2, "status": "COMPLETED"}],
    },
}


class Soak(unittest.TestCase):
    """A history of two jobs, of which one was to fail once."""

    def setUp(self) -> None:
        self.history = History({"job_1": 0, "job_2": 1}, {"job_1": 7, "job_2": 8}, read(LINES), {"job_1": {"a"}})
        self.final = copy.deepcopy(FINAL)

    def faults(self) -> list[str]:
        return self.history.faults(self.final)

    def expect(self, part: str) -> None:
        (fault,) = self.faults()
        assert part in fault, fault

    def test_a_history_that_keeps_all(self) -> None:
        assert self.faults() == []

    def test_a_lost_job(self) -> None:
        del self.final["job_1"]
        self.expect("lost")

    def test_a_job_of_nobody(self) -> None:
        self.final["job_3"] = self.final["job_1"]
        self.expect("nobody enqueued")

    def test_a_job_that_is_not_done(self) -> None:
        self.final["job_1"]["status"] = "DEAD_LETTER"
        self.expect("not done, but DEAD_LETTER")

    def test_a_result_that_changed(self) -> None:
        self.history.seen["job_1"].add("z")
        self.expect("settled twice")

    def test_two_completed_attempts(self) -> None:
        self.final["job_2"]["attempts"][0]["status"] = "COMPLETED"
        self.expect("settled 2 times")

    def test_a_result_out_of_nowhere(self) -> None:
        self.final["job_1"]["result"]["nonce"] = "x"
        self.history.seen.clear()
        self.expect("no handler came to")

    def test_the_result_of_another_job_and_of_another_attempt(self) -> None:
        self.final["job_1"]["result"]["n"] = 9
        self.expect("of another one")
        self.final = copy.deepcopy(FINAL)
        self.history.lines = read(LINES.replace("end job_2 2 c", "end job_2 1 c"))
        self.expect("with the result of attempt 1")

    def test_failures_that_were_not_planned(self) -> None:
        self.history.failures["job_2"] = 0
        self.expect("was to fail 0 times")


if __name__ == "__main__":
    unittest.main()
