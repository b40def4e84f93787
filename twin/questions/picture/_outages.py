"""When queue managers were down and links were cut."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple, TypeAlias, TypeVar

from twin import events
from twin.fold.estate import Estate
from twin.model.instants import Instant
from twin.questions.answer import Facts, qmid_of

Pair: TypeAlias = tuple[str, str]
"""The names of the queue managers at the ends of a link, in order."""

LONG_AGO: Final[Instant] = -(1 << 62)
"""The start of an outage that began before all facts."""


class OutagePeriod(NamedTuple):
    """The time of an outage; if it goes on, its end is the last instant that is known."""

    start: Instant
    end: Instant


class Outages(NamedTuple):
    """When queue managers were down, by QMID, and links cut."""

    down: Mapping[str, tuple[OutagePeriod, ...]]
    cut: Mapping[Pair, tuple[OutagePeriod, ...]]


_Turns: TypeAlias = list[tuple[Instant, bool]]
"""The instants at which an outage began (True) or ended, in the order of time."""

_TURNS: Final = (
    events.QueueManagerCreated,
    events.QueueManagerStarted,
    events.QueueManagerEnded,
    events.QueueManagerDeleted,
)

READS: Final[frozenset[type[events.Event]]] = frozenset(
    {*_TURNS, events.QueueManagerFirstSeen, events.LinkChanged}
)
"""The events that begin or end outages."""


def outages(estate: Estate, facts: Facts, *, until: Instant) -> Outages:
    """Return when queue managers were down and links cut, up to an instant.

    The state before the first fact follows from that fact, or from the estate if there is no fact.
    """
    down: dict[str, _Turns] = defaultdict(list)
    cut: dict[Pair, _Turns] = defaultdict(list)
    for at, _, event in facts:
        if isinstance(event, events.LinkChanged):
            if event.cut is not None:
                cut[pair(event.qmgr, event.other)].append((at, event.cut))
        elif isinstance(event, events.QueueManagerFirstSeen):
            down[qmid_of(estate, event.qmgr, at)] += [(at, True), (at, False)]
        elif isinstance(event, _TURNS):
            begins = not isinstance(event, events.QueueManagerStarted)
            down[qmid_of(estate, event.qmgr, at)].append((at, begins))
    for qmgr in (*estate.qmgrs.values(), *estate.departed.values()):
        if not qmgr.running and qmgr.qmid not in down:
            down[qmgr.qmid].append((LONG_AGO, True))
    for ends, link in estate.links.items():
        if link.cut and ends not in cut:
            cut[ends].append((LONG_AGO, True))
    return Outages(_spans(down, until), _spans(cut, until))


def pair(one: str, other: str) -> Pair:
    """Return the two ends of a link in order."""
    return (one, other) if one <= other else (other, one)


_T = TypeVar("_T")


def _spans(turns: Mapping[_T, _Turns], until: Instant) -> dict[_T, tuple[OutagePeriod, ...]]:
    return {key: tuple(_of(each, until)) for key, each in turns.items()}


def _of(turns: _Turns, until: Instant) -> Iterator[OutagePeriod]:
    """Pair beginnings with ends; an outage without a beginning began before all facts."""
    begun = LONG_AGO if turns and not turns[0][1] else None
    for at, begins in turns:
        if begins:
            begun = at if begun is None else begun
        elif begun is not None:
            if begun < at:
                yield OutagePeriod(begun, at)
            begun = None
    if begun is not None and begun < until:
        yield OutagePeriod(begun, until)
