"""Records: dataclasses, TypedDicts and pydantic models as types, read from their source."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from trunkline.compiler import types as t
from trunkline.compiler.types import Field, Type

if TYPE_CHECKING:
    from trunkline.compiler.source import Module

#: Options of pydantic's Field, as JSON Schema has them: for numbers and text, and for lists.
_KEYWORDS = {
    "ge": "minimum",
    "gt": "exclusiveMinimum",
    "le": "maximum",
    "lt": "exclusiveMaximum",
    "multiple_of": "multipleOf",
    "pattern": "pattern",
    "min_length": "minLength",
    "max_length": "maxLength",
    "title": "title",
    "description": "description",
}
_OF_LISTS = {"min_length": "minItems", "max_length": "maxItems"}
#: Options of either field function that say nothing about values.
_SILENT = frozenset(("repr", "compare", "hash", "kw_only", "metadata", "examples", "deprecated", "json_schema_extra"))
_VALIDATORS = frozenset(
    (
        *("field_validator", "model_validator", "validator", "root_validator"),
        *("field_serializer", "model_serializer", "computed_field"),
    )
)
_CONFIG_SILENT = frozenset(("frozen", "title", "validate_assignment", "arbitrary_types_allowed", "json_schema_extra"))
_LITERAL = "use a literal, list or dict"


def record_of(module: Module, statement: ast.ClassDef) -> Type | None:
    """The record that a class is; None where it is none."""
    name = statement.name
    bases = [ast.unparse(base).split(".")[-1] for base in statement.bases]
    decorators = [_name(decorator) for decorator in statement.decorator_list]
    inherited: dict[str, Field] = {}
    kind = "dataclass" if "dataclass" in decorators else ""
    computed, is_closed = "", False
    for base in bases:
        if base in ("TypedDict", "BaseModel"):
            kind = base
        elif (parent := module.record(base)) is not None:
            kind = kind or "inherited"
            inherited.update(parent.fields)
            computed, is_closed = parent.computed, parent.is_closed
    if not kind:
        return None
    # For classes that name themselves.
    module.records[name] = Type("record", name=name)
    is_total = not any(word.arg == "total" and module.literal(word.value) is False for word in statement.keywords)
    fields = {**inherited, **_fields(module, statement, kind, is_total)}
    return Type(
        "record",
        name=name,
        fields=fields,
        computed=_computed(statement) or computed,
        is_closed=_is_closed(module, statement) or is_closed,
    )


def _name(node: ast.expr) -> str:
    return ast.unparse(node.func if isinstance(node, ast.Call) else node).split(".")[-1]


def _fields(module: Module, statement: ast.ClassDef, kind: str, is_total: bool) -> dict[str, Field]:
    fields = {}
    for line in statement.body:
        if not isinstance(line, ast.AnnAssign) or not isinstance(line.target, ast.Name):
            continue
        marks = ast.unparse(line.annotation)
        if "ClassVar" in marks or marks.split(".")[-1] == "KW_ONLY" or line.target.id == "model_config":
            continue
        inner = module.annotation(line.annotation)
        keywords = _annotated_keywords(module, line.annotation, inner)
        if kind == "TypedDict":
            required = "NotRequired[" not in marks and (is_total or "Required[" in marks)
            fields[line.target.id] = Field(inner, required, keywords=keywords)
            continue
        default: Any = t.MISSING
        if isinstance(line.value, ast.Call) and _name(line.value) in ("field", "Field"):
            keywords |= _keywords(module, line.value, inner)
            default = _default_of_call(module, line.value)
        elif line.value is not None and not _is_ellipsis(line.value):
            default = _json(module, line.value, module.literal(line.value))
        fields[line.target.id] = Field(inner, default is t.MISSING, default, keywords)
    return fields


def _annotated_keywords(module: Module, annotation: ast.expr, kind: Type) -> dict[str, Any]:
    """What `Annotated[int, Field(ge=1)]` says of the values."""
    keywords: dict[str, Any] = {}
    if isinstance(annotation, ast.Subscript) and _name(annotation.value) == "Annotated":
        marks = annotation.slice.elts[1:] if isinstance(annotation.slice, ast.Tuple) else []
        for mark in marks:
            if isinstance(mark, ast.Call) and _name(mark) == "Field":
                if mark.args or any(word.arg in ("default", "default_factory") for word in mark.keywords):
                    module.refuse(mark, "a default inside of Annotated", "write it behind the field: `x: T = value`")
                keywords |= _keywords(module, mark, kind)
    return keywords


def _keywords(module: Module, call: ast.Call, kind: Type) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for word in call.keywords:
        name = word.arg or ""
        if name in ("default", "default_factory") or name in _SILENT:
            continue
        if name == "init" and module.literal(word.value) is True:
            continue
        if name not in _KEYWORDS:
            nearest = "name the field as it is called in JSON" if "alias" in name else "leave the option out"
            module.refuse(word.value, f"the option {name} of a field has no form in JSON Schema", nearest)
        known = _OF_LISTS.get(name) if kind.kind in ("list", "dict") else None
        if kind.kind == "dict" and known:
            known = known.replace("Items", "Properties")
        made[known or _KEYWORDS[name]] = module.literal(word.value)
    return made


def _default_of_call(module: Module, call: ast.Call) -> Any:
    for word in call.keywords:
        if word.arg == "default":
            return t.MISSING if _is_ellipsis(word.value) else _json(module, word.value, module.literal(word.value))
        if word.arg == "default_factory":
            return _made_by(module, word.value)
    if call.args:
        return t.MISSING if _is_ellipsis(call.args[0]) else _json(module, call.args[0], module.literal(call.args[0]))
    return t.MISSING


def _made_by(module: Module, factory: ast.expr) -> Any:
    """What a factory makes, where that is known: list, dict, or a lambda that gives a literal."""
    if isinstance(factory, ast.Name) and factory.id in ("list", "dict"):
        return [] if factory.id == "list" else {}
    if isinstance(factory, ast.Lambda) and not ast.unparse(factory.args):
        return _json(module, factory.body, module.literal(factory.body))
    return module.refuse(
        factory, "the default is not known without running the program", "write list, dict, or a lambda with a literal"
    )


def _json(module: Module, node: ast.expr, value: Any) -> Any:
    """A default as JSON has it."""
    if isinstance(value, (list, tuple)):
        return [_json(module, node, one) for one in value]
    if isinstance(value, dict) and all(isinstance(name, str) for name in value):
        return {name: _json(module, node, one) for name, one in value.items()}
    if value is not None and not isinstance(value, (bool, int, float, str)):
        module.refuse(node, f"a default that is a {type(value).__name__} is no JSON", _LITERAL)
    return value


def _computed(statement: ast.ClassDef) -> str:
    """The method that makes other values of what is given, if there is one: it does not run on the server."""
    for line in statement.body:
        if isinstance(line, ast.FunctionDef):
            if line.name in ("__post_init__", "model_post_init"):
                return line.name
            if any(_name(decorator) in _VALIDATORS for decorator in line.decorator_list):
                return line.name
    return ""


def _is_closed(module: Module, statement: ast.ClassDef) -> bool:
    """Whether a pydantic model forbids fields that it does not name."""
    for line in statement.body:
        targets = (
            line.targets if isinstance(line, ast.Assign) else [line.target] if isinstance(line, ast.AnnAssign) else []
        )
        if not any(isinstance(one, ast.Name) and one.id == "model_config" for one in targets):
            continue
        value = line.value if isinstance(line, (ast.Assign, ast.AnnAssign)) else None
        given: dict[str, ast.expr] = {}
        if isinstance(value, ast.Call):
            given = {word.arg or "": word.value for word in value.keywords}
        elif isinstance(value, ast.Dict):
            given = {str(module.literal(k)): v for k, v in zip(value.keys, value.values, strict=True) if k is not None}
        for name, one in given.items():
            if name not in _CONFIG_SILENT and name != "extra":
                module.refuse(one, f"the option {name} of a model changes what its values are", "leave it out")
        return "extra" in given and module.literal(given["extra"]) == "forbid"
    return False


def _is_ellipsis(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is Ellipsis
