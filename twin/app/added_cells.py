"""What a file says beyond what was recorded when it was imported before, by an older reader.

Both are whole statements of one instant, so one of them would contradict the other, and the older
one might be folded last. So only what is new is recorded, as alterations: they are folded after
what is complete. A file is the same if it has the same path, and the same objects in its lines.
Dates that were dropped are no cells: such a statement is recorded as a whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from twin.events import ObjectsObserved, StatedObject

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
