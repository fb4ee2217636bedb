"""What the server of refusals answers, in whatever order calls come."""

from __future__ import annotations

import socket
import threading
import unittest

from frames import DATA, GOAWAY, HEADERS, PREFACE, SETTINGS, Frame, Frames
from refusals import refuse_calls


class Refusals(unittest.TestCase):
    """One connection, whose other end is refused."""

    def setUp(self) -> None:
        self.client, server = socket.socketpair()
        self.client.settimeout(10)
        self.refused: list[bytes] = []
        thread = threading.Thread(target=refuse_calls, args=(server, 503, "0", self._is_refused), daemon=True)
        thread.start()
        self.addCleanup(thread.join, 10)
        self.addCleanup(server.close)
        self.addCleanup(self.client.close)
        self.frames = Frames(is_client=False)
        self.client.sendall(PREFACE + Frame(SETTINGS, 0, 0, b"").encoded())

    def _is_refused(self, begin: bytes) -> bool:
        self.refused.append(begin)
        return begin != b"let through"

    def _await(self, kind: int) -> Frame:
        """The next frame of a kind."""
        while content := self.client.recv(1):
            for frame in self.frames.feed(content):
                if frame.kind == kind:
                    return frame
        raise AssertionError("the connection ended")

    def test_each_call_is_answered_once_in_the_order_in_which_data_comes(self) -> None:
        """The streams of calls that begin side by side may send in another order than they were opened."""
        for stream in (3, 1, 3, 1, 5):
            self.client.sendall(Frame(DATA, 0, stream, b"%d" % stream).encoded())
        assert [self._await(HEADERS).stream for _ in range(3)] == [3, 1, 5]
        assert self.refused == [b"3", b"1", b"5"]

    def test_what_is_let_through_is_to_be_called_again(self) -> None:
        """The last of the streams that were answered is named."""
        for stream, content in ((3, b"a"), (1, b"b"), (5, b"let through")):
            self.client.sendall(Frame(DATA, 0, stream, content).encoded())
        assert int.from_bytes(self._await(GOAWAY).payload[:4], "big") == 3


if __name__ == "__main__":
    unittest.main()
