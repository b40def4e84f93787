"""Blocks: the events of a simulated cell, one block for each day, as templates for its copies.

In the texts of a block, control characters mark the tag of the cell, the creation times in QMIDs,
all other instants, and the positions of puts. JSON never contains these characters unescaped.
"""

from __future__ import annotations

import marshal
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

from twin.model.instants import Instant

TAG_MARK: Final = "\x01"
INSTANT_MARK: Final = "\x02"
PUT_MARK: Final = "\x03"
QMID_MARKS: Final = tuple(chr(code) for code in range(0x0B, 0x20))
"""One mark for each queue manager of a cell; it replaces _YYYY-MM-DD_HH.MM.SS in its QMID."""

BETWEEN: Final = "\n"

Root: TypeAlias = tuple[str, Instant, int]
"""What an id is made from: its prefix, its instant, and its number in the cell."""


class Block(NamedTuple):
    """The events of a cell on one day, as columns.

    Attributes:
        instants: when each event occurred.
        types: the index of its type in the cell's table of types.
        qmgrs: the index of its queue manager in the cell's table of queue managers.
        sources: the index of its source in the cell's table of sources.
        roots: the index in `named` of the root that its id begins with.
        named: the roots of the ids on this day.
        suffixes: the rest of its id: '' for a primary fact; otherwise the root is its cause.
        puts: its number among the puts of the cell, -1 for other events.
        bodies: the templates of all bodies, joined by `BETWEEN`.
    """

    instants: list[Instant]
    types: list[int]
    qmgrs: list[int]
    sources: list[int]
    roots: list[int]
    named: list[Root]
    suffixes: list[str]
    puts: list[int]
    bodies: str


class LateRow(NamedTuple):
    """An event that was recorded late, or recorded again after a withdrawal.

    Attributes:
        root: the id of a primary fact, the cause of a derived event.
        put: its number among the puts of the cell, -1 for other events.
        suffix: the part of a derived event's id after its root.
        again: whether it replaces a withdrawn event; then it gets a new id.
    """

    instant: Instant
    type: str
    qmgr: str
    root: Root
    source: str
    put: int
    body: str
    suffix: str
    again: bool


class Feed(NamedTuple):
    """Events that were recorded late, in one transaction.

    Attributes:
        at: when they were recorded.
        of: the instant of the late facts.
        rows: the late facts, the withdrawal, and the events that were derived again.
    """

    at: Instant
    of: Instant
    rows: list[LateRow]


@dataclass(frozen=True, slots=True)
class Cut:
    """A simulated cell, cut into blocks.

    Attributes:
        folder: the folder of the block files.
        since: the midnight at which the first block begins.
        days: the number of blocks.
        types: the type columns of the events.
        qmgrs: the names of the queue managers, with marks for the tag.
        sources: the sources of the events.
        created: when each queue manager was created, to the second, in the order of `QMID_MARKS`.
        puts: the number of puts of messages.
        events: the number of events in the blocks.
        feeds: the events that were recorded late.
    """

    folder: Path
    since: Instant
    days: int
    types: tuple[str, ...]
    qmgrs: tuple[str, ...]
    sources: tuple[str, ...]
    created: tuple[Instant, ...]
    puts: int
    events: int
    feeds: tuple[Feed, ...]

    def blocks(self) -> Iterator[Block]:
        """Yield the blocks in the order of time."""
        for number in range(self.days):
            yield Block(*marshal.loads(_file(self.folder, number).read_bytes()))  # noqa: S302


def keep(folder: Path, number: int, columns: Sequence[Any]) -> None:
    """Write the block of a day to its file."""
    _file(folder, number).write_bytes(marshal.dumps(tuple(columns)))


def _file(folder: Path, number: int) -> Path:
    return folder / f"{number:05d}.block"
