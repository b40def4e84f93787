"""The order of observations of one instant: by subject and content, never by position.

So the order in which files are imported decides nothing. Observations of one instant that follow
each other are folded together, with nothing between them but events that change nothing.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import groupby
from operator import itemgetter
from typing import Any, Final, TypeAlias, TypeVar

from pydantic_core import to_jsonable_python

from twin.events import Event, ObjectsObserved
from twin.events.catalogue import column_of
from twin.model.instants import Instant

OBSERVED: Final = column_of(ObjectsObserved)
"""The type column of observations that have an order of their own."""

_Item = TypeVar("_Item")
_Row: TypeAlias = tuple[Instant, int, Event]


def content_of(event: ObjectsObserved) -> list[Any]:
    """Return what an observation says, as JSON values; neither its lines nor its origin."""
    said = to_jsonable_python(event.said)
    subject = (event.qmgr, event.kind, event.complete, event.qmid, event.cmdlevel, event.platform)
    return [*subject, said]


def canonical(items: Iterable[_Item], observed: Callable[[_Item], ObjectsObserved]) -> list[_Item]:
    """Return observations of one instant in the order in which they are folded.

    They are ordered by queue manager, then by kind. Of one kind, observations that are complete
    come first, and then the digest of what they say decides. What says the QMID of its queue
    manager comes before what does not, and the queue manager before its objects.
    """
    listed = list(items)
    subjects = Counter(map(_subject, map(observed, listed)))
    tied = any(count > 1 for count in subjects.values())

    def key(item: _Item) -> tuple[Any, ...]:
        event = observed(item)
        subject = _subject(event)
        digest = _digest(event) if tied and subjects[subject] > 1 else b""
        return (*subject, digest)

    return sorted(listed, key=key)


def _subject(event: ObjectsObserved) -> tuple[Any, ...]:
    complete = event.complete is not None
    return event.qmgr, event.qmid is None, event.kind != "QMGR", event.kind, not complete


def _digest(event: ObjectsObserved) -> bytes:
    return sha256(json.dumps(content_of(event), sort_keys=True).encode()).digest()


def together(
    items: Iterable[_Item],
    at: Callable[[_Item], Instant],
    event: Callable[[_Item], Event],
    changes: Callable[[Event], bool],
) -> Iterator[Sequence[_Item]]:
    """Divide events in fold order into groups: observations of one instant, or one other event.

    The observations of a group are in their canonical order. Events that change nothing (`changes`)
    do not divide observations; those between them come after the group.
    """
    for _, alike in groupby(items, key=at):
        seen: list[_Item] = []
        between: list[_Item] = []
        for item in alike:
            if isinstance(event(item), ObjectsObserved):
                seen.append(item)
            elif seen and not changes(event(item)):
                between.append(item)
            else:
                yield from _group(seen, between, event)
                seen, between = [], []
                yield (item,)
        yield from _group(seen, between, event)


def _group(
    seen: list[_Item], between: list[_Item], event: Callable[[_Item], Any]
) -> Iterator[Sequence[_Item]]:
    if seen:
        yield canonical(seen, event)
    for item in between:
        yield (item,)


def in_order(decoded: Iterable[_Row], changes: Callable[[Event], bool]) -> Iterator[_Row]:
    """Yield decoded rows, which are in fold order, with the observations of each instant ordered.

    Only rows that change the estate may divide observations; see `together`.
    """
    for group in together(decoded, itemgetter(0), itemgetter(2), changes):
        yield from group
