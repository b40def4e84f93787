"""How many messages were put, got, sent, received and reallocated since the log began.

Counted are messages that applications, channels and runmqdlq put on a queue or get from it, as the
statistics of a queue manager count MQPUT and MQGET calls of all of them. Moves between transmission
queues (reallocation, switching) are no puts and no gets here [decided here].

Source: IBM MQ 9.4, "Metrics published on the system topics" (classes STATQ and STATMQI).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from twin.events import (
    DeadLettersHandled,
    Event,
    MessagesArrived,
    MessagesCirculated,
    MessagesGot,
    MessagesPut,
    MessagesReallocated,
    MessagesRedirected,
    MessagesSent,
    Share,
)
from twin.model.instants import Instant

QueueAt: TypeAlias = tuple[str, str]
"""A queue manager, and one of its queues."""

ChannelAt: TypeAlias = tuple[str, str]
"""A queue manager, and one of its channels."""


@dataclass(slots=True)
class MessageTraffic:
    """The messages counted so far.

    Attributes:
        put, got: how many messages were put on each queue, and got from it.
        last_put, last_got: when that was done last.
        put_at, got_at: the sums over the queues of each queue manager.
        sent: how many messages each channel sent.
        arrived: (receiving queue manager, channel, sender) -> how many messages arrived.
        reallocated: (queue manager, channel, cause) -> how many messages passes moved.
    """

    put: Counter[QueueAt] = field(default_factory=Counter)
    got: Counter[QueueAt] = field(default_factory=Counter)
    last_put: dict[QueueAt, Instant] = field(default_factory=dict)
    last_got: dict[QueueAt, Instant] = field(default_factory=dict)
    put_at: Counter[str] = field(default_factory=Counter)
    got_at: Counter[str] = field(default_factory=Counter)
    sent: Counter[ChannelAt] = field(default_factory=Counter)
    arrived: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    reallocated: Counter[tuple[str, str, str]] = field(default_factory=Counter)

    def count(self, at: Instant, event: Event) -> None:
        """Count the messages of an event, if it is one of `READS`."""
        if (counting := _COUNTING.get(type(event))) is not None:
            counting(self, event, at)

    def add_put(self, qmgr: str, queue: str, count: int, at: Instant) -> None:
        """Count messages that were put on a queue."""
        if count:
            self.put[qmgr, queue] += count
            self.put_at[qmgr] += count
            self.last_put[qmgr, queue] = at

    def add_got(self, qmgr: str, queue: str, count: int, at: Instant) -> None:
        """Count messages that were got from a queue."""
        if count:
            self.got[qmgr, queue] += count
            self.got_at[qmgr] += count
            self.last_got[qmgr, queue] = at

    def add_shares(self, qmgr: str, shares: Iterable[Share], at: Instant) -> None:
        """Count messages that were put on several queues."""
        for share in shares:
            self.add_put(qmgr, share.lies_on, share.count, at)


def _putting(traffic: MessageTraffic, event: MessagesPut | MessagesRedirected, at: Instant) -> None:
    traffic.add_shares(event.qmgr, event.shares, at)


def _sending(traffic: MessageTraffic, event: MessagesSent, at: Instant) -> None:
    traffic.sent[event.qmgr, event.over or event.channel] += event.count
    traffic.add_got(event.qmgr, event.queue, event.count, at)


def _arriving(traffic: MessageTraffic, event: MessagesArrived, at: Instant) -> None:
    count = sum(parcel.count for parcel in event.parcels)
    traffic.arrived[event.qmgr, event.channel, event.sender] += count
    traffic.add_put(event.qmgr, event.queue, count, at)


def _circulating(traffic: MessageTraffic, event: MessagesCirculated, at: Instant) -> None:
    del at
    count = sum(parcel.count for parcel in event.parcels)
    traffic.arrived[event.qmgr, event.channel, event.sender] += count


def _forwarding(traffic: MessageTraffic, event: MessagesRedirected, at: Instant) -> None:
    count = sum(parcel.count for parcel in event.parcels)
    traffic.arrived[event.qmgr, event.channel, event.sender] += count
    _putting(traffic, event, at)


def _handling(traffic: MessageTraffic, event: DeadLettersHandled, at: Instant) -> None:
    traffic.add_got(event.qmgr, event.queue, event.count, at)
    traffic.add_shares(event.qmgr, event.shares, at)


def _moving(traffic: MessageTraffic, event: MessagesReallocated, at: Instant) -> None:
    del at
    moved = sum(move.share.count for move in event.moves)
    traffic.reallocated[event.qmgr, event.channel, event.cause] += moved


_COUNTING: Final[Mapping[type[Event], Callable[[MessageTraffic, Any, Instant], None]]] = {
    MessagesPut: _putting,
    MessagesGot: lambda traffic, event, at: traffic.add_got(
        event.qmgr, event.queue, event.count, at
    ),
    MessagesSent: _sending,
    MessagesArrived: _arriving,
    MessagesRedirected: _forwarding,
    MessagesCirculated: _circulating,
    MessagesReallocated: _moving,
    DeadLettersHandled: _handling,
}

READS: Final = frozenset(_COUNTING)
"""The events that are counted."""
