"""What goes into the log and comes out of it. Instants are microseconds since 1970 UTC."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias


class NewEvent(NamedTuple):
    """An event on its way into the log.

    `cause` is None for a primary fact, else the `event_id` of the fact it was derived from.
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


Row: TypeAlias = tuple[int, int, str, str]
"""(occurred_at, position, type, body): the lean row the fold eats."""


class Appended(NamedTuple):
    """Where a batch stands; `recorded` is false when it stood there before (or was empty)."""

    first: int
    last: int
    recorded: bool


class Head(NamedTuple):
    """The last position a branch sees, the latest instant, and when the last was recorded."""

    position: int
    occurred_at: int | None
    recorded_at: int | None


class Branch(NamedTuple):
    """A line of events.

    It sees its parent's line as far as `fork_position` and `fork_occurred_at` both reach, and its
    own events. Main has no parent and nothing to inherit.
    """

    id: int
    name: str
    parent: str | None
    fork_position: int
    fork_occurred_at: int


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A kept fold of all that a branch saw with `occurred_at <= valid` and position <= `position`.

    Attributes:
        pages: the number of each page's content by the page's name; `load_pages` fetches them.
    """

    branch: str
    valid: int
    position: int
    version: int
    pages: Mapping[str, int]


class Verified(NamedTuple):
    """What a sound log is: its last position and digest, as `verify(expect=)` wants them."""

    position: int
    digest: str

    def __str__(self) -> str:
        """Write it as `POSITION:DIGEST`."""
        return f"{self.position}:{self.digest}"
