"""The values in a repository: publications, records in memory or stored, requests and commands.

Calls wait for records that full repositories are asked for.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple, Protocol, TypeAlias

from twin.events import AnswerAwaited, Item, RecordPublished, Removal
from twin.events.base import Values
from twin.model.instants import Instant

RecordName: TypeAlias = tuple[str, str, str]
"""(cluster, kind, name): the subject of a record or a request."""

Contents: TypeAlias = dict[tuple[str, str], RecordPublished]
"""Records of one owner, by (kind, name)."""


class Publication(NamedTuple):
    """The records that an owner published at one instant, by (kind, name).

    Receivers order the publications of an owner by `rank`. It is the sequence number, or a lower
    number after the owner was restored to an earlier state.
    """

    cluster: str
    sequence: int
    instant: Instant
    records: Contents
    position: int
    rank: int


@dataclass(slots=True)
class Receipt:
    """The receipt of records: shared by all records of a publication that were received at once.

    A renewal of all these records changes only the receipt, and none of the records.

    Attributes:
        sequence: the number of the publication.
        published: the instant at which the owner sent them; they expire 30 days later.
        source: the name of the queue manager that sent them to this one.
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
    """One record as one queue manager holds it.

    `since` is the instant at which it was first received with these values.
    """

    owner: str
    owner_name: str
    values: Values
    since: Instant
    receipt: Receipt

    @property
    def sequence(self) -> int:
        """The number of its publication."""
        return self.receipt.sequence

    @property
    def published(self) -> Instant:
        """The instant at which the owner sent it; it expires 30 days later."""
        return self.receipt.published

    @property
    def source(self) -> str:
        """The name of the queue manager that sent it to this one."""
        return self.receipt.source

    @property
    def received(self) -> Instant:
        """The instant at which it arrived."""
        return self.receipt.received

    @property
    def position(self) -> int:
        """The position of the event by which it arrived."""
        return self.receipt.position


class LastSeen(NamedTuple):
    """The last observation of a record that a queue manager holds.

    Attributes:
        at: the instant at which it was seen.
        position: the position of the observation.
        received: when the queue manager received it, as CLUSDATE and CLUSTIME say; None if they
            were never shown.
        assumes_utc: whether the zone of these local times was unknown, and they were taken as UTC.
        deftype: DEFTYPE of a queue manager's row; '' if it was never shown.
        altered: ALTDATE and ALTTIME as they were shown; None if they were never shown.
        moved, kept: in how many renewals CLUSDATE was seen to move, and to stay.
    """

    at: Instant
    position: int
    received: Instant | None = None
    assumes_utc: bool = False
    deftype: str = ""
    altered: Instant | None = None
    moved: int = 0
    kept: int = 0


class Warned(NamedTuple):
    """What the error log of a queue manager last said of a record that was not renewed.

    Attributes:
        at: the instant of the warning.
        published: when its owner sent it last, to a day, as the days in the warning say.
        position: the position of the warning.
    """

    at: Instant
    published: Instant
    position: int


Instance: TypeAlias = tuple[str, Belief]
"""The cluster and the believed record of one instance of a queue or queue manager name."""


class Subscription(NamedTuple):
    """A request of a partial repository for all records of a name.

    `referenced` is when it was last used; None if it was not used since it was made. A request that
    is `assumed` counts as used when it is made.
    """

    made: Instant
    position: int
    referenced: Instant | None = None
    assumed: bool = False


class QueuedCommands(NamedTuple):
    """Repository commands on the transmission queue of a channel that cannot run."""

    cluster: str
    to: str
    since: Instant
    position: int
    items: tuple[Item, ...]
    asks: tuple[tuple[str, str], ...]
    removals: tuple[Removal, ...] = ()
    answers: tuple[tuple[str, str], ...] = ()


class CommandsInTransit(NamedTuple):
    """Repository commands in transit on a link with a delay."""

    cluster: str
    to: str
    arrives: Instant
    position: int
    items: tuple[Item, ...]
    asks: tuple[tuple[str, str], ...]
    removals: tuple[Removal, ...] = ()
    answers: tuple[tuple[str, str], ...] = ()


