"""Rows that a file says again: one event stands for those that earlier events have as text.

The texts are looked for around the observations that the estate of the instant has of the queue
manager. Where none is found, the rows are events of their own, as those of a first file.

`beyond` returns what a file says beyond what was recorded when an older reader imported it. Both
are whole statements of one instant, so one of them would contradict the other, and the older one
might be folded last. So only what is new is recorded, as alterations: they are folded after what is
complete. A file is the same if it has the same path, and the same objects in its lines. Dates that
were dropped are no cells: such a statement is recorded as a whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from twin import events
from twin.app.acting import Fact
from twin.events import ObjectsObserved, StatedObject
from twin.events.catalogue import column_of, encode
from twin.log.references import SEEN_AGAIN, RowText, is_shortened, text_of

if TYPE_CHECKING:
    from twin.fold.estate import Estate
    from twin.log import Log

_BESIDE: Final = 200
"""How many events beside those of one file are looked at: other files come between."""

_MOST: Final = 200
"""How many rows are looked for that are further away from the newest one of a queue manager."""


class _Known(NamedTuple):
    """Where an earlier event says something, and on which line of its file."""

    position: int
    line: int | None


def shortened(facts: Sequence[Fact], estate: Estate, log: Log, *, known: int) -> list[Fact]:
    """Return the facts of one file; those that say what earlier ones said are one fact.

    There is one for each queue manager, in the place of the first of its rows, if it is shorter.
    `estate` is that of their instant, and `known` the last position that counts.
    """
    result: list[Fact] = []
    for qmgr, alike in groupby(facts, key=lambda fact: fact.event.qmgr):  # marks have none
        result += _shortened(list(alike), _positions(estate, qmgr), log, known)
    return result


def _positions(estate: Estate, qmgr: str) -> set[int]:
    """Return where observations of a queue manager are, known or not."""
    found, before = estate.qmgrs.get(qmgr), estate.seen_before.get(qmgr)
    if found is not None:
        return found.activity.seen.positions()
    return set() if before is None else before.seen.positions()


def _shortened(facts: list[Fact], near: set[int], log: Log, known: int) -> list[Fact]:
    if not near:
        return facts
    texts = _texts(log, facts[0].event.qmgr, near, len(facts) + _BESIDE, known)
    keys = {id(fact): key_of(fact.event) for fact in facts if may_repeat(fact.event) and texts}
    found = [(texts[keys[id(fact)]], fact) for fact in facts if keys.get(id(fact)) in texts]
    if not found:
        return facts
    again = _again(sorted(found, key=lambda pair: pair[0].position))
    if len(encode(again.event)) >= sum(len(keys[id(fact)][1]) for _, fact in found):
        return facts
    named = {id(fact) for _, fact in found}
    first = next(place for place, fact in enumerate(facts) if id(fact) in named)
    rest = [fact for fact in facts if id(fact) not in named]
    return [*rest[:first], again, *rest[first:]]


def may_repeat(event: events.Event) -> bool:
    """Return whether an event may be one of the rows that another one stands for.

    One that a log said has its message beside its file, which these rows do not have.
    """
    origin = getattr(event, "origin", None)
    plain = origin is None or replace(origin, file=None, line=None) == events.Origin()
    return plain and is_shortened(column_of(type(event)))


def key_of(event: events.Event) -> tuple[str, str]:
    """Return what an observation says, wherever: its type and its text, as `RowText` has them."""
    observed = cast("events.Observation", event)
    body = encode(replace(observed, origin=None, claimed=None))
    return column_of(type(event)), body[len(encode(events.Observation(qmgr=event.qmgr))) :]


def _texts(
    log: Log, qmgr: str, near: set[int], reach: int, known: int
) -> dict[tuple[str, str], _Known]:
    """Return what is said near some positions of the log, and where."""
    newest, *others = sorted(near, reverse=True)
    ranges = [(each, each) for each in others[:_MOST]]
    ranges.append((max(1, newest - reach), min(known, newest + reach)))
    found: dict[int, RowText] = {}
    for first, last in _ranges(ranges):
        for stored in log.events(after=first - 1, upto=last, qmgr=qmgr):
            if stored.type == SEEN_AGAIN:
                found.update(log.rows_of(stored))
            elif stored.cause is None and is_shortened(stored.type):
                found[stored.position] = text_of(stored.type, stored.body)
    return {(said.type, said.text): _Known(position, said.line) for position, said in found.items()}


def _ranges(numbers: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return ranges, both ends included, with those joined that touch."""
    ranges: list[tuple[int, int]] = []
    for first, last in sorted(numbers):
        if ranges and first <= ranges[-1][1] + 1:
            ranges[-1] = ranges[-1][0], max(last, ranges[-1][1])
        else:
            ranges.append((first, last))
    return ranges


