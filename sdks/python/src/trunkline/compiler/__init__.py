"""The compiler of workflow classes, from the syntax tree to a definition. Nothing of the program is executed."""

from __future__ import annotations

import ast
import inspect
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trunkline.compiler import graph as g
from trunkline.compiler import types as t
from trunkline.compiler import value as v
from trunkline.compiler.expressions import Environment
from trunkline.compiler.source import Module, WorkflowInfo
from trunkline.compiler.statements import Statements
from trunkline.compiler.types import Type
from trunkline.compiler.value import Value
from trunkline.errors import CompileError

#: What the server takes as one expression.
EXPRESSION_BYTES_MAX = 4096
OPERATORS_MAX = 500
#: The server's parser goes two levels deeper with each pair of brackets, and 96 at most.
_DEPTH_MAX = 45
_LISTS_MAX = 2


@dataclass(frozen=True)
class Compiled:
    """A definition, with the location of each node in the source."""

    definition: dict[str, Any]
    #: By the node's id: file, line and column, from 1.
    places: dict[str, dict[str, Any]]

    @property
    def bytes(self) -> bytes:
        """The definition as bytes: the same for the same class, wherever it is compiled."""
        return (json.dumps(self.definition, ensure_ascii=False, indent=2) + "\n").encode()


def compile_class(workflow: type) -> dict[str, Any]:
    """The definition of a workflow class."""
    return compiled(workflow).definition


def compiled(workflow: type) -> Compiled:
    """A workflow class with its source places. Its source is read from its file."""
    path = inspect.getsourcefile(workflow)
    if path is None:
        raise TypeError(f"the source of {workflow.__name__} is not in a file")
    return compile_file(Path(path), workflow.__name__)


def compile_file(path: Path, class_name: str, shown: str | None = None) -> Compiled:
    """A workflow class of a source file, by its name."""
    return _compile(Module(path, shown=shown), class_name)


def compile_text(text: str, class_name: str, path: Path = Path("workflow.py")) -> Compiled:
    """A workflow class of a source text."""
    return _compile(Module(path, text), class_name)


def workflows_in(path: Path) -> list[str]:
    """The names of the workflow classes of a file."""
    module = Module(path)
    return [
        name for name, node in module.statements.items() if isinstance(node, ast.ClassDef) and module.workflow(name)
    ]


def _compile(module: Module, class_name: str) -> Compiled:
    info = module.workflow(class_name)
    if info is None or class_name in module.imports:
        module.refuse(
            module.tree.body[0] if module.tree.body else module.tree,
            f"there is no workflow class {class_name}",
            "decorate it with @workflow(version=1)",
        )
    run = _run_of(module, info)
    statements = Statements(module, run.body)
    kind, name = _input_of(module, info, run)
    env: Environment = {}
    statements.graph.path = g.Path([g.Edge(())], env)
    if name is not None:
        env[name] = _input_value(statements, kind, run)
    statements.block(run.body)
    if not statements.graph.nodes:
        module.refuse(run, "the workflow does nothing", "await an activity or return a value")
    definition = _definition(info, statements, kind if name is not None else None)
    _check_sizes(module, definition, statements.graph.places, run)
    return Compiled(definition, statements.graph.places)


def _check_sizes(
    module: Module, definition: dict[str, Any], places: dict[str, dict[str, Any]], run: ast.AsyncFunctionDef
) -> None:
    """Refuses here what the server would refuse as too long, with its place."""
    parts = [(node, places[node["id"]]) for node in definition["nodes"]]
    for part, place in [*parts, ({"output": definition["output"]}, {"line": run.lineno, "column": run.col_offset + 1})]:
        if any(_is_too_long(text) for text in _texts(part)):
            reason = (
                f"an expression becomes longer than {EXPRESSION_BYTES_MAX} bytes or {OPERATORS_MAX} operators of CEL"
            )
            reason += f", or deeper than {_DEPTH_MAX} brackets"
            nearest = "bind parts of it to names, return from fewer places, or move a part into a child workflow"
            raise CompileError(module.shown, place["line"], place["column"], reason, nearest)


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for item in inner for text in _texts(item)]


def _is_too_long(text: str) -> bool:
    """Counts as the server does, but for a text with several expressions all of it: these are short."""
    operators = sum(text.count(sign) for sign in "+-*/%<>=!.?[(")
    return len(text.encode()) > EXPRESSION_BYTES_MAX or operators > OPERATORS_MAX or _depth(text) > _DEPTH_MAX


def _depth(text: str) -> int:
    """How deep brackets are nested; those in quotes count too, which are few."""
    depth = deepest = 0
    for sign in text:
        if sign in "([{":
            depth += 1
            deepest = max(deepest, depth)
        elif sign in ")]}":
            depth -= 1
    return deepest


