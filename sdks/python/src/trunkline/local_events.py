"""The events of a local run: what waits take, in the order in which it comes."""

from __future__ import annotations

import asyncio
from datetime import datetime, timezone
from typing import Any

from trunkline._convert import encode
from trunkline.compiler.events import parts_of
from trunkline.errors import NodeFailed
from trunkline.flow import Event, record

_ABSENT = object()


class LocalEvents:
    """Events by name, in the order in which they come.

    As on the server, an event wakes all that wait for it side by side, and a wait that begins behind it does not see it
    unless it looks back.
    """

    def __init__(self, given: dict[str, Any] | None) -> None:
        self._bodies = {
            name: [encode(one) for one in (bodies if isinstance(bodies, list) else [bodies])]
            for name, bodies in (given or {}).items()
        }
        self._next = dict.fromkeys(self._bodies, 0)

    async def wait(self, names: list[str], options: dict[str, Any]) -> Event:
        """The first event that fits: of the first of the names that has one."""
        wanted = _wanted(options.get("match") or {})
        began = dict(self._next)
        # What waits side by side begins before any of it goes on.
        await asyncio.sleep(0)
        known = [name for name in self._bodies if name in names]
        if options.get("lookback") is not None:
            for name in known:
                for index in reversed(range(began[name])):
                    if _fits(self._bodies[name][index], wanted):
                        return self._taken(name, index)
        for name in known:
            for index in range(began[name], len(self._bodies[name])):
                if _fits(self._bodies[name][index], wanted):
                    return self._taken(name, index)
        shown = " or ".join(names)
        if options.get("timeout") is not None:
            raise NodeFailed(f"no event {shown} arrived in time", code="timeout")
        raise LookupError(f"the run waits for the event {shown} for ever: pass events={{{names[0]!r}: body}} that fits")

    def _taken(self, name: str, index: int) -> Event:
        self._next[name] = max(self._next[name], index + 1)
        now = datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        return Event(name, record(self._bodies[name][index]), f"delivery_{name}_{index + 1}", now)


def _wanted(match: dict[str, Any]) -> list[tuple[tuple[str, ...], Any]]:
    wanted = []
    for path, value in match.items():
        parts = parts_of(path)
        if parts is None:
            raise ValueError(f"{path!r} is no path into the body of an event, such as body.order.id")
        if value is None:
            raise NodeFailed(f"`match`: what `{path}` is compared with is null", code="expression")
        wanted.append((parts, encode(value)))
    return wanted


def _fits(body: Any, wanted: list[tuple[tuple[str, ...], Any]]) -> bool:
    return all(_same(_at(body, parts), value) for parts, value in wanted)


def _at(body: Any, parts: tuple[str, ...]) -> Any:
    for part in parts:
        if isinstance(body, dict) and part in body:
            body = body[part]
        elif isinstance(body, list) and part.isascii() and part.isdigit() and int(part) < len(body):
            body = body[int(part)]
        else:
            return _ABSENT
    return body


def _same(found: Any, wanted: Any) -> bool:
    """Equal as JSON: 1 is 1.0, and neither is true."""
    if isinstance(found, dict) and isinstance(wanted, dict):
        return found.keys() == wanted.keys() and all(_same(found[name], wanted[name]) for name in found)
    if isinstance(found, list) and isinstance(wanted, list):
        return len(found) == len(wanted) and all(map(_same, found, wanted))
    return isinstance(found, bool) == isinstance(wanted, bool) and bool(found == wanted)