def _again(found: Sequence[tuple[_Known, Fact]]) -> Fact:
    """Return the fact that stands for facts, which are in the order of what says the same."""
    rows = tuple(cast("events.Observation", fact.event) for _, fact in found)
    lines = tuple(0 if row.origin is None else row.origin.line or 0 for row in rows)
    first = rows[0]
    again = events.SeenAgain(
        qmgr=first.qmgr,
        origin=None if first.origin is None else replace(first.origin, line=min(lines) or None),
        claimed=first.claimed,
        again=tuple(_ranges((known.position, known.position) for known, _ in found)),
        lines=None if lines == tuple(known.line for known, _ in found) else lines,
    )
    return replace(found[0][1], event=again, rows=rows)


_HEADER: Final = ("cmdlevel", "version", "platform")


def beyond(
    recorded: Sequence[ObjectsObserved], event: ObjectsObserved
) -> tuple[ObjectsObserved, ...] | None:
    """Return what a statement adds to those that were recorded of its instant and kind.

    Return None if it is not that of a file that was imported before, or says otherwise than then.
    """
    same = [each for each in recorded if _is_of_one_file(each, event)]
    if len(same) != 1 or any(each.act != "define" for each in event.said):
        return None
    added = [each for each in recorded if each.complete is None and each.origin == event.origin]
    known = {_key(one): one for one in same[0].said}
    for one in (one for each in added for one in each.said if _key(one) in known):
        known[_key(one)] = _joined(known[_key(one)], one)
    if list(known) != list(map(_key, event.said)):
        return None
    cells, lines = [], []
    for one, line in zip(event.said, event.lines or (), strict=True):
        before = known[_key(one)]
        if _joined(before, one) != one:
            return None
        if before != one:
            new = {key: value for key, value in one.values.items() if key not in before.values}
            cells.append(replace(one, act="alter", base="", values=new))
            lines.append(line)
    header = [_said(each, [*same, *added]) for each in _HEADER]
    stated = [getattr(event, each) for each in _HEADER]
    if any(before not in (None, now) for before, now in zip(header, stated, strict=True)):
        return None
    if not cells and header == stated:
        return ()
    return (replace(event, complete=None, said=tuple(cells), lines=tuple(lines)),)


def _is_of_one_file(one: ObjectsObserved, other: ObjectsObserved) -> bool:
    """Return whether two complete statements come from the same lines of a file."""
    places = [(each.origin, each.lines, each.qmid, each.complete) for each in (one, other)]
    return places[0] == places[1] and None not in places[0]


def _key(one: StatedObject) -> tuple[str, str]:
    return one.type, one.name


def _joined(before: StatedObject, one: StatedObject) -> StatedObject:
    """Return an object with the values that another statement says of it besides."""
    return replace(before, values={**one.values, **before.values})


def _said(field: str, statements: Sequence[ObjectsObserved]) -> Any:
    """Return what statements say in a field: the first that says it."""
    return next((said for each in statements if (said := getattr(each, field)) is not None), None)
