"""Nodes that wait: for the clock, a message, a person, a child."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from trunkline.compiler import events
from trunkline.compiler import types as t
from trunkline.compiler import value as v
from trunkline.compiler.value import Value

if TYPE_CHECKING:
    from trunkline.compiler.expressions import Expressions
    from trunkline.compiler.graph import Graph
    from trunkline.compiler.source import Module


class Waits:
    """The part of the compiler of calls that is about waiting."""

    module: Module
    graph: Graph
    expressions: Expressions

    def _add(self, name: str, content: dict[str, Any], kind: t.Type, at: ast.AST, node_id: str | None = None) -> Value:
        raise NotImplementedError

    def retry(self, node: ast.expr) -> dict[str, Any]:
        """A Retry as the definition has it."""
        raise NotImplementedError

    def duration(self, node: ast.expr) -> str:
        """A duration that is written out."""
        raise NotImplementedError

    def _timer(self, node: ast.Call) -> dict[str, Any]:
        if len(node.args) != 1 or node.keywords:
            self.module.refuse(node, "sleep takes one duration", 'write `await sleep("2h")`')
        value = self.expressions.compile(node.args[0])
        if value.is_constant:
            self.module.check_duration(node.args[0], value.constant)
            return {"type": "TIMER", "duration": value.constant}
        if value.type != t.STR:
            self.module.refuse(
                node.args[0], f"a duration is text with a unit, not {value.type}", 'write `await sleep("2h")`'
            )
        return {"type": "TIMER", "duration": v.template(value), "?can_fail": value.can_fail}

    def _sleep(self, node: ast.Call) -> Value:
        self._add("sleep", self._timer(node), t.NONE, node)
        return v.constant(None)

    def _signal_content(self, node: ast.Call) -> tuple[dict[str, Any], str]:
        name = self.expressions.known(node.args[0]) if len(node.args) == 1 else None
        if not isinstance(name, str) or not name or len(name) > 200 or "${" in name:
            self.module.refuse(
                node, "a signal has a name that is written out", 'write `await signal("approved", timeout="24h")`'
            )
        content: dict[str, Any] = {"type": "SIGNAL", "signal": name}
        for word in node.keywords:
            if word.arg != "timeout":
                self.module.refuse(word.value, f"signal has no option {word.arg}", "use timeout=…")
            content["timeout"] = self.duration(word.value)
        return content, name

    def _signal(self, node: ast.Call) -> Value:
        content, name = self._signal_content(node)
        return self._add(name, content, t.ANY, node)

    def _user_task(self, node: ast.Call) -> Value:
        node_id = self.expressions.known(node.args[0]) if len(node.args) == 1 else None
        if not isinstance(node_id, str):
            self.module.refuse(
                node, "a user task has an id that is written out", 'write `await user_task("approve", group=…)`'
            )
        content: dict[str, Any] = {"type": "USER_TASK"}
        kind = t.ANY
        for word in node.keywords:
            if word.arg in ("group", "assignee"):
                content[word.arg] = self._text(word.value, word.arg)
            elif word.arg == "form":
                kind = self.module.annotation(word.value)
                if (found := t.computes(kind)) is not None:
                    self.module.refuse(
                        word.value,
                        f"{found.name}.{found.computed} makes other values, and does not run on the server",
                        "use a form without it, and check in an activity",
                    )
                content["form"] = t.schema_of(kind)
            elif word.arg == "input":
                value = self.expressions.compile(word.value)
                content["input"] = v.template(value)
                content["?can_fail"] = value.can_fail
            elif word.arg in ("timeout", "due_in"):
                content["timeout" if word.arg == "timeout" else "dueIn"] = self.duration(word.value)
            else:
                self.module.refuse(
                    word.value,
                    f"user_task has no option {word.arg}",
                    "use form, group, assignee, input, due_in and timeout",
                )
        if not content.keys() & {"group", "assignee"}:
            self.module.refuse(node, "nobody is asked", "write group=… or assignee=…")
        return self._add(node_id, content, kind, node, self.graph.claim_id(node, node_id))

    def _text(self, node: ast.expr, what: str) -> Any:
        value = self.expressions.compile(node)
        if value.type != t.STR or value.can_fail:
            self.module.refuse(
                node, f"{what} is text that is always there", "use a field of the input, or write it out"
            )
        return v.template(value)

    def _event_content(self, node: ast.Call) -> tuple[dict[str, Any], str]:
        return events.content_of(self.module, self.expressions, node)

    def _event(self, node: ast.Call) -> Value:
        content, name = self._event_content(node)
        return self._add(name, content, t.EVENT, node)

    def _child(self, node: ast.Call) -> Value:
        name, content, kind = self._child_content(node)
        return self._add(name, content, kind, node)

    def _child_content(self, node: ast.Call) -> tuple[str, dict[str, Any], t.Type]:
        refuse = self.module.refuse
        if not 1 <= len(node.args) <= 2:
            refuse(node, "child takes a workflow and its input", "write `await child(Cls, input)`")
        target = node.args[0]
        info = self.module.workflow(target.id) if isinstance(target, ast.Name) else None
        if info is None:
            refuse(target, "the child is no workflow class whose source is found", "import the class by its name")
        value = self.expressions.compile(node.args[1]) if len(node.args) == 2 else v.constant(None)
        content: dict[str, Any] = {"type": "WORKFLOW", "workflow": info.name}
        if len(node.args) == 2:
            content["input"] = v.template(value)
            content["?can_fail"] = value.can_fail
        for word in node.keywords:
            if word.arg == "retry":
                content["retry"] = self.retry(word.value)
            elif word.arg == "timeout":
                content["timeout"] = self.duration(word.value)
            else:
                refuse(word.value, f"child has no option {word.arg}", "use retry and timeout")
        run = next((one for one in info.node.body if getattr(one, "name", "") == "run"), None)
        found = self.module.other(target.id) if isinstance(target, ast.Name) else None
        owner = found[0] if found else self.module
        returns = getattr(run, "returns", None)
        return info.name.replace("-", "_"), content, owner.annotation(returns) if returns else t.ANY
