"""The static types that expressions have, from annotations, and as JSON Schema."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

MISSING = object()


@dataclass(frozen=True)
class Field:
    """A field of a record."""

    type: Type
    #: Whether values without it are refused.
    required: bool
    #: What stands for it where it is absent; MISSING where it has no default.
    default: Any = MISSING
    #: More that JSON Schema says of its values.
    keywords: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Type:
    """What values an expression has. `kind` is int, float, str, bool, none, any, opaque, list, dict or record."""

    kind: str
    inner: Type | None = None
    name: str = ""
    fields: dict[str, Field] = field(default_factory=dict, hash=False)
    optional: bool = False
    #: The values of a Literal.
    values: tuple[Any, ...] = ()
    format: str = ""
    #: Of a record, the method that makes other values of what is given.
    computed: str = ""
    #: Of a record, whether it takes no fields but its own.
    is_closed: bool = False

    def required(self) -> Type:
        """The same without null."""
        return replace(self, optional=False)

    def or_null(self) -> Type:
        """The same with null."""
        if self.kind in ("none", "any"):
            return self
        return replace(self, optional=True)

    def __str__(self) -> str:
        text = {"any": "unknown", "none": "None", "opaque": self.name}.get(self.kind, self.kind)
        if self.kind == "record":
            text = self.name
        elif self.inner is not None:
            text = f"list[{self.inner}]" if self.kind == "list" else f"dict[str, {self.inner}]"
        return f"{text} | None" if self.optional else text


INT, FLOAT, STR, BOOL = Type("int"), Type("float"), Type("str"), Type("bool")
NONE, ANY = Type("none"), Type("any")
FAILURE = Type("record", name="NodeFailed", fields={"message": Field(STR, True), "code": Field(STR.or_null(), True)})
#: What a workflow gets of an event that it waited for.
EVENT = Type(
    "record",
    name="Event",
    fields={
        name: Field(ANY if name == "body" else STR, True) for name in ("event", "body", "deliveryId", "receivedAt")
    },
)


def list_of(inner: Type) -> Type:
    """The type of lists."""
    return Type("list", inner)


def dict_of(inner: Type) -> Type:
    """The type of dictionaries."""
    return Type("dict", inner)


def of_constant(value: Any) -> Type:
    """The type of a literal."""
    if value is None:
        return NONE
    return {bool: BOOL, int: INT, float: FLOAT, str: STR}[type(value)]


def unified(left: Type, right: Type) -> Type:
    """What values of either type have in common."""
    if left == right:
        return left
    if left.kind == "none":
        return right.or_null()
    if right.kind == "none":
        return left.or_null()
    if left.required().kind == right.required().kind and left.kind not in ("any",):
        both = left.required()
        if left.required() != right.required():
            if left.kind == "list" and left.inner and right.inner:
                both = list_of(unified(left.inner, right.inner))
            elif left.kind in ("dict", "record"):
                both = dict_of(ANY)
            elif left.values or right.values:
                both = Type(left.kind)
        return both.or_null() if left.optional or right.optional else both
    return ANY


def has_defaults(kind: Type) -> bool:
    """Whether a value may come without what Python gives it."""
    if kind.kind == "record":
        return any(f.default is not MISSING or has_defaults(f.type) for f in kind.fields.values())
    return kind.inner is not None and has_defaults(kind.inner)


def schema_of(kind: Type) -> dict[str, Any]:
    """The JSON Schema of a type."""
    if kind.optional:
        return {"anyOf": [schema_of(kind.required()), {"type": "null"}]}
    if kind.values:
        return {"enum": list(kind.values)}
    if kind.kind == "list":
        return {"type": "array", **({"items": schema_of(kind.inner)} if kind.inner and kind.inner != ANY else {})}
    if kind.kind == "dict":
        inner = kind.inner
        return {"type": "object", **({"additionalProperties": schema_of(inner)} if inner and inner != ANY else {})}
    if kind.kind == "record":
        required = [name for name, one in kind.fields.items() if one.required]
        properties = {}
        for name, one in kind.fields.items():
            properties[name] = {
                **_with_keywords(schema_of(one.type), one.keywords),
                **({"default": one.default} if one.default is not MISSING else {}),
            }
        made = {"type": "object", **({"required": required} if required else {}), "properties": properties}
        return {**made, "additionalProperties": False} if kind.is_closed else made
    if kind.kind == "opaque":
        return {"type": "string", **({"format": kind.format} if kind.format else {})}
    names = {"int": "integer", "float": "number", "str": "string", "bool": "boolean", "none": "null"}
    return {"type": names[kind.kind]} if kind.kind in names else {}


def _with_keywords(schema: dict[str, Any], keywords: dict[str, Any]) -> dict[str, Any]:
    """Constraints are about the value that is not null."""
    if "anyOf" not in schema or not keywords:
        return {**schema, **keywords}
    about: dict[str, Any] = {name: keywords[name] for name in ("title", "description") if name in keywords}
    inner = {name: value for name, value in keywords.items() if name not in about}
    first, *others = schema["anyOf"]
    made: dict[str, Any] = {"anyOf": [{**first, **inner}, *others]}
    return {**made, **about}


def computes(kind: Type) -> Type | None:
    """The record in the type whose values are made by a method."""
    if kind.computed:
        return kind
    inner = [one.type for one in kind.fields.values()] + ([kind.inner] if kind.inner is not None else [])
    return next((found for one in inner if (found := computes(one)) is not None), None)
