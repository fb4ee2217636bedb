"""Nodes that wait for events: WAIT_EVENT."""

from __future__ import annotations

import ast
import json
import re
from typing import TYPE_CHECKING, Any

from trunkline._duration import seconds
from trunkline.compiler import value as v

if TYPE_CHECKING:
    from trunkline.compiler.expressions import Expressions
    from trunkline.compiler.source import Module

#: What the server takes in one node.
NAMES_MAX = 16
PATHS_MAX = 4
PARTS_MAX = 10
PATH_BYTES_MAX = 256
LOOKBACK_SECONDS_MAX = 3600
_NAME = re.compile(r"[^\x00-\x1f\x7f-\x9f*]{1,200}")
_EXAMPLE = 'write `await wait_event("order.paid", match={"body.order": order.id}, timeout="3d")`'
_PART = re.compile(r'"(?:[^"\\]|\\.)*"|[^." ]+')


def content_of(module: Module, expressions: Expressions, node: ast.Call) -> tuple[dict[str, Any], str]:
    """The content of the node, and a name for it."""
    names = _names(module, expressions, node)
    content: dict[str, Any] = {"type": "WAIT_EVENT", "event": names if len(names) > 1 else names[0]}
    for word in node.keywords:
        if word.arg == "match":
            content["match"], content["?can_fail"] = _match(module, expressions, word.value)
        elif word.arg in ("lookback", "timeout"):
            value = expressions.known(word.value)
            module.check_duration(word.value, value)
            if word.arg == "lookback" and seconds(value) > LOOKBACK_SECONDS_MAX:
                module.refuse(word.value, "lookback is longer than an hour", 'write lookback="1h"')
            content[word.arg] = str(value)
        else:
            nearest = "use match, lookback and timeout; test what else counts with `if` behind the wait"
            module.refuse(word.value, f"wait_event has no option {word.arg}", nearest)
    return {name: content[name] for name in sorted(content, key=_order)}, names[0]


def _order(name: str) -> int:
    return ("type", "event", "match", "lookback", "timeout", "?can_fail").index(name)


def _names(module: Module, expressions: Expressions, node: ast.Call) -> list[str]:
    if len(node.args) != 1:
        module.refuse(node, "wait_event takes one name, or one list of names", _EXAMPLE)
    value = expressions.known(node.args[0])
    names = list(value) if isinstance(value, (list, tuple)) else [value]
    if not 1 <= len(names) <= NAMES_MAX:
        module.refuse(node.args[0], f"wait_event takes 1 to {NAMES_MAX} names", "wait for fewer of them")
    for name in names:
        if not isinstance(name, str) or not _NAME.fullmatch(name) or "${" in name:
            module.refuse(node.args[0], f"{name!r} is no name of an event", _EXAMPLE)
    if len(set(names)) < len(names):
        module.refuse(node.args[0], "a name is there twice", "name each event once")
    return names


def _match(module: Module, expressions: Expressions, node: ast.expr) -> tuple[dict[str, Any], bool]:
    if not isinstance(node, ast.Dict):
        module.refuse(node, "match is a dictionary that is written out", 'write match={"body.order": order.id}')
    if len(node.keys) > PATHS_MAX:
        module.refuse(node, f"match has more than {PATHS_MAX} paths", "test the others with `if` behind the wait")
    made: dict[str, Any] = {}
    known: set[tuple[str, ...]] = set()
    can_fail = False
    for key, one in zip(node.keys, node.values, strict=True):
        if key is None:
            module.refuse(one, "match is a dictionary that is written out", 'write match={"body.order": order.id}')
        path = module.literal(key)
        parts = parts_of(path) if isinstance(path, str) else None
        if not isinstance(path, str) or parts is None:
            module.refuse(key, f"{path!r} is no path into the body of an event", 'write match={"body.order.id": …}')
        if parts in known:
            module.refuse(key, f"{path!r} is there twice", "compare each path with one value")
        known.add(parts)
        value = expressions.compile(one)
        if value.type.optional or value.type.kind == "none":
            module.refuse(one, "the value may be None, which no event matches", "test it with `is not None` first")
        made[path] = v.template(value)
        can_fail = can_fail or value.can_fail
    return made, can_fail


def parts_of(path: str) -> tuple[str, ...] | None:
    """The parts of a path behind `body`, such as `body.order."order no"`; None where it is none."""
    if len(path.encode()) > PATH_BYTES_MAX:
        return None
    parts: list[str] = []
    at = 0
    while True:
        found = _PART.match(path, at)
        if found is None:
            return None
        text = found.group()
        try:
            parts.append(json.loads(text) if text.startswith('"') else text)
        except ValueError:
            return None
        at = found.end()
        if at == len(path):
            break
        if path[at] != ".":
            return None
        at += 1
    if parts[0] != "body" or not all(parts) or len(parts) > PARTS_MAX:
        return None
    return tuple(parts[1:])
