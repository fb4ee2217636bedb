"""Statements of `run` to nodes: what comes after what, and when."""

from __future__ import annotations

import ast
from typing import Any, NoReturn

from trunkline.compiler import types as t
from trunkline.compiler import value as v
from trunkline.compiler.branches import Branches
from trunkline.compiler.calls import Calls
from trunkline.compiler.expressions import Environment, Expressions, Unbound
from trunkline.compiler.graph import Graph
from trunkline.compiler.loops import Loops
from trunkline.compiler.source import Module
from trunkline.compiler.tries import Final, Tries
from trunkline.compiler.value import Value


class Statements:
    """Compiles the body of `run`."""

    def __init__(self, module: Module, body: list[ast.stmt]) -> None:
        self.module = module
        self.graph = Graph(module)
        self.expressions = Expressions(module, lambda: self.env)
        #: Where failures of nodes are caught, the nodes that take over are collected here.
        self.catch: list[str] | None = None
        self.calls = Calls(self)
        self.branches = Branches(self)
        self.loops = Loops(self)
        self.tries = Tries(self)
        self.results: list[str] = []
        #: How often control may have left a block: by return, break, continue or a failure caught outside of it.
        self.exits = 0
        #: What has to run where control leaves by `return`, `break` or `continue`, the innermost last.
        self.finals: tuple[Final, ...] = ()
        self._reads = _reads(body)
        appends = [call.func.value for call in _calls(body) if isinstance(call.func, ast.Attribute)]
        targets = {(one.lineno, one.col_offset) for one in appends if isinstance(one, ast.Name)}
        self._uses = [
            (node.id, node.lineno)
            for statement in body
            for node in ast.walk(statement)
            if isinstance(node, ast.Name)
            and isinstance(node.ctx, ast.Load)
            and (node.lineno, node.col_offset) not in targets
        ]

    @property
    def env(self) -> Environment:
        """What the names mean where control is."""
        return self.graph.path.env if self.graph.path is not None else {}

    def block(self, body: list[ast.stmt]) -> None:
        """Compiles statements one after the other."""
        for statement in body:
            if self.graph.path is None:
                self.module.refuse(
                    statement, "control never comes here", "remove what stands behind return, break or continue"
                )
            self.statement(statement)

    def statement(self, node: ast.stmt) -> None:
        """Compiles one statement."""
        simple = {
            ast.Expr: self._expr,
            ast.Assign: self._assign,
            ast.AnnAssign: self._annotated,
            ast.AugAssign: self._augmented,
            ast.Return: self._return,
            ast.If: self.branches.if_,
            ast.Match: self.branches.match,
            ast.For: self.loops.for_,
            ast.While: self.loops.while_,
            ast.Break: self.loops.leave,
            ast.Continue: self.loops.leave,
            ast.Try: self.tries.compile,
            ast.Pass: lambda _node: None,
        }
        method: Any = simple.get(type(node))
        if method is None:
            self._refuse_kind(node)
        method(node)

    def live(self, node: ast.stmt) -> set[str]:
        """The names that are read behind a statement, or anywhere in the loop that it is in."""
        end = node.end_lineno or node.lineno
        names = {name for name, line in self._reads if line > end}
        loop = self.loops.outermost
        if loop is not None:
            names |= {name for name, line in self._reads if loop.lineno <= line <= (loop.end_lineno or line)}
        return names

    def bind(self, target: ast.expr, value: Value) -> None:
        """Gives a name a value. What was known about the old one is forgotten."""
        if not isinstance(target, ast.Name):
            self.module.refuse(target, "only names are bound", "bind a name; outputs of nodes never change")
        name = target.id
        if name == "self":
            self.module.refuse(target, "self is no state: nothing of the class runs on the server", "bind another name")
        for key in [key for key in self.env if key == f"?{name}" or key.startswith(f"?{name}.")]:
            del self.env[key]
        self.env[name] = value

    def unbind(self, names: set[str]) -> None:
        """These names may have no value from here on."""
        for name in names:
            self.env[name] = Unbound()

    def leave(self) -> None:
        """Control does not go on here."""
        self.exits += 1
        self.graph.path = None

    def _expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Await):
            self.calls.compile(node.value.value)
        elif (appended := _append(node.value)) is not None:
            self._append(node, *appended)
        elif not isinstance(node.value, ast.Constant):
            self.expressions.compile(node.value)
            self.module.refuse(node, "the value is not used", "bind it to a name, or remove the line")

    def _append(self, node: ast.Expr, name: str, item: ast.expr) -> None:
        """A list that is only appended to until here, so that nobody sees that this makes a new one."""
        before = self.env.get(name)
        if not isinstance(before, Value) or not isinstance(before.parts, list):
            self.module.refuse(
                node, f"{name} is not a list whose items are known here", f"make a new value: `{name} = {name} + [x]`"
            )
        if any(one == name and line <= node.lineno for one, line in self._uses):
            self.module.refuse(
                node, f"{name} is used before it changes in place", f"make a new value: `{name} = {name} + [x]`"
            )
        values = self.calls.compile(item.value) if isinstance(item, ast.Await) else self.expressions.compile(item)
        value = values if isinstance(values, Value) else self.expressions.display(values)
        stored = self._stored(ast.Name(f"{name}_item"), value, node)
        self.env[name] = self.expressions.display([*before.parts, stored])

    def _assign(self, node: ast.Assign) -> None:
        if len(node.targets) != 1:
            self.module.refuse(node, "several names are bound at once", "bind one after the other")
        self._bind_all(node.targets[0], node.value, node)

    def _annotated(self, node: ast.AnnAssign) -> None:
        if node.value is None:
            self.module.refuse(node, "the name gets no value", "give it one")
        wanted = self.module.annotation(node.annotation)
        self._bind_all(node.target, node.value, node)
        found = self.env.get(node.target.id) if isinstance(node.target, ast.Name) else None
        if isinstance(found, Value) and found.type == t.ANY and isinstance(node.target, ast.Name):
            self.env[node.target.id] = Value(found.cel, wanted, found.is_path, found.can_fail)

    def _bind_all(self, target: ast.expr, source: ast.expr, at: ast.stmt) -> None:
        values: Value | list[Value]
        if isinstance(source, ast.Await):
            values = self.calls.compile(source.value)
        elif isinstance(target, ast.Tuple) and isinstance(source, ast.Tuple) and len(target.elts) == len(source.elts):
            compiled = [self.expressions.compile(item) for item in source.elts]
            values = [self._stored(one, item, at) for one, item in zip(target.elts, compiled, strict=True)]
        else:
            values = self._stored(target, self.expressions.compile(source), at)
        if isinstance(target, ast.Tuple):
            if not isinstance(values, list) or len(values) != len(target.elts):
                self.module.refuse(target, "the value is not taken apart", "bind one name and read its items or fields")
            for one, value in zip(target.elts, values, strict=True):
                self.bind(one, value)
        else:
            self.bind(target, values if isinstance(values, Value) else self.expressions.display(values))

    def _stored(self, target: ast.expr, value: Value, at: ast.stmt) -> Value:
        """Values that are computed become outputs of nodes, so that they are computed once, here."""
        if value.is_constant or value.is_path or (not value.can_fail and _is_made_of_paths(value)):
            return value
        return self.graph.transform(target.id if isinstance(target, ast.Name) else "value", value, at)

    def _augmented(self, node: ast.AugAssign) -> None:
        if not isinstance(node.target, ast.Name):
            self.module.refuse(node.target, "only names are bound", "bind a name; outputs of nodes never change")
        read = ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target)
        expression = ast.copy_location(ast.BinOp(read, node.op, node.value), node)
        self.bind(node.target, self._stored(node.target, self.expressions.compile(expression), node))

    def _return(self, node: ast.Return) -> None:
        if isinstance(node.value, ast.Await):
            values = self.calls.compile(node.value.value)
            value = values if isinstance(values, Value) else self.expressions.display(values)
        else:
            value = self.expressions.compile(node.value) if node.value is not None else v.constant(None)
        if self.finals:
            # The value is computed before what `finally` does.
            value = self._stored(ast.Name("returned"), value, node)
            self.tries.leave(0)
            if self.graph.path is None:
                return
        node_id = self.graph.new_id("result")
        self.graph.add(node_id, {"type": "TRANSFORM", "output": v.template(value)}, node)
        self.results.append(node_id)
        self.leave()

    def _refuse_kind(self, node: ast.stmt) -> NoReturn:
        reason, nearest = _REFUSED.get(
            type(node).__name__, (f"{type(node).__name__} is not compiled", "do it in an activity")
        )
        self.module.refuse(node, reason, nearest)


