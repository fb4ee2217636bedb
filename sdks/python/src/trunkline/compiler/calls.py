"""What may be awaited: activities, waits, children, and many at once."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from trunkline.compiler import types as t
from trunkline.compiler import value as v
from trunkline.compiler.functions import fits
from trunkline.compiler.graph import Edge
from trunkline.compiler.source import ActivityInfo
from trunkline.compiler.value import Value
from trunkline.compiler.waits import Waits

if TYPE_CHECKING:
    from trunkline.compiler.statements import Statements

_RETRY = {"max": "maxRetries", "initial": "initial", "factor": "factor", "max_wait": "max", "jitter": "jitter"}
_MAP_ITEMS = "write `await gather(*[f(x) for x in xs])`"


class Calls(Waits):
    """Compiles what stands behind `await`."""

    def __init__(self, statements: Statements) -> None:
        self.statements = statements
        self.graph = statements.graph
        self.module = statements.module
        self.expressions = statements.expressions

    def compile(self, node: ast.expr) -> Value | list[Value]:
        """Adds the nodes: the value, or the values of a gather in order."""
        if not isinstance(node, ast.Call):
            self.module.refuse(
                node,
                "only calls are awaited",
                "await an activity, gather, sleep, signal, wait_event, user_task or child",
            )
        name = self.module.canonical(node.func)
        special = {
            "trunkline.gather": self._gather,
            "trunkline.sleep": self._sleep,
            "trunkline.signal": self._signal,
            "trunkline.user_task": self._user_task,
            "trunkline.child": self._child,
            "trunkline.wait_event": self._event,
        }
        if name in special:
            return special[name](node)
        if name.startswith("asyncio."):
            self.module.refuse(
                node, f"{name} knows nothing of the server", f"use trunkline's own {name.rsplit('.', 1)[1]}"
            )
        return self._single(node)

    def _single(self, node: ast.Call) -> Value:
        node_id, content, kind = self.single_with_compensation(node)
        return self._add("", content, kind, node, node_id)

    def _add(self, name: str, content: dict[str, Any], kind: t.Type, at: ast.AST, node_id: str | None = None) -> Value:
        """Adds a node that can fail, with the way that its failure takes."""
        node_id = node_id or self.graph.new_id(name)
        assert self.graph.path is not None
        content = self._hoisted(node_id, content, at)
        edges = self.graph.single_edges(at)
        failed = self._place(node_id, content, at, edges)
        self.graph.path.edges = [Edge((node_id,), "", (failed,) if failed else ())]
        return v.output(node_id, kind)

    def _place(self, node_id: str, content: dict[str, Any], at: ast.AST, edges: list[Edge]) -> str | None:
        """Adds a node; where its failure is caught, also the node that takes over: its id."""
        content = {name: item for name, item in content.items() if not name.startswith("?")}
        catch = self.statements.catch
        if catch is None:
            self.graph.place(node_id, content, at, edges)
            return None
        failed = self.graph.new_id(f"{node_id}_failed")
        self.graph.place(node_id, {**content, "onError": {"goto": failed}}, at, edges)
        error = f"{v.node(node_id)}.output.error"
        described = {"message": f"${{{error}.message}}", "code": f"${{{error}.code}}"}
        self.graph.place(failed, {"type": "TRANSFORM", "output": described}, at, [Edge((node_id,))])
        catch.append(failed)
        self.statements.exits += 1
        return failed

    def _hoisted(self, node_id: str, content: dict[str, Any], at: ast.AST) -> dict[str, Any]:
        """Where failures are caught, arguments that can fail come first: only the node's own failure is caught."""
        if self.statements.catch is None or not content.get("?can_fail"):
            return content
        name = next(one for one in ("items", "input", "duration", "match") if one in content)
        made = self.graph.new_id(f"{node_id}_{name}")
        self.graph.add(made, {"type": "TRANSFORM", "output": content[name]}, at)
        if name == "match":
            base = f"{v.node(made)}.output"
            return {**content, name: {path: "${" + v.select(base, path) + "}" for path in content[name]}}
        return {**content, name: f"${{{v.node(made)}.output}}"}

    def _content(self, call: ast.expr) -> tuple[str, dict[str, Any], t.Type]:
        """The node of a call of an activity or a child: a name for it, its content, the type of its output."""
        if not isinstance(call, ast.Call):
            self.module.refuse(call, "only calls of activities go here", "write f(x)")
        if self.module.canonical(call.func) == "trunkline.child":
            return self._child_content(call)
        compensation: ast.expr | None = None
        if isinstance(call.func, ast.Attribute) and call.func.attr == "compensate":
            if len(call.args) != 1 or call.keywords:
                self.module.refuse(call, "compensate takes one activity", "write `.compensate(undo)`")
            compensation, inner = call.args[0], call.func.value
            if not isinstance(inner, ast.Call):
                self.module.refuse(
                    inner, "compensate belongs to a call of an activity", "write `f(x).compensate(undo)`"
                )
            call = inner
        name = call.func.id if isinstance(call.func, ast.Name) else ast.unparse(call.func)
        info = self.module.activity(name)
        if info is None:
            special = self.module.canonical(call.func)
            if special.startswith("trunkline."):
                self.module.refuse(
                    call,
                    f"{special[10:]} does not stand here",
                    "await it by itself, or in a child workflow for each item",
                )
            if self.module.workflow(name):
                self.module.refuse(call, f"the workflow {name} is called", f"write `await child({name}, input)`")
            self.module.refuse(
                call,
                f"{name} is no activity whose source is found",
                "decorate it with @activity() or import it by name",
            )
        options, rest = self._options(call, info)
        data, can_fail = self._data(call, info, rest)
        content: dict[str, Any] = {
            "type": "SERVICE_TASK",
            "jobType": info.job_type,
            "input": data,
            **options,
            "?can_fail": can_fail,
        }
        if compensation is not None:
            content["?compensate"] = (compensation, info.returns)
        return info.function, content, info.returns

    def _options(self, call: ast.Call, info: ActivityInfo) -> tuple[dict[str, Any], list[ast.keyword]]:
        options: dict[str, Any] = {}
        rest = []
        own = {parameter.name for parameter in info.parameters}
        if info.timeout is not None:
            options["timeout"] = info.timeout
        if info.max_retries is not None:
            options["retry"] = {"maxRetries": info.max_retries}
        for word in call.keywords:
            if word.arg in own or word.arg not in ("retry", "timeout"):
                rest.append(word)
            elif word.arg == "timeout":
                options["timeout"] = self.duration(word.value)
            else:
                options["retry"] = self.retry(word.value)
        return options, rest

    def retry(self, node: ast.expr) -> dict[str, Any]:
        """A Retry as the definition has it."""
        if (
            not isinstance(node, ast.Call)
            or self.module.canonical(node.func) != "trunkline.Retry"
            or len(node.args) > 1
        ):
            self.module.refuse(
                node, "the retry has to be known without running the program", "write retry=Retry(max=3)"
            )
        given = {word.arg: self.expressions.known(word.value) for word in node.keywords}
        if node.args:
            given["max"] = self.expressions.known(node.args[0])
        most = given.get("max")
        if given.keys() - _RETRY.keys() or not isinstance(most, int) or isinstance(most, bool) or most < 0:
            self.module.refuse(
                node,
                "Retry takes max, a whole number, and initial, factor, max_wait and jitter",
                "write retry=Retry(max=3)",
            )
        for name in ("initial", "max_wait"):
            if given.get(name) is not None:
                self.module.check_duration(node, given[name])
        return {_RETRY[name or ""]: value for name, value in given.items() if value is not None}

    def duration(self, node: ast.expr) -> str:
        """A duration that is written out."""
        value = self.expressions.known(node)
        self.module.check_duration(node, value)
        return str(value)

    def _data(self, call: ast.Call, info: ActivityInfo, keywords: list[ast.keyword]) -> tuple[Any, bool]:
        """What the handler gets: by keyword, or the one record."""
        refuse = self.module.refuse
        names = [parameter.name for parameter in info.parameters]
        if any(isinstance(one, ast.Starred) for one in call.args) or any(word.arg is None for word in keywords):
            refuse(call, "arguments are not unpacked here", "write them out")
        if len(call.args) > len(names):
            refuse(
                call, f"{info.function} takes {len(names)} values", f"its parameters are {', '.join(names) or 'none'}"
            )
        given = dict(zip(names, call.args, strict=False))
        for word in keywords:
            if word.arg not in names:
                refuse(
                    word.value,
                    f"{info.function} has no parameter {word.arg}",
                    f"its parameters are {', '.join(names) or 'none'}; retry and timeout are options",
                )
            if word.arg in given:
                refuse(word.value, f"{word.arg} is given twice", "leave one out")
            given[word.arg] = word.value
        values: dict[str, Value] = {}
        for parameter in info.parameters:
            if parameter.name in given:
                at = given[parameter.name]
                values[parameter.name] = self.expressions.compile(at)
                if not fits(values[parameter.name].type, parameter.type):
                    refuse(
                        at,
                        f"{parameter.name} of {info.function} is {parameter.type}, not {values[parameter.name].type}",
                        "pass a value of that type",
                    )
            elif not parameter.has_default:
                refuse(call, f"{info.function} misses {parameter.name}", f"write {parameter.name}=…")
        can_fail = any(value.can_fail for value in values.values())
        if info.is_whole and values:
            return v.template(next(iter(values.values()))), can_fail
        return {name: v.template(value) for name, value in values.items()}, can_fail

    def compensation(self, node_id: str, content: dict[str, Any]) -> dict[str, Any]:
        """The content with its compensation, which receives the node's output."""
        if "?compensate" not in content:
            return content
        undo, returns = content["?compensate"]
        info = self.module.activity(undo.id) if isinstance(undo, ast.Name) else None
        if info is None:
            self.module.refuse(
                undo, "what compensates has to be an activity", "write `.compensate(undo)` with an @activity"
            )
        required = [parameter for parameter in info.parameters if not parameter.has_default]
        if len(info.parameters) < 1 or len(required) > 1:
            self.module.refuse(
                undo, f"{info.function} has to take one value, the output of the node", "give it one parameter"
            )
        parameter = (required or info.parameters)[0]
        if not fits(returns, parameter.type):
            self.module.refuse(
                undo,
                f"{parameter.name} of {info.function} is {parameter.type}, and the node gives {returns}",
                "take the type that the activity returns",
            )
        output = f"${{{v.node(node_id)}.output}}"
        made: dict[str, Any] = {
            "type": "SERVICE_TASK",
            "jobType": info.job_type,
            "input": output if info.is_whole else {parameter.name: output},
        }
        if info.timeout is not None:
            made["timeout"] = info.timeout
        if info.max_retries is not None:
            made["retry"] = {"maxRetries": info.max_retries}
        return {**content, "compensate": made}

    def single_with_compensation(self, call: ast.expr) -> tuple[str, dict[str, Any], t.Type]:
        """As `_content`, with an id and the compensation worked out."""
        name, content, kind = self._content(call)
        node_id = self.graph.new_id(name)
        return node_id, self.compensation(node_id, content), kind

    def _gather(self, node: ast.Call) -> Value | list[Value]:
        concurrency = None
        for word in node.keywords:
            if word.arg != "concurrency":
                self.module.refuse(word.value, f"gather has no option {word.arg}", "use concurrency=…")
            concurrency = self.expressions.known(word.value)
            if not isinstance(concurrency, int) or isinstance(concurrency, bool) or not 1 <= concurrency <= 10_000:
                self.module.refuse(word.value, "concurrency is a whole number from 1 to 10000", "write concurrency=20")
        starred = [one for one in node.args if isinstance(one, ast.Starred)]
        if starred:
            if len(node.args) > 1:
                self.module.refuse(
                    starred[0], "a starred list stands beside other calls", "gather them one after the other"
                )
            return self._map_of(starred[0].value, concurrency)
        if not node.args:
            self.module.refuse(node, "gather has nothing to wait for", "pass it calls of activities")
        if concurrency is not None:
            self.module.refuse(node, "concurrency bounds a starred comprehension only", _MAP_ITEMS)
        return self._side_by_side(node)

    def _side_by_side(self, node: ast.Call) -> list[Value]:
        assert self.graph.path is not None
        made = []
        for one in node.args:
            name = self.module.canonical(one.func) if isinstance(one, ast.Call) else ""
            if name in ("trunkline.gather", "trunkline.user_task"):
                self.module.refuse(one, f"{name[10:]} does not stand inside of gather", "await it by itself")
            if name == "trunkline.sleep":
                node_id, content, kind = self.graph.new_id("sleep"), self._timer(one), t.NONE  # type: ignore[arg-type]
            elif name == "trunkline.signal":
                content, wanted = self._signal_content(one)  # type: ignore[arg-type]
                node_id, kind = self.graph.new_id(wanted), t.ANY
            elif name == "trunkline.wait_event":
                content, wanted = self._event_content(one)  # type: ignore[arg-type]
                node_id, kind = self.graph.new_id(wanted), t.EVENT
            else:
                node_id, content, kind = self.single_with_compensation(one)
            made.append((node_id, self._hoisted(node_id, content, one), kind, one))
        edges = self.graph.single_edges(node)
        failures = [self._place(node_id, content, at, edges) for node_id, content, _, at in made]
        ids = tuple(node_id for node_id, *_ in made)
        known = tuple(one for one in failures if one)
        if len(ids) > 1 and known:
            guard = " && ".join(f'{v.node(one)}.status != "COMPLETED"' for one in known)
            joined = self.graph.new_id("gathered")
            self.graph.place(joined, {"type": "TRANSFORM", "when": guard, "output": None}, node, [Edge((*ids, *known))])
            self.graph.path.edges = [Edge((joined,))]
        else:
            self.graph.path.edges = [Edge(ids, "", known)]
        return [
            v.output(node_id, kind if kind != t.NONE or content["type"] != "TIMER" else t.NONE)
            for node_id, content, kind, _ in made
        ]

    def _map_of(self, node: ast.expr, concurrency: int | None) -> Value:
        if not isinstance(node, (ast.ListComp, ast.GeneratorExp)) or len(node.generators) != 1:
            self.module.refuse(node, "only a comprehension with one `for` is a MAP", _MAP_ITEMS)
        generator = node.generators[0]
        return self.map(generator.target, generator.iter, generator.ifs, node.elt, concurrency, node)

    def map(
        self,
        target: ast.expr,
        iterable: ast.expr,
        tests: list[ast.expr],
        element: ast.expr,
        concurrency: int | None,
        at: ast.AST,
    ) -> Value:
        """A MAP over a list."""
        index: str | None = None
        if isinstance(iterable, ast.Call) and isinstance(iterable.func, ast.Name) and iterable.func.id == "enumerate":
            is_pair = isinstance(target, ast.Tuple) and len(target.elts) == 2 and isinstance(target.elts[0], ast.Name)
            if not is_pair or len(iterable.args) != 1 or iterable.keywords or tests:
                self.module.refuse(
                    iterable,
                    "enumerate is compiled with two names and without `if` or a start",
                    "write `for i, x in enumerate(xs)`",
                )
            assert isinstance(target, ast.Tuple)
            assert isinstance(target.elts[0], ast.Name)
            index, target, iterable = target.elts[0].id, target.elts[1], iterable.args[0]
        variable, items, names = self.expressions.bind(target, iterable)
        cel, can_fail = items.cel, items.can_fail
        for test in tests:
            self.expressions._locals.append(names)
            condition = self.expressions.condition(test)
            self.expressions._locals.pop()
            cel = f"{cel}.filter({variable}, {condition.cel})"
            can_fail = can_fail or condition.can_fail
        assert isinstance(target, ast.Name)
        inside = {target.id: Value("item", items.type.inner or t.ANY, is_path=True)}
        if index:
            inside[index] = Value("index", t.INT, is_path=True)
        self.expressions._locals.append(inside)
        try:
            name, content, kind = self._content(element)
        finally:
            self.expressions._locals.pop()
        if "?compensate" in content:
            self.module.refuse(
                element, "items of a MAP have no compensation of their own", "compensate in a child workflow"
            )
        if content.get("?can_fail"):
            self.module.refuse(
                element, "an argument that could fail is computed for each item", "compute it in the activity"
            )
        inner = {key: item for key, item in content.items() if not key.startswith("?")}
        made: dict[str, Any] = {"type": "MAP", "items": "${" + cel + "}", "?can_fail": can_fail}
        if items.is_constant or isinstance(items.parts, list):
            made["items"] = v.template(items) if not tests else made["items"]
        if concurrency is not None:
            made["concurrency"] = concurrency
        made["node"] = inner
        return self._add(name, made, t.list_of(kind), at)