def _run_of(module: Module, info: WorkflowInfo) -> ast.AsyncFunctionDef:
    found = None
    for line in info.node.body:
        is_text = isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant)
        if isinstance(line, ast.AsyncFunctionDef) and line.name == "run":
            found = line
        elif isinstance(line, ast.FunctionDef) and line.name == "run":
            module.refuse(line, "run is not async", "write `async def run(self, …)`")
        elif isinstance(line, (ast.FunctionDef, ast.AsyncFunctionDef)):
            module.refuse(
                line, f"the method {line.name} does not run on the server", "make it an @activity of the module"
            )
        elif not is_text and not isinstance(line, (ast.AnnAssign, ast.Pass)):
            module.refuse(
                line, "nothing of the class runs on the server", "keep only `input: …` and `run` in the class"
            )
    if found is None:
        module.refuse(info.node, "there is no run", "write `async def run(self, input)`")
    return found


def _input_of(module: Module, info: WorkflowInfo, run: ast.AsyncFunctionDef) -> tuple[Type, str | None]:
    arguments = run.args
    names = [*arguments.posonlyargs, *arguments.args]
    if not names or len(names) > 2 or arguments.vararg or arguments.kwarg or arguments.kwonlyargs or arguments.defaults:
        module.refuse(run, "run takes self and at most one input", "write `async def run(self, order)`")
    kind = t.ANY
    for line in info.node.body:
        if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name):
            if line.target.id != "input" or line.value is not None:
                module.refuse(line, "the class has no fields but the type of its input", "write `input: OrderInput`")
            kind = module.annotation(line.annotation)
    if len(names) == 1:
        return kind, None
    if kind == t.ANY and names[1].annotation is not None:
        kind = module.annotation(names[1].annotation)
    return kind, names[1].arg


def _input_value(statements: Statements, kind: Type, run: ast.AsyncFunctionDef) -> Value:
    """The input; with its defaults filled in by a node of its own where it has some."""
    if (found := t.computes(kind)) is not None:
        statements.module.refuse(
            run.args.args[-1],
            f"{found.name}.{found.computed} makes other values, and does not run on the server",
            "check and compute in an activity, or take a class without it as the input",
        )
    if not t.has_defaults(kind):
        return Value("input", kind, is_path=True)
    cel = _with_defaults(statements.module, run.args.args[-1], "input", kind, 0)
    return statements.graph.transform("input", Value(cel, kind), run.args.args[-1])


def _with_defaults(module: Module, at: ast.AST, base: str, kind: Type, depth: int) -> str:
    if not t.has_defaults(kind):
        return base
    if kind.optional:
        return f"({base} == null ? null : {_with_defaults(module, at, base, kind.required(), depth)})"
    if kind.kind == "list" and kind.inner is not None:
        if depth == _LISTS_MAX:
            module.refuse(at, "defaults in lists are nested deeper than two levels", "leave the defaults out")
        name = f"x{depth}"
        return f"{base}.map({name}, {_with_defaults(module, at, name, kind.inner, depth + 1)})"
    if kind.kind != "record":
        module.refuse(
            at, "defaults of records in a dictionary are not filled in", "use a list, or leave the defaults out"
        )
    items = []
    for name, field in kind.fields.items():
        inner = _with_defaults(module, at, v.select(base, name), field.type, depth)
        if field.default is not t.MISSING:
            inner = f"({v.literal(name)} in {base} ? {inner} : {v.literal(field.default)})"
        elif not field.required:
            module.refuse(at, f"{kind.name}.{name} may be absent beside fields with defaults", "give it a default")
        items.append(f"{v.literal(name)}: {inner}")
    return "{" + ", ".join(items) + "}"


def _definition(info: WorkflowInfo, statements: Statements, kind: Type | None) -> dict[str, Any]:
    definition: dict[str, Any] = {"name": info.name, "version": info.version}
    if kind is not None and (schema := t.schema_of(kind)):
        definition["input"] = schema
    if info.timeout is not None:
        definition["timeout"] = info.timeout
    if info.max_concurrent is not None:
        definition["limits"] = {"maxConcurrent": info.max_concurrent}
    definition["nodes"] = [_finished(node) for node in statements.graph.nodes]
    results = statements.results
    if len(results) == 1 and statements.graph.path is None:
        definition["output"] = f"${{{v.node(results[0])}.output}}"
    elif results:
        cel = "null"
        for one in reversed(results):
            cel = f"({v.succeeded(one)} ? {v.node(one)}.output : {cel})"
        definition["output"] = "${" + cel + "}"
    else:
        definition["output"] = "${null}"
    return definition


def _finished(node: dict[str, Any]) -> dict[str, Any]:
    order = ("id", "type", "dependsOn", "when")
    return {name: node[name] for name in (*order, *node) if name in node}
