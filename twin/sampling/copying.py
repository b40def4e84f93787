"""Copies the events of a simulated cell with other names, ids and instants."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Final, TypeAlias

from twin.model.instants import Instant, mq_date, mq_time
from twin.sampling.blocks import (
    BETWEEN,
    INSTANT_MARK,
    QMID_MARKS,
    TAG_MARK,
    Block,
    Cut,
    Root,
)
from twin.sampling.cell import TAG

Made: TypeAlias = tuple[Instant, str, str, str | None, str, str, str, int, int]
"""The columns of a new event, then the number of its put (or -1) and of its copy."""

at: Final[Callable[[Made], Instant]] = itemgetter(0)
"""Return the instant of an event."""


@dataclass(slots=True)
class Copy:
    """One cell of a sample: a copy of a simulated cell.

    Attributes:
        cut: the simulated cell.
        number: the number of this cell, which is part of all its names.
        shift: how much later everything happens than in the simulated cell, in microseconds.
        positions: the position in the log of each put, by the number of the put.
    """

    cut: Cut
    number: int
    shift: int
    positions: list[int] = field(init=False)
    _tag: str = field(init=False)
    _qmgrs: list[str] = field(init=False)
    _stamps: list[tuple[str, str]] = field(init=False)

    def __post_init__(self) -> None:
        """Prepare the values that all blocks need."""
        self.positions = [0] * self.cut.puts
        self._tag = f"{self.number:03d}"
        self._qmgrs = [self.with_tag(name) for name in self.cut.qmgrs]
        self._stamps = []
        for mark, created in zip(QMID_MARKS, self.cut.created, strict=False):
            stamp = created + self.shift
            self._stamps.append((mark, f"_{mq_date(stamp)}_{mq_time(stamp)}"))

    def with_tag(self, text: str) -> str:
        """Return a template with the number of the cell in its names."""
        return text.replace(TAG_MARK, self._tag)

    def renamed(self, name: str) -> str:
        """Return the name in this cell for a name in the simulated cell."""
        return name.replace(TAG, self._tag)

    def id_of(self, root: Root) -> str:
        """Return the id for a root."""
        begin, instant, number = root
        return f"{begin}{instant + self.shift:016x}-{self.number:03x}{number:09x}"

    def filled(self, text: str) -> str:
        """Return templates with everything filled in except the positions of puts."""
        text = self.with_tag(text)
        for mark, stamp in self._stamps:
            if mark in text:
                text = text.replace(mark, stamp)
        parts = text.split(INSTANT_MARK)
        shift = self.shift
        if shift:
            parts[1::2] = [str(int(part) + shift) for part in parts[1::2]]
        return "".join(parts)

    def events(self) -> Iterator[list[Made]]:
        """Yield the events in the order of time, one list for each day."""
        for block in self.cut.blocks():
            if block.instants:
                yield self._events(block)

    def _events(self, block: Block) -> list[Made]:
        shift = self.shift
        types, qmgrs, sources = self.cut.types, self._qmgrs, self.cut.sources
        named = [self.id_of(root) for root in block.named]
        causes = [named[root] for root in block.roots]
        count = len(causes)
        return list(
            zip(
                [instant + shift for instant in block.instants],
                [types[index] for index in block.types],
                [qmgrs[index] for index in block.qmgrs],
                [
                    cause if suffix else None
                    for cause, suffix in zip(causes, block.suffixes, strict=True)
                ],
                [sources[index] for index in block.sources],
                map(str.__add__, causes, block.suffixes),
                self.filled(block.bodies).split(BETWEEN),
                block.puts,
                [self.number] * count,
                strict=True,
            )
        )
