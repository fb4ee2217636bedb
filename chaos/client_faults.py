"""Faults that callers bring: they hang up, hold connections open, and change what the server is about to do."""

from __future__ import annotations

import json
import socket
import struct
import time
from typing import TYPE_CHECKING

from cluster import KEY
from load import SCHEDULE, Caller

if TYPE_CHECKING:
    from cluster import Cluster
    from faults import Fault

# So many callers at once.
CROWD = 100


def request(path: str, body: object) -> bytes:
    """The bytes of a POST."""
    text = json.dumps(body)
    head = f"POST {path} HTTP/1.1\r\nHost: chaos\r\nAuthorization: Bearer {KEY}\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(text)}\r\n\r\n{text}".encode()


class ClientFaults:
    """What callers do."""

    cluster: Cluster

    def _open(self, number: int) -> socket.socket | None:
        try:
            return socket.create_connection(("127.0.0.1", self.cluster.nodes[number].port), timeout=2)
        except OSError:
            return None

    def _hang_ups(self, fault: Fault) -> bool:
        # Polls and enqueues under way, all of them reset at once. The polls ask for a type that nobody enqueues: what a caller
        # that went away was given would come back with its lease only, and is not what is looked for here. What is enqueued
        # may be there or not; where it is, it comes to its end.
        poll = request("/v1/jobs/poll", {"workerId": "gone", "jobTypes": ["nothing"], "maxJobs": 1, "wait": "5s"})
        enqueue = request("/v1/jobs", {"jobType": "chaos", "data": {}, "maxRetries": 50})
        until, callers = time.monotonic() + fault.seconds, 0
        while time.monotonic() < until:
            crowd = [self._open(fault.node) for _ in range(CROWD)]
            callers += sum(caller is not None for caller in crowd)
            for number, caller in enumerate(filter(None, crowd)):
                try:
                    caller.sendall(poll if number % 10 else enqueue)
                except OSError:
                    pass
            time.sleep(0.1)
            for caller in filter(None, crowd):
                # No time to linger: the connection is reset.
                caller.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                caller.close()
        return callers > 0

    def _half_open(self, fault: Fault) -> bool:
        crowd = [self._open(fault.node) for _ in range(2 * CROWD)]
        half = request("/v1/jobs", {"jobType": "nothing"})[:60]
        for caller in filter(None, crowd):
            try:
                caller.sendall(half)
            except OSError:
                pass
        time.sleep(fault.seconds)
        for caller in filter(None, crowd):
            caller.close()
        return any(crowd)

    def _schedule_edits(self, fault: Fault) -> bool:
        # Edited, paused and resumed again and again. An instant still starts one execution at most.
        caller = Caller(self.cluster, fault.node)
        until = time.monotonic() + fault.seconds
        turn, edits = 0, 0
        while time.monotonic() < until:
            turn += 1
            for schedule in self._schedules(caller):
                path = f"/v1/schedules/{schedule}"
                jitter = {"overlap": "allow" if turn % 2 else "skip"}
                status, _ = caller.call("PUT", path, {**SCHEDULE, **jitter}, timeout=2)
                edits += status == 200
                caller.call("POST", f"{path}/pause", {}, timeout=2)
                caller.call("POST", f"{path}/resume", {}, timeout=2)
            time.sleep(0.1)
        self.heal_schedules()
        return edits > 0

    def _schedules(self, caller: Caller) -> list[str]:
        status, answer = caller.call("GET", "/v1/schedules", timeout=2)
        return [item["id"] for item in answer["items"]] if status == 200 else []

    def heal_schedules(self) -> None:
        """A resume may have been lost."""
        caller = Caller(self.cluster, 0)
        for schedule in self._schedules(caller):
            caller.call("POST", f"/v1/schedules/{schedule}/resume", {}, timeout=2)
