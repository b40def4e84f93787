"""Copying: the events of a simulated cell under other names and ids, and at other instants."""

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
"""The columns of a new event, and behind them the number of its put (or -1), and of its copy."""

at: Final[Callable[[Made], Instant]] = itemgetter(0)
"""Return the instant of an event."""


@dataclass(slots=True)
class Copy:
    """One cell of a sample: a simulated one under a number of its own, `shift` later.

    Attributes:
        cut: the simulated cell.
        number: the number of the cell, which is in all its names.
        shift: how much later everything happens, in microseconds.
        positions: where in the log each put of messages is, by its number.
    """

    cut: Cut
    number: int
    shift: int
    positions: list[int] = field(init=False)
    _tag: str = field(init=False)
    _qmgrs: list[str] = field(init=False)
    _stamps: list[tuple[str, str]] = field(init=False)

    def __post_init__(self) -> None:
        """Write down what all blocks need."""
        self.positions = [0] * self.cut.puts
        self._tag = f"{self.number:03d}"
        self._qmgrs = [self.filled(name) for name in self.cut.qmgrs]
        self._stamps = []
        for mark, created in zip(QMID_MARKS, self.cut.created, strict=False):
            stamp = created + self.shift
            self._stamps.append((mark, f"_{mq_date(stamp)}_{mq_time(stamp)}"))

    def filled(self, text: str) -> str:
        """Return a text with the number of the cell in its names."""
        return text.replace(TAG_MARK, self._tag)

    def numbered(self, name: str) -> str:
        """Return a name in the simulated cell as it is in this one."""
        return name.replace(TAG, self._tag)

    def named(self, root: Root) -> str:
        """Return the id that is made from a root."""
        begin, instant, number = root
        return f"{begin}{instant + self.shift:016x}-{self.number:03x}{number:09x}"

    def told(self, text: str) -> str:
        """Return bodies with all but the positions of puts filled in."""
        text = self.filled(text)
        for mark, stamp in self._stamps:
            if mark in text:
                text = text.replace(mark, stamp)
        parts = text.split(INSTANT_MARK)
        shift = self.shift
        if shift:
            parts[1::2] = [str(int(part) + shift) for part in parts[1::2]]
        return "".join(parts)

    def events(self) -> Iterator[list[Made]]:
        """Go through the events, some days' at a time, in the order of time."""
        for block in self.cut.blocks():
            if block.instants:
                yield self._made(block)

    def _made(self, block: Block) -> list[Made]:
        shift = self.shift
        types, qmgrs, sources = self.cut.types, self._qmgrs, self.cut.sources
        named = [self.named(root) for root in block.named]
        causes = [named[root] for root in block.roots]
        count = len(causes)
        return list(
            zip(
                [instant + shift for instant in block.instants],
                [types[place] for place in block.types],
                [qmgrs[place] for place in block.qmgrs],
                [
                    cause if suffix else None
                    for cause, suffix in zip(causes, block.suffixes, strict=True)
                ],
                [sources[place] for place in block.sources],
                map(str.__add__, causes, block.suffixes),
                self.told(block.bodies).split(BETWEEN),
                block.puts,
                [self.number] * count,
                strict=True,
            )
        )
