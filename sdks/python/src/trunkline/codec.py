"""What may go around data and results: encryption, compression, storage elsewhere."""

from __future__ import annotations

import base64
import json
import zlib
from typing import Any, Protocol


class PayloadCodec(Protocol):
    """Transforms data and results sent to and received from the server. Clients and workers need the same codec.

    It applies to data and results of single jobs. Jobs of workflows are not encoded, because expressions of the
    definition read them; `decode` receives everything.
    """

    def encode(self, value: Any) -> Any:
        """The JSON value that is stored instead of the value."""

    def decode(self, value: Any) -> Any:
        """The original value. A value that this codec did not encode is returned unchanged."""


class ZlibCodec:
    """Compresses values whose JSON is longer than `bytes_min` bytes."""

    MARK = "trunkline:zlib"

    def __init__(self, bytes_min: int = 4096) -> None:
        self.bytes_min = bytes_min

    def encode(self, value: Any) -> Any:
        """Compresses what is long."""
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
        if len(text) < self.bytes_min:
            return value
        return {self.MARK: base64.b64encode(zlib.compress(text)).decode()}

    def decode(self, value: Any) -> Any:
        """Expands what was compressed."""
        if isinstance(value, dict) and value.keys() == {self.MARK}:
            return json.loads(zlib.decompress(base64.b64decode(value[self.MARK])))
        return value


class NoCodec:
    """Leaves values as they are."""

    def encode(self, value: Any) -> Any:
        """The value itself."""
        return value

    def decode(self, value: Any) -> Any:
        """The value itself."""
        return value
