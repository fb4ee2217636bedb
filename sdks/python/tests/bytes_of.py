"""What the compiler makes of many programs, as digests: the same with every Python, on every machine.

`python tests/bytes_of.py` compares with `bytes.json`, `--write` records them anew: after a change of the compiler that is
meant to change definitions, or of the programs. Needs nothing but Python, so that any version can run it.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
import textwrap
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent / "src"), str(HERE)]

from programs import generate  # noqa: E402
from refused import BODIES, HEAD, MODULES  # noqa: E402

from trunkline import CompileError  # noqa: E402
from trunkline.compiler import compile_text, workflows_in  # noqa: E402

RECORDED = HERE / "bytes.json"
GENERATED = 100
CLASS = "@workflow(version=1)\nclass W:\n    input: Order\n\n    async def run(self, order):\n"


def compiled(text: str, name: str, path: Path = HERE / "program.py") -> bytes:
    """The definition and the places of its nodes, or the refusal."""
    try:
        made = compile_text(text, name, path)
        return made.bytes + json.dumps(made.places, sort_keys=True).encode()
    except CompileError as error:
        return str(error).encode()


def digests() -> dict[str, str]:
    """By what was compiled."""
    made: dict[str, bytes] = {}
    page = (HERE.parents[2] / "docs/python-workflows.md").read_text(encoding="utf-8")
    for name, text in re.findall(r"<!-- example: ([a-z-]+) -->\n```python\n(.*?)```\n", page, re.DOTALL):
        made["page"] = made.get("page", b"") + compiled(text, re.findall(r"^class (\w+):", text, re.MULTILINE)[-1])
        assert b"version" in made["page"], name
    for path in (HERE / "typed_workflow.py", HERE.parents[2] / "examples/order-saga/orders.py"):
        for name in workflows_in(path):
            made[name] = compiled(path.read_text(encoding="utf-8"), name, path)
    for number in range(GENERATED):
        made["generated"] = made.get("generated", b"") + compiled(generate(number).text, "Program")
    for body, _ in BODIES:
        text = HEAD + CLASS + textwrap.indent(body, " " * 8) + "\n"
        made["refused"] = made.get("refused", b"") + compiled(text.replace("§", ""), "W") + b"\n"
    for module, _ in MODULES:
        made["refused"] += compiled((HEAD + module).replace("§", ""), "W") + b"\n"
    return {name: hashlib.sha256(content).hexdigest() for name, content in made.items()}


def main() -> int:
    found = digests()
    if "--write" in sys.argv:
        RECORDED.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    recorded = json.loads(RECORDED.read_text(encoding="utf-8"))
    other = sorted(name for name in {*recorded, *found} if recorded.get(name) != found.get(name))
    version = sys.version.split()[0]
    print(
        f"Python {version}: {'other bytes of ' + ', '.join(other) if other else f'the same bytes, {len(found)} digests'}"
    )
    return 1 if other else 0


if __name__ == "__main__":
    sys.exit(main())
