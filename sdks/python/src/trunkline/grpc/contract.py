"""The contract of gRPC: which method carries an operation of REST, read from the descriptors."""

from __future__ import annotations

import base64
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
    #: Whether the answer is a stream of messages.
    is_stream: bool = False


def message(name: str) -> Any:
    """The class of a message by its full name."""
    return message_factory.GetMessageClass(_pool.FindMessageTypeByName(name))


def method_of(operation: str, *, waits: bool) -> Method | None:
    """The method for an operation by its name in the OpenAPI document; `waits` asks for the one that waits."""
    known = OPERATIONS.get(operation)
    if known is None:
        return None
    call = f"{known.method} {known.path}"
    return _METHODS.get((call, waits)) or _METHODS.get((call, False))


def _read() -> dict[tuple[str, bool], Method]:
    extension = _pool.FindExtensionByName("trunkline.v1.rest")
    options = message("google.protobuf.MethodOptions")
    message("trunkline.v1.Rest")
    found: dict[tuple[str, bool], Method] = {}
    for file in _files.file:
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
                    one.server_streaming,
                )
    return found


# Once and here, where the lock of imports holds: classes that two threads make at once are different ones. The pool is
# one of our own, since others may have the same files.
_files = descriptor_pb2.FileDescriptorSet.FromString(zlib.decompress(base64.b64decode(DESCRIPTORS)))
_pool = descriptor_pool.DescriptorPool()
for _file in _files.file:
    _pool.Add(_file)
_METHODS = _read()
