"""Cluster repositories: records and repository commands, from publication to expiry."""

from __future__ import annotations

from typing import ClassVar, Final

from twin.events.base import (
    ChannelEvent,
    ClusterEvent,
    Event,
    PrimaryFact,
    StatedObservation,
    Values,
    event,
    family,
    value,
)
from twin.model.cluster_records import ALTERED
from twin.model.instants import Instant

INSTANT_KEYWORDS: Final = frozenset({ALTERED})
"""The keywords in the values of a published record that hold instants."""


@value
class RecordPublished:
    """One record that a queue manager publishes: itself by a channel, a queue or a topic."""

    kind: str
    name: str
    values: Values
    deleted: bool = False


@value
class RecordSaid:
    """One record that a queue manager was seen to hold.

    `name` is that of the record; of a queue manager, its channel. `owner` is a QMID,
    '' where it was not shown. `received` is when the queue manager last received the record, where
    it says so. `deftype` is DEFTYPE of a queue manager's row, '' where it was not shown.

    `ALTERED` in `values` is the local time of the owner as it was shown, as `on_clock` has it; in
    the row of the observer itself, and in logs of version 0.2 and before, it is an instant.
    """

    cluster: str
    name: str
    owner: str
    owner_name: str
    values: Values
    received: Instant | None = None
    deftype: str = ""


@value
class Item:
    """Records of one publication that are sent: all of them, or only those named (kind, name)."""

    owner: str
    sequence: int
    only: tuple[tuple[str, str], ...] | None = None


@value
class Removal:
    """A member, by QMID, that was removed from a cluster by force, with or without its queues."""

    member: str
    queues: bool = False


@value
class RepositoryCommand:
    """A repository command as a message on a queue.

    `sender` is the QMID of the queue manager that put it, at the instant `since`; the other fields
    are those of `ClusterCommandsQueued`.
    """

    sender: str
    cluster: str
    since: Instant
    items: tuple[Item, ...] = ()
    asks: tuple[tuple[str, str], ...] = ()
    removals: tuple[Removal, ...] = ()
    answers: tuple[tuple[str, str], ...] = ()


@event
class InformationPublished(Event):
    """A queue manager published records about itself in a cluster.

    `sequence` is the number of the publication; its records expire after 30 days. `rank` is the
    number by which others order it, if that is not its sequence.
    """

    qmid: str
    cluster: str
    sequence: int
    records: tuple[RecordPublished, ...]
    rank: int | None = None


@event
class InformationRepublished(Event):
    """A queue manager sent unchanged records again; they expire after 30 days.

    `names` are the (kind, name) of the records; `was` is the earlier publication, if all of them
    were in one.
    """

    qmid: str
    cluster: str
    sequence: int
    names: tuple[tuple[str, str], ...]
    was: int | None = None
    rank: int | None = None


@event
class InformationReceived(Event):
    """A queue manager received records from another; each item names its publication."""

    sender: str
    cluster: str
    items: tuple[Item, ...]


@event
class BeliefsObserved(StatedObservation):
    """A queue manager was seen to hold these records of others: its beliefs at that instant.

    `kind` is that of the records: qmgr, queue or topic. `said` has them in the order of cluster,
    name and owner, with the queue manager's own records: such a row of a queue manager is its
    CLUSRCVR. `columns` are the attributes that were shown; those that a record does not have had
    their defaults. `assumes_utc`: the zone of its local times was unknown.
    """

    understood_since: ClassVar[str] = "0.2.0"

    said: tuple[RecordSaid, ...] = ()
    columns: tuple[str, ...] = ()
    assumes_utc: bool = False


@value
class RecordDate:
    """When a record was published: (cluster, kind, name) of the record, the QMID of its owner."""

    cluster: str
    kind: str
    name: str
    owner: str
    published: Instant


@event
class RecordsDated(Event):
    """Records that a queue manager holds were published at other instants than those derived.

    CLUSDATE and CLUSTIME show since when a record was known somewhere; its owner sends it again
    every 27 days.
    """

    understood_since: ClassVar[str] = "0.2.0"

    records: tuple[RecordDate, ...]


