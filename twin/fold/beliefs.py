"""The values that a repository holds: records, publications, requests and commands."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from twin.events import Item, RecordPublished, Removal
from twin.events.base import Values
from twin.model.instants import Instant

Name: TypeAlias = tuple[str, str, str]
"""(cluster, kind, name): what records and requests are about."""

Contents: TypeAlias = dict[tuple[str, str], RecordPublished]
"""Records of one owner, by (kind, name)."""


class Publication(NamedTuple):
    """What an owner published at one instant, by (kind, name).

    Others order the publications of an owner by `rank`: the sequence number, or a lower number
    after the owner was restored to an earlier state.
    """

    cluster: str
    sequence: int
    instant: Instant
    records: Contents
    position: int
    rank: int


@dataclass(slots=True)
class Receipt:
    """How records came: all of one publication that one queue manager received at once.

    A renewal of all these records changes only this, and none of the records.

    Attributes:
        sequence: the number of the publication.
        published: the instant at which the owner sent them, from which their 30 days count.
        source: the name of the queue manager that they came from.
        received: the instant at which they arrived.
        position: the position of the event by which they arrived.
        record_count: how many records are held with this receipt.
    """

    sequence: int
    published: Instant
    source: str
    received: Instant
    position: int
    record_count: int = field(default=0, compare=False)


class Belief(NamedTuple):
    """One record as one queue manager holds it; `since` is when it first came with these values."""

    owner: str
    owner_name: str
    values: Values
    since: Instant
    receipt: Receipt

    @property
    def sequence(self) -> int:
        """The number of the publication that it came in."""
        return self.receipt.sequence

    @property
    def published(self) -> Instant:
        """The instant at which the owner sent it, from which its 30 days count."""
        return self.receipt.published

    @property
    def source(self) -> str:
        """The name of the queue manager that it came from."""
        return self.receipt.source

    @property
    def received(self) -> Instant:
        """The instant at which it arrived."""
        return self.receipt.received

    @property
    def position(self) -> int:
        """The position of the event by which it arrived."""
        return self.receipt.position


Instance: TypeAlias = tuple[str, Belief]
"""The cluster and the believed record of one instance of a queue or queue manager name."""


class Subscription(NamedTuple):
    """A request of a partial repository for all records of a name.

    `referenced` is when it was last used, None if it was not.
    """

    made: Instant
    position: int
    referenced: Instant | None = None


class QueuedCommands(NamedTuple):
    """Repository commands on the transmission queue of a channel that cannot run."""

    cluster: str
    to: str
    since: Instant
    position: int
    items: tuple[Item, ...]
    asks: tuple[tuple[str, str], ...]
    removals: tuple[Removal, ...] = ()


class CommandsInTransit(NamedTuple):
    """Repository commands on a slow link."""

    cluster: str
    to: str
    arrives: Instant
    position: int
    items: tuple[Item, ...]
    asks: tuple[tuple[str, str], ...]
    removals: tuple[Removal, ...] = ()
