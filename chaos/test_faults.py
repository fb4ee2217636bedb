"""Faults are drawn as is said of them, a failing schedule is made smaller, and connections are really stalled, reset and robbed."""

from __future__ import annotations

import argparse
import socket
import subprocess
import tempfile
import threading
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest import mock

import faults
import ports
import run
from disk import Disk
from faults import ENDS, EITHER, LAST, LONG, POSTGRES, SQLITE, Fault
from proxy import Proxy
from usage import DESCRIPTORS_MORE, MEMORY_MORE, Usage, grown, usage

# That of `make test`.
SEED = 20261123
DATABASES = {"postgres": (3, EITHER + POSTGRES), "sqlite": (1, EITHER + SQLITE)}


class Machine:
    """As much of a cluster as faults are drawn for: nothing is impossible on it."""

    def __init__(self, nodes: int) -> None:
        self.nodes = list(range(nodes))
        self.impossible: set[str] = set()


class Drawn(unittest.TestCase):
    def test_a_minute_has_every_kind(self) -> None:
        for database, (nodes, kinds) in DATABASES.items():
            drawn = faults.draw(SEED, 60, database, Machine(nodes))
            self.assertEqual({fault.kind for fault in drawn}, set(kinds), database)
            self.assertLessEqual(sum(fault.pause + fault.seconds for fault in drawn), 60)
            self.assertEqual(drawn, faults.draw(SEED, 60, database, Machine(nodes)))
            self.assertNotEqual(drawn, faults.draw(SEED + 1, 60, database, Machine(nodes)))

    def test_every_kind_can_be_carried_out(self) -> None:
        for kind in EITHER + POSTGRES + SQLITE:
            self.assertTrue(callable(getattr(faults.Nemesis, f"_{kind}", None)), kind)

    def test_what_a_machine_does_not_allow_is_left_out(self) -> None:
        machine = Machine(3)
        machine.impossible = {"clock", "database_clock"}
        drawn = {fault.kind for fault in faults.draw(SEED, 600, "postgres", machine)}
        self.assertEqual(drawn, set(EITHER + POSTGRES) - machine.impossible)

    def test_nothing_ends_a_process_in_the_last_quarter_of_a_long_run(self) -> None:
        for database, (nodes, _) in DATABASES.items():
            at, ended, last = 0.0, 0, 0
            for fault in faults.draw(SEED, LONG, database, Machine(nodes)):
                if at > LONG * LAST:
                    last += 1
                    self.assertNotIn(fault.kind, ENDS)
                else:
                    ended += fault.kind in ENDS
                at += fault.pause + fault.seconds
            self.assertGreater(ended, 3, database)
            self.assertGreater(last, 20, database)

    def test_a_schedule_can_be_given_as_it_is_printed(self) -> None:
        drawn = faults.draw(SEED, 60, "postgres", Machine(3))
        self.assertEqual([Fault.parse(fault.text()) for fault in drawn], drawn)
        with self.assertRaises(ValueError):
            Fault.parse("1.0:earthquake:0:1.0")

    def test_a_kind_that_never_meets_anything_is_a_failure(self) -> None:
        nemesis = faults.Nemesis(mock.Mock(nodes=[]), lambda _: None)
        schedule = [Fault(0.0, "reset", 0, 0.0)] * 3 + [Fault(0.0, "kill", 0, 0.0)] * 3 + [Fault(0.0, "stall", 0, 0.0)] * 2
        met = {"_reset": False, "_kill": None, "_stall": False, "heal": None}
        with mock.patch.multiple(nemesis, **{name: lambda *_, has=has: has for name, has in met.items()}):
            nemesis.run(schedule, 60)
        self.assertEqual(nemesis.without_effect(), ["reset"])


class Shrunk(unittest.TestCase):
    def shrink(self, tries: int) -> tuple[list[str], int]:
        """The kinds that are left of eight faults, of which two together break a promise."""
        schedule = [Fault(1.0, kind, 0, 1.0) for kind in (EITHER + POSTGRES)[:8]]
        needed, runs = {schedule[2].kind, schedule[7].kind}, 0

        def once(_: argparse.Namespace, smaller: list[Fault]) -> tuple[list[str], list[Fault]]:
            nonlocal runs
            runs += 1
            return (["P1: broken"] if needed <= {fault.kind for fault in smaller} else []), smaller

        with mock.patch.object(run, "once", once):
            left = run.shrink(argparse.Namespace(shrink=tries), schedule)
        self.assertLessEqual(needed, {fault.kind for fault in left})
        return [fault.kind for fault in left], runs

    def test_a_failing_schedule_is_made_smaller(self) -> None:
        kinds, _ = self.shrink(100)
        self.assertEqual(len(kinds), 2)

    def test_it_takes_no_more_runs_than_are_allowed(self) -> None:
        kinds, runs = self.shrink(6)
        self.assertLessEqual(runs, 6)
        self.assertLess(len(kinds), 8)


