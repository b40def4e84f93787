"""What came of time passing, counted in MQ's words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from twin import events
from twin.events.catalogue import column_of, decode
from twin.log import Log


class Deed(NamedTuple):
    """What is counted under one word: an event, and how much of it there is in one."""

    event: type[events.Event]
    count: Callable[[Any], int]


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

_WORDS: Final = {column_of(deed.event): word for word, deed in DEEDS.items()}


def deeds(log: Log, branch: str, *, after: int, upto: int) -> dict[str, int]:
    """Count what a branch saw happen behind one position of the log and up to another."""
    counted = dict.fromkeys(DEEDS, 0)
    for stored in log.events(after=after, upto=upto, branch=branch, types=tuple(_WORDS)):
        word = _WORDS[stored.type]
        counted[word] += DEEDS[word].count(decode(stored.type, stored.body))
    return counted
