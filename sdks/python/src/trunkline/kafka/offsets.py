"""Which messages of a consumer are over, and up to where its partitions may be committed."""

from __future__ import annotations

from collections.abc import Iterable

#: A topic and the number of its partition.
Partition = tuple[str, int]


class Offsets:
    """What was received of each partition.

    A message is over once its job is settled, given back or not this worker's. Only what lies before the first message
    that is not over may be committed.
    """

    def __init__(self) -> None:
        self._open: dict[Partition, set[int]] = {}
        self._next: dict[Partition, int] = {}
        self._committed: dict[Partition, int] = {}

    def received(self, partition: Partition, offset: int) -> None:
        """A message came."""
        self._open.setdefault(partition, set()).add(offset)
        self._next[partition] = max(offset + 1, self._next.get(partition, 0))

    def has(self, partition: Partition, offset: int) -> bool:
        """Whether a message was received and is not over."""
        return offset in self._open.get(partition, ())

    def over(self, partition: Partition, offset: int) -> None:
        """Its job is settled, given back, or another's. Of a partition that was taken away, nothing is known."""
        self._open.get(partition, set()).discard(offset)

    def forget(self, partitions: Iterable[Partition]) -> None:
        """These partitions were taken away."""
        for partition in partitions:
            for known in (self._open, self._next, self._committed):
                known.pop(partition, None)

    def to_commit(self) -> dict[Partition, int]:
        """The offsets to commit, of partitions where they have moved."""
        moved = {}
        for partition, following in self._next.items():
            offset = min(self._open[partition], default=following)
            if offset > self._committed.get(partition, -1):
                moved[partition] = offset
        return moved

    def committed(self, offsets: dict[Partition, int]) -> None:
        """The broker has them."""
        for partition, offset in offsets.items():
            if partition in self._next:
                self._committed[partition] = offset
