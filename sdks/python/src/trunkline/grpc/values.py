"""JSON of REST as messages of gRPC, and back. Names are REST's in snake_case; what is any JSON is bytes."""

from __future__ import annotations

import json
from typing import Any

from google.protobuf.descriptor import Descriptor, FieldDescriptor

from trunkline.errors import Problem


def write(target: Any, values: Any, pointer: str = "") -> Any:
    """Sets the fields of a message from an object. Raises Problem, as the server would, for what does not fit."""
    if isinstance(values, str) and target.DESCRIPTOR.name == "JobError":
        values = {"message": values}  # REST takes the message alone
    if not isinstance(values, dict):
        raise _invalid(pointer, "expected an object")
    fields = _by_json_name(target.DESCRIPTOR)
    for name, value in values.items():
        field = fields.get(name)
        if field is None:
            raise _invalid(f"{pointer}/{name}", "is not a known field")
        # Null is a value of what is any JSON, and elsewhere the same as nothing.
        if value is not None or (field.type == field.TYPE_BYTES and not _is_repeated(field)):
            _set(target, field, value, f"{pointer}/{name}")
    return target


def read(source: Any) -> dict[str, Any]:
    """The object that a message stands for. What is absent in it is absent."""
    values: dict[str, Any] = {}
    for field in source.DESCRIPTOR.fields:
        value = getattr(source, field.name)
        if _is_repeated(field):
            values[field.json_name] = _read_many(field, value)
        elif field.type == field.TYPE_BYTES:
            if value:
                values[field.json_name] = json.loads(value)
        elif not field.has_presence or source.HasField(field.name):
            values[field.json_name] = read(value) if field.message_type is not None else value
    return values


def json_bytes(value: Any) -> bytes:
    """Any JSON value as it travels."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()


_NAMES: dict[str, dict[str, FieldDescriptor]] = {}


def _by_json_name(descriptor: Descriptor) -> dict[str, FieldDescriptor]:
    found = _NAMES.get(descriptor.full_name)
    if found is None:
        found = _NAMES[descriptor.full_name] = {field.json_name: field for field in descriptor.fields}
    return found


def _is_repeated(field: FieldDescriptor) -> bool:
    # Not by `label`, which newer versions of protobuf no longer have, nor by `is_repeated`, which older ones lack.
    new = getattr(field, "is_repeated", None)
    return bool(new) if isinstance(new, bool) else bool(field.label == field.LABEL_REPEATED)


def _is_map(field: FieldDescriptor) -> bool:
    return field.message_type is not None and bool(field.message_type.GetOptions().map_entry)


def _set(target: Any, field: FieldDescriptor, value: Any, pointer: str) -> None:
    try:
        if _is_map(field):
            inner = field.message_type.fields_by_name["value"]
            entries = getattr(target, field.name)
            for key, one in _expected(dict, value, pointer).items():
                if inner.message_type is not None:
                    write(entries[key], one, f"{pointer}/{key}")
                else:
                    entries[key] = json_bytes(one) if inner.type == inner.TYPE_BYTES else one
        elif _is_repeated(field):
            items = getattr(target, field.name)
            for index, one in enumerate(_expected(list, value, pointer)):
                if field.message_type is not None:
                    write(items.add(), one, f"{pointer}/{index}")
                else:
                    items.append(json_bytes(one) if field.type == field.TYPE_BYTES else one)
        elif field.message_type is not None:
            inner_message = getattr(target, field.name)
            inner_message.SetInParent()
            write(inner_message, value, pointer)
        elif field.type == field.TYPE_BYTES:
            setattr(target, field.name, json_bytes(value))
        else:
            setattr(target, field.name, value)
    except (TypeError, ValueError) as error:
        raise _invalid(pointer, str(error)) from error


def _expected(kind: type[Any], value: Any, pointer: str) -> Any:
    if isinstance(value, tuple) and kind is list:
        return list(value)
    if not isinstance(value, kind):
        raise _invalid(pointer, "expected an object" if kind is dict else "expected a list")
    return value


def _read_many(field: FieldDescriptor, value: Any) -> Any:
    if _is_map(field):
        inner = field.message_type.fields_by_name["value"]
        return {key: _read_one(inner, one) for key, one in value.items()}
    return [_read_one(field, one) for one in value]


def _read_one(field: FieldDescriptor, value: Any) -> Any:
    if field.message_type is not None:
        return read(value)
    return json.loads(value) if field.type == field.TYPE_BYTES else value


def _invalid(pointer: str, message: str) -> Problem:
    return Problem(422, "invalid", "The request is invalid.", [{"pointer": pointer, "message": message}])
