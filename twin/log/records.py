"""The values that the log takes and returns, and the parts of it that a branch sees.

Instants are microseconds since 1970 UTC.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias


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
