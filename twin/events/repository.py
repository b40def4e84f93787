"""What cluster repositories publish, receive, ask for and hold back."""

from __future__ import annotations

from typing import Final

from twin.events.base import Event, Values, event, value
from twin.model.instants import Instant

INSTANT_KEYWORDS: Final = frozenset({"ALTERED"})
"""The keywords in the values of a published record that hold instants."""


@value
class RecordPublished:
    """One record that a queue manager publishes: itself by a channel, a queue or a topic."""

    kind: str
    name: str
    values: Values
    deleted: bool = False


@value
class Item:
    """Records on their way: those of one publication, all of them or the named (kind, name)."""

    owner: str
    sequence: int
    only: tuple[tuple[str, str], ...] | None = None


@value
class Removal:
    """Who was removed from a cluster by force: a QMID, with or without its queues."""

    member: str
    queues: bool = False


@event
class InformationPublished(Event):
    """A queue manager published records about itself in a cluster.

    `sequence` counts its publications; the records live 30 days from this instant. `rank` is how
    others order it, where that is not its sequence.
    """

    qmid: str
    cluster: str
    sequence: int
    records: tuple[RecordPublished, ...]
    rank: int | None = None


@event
class InformationRepublished(Event):
    """A queue manager sent records again as they were; they live 30 days from this instant.

    `names` are the (kind, name) of the records; `was` is the publication that all of them were in
    before, where it is one.
    """

    qmid: str
    cluster: str
    sequence: int
    names: tuple[tuple[str, str], ...]
    was: int | None = None
    rank: int | None = None


@event
class InformationReceived(Event):
    """A queue manager was told records by another, the sender; each item names its publication."""

    sender: str
    cluster: str
    items: tuple[Item, ...]


@event
class InformationExpired(Event):
    """Records that were not renewed for 30 days expired where they are held."""

    cluster: str
    items: tuple[Item, ...]


@event
class InformationRemoved(Event):
    """Records that were not renewed for 90 days were removed where they were held."""

    cluster: str
    items: tuple[Item, ...]


@event
class RenewalOverdue(Event):
    """A queue manager warned in its error log that records were not renewed.

    `id` is AMQ9469 at a full repository, AMQ9456 elsewhere; `owner` is a QMID; `names` are the
    (kind, name) it is about; `days` have passed since the renewal was due, `left` remain until
    the records are removed.
    """

    cluster: str
    id: str
    owner: str
    names: tuple[tuple[str, str], ...]
    days: int
    left: int


@event
class ClusterCommandsQueued(Event):
    """Repository commands wait on the transmission queue of a channel that cannot run.

    `to` is the QMID of the queue manager they are for; `items` are records to be told; `asks` are
    subscriptions, as (kind, name); `removals` say who was removed by force.
    """

    channel: str
    to: str
    cluster: str
    items: tuple[Item, ...] = ()
    asks: tuple[tuple[str, str], ...] = ()
    removals: tuple[Removal, ...] = ()


@event
class ClusterCommandsSent(Event):
    """All repository commands that waited for a channel left its transmission queue."""

    channel: str


@event
class ClusterCommandsExpired(Event):
    """Repository commands that had waited for a channel since `since`, or longer, expired."""

    channel: str
    since: Instant


@event
class ClusterCommandsUnderWay(Event):
    """Repository commands left over a link that takes its time; they arrive at `arrives`."""

    channel: str
    to: str
    cluster: str
    arrives: Instant
    items: tuple[Item, ...] = ()
    asks: tuple[tuple[str, str], ...] = ()
    removals: tuple[Removal, ...] = ()


@event
class ClusterCommandsArrived(Event):
    """The repository commands under way on a channel that were to arrive by now did so."""

    channel: str