class Full(unittest.TestCase):
    def test_a_disk_is_full_until_it_is_freed(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            disk = Disk.mounted(Path(folder) / "disk", 64)
            if disk is None:
                # This process may not mount one: the faults are left out then, and said to be.
                return
            try:
                file = disk.folder / "file"
                file.write_bytes(b"1" * 4096)
                self.assertTrue(disk.fill())
                with self.assertRaises(OSError):
                    file.write_bytes(b"2" * (1 << 20))
                disk.free()
                file.write_bytes(b"3" * (1 << 20))
            finally:
                disk.unmount()


class Grown(unittest.TestCase):
    def test_what_a_process_holds_is_read(self) -> None:
        with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as process:
            held = usage(process.pid)
            process.communicate()
        assert held is not None
        self.assertGreaterEqual(held.descriptors, 3)
        self.assertIsNone(usage(process.pid))
        self.assertIsNone(usage(None))

    def test_growth_is_found_and_another_process_is_not_compared(self) -> None:
        before = Usage(1, 100, 100)
        self.assertEqual(grown(0, before, Usage(1, 100 + DESCRIPTORS_MORE, 100 + MEMORY_MORE)), [])
        self.assertEqual(len(grown(0, before, Usage(1, 101 + DESCRIPTORS_MORE, 101 + MEMORY_MORE))), 2)
        self.assertEqual(grown(0, before, Usage(2, 10_000, 10_000)), [])
        self.assertEqual(grown(0, None, before) + grown(0, before, None), [])


class Server:
    """Answers each message by itself, and keeps what it got."""

    def __init__(self) -> None:
        self.got: list[bytes] = []
        self.has_got = threading.Condition()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        with connection:
            try:
                while data := connection.recv(1024):
                    with self.has_got:
                        self.got.append(data)
                        self.has_got.notify_all()
                    connection.sendall(data)
            except OSError:
                pass

    def wait_for(self, data: bytes) -> bool:
        with self.has_got:
            return self.has_got.wait_for(lambda: data in self.got, timeout=10)


class Connections(unittest.TestCase):
    def setUp(self) -> None:
        self.server = Server()
        self.addCleanup(self.server.listener.close)
        self.proxy = Proxy(self.server.port)
        self.client = socket.create_connection(("127.0.0.1", self.proxy.port), timeout=10)
        self.addCleanup(self.client.close)
        self.client.sendall(b"first")
        self.assertEqual(self.client.recv(1024), b"first")

    def is_reset(self) -> bool:
        try:
            return self.client.recv(1024) == b""
        except ConnectionResetError:
            return True

    def test_a_commit_is_carried_out_and_its_answer_is_lost(self) -> None:
        self.proxy.rob_commits(20)
        self.client.sendall(b"a read")
        self.assertEqual(self.client.recv(1024), b"a read")
        self.client.sendall(b"COMMIT")
        self.assertTrue(self.is_reset())
        self.assertTrue(self.server.wait_for(b"COMMIT"))
        self.assertEqual(self.proxy.rob_commits(0), 19)

    def test_a_connection_that_is_stalled_goes_on_later(self) -> None:
        self.proxy.stall()
        self.assertEqual(self.proxy.connections(), 1)
        self.client.sendall(b"second")
        self.client.settimeout(0.3)
        with self.assertRaises(TimeoutError):
            self.client.recv(1024)
        self.proxy.resume()
        self.client.settimeout(10)
        self.assertEqual(self.client.recv(1024), b"second")

    def test_connections_are_reset(self) -> None:
        self.assertEqual(self.proxy.reset(), 1)
        self.assertTrue(self.is_reset())


class Ports(unittest.TestCase):
    def test_no_two_callers_are_given_the_same_one(self) -> None:
        few = range(20_000, 20_400)
        with mock.patch.object(ports, "PORTS", few), mock.patch.object(ports, "_given", set()):
            with ThreadPoolExecutor(8) as pool:
                firsts = list(pool.map(lambda _: ports.free_port(2), range(60)))
        given = {first + number for first in firsts for number in range(2)}
        self.assertEqual(len(given), 120)
        self.assertLessEqual(given, set(few))


if __name__ == "__main__":
    unittest.main()
