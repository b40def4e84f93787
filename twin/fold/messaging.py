"""The messaging of one queue manager: messages on queues, handles, and workload counters.

A local queue has its messages in the order of their arrival. A transmission queue has them in that
order for each channel, because a message channel agent gets them by the channel's name.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeAlias

from twin.events import Caller, Parcel, Share
from twin.fold.parcels import split

RouteKey: TypeAlias = tuple[str, str]
"""(the destination's QMID, channel)."""


class RouteUse(NamedTuple):
    """The counters of a route: the number of its last use (DestSeqNumber), and DestSeqFactor.

    Source: IBM MQ 9.2, "Fields in MQWDR".
    """

    number: int = 0
    factor: int = 0


NEVER: Final = RouteUse()
"""The counters of a route that was never used."""


@dataclass(slots=True)
class Workload:
    """The counters of all routes of a queue manager; `last` is the number of the latest use."""

    uses: dict[RouteKey, RouteUse] = field(default_factory=dict)
    last: int = 0


class Handle(NamedTuple):
    """An open queue of an application.

    Attributes:
        queue, base, to: the name that was opened, the queue that it resolved to, and the queue
            manager that was named.
        bind: the bind option; '' if the queue is not looked up in a cluster.
        profile: the order of the workload rules.
        bound: the destination that bind open fixed.
        group: the group that a put in logical order began most recently.
        grouped: the destination of that group.
        exit_failed: whether the workload exit failed, so that it is not called again.
        caller: the user that opened it; None if none was given.
    """

    queue: str
    base: str
    to: str
    bind: str
    profile: str
    bound: Share | None
    group: str = ""
    grouped: Share | None = None
    exit_failed: bool = False
    caller: Caller | None = None


class Switch(NamedTuple):
    """An unfinished switch of a channel from the transmission queue `queue` to `to`.

    `stopped` is the reason code for which it has stopped; 0 if it has not.
    """

    queue: str
    to: str
    position: int
    stopped: int = 0


@dataclass(slots=True)
class Messaging:
    """The messaging of one queue manager.

    Attributes:
        local: queue -> its messages, oldest first.
        waiting: transmission queue -> channel -> its messages for that channel.
        handles: open handles by the name that the application gives them.
        workload: the counters of routes.
        assigned: channel -> its transmission queue, if it is not the default.
        switching: the unfinished switch of each channel that has one.
        held: channels that run but are kept from sending.
        held_switch: channels whose switch is kept from ending.
        in_doubt: channel -> how many of its first messages are in doubt.
        at_risk: channel -> how many nonpersistent messages were sent outside syncpoint.
        kept: sender or server channel -> the transmission queue that it has although its XMITQ was
            altered.
        inhibited: transmission queue -> its GET and TRIGGER before its channel was STOPPED.
        full_classes: the storage classes of z/OS whose page set is full.
    """

    local: dict[str, list[Parcel]] = field(default_factory=dict)
    waiting: dict[str, dict[str, list[Parcel]]] = field(default_factory=dict)
    handles: dict[str, Handle] = field(default_factory=dict)
    workload: Workload = field(default_factory=Workload)
    assigned: dict[str, str] = field(default_factory=dict)
    switching: dict[str, Switch] = field(default_factory=dict)
    held: dict[str, None] = field(default_factory=dict)
    held_switch: dict[str, None] = field(default_factory=dict)
    in_doubt: dict[str, int] = field(default_factory=dict)
    at_risk: dict[str, int] = field(default_factory=dict)
    kept: dict[str, str] = field(default_factory=dict)
    inhibited: dict[str, tuple[str, str]] = field(default_factory=dict)
    full_classes: dict[str, None] = field(default_factory=dict)

    def depth(self, queue: str) -> int:
        """Return how many messages are on a queue (CURDEPTH), without repository commands."""
        placed = sum(parcel.count for parcel in self.local.get(queue, ()))
        return placed + sum(parcel.count for parcel in self.on(queue))

    def on(self, queue: str) -> Iterator[Parcel]:
        """Iterate over the messages on a transmission queue, channel by channel."""
        for parcels in self.waiting.get(queue, {}).values():
            yield from parcels

    def channels(self) -> list[str]:
        """Return the channels that messages wait for."""
        return sorted({channel for channels in self.waiting.values() for channel in channels})

    def waits_for(self, channel: str) -> bool:
        """Return whether any message waits for a channel."""
        return any(channel in channels for channels in self.waiting.values())

    def place(self, queue: str, parcel: Parcel) -> None:
        """Add messages to a local queue, or to a transmission queue under their channel."""
        if parcel.channel:
            self.waiting.setdefault(queue, {}).setdefault(parcel.channel, []).append(parcel)
        else:
            self.local.setdefault(queue, []).append(parcel)

    def return_to_head(self, queue: str, channel: str, returned: tuple[Parcel, ...]) -> None:
        """Put messages back at the head of their transmission queue."""
        waiting = self.waiting.setdefault(queue, {}) if channel else self.local
        waiting.setdefault(channel or queue, [])[:0] = returned

    def take(
        self, queue: str, channel: str, count: int, *, nonpersistent: bool = False
    ) -> list[Parcel]:
        """Take the first messages off a queue and return them.

        Args:
            queue: the queue.
            channel: the channel whose messages are taken off a transmission queue; '' for the
                messages that wait for no particular channel.
            count: how many to take; all of them if there are fewer.
            nonpersistent: whether to take only nonpersistent messages.
        """
        on_queue = self.waiting.get(queue, {}) if channel else self.local
        waiting = on_queue.get(channel or queue, [])
        taken, rest = split(waiting, count, nonpersistent=nonpersistent)
        self.leave(queue, channel, rest)
        return taken

    def leave(self, queue: str, channel: str, rest: list[Parcel]) -> None:
        """Replace the messages on a queue by `rest`; drop the entry of the queue if it is empty.

        `channel` is '' for messages that wait for no particular channel.
        """
        on_queue = self.waiting.get(queue, {}) if channel else self.local
        if rest:
            on_queue[channel or queue] = rest
        else:
            on_queue.pop(channel or queue, None)
        if channel and not on_queue:
            self.waiting.pop(queue, None)
