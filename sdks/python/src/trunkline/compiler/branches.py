"""`if` and `match`: ways that part and come together."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from trunkline.compiler import types as t
from trunkline.compiler.graph import Edge, Path
from trunkline.compiler.value import Value

if TYPE_CHECKING:
    from trunkline.compiler.statements import Statements

Arm = tuple[Value, ast.expr, list[ast.stmt]]


class Branches:
    """Compiles `if` and `match`."""

    def __init__(self, statements: Statements) -> None:
        self.statements = statements
        self.graph = statements.graph
        self.module = statements.module
        self.expressions = statements.expressions

    def if_(self, node: ast.If) -> None:
        """A node says which branch is taken; the first nodes of each look at it."""
        arms, rest = self._arms(node)
        if not arms:
            self.statements.block(rest)
            return
        is_simple = len(arms) == 1
        cel = arms[0][0].cel
        if not is_simple:
            cel = str(len(arms))
            for index in range(len(arms) - 1, -1, -1):
                cel = f"({arms[index][0].cel} ? {index} : {cel})"
        chooser = self.graph.transform("choice", Value(cel, t.BOOL if is_simple else t.INT), node)
        entry = self._here()
        exits = self.statements.exits
        paths: list[Path] = []
        for index, (_, test, body) in enumerate(arms):
            known = [(one[1], False) for one in arms[:index]] + [(test, True)]
            guard = f"{chooser.cel} == {'true' if is_simple else index}"
            self._branch(entry, guard, known, body, paths)
        guard = f"{chooser.cel} == {'false' if is_simple else len(arms)}"
        self._branch(entry, guard, [(test, False) for _, test, _ in arms], rest, paths)
        is_exhaustive = self.statements.exits == exits
        self.graph.merge(paths, is_exhaustive=is_exhaustive, live=self.statements.live(node), at=node)

    def _arms(self, node: ast.If) -> tuple[list[Arm], list[ast.stmt]]:
        """The tests of `if` and `elif` that are not decided yet, and what is left for `else`."""
        tests: list[tuple[ast.expr, list[ast.stmt]]] = []
        rest: list[ast.stmt] = [node]
        while len(rest) == 1 and isinstance(rest[0], ast.If):
            tests.append((rest[0].test, rest[0].body))
            rest = rest[0].orelse
        arms: list[Arm] = []
        here = self._here()
        before = here.env
        here.env = dict(before)
        try:
            for test, body in tests:
                value = self.expressions.condition(test)
                if value.is_constant and value.constant:
                    return arms, body
                if not value.is_constant:
                    arms.append((value, test, body))
                here.env.update(self.expressions.narrowings(test, False))
        finally:
            here.env = before
        return arms, rest

    def _branch(
        self, entry: Path, guard: str, known: list[tuple[ast.expr, bool]], body: list[ast.stmt], paths: list[Path]
    ) -> None:
        (chooser,) = entry.edges[0].nodes
        self.graph.path = Path([Edge((chooser,), guard)], dict(entry.env))
        for test, holds in known:
            self.statements.env.update(self.expressions.narrowings(test, holds))
        self.statements.block(body)
        if self.graph.path is not None:
            paths.append(self.graph.path)

    def _here(self) -> Path:
        assert self.graph.path is not None
        return self.graph.path

    def match(self, node: ast.Match) -> None:
        """A SWITCH."""
        subject = self.expressions.compile(node.subject)
        is_known = subject.type in (t.STR, t.INT, t.BOOL) or (subject.type.values and not subject.type.optional)
        if not is_known:
            self.module.refuse(
                node.subject,
                f"a value of type {subject.type} is not matched",
                "match text, whole numbers or booleans whose type is annotated",
            )
        cases: list[tuple[str, ast.match_case]] = []
        default: ast.match_case | None = None
        for case in node.cases:
            if default is not None:
                self.module.refuse(case.pattern, "control never comes here", "put `case _` last")
            test = self._test(case, node, subject)
            if test is None:
                default = case
            else:
                cases.append((test, case))
        if not cases:
            self.module.refuse(node, "nothing is chosen", "write at least one case with a value")
        self._switch(node, subject, cases, default)

    def _switch(
        self, node: ast.Match, subject: Value, cases: list[tuple[str, ast.match_case]], default: ast.match_case | None
    ) -> None:
        switch = self.graph.new_id("match")
        entries = [self.graph.new_id(f"{switch}_case") for _ in cases]
        otherwise = self.graph.new_id(f"{switch}_else")
        chosen = [{"when": test, "goto": entry} for (test, _), entry in zip(cases, entries, strict=True)]
        content: dict[str, Any] = {"type": "SWITCH", "cases": chosen, "default": otherwise}
        self.graph.add(switch, content, node)
        entry_path = self._here()
        exits = self.statements.exits
        paths: list[Path] = []
        ways: list[tuple[str, ast.match_case | None]] = [
            *((entry, case) for entry, (_, case) in zip(entries, cases, strict=True)),
            (otherwise, default),
        ]
        for entry_id, arm in ways:
            self.graph.path = Path(list(entry_path.edges), dict(entry_path.env))
            self.graph.add(entry_id, {"type": "TRANSFORM", "output": None}, arm.pattern if arm is not None else node)
            if arm is not None:
                self._capture(arm, subject)
                self.statements.block(arm.body)
            if self.graph.path is not None:
                paths.append(self.graph.path)
        is_exhaustive = self.statements.exits == exits
        self.graph.merge(paths, is_exhaustive=is_exhaustive, live=self.statements.live(node), at=node)

    def _capture(self, case: ast.match_case, subject: Value) -> None:
        if isinstance(case.pattern, ast.MatchAs) and case.pattern.name:
            self.statements.env[case.pattern.name] = subject

    def _test(self, case: ast.match_case, node: ast.Match, subject: Value) -> str | None:
        """The test of a case in CEL; None for one that takes everything."""
        tests: list[Value] = []
        for pattern in case.pattern.patterns if isinstance(case.pattern, ast.MatchOr) else [case.pattern]:
            if isinstance(pattern, ast.MatchAs) and pattern.pattern is None:
                tests = []
                break
            if isinstance(pattern, ast.MatchSingleton):
                value: ast.expr = ast.copy_location(ast.Constant(pattern.value), pattern)
            elif isinstance(pattern, ast.MatchValue):
                value = pattern.value
            else:
                self.module.refuse(pattern, "only values are matched", "write literals, `a | b` and `_`")
            if self.expressions.compile(value).type.kind != subject.type.kind:
                self.module.refuse(
                    pattern, f"the case is of another type than {subject.type}", "match values of one type"
                )
            compare = ast.copy_location(ast.Compare(node.subject, [ast.Eq()], [value]), pattern)
            tests.append(self.expressions.compile(compare))
        cel = " || ".join(test.cel for test in tests)
        if case.guard is None:
            return cel or None
        here = self._here()
        before = here.env
        here.env = dict(before)
        self._capture(case, subject)
        guard = self.expressions.condition(case.guard)
        here.env = before
        return f"(({cel}) ? {guard.cel} : false)" if cel else guard.cel
