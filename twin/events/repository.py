"""What cluster repositories publish, receive, ask for and hold back."""

from __future__ import annotations

from pydantic.dataclasses import dataclass

from twin.events.base import Event, Values, event


@dataclass(frozen=True, kw_only=True, slots=True)
class RecordPublished:
    """One thing a queue manager tells its cluster: itself by a channel, a queue or a topic."""

    kind: str
    name: str
    values: Values
    deleted: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Item:
    """Records on their way: those of one publication, all of them or the named (kind, name)."""

    owner: str
    sequence: int
    only: tuple[tuple[str, str], ...] | None = None


@event
class InformationPublished(Event):
    """A queue manager published records about itself in a cluster.

    `sequence` counts its publications; the records live 30 days from this instant.
    """

    qmid: str
    cluster: str
    sequence: int
    records: tuple[RecordPublished, ...]


@event
class InformationReceived(Event):
    """A queue manager was told records by another, the sender; each item names its publication."""

    sender: str
    cluster: str
    items: tuple[Item, ...]


@event
class SubscriptionMade(Event):
    """A partial repository asked for everything of a name, now and in future."""

    cluster: str
    kind: str
    name: str


@event
class SubscriptionReferenced(Event):
    """A subscription was used again for the first time since it was made."""

    cluster: str
    kind: str
    name: str


@event
class SubscriptionReceived(Event):
    """A full repository took note of a subscription of another queue manager, by its QMID."""

    subscriber: str
    cluster: str
    kind: str
    name: str


@event
class ClusterCommandsQueued(Event):
    """Repository commands wait on the transmission queue of a channel that cannot run.

    `to` is the QMID of the queue manager they are for; `items` are records to be told; `asks` are
    subscriptions, as (kind, name).
    """

    channel: str
    to: str
    cluster: str
    items: tuple[Item, ...] = ()
    asks: tuple[tuple[str, str], ...] = ()


@event
class ClusterCommandsSent(Event):
    """All repository commands that waited for a channel left its transmission queue."""

    channel: str
