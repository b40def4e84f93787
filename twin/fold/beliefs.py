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
    """One record as one queue manager holds it; `since` is when it first came as it is."""

    owner: str
    owner_name: str
    values: Values
    since: Instant
    receipt: Receipt

    @property
    def sequence(self) -> int:
        """The publication it came in."""
        return self.receipt.sequence

    @property
    def published(self) -> Instant:
        """The instant the owner sent it, which starts its 30 days."""
        return self.receipt.published

    @property
    def source(self) -> str:
        """The name of the queue manager that it came from."""
        return self.receipt.source

    @property
    def received(self) -> Instant:
        """When it came here."""
        return self.receipt.received

    @property
    def position(self) -> int:
        """The position of the event by which it came."""
        return self.receipt.position


Instance: TypeAlias = tuple[str, Belief]
"""The cluster and the believed record of one instance of a queue or queue manager name."""


class Subscription(NamedTuple):
    """A request of a partial repository for everything of a name."""

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
    """Repository commands on a link that takes its time."""

    cluster: str
    to: str
    arrives: Instant
    position: int
    items: tuple[Item, ...]
    asks: tuple[tuple[str, str], ...]
    removals: tuple[Removal, ...] = ()
