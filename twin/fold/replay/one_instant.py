"""The order of statements of one instant: by subject and content, never by position.

So the order in which files are imported decides nothing. Statements of one instant that follow each
other are folded together, with nothing between them but events that change nothing. Those about
records come after those about objects: what a queue manager was seen to hold stands against what
follows from objects of the same instant.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from hashlib import sha256
from itertools import groupby
from operator import itemgetter
from typing import Any, Final, TypeAlias, TypeVar

from pydantic_core import to_jsonable_python

from twin.events import (
    BeliefsObserved,
    ChannelObserved,
    ChannelsListed,
    ClusterCommandObserved,
    Event,
    ListenersObserved,
    ObjectsObserved,
    Observation,
    QueueManagerStatusObserved,
    RepositoryManagerObserved,
    StatedObservation,
    SuspensionObserved,
    TransmissionQueueObserved,
)
from twin.events.catalogue import column_of, columns_of_all
from twin.model.instants import Instant

STATEMENTS: Final = frozenset(map(column_of, (ObjectsObserved, BeliefsObserved)))
"""The type columns of statements: observations that have an order of their own."""

_NOT_CONTENT: Final = frozenset({"origin", "claimed", "lines", "same_as"})
"""The fields of a statement that are not what it says."""

JOINED: Final = (
    *sorted(STATEMENTS),
    *columns_of_all(
        (
            *(ChannelObserved, ChannelsListed, QueueManagerStatusObserved, SuspensionObserved),
            *(ClusterCommandObserved, ListenersObserved, TransmissionQueueObserved),
            RepositoryManagerObserved,
        )
    ),
)
"""The type columns of observations from which something else follows if objects are observed of the
same instant: what was stated of objects and records counts first.
"""

_Item = TypeVar("_Item")
_Row: TypeAlias = tuple[Instant, int, Event]


def content_of(event: StatedObservation) -> dict[str, Any]:
    """Return what a statement says, as JSON values; neither its lines nor its origin."""
    fields = to_jsonable_python(event)
    content = {key: value for key, value in fields.items() if key not in _NOT_CONTENT}
    return {"type": type(event).__name__, **content}


def canonical(items: Iterable[_Item], stated: Callable[[_Item], StatedObservation]) -> list[_Item]:
    """Return statements of one instant in the order in which they are folded.

    Those about records come last. Otherwise they are ordered by queue manager, then by kind. Of one
    kind, statements that are complete come first, and then the digest of what they say decides.
    What says the QMID of its queue manager comes before what does not, an earlier QMID before a
    later one, and the queue manager before its objects.
    """
    listed = list(items)
    subjects = Counter(map(_subject, map(stated, listed)))
    tied = any(count > 1 for count in subjects.values())

    def key(item: _Item) -> tuple[Any, ...]:
        event = stated(item)
        subject = _subject(event)
        digest = digest_of(event) if tied and subjects[subject] > 1 else b""
        return (*subject, digest)

    return sorted(listed, key=key)


def about_records(event: Event) -> bool:
    """Return whether an event states what a queue manager holds of others."""
    return isinstance(event, BeliefsObserved)


def _subject(event: StatedObservation) -> tuple[Any, ...]:
    kind = (event.kind != "QMGR", event.kind, event.complete is None)
    return about_records(event), event.qmgr, event.qmid is None, event.qmid or "", *kind


def digest_of(event: StatedObservation) -> bytes:
    """Return the digest of what a statement says."""
    return sha256(json.dumps(content_of(event), sort_keys=True).encode()).digest()


def together(
    items: Iterable[_Item],
    at: Callable[[_Item], Instant],
    event: Callable[[_Item], Event],
    changes: Callable[[Event], bool],
) -> Iterator[Sequence[_Item]]:
    """Divide events in fold order into groups: statements of one instant, or one other event.

    Statements about objects are one group, those about records another. Both are in their canonical
    order. Events that change nothing (`changes`) do not divide statements; those between them come
    after the groups. So do observations that change nothing before them, such as those of channels:
    what follows from these depends on objects. Observations after the groups are ordered by what
    they say.
    """
    for _, alike in groupby(items, key=at):
        seen: list[_Item] = []
        between: list[_Item] = []
        for item in alike:
            if isinstance(event(item), StatedObservation):
                seen.append(item)
            elif (seen or isinstance(event(item), Observation)) and not changes(event(item)):
                between.append(item)
            else:
                yield from _group(seen, between, event)
                seen, between = [], []
                yield (item,)
        yield from _group(seen, between, event)


def _group(
    seen: list[_Item], between: list[_Item], event: Callable[[_Item], Any]
) -> Iterator[Sequence[_Item]]:
    ordered = canonical(seen, event)
    for _, alike in groupby(ordered, key=lambda item: about_records(event(item))):
        yield list(alike)
    if len(between) > 1 and all(isinstance(event(item), Observation) for item in between):
        between = sorted(between, key=lambda item: said(event(item)))
    for item in between:
        yield (item,)


def said(observation: Observation) -> tuple[bool, str]:
    """Return what an observation of one instant says, and not where it comes from: its place.

    What CLUSQMGR says of channels comes last: CHSTATUS counts.
    """
    repeated = isinstance(observation, ChannelObserved) and observation.repeated is True
    return repeated, repr(replace(observation, origin=None, claimed=None))


def in_order(decoded: Iterable[_Row], changes: Callable[[Event], bool]) -> Iterator[_Row]:
    """Yield decoded rows, which are in fold order, with the statements of each instant ordered.

    Only rows that change the estate may divide statements; see `together`.
    """
    for group in together(decoded, itemgetter(0), itemgetter(2), changes):
        yield from group
