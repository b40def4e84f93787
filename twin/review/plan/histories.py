"""Whose events differ between two rehearsals: all other queue managers are the same in both.

The fold of an event reads and changes the queue manager where it happened, those that it names, and
the publications of the owners that it names. So the parts of a queue manager are equal in both
rehearsals if its own events are equal, no event of one side alone names it, and it received nothing
that its owner published otherwise.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from itertools import takewhile
from typing import TYPE_CHECKING, TypeAlias

from twin import events

if TYPE_CHECKING:
    from twin.app.rehearsing import Rehearsal
    from twin.model.instants import Instant
    from twin.rules.draft import Decided

_History: TypeAlias = "Mapping[str, Sequence[Decided]]"
"""Queue manager -> its events, in order."""

_PUBLISHED = (events.InformationPublished, events.InformationRepublished)


def differing_histories(base: Rehearsal, changed: Rehearsal, first: int) -> Collection[str]:
    """Return the names of the queue managers that may differ, by the events after the first ones.

    An event of one side alone that belongs to no queue manager concerns all of them.
    """
    one, other = (_histories(each.decided[first:]) for each in (base, changed))
    called = _called(base) | _called(changed)
    found: set[str] = set()
    publishers: set[str] = set()
    for name in one.keys() | other.keys():
        was, now = one.get(name, ()), other.get(name, ())
        if was != now:
            if not name:
                return {*called.values()}
            found.add(name)
            for event in _apart(was, now):
                found.update(_named(event, called))
                if isinstance(event, _PUBLISHED):
                    publishers.add(event.qmid)
    return found | {*_receivers(one, publishers)} if publishers else found


def _histories(decided: Sequence[Decided]) -> _History:
    found: dict[str, list[Decided]] = defaultdict(list)
    for each in decided:
        found[each.event.qmgr].append(each)
    return found


def _called(rehearsal: Rehearsal) -> dict[str, str]:
    """Return the names by which events name queue managers: name or QMID -> name."""
    names = rehearsal.estate.names
    return {**names, **{name: name for name in names.values()}}


def _apart(one: Sequence[Decided], other: Sequence[Decided]) -> Iterator[events.Event]:
    """Yield the events of one side alone, instant by instant; if only their order differs, all."""
    was, now = _by_instant(one), _by_instant(other)
    for at in was.keys() | now.keys():
        old, new = was.get(at, []), now.get(at, [])
        if old != new:
            old, new = _without_common_ends(old, new)
            alone = [each for each in old if each not in new]
            alone += [each for each in new if each not in old]
            yield from alone or old


def _without_common_ends(
    one: list[events.Event], other: list[events.Event]
) -> tuple[list[events.Event], list[events.Event]]:
    """Leave out what both begin and end with: at a full repository much may happen at once."""
    begin = _alike(one, other)
    one, other = one[begin:], other[begin:]
    end = _alike(reversed(one), reversed(other))
    return one[: len(one) - end], other[: len(other) - end]


def _alike(one: Iterable[events.Event], other: Iterable[events.Event]) -> int:
    """Return how many events are equal until two differ."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _by_instant(history: Sequence[Decided]) -> Mapping[Instant, list[events.Event]]:
    found: dict[Instant, list[events.Event]] = defaultdict(list)
    for at, event in history:
        found[at].append(event)
    return found


def _named(value: object, called: Mapping[str, str]) -> Iterator[str]:
    """Yield the queue managers that an event names in any of its fields."""
    if isinstance(value, str):
        if value in called:
            yield called[value]
    elif is_dataclass(value):
        for each in fields(value):
            yield from _named(getattr(value, each.name), called)
    elif isinstance(value, Mapping):
        yield from _named((*value.keys(), *value.values()), called)
    elif isinstance(value, Collection):
        for each in value:
            yield from _named(each, called)


def _receivers(histories: _History, publishers: Collection[str]) -> Iterator[str]:
    """Yield who received what these owners, by QMID, published."""
    for name, history in histories.items():
        for _, event in history:
            if isinstance(event, events.InformationReceived) and any(
                item.owner in publishers for item in event.items
            ):
                yield name
                break