_REFUSED: dict[str, tuple[str, str]] = {
    "FunctionDef": ("a function inside of run", "make it an @activity of the module"),
    "AsyncFunctionDef": ("a function inside of run", "make it an @activity of the module"),
    "ClassDef": ("a class inside of run", "put it into the module"),
    "With": ("`with` holds something open, and nothing is open between nodes", "do it inside of one activity"),
    "AsyncWith": (
        "`async with` holds something open, and nothing is open between nodes",
        "do it inside of one activity",
    ),
    "AsyncFor": ("an asynchronous iterator has no length that is known", "use `for` over a list"),
    "Raise": ("run does not raise", "let an activity raise NonRetryable"),
    "Assert": ("run does not raise", "use `if` and return, or let an activity raise NonRetryable"),
    "Delete": ("names are not removed", "leave the name alone"),
    "Global": ("there is no state outside of the execution", "keep it in names of run"),
    "Nonlocal": ("there is no state outside of the execution", "keep it in names of run"),
    "Import": ("an import inside of run", "put it at the top of the module"),
    "ImportFrom": ("an import inside of run", "put it at the top of the module"),
    "TryStar": ("groups of exceptions are not compiled", "use `except NodeFailed`"),
}


def _reads(body: list[ast.stmt]) -> list[tuple[str, int]]:
    found: list[tuple[str, int]] = []
    for statement in body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                found.append((node.id, node.lineno))
            elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
                found.append((node.target.id, node.lineno))
    return found


def _calls(body: list[ast.stmt]) -> list[ast.Call]:
    return [node for statement in body for node in ast.walk(statement) if isinstance(node, ast.Call)]


def _append(node: ast.expr) -> tuple[str, ast.expr] | None:
    """The name and the item of `xs.append(item)`."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "append"):
        return None
    if not isinstance(node.func.value, ast.Name) or len(node.args) != 1 or node.keywords:
        return None
    return node.func.value.id, node.args[0]


def assigned(body: list[Any]) -> set[str]:
    """The names that statements bind."""
    return {
        node.id
        for statement in body
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }


def _is_made_of_paths(value: Value) -> bool:
    """Lists and objects of values that are there already need no node of their own."""
    if isinstance(value.parts, list):
        return all(_is_made_of_paths(part) for part in value.parts)
    if isinstance(value.parts, dict):
        return all(_is_made_of_paths(part) for part in value.parts.values())
    return value.is_constant or value.is_path
