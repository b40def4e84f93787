"""What a repository holds: publications, records in memory or stored, requests and commands."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple, Protocol, TypeAlias

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


MANY: Final = "queue"
"""The kind of record of which there may be very many; a store reads these only when asked."""

PublicationKey: TypeAlias = tuple[str, int]
"""(owner's QMID, sequence)."""


class Records(Protocol):
    """Records that can be queried: those in memory, or those still in their page."""

    def of_kind(self, kind: str, cluster: str | None) -> Iterator[tuple[Name, Belief]]:
        """Go through the records of a kind, of one cluster or of all."""

    def instances(self, name: Name) -> dict[str, Belief]:
        """Return the records of a name, by owner's QMID."""

    def queues_called(self, called: str) -> Iterator[tuple[Name, Belief]]:
        """Go through the records of queues of one name, in any cluster and any order."""

    def publications(self) -> Iterable[tuple[PublicationKey, Instant]]:
        """Go through the publications of which something is held, each with its instant."""

    def holds(self, publication: PublicationKey) -> bool:
        """Say whether anything of a publication is held."""


class StoredRecords(Records, Protocol):
    """Records still in their page, as a repository needs them from its store.

    `of_kind` and `instances` are asked of all kinds but MANY.
    """

    def renew(
        self,
        cluster: str,
        owner: str,
        was: int,
        keys: Collection[tuple[str, str]],
        receipt: Receipt,
    ) -> bool:
        """Renew all that is held of an owner, if it is just these keys, all of publication `was`.

        Return whether that was so; if not, nothing changes.
        """

    def read(self) -> HeldRecords:
        """Read all records, in the order in which they were written."""


@dataclass(slots=True)
class HeldRecords:
    """Records in memory, with their indexes; the attributes are described at `Repository`."""

    beliefs: dict[Name, dict[str, Belief]] = field(default_factory=dict)
    ever_held: dict[tuple[str, str], dict[tuple[str, str], None]] = field(default_factory=dict)
    by_publication: dict[PublicationKey, dict[Name, None]] = field(default_factory=dict)

    def of_kind(self, kind: str, cluster: str | None) -> Iterator[tuple[Name, Belief]]:
        """Go through the records of a kind, of one cluster or of all."""
        for name, owners in self.beliefs.items():
            if name[1] == kind and cluster in (None, name[0]):
                for belief in owners.values():
                    yield name, belief

    def instances(self, name: Name) -> dict[str, Belief]:
        """Return the records of a name, by owner's QMID."""
        return self.beliefs.get(name, {})

    def queues_called(self, called: str) -> Iterator[tuple[Name, Belief]]:
        """Go through the records of queues of one name, in any cluster."""
        for name, owners in self.beliefs.items():
            if name[2] == called and name[1] == MANY:
                for belief in owners.values():
                    yield name, belief

    def publications(self) -> Iterator[tuple[PublicationKey, Instant]]:
        """Go through the publications of which something is held, each with its instant."""
        for key, names in self.by_publication.items():
            yield key, self.beliefs[next(iter(names))][key[0]].receipt.published

    def holds(self, publication: PublicationKey) -> bool:
        """Say whether anything of a publication is held."""
        return publication in self.by_publication
