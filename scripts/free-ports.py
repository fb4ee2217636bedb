#!/usr/bin/env python3
"""Prints ports of loopback that nobody has: free-ports.py COUNT. They lie below the range from which the kernel takes ports for
outgoing connections, so that they are still free when they are bound."""

from __future__ import annotations

import random
import socket
import sys

PORTS = range(20_000, 32_000)


def main() -> int:
    wanted, found = int(sys.argv[1]), []
    for port in random.sample(PORTS, len(PORTS)):
        if len(found) == wanted:
            break
        try:
            with socket.socket() as probe:
                probe.bind(("127.0.0.1", port))
            found.append(port)
        except OSError:
            continue
    print(*found)
    return 0 if len(found) == wanted else 1


if __name__ == "__main__":
    sys.exit(main())
