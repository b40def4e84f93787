"""Effects that begin and end while time passes: neither the beginning nor the end shows them.

Both rehearsals are folded again from their events, and compared as each span of time begins in
which something may differ that differs neither before nor after it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any, Final, Generic, NamedTuple, TypeVar

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


class ChangesThen(NamedTuple):
    """The differences at one instant, by section."""

    beliefs: Sequence[BeliefChange]
    routing: Sequence[RoutingChange]
    waiting: Sequence[WaitingChange]
    dates: Sequence[DateChange]

    def keyed(self) -> dict[str, dict[Hashable, Any]]:
        """Return the changes of each section by what they have in common with later ones.

        Of records only those are left that have expired on one side alone: other dates move with
        each renewal.
        """
        dates = (each for each in self.dates if {each.state_before, each.state_after} > {"expired"})
        return {
            "beliefs": {each._replace(when=None, how="", why=""): each for each in self.beliefs},
            "routing": dict(_keyed_routing(self.routing)),
            "waiting": {each: each for each in self.waiting},
            "dates": {each._replace(expires_before=0, expires_after=0): each for each in dates},
        }


def meanwhile(
    pair: RehearsedPair, ending: ChangesThen, puts: Sequence[PlannedPut], *, most: int = MOST_SPANS
) -> Meanwhile:
    """Return the differences between two rehearsals that have gone at their end.

    At most that many spans of time are compared. What a queue manager does not know yet, and learns
    by the end, is told there.
    """
    spans = [
        (since, until)
        for since, until in pairwise([pair.settled, *turning_points(pair)])
        if until - since >= SETTLES_WITHIN
    ]
    longest = sorted(sorted(spans, key=lambda span: span[0] - span[1])[:most])
    names, at_end = pair.changed.estate.qmgrs.keys(), ending.keyed()
    told = {_record(each) for each in ending.beliefs if each.effect != "misses"}
    found: dict[str, dict[Hashable, list[Passing[Any]]]] = {each: {} for each in at_end}
    base, changed = pair.begin.fork(), pair.begin.fork()
    for since, until in longest:
        base.catch_up(pair.base, to=since)
        changed.catch_up(pair.changed, to=since)
        then = RehearsedPair(pair.begin, base, changed, pair.settled)
        beliefs = [
            each
            for each in belief_changes(then)
            if each.observer in names and (each.effect != "misses" or _record(each) not in told)
        ]
        routing = [
            each for each in routing_changes(then, puts, checked=True) if each.put.on in names
        ]
        changes = ChangesThen(beliefs, routing, [*waiting_changes(then)], [*date_changes(then)])
        for section, keyed in changes.keyed().items():
            for key in [each for each in keyed if each not in at_end[section]]:
                passing = Passing(pair.start if since == pair.settled else since, until, keyed[key])
                before = found[section].setdefault(key, [])
                if before and before[-1].until == passing.since:
                    before[-1] = before[-1]._replace(until=until)
                else:
                    before.append(passing)
    sections = {
        section: sorted(chain(*spans.values()), key=lambda each: (each.since, each.until))
        for section, spans in found.items()
    }
    return Meanwhile(
        **{section: tuple(each) for section, each in sections.items() if section != "routing"},
        routing=tuple(_together(sections["routing"])),
        compared=len(longest),
        left_out=len(spans) - len(longest),
    )


def _record(change: BeliefChange) -> Hashable:
    return (
        *(change.observer, change.cluster, change.kind),
        *(change.name, change.channel, change.owner_qmid),
    )


def _keyed_routing(
    changes: Iterable[RoutingChange],
) -> Iterator[tuple[Hashable, RoutingChange]]:
    """Yield the changes of puts, put by put."""
    for each in changes:
        before, after = _compared(each.before), _compared(each.after)
        for on in (each.put.on, *each.alike) if before != after else ():
            put = each.put._replace(on=on)
            yield (put, each.cluster, before, after), each._replace(put=put, alike=())


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
