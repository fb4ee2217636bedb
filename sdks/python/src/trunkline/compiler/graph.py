"""The graph while it is made: nodes, their ids, the edges that the next node depends on."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from trunkline.compiler import types as t
from trunkline.compiler import value as v
from trunkline.compiler.expressions import Environment, Unbound
from trunkline.compiler.value import Value

if TYPE_CHECKING:
    from trunkline.compiler.source import Module

NODES_MAX = 1000


@dataclass(frozen=True)
class Edge:
    """A way that control takes.

    What comes next depends on `nodes`. `guard` is what has to hold then, in CEL, empty where nothing has. `failures`
    are the nodes that take over where one of `nodes` failed: then this way is not taken.
    """

    nodes: tuple[str, ...]
    guard: str = ""
    failures: tuple[str, ...] = ()
    #: Whether one of `nodes` completes where this way is taken, rather than all of them.
    is_any: bool = False

    def taken(self) -> str:
        """Whether this way was taken, in CEL."""
        tests = [v.succeeded(self.nodes[0])] if self.nodes else []
        if self.is_any and len(self.nodes) > 1:
            tests = ["(" + " || ".join(v.succeeded(one) for one in self.nodes) + ")"]
        tests += [f'{v.node(one)}.status != "COMPLETED"' for one in self.failures]
        tests += [f"({self.guard})"] if self.guard else []
        return " && ".join(tests) or "true"


@dataclass
class Path:
    """Where control is after some statements, and what the names mean there."""

    edges: list[Edge]
    env: Environment

    def taken(self) -> str:
        """Whether one of its ways was taken, in CEL."""
        texts = [edge.taken() for edge in self.edges]
        return texts[0] if len(texts) == 1 else " || ".join(f"({text})" for text in texts)


@dataclass
class Graph:
    """Nodes in the order of their call sites."""

    module: Module
    nodes: list[dict[str, Any]] = field(default_factory=list)
    places: dict[str, dict[str, Any]] = field(default_factory=dict)
    path: Path | None = None
    _used: set[str] = field(default_factory=set)

    def new_id(self, name: str) -> str:
        """An id that no node has: the name, or the name and a number."""
        base = re.sub(r"[^A-Za-z0-9_]", "_", name).lstrip("_")[:50] or "node"
        node_id, number = base, 1
        while node_id in self._used:
            number += 1
            node_id = f"{base}_{number}"
        self._used.add(node_id)
        return node_id

    def claim_id(self, node: ast.AST, node_id: str) -> str:
        """An id that the program writes itself."""
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]{0,62}", node_id):
            self.module.refuse(node, f"{node_id!r} is no id of a node", "use up to 63 letters, digits, _ and -")
        if node_id in self._used:
            self.module.refuse(node, f"the id {node_id!r} is taken by another node", "choose another one")
        self._used.add(node_id)
        return node_id

    def place(self, node_id: str, content: dict[str, Any], at: ast.AST, edges: list[Edge]) -> None:
        """Adds a node behind the edges."""
        if len(self.nodes) >= NODES_MAX:
            self.module.refuse(
                at, f"the workflow has more than {NODES_MAX} nodes", "move a part into a workflow of its own"
            )
        node: dict[str, Any] = {"id": node_id, "type": content["type"]}
        depends = list(dict.fromkeys(one for edge in edges for one in edge.nodes))
        if depends:
            node["dependsOn"] = depends
        guards = [edge.guard for edge in edges if edge.guard]
        if guards:
            assert len(edges) == 1
            node["when"] = guards[0]
        node.update({name: item for name, item in content.items() if name != "type"})
        self.nodes.append(node)
        line, column = self.module.place(at)
        self.places[node_id] = {"file": self.module.shown, "line": line, "column": column}

    def add(self, node_id: str, content: dict[str, Any], at: ast.AST) -> None:
        """Adds a node where control is, and moves control behind it."""
        assert self.path is not None
        self.place(node_id, content, at, self.single_edges(at))
        self.path.edges = [Edge((node_id,))]

    def single_edges(self, at: ast.AST) -> list[Edge]:
        """The edges where control is, such that a node may depend on all of them; joined first where that is needed."""
        assert self.path is not None
        if len(self.path.edges) > 1 and any(edge.guard for edge in self.path.edges):
            self.path = self.joined([self.path], self.path.env, at)
        return self.path.edges

    def transform(self, name: str, content: Value, at: ast.AST) -> Value:
        """Adds a node that computes a value: the value as its output."""
        node_id = self.new_id(name)
        self.add(node_id, {"type": "TRANSFORM", "output": v.template(content)}, at)
        return v.output(node_id, content.type)

    def merge(self, paths: list[Path], *, is_exhaustive: bool, live: set[str], at: ast.AST) -> None:
        """Joins ways: names that differ are chosen by the way that was taken.

        `is_exhaustive` says that one of them is taken wherever control came to where they parted.
        """
        if not paths:
            self.path = None
            return
        if len(paths) == 1:
            self.path = paths[0]
            return
        env, chosen = self._merge_names(paths, live)
        if not chosen and is_exhaustive:
            edges: list[Edge] = []
            for path in paths:
                for edge in path.edges:
                    edges.append(Edge(edge.nodes, "", edge.failures))
            self.path = Path([_all_of(edges)], env)
            return
        self.path = self.joined(paths, env, at, chosen, is_exhaustive=is_exhaustive)

    def _merge_names(self, paths: list[Path], live: set[str]) -> tuple[Environment, dict[str, list[Value]]]:
        env: Environment = {}
        chosen: dict[str, list[Value]] = {}
        for name in sorted({name for path in paths for name in path.env}):
            values = [path.env.get(name) for path in paths]
            if name.startswith("?"):
                if all(value == values[0] for value in values) and values[0] is not None:
                    env[name] = values[0]
                continue
            bound = [value for value in values if isinstance(value, Value)]
            if len(bound) < len(values):
                env[name] = Unbound()
            elif all(value == bound[0] for value in bound):
                env[name] = bound[0]
            elif name in live:
                chosen[name] = bound
            else:
                env[name] = Unbound()
        return env, chosen

    def joined(
        self,
        paths: list[Path],
        env: Environment,
        at: ast.AST,
        chosen: dict[str, list[Value]] | None = None,
        *,
        is_exhaustive: bool = False,
    ) -> Path:
        """A node where ways come together, which holds the values that depend on the way."""
        node_id = self.new_id("join")
        depends = list(
            dict.fromkeys(one for path in paths for edge in path.edges for one in (*edge.nodes, *edge.failures))
        )
        output: Any = None
        env = dict(env)
        if chosen:
            output = {}
            for name, values in chosen.items():
                cel, kind = values[-1].cel, values[-1].type
                for path, value in zip(reversed(paths[:-1]), reversed(values[:-1]), strict=True):
                    cel = f"({path.taken()} ? {value.cel} : {cel})"
                    kind = t.unified(value.type, kind)
                output[name] = "${" + cel + "}"
                env[name] = Value(
                    f"{v.node(node_id)}.output.{name}"
                    if name not in v.RESERVED
                    else f"{v.node(node_id)}.output[{v.literal(name)}]",
                    kind,
                    is_path=True,
                )
        content: dict[str, Any] = {"type": "TRANSFORM", "output": output}
        if not is_exhaustive:
            content = {"type": "TRANSFORM", "when": _any_of(paths), "output": output}
        self.place(node_id, content, at, [Edge(tuple(depends))])
        return Path([Edge((node_id,))], env)


def _all_of(edges: list[Edge]) -> Edge:
    """One edge for several of which one is taken in any case."""
    return Edge(tuple(dict.fromkeys(one for edge in edges for one in edge.nodes)), is_any=True)


def _any_of(paths: list[Path]) -> str:
    texts = [edge.taken() for path in paths for edge in path.edges]
    return texts[0] if len(texts) == 1 else " || ".join(f"({text})" for text in texts)
