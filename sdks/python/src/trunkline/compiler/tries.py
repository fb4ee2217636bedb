"""`try`: failures of nodes that are caught, and what runs in any case."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trunkline.compiler import types as t
from trunkline.compiler import value as v
from trunkline.compiler.expressions import Environment
from trunkline.compiler.graph import Edge, Path

if TYPE_CHECKING:
    from trunkline.compiler.statements import Statements


@dataclass(frozen=True)
class Final:
    """The `finally` of a `try`, what catches failures in it, and how many loops it is in."""

    body: list[ast.stmt]
    catch: list[str] | None
    depth: int


class Tries:
    """Compiles `try`, `except NodeFailed`, `else` and `finally`."""

    def __init__(self, statements: Statements) -> None:
        self.statements = statements
        self.graph = statements.graph
        self.module = statements.module

    def compile(self, node: ast.Try) -> None:
        """Compiles the statement."""
        if not node.finalbody:
            self._handled(node)
            return
        outer, finals = self.statements.catch, self.statements.finals
        entry = self.graph.path
        assert entry is not None
        before = dict(entry.env)
        caught: list[str] = []
        self.statements.catch = caught
        self.statements.finals = (*finals, Final(node.finalbody, outer, self.statements.loops.depth))
        if node.handlers:
            self._handled(node)
        else:
            self.statements.block(node.body)
        self.statements.catch, self.statements.finals = outer, finals
        if self.graph.path is not None:
            self.statements.block(node.finalbody)
        after = self.graph.path
        if caught:
            self._clean_up_and_fail(node, caught, before)
        self.graph.path = after

    def leave(self, depth: int) -> None:
        """Runs each `finally` on the way out, the innermost first, of those that are in more loops than `depth`."""
        statements = self.statements
        finals, catch = statements.finals, statements.catch
        while statements.finals and statements.finals[-1].depth >= depth and self.graph.path is not None:
            final = statements.finals[-1]
            statements.finals, statements.catch = statements.finals[:-1], final.catch
            statements.block(final.body)
        statements.finals, statements.catch = finals, catch

    def _clean_up_and_fail(self, node: ast.Try, caught: list[str], before: Environment) -> None:
        """What `finally` does where a failure goes on."""
        from trunkline.compiler.statements import assigned

        entry = self._entry(caught, node, "finally")
        self.graph.path = Path([Edge((entry,))], dict(before))
        self.statements.unbind(assigned([*node.body, *node.handlers, *node.orelse]))
        self.statements.block(node.finalbody)
        if self.graph.path is None:
            return
        failed = self.graph.new_id("failed_again")
        outer = self.statements.catch
        if outer is not None:
            self.graph.add(failed, {"type": "TRANSFORM", "output": f"${{{v.node(entry)}.output}}"}, node)
            outer.append(failed)
        else:
            # Reading a field that is not there is how a node fails on purpose; its name says why.
            again = f'${{dyn({v.node(entry)}.output)["failed before finally"]}}'
            self.graph.add(failed, {"type": "TRANSFORM", "output": again}, node)
        self.statements.leave()

    def _handled(self, node: ast.Try) -> None:
        from trunkline.compiler.statements import assigned

        handler = self._handler(node)
        outer = self.statements.catch
        entry = self.graph.path
        assert entry is not None
        before, exits = dict(entry.env), self.statements.exits
        caught: list[str] = []
        self.statements.catch = caught
        self.statements.block(node.body)
        self.statements.catch = outer
        if self.graph.path is not None:
            self.statements.block(node.orelse)
        paths = [self.graph.path] if self.graph.path else []
        if caught:
            entry_id = self._entry(caught, handler, "except")
            self.graph.path = Path([Edge((entry_id,))], dict(before))
            self.statements.unbind(assigned(node.body))
            if handler.name:
                self.statements.env[handler.name] = v.output(entry_id, t.FAILURE)
            self.statements.block(handler.body)
            if self.graph.path is not None:
                if handler.name:
                    self.statements.unbind({handler.name})
                paths.append(self.graph.path)
        # A failure that was caught here is no way out: it leads to the handler.
        self.statements.exits -= len(caught)
        is_exhaustive = self.statements.exits == exits
        self.graph.merge(paths, is_exhaustive=is_exhaustive, live=self.statements.live(node), at=node)

    def _handler(self, node: ast.Try) -> ast.ExceptHandler:
        if len(node.handlers) != 1:
            self.module.refuse(node.handlers[1], "failures of nodes are of one kind", "keep one `except NodeFailed`")
        handler = node.handlers[0]
        kind = handler.type
        if kind is None or self.module.canonical(kind) != "trunkline.NodeFailed":
            self.module.refuse(handler, "only failures of nodes are caught", "write `except NodeFailed:`")
        return handler

    def _entry(self, caught: list[str], at: ast.AST, name: str) -> str:
        """The node where a failure arrives: its output is the failure."""
        if len(caught) == 1:
            return caught[0]
        node_id = self.graph.new_id(name)
        cel = f"{v.node(caught[-1])}.output"
        for one in reversed(caught[:-1]):
            cel = f"({v.succeeded(one)} ? {v.node(one)}.output : {cel})"
        self.graph.place(node_id, {"type": "TRANSFORM", "output": "${" + cel + "}"}, at, [Edge(tuple(caught))])
        return node_id
