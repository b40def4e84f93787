"""Blocks: the events of a simulated cell, day by day, with gaps for what differs in each copy.

In the texts of a block the tag of the cell, the instants of creation in QMIDs, all other instants
and the positions of puts are marked by control characters, which JSON never holds as they are.
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
"""One for each queue manager of a cell, instead of _YYYY-MM-DD_HH.MM.SS in its QMID."""

BETWEEN: Final = "\n"

Root: TypeAlias = tuple[str, Instant, int]
"""What an id is made from: what it begins with, its instant, and its number in the cell."""


class Block(NamedTuple):
    """The events of a cell in one day, by columns.

    `types`, `qmgrs` and `sources` are places in the tables of the cell; `roots` says which id of
    `named` an event's own begins with, and `suffixes` how it goes on: '' where it is a primary
    fact, else that id is its cause. `puts` is the number of a put of messages, -1 of other events.
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
    """An event that was recorded late, or anew behind a withdrawal.

    `root` is the cause of a derived event, whose id goes on with `suffix`, and the id of a primary
    one; `anew` is whether it takes the place of one that was withdrawn, and so another's id.
    """

    instant: Instant
    type: str
    qmgr: str
    root: Root
    source: str
    put: int
    body: str
    suffix: str
    anew: bool


class Feed(NamedTuple):
    """What was learnt at `at`: late facts of `of` and the withdrawal, then what is derived anew."""

    at: Instant
    of: Instant
    rows: list[LateRow]


@dataclass(frozen=True, slots=True)
class Cut:
    """A simulated cell cut into blocks, which lie in a folder.

    Attributes:
        folder: where the blocks lie.
        since: the midnight at which the first block begins.
        days: how many there are.
        types: the type columns of its events.
        qmgrs: its queue managers, with the mark of the tag.
        sources: the sources of its events.
        created: when each queue manager was created, to the second, in the order of their marks.
        puts: how many puts of messages there are.
        events: how many events there are in blocks.
        feeds: what was learnt late.
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
        """Go through the blocks in the order of time."""
        for number in range(self.days):
            yield Block(*marshal.loads(_file(self.folder, number).read_bytes()))  # noqa: S302


def keep(folder: Path, number: int, columns: Sequence[Any]) -> None:
    """Write the block of a day."""
    _file(folder, number).write_bytes(marshal.dumps(tuple(columns)))


def _file(folder: Path, number: int) -> Path:
    return folder / f"{number:05d}.block"
