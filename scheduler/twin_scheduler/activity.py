"""What came of time passing, counted in MQ's words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from twin import events
from twin.events.catalogue import columns_of, decode
from twin.log import Log


class Deed(NamedTuple):
    """What is counted under one word: an event, and how much of it there is in one."""

    event: type[events.Event]
    count: Callable[[Any], int]


def _changed_to(status: str) -> Deed:
    return Deed(events.ChannelStatusChanged, lambda event: event.status == status)


DEEDS: Final[Mapping[str, Deed]] = {
    "resent": Deed(events.InformationRepublished, lambda _: 1),
    "expired": Deed(events.InformationExpired, lambda event: len(event.items)),
    "removed": Deed(events.InformationRemoved, lambda event: len(event.items)),
    "renewed": Deed(events.SubscriptionsRenewed, lambda event: len(event.asks)),
    "lapsed": Deed(events.SubscriptionsLapsed, lambda event: len(event.asks)),
    "warned": Deed(events.RenewalOverdue, lambda _: 1),
}
"""Publications: those that owners sent again, and those that expired and were removed, at each
who held them; then requests that were made again and that lapsed, and warnings written."""

MOVING: Final[Mapping[str, Deed]] = {
    "retried": Deed(events.MessagesReallocated, lambda event: event.cause == "retry"),
    "moved": Deed(
        events.MessagesReallocated, lambda event: sum(move.share.count for move in event.moves)
    ),
    "started": _changed_to("RUNNING"),
    "failed": _changed_to("RETRYING"),
    "stopped": _changed_to("STOPPED"),
    "sent": Deed(events.MessagesSent, lambda event: event.count),
    "arrived": Deed(
        events.MessagesArrived, lambda event: sum(parcel.count for parcel in event.parcels)
    ),
    "lost": Deed(events.MessagesLost, lambda event: event.count),
}
"""Retries whose pass chose for messages again, and the messages that it moved; channels that came
to run, began to retry, or were given up; and messages that went over channels, or are gone."""

_ALL: Final = {**DEEDS, **MOVING}

_WORDS: Final[dict[str, list[str]]] = {}
for _word, _deed in _ALL.items():
    for _column in columns_of(_deed.event):
        _WORDS.setdefault(_column, []).append(_word)


def deeds(log: Log, branch: str, *, after: int, upto: int) -> dict[str, int]:
    """Count what a branch saw happen behind one position of the log and up to another."""
    counted = dict.fromkeys(_ALL, 0)
    for stored in log.events(after=after, upto=upto, branch=branch, types=tuple(_WORDS)):
        event = decode(stored.type, stored.body)
        for word in _WORDS[stored.type]:
            counted[word] += _ALL[word].count(event)
    return counted


def told(counted: Mapping[str, Any]) -> str:
    """Write what was counted: of channels and messages only what there was of them."""
    moving = [word for word in MOVING if counted[word]]
    return ", ".join(f"{word} {counted[word]}" for word in (*DEEDS, *moving))
