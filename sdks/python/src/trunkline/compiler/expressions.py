"""Expressions of Python to CEL, wherever both say the same; everything else is refused."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from trunkline.compiler import types as t
from trunkline.compiler import value as v
from trunkline.compiler.operators import Operators
from trunkline.compiler.types import Type
from trunkline.compiler.value import Value

if TYPE_CHECKING:
    from trunkline.compiler.source import Module

_INT_MAX = 2**63 - 1
#: How deep the server lets loops of CEL be nested.
_LOOPS_MAX = 2
_ACTIVITY = "do it in an activity"


class Unbound:
    """A name that may have no value here."""


Environment = dict[str, "Value | Unbound"]


class Expressions(Operators):
    """Compiles expressions in an environment."""

    def __init__(self, module: Module, environment: Callable[[], Environment]) -> None:
        self.module = module
        self._environment = environment
        self._locals: list[dict[str, Value]] = []
        self._narrow: list[dict[str, Value]] = []

    def compile(self, node: ast.expr) -> Value:
        """The value of an expression."""
        narrowed = self._narrowed(node)
        if narrowed is not None:
            return narrowed
        method = getattr(self, f"_{type(node).__name__.lower()}", None)
        if method is None:
            return self._refuse_kind(node)
        result: Value = method(node)
        return result

    def with_locals(self, names: dict[str, Value], node: ast.expr) -> Value:
        """The value where some names stand for something else."""
        self._locals.append(names)
        try:
            return self.compile(node)
        finally:
            self._locals.pop()

    def condition(self, node: ast.expr) -> Value:
        """Whether it is true, as Python sees it."""
        if isinstance(node, ast.BoolOp):
            return self._logic(node, as_condition=True)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            inner = self.condition(node.operand)
            if inner.is_constant:
                return v.constant(not inner.constant)
            return Value(f"!({inner.cel})", t.BOOL, can_fail=inner.can_fail)
        return self._truth(node, self.compile(node))

    def _truth(self, node: ast.expr, value: Value) -> Value:
        if value.is_constant:
            return v.constant(bool(value.constant))
        kind = value.type
        if kind.kind == "bool" and not kind.optional:
            return value
        tests = {
            "str": '{} != ""',
            "int": "{} != 0",
            "float": "{} != 0.0",
            "list": "size({}) > 0",
            "dict": "size({}) > 0",
        }
        if kind.kind == "record":
            test = "{} != null" if kind.optional else "true"
        elif kind.kind == "bool":
            test = "{} == true"
        elif kind.kind in tests:
            test = tests[kind.kind]
            test = f"({{}} != null && {test})".replace("{}", "{0}") if kind.optional else test
        else:
            self.module.refuse(
                node,
                f"whether a value of type {kind} counts as true is not known",
                "compare it, for example with `is not None`, or annotate its type",
            )
        return Value(f"({test.format(value.cel)})", t.BOOL, can_fail=value.can_fail)

    def _narrowed(self, node: ast.expr) -> Value | None:
        if not isinstance(node, (ast.Name, ast.Attribute)):
            return None
        text = f"?{ast.unparse(node)}"
        for names in reversed(self._narrow):
            if text in names:
                return names[text]
        found = self._environment().get(text)
        return found if isinstance(found, Value) and not self._is_local(node) else None

    def narrowings(self, test: ast.expr, holds: bool) -> Environment:
        """What is known not to be None where a test came out so, by `?` and the text of the expression."""
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            return self.narrowings(test.operand, not holds)
        if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) is holds:
            return {name: value for part in test.values for name, value in self.narrowings(part, holds).items()}
        subject: ast.expr | None = None
        if isinstance(test, ast.Compare) and len(test.ops) == 1 and _is_none(test.comparators[0]):
            if isinstance(test.ops[0], ast.IsNot if holds else ast.Is):
                subject = test.left
        elif holds and isinstance(test, (ast.Name, ast.Attribute)):
            subject = test
        if not isinstance(subject, (ast.Name, ast.Attribute)):
            return {}
        value = self.compile(subject)
        if not value.type.optional:
            return {}
        known = Value(value.cel, value.type.required(), value.is_path, value.can_fail)
        return {f"?{ast.unparse(subject)}": known}

    def _where(self, test: ast.expr, holds: bool, node: ast.expr) -> Value:
        self._narrow.append({k: x for k, x in self.narrowings(test, holds).items() if isinstance(x, Value)})
        try:
            return self.compile(node)
        finally:
            self._narrow.pop()

    def _is_local(self, node: ast.expr) -> bool:
        while isinstance(node, ast.Attribute):
            node = node.value
        return isinstance(node, ast.Name) and any(node.id in names for names in self._locals)

    def _name(self, node: ast.Name) -> Value:
        for names in reversed(self._locals):
            if node.id in names:
                return names[node.id]
        found = self._environment().get(node.id)
        if isinstance(found, Unbound):
            self.module.refuse(node, f"{node.id} may have no value here", "give it one on every way that leads here")
        if found is not None:
            return found
        if node.id in self.module.constants:
            literal = self.module.literal(self.module.constants[node.id], node)
            return self.literal(node, literal)
        if self.module.activity(node.id):
            self.module.refuse(node, f"{node.id} is an activity, not a value", f"call it: `await {node.id}(…)`")
        if self.module.canonical(node) == "typing.TYPE_CHECKING":
            return self.literal(node, False)
        if (other := self.module.other(node.id)) and other[1] in other[0].constants:
            return self.literal(node, other[0].literal(other[0].constants[other[1]]))
        return self.module.refuse(
            node, f"{node.id} is not known here", "use the input, a name bound in run, or a constant of the module"
        )

    def literal(self, node: ast.expr, value: Any) -> Value:
        """The value of something that is known."""
        if isinstance(value, (list, tuple)):
            return self.display([self.literal(node, one) for one in value])
        if isinstance(value, dict):
            return self.object({str(name): self.literal(node, one) for name, one in value.items()})
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) > _INT_MAX:
            self.module.refuse(node, "the number does not fit into 64 bits", "keep it as text")
        if value is not None and not isinstance(value, (bool, int, float, str)):
            self.module.refuse(
                node, f"a {type(value).__name__} is no JSON", "use text, numbers, booleans, lists and dicts"
            )
        if isinstance(value, str) and ("\0" in value or any(0xD800 <= ord(c) < 0xE000 for c in value)):
            self.module.refuse(node, "the text holds a character that cannot be stored", "leave it out")
        return v.constant(value)

    def known(self, node: ast.expr) -> Any:
        """A value that has to be known: a literal, a constant, or a name or text that is made of them here."""
        if isinstance(node, (ast.Name, ast.JoinedStr, ast.BinOp)):
            value = self.compile(node)
            if value.is_constant:
                return value.constant
            self.module.refuse(node, "the value has to be known without running the program", "write a literal here")
        return self.module.literal(node)

    def _constant(self, node: ast.Constant) -> Value:
        return self.literal(node, node.value)

    def _attribute(self, node: ast.Attribute) -> Value:
        base = self.compile(node.value)
        return self._field(node, base, node.attr, "attribute")

    def _field(self, node: ast.expr, base: Value, name: str, how: str) -> Value:
        kind = base.type
        if kind.optional or kind.kind == "none":
            self.module.refuse(
                node,
                f"{ast.unparse(_base(node))} may be None",
                f"test it first: `if {ast.unparse(_base(node))} is not None:`",
            )
        if isinstance(base.parts, dict) and name in base.parts:
            part: Value = base.parts[name]
            return part
        if kind.kind == "record":
            found = kind.fields.get(name)
            if found is None:
                fields = ", ".join(kind.fields) or "none"
                self.module.refuse(node, f"{kind.name} has no field {name}", f"its fields are {fields}")
            if found.required or found.default is not t.MISSING:
                return Value(v.select(base.cel, name), found.type, base.is_path, base.can_fail)
            return Value(v.select(f"dyn({base.cel})", name), found.type, can_fail=True)
        if kind.kind == "any" or (kind.kind == "dict" and how == "key"):
            return Value(v.select(f"dyn({base.cel})", name), kind.inner or t.ANY, can_fail=True)
        return self.module.refuse(
            node, f"a value of type {kind} has no {how} {name}", "annotate its type, or read another one"
        )

    def _subscript(self, node: ast.Subscript) -> Value:
        base = self.compile(node.value)
        if isinstance(node.slice, ast.Slice):
            self.module.refuse(node, "CEL has no slices", "take the part in an activity")
        key = self.compile(node.slice)
        if base.type.kind == "record" and isinstance(key.constant, str):
            return self._field(node, base, key.constant, "key")
        if base.type.optional:
            self.module.refuse(node, f"{ast.unparse(node.value)} may be None", "test it first with `is not None`")
        if base.type.kind in ("dict", "any") and key.type == t.STR:
            if key.is_constant:
                return self._field(node, base, key.constant, "key")
            return Value(f"dyn({base.cel})[{key.cel}]", base.type.inner or t.ANY, can_fail=True)
        if base.type.kind == "list" and key.type == t.INT:
            return self._item(base, key)
        return self.module.refuse(
            node,
            f"a value of type {base.type} cannot be indexed with {key.type}",
            "annotate the types: list[…] with int, dict[str, …] with str",
        )

    def _item(self, base: Value, key: Value) -> Value:
        inner = base.type.inner or t.ANY
        if key.is_constant:
            if isinstance(base.parts, list) and -len(base.parts) <= key.constant < len(base.parts):
                part: Value = base.parts[key.constant]
                return part
            index = key.cel if key.constant >= 0 else f"size({base.cel}) - {-key.constant}"
        else:
            index = f"{key.cel} < 0 ? size({base.cel}) + {key.cel} : {key.cel}"
        return Value(f"dyn({base.cel})[{index}]", inner, can_fail=True)

    def _list(self, node: ast.List) -> Value:
        return self.display([self._plain_item(one) for one in node.elts])

    def _tuple(self, node: ast.Tuple) -> Value:
        return self.display([self._plain_item(one) for one in node.elts])

    def _plain_item(self, node: ast.expr) -> Value:
        if isinstance(node, ast.Starred):
            self.module.refuse(node, "a list in a list is not unpacked", "add lists with +")
        return self.compile(node)

    def display(self, items: list[Value]) -> Value:
        """A list of these."""
        kind = t.ANY
        for number, item in enumerate(items):
            kind = item.type if number == 0 else t.unified(kind, item.type)
        cel = f"[{', '.join(item.cel for item in items)}]"
        return Value(cel, t.list_of(kind), can_fail=any(i.can_fail for i in items), parts=items)

    def _dict(self, node: ast.Dict) -> Value:
        items: dict[str, Value] = {}
        for key, item in zip(node.keys, node.values, strict=True):
            name = self.compile(key) if key is not None else None
            if name is None or not isinstance(name.constant, str):
                self.module.refuse(key or node, "keys have to be text that is written out", 'write {"name": value}')
            if name.constant in items:
                self.module.refuse(key or node, f"the key {name.constant!r} is repeated", "leave one out")
            items[name.constant] = self.compile(item)
        return self.object(items)

    def object(self, items: dict[str, Value]) -> Value:
        """An object of these."""
        cel = "{" + ", ".join(f"{v.literal(name)}: {item.cel}" for name, item in items.items()) + "}"
        fields = {name: t.Field(item.type, True) for name, item in items.items()}
        kind = Type("record", name="the dict", fields=fields) if items else t.dict_of(t.ANY)
        return Value(cel, kind, can_fail=any(i.can_fail for i in items.values()), parts=items)

    def _ifexp(self, node: ast.IfExp) -> Value:
        test = self.condition(node.test)
        if test.is_constant:
            return self.compile(node.body if test.constant else node.orelse)
        then, other = self._where(node.test, True, node.body), self._where(node.test, False, node.orelse)
        cel = f"({test.cel} ? {then.cel} : {other.cel})"
        return Value(cel, t.unified(then.type, other.type), can_fail=test.can_fail or then.can_fail or other.can_fail)

    def _boolop(self, node: ast.BoolOp) -> Value:
        return self._logic(node, as_condition=False)

    def _logic(self, node: ast.BoolOp, *, as_condition: bool) -> Value:
        is_and = isinstance(node.op, ast.And)
        values: list[Value] = []
        known: dict[str, Value] = {}
        for part in node.values:
            self._narrow.append(dict(known))
            value = self.condition(part) if as_condition else self.compile(part)
            known |= {k: x for k, x in self.narrowings(part, is_and).items() if isinstance(x, Value)}
            self._narrow.pop()
            if value.type != t.BOOL:
                self.module.refuse(
                    part,
                    f"`and` and `or` between values of type {value.type} give one of the values",
                    "write `a if a else b`, or compare so that both sides are true or false",
                )
            if value.is_constant and bool(value.constant) is not is_and:
                if any(one.can_fail for one in values):
                    self.module.refuse(
                        part,
                        "what stands before could fail where this already decides",
                        "put the test that is always known first",
                    )
                return v.constant(not is_and)
            if not value.is_constant:
                values.append(value)
        if not values:
            return v.constant(is_and)
        # Not && and ||: those give an answer although one side is an error, which Python never does.
        cel = values[-1].cel
        for value in reversed(values[:-1]):
            cel = f"({value.cel} ? {cel} : false)" if is_and else f"({value.cel} ? true : {cel})"
        return Value(cel, t.BOOL, can_fail=any(one.can_fail for one in values))

    def _joinedstr(self, node: ast.JoinedStr) -> Value:
        pieces: list[object] = []
        texts: list[str] = []
        can_fail = False
        for part in node.values:
            if isinstance(part, ast.Constant):
                pieces.append(part.value)
                texts.append(v.literal(part.value))
                continue
            assert isinstance(part, ast.FormattedValue)
            if part.format_spec is not None or part.conversion != -1:
                self.module.refuse(
                    node, "CEL does not format", "put the value in as it is, or format it in an activity"
                )
            inner = self.compile(part.value)
            text = self.text(part.value, inner)
            can_fail = can_fail or inner.can_fail
            pieces.append(text if not text.is_constant else text.constant)
            texts.append(text.cel)
        cel = f"({' + '.join(texts)})" if len(texts) > 1 else texts[0] if texts else '""'
        if all(isinstance(piece, str) for piece in pieces):
            return v.constant("".join(str(piece) for piece in pieces))
        shown = tuple(pieces)
        return Value(cel, t.STR, can_fail=can_fail, text=shown)

    def text(self, node: ast.expr, value: Value) -> Value:
        """As str() gives it."""
        if value.type == t.STR:
            return value
        if value.is_constant and value.type in (t.INT, t.BOOL, t.NONE):
            return v.constant(str(value.constant))
        if value.type == t.INT:
            return Value(f"string({value.cel})", t.STR, can_fail=value.can_fail)
        if value.type == t.BOOL:
            return Value(f'({value.cel} ? "True" : "False")', t.STR, can_fail=value.can_fail)
        return self.module.refuse(
            node,
            f"a value of type {value.type} is written differently as text",
            "use text, whole numbers and booleans, or format it in an activity",
        )

    def _call(self, node: ast.Call) -> Value:
        from trunkline.compiler.functions import call

        return call(self, node)

    def _listcomp(self, node: ast.ListComp) -> Value:
        if len(node.generators) != 1 or node.generators[0].is_async:
            self.module.refuse(node, "a comprehension of several loops is not compiled", "use one `for`")
        generator = node.generators[0]
        name, items, names = self.bind(generator.target, generator.iter)
        cel = items.cel
        can_fail = items.can_fail
        for test in generator.ifs:
            self._locals.append(names)
            condition = self.condition(test)
            self._locals.pop()
            can_fail = can_fail or condition.can_fail
            cel = f"{cel}.filter({name}, {condition.cel})"
        element = self.with_locals(names, node.elt)
        if not (
            isinstance(node.elt, ast.Name)
            and isinstance(generator.target, ast.Name)
            and node.elt.id == generator.target.id
        ):
            cel = f"{cel}.map({name}, {element.cel})"
        return Value(cel, t.list_of(element.type), can_fail=can_fail or element.can_fail)

    def bind(self, target: ast.expr, iterable: ast.expr) -> tuple[str, Value, dict[str, Value]]:
        """The variable of a comprehension in CEL, the list, and what the name stands for."""
        if not isinstance(target, ast.Name):
            self.module.refuse(target, "items are not taken apart here", "bind one name and read its fields")
        if sum(any(one.cel not in ("item", "index") for one in names.values()) for names in self._locals) >= _LOOPS_MAX:
            self.module.refuse(iterable, "comprehensions are nested deeper than two levels", _ACTIVITY)
        items = self.compile(iterable)
        if items.type.kind != "list" or items.type.optional:
            self.module.refuse(
                iterable, f"a value of type {items.type} is not walked", "use a list, with its type annotated"
            )
        depth = sum(target.id in names for names in self._locals)
        name = target.id + "_" * (depth + (target.id in v.RESERVED | v.ROOTS))
        return name, items, {target.id: Value(name, items.type.inner or t.ANY)}

    def _await(self, node: ast.Await) -> Value:
        return self.module.refuse(
            node, "a node inside of an expression has no place in the graph", "bind it to a name first: `x = await …`"
        )

    def _refuse_kind(self, node: ast.expr) -> Value:
        reasons = {
            ast.Lambda: ("functions are no values here", "write the expression where it is needed"),
            ast.NamedExpr: ("a name is not bound inside of an expression", "bind it in a line of its own"),
            ast.GeneratorExp: ("a generator is no value", "write a list: [… for … in …]"),
            ast.SetComp: ("sets have no order in JSON", "use a list"),
            ast.Set: ("sets have no order in JSON", "use a list"),
            ast.DictComp: ("CEL makes no objects from lists", _ACTIVITY),
            ast.Yield: ("a workflow does not yield", "return the result"),
            ast.YieldFrom: ("a workflow does not yield", "return the result"),
            ast.Starred: ("nothing is unpacked here", "name the values"),
        }
        reason, nearest = reasons.get(type(node), (f"{type(node).__name__} is not compiled", _ACTIVITY))
        return self.module.refuse(node, reason, nearest)


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _base(node: ast.expr) -> ast.expr:
    return node.value if isinstance(node, (ast.Attribute, ast.Subscript)) else node
