"""Values at compile time: CEL text with a type, and how it is written into a definition."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from typing import Any

from trunkline.compiler import types as t
from trunkline.compiler.types import Type

MISSING = object()
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
#: Words that CEL keeps for itself, and the roots of its scope.
RESERVED = frozenset(
    (
        *("as", "break", "const", "continue", "else", "false", "for", "function", "if", "import", "in", "let", "loop"),
        *("null", "package", "namespace", "return", "true", "var", "void", "while"),
    )
)
ROOTS = frozenset(["input", "nodes", "execution", "item", "index", "error"])


@dataclass(frozen=True)
class Value:
    """What an expression gives.

    `cel` is text that may stand anywhere in CEL. `is_path` says that it is a plain path, which the server follows
    without CEL. `can_fail` says that evaluating it may be an error. `parts` are the items of a display that is
    written as JSON with templates inside rather than as one expression.
    """

    cel: str
    type: Type
    is_path: bool = False
    can_fail: bool = False
    constant: Any = MISSING
    parts: Any = None
    #: Pieces of an f-string: text, or values.
    text: tuple[Any, ...] = ()

    @property
    def is_constant(self) -> bool:
        """Whether it is known at compile time."""
        return self.constant is not MISSING


def constant(value: Any) -> Value:
    """A literal."""
    return Value(literal(value), t.of_constant(value), constant=value)


def literal(value: Any) -> str:
    """A JSON value as CEL."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value) if value >= 0 else f"({value})"
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError("not a number of JSON")
        text = repr(value)
        return text if value >= 0 and not text.startswith("-") else f"({text})"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, list):
        return f"[{', '.join(literal(item) for item in value)}]"
    return "{" + ", ".join(f"{literal(str(name))}: {literal(item)}" for name, item in value.items()) + "}"


def select(base: str, name: str) -> str:
    """The text of a field below a path."""
    if _IDENTIFIER.fullmatch(name) and name not in RESERVED:
        return f"{base}.{name}"
    return f"{base}[{literal(name)}]"


def optional_select(base: str, name: str) -> str:
    """The text of a field that may be absent, as an optional."""
    if _IDENTIFIER.fullmatch(name) and name not in RESERVED:
        return f"{base}.?{name}"
    return f"{base}[?{literal(name)}]"


def node(node_id: str) -> str:
    """A node in CEL."""
    return select("nodes", node_id)


def output(node_id: str, kind: Type) -> Value:
    """The output of a node."""
    return Value(f"{node(node_id)}.output", kind, is_path=True)


def succeeded(node_id: str) -> str:
    """Whether a node completed."""
    return f'{node(node_id)}.status == "COMPLETED"'


def template(value: Value) -> Any:
    """The value as it is written where a definition takes JSON with expressions inside."""
    if value.is_constant:
        return plain(value.constant)
    if isinstance(value.parts, list):
        return [template(part) for part in value.parts]
    if isinstance(value.parts, dict):
        return {name: template(part) for name, part in value.parts.items()}
    if value.text and (mixed := _mixed(value.text)) is not None:
        return mixed
    return "${" + value.cel.strip() + "}"


def plain(value: Any) -> Any:
    """A JSON value without expressions: text that looks like one is escaped."""
    if isinstance(value, str):
        return value.replace("${", "$${")
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    return value


def _mixed(pieces: tuple[Any, ...]) -> str | None:
    """Text with expressions; None where the text before one ends with a dollar, which would read as an escape."""
    text = ""
    for piece in pieces:
        if isinstance(piece, str):
            text += piece.replace("${", "$${")
        elif text.endswith("$"):
            return None
        else:
            text += "${" + piece.cel + "}"
    # A text that is one expression would keep the type of its value.
    return text if any(isinstance(piece, str) and piece for piece in pieces) else None
