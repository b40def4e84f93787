"""Effects that begin and end while time passes: neither the beginning nor the end shows them.

Both rehearsals are folded again from their events, and compared as each span of time begins in
which something may differ that differs neither before nor after it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final, Generic, NamedTuple, TypeAlias, TypeVar

from twin.questions.rehearsing import SETTLES_WITHIN
from twin.review.plan.beliefs import BeliefChange, DateChange, belief_changes, date_changes
from twin.review.plan.pair import RehearsedPair
from twin.review.plan.routing import Routing, RoutingChange, routing_changes
from twin.review.plan.turning_points import turning_points
from twin.review.plan.waiting import WaitingChange, waiting_changes

if TYPE_CHECKING:
    from twin.model.instants import Instant
    from twin.review.plan.affected import PlannedPut

MOST_SPANS: Final = 4
"""The most spans of time that are compared: the longest ones, since comparing takes time."""

Change = TypeVar("Change")

_Keyed: TypeAlias = "Mapping[Hashable, Change]"
"""What makes a change the same as another one -> the change."""


class Passing(NamedTuple, Generic[Change]):
    """A difference that lasts from one instant until another one.

    Attributes:
        since: when it begins; the instant of the change, if it begins at once.
        until: when it ends.
        change: the difference.
    """

    since: Instant
    until: Instant
    change: Change


@dataclass(frozen=True, slots=True, kw_only=True)
class Meanwhile:
    """The differences that have gone when the rehearsals are compared at the end.

    Attributes:
        beliefs, routing, waiting, dates: the differences, by section. Dates are those of records
            that have expired on one side only.
        compared, left_out: how many spans of time were compared, and how many were not.
    """

    beliefs: tuple[Passing[BeliefChange], ...] = ()
    routing: tuple[Passing[RoutingChange], ...] = ()
    waiting: tuple[Passing[WaitingChange], ...] = ()
    dates: tuple[Passing[DateChange], ...] = ()
    compared: int = 0
    left_out: int = 0

    def __bool__(self) -> bool:
        """Return whether there is any difference."""
        return any((self.beliefs, self.routing, self.waiting, self.dates))


NOTHING: Final = Meanwhile()
"""No such differences."""


class Ending(NamedTuple):
    """The differences at the end, by section."""

    beliefs: Sequence[BeliefChange]
    routing: Sequence[RoutingChange]
    waiting: Sequence[WaitingChange]
    dates: Sequence[DateChange]


def meanwhile(
    pair: RehearsedPair, ending: Ending, puts: Sequence[PlannedPut], *, most: int = MOST_SPANS
) -> Meanwhile:
    """Return the differences between two rehearsals that have gone at their end.

    At most that many spans of time are compared.
    """
    spans = [
        (since, until)
        for since, until in pairwise([pair.settled, *turning_points(pair)])
        if until - since >= SETTLES_WITHIN
    ]
    longest = sorted(sorted(spans, key=lambda span: span[0] - span[1])[:most])
    found = _Found(pair, ending)
    base, changed = pair.begin.fork(), pair.begin.fork()
    for since, until in longest:
        base.catch_up(pair.base, to=since)
        changed.catch_up(pair.changed, to=since)
        begins = pair.start if since == pair.settled else since
        found.add(RehearsedPair(pair.begin, base, changed, pair.settled), begins, until, puts)
    return found.meanwhile(len(longest), len(spans) - len(longest))


class _Found:
    """The differences found so far, each with when it begins and ends."""

    def __init__(self, pair: RehearsedPair, ending: Ending) -> None:
        self._names = pair.changed.estate.qmgrs.keys()
        self._beliefs = _Spans[BeliefChange](_keyed_beliefs(ending.beliefs))
        self._routing = _Spans[RoutingChange](_keyed_routing(ending.routing))
        self._waiting = _Spans[WaitingChange]({each: each for each in ending.waiting})
        self._dates = _Spans[DateChange](_keyed_dates(ending.dates))
        self._told = {_record(each) for each in ending.beliefs if each.effect != "misses"}

    def add(
        self, pair: RehearsedPair, since: Instant, until: Instant, puts: Sequence[PlannedPut]
    ) -> None:
        """Compare the rehearsals at an instant; what differs then does so from `since` on.

        What a queue manager does not know yet, and learns by the end, is told there.
        """
        beliefs = [
            each
            for each in belief_changes(pair)
            if each.observer in self._names
            and not (each.effect == "misses" and _record(each) in self._told)
        ]
        routing = [
            each for each in routing_changes(pair, puts, checked=True) if each.put.on in self._names
        ]
        self._beliefs.add(_keyed_beliefs(beliefs), since, until)
        self._routing.add(_keyed_routing(routing), since, until)
        self._waiting.add({each: each for each in waiting_changes(pair)}, since, until)
        self._dates.add(_keyed_dates(date_changes(pair)), since, until)

    def meanwhile(self, compared: int, left_out: int) -> Meanwhile:
        """Return what was found in the spans that were compared."""
        return Meanwhile(
            beliefs=self._beliefs.passing(),
            routing=tuple(_together(self._routing.passing())),
            waiting=self._waiting.passing(),
            dates=self._dates.passing(),
            compared=compared,
            left_out=left_out,
        )


class _Spans(Generic[Change]):
    """The changes of one section, each with the spans of time in which it was found."""

    def __init__(self, ending: _Keyed[Change]) -> None:
        self._ending = ending
        self._found: dict[Hashable, list[Passing[Change]]] = defaultdict(list)

    def add(self, changes: _Keyed[Change], since: Instant, until: Instant) -> None:
        """Note changes of a span; one that was found just before goes on."""
        for key, change in changes.items():
            if key in self._ending:
                continue
            spans = self._found[key]
            if spans and spans[-1].until == since:
                spans[-1] = spans[-1]._replace(until=until)
            else:
                spans.append(Passing(since, until, change))

    def passing(self) -> tuple[Passing[Change], ...]:
        """Return the changes in the order in which they begin."""
        found = [each for spans in self._found.values() for each in spans]
        return tuple(sorted(found, key=lambda each: (each.since, each.until)))


def _keyed_beliefs(changes: Iterable[BeliefChange]) -> dict[Hashable, BeliefChange]:
    return {each._replace(when=None, how="", why=""): each for each in changes}


def _record(change: BeliefChange) -> Hashable:
    return (
        *(change.observer, change.cluster, change.kind),
        *(change.name, change.channel, change.owner_qmid),
    )


def _keyed_dates(changes: Iterable[DateChange]) -> dict[Hashable, DateChange]:
    """Return the records that have expired on one side only; other dates move with each renewal."""
    return {
        (
            *(each.observer, each.cluster, each.kind, each.name, each.owner_qmid),
            *(each.state_before, each.state_after),
        ): each
        for each in changes
        if each.state_before != each.state_after
        and "expired" in {each.state_before, each.state_after}
    }


def _keyed_routing(changes: Iterable[RoutingChange]) -> dict[Hashable, RoutingChange]:
    """Return the changes of puts, put by put."""
    keyed: dict[Hashable, RoutingChange] = {}
    for each in changes:
        before, after = _compared(each.before), _compared(each.after)
        if before != after:
            for on in (each.put.on, *each.alike):
                put = each.put._replace(on=on)
                keyed[put, each.cluster, before, after] = each._replace(put=put, alike=())
    return keyed


def _compared(routing: Routing) -> Hashable:
    """Return where a put goes, without the next retries of channels: these differ with time."""
    ends = tuple(
        each._replace(
            waits="waits" if each.waits else "", rerouted="rerouted" if each.rerouted else ""
        )
        for each in routing.ends
    )
    return routing.shares, routing.reason, bool(routing.waits), ends


def _together(found: Iterable[Passing[RoutingChange]]) -> Iterator[Passing[RoutingChange]]:
    """Yield the changes; queue managers for which the same is said share one."""
    alike: dict[Hashable, list[Passing[RoutingChange]]] = defaultdict(list)
    for each in found:
        change = each.change
        said = (_compared(change.before), _compared(change.after))
        alike[each.since, each.until, change.put._replace(on=""), change.cluster, said].append(each)
    for first, *others in alike.values():
        names = tuple(sorted(each.change.put.on for each in others))
        yield first._replace(change=first.change._replace(alike=names))