@event
class InformationExpired(ClusterEvent):
    """Records that were not republished for 30 days expired at a queue manager."""

    items: tuple[Item, ...]


@event
class InformationRemoved(ClusterEvent):
    """Records that were not republished for 90 days were removed at a queue manager."""

    items: tuple[Item, ...]


@event
class RenewalOverdue(ClusterEvent):
    """A queue manager warned in its error log that records were not republished.

    `id` is AMQ9469 at a full repository, AMQ9456 elsewhere. `owner` is a QMID; `names` are the
    (kind, name) of the records. The republication was due `days` days ago; the records are
    removed in `left` days.
    """

    id: str
    owner: str
    names: tuple[tuple[str, str], ...]
    days: int
    left: int


@family
class CommandsEvent(ChannelEvent):
    """Something that happened to repository commands that are to be sent over a channel.

    `to` is the QMID of the destination; `items` are records; `asks` are subscriptions, as
    (kind, name); `removals` are members that were removed by force; `answers` are the
    subscriptions of the destination that the records, or their absence, answer.
    """

    to: str
    cluster: str
    items: tuple[Item, ...] = ()
    asks: tuple[tuple[str, str], ...] = ()
    removals: tuple[Removal, ...] = ()
    answers: tuple[tuple[str, str], ...] = ()


@event
class ClusterCommandsQueued(CommandsEvent):
    """Repository commands wait on the transmission queue of a channel that cannot run."""


@event
class ClusterCommandsSent(ChannelEvent):
    """The first `count` repository commands that waited for a channel were sent; None: all."""

    count: int | None = None


@event
class ClusterCommandsExpired(ChannelEvent):
    """Repository commands that waited for a channel since `since` or earlier expired."""

    since: Instant


@event
class ClusterCommandsUnderWay(CommandsEvent):
    """Repository commands were sent over a link with latency; they arrive at `arrives`."""

    arrives: Instant


@event
class ClusterCommandsArrived(ChannelEvent):
    """The repository commands on a link that were due by now arrived."""


@event
class ClusterCommandsPut(ChannelEvent):
    """A repository command that arrived over a channel was put on a queue.

    On the command queue it waits for the repository manager. With a `reason` (a reason code) it
    could not be put there, and `queue` is the dead-letter queue.
    """

    queue: str
    command: RepositoryCommand
    reason: int = 0


@event
class ClusterCommandsTaken(Event):
    """Repository commands were taken off a queue: `count` messages after the first `place`.

    The repository manager has read them; `expired` ones are discarded instead.
    """

    queue: str
    place: int
    count: int = 1
    expired: bool = False


@event
class ClusterCommandsKept(CommandsEvent):
    """The repository manager could not put repository commands on their transmission queue.

    It keeps them until it can.
    """


@event
class ClusterCommandsResumed(Event):
    """The repository manager puts the first commands that it had kept on their queue."""


@event
class RepositoryStorageExhausted(PrimaryFact):
    """The repository of a queue manager ran out of storage; it gets more at the next start."""


@event
class PageSetFilled(PrimaryFact):
    """On z/OS, the page set of a storage class became full; or not full any more, without `full`.

    No more messages can be put on the queues of that storage class.
    """

    understood_since: ClassVar[str] = "0.2.0"

    stgclass: str
    full: bool = True


@event
class RepositoryManagerFailed(Event):
    """An operation of the repository manager failed: a put on `queue`, with the code `reason`.

    Without a queue, it had no storage for a record or a subscription. It runs the operation again
    after the time `after`, and the queue manager ends after the time `left` without success, in
    microseconds. On z/OS both are None: the repository manager waits for its command queue.
    `seen` says that an error log has it: then the queue and the reason are those of the record
    before, if that has them.
    """

    queue: str
    reason: int
    after: int | None = None
    left: int | None = None
    seen: bool | None = None


@event
class RepositoryManagerPostponed(Event):
    """A failed operation waits for the command queue to be get-enabled; its clock stops."""


@event
class RepositoryManagerRestarted(Event):
    """The operation of the repository manager that had failed succeeded."""
