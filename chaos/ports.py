"""Ports of loopback for servers that are started, killed and started again."""

from __future__ import annotations

import random
import socket
import threading

#: Below the range from which the kernel takes ports for outgoing connections and for whoever asks for any: a server that is down
#: for a while finds its own free, although clients try to reach it all the time.
PORTS = range(20_000, 32_000)
_given: set[int] = set()
#: Scenarios that run side by side ask at once.
_giving = threading.Lock()


def free_port(count: int = 1) -> int:
    """The first of so many free ports in a row, which this process gives to nobody else."""
    with _giving:
        for _ in range(1_000):
            port = random.randrange(PORTS.start, PORTS.stop - count)
            ports = range(port, port + count)
            if not _given.isdisjoint(ports):
                continue
            try:
                for one in ports:
                    with socket.socket() as probe:
                        probe.bind(("127.0.0.1", one))
            except OSError:
                continue
            _given.update(ports)
            return port
    raise RuntimeError("no free ports")
