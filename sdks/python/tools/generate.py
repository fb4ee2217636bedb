"""Writes the models and the table of operations from the server's OpenAPI document.

`python tools/generate.py` writes src/trunkline/_generated.py anew; with `--check` it only compares.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
TARGET = Path(__file__).resolve().parents[1] / "src/trunkline/_generated.py"
METHODS = ("get", "post", "put", "delete")
HEAD = '''"""Models and operations of the REST interface. Written by tools/generate.py: do not edit."""

# ruff: noqa: UP013
from __future__ import annotations

from typing import Any, NamedTuple, TypedDict


class Operation(NamedTuple):
    """How an operation is called over REST."""

    method: str
    path: str
    takes_idempotency_key: bool


'''


def type_of(schema: dict[str, Any]) -> str:
    """The Python type of a schema."""
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        return "Any" if name == "AnyJson" else name
    for forms in ("oneOf", "anyOf"):
        if forms in schema:
            return " | ".join(dict.fromkeys(type_of(part) for part in schema[forms]))
    if "enum" in schema:
        return "str"
    kinds = schema.get("type")
    if isinstance(kinds, list):
        return " | ".join(type_of({**schema, "type": kind}) for kind in kinds)
    if kinds == "array":
        return f"list[{type_of(schema.get('items', {}))}]"
    names = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
    return names.get(str(kinds), "dict[str, Any]" if kinds == "object" else "Any")


def models(schemas: dict[str, Any]) -> str:
    """A typed dictionary for each object of the document, another name for what is none."""
    objects, others = [], []
    for name, schema in sorted(schemas.items()):
        if name == "AnyJson":
            continue
        if schema.get("type") == "object" and schema.get("properties"):
            fields = "".join(f'        "{field}": {type_of(inner)},\n' for field, inner in schema["properties"].items())
            objects.append(
                f'{name} = TypedDict(\n    "{name}",\n    {{\n{quoted(fields)}    }},\n    total=False,\n)\n'
            )
        else:
            kind = type_of(schema)
            others.append(f"{name} = {'Any' if '|' in kind or kind[0].isupper() else kind}\n")
    return "".join(others) + "".join(objects)


def quoted(fields: str) -> str:
    """The types of the fields as text, because they may name each other in any order."""
    lines = []
    for line in fields.splitlines():
        name, _, kind = line.partition(": ")
        lines.append(f'{name}: "{kind.rstrip(",")}",\n')
    return "".join(lines)


def operations(paths: dict[str, Any]) -> str:
    """The table of operations by their names."""
    lines = ["\nOPERATIONS: dict[str, Operation] = {\n"]
    for path, item in sorted(paths.items()):
        for method in METHODS:
            if method in item:
                operation = item[method]
                keyed = any(one.get("name") == "Idempotency-Key" for one in operation.get("parameters", []))
                lines.append(f'    "{operation["operationId"]}": Operation("{method.upper()}", "{path}", {keyed}),\n')
    return "".join([*lines, "}\n"])


def main() -> int:
    """Writes, or compares with `--check`."""
    document = json.loads((ROOT / "services/api/openapi.json").read_text(encoding="utf-8"))
    text = HEAD + models(document["components"]["schemas"]) + operations(document["paths"])
    if "--check" in sys.argv[1:]:
        if TARGET.read_text(encoding="utf-8") != text:
            print("src/trunkline/_generated.py is out of date: run python tools/generate.py", file=sys.stderr)
            return 1
        return 0
    TARGET.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
