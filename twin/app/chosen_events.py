"""Choose the events of a page of the log by what they are about."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from twin.questions.narrowing import ACCESS_RECORDS, Narrowing

if TYPE_CHECKING:
    from twin.log import StoredEvent

_NAMES = ("name", "queue", "channel")
"""The fields of an event that name what it is about; an observation says something of several."""


class ChosenEvents(NamedTuple):
    """A page of events.

    Attributes:
        events: the chosen events, in the order of the log.
        left_out: the number of events about access records before the end of the page.
        more: whether the log has more events to choose.
        read: whether there was any event to choose from.
    """

    events: Sequence[StoredEvent]
    left_out: int
    more: bool
    read: bool


def choose(
    read: Callable[..., Iterator[StoredEvent]], narrowing: Narrowing, *, after: int, limit: int
) -> ChosenEvents:
    """Choose at most `limit` events after a position; 0 means all.

    `read` returns events after a position (`after`), at most `limit` or all (None).
    """
    page: list[StoredEvent] = []
    left_out = passed_over = 0
    any_read = False
    for event in _read(read, after, limit):
        any_read = True
        about = _about(event, narrowing)
        if about is None:
            continue
        if narrowing.leaves_out(about):
            passed_over += 1
            continue
        if limit and len(page) == limit:
            return ChosenEvents(page, left_out, more=True, read=True)
        page.append(event)
        left_out += passed_over
        passed_over = 0
    return ChosenEvents(page, left_out + passed_over, more=False, read=any_read)


def _read(
    read: Callable[..., Iterator[StoredEvent]], after: int, limit: int
) -> Iterator[StoredEvent]:
    """Read no more than one page and one event at first: that is enough in most logs."""
    count = 0
    for event in read(after=after, limit=limit + 1 if limit else None):
        yield event
        after, count = event.position, count + 1
    if limit and count > limit:
        yield from read(after=after, limit=None)


def _about(event: StoredEvent, narrowing: Narrowing) -> str | None:
    """Return the kind of what an event is about, '' for none; None if nobody asked for it."""
    narrowed = narrowing.kind is not None or narrowing.name is not None
    if not narrowed and not any(kind in event.body for kind in ACCESS_RECORDS):
        return ""
    fields = json.loads(event.body)
    kind = str(fields.get("kind", ""))
    names = [str(fields[name]) for name in _NAMES if name in fields]
    names += [str(said["name"]) for said in fields.get("said", ())]
    return kind if not narrowed or narrowing.has(kind, names) else None
