"""The functions and methods that expressions may call."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from trunkline.compiler import types as t
from trunkline.compiler import value as v
from trunkline.compiler.value import Value

if TYPE_CHECKING:
    from trunkline.compiler.expressions import Expressions

_ACTIVITY = "do it in an activity"
_LOG = "log in an activity, with ctx.log: the server keeps the lines beside the attempt"
_RANGE_MAX = 1000
_METHODS = {"startswith": "startsWith", "endswith": "endsWith"}
_IMPURE = ("time", "datetime", "random", "uuid", "os", "secrets", "date")


def call(expressions: Expressions, node: ast.Call) -> Value:
    """The value of a call."""
    refuse = expressions.module.refuse
    if any(isinstance(argument, ast.Starred) for argument in node.args) or any(w.arg is None for w in node.keywords):
        refuse(node, "arguments are not unpacked here", "write them out")
    if isinstance(node.func, ast.Attribute) and not expressions.module.canonical(node.func).startswith("trunkline."):
        root = expressions.module.canonical(node.func).split(".")[0]
        if root == "logging" or _is_logger(expressions, root):
            refuse(node, "nothing of run logs on the server", _LOG)
        if root in _IMPURE:
            refuse(
                node,
                f"{ast.unparse(node.func)} gives something else each time",
                "do it in an activity, which is stored",
            )
        return _method(expressions, node, node.func)
    name = node.func.id if isinstance(node.func, ast.Name) else ast.unparse(node.func)
    if (made := _record(expressions, node, name)) is not None:
        return made
    functions = {
        "len": _len,
        "str": _str,
        "int": _int,
        "float": _float,
        "bool": _bool,
        "min": _least,
        "max": _least,
        "any": _quantified,
        "all": _quantified,
        "abs": _abs,
        "list": _list,
        "range": _range,
    }
    if name == "dict" and not node.args:
        return expressions.object({word.arg: expressions.compile(word.value) for word in node.keywords if word.arg})
    if name in functions and not node.keywords:
        return functions[name](expressions, node, name)
    if expressions.module.activity(name):
        refuse(
            node, f"the activity {name} is called without await", f"write `await {name}(…)` in a statement of its own"
        )
    canonical = expressions.module.canonical(node.func)
    if canonical == "trunkline.Retry":
        refuse(node, "a Retry is an option of a call, not a value", "write `await f(x, retry=Retry(max=3))`")
    if name == "print":
        refuse(node, "nothing of run is printed on the server", _LOG)
    if canonical.startswith("trunkline."):
        refuse(
            node, f"{canonical[10:]} is a node, not a value", f"write `x = await {name}(…)` in a statement of its own"
        )
    if canonical.split(".")[0] in _IMPURE:
        refuse(node, f"{name} gives something else each time", "do it in an activity, which is stored")
    nearest = (
        "make it an @activity, or write the expression here" if name in expressions.module.statements else _ACTIVITY
    )
    return refuse(node, f"the function {name} is not known to CEL", nearest)


def _is_logger(expressions: Expressions, name: str) -> bool:
    made = expressions.module.constants.get(name)
    return isinstance(made, ast.Call) and expressions.module.canonical(made.func) == "logging.getLogger"


def _record(expressions: Expressions, node: ast.Call, name: str) -> Value | None:
    """A dataclass or typed dictionary that is made of its fields."""
    kind = expressions.module.record(name)
    if kind is None:
        return None
    if kind.computed:
        expressions.module.refuse(
            node,
            f"{name}.{kind.computed} makes other values, and does not run on the server",
            "let an activity make it",
        )
    if len(node.args) > len(kind.fields):
        expressions.module.refuse(node, f"{name} has only {len(kind.fields)} fields", "leave the others out")
    given = dict(zip(kind.fields, node.args, strict=False)) | {
        word.arg: word.value for word in node.keywords if word.arg
    }
    items: dict[str, Value] = {}
    for field, one in kind.fields.items():
        if field in given:
            items[field] = expressions.compile(given[field])
            _check_fits(expressions, given[field], items[field], one.type, f"{name}.{field}")
        elif one.default is not t.MISSING:
            items[field] = expressions.literal(node, one.default)
        elif one.required:
            expressions.module.refuse(node, f"{name} misses {field}", f"write {field}=…")
    if unknown := given.keys() - kind.fields.keys():
        expressions.module.refuse(
            node, f"{name} has no field {min(unknown)}", f"its fields are {', '.join(kind.fields)}"
        )
    made = expressions.object(items)
    return Value(made.cel, kind, can_fail=made.can_fail, parts=items)


def _check_fits(expressions: Expressions, node: ast.expr, value: Value, wanted: t.Type, where: str) -> None:
    if not fits(value.type, wanted):
        expressions.module.refuse(node, f"{where} is {wanted}, not {value.type}", "give it a value of that type")


def fits(found: t.Type, wanted: t.Type) -> bool:
    """Whether a value may stand where the type is wanted. What is not known may."""
    if "any" in (found.kind, wanted.kind):
        return True
    if found.kind == "none":
        return wanted.optional or wanted.kind == "none"
    if found.optional and not wanted.optional:
        return False
    if wanted.kind == "opaque" or found.kind == "opaque":
        return found.kind == wanted.kind
    if wanted.kind == "float":
        return found.kind in ("int", "float")
    if wanted.kind in ("dict", "record") and found.kind in ("dict", "record"):
        return (
            wanted.kind == "dict"
            or found.kind == "dict"
            or all(name in found.fields or not one.required for name, one in wanted.fields.items())
        )
    if wanted.kind == "list" and found.kind == "list" and found.inner and wanted.inner:
        return fits(found.inner, wanted.inner)
    return found.kind == wanted.kind


def _one(expressions: Expressions, node: ast.Call, name: str) -> tuple[ast.expr, Value]:
    if len(node.args) != 1:
        expressions.module.refuse(node, f"{name} takes one value here", _ACTIVITY)
    return node.args[0], expressions.compile(node.args[0])


def _len(expressions: Expressions, node: ast.Call, name: str) -> Value:
    argument, value = _one(expressions, node, name)
    if value.type.kind not in ("str", "list", "dict") or value.type.optional:
        expressions.module.refuse(
            argument, f"the length of a value of type {value.type} is not known", "annotate its type"
        )
    if isinstance(value.constant, str):
        return v.constant(len(value.constant))
    return Value(f"size({value.cel})", t.INT, can_fail=value.can_fail)


def _str(expressions: Expressions, node: ast.Call, name: str) -> Value:
    argument, value = _one(expressions, node, name)
    return expressions.text(argument, value)


def _int(expressions: Expressions, node: ast.Call, name: str) -> Value:
    argument, value = _one(expressions, node, name)
    if value.type not in (t.INT, t.FLOAT):
        expressions.module.refuse(argument, f"int() of a value of type {value.type} is read differently", _ACTIVITY)
    return Value(f"int({value.cel})", t.INT, can_fail=True)


def _float(expressions: Expressions, node: ast.Call, name: str) -> Value:
    argument, value = _one(expressions, node, name)
    if value.type not in (t.INT, t.FLOAT):
        expressions.module.refuse(argument, f"float() of a value of type {value.type} is read differently", _ACTIVITY)
    return Value(f"double({value.cel})", t.FLOAT, can_fail=value.can_fail)


def _bool(expressions: Expressions, node: ast.Call, name: str) -> Value:
    if len(node.args) != 1:
        expressions.module.refuse(node, "bool takes one value here", _ACTIVITY)
    return expressions.condition(node.args[0])


def _list(expressions: Expressions, node: ast.Call, name: str) -> Value:
    argument, value = _one(expressions, node, name)
    if value.type.kind != "list":
        expressions.module.refuse(argument, f"list() of a value of type {value.type} is not in CEL", _ACTIVITY)
    return value


def _range(expressions: Expressions, node: ast.Call, name: str) -> Value:
    bounds = [expressions.compile(argument).constant for argument in node.args]
    if not 1 <= len(bounds) <= 3 or any(not isinstance(bound, int) or isinstance(bound, bool) for bound in bounds):
        expressions.module.refuse(node, "the numbers of the range are not known", "write range(n) with numbers")
    try:
        numbers = range(*bounds)
    except ValueError as error:
        expressions.module.refuse(node, str(error), "use a step that is not 0")
    if len(numbers) > _RANGE_MAX:
        expressions.module.refuse(node, f"the range has more than {_RANGE_MAX} numbers", "pass a list as the input")
    return expressions.display([v.constant(number) for number in numbers])


def _abs(expressions: Expressions, node: ast.Call, name: str) -> Value:
    argument, value = _one(expressions, node, name)
    if value.type not in (t.INT, t.FLOAT):
        expressions.module.refuse(argument, f"abs() of a value of type {value.type} is not in CEL", _ACTIVITY)
    zero = "0" if value.type == t.INT else "0.0"
    return Value(f"({value.cel} < {zero} ? -{value.cel} : {value.cel})", value.type, can_fail=True)


def _least(expressions: Expressions, node: ast.Call, name: str) -> Value:
    values = [expressions.compile(argument) for argument in node.args]
    kinds = {value.type for value in values}
    if len(values) < 2 or len(kinds) != 1 or kinds.pop() not in (t.INT, t.FLOAT, t.STR):
        expressions.module.refuse(node, f"{name} is compiled for two or more values of one type", _ACTIVITY)
    result = values[0]
    sign = "<" if name == "min" else ">"
    for value in values[1:]:
        cel = f"({value.cel} {sign} {result.cel} ? {value.cel} : {result.cel})"
        result = Value(cel, result.type, can_fail=value.can_fail or result.can_fail)
    return result


def _quantified(expressions: Expressions, node: ast.Call, name: str) -> Value:
    argument = node.args[0] if len(node.args) == 1 else None
    if not isinstance(argument, (ast.GeneratorExp, ast.ListComp)) or len(argument.generators) != 1:
        expressions.module.refuse(node, f"{name} is compiled over one `for`", f"write {name}(… for x in xs)")
    generator = argument.generators[0]
    variable, items, names = expressions.bind(generator.target, generator.iter)
    tests = [*generator.ifs, argument.elt]
    expressions._locals.append(names)
    conditions = [expressions.condition(test) for test in tests]
    expressions._locals.pop()
    if any(one.can_fail for one in conditions):
        expressions.module.refuse(
            argument.elt,
            "the test could fail for one item where another one decides already",
            "test fields that are always there, without arithmetic",
        )
    cel = items.cel
    for one in conditions[:-1]:
        cel = f"{cel}.filter({variable}, {one.cel})"
    macro = "exists" if name == "any" else "all"
    return Value(f"{cel}.{macro}({variable}, {conditions[-1].cel})", t.BOOL, can_fail=items.can_fail)


def _method(expressions: Expressions, node: ast.Call, function: ast.Attribute) -> Value:
    refuse = expressions.module.refuse
    base = expressions.compile(function.value)
    arguments = [expressions.compile(argument) for argument in node.args]
    name = function.attr
    if node.keywords:
        refuse(node, f"{name} is compiled without keywords", "pass the values by position")
    if name in _METHODS and base.type == t.STR and len(arguments) == 1 and arguments[0].type == t.STR:
        can_fail = base.can_fail or arguments[0].can_fail
        return Value(f"{base.cel}.{_METHODS[name]}({arguments[0].cel})", t.BOOL, can_fail=can_fail)
    if (
        name == "get"
        and base.type.kind == "dict"
        and not base.type.optional
        and arguments
        and arguments[0].type == t.STR
    ):
        other = arguments[1] if len(arguments) > 1 else v.constant(None)
        kind = t.unified(base.type.inner or t.ANY, other.type)
        can_fail = base.can_fail or any(one.can_fail for one in arguments)
        return Value(f"dyn({base.cel})[?{arguments[0].cel}].orValue({other.cel})", kind, can_fail=can_fail)
    if name in ("append", "extend", "insert", "pop", "update", "remove", "sort", "clear", "setdefault"):
        refuse(
            node,
            f"{name} changes a value in place, and outputs of nodes never change",
            "make a new value: `xs = xs + [x]`",
        )
    return refuse(node, f"the method {name} of a value of type {base.type} is not in CEL", _ACTIVITY)
