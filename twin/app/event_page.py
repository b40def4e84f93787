"""A page of the recorded events: chosen by what they are about; some no longer count."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, NamedTuple

from twin.app.event_text import columns_named, mark_of, origin_of
from twin.app.failed_calls import FailedCalls, failed_calls
from twin.app.refusals import NoSuchQueueManager
from twin.app.twin import Twin
from twin.log import StoredEvent
from twin.model.instants import AsOf, Instant
from twin.questions.answer import Answer, Row
from twin.questions.narrowing import ACCESS_RECORDS, Narrowing, note_of

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


_STORED: Final = (
    *("position", "branch", "occurred_at", "recorded_at", "type", "qmgr", "cause", "source"),
    *("event_id", "body"),
)
_COLUMNS: Final = (*_STORED, "origin", "hidden", "failed")


@dataclass(frozen=True, slots=True, kw_only=True)
class EventsRequest:
    """Which events to show.

    Attributes:
        types: only events of these types; () for all.
        qmgr: only events at this queue manager.
        narrowing: only events about some objects.
        since, until: only events from and up to these instants.
        known_at: only what the log knew at this instant.
        after: only events after this position.
        limit: at most so many; 0 for all.
    """

    types: tuple[str, ...] = ()
    qmgr: str | None = None
    narrowing: Narrowing
    since: Instant | None = None
    until: Instant | None = None
    known_at: Instant | None = None
    after: int = 0
    limit: int = 0


class EventPage(NamedTuple):
    """A page of events.

    Attributes:
        chosen: the events.
        hidden: position -> why an event no longer counts.
        failed: position -> the answer to a command or a call that failed.
        answer: the events as rows.
    """

    chosen: ChosenEvents
    hidden: Mapping[int, str]
    failed: Mapping[int, str]
    answer: Answer


def events_page(twin: Twin, request: EventsRequest) -> EventPage:
    """Return a page of the events that the branch of a twin sees.

    Raises:
        NoSuchEventType, NoSuchQueueManager: if one is named that does not exist.
    """
    point = twin.as_of(valid=request.until, known=request.known_at)
    read = partial(
        twin.log.events,
        branch=twin.branch,
        upto=point.position,
        types=columns_named(request.types),
        qmgr=request.qmgr,
        since=request.since,
        until=point.valid,
    )
    chosen = choose(
        lambda **page: map(twin.log.whole, read(**page)),
        request.narrowing,
        after=request.after,
        limit=request.limit,
    )
    if request.qmgr and not chosen.read:
        at_all = twin.log.events(branch=twin.branch, qmgr=request.qmgr, limit=1)
        if not any(at_all):
            raise NoSuchQueueManager(request.qmgr)
    visibility = twin.log.visibility(branch=twin.branch, known=point.position)
    hidden = {
        event.position: mark for event in chosen.events if (mark := mark_of(event, visibility))
    }
    calls = failed_calls(twin, [each for each in chosen.events if each.position not in hidden])
    return EventPage(chosen, hidden, calls.why, _answer(chosen, hidden, calls, point))


def _answer(
    chosen: ChosenEvents, hidden: Mapping[int, str], calls: FailedCalls, point: AsOf
) -> Answer:
    rows: list[Row] = [
        {
            **{column: getattr(event, column) for column in _STORED},
            "origin": origin_of(event),
            "hidden": hidden.get(event.position),
            "failed": calls.why.get(event.position),
        }
        for event in chosen.events
    ]
    instants = frozenset({"occurred_at", "recorded_at"})
    evidence = tuple((event.position,) for event in chosen.events)
    answer = Answer("log", point, _COLUMNS, tuple(rows), instants, evidence)
    return replace(answer, notes=(*note_of(chosen.left_out, "event"), *calls.notes))
