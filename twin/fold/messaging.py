"""What one queue manager has of messages: where they lie, handles, and what was counted of routes.

Messages lie on local queues in the order in which they came, and on transmission queues in that
order for each channel, as a message channel agent takes them by the channel's name.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeAlias

from twin.events import Parcel, Share

RouteKey: TypeAlias = tuple[str, str]
"""(the destination's QMID, channel)."""


class RouteUse(NamedTuple):
    """What is counted of a route: its turn (DestSeqNumber), and its weight (DestSeqFactor).

    Source: IBM MQ 9.2, "Fields in MQWDR".
    """

    number: int = 0
    factor: int = 0


NEVER: Final = RouteUse()
"""What is counted of a route that was never used."""


@dataclass(slots=True)
class Workload:
    """What is counted of the routes of a queue manager; `last` is the latest turn."""

    uses: dict[RouteKey, RouteUse] = field(default_factory=dict)
    last: int = 0


class Handle(NamedTuple):
    """An open queue of an application.

    `bind` is '' where no cluster is asked; `bound` is where bind open bound it to; `group` is the
    group that a logically ordered put last began, and `grouped` where that is bound to.
    """

    queue: str
    base: str
    to: str
    bind: str
    profile: str
    bound: Share | None
    group: str = ""
    grouped: Share | None = None


class Switch(NamedTuple):
    """A channel's change of transmission queue that is not finished: from, and to."""

    queue: str
    to: str
    position: int


@dataclass(slots=True)
class Messaging:
    """All that one queue manager has of messages.

    Attributes:
        local: queue -> the messages on it, first things first.
        waiting: transmission queue -> channel -> the messages on it for that channel.
        handles: open handles by the name the application gives them.
        workload: what was counted of routes.
        assigned: channel -> its transmission queue, where it is not the default of all.
        switching: channels whose switch is not finished.
        held: channels that send nothing though they run.
        held_switch: channels whose switch does not end.
        in_doubt: channel -> how many of the first messages for it are in doubt.
        at_risk: channel -> how many non-persistent ones went outside syncpoint.
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

    def depth(self, queue: str) -> int:
        """Return how many messages are on a queue (CURDEPTH), repository commands not counted."""
        lying = sum(parcel.count for parcel in self.local.get(queue, ()))
        return lying + sum(parcel.count for parcel in self.on(queue))

    def on(self, queue: str) -> Iterator[Parcel]:
        """Go through what waits on a transmission queue, channel by channel."""
        for parcels in self.waiting.get(queue, {}).values():
            yield from parcels

    def waiting_for(self, channel: str) -> Iterator[tuple[str, Parcel]]:
        """Go through what waits for a channel, with the transmission queue it lies on.

        What is to leave first comes first: a switch moves the older ones to the new queue.
        """
        switch = self.switching.get(channel)
        queues = sorted(
            self.waiting, key=lambda queue: switch is not None and queue == switch.queue
        )
        for queue in queues:
            for parcel in self.waiting[queue].get(channel, ()):
                yield queue, parcel

    def channels(self) -> list[str]:
        """Name the channels that messages wait for."""
        return sorted({channel for channels in self.waiting.values() for channel in channels})

    def waits_for(self, channel: str) -> bool:
        """Say whether any message waits for a channel."""
        return any(channel in channels for channels in self.waiting.values())
