"""What is not known of definitions between two sights, and answers for each of the possibilities.

Between the last sight of an object and the instant at which it was altered, an attribute that
differs had one of two values (`twin.rules.observations.dating`). So a question is also answered for
an estate in which the object was altered already; what is the same in all answers is known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import combinations
from typing import Final, NamedTuple

from twin.events import ObjectsDated, StatedObject
from twin.fold.estate import Estate, QueueManager, Unsure
from twin.fold.store.pages import private_copy
from twin.model.attributes import TYPES, Value, full
from twin.model.instants import SECOND, Instant
from twin.questions.answer import Answer
from twin.rules import lifecycle
from twin.rules.commands import observed_objects
from twin.rules.draft import Draft
from twin.rules.reactions import REACTIONS

_MOST: Final = 3
"""The most objects of which all combinations are looked at; of more, each alone, and all."""

_TRAVELS: Final = 5 * SECOND
"""How long records are given to reach others after a change."""


class Doubt(NamedTuple):
    """An object of which it is not known which values some attributes have.

    Attributes:
        qmgr, kind, name: the object; the kind `QMGR` is the queue manager itself.
        values: keyword -> its value when it was last seen, and the one that a later sight shows.
    """

    qmgr: str
    kind: str
    name: str
    values: Mapping[str, tuple[Value | None, Value | None]]

    def __str__(self) -> str:
        """Name the attributes with both values: `PUT (ENABLED or DISABLED) of queue Q at QM`."""
        words = (
            f"{each} ({_text(was)} or {_text(now)})" for each, (was, now) in self.values.items()
        )
        return f"{', '.join(words)} of {self._object}"

    @property
    def changed(self) -> str:
        """Name the attributes with the values that a later sight shows."""
        values = " ".join(f"{each}({_text(now)})" for each, (_, now) in self.values.items())
        return f"{values} of {self._object}"

    @property
    def _object(self) -> str:
        return f"{self.kind.lower()} {self.name} at {self.qmgr}" if self.name else self.qmgr


def _text(value: Value | None) -> str:
    return ",".join(value) if isinstance(value, tuple) else str("" if value is None else value)


def doubt_of(qmgr: QueueManager, kind: str, name: str) -> Doubt | None:
    """Return which attributes of an object are not known; None if all are."""
    other = qmgr.unsure.get(kind, {}).get(name)
    seen = qmgr.definitions.get((kind, name))
    if other is None or (seen is None and name):
        return None
    if seen is None:
        known = full("QMGR", qmgr.values, level=qmgr.cmdlevel)
        values: dict[str, tuple[Value | None, Value | None]] = {
            each: (known.get(each), now) for each, now in other.values.items()
        }
    elif seen.type != other.type:
        values = {TYPES[seen.type].type_keyword or "TYPE": (seen.type, other.type)}
    else:
        was = full(seen.type, seen.values, level=qmgr.cmdlevel)
        now = full(seen.type, other.values, level=qmgr.cmdlevel)
        values = {
            each: (was.get(each), now.get(each))
            for each in {**was, **now}
            if was.get(each) != now.get(each)
        }
    return Doubt(qmgr.name, kind, name, values)


def doubts(estate: Estate) -> list[Doubt]:
    """Return the objects of an estate of which something is not known."""
    return [
        doubt
        for _, qmgr in sorted(estate.qmgrs.items())
        for kind, names in sorted(qmgr.unsure.items())
        for name in sorted(names)
        if (doubt := doubt_of(qmgr, kind, name)) is not None
    ]


def otherwise(estate: Estate, at: Instant) -> Iterator[tuple[tuple[Doubt, ...], Estate]]:
    """Yield the other possibilities: the objects that were altered already, and the estate then.

    What the estate holds stays; the rules say what follows, with the records that others get.
    """
    known = doubts(estate)
    sizes = range(1, len(known) + 1) if len(known) <= _MOST else (1, len(known))
    for changed in (each for size in sizes for each in combinations(known, size)):
        copy = private_copy(estate)
        draft = Draft(copy, max(at, estate.instant), estate.position + 1, reactions=REACTIONS)
        for doubt in changed:
            qmgr = copy.qmgrs[doubt.qmgr]
            event = _altered(doubt, qmgr.unsure[doubt.kind][doubt.name])
            observed_objects.take_dated(draft, qmgr, event)
        for qmgr in copy.qmgrs.values():
            qmgr.unsure = {}
        lifecycle.play(draft, upto=draft.at + _TRAVELS)
        yield changed, copy


def _altered(doubt: Doubt, other: Unsure) -> ObjectsDated:
    said = StatedObject(
        act="define" if doubt.name else "alter",
        name=doubt.name,
        type=other.type,
        values=dict(other.values),
    )
    return ObjectsDated(qmgr=doubt.qmgr, kind=doubt.kind, said=(said,))


def for_all(
    answered: Answer, estate: Estate, ask: Callable[[Estate], Answer], keys: tuple[str, ...]
) -> Answer:
    """Return an answer in which a value that differs between the possibilities is not known.

    `keys` are the columns that tell rows apart. The notes say what is not known and why.
    """
    notes: dict[str, None] = {}
    result = answered
    for changed, other in otherwise(estate, answered.as_of.valid):
        also = ask(other)
        if also.rows != answered.rows or also.lines != answered.lines:
            result = result.agreed(also, keys, changed[0].qmgr)
            rows = sum(row not in answered.rows for row in also.rows)
            missing = sum(row not in also.rows for row in answered.rows)
            what = " and ".join(each.changed for each in changed)
            notes[f"if it was already {what}: {rows} other rows instead of {missing} of these"] = (
                None
            )
    why = [f"not known between two sights: {doubt}" for doubt in doubts(estate)]
    return replace(result, notes=(*answered.notes, *why, *notes)) if notes else answered


def blank(
    estate: Estate, observer: QueueManager, first: str, values: Mapping[str, Value | None]
) -> Doubt | None:
    """Return what is not known of the object of a row of DISPLAY; None if all is known.

    `first` is the keyword of the name of the row. A record of an object follows its definition,
    unless the observer was seen to hold it since.
    """
    named = str(values.get(first, ""))
    kind = {"QMNAME": "QMGR", "CLUSQMGR": "CHANNEL"}.get(first, first)
    name = {"QMNAME": "", "CLUSQMGR": str(values.get("CHANNEL", ""))}.get(first, named)
    owner = observer
    if (qmid := values.get("QMID")) and first != "QMNAME" and qmid in estate.names:
        owner = estate.owner(str(qmid))
        record = (str(values.get("CLUSTER")), "qmgr" if kind == "CHANNEL" else kind.lower(), name)
        since = owner.unsure[kind][name].since if name in owner.unsure.get(kind, {}) else 0
        shown = observer.repository.shown.get((record, owner.qmid))
        if owner is not observer and shown is not None and shown.at >= since:
            return None
    return doubt_of(owner, kind, name)
