"""The log: what was recorded, by what caused it, where it came from, and what it led to."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from typing import Any, Final, NamedTuple

from twin.app.event_page import choose
from twin.app.event_text import columns_named, fields_of, is_empty, mark_of, origin_of
from twin.app.failed_calls import failed_calls
from twin.app.refusals import NoSuchQueueManager
from twin.errors import SubjectError
from twin.events.catalogue import EVENTS
from twin.log import StoredEvent
from twin.log.visibility import Visibility
from twin.model.amounts import whole_number
from twin.model.instants import format_instant
from twin.questions.narrowing import Narrowing, note_of
from twin.web.pages.parameters import (
    EVENT_TYPE,
    NUMBER,
    OBJECT_KIND,
    POSITION,
    QUEUE_MANAGER,
    TEXT,
    one_of,
)
from twin.web.pages.view import PageContent, PageReading, PageTable, PageView

_PAGE: Final = 60
"""How many events are shown."""

_OWN: Final = {
    "qmgr": QUEUE_MANAGER,
    "type": EVENT_TYPE,
    "kind": OBJECT_KIND,
    "name": TEXT,
    "all": one_of(("yes",)),
    "before": NUMBER,
}
"""The parameters of this view besides the position of one event."""

_FIRST_REACH: Final = 240
"""How many positions are looked at first; it grows if too few events are chosen."""

_LED_TO: Final = 200
"""How many events that another one led to are shown."""

_SEARCHED: Final = 200_000
"""In how many positions after an event its consequences are searched."""


class NoSuchPosition(SubjectError, LookupError, message="no event at position {} on this branch"):
    """A position of the log without an event."""


class LoggedEvent(NamedTuple):
    """An event as a page shows it.

    Attributes:
        stored: the event.
        meaning: what events of its type mean.
        says: its fields without its origin, which the page shows beside them.
        origin: where it came from; None if that is unknown.
        mark: why it no longer counts; None if it counts.
        failed: the answer to a command or a call that failed; None for all others.
    """

    stored: StoredEvent
    meaning: str
    says: str
    origin: str | None
    mark: str | None
    failed: str | None = None

    @property
    def text(self) -> str:
        """Its fields and its origin, in one line."""
        return " ".join(filter(None, (self.says, self.origin and f"from {self.origin}")))

    def row(self) -> dict[str, Any]:
        """Return it for programs."""
        stored = self.stored
        return {
            "position": stored.position,
            "occurred_at": format_instant(stored.occurred_at),
            "recorded_at": format_instant(stored.recorded_at),
            "type": stored.type,
            "qmgr": stored.qmgr,
            "cause": stored.cause,
            "source": stored.source,
            "event_id": stored.event_id,
            "text": self.text,
            "origin": self.origin,
            "hidden": self.mark,
            "failed": self.failed,
        }


class EventGroup(NamedTuple):
    """Events with one cause.

    Attributes:
        first: what caused them.
        led_to: those that are shown of the events that were derived from it.
    """

    first: LoggedEvent
    led_to: Sequence[LoggedEvent]


class EventDetails(NamedTuple):
    """One event with all that is known of it.

    Attributes:
        event: the event.
        fields: its fields that are not empty, with values as text.
        cause: the fact that it was derived from; None for a primary fact.
        led_to: what was derived from it.
        more: why there may be more than is shown; '' if this is all.
    """

    event: LoggedEvent
    fields: Sequence[tuple[str, str]]
    cause: LoggedEvent | None
    led_to: Sequence[LoggedEvent]
    more: str


def show(reading: PageReading) -> PageContent:
    """Show the events up to the point of the page, the latest first."""
    own, place = reading.place.own, reading.place
    log, at = reading.twin.log, reading.at
    visibility = log.visibility(branch=at.branch, known=at.position)
    narrowing = Narrowing(own.get("kind"), own.get("name"), everything=own.get("all") == "yes")
    before = _number(own.get("before"), at.position + 1)
    qmgr, type_ = own.get("qmgr"), own.get("type")
    read = partial(
        log.events,
        branch=at.branch,
        upto=min(before - 1, at.position),
        types=columns_named([type_] if type_ else []),
        qmgr=qmgr,
        until=at.valid,
    )
    stored, left_out, first = _latest(read, narrowing, min(before - 1, at.position))
    if qmgr and not stored and not any(log.events(branch=at.branch, qmgr=qmgr, limit=1)):
        raise NoSuchQueueManager(qmgr)
    whole = [log.whole(each) for each in stored]
    calls = failed_calls(reading.twin, whole)
    events = [
        _logged(each, visibility)._replace(failed=calls.why.get(each.position)) for each in whole
    ]

    def caused_by(event_id: str) -> LoggedEvent | None:
        cause = log.find(event_id)
        return _logged(cause, visibility) if cause else None

    details = _details(reading, visibility) if own.get("position") else None
    table = [each.row() for each in events]
    columns = tuple(table[0]) if table else ("position",)
    options = {name: own.get(name) for name in ("qmgr", "type", "kind", "name")}
    groups = list(_groups(events, caused_by))
    lead = 0 if narrowing.kind or narrowing.name or qmgr or type_ else _lead(groups, events)
    after = str(events[0].stored.position - 1 - lead) if events else None
    return PageContent(
        title="Log",
        values={
            "groups": groups[::-1],
            "details": details,
            "types": sorted(EVENTS),
            "own": {name: own.get(name, "") for name in _OWN},
            "older": events[0].stored.position if events and first > 0 else None,
            "notes": (*note_of(left_out, "event"), *calls.notes),
        },
        tables=(PageTable.plain("log", columns, table),),
        commands=(
            place.command(
                "log",
                "show",
                **options,
                all=narrowing.everything,
                after=after,
                limit=str(_PAGE + lead),
            ),
        ),
    )


def _lead(groups: Sequence[EventGroup], events: Sequence[LoggedEvent]) -> int:
    """Return how far before the events the cause of the first ones is; 0 if that is far away."""
    if not events:
        return 0
    distance = events[0].stored.position - groups[0].first.stored.position
    return distance if 0 < distance <= _PAGE else 0


def _number(text: str | None, default: int) -> int:
    """Return a position from a URL; the default if there is none."""
    number = whole_number(text or "")
    return default if number is None else number


def _latest(
    read: partial[Iterator[StoredEvent]], narrowing: Narrowing, last: int
) -> tuple[Sequence[StoredEvent], int, int]:
    """Return the last events of those that are read; how many were left out; where reading began.

    The log is read forwards, so the reach grows until there are enough.
    """
    reach = _FIRST_REACH
    while True:
        begin = max(last - reach, 0)
        chosen = choose(
            lambda after, limit, begin=begin: read(after=max(after, begin), limit=limit),
            narrowing,
            after=begin,
            limit=0,
        )
        if len(chosen.events) >= _PAGE or not begin:
            events = chosen.events[-_PAGE:]
            began = begin if len(chosen.events) <= _PAGE else events[0].position - 1
            return events, chosen.left_out, began
        reach *= 8


def _logged(stored: StoredEvent, visibility: Visibility) -> LoggedEvent:
    event = EVENTS.get(stored.type.partition("@")[0])
    meaning = ((event.__doc__ or "") if event else "").strip().split("\n")[0].replace("`", "")
    return LoggedEvent(
        stored, meaning, fields_of(stored), origin_of(stored), mark_of(stored, visibility)
    )


def _groups(
    events: Sequence[LoggedEvent], logged: Callable[[str], LoggedEvent | None]
) -> Iterator[EventGroup]:
    """Group events that follow each other and have one cause; `logged` returns the cause by id."""
    for cause, group in groupby(events, key=lambda each: each.stored.cause or each.stored.event_id):
        shown = list(group)
        first = shown[0] if shown[0].stored.cause is None else logged(cause) or shown[0]
        yield EventGroup(first, [each for each in shown if each is not first])


def _details(reading: PageReading, visibility: Visibility) -> EventDetails:
    """Return the event at the position that the URL names.

    Raises:
        NoSuchPosition: if the branch has none there.
    """
    log, text = reading.twin.log, reading.place.own["position"]
    position = _number(text, 0)
    found = next(log.events(branch=reading.at.branch, after=position - 1, upto=position), None)
    if found is None:
        raise NoSuchPosition(text)
    stored = log.whole(found)
    cause = log.find(stored.cause) if stored.cause else None
    led_to, more = _consequences(reading, stored)
    failed = failed_calls(reading.twin, [stored]).why.get(position)
    return EventDetails(
        _logged(stored, visibility)._replace(failed=failed),
        list(_fields(json.loads(stored.body))),
        _logged(cause, visibility) if cause else None,
        [_logged(each, visibility) for each in led_to],
        more,
    )


def _consequences(reading: PageReading, stored: StoredEvent) -> tuple[list[StoredEvent], str]:
    """Return what was derived from an event, also again after a late fact, and why not all."""
    last = reading.at.position
    upto = min(last, stored.position + _SEARCHED)
    found = reading.twin.log.derived_from(
        stored, branch=reading.at.branch, upto=upto, limit=_LED_TO + 1
    )
    if len(found) > _LED_TO:
        return found[:_LED_TO], "More events follow."
    return found, f"Searched up to position {upto} of {last}." if upto < last else ""


def _fields(body: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, value in body.items():
        if name != "origin" and not is_empty(value):
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            yield name, text


LOG: Final = PageView(
    name="log", title="Log", show=show, own={**_OWN, "position": POSITION}, typed=("position",)
)
