"""Values of the language's own types to JSON and back."""

from __future__ import annotations

import dataclasses
import enum
import types
import typing
from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Union, get_args, get_origin, get_type_hints
from uuid import UUID

from trunkline.errors import InvalidData

_PLAIN = (str, int, float, bool, type(None))


def encode(value: Any) -> Any:
    """The value as JSON knows it."""
    if isinstance(value, enum.Enum):
        return encode(value.value)
    if isinstance(value, _PLAIN):
        return value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: encode(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json")
    if isinstance(value, Mapping):
        return {str(name): encode(item) for name, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [encode(item) for item in value]
    if isinstance(value, (datetime, date)):
        return value.isoformat()
    if isinstance(value, (UUID, Decimal)):
        return str(value)
    raise InvalidData(f"a {type(value).__name__} has no form in JSON")


def decode(hint: Any, value: Any, place: str = "") -> Any:
    """The JSON value as an instance of the type. Raises InvalidData with the place that does not fit."""
    if hint is Any or hint is object or isinstance(hint, typing.TypeVar):
        return value
    if hint is None or hint is type(None):
        return _expect(value is None, value, "null", place)
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is typing.Annotated:
        return decode(arguments[0], value, place)
    if origin is Union or origin is types.UnionType:
        return _decode_union(arguments, value, place)
    if origin is typing.Literal:
        return _expect(any(value == one and type(value) is type(one) for one in arguments), value, hint, place)
    if getattr(origin, "_name", None) in ("Required", "NotRequired"):
        return decode(arguments[0], value, place)
    if origin is not None or hint in (list, tuple, set, frozenset, dict):
        return _decode_collection(origin or hint, arguments, value, place)
    return _decode_class(hint, value, place)


def _expect(holds: bool, value: Any, hint: Any, place: str) -> Any:
    if not holds:
        wanted = getattr(hint, "__name__", str(hint))
        raise InvalidData(f"{place or 'data'} is {type(value).__name__}, not {wanted}")
    return value


def _decode_union(options: tuple[Any, ...], value: Any, place: str) -> Any:
    if value is None and type(None) in options:
        return None
    complaints = []
    for option in options:
        try:
            return decode(option, value, place)
        except InvalidData as error:
            complaints.append(str(error))
    raise InvalidData("; ".join(complaints))


def _decode_collection(origin: Any, arguments: tuple[Any, ...], value: Any, place: str) -> Any:
    if origin in (dict, Mapping) or getattr(origin, "__name__", "") in ("Mapping", "MutableMapping"):
        _expect(isinstance(value, dict), value, "object", place)
        inner = arguments[1] if arguments else Any
        return {name: decode(inner, item, f"{place}.{name}") for name, item in value.items()}
    _expect(isinstance(value, list), value, "list", place)
    if origin is tuple and arguments and arguments[-1] is not Ellipsis:
        _expect(len(value) == len(arguments), value, f"list of {len(arguments)}", place)
        return tuple(decode(h, item, f"{place}[{i}]") for i, (h, item) in enumerate(zip(arguments, value, strict=True)))
    inner = arguments[0] if arguments else Any
    items = [decode(inner, item, f"{place}[{i}]") for i, item in enumerate(value)]
    return items if origin not in (tuple, set, frozenset) else origin(items)


def _decode_class(hint: Any, value: Any, place: str) -> Any:
    if not isinstance(hint, type):
        return value
    if issubclass(hint, enum.Enum):
        try:
            return hint(value)
        except ValueError:
            raise InvalidData(f"{place or 'data'} is no {hint.__name__}") from None
    if hint is bool or hint is str:
        return _expect(isinstance(value, hint), value, hint, place)
    if hint is int:
        return _expect(isinstance(value, int) and not isinstance(value, bool), value, hint, place)
    if hint is float:
        return float(_expect(isinstance(value, (int, float)) and not isinstance(value, bool), value, hint, place))
    if hint in (datetime, date, UUID, Decimal):
        return _decode_text(hint, value, place)
    if hasattr(hint, "model_validate"):
        return _decode_pydantic(hint, value, place)
    if dataclasses.is_dataclass(hint) or typing.is_typeddict(hint):
        return _decode_fields(hint, value, place)
    return _expect(isinstance(value, hint), value, hint, place)


def _decode_text(hint: Any, value: Any, place: str) -> Any:
    _expect(isinstance(value, str), value, str, place)
    try:
        if hint is datetime:
            return datetime.fromisoformat(value.replace("Z", "+00:00"))
        return date.fromisoformat(value) if hint is date else hint(value)
    except (ValueError, ArithmeticError):
        raise InvalidData(f"{place or 'data'} is no {hint.__name__}") from None


def _decode_pydantic(hint: Any, value: Any, place: str) -> Any:
    try:
        return hint.model_validate(value)
    except ValueError as error:
        raise InvalidData(f"{place or 'data'}: {error}") from None


def _decode_fields(hint: Any, value: Any, place: str) -> Any:
    _expect(isinstance(value, dict), value, "object", place)
    hints = get_type_hints(hint)
    if typing.is_typeddict(hint):
        required = _required_keys(hint)
    else:
        required = {
            field.name
            for field in dataclasses.fields(hint)
            if field.init and field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
        }
    for name in sorted(required - value.keys()):
        raise InvalidData(f"{place + '.' if place else ''}{name} is missing")
    fields = {
        name: decode(hints[name], item, f"{place}.{name}".lstrip(".")) for name, item in value.items() if name in hints
    }
    return fields if typing.is_typeddict(hint) else hint(**fields)


def _required_keys(hint: Any) -> set[str]:
    """The keys that a TypedDict requires. Where annotations are text, the class itself does not know its marks."""
    required: set[str] = set(getattr(hint, "__required_keys__", ()))
    for name, annotation in get_type_hints(hint, include_extras=True).items():
        mark = getattr(get_origin(annotation), "_name", None)
        if mark == "NotRequired":
            required.discard(name)
        elif mark == "Required":
            required.add(name)
    return required
