"""The contract of gRPC: which method carries an operation of REST, read from the descriptors."""

from __future__ import annotations

import base64
import functools
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

from trunkline._generated import OPERATIONS
from trunkline.grpc._descriptors import DESCRIPTORS

CONNECT = "/trunkline.v1.WorkerService/Connect"


@dataclass(frozen=True)
class Method:
    """A method, and how it mirrors a call of REST."""

    path: str
    request: Callable[[], Any]
    response: Any
    #: The one field of the request that is the body as a whole, and of the response that is all of the answer.
    body: str
    answer: str


@functools.cache
def pool() -> descriptor_pool.DescriptorPool:
    """All descriptors of the contract, in a pool of their own: others may have the same files."""
    made = descriptor_pool.DescriptorPool()
    for file in _files().file:
        made.Add(file)
    return made


@functools.cache
def message(name: str) -> Any:
    """The class of a message by its full name."""
    return message_factory.GetMessageClass(pool().FindMessageTypeByName(name))


def method_of(operation: str, *, waits: bool) -> Method | None:
    """The method for an operation by its name in the OpenAPI document; `waits` asks for the one that waits."""
    known = OPERATIONS.get(operation)
    if known is None:
        return None
    methods = _methods()
    call = f"{known.method} {known.path}"
    return methods.get((call, waits)) or methods.get((call, False))


@functools.cache
def _files() -> Any:
    return descriptor_pb2.FileDescriptorSet.FromString(zlib.decompress(base64.b64decode(DESCRIPTORS)))


@functools.cache
def _methods() -> dict[tuple[str, bool], Method]:
    extension = pool().FindExtensionByName("trunkline.v1.rest")
    options = message("google.protobuf.MethodOptions")
    message(extension.message_type.full_name)
    found: dict[tuple[str, bool], Method] = {}
    for file in _files().file:
        for service in file.service:
            for one in service.method:
                # The options once more, by the class that knows the extension.
                own = options.FromString(one.options.SerializeToString())
                if not own.HasExtension(extension):
                    continue
                rest = own.Extensions[extension]
                found[rest.call, "wait=true" in rest.fixed_query] = Method(
                    f"/{file.package}.{service.name}/{one.name}",
                    message(one.input_type.lstrip(".")),
                    message(one.output_type.lstrip(".")),
                    rest.body,
                    rest.answer,
                )
    return found
