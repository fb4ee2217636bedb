"""Writes REFERENCE.md, what programs use of this package, from its signatures and docstrings. Nothing is imported.

`python tools/reference.py` writes it anew; with `--check` it only compares.
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]
SOURCE = HERE / "src"
#: The modules that programs import, with what each is for.
MODULES = {
    "trunkline": "Client, worker, handlers, workflows as classes.",
    "trunkline.testing": "The test kit.",
    "trunkline.webhooks": "Signatures of webhooks.",
    "trunkline.grpc": "gRPC as a transport: the extra `grpc`.",
    "trunkline.kafka": "Jobs from Kafka: the extra `kafka`.",
    "trunkline.otel": "Spans of OpenTelemetry: the extra `otel`.",
}
Callable_ = (ast.FunctionDef, ast.AsyncFunctionDef)


class Module:
    """A module as its text says."""

    def __init__(self, name: str) -> None:
        path = SOURCE.joinpath(*name.split("."))
        self.name = name
        file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        self.tree = ast.parse(file.read_text(encoding="utf-8"))

    def names(self) -> list[str]:
        """What it offers: `__all__`, else what it defines without an underscore."""
        for node in self.tree.body:
            if (
                isinstance(node, ast.Assign)
                and isinstance(node.targets[0], ast.Name)
                and node.targets[0].id == "__all__"
            ):
                return list(ast.literal_eval(node.value))
        defined = [node.name for node in self.tree.body if isinstance(node, (*Callable_, ast.ClassDef))]
        return [name for name in defined if not name.startswith("_")]

    def find(self, name: str) -> ast.stmt | None:
        """The definition of a name, wherever it is imported from. Of several, the last one is no overload."""
        own = [node for node in self.tree.body if isinstance(node, (*Callable_, ast.ClassDef)) and node.name == name]
        if own:
            return own[-1]
        for node in self.tree.body:
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("trunkline"):
                for imported in node.names:
                    if name == (imported.asname or imported.name):
                        return Module(node.module or "").find(imported.name)
        return None


def main(arguments: list[str]) -> None:
    """Writes or compares."""
    text = written()
    place = HERE / "REFERENCE.md"
    if "--check" not in arguments:
        place.write_text(text, encoding="utf-8")
    elif not place.exists() or place.read_text(encoding="utf-8") != text:
        sys.exit("REFERENCE.md is not what the docstrings say: write it with python tools/reference.py")


def written() -> str:
    """The whole document."""
    parts = ["# Reference of the Python SDK\n\nWritten by `tools/reference.py` from the docstrings: do not edit.\n"]
    for name, about in MODULES.items():
        module = Module(name)
        parts.append(f"\n## {name}\n\n{about}\n")
        parts += [described(one, node) for one in sorted(module.names(), key=str.lower) if (node := module.find(one))]
    return "".join(parts)


def described(name: str, node: ast.stmt) -> str:
    """One class or function."""
    if isinstance(node, Callable_):
        return f"\n### `{signature(node, name)}`\n\n{doc(node)}"
    assert isinstance(node, ast.ClassDef)
    bases = [ast.unparse(base) for base in node.bases if ast.unparse(base) not in ("Protocol", "object")]
    parts = [f"\n### class `{name}{'(' + ', '.join(bases) + ')' if bases else ''}`\n\n{doc(node)}"]
    for member in node.body:
        if isinstance(member, Callable_):
            is_shown = member.name == "__init__" or not member.name.startswith("_")
            if is_shown and not is_marked(member, "overload"):
                shown = signature(member, name if member.name == "__init__" else member.name, is_method=True)
                parts.append(listed(shown, ast.get_docstring(member)))
        elif isinstance(member, ast.AnnAssign) and isinstance(member.target, ast.Name) and member.target.id[0] != "_":
            parts.append(f"- `{ast.unparse(member)}`\n")
    return "".join(parts)


def listed(shown: str, text: str | None) -> str:
    """A member: the first paragraph says what it does."""
    about = " ".join((text or "").split("\n\n")[0].split())
    return f"- `{shown}`{': ' + about if about else ''}\n"


def signature(node: ast.FunctionDef | ast.AsyncFunctionDef, name: str, *, is_method: bool = False) -> str:
    """How it is called."""
    if is_marked(node, "property"):
        return name + (f": {ast.unparse(node.returns)}" if node.returns else "")
    arguments = node.args
    if is_method and not is_marked(node, "staticmethod"):
        arguments = ast.arguments(
            arguments.posonlyargs, arguments.args[1:], arguments.vararg, arguments.kwonlyargs, arguments.kw_defaults,
            arguments.kwarg, arguments.defaults,
        )  # fmt: skip
    result = f" -> {ast.unparse(node.returns)}" if node.returns and name != "__init__" else ""
    before = "async " if isinstance(node, ast.AsyncFunctionDef) else ""
    return f"{before}{name}({ast.unparse(arguments)}){result.replace(' -> None', '')}"


def is_marked(node: ast.FunctionDef | ast.AsyncFunctionDef, decorator: str) -> bool:
    """Whether it has this decorator."""
    return any(ast.unparse(one).rsplit(".", 1)[-1] == decorator for one in node.decorator_list)


def doc(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> str:
    """Its docstring as paragraphs."""
    text = ast.get_docstring(node)
    return f"{text}\n\n" if text else ""


if __name__ == "__main__":
    main(sys.argv[1:])
