"""Counts the events that happened while time passed, by names that MQ administrators know."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from twin import events
from twin.events.catalogue import columns_of, decode
from twin.log import Log


class ActivityCounter(NamedTuple):
    """A type of event, and the number that one event of it adds."""

    event: type[events.Event]
    count: Callable[[Any], int]


def _changed_to(status: str) -> ActivityCounter:
    return ActivityCounter(events.ChannelStatusChanged, lambda event: event.status == status)


REPOSITORY_COUNTERS: Final[Mapping[str, ActivityCounter]] = {
    "resent": ActivityCounter(events.InformationRepublished, lambda _: 1),
    "expired": ActivityCounter(events.InformationExpired, lambda event: len(event.items)),
    "removed": ActivityCounter(events.InformationRemoved, lambda event: len(event.items)),
    "renewed": ActivityCounter(events.SubscriptionsRenewed, lambda event: len(event.asks)),
    "lapsed": ActivityCounter(events.SubscriptionsLapsed, lambda event: len(event.asks)),
    "warned": ActivityCounter(events.RenewalOverdue, lambda _: 1),
}
"""Republications by owners. Publications that expired and that were removed, counted at each queue
manager that held them. Requests that were renewed and that lapsed. Warnings.
"""

CHANNEL_COUNTERS: Final[Mapping[str, ActivityCounter]] = {
    "retried": ActivityCounter(events.MessagesReallocated, lambda event: event.cause == "retry"),
    "moved": ActivityCounter(
        events.MessagesReallocated, lambda event: sum(move.share.count for move in event.moves)
    ),
    "started": _changed_to("RUNNING"),
    "failed": _changed_to("RETRYING"),
    "stopped": _changed_to("STOPPED"),
    "sent": ActivityCounter(events.MessagesSent, lambda event: event.count),
    "arrived": ActivityCounter(
        events.MessagesArrived, lambda event: sum(parcel.count for parcel in event.parcels)
    ),
    "lost": ActivityCounter(events.MessagesLost, lambda event: event.count),
}
"""Retries that reallocated messages, and the messages that they moved. Channels that started to
run, began to retry, or stopped. Messages that were sent, arrived, or were lost."""

_COUNTERS: Final = {**REPOSITORY_COUNTERS, **CHANNEL_COUNTERS}

_NAMES: Final[dict[str, list[str]]] = {}
for _name, _counter in _COUNTERS.items():
    for _column in columns_of(_counter.event):
        _NAMES.setdefault(_column, []).append(_name)


def count_activity(log: Log, branch: str, *, after: int, upto: int) -> dict[str, int]:
    """Count the events of a branch after one position of the log, up to another."""
    counts = dict.fromkeys(_COUNTERS, 0)
    for stored in log.events(after=after, upto=upto, branch=branch, types=tuple(_NAMES)):
        event = decode(stored.type, stored.body)
        for name in _NAMES[stored.type]:
            counts[name] += _COUNTERS[name].count(event)
    return counts


def activity_text(counts: Mapping[str, Any]) -> str:
    """Write counts as one line: all repository counts, and the channel counts that are not 0."""
    names = [*REPOSITORY_COUNTERS, *(name for name in CHANNEL_COUNTERS if counts[name])]
    return ", ".join(f"{name} {counts[name]}" for name in names)
