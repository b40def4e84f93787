"""What is known of a record, and what is asked for: the values that a repository keeps."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from twin.events import Item, RecordPublished, Removal
from twin.events.base import Values
from twin.model.instants import Instant

Name: TypeAlias = tuple[str, str, str]
"""(cluster, kind, name): what is asked for."""

Contents: TypeAlias = dict[tuple[str, str], RecordPublished]
"""Records of one owner, by (kind, name)."""


class Publication(NamedTuple):
    """What an owner published at one instant, by (kind, name).

    `rank` is how others order it among the owner's: its sequence number, or less after the owner
    was put back to an earlier state.
    """

    cluster: str
    sequence: int
    instant: Instant
    records: Contents
    position: int
    rank: int


@dataclass(slots=True)
class Came:
    """How records came, all of one publication that one queue manager was told of at once.

    `published` is the instant the owner sent them, and starts their 30 days; `received` is when
    they came here, from `source` (a queue manager's name); `held` counts what is held of them. When
    all of that is sent again this is what changes, and no record is touched.
    """

    sequence: int
    published: Instant
    source: str
    received: Instant
    position: int
    held: int = field(default=0, compare=False)


class Belief(NamedTuple):
    """One record as one queue manager holds it; `since` is when it first came as it is."""

    owner: str
    owner_name: str
    values: Values
    since: Instant
    came: Came

    @property
    def sequence(self) -> int:
        """The publication it came in."""
        return self.came.sequence

    @property
    def published(self) -> Instant:
        """The instant the owner sent it, which starts its 30 days."""
        return self.came.published

    @property
    def source(self) -> str:
        """The name of the queue manager that it came from."""
        return self.came.source

    @property
    def received(self) -> Instant:
        """When it came here."""
        return self.came.received

    @property
    def position(self) -> int:
        """The position of the event by which it came."""
        return self.came.position


class Subscription(NamedTuple):
    """A request of a partial repository for everything of a name."""

    made: Instant
    position: int
    referenced: Instant | None = None


class Waiting(NamedTuple):
    """Repository commands on the transmission queue of a channel that cannot run."""

    cluster: str
    to: str
    since: Instant
    position: int
    items: tuple[Item, ...]
    asks: tuple[tuple[str, str], ...]
    removals: tuple[Removal, ...] = ()


class UnderWay(NamedTuple):
    """Repository commands on a link that takes its time."""

    cluster: str
    to: str
    arrives: Instant
    position: int
    items: tuple[Item, ...]
    asks: tuple[tuple[str, str], ...]
    removals: tuple[Removal, ...] = ()
