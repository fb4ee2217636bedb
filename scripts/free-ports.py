#!/usr/bin/env python3
"""Prints ports of loopback that nobody has: free-ports.py COUNT."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "chaos"))

from ports import free_port  # noqa: E402

print(*(free_port() for _ in range(int(sys.argv[1]))))
