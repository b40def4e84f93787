"""The values that the log takes and returns, and the parts of it that a branch sees.

Instants are microseconds since 1970 UTC.

Lateness: which events were recorded after events that occurred later, and how that is stored.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

from sqlalchemy import bindparam, select

from twin.log.schema import late_event

WITHDRAWAL: Final = "DerivedFactsWithdrawn"
"""The type of a withdrawal: it hides facts derived earlier for instants after its own."""

RETRACTED: Final = "FactsRetracted"
"""The type of a retraction: it hides primary facts."""

RETRACTING: Final = frozenset({RETRACTED, "RetractionUndone"})
"""The types of events that hide primary facts, or show them again."""

HIDING: Final = frozenset({WITHDRAWAL, *RETRACTING})
"""The types of events that hide or show events before them."""

EARLIEST_LATE: Final = (
    select(late_event.c.occurred_at)
    .where(
        late_event.c.branch == bindparam("branch"),
        late_event.c.upto > bindparam("after"),
        late_event.c.position <= bindparam("position"),
        late_event.c.occurred_at <= bindparam("occurred"),
    )
    .order_by(late_event.c.occurred_at)
    .limit(1)
)
"""The earliest of a branch's own late events after a position, within bounds."""


class Lateness:
    """Find the events of a branch that have a row in `late_event`.

    In each batch, these are all withdrawals and retractions, and each late event that occurred
    before all late events that precede it in the batch.

    Attributes:
        latest: the latest instant that the branch saw so far. A retraction sets it to that of the
            facts that are still visible; `retracted` must be called for it.
    """

    __slots__ = ("_lowest", "latest")

    def __init__(self, latest: int) -> None:
        """Begin with the latest instant that the branch saw before the batch."""
        self.latest = latest
        self._lowest: int | None = None

    def begin_batch(self) -> None:
        """Begin a new batch."""
        self._lowest = None

    def retracted(self, latest: int) -> None:
        """Note that a retraction follows, after which this is the latest visible instant."""
        self.latest = latest

    def notes(self, occurred_at: int, type_: str) -> bool:
        """Add the next event of the batch; return whether it has a row."""
        if type_ in RETRACTING:
            return True
        if occurred_at >= self.latest:
            self.latest = occurred_at
        elif self._lowest is None or occurred_at < self._lowest:
            self._lowest = occurred_at
            return True
        return type_ == WITHDRAWAL


class NewEvent(NamedTuple):
    """An event to be appended.

    `cause` is the `event_id` of the fact that it was derived from; None for a primary fact.
    """

    occurred_at: int
    type: str
    qmgr: str
    cause: str | None
    source: str
    event_id: str
    body: str


class StoredEvent(NamedTuple):
    """An event with all its columns; `digest` is hexadecimal."""

    position: int
    branch: str
    occurred_at: int
    recorded_at: int
    type: str
    qmgr: str
    cause: str | None
    source: str
    event_id: str
    body: str
    digest: str


LogRow: TypeAlias = tuple[int, int, str, str]
"""(occurred_at, position, type, body): the columns that the fold needs."""


class Appended(NamedTuple):
    """The first and last position of a batch; `recorded` is False if it was recorded before."""

    first: int
    last: int
    recorded: bool


class Head(NamedTuple):
    """The last position that a branch sees, the latest instant, and when that was recorded."""

    position: int
    occurred_at: int | None
    recorded_at: int | None


class Branch(NamedTuple):
    """A branch of the log.

    It sees its own events, and those that its parent sees up to both `fork_position` and
    `fork_occurred_at`. Main has no parent. `parent` is the name of the parent, which another
    branch may have if it is retired; `parent_id` is its number. `retired` is the position of the
    event that retired the branch.
    """

    id: int
    name: str
    parent: str | None
    fork_position: int
    fork_occurred_at: int
    parent_id: int | None = None
    retired: int | None = None


class StoredPage(NamedTuple):
    """The number of a page in the log, and the hash of its content."""

    number: int
    hash: bytes


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A saved estate: the fold of the events with `occurred_at` <= `valid`, up to `position`.

    Attributes:
        pages: where each page is, by its name; `load_pages` returns the contents.
        number: the number of its row.
    """

    branch: str
    valid: int
    position: int
    version: int
    pages: Mapping[str, StoredPage]
    number: int = 0


@dataclass(frozen=True, slots=True)
class PlayedAhead:
    """A saved estate in which time passed up to `valid` after the last event of a branch.

    Attributes:
        position: the last position that the branch saw. With another, the estate is of no use.
        rules: the version of the rules that decided what happened.
        pages: where the pages are that snapshots have, by name; `load_pages` returns all contents.
        own: all other pages, compressed.
    """

    branch: str
    valid: int
    position: int
    version: int
    rules: int
    pages: Mapping[str, StoredPage]
    own: Mapping[str, bytes]


class DerivedAgain(NamedTuple):
    """The withdrawal after which a source derived again what the source `before` had derived."""

    occurred_at: int
    position: int
    source: str
    before: str


class ChainEnd(NamedTuple):
    """The last position of a log and its digest, in the form that `verify(expect=)` takes."""

    position: int
    digest: str

    def __str__(self) -> str:
        """Write it as `POSITION:DIGEST`."""
        return f"{self.position}:{self.digest}"


ALWAYS: Final = 2**63 - 1
"""An upper bound that excludes nothing: greater than every instant and every position."""

LONG_AGO: Final = -(2**63)
"""A lower bound that excludes nothing: earlier than every instant."""


class VisiblePart(NamedTuple):
    """The part of one branch's own events that a branch sees; both bounds are inclusive."""

    branch: int
    position: int
    occurred_at: int

    def within(self, *, position: int, occurred_at: int) -> VisiblePart:
        """Return the part that is also within these bounds, which are inclusive."""
        return VisiblePart(
            self.branch, min(self.position, position), min(self.occurred_at, occurred_at)
        )

    def includes(self, position: int, occurred_at: int) -> bool:
        """Return whether the part includes an event of its branch."""
        return position <= self.position and occurred_at <= self.occurred_at

    def values(self) -> dict[str, int]:
        """Return the bounds as parameters for statements."""
        return {"branch": self.branch, "position": self.position, "occurred": self.occurred_at}
