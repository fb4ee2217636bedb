"""Connections: one at a time, replaced when it looks dead."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import grpc

#: A connection that answers no ping for so long is broken; one without traffic is asked now and then.
_OPTIONS = (
    ("grpc.keepalive_time_ms", 20_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.http2.max_pings_without_data", 0),
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 2_000),
    # A new channel is a new connection, also beside an old one to the same address.
    ("grpc.use_local_subchannel_pool", 1),
    ("grpc.max_receive_message_length", -1),
    ("grpc.max_send_message_length", -1),
    ("grpc.primary_user_agent", "trunkline-python"),
)


class _Channel:
    def __init__(self, channel: Any) -> None:
        self.channel = channel
        self.users = 0
        self.is_retired = False


class Link:
    """The channel to a server. Whoever finds it dead asks for another one; calls under way keep theirs."""

    def __init__(self, url: str, credentials: Any = None) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"TRUNKLINE_GRPC_URL: {url!r} is not an address with http:// or https://")
        host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
        self.address = f"{host}:{parts.port or (443 if parts.scheme == 'https' else 9090)}"
        self._is_secure, self._credentials = parts.scheme == "https", credentials
        self._lock = threading.Lock()
        self._current: _Channel | None = None

    @contextlib.contextmanager
    def channel(self) -> Iterator[Any]:
        """The channel, for as long as a call needs it."""
        with self._lock:
            if self._current is None:
                self._current = _Channel(self._open())
            one = self._current
            one.users += 1
        try:
            yield one.channel
        finally:
            with self._lock:
                one.users -= 1
                is_over = one.is_retired and one.users == 0
            if is_over:
                one.channel.close()

    def replace(self, channel: Any) -> None:
        """Lets new calls use a new connection, if they would use this one."""
        with self._lock:
            one = self._current
            if one is None or one.channel is not channel:
                return
            self._current, one.is_retired = None, True
            is_over = one.users == 0
        if is_over:
            channel.close()

    def close(self) -> None:
        """Closes the connection, with what is under way over it."""
        with self._lock:
            one, self._current = self._current, None
        if one is not None:
            one.channel.close()

    def _open(self) -> Any:
        if not self._is_secure:
            return grpc.insecure_channel(self.address, options=_OPTIONS)
        credentials = self._credentials or grpc.ssl_channel_credentials()
        return grpc.secure_channel(self.address, credentials, options=_OPTIONS)
