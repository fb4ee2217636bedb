"""Operators and comparisons of Python to CEL, where the types say that both mean the same."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from trunkline.compiler import types as t
from trunkline.compiler import value as v
from trunkline.compiler.value import Value

if TYPE_CHECKING:
    from trunkline.compiler.source import Module

_ACTIVITY = "do it in an activity"
_COMPARE = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
_FOLDED: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Div: operator.truediv,
}
_ORDER: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
_ARITHMETIC = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*"}


class Operators:
    """The part of the compiler of expressions that is about operators."""

    module: Module

    def compile(self, node: ast.expr) -> Value:
        """The value of an expression."""
        raise NotImplementedError

    def condition(self, node: ast.expr) -> Value:
        """Whether it is true, as Python sees it."""
        raise NotImplementedError

    def literal(self, node: ast.expr, value: Any) -> Value:
        """The value of something that is known."""
        raise NotImplementedError

    def _unaryop(self, node: ast.UnaryOp) -> Value:
        if isinstance(node.op, ast.Not):
            return self.condition(node)
        value = self.compile(node.operand)
        if not isinstance(node.op, ast.USub) or value.type not in (t.INT, t.FLOAT):
            self.module.refuse(node, f"this operator on a value of type {value.type} is not in CEL", _ACTIVITY)
        if value.is_constant:
            return v.constant(-value.constant)
        return Value(f"(-{value.cel})" if value.type == t.INT else f"(-double({value.cel}))", value.type, can_fail=True)

    def _binop(self, node: ast.BinOp) -> Value:
        left, right = self.compile(node.left), self.compile(node.right)
        for side, value in ((node.left, left), (node.right, right)):
            if value.type.kind == "any":
                self.module.refuse(
                    side,
                    f"the type of {ast.unparse(side)} is not known",
                    "annotate it: the return type of the activity, or the field",
                )
            if value.type.optional:
                self.module.refuse(side, f"{ast.unparse(side)} may be None", "test it first with `is not None`")
        kinds = (left.type.kind, right.type.kind)
        if left.is_constant and right.is_constant and set(kinds) <= {"int", "str"}:
            return self._fold(node, left, right)
        can_fail = left.can_fail or right.can_fail
        if isinstance(node.op, ast.Add) and kinds == ("str", "str"):
            return Value(f"({left.cel} + {right.cel})", t.STR, can_fail=can_fail)
        if isinstance(node.op, ast.Add) and kinds == ("list", "list"):
            kind = t.list_of(t.unified(left.type.inner or t.ANY, right.type.inner or t.ANY))
            return Value(f"({left.cel} + {right.cel})", kind, can_fail=can_fail)
        if not set(kinds) <= {"int", "float"}:
            self.module.refuse(node, f"this operator between {left.type} and {right.type} is not in CEL", _ACTIVITY)
        if type(node.op) in _ARITHMETIC:
            sign = _ARITHMETIC[type(node.op)]
            if kinds == ("int", "int"):
                return Value(f"({left.cel} {sign} {right.cel})", t.INT, can_fail=True)
            return Value(f"({_double(left)} {sign} {_double(right)})", t.FLOAT, can_fail=True)
        if isinstance(node.op, ast.Div):
            if right.is_constant and right.constant == 0:
                self.module.refuse(node, "a division by zero", "divide by something else")
            divisor = _double(right)
            zero = "" if right.is_constant else f"{divisor} == 0.0 ? double(1 / 0) : "
            return Value(f"({zero}{_double(left)} / {divisor})", t.FLOAT, can_fail=True)
        if isinstance(node.op, (ast.FloorDiv, ast.Mod)) and kinds == ("int", "int"):
            return self._whole_division(node, left, right)
        return self.module.refuse(node, f"this operator between {left.type} and {right.type} is not in CEL", _ACTIVITY)

    def _whole_division(self, node: ast.BinOp, left: Value, right: Value) -> Value:
        """CEL rounds towards zero, Python downwards."""
        if not (right.is_constant and right.constant > 0):
            self.module.refuse(
                node.right,
                "CEL divides whole numbers differently where signs differ",
                "divide by a positive number that is written out",
            )
        a, b = left.cel, right.cel
        modulo = f"(({a} % {b} + {b}) % {b})"
        if isinstance(node.op, ast.Mod):
            return Value(modulo, t.INT, can_fail=left.can_fail)
        return Value(f"(({a} - {modulo}) / {b})", t.INT, can_fail=True)

    def _fold(self, node: ast.BinOp, left: Value, right: Value) -> Value:
        operation = _FOLDED.get(type(node.op))
        if operation is None or (left.type == t.STR and isinstance(node.op, ast.Mod)):
            self.module.refuse(node, "this operator is not in CEL", _ACTIVITY)
        try:
            return self.literal(node, operation(left.constant, right.constant))
        except ZeroDivisionError:
            # Its text is another one in each version of Python.
            self.module.refuse(node, "this divides by zero", "mend the expression")
        except (TypeError, ArithmeticError) as error:
            self.module.refuse(node, str(error), "mend the expression")

    def _compare(self, node: ast.Compare) -> Value:
        sides = [node.left, *node.comparators]
        results = [
            self._compare_two(node, left, comparison, right)
            for left, comparison, right in zip(sides, node.ops, sides[1:], strict=False)
        ]
        if len(results) == 1:
            return results[0]
        if all(one.is_constant for one in results):
            return v.constant(all(one.constant for one in results))
        cel = results[-1].cel
        for one in reversed(results[:-1]):
            cel = f"({one.cel} ? {cel} : false)"
        return Value(cel, t.BOOL, can_fail=any(one.can_fail for one in results))

    def _compare_two(self, node: ast.expr, left_node: ast.expr, comparison: ast.cmpop, right_node: ast.expr) -> Value:
        left, right = self.compile(left_node), self.compile(right_node)
        can_fail = left.can_fail or right.can_fail
        if isinstance(comparison, (ast.Is, ast.IsNot)):
            return self._compare_null(node, left, comparison, right)
        if isinstance(comparison, (ast.In, ast.NotIn)):
            return self._membership(node, left, comparison, right)
        kinds = {left.type.required().kind, right.type.required().kind}
        if left.is_constant and right.is_constant:
            return v.constant(_compared(comparison, left.constant, right.constant))
        is_equality = isinstance(comparison, (ast.Eq, ast.NotEq))
        if "any" in kinds and not (is_equality and kinds <= {"any", "str", "none"} and kinds != {"any"}):
            side = left_node if left.type.kind == "any" else right_node
            self.module.refuse(
                side,
                f"the type of {ast.unparse(side)} is not known, and Python compares some types differently",
                "annotate it: the return type of the activity, or the field",
            )
        if is_equality:
            if "bool" in kinds and kinds & {"int", "float"}:
                self.module.refuse(node, "Python takes True for 1, CEL does not", "compare booleans with booleans")
            if kinds & {"list", "dict", "record"}:
                self.module.refuse(
                    node,
                    "whole lists and objects are compared differently where they hold numbers and booleans",
                    "compare a field or an item",
                )
        else:
            ordered = kinds <= {"int", "float"} or kinds == {"str"}
            if not ordered or left.type.optional or right.type.optional:
                self.module.refuse(
                    node,
                    f"{left.type} and {right.type} have no order that CEL knows",
                    "compare numbers with numbers, text with text, after a test with `is not None`",
                )
        return Value(f"({left.cel} {_COMPARE[type(comparison)]} {right.cel})", t.BOOL, can_fail=can_fail)

    def _compare_null(self, node: ast.expr, left: Value, comparison: ast.cmpop, right: Value) -> Value:
        if right.type != t.NONE:
            self.module.refuse(
                node, "`is` compares objects, which values have no more", "compare with ==, or with `is None`"
            )
        sign = "==" if isinstance(comparison, ast.Is) else "!="
        if left.is_constant:
            return v.constant((left.constant is None) == (sign == "=="))
        return Value(f"({left.cel} {sign} null)", t.BOOL, can_fail=left.can_fail)

    def _membership(self, node: ast.expr, left: Value, comparison: ast.cmpop, right: Value) -> Value:
        kind = right.type
        can_fail = left.can_fail or right.can_fail
        if kind == t.STR and left.type == t.STR:
            cel = f"{right.cel}.contains({left.cel})"
        elif kind.kind == "list" and not kind.optional and left.type.required().kind in ("str", "int"):
            inner = (kind.inner or t.ANY).required().kind
            if inner != left.type.required().kind and right.cel != "[]":
                self.module.refuse(
                    node, f"whether a list of {kind.inner} holds {left.type} is not known", "annotate the list's items"
                )
            cel = f"{left.cel} in {right.cel}"
        elif kind.kind in ("dict", "record") and not kind.optional and left.type == t.STR:
            cel = f"{left.cel} in {right.cel}"
        else:
            self.module.refuse(node, f"`in` between {left.type} and {kind} is not in CEL", "use text, a list or a dict")
        return Value(f"({cel})" if isinstance(comparison, ast.In) else f"(!({cel}))", t.BOOL, can_fail=can_fail)


def _double(value: Value) -> str:
    if value.is_constant:
        return v.literal(float(value.constant))
    return f"double({value.cel})"


def _compared(comparison: ast.cmpop, left: object, right: object) -> bool:
    return bool(_ORDER[type(comparison)](left, right))