class Trouble(NamedTuple):
    """A failed operation of the repository manager that it runs again.

    Attributes:
        retry: when it runs again; None while the command queue is GET(DISABLED).
        ends: when the queue manager ends, or, while `retry` is None, how much time is left until
            then, in microseconds; None on z/OS.
        storage: whether it failed because the repository is out of storage.
        since: when an operation failed first, and none has succeeded since.
        queue: the queue on which a put failed; '' if that is not known.
        reason: the reason code of that.
        seen: whether an error log said it, and nobody but an error log says how it goes on.
        position: the position of what said it last.
    """

    retry: Instant | None
    ends: Instant | None
    storage: bool = False
    since: Instant = 0
    queue: str = ""
    reason: int = 0
    seen: bool = False
    position: int = 0


MANY: Final = "queue"
"""The kind of record of which there may be very many; a store reads these only on demand."""

PublicationKey: TypeAlias = tuple[str, int]
"""(owner's QMID, sequence)."""


class Records(Protocol):
    """Records that can be queried, whether they are in memory or still in their page."""

    def of_kind(self, kind: str, cluster: str | None) -> Iterator[tuple[RecordName, Belief]]:
        """Iterate over the records of a kind, of one cluster or of all."""

    def instances(self, name: RecordName) -> dict[str, Belief]:
        """Return the records of a name, by owner's QMID."""

    def queues_called(self, called: str) -> Iterator[tuple[RecordName, Belief]]:
        """Iterate over the records of queues of one name, in any cluster and any order."""

    def publications(self) -> Iterable[tuple[PublicationKey, Instant]]:
        """Iterate over the publications with held records, each with its instant."""

    def holds(self, publication: PublicationKey) -> bool:
        """Return whether any record of a publication is held."""


class StoredRecords(Records, Protocol):
    """Records that are still in their page: the protocol between a repository and its store.

    `of_kind` and `instances` are not called for the kind MANY.
    """

    def renew(
        self,
        cluster: str,
        owner: str,
        was: int,
        keys: Collection[tuple[str, str]],
        receipt: Receipt,
    ) -> bool:
        """Renew all held records of an owner, if they are exactly `keys` of publication `was`.

        Return whether they are; if not, nothing changes.
        """

    def read(self) -> HeldRecords:
        """Read all records, in the order in which they were written."""


@dataclass(slots=True)
class HeldRecords:
    """Records in memory, with their indexes; the attributes are described at `Repository`."""

    beliefs: dict[RecordName, dict[str, Belief]] = field(default_factory=dict)
    ever_held: dict[tuple[str, str], dict[tuple[str, str], None]] = field(default_factory=dict)
    by_publication: dict[PublicationKey, dict[RecordName, None]] = field(default_factory=dict)

    def of_kind(self, kind: str, cluster: str | None) -> Iterator[tuple[RecordName, Belief]]:
        """Iterate over the records of a kind, of one cluster or of all."""
        for name, owners in self.beliefs.items():
            if name[1] == kind and cluster in (None, name[0]):
                for belief in owners.values():
                    yield name, belief

    def instances(self, name: RecordName) -> dict[str, Belief]:
        """Return the records of a name, by owner's QMID."""
        return self.beliefs.get(name, {})

    def queues_called(self, called: str) -> Iterator[tuple[RecordName, Belief]]:
        """Iterate over the records of queues of one name, in any cluster."""
        for cluster in dict.fromkeys(cluster for cluster, _ in self.ever_held):
            name = (cluster, MANY, called)
            for belief in self.beliefs.get(name, {}).values():
                yield name, belief

    def publications(self) -> Iterator[tuple[PublicationKey, Instant]]:
        """Iterate over the publications with held records, each with its instant.

        After a late fact, the number in a backup may be another publication. So records of one
        number may have several instants.
        """
        for key in self.by_publication:
            for instant in self.instants(key):
                yield key, instant

    def instants(self, publication: PublicationKey) -> set[Instant]:
        """Return when the held records of a publication were published, usually one instant."""
        names, owner = self.by_publication.get(publication, ()), publication[0]
        if not names:
            return set()
        receipt = self.beliefs[next(iter(names))][owner].receipt
        if receipt.record_count >= len(names):  # all records share it
            return {receipt.published}
        return {self.beliefs[name][owner].receipt.published for name in names}

    def holds(self, publication: PublicationKey) -> bool:
        """Return whether any record of a publication is held."""
        return publication in self.by_publication


Names: TypeAlias = tuple[tuple[str, str], ...]
"""The (kind, name) of the records that are waited for."""


class WaitingCall(NamedTuple):
    """A call that waits: where and when it was recorded, and the event that says what it is."""

    position: int
    at: Instant
    call: AnswerAwaited


class AnswerWait(NamedTuple):
    """A wait for some names: since when, and the calls that wait, the first first."""

    since: Instant
    calls: tuple[WaitingCall, ...]
