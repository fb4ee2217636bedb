"""Loops: those with a bound are written out, one that does one thing for each item of a list is a MAP."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from trunkline.compiler import value as v
from trunkline.compiler.graph import Edge, Path
from trunkline.compiler.value import Value

if TYPE_CHECKING:
    from trunkline.compiler.statements import Statements

ROUNDS_MAX = 100
_BOUND = "write `while n < 5 and …:` with n = 0 before and n += 1 inside"
_ITEMS = "write one `await f(x)` or `xs.append(await f(x))`, or move the body into a workflow and await child(…)"


@dataclass
class _Loop:
    """A loop that is being compiled."""

    node: ast.For | ast.While
    breaks: list[Path] = field(default_factory=list)
    continues: list[Path] = field(default_factory=list)


class Loops:
    """Compiles `for` and `while`."""

    def __init__(self, statements: Statements) -> None:
        self.statements = statements
        self.graph = statements.graph
        self.module = statements.module
        self._loops: list[_Loop] = []

    @property
    def outermost(self) -> ast.For | ast.While | None:
        """The loop that all others are in."""
        return self._loops[0].node if self._loops else None

    @property
    def depth(self) -> int:
        """How many loops control is in."""
        return len(self._loops)

    def leave(self, node: ast.Break | ast.Continue) -> None:
        """Control leaves the round, or the loop."""
        if not self._loops:
            self.module.refuse(node, f"{type(node).__name__.lower()} stands outside of a loop", "remove it")
        loop = self._loops[-1]
        self.statements.tries.leave(self.depth)
        if self.graph.path is None:
            return
        (loop.breaks if isinstance(node, ast.Break) else loop.continues).append(self.graph.path)
        self.statements.leave()

    def for_(self, node: ast.For) -> None:
        """A `for`: written out over what is known, a MAP over a list."""
        if node.orelse:
            self.module.refuse(node, "`else` of a loop is not compiled", "put it behind the loop, with a flag")
        items = self._known_items(node)
        if items is None:
            self._map(node)
            return
        if len(items) > ROUNDS_MAX:
            self.module.refuse(
                node, f"the loop has more than {ROUNDS_MAX} rounds", "write `await gather(*[f(x) for x in xs])`"
            )
        loop = _Loop(node)
        self._loops.append(loop)
        exits = self.statements.exits
        for item in items:
            if self.graph.path is None:
                break
            self._bind_item(node.target, item, node)
            self._round(loop, node.body)
        self._end(loop, exits)

    def _bind_item(self, target: ast.expr, item: Value, at: ast.stmt) -> None:
        if isinstance(target, ast.Tuple):
            if not isinstance(item.parts, list) or len(item.parts) != len(target.elts):
                self.module.refuse(target, "items are not taken apart here", "bind one name and read its fields")
            for one, part in zip(target.elts, item.parts, strict=True):
                self.statements.bind(one, part)
        else:
            self.statements.bind(target, item)

    def _known_items(self, node: ast.For) -> list[Value] | None:
        """The items, where their number is known."""
        call = node.iter
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "range":
            bounds = [self.statements.expressions.compile(argument) for argument in call.args]
            if call.keywords or not 1 <= len(bounds) <= 3 or any(not isinstance(b.constant, int) for b in bounds):
                self.module.refuse(
                    call, "the number of rounds is not known", "write range(n) with a number that is written out"
                )
            try:
                numbers = range(*[int(bound.constant) for bound in bounds])
            except ValueError as error:
                self.module.refuse(call, str(error), "use a step that is not 0")
            return [v.constant(number) for number in numbers[: ROUNDS_MAX + 1]]
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "enumerate":
            return None
        value = self.statements.expressions.compile(call)
        return value.parts if isinstance(value.parts, list) else None

    def _round(self, loop: _Loop, body: list[ast.stmt]) -> None:
        """One round. Where some ways leave it early, what follows waits for those that did not."""
        self.statements.block(body)
        paths = ([self.graph.path] if self.graph.path else []) + loop.continues
        if loop.continues:
            loop.continues = []
            self.graph.merge(paths, is_exhaustive=False, live=self.statements.live(loop.node), at=loop.node)

    def _end(self, loop: _Loop, exits: int) -> None:
        self._loops.pop()
        paths = ([self.graph.path] if self.graph.path else []) + loop.breaks
        self.graph.merge(
            paths, is_exhaustive=self.statements.exits == exits, live=self.statements.live(loop.node), at=loop.node
        )

    def while_(self, node: ast.While) -> None:
        """A `while` whose end the compiler sees: it is written out as ifs."""
        if node.orelse:
            self.module.refuse(node, "`else` of a loop is not compiled", "put it behind the loop, with a flag")
        self._check_bound(node)
        loop = _Loop(node)
        self._loops.append(loop)
        exits = self.statements.exits
        for _ in range(ROUNDS_MAX + 1):
            if self.graph.path is None:
                break
            test = self.statements.expressions.condition(node.test)
            if test.is_constant and not test.constant:
                break
            if not test.is_constant:
                self._leave_unless(loop, node, test)
            self._round(loop, node.body)
        else:
            self.module.refuse(
                node, f"the loop may have more than {ROUNDS_MAX} rounds, or no bound that is seen", _BOUND
            )
        self._end(loop, exits)

    def _check_bound(self, node: ast.While) -> None:
        """Some name that the test compares has to be counted up in the body, at its top."""
        tests = (
            node.test.values if isinstance(node.test, ast.BoolOp) and isinstance(node.test.op, ast.And) else [node.test]
        )
        counted = {
            line.target.id
            for line in node.body
            if isinstance(line, ast.AugAssign) and isinstance(line.target, ast.Name)
        }
        for test in tests:
            if isinstance(test, ast.Compare) and isinstance(test.left, ast.Name) and test.left.id in counted:
                start = self.statements.env.get(test.left.id)
                if isinstance(start, Value) and isinstance(start.constant, int):
                    return
        self.module.refuse(node, "the loop has no bound that the compiler sees", _BOUND)

    def _leave_unless(self, loop: _Loop, node: ast.While, test: Value) -> None:
        """The way out where the test does not hold, the way in where it does."""
        chooser = self.graph.transform("again", test, node.test)
        assert self.graph.path is not None
        (chooser_id,) = self.graph.path.edges[0].nodes
        env = self.graph.path.env
        out = Path([Edge((chooser_id,), f"{chooser.cel} == false")], dict(env))
        out.env.update(self.statements.expressions.narrowings(node.test, False))
        loop.breaks.append(out)
        self.graph.path = Path([Edge((chooser_id,), f"{chooser.cel} == true")], dict(env))
        self.statements.env.update(self.statements.expressions.narrowings(node.test, True))

    def _map(self, node: ast.For) -> None:
        """One call for each item, one after the other, is a MAP with a concurrency of one."""
        body = [line for line in node.body if not isinstance(line, ast.Pass)]
        collected: str | None = None
        call: ast.expr | None = None
        if len(body) == 1 and isinstance(body[0], ast.Expr):
            line = body[0].value
            if isinstance(line, ast.Await):
                call = line.value
            elif _is_append(line) and isinstance(line.args[0], ast.Await):  # type: ignore[attr-defined]
                call, collected = line.args[0].value, line.func.value.id  # type: ignore[attr-defined]
        elif len(body) == 2 and isinstance(body[0], ast.Assign) and isinstance(body[0].value, ast.Await):
            target, last = body[0].targets[0], body[1]
            if isinstance(last, ast.Expr) and _is_append(last.value) and isinstance(target, ast.Name):
                argument = last.value.args[0]  # type: ignore[attr-defined]
                if isinstance(argument, ast.Name) and argument.id == target.id:
                    call, collected = body[0].value.value, last.value.func.value.id  # type: ignore[attr-defined]
        if call is None:
            at = body[0] if body else node
            self.module.refuse(at, "more than one call for each item of a list is not compiled", _ITEMS)
        made = self.statements.calls.map(node.target, node.iter, [], call, 1, node)
        names = {one.id for one in ast.walk(node.target) if isinstance(one, ast.Name)}
        if collected is not None:
            before = self.statements.env.get(collected)
            if not isinstance(before, Value) or before.parts != []:
                self.module.refuse(
                    node, f"{collected} is not an empty list here", f"write `{collected} = []` before the loop"
                )
            self.statements.bind(
                ast.copy_location(ast.Name(collected, ast.Store()), node), Value(made.cel, made.type, True)
            )
        if len(body) == 2 and isinstance(body[0], ast.Assign):
            names |= {one.id for one in body[0].targets if isinstance(one, ast.Name)}
        self.statements.unbind(names)


def _is_append(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "append"
        and isinstance(node.func.value, ast.Name)
        and len(node.args) == 1
        and not node.keywords
    )
