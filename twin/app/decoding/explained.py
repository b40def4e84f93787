"""Messages of error logs, explained: rows for people and programs, with or without a twin."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from twin.app.decoding.in_estate import InEstate, Lookup, in_estate
from twin.feeds.errorlog.decoding import DecodedLog, DecodedMessage, decode_lines
from twin.feeds.errorlog.naming import filled
from twin.feeds.errorlog.record import split_id
from twin.feeds.reading.local_time import DateOrder
from twin.feeds.reading.not_understood import NotUnderstood
from twin.model.instants import DAY, AsOf, Instant, format_instant
from twin.model.reasons import reason_code
from twin.questions.answer import Answer, Row

if TYPE_CHECKING:
    from twin.app.twin import Twin

__all__ = [
    "COLUMNS",
    "DateOrder",
    "DecodedLog",
    "NotUnderstood",
    "alone",
    "compared",
    "decode_lines",
    "is_id",
]

COLUMNS: Final = (
    *("id", "number", "first", "last", "on", "noise", "message", "means", "cause", "object"),
    *("owner", "partners", "days_left", "removal", "ends", "in_use", "twin", "do", "source"),
    "line",
)
"""The keys of the rows.

`first` and `last` end with Z if they are instants; else they are local times as written. `noise`
is true if nothing needs to be done. `cause` lists the messages that came just before. `days_left`
and `removal` are those of a record that was not renewed. `ends` is when the queue manager ends
because its repository manager fails, unless that is repaired or put off. `in_use` is yes, no,
unknown, or null without a twin, and `twin` lists what it knows.
"""

_OBJECTS: Final = {
    "channel": "channel",
    "queue": "queue",
    "object": "object",
    "cluster": "cluster",
    "qmid": "QMID",
}


def is_id(text: str) -> bool:
    """Tell whether a text is the id of a message, such as amq9469w, or a reason code, as 2085."""
    return split_id(text.upper()) is not None or reason_code(text) is not None


def alone(decoded: DecodedLog, *, now: Instant) -> Answer:
    """Return a row for each message, without a twin.

    Days left are counted from `now`, and the point of the answer means nothing else.
    """
    rows = tuple(_row(message, None, now) for message in decoded.messages)
    return Answer("decode", AsOf(valid=now, known=now), COLUMNS, rows)


def compared(
    twin: Twin,
    decoded: DecodedLog,
    *,
    as_of: Instant | None = None,
    known_at: Instant | None = None,
) -> Answer:
    """Return a row for each message, with what the twin knows of its names, and the evidence."""
    lookup = Lookup(twin, as_of=as_of, known_at=known_at)
    known = [in_estate(lookup, message) for message in decoded.messages]
    rows = (
        _row(message, each, lookup.point.valid)
        for message, each in zip(decoded.messages, known, strict=True)
    )
    evidence = tuple(each.evidence for each in known)
    return Answer("decode", lookup.point, COLUMNS, tuple(rows), evidence=evidence)


def _row(message: DecodedMessage, known: InEstate | None, now: Instant) -> Row:
    names = known.names if known else message.names
    owner = (known.owner if known else "") or message.owner
    left, removal = _days_left(message, known, now)
    return {
        "id": message.id,
        "number": message.number,
        "first": message.span.first or None,
        "last": message.span.last or None,
        "on": message.on or None,
        "noise": message.noise,
        "message": message.message or None,
        "means": message.means or None,
        "cause": tuple(
            id_ if number == message.number else f"{id_} ({number} times)"
            for id_, number in message.causes
        ),
        "object": _object(names) or None,
        "owner": owner or None,
        "partners": message.hosts,
        "days_left": left,
        "removal": removal or None,
        "ends": None if message.ends is None else format_instant(message.ends),
        "in_use": known.in_use if known else None,
        "twin": known.sentences if known else (),
        "do": _do(message, {**names, "owner": owner}) or None,
        "source": message.source or None,
        "line": message.line,
    }


def _do(message: DecodedMessage, names: Mapping[str, str]) -> str:
    """Return what to do; if the cause was logged too, that is what matters."""
    if message.causes:
        return f"See {', '.join(id_ for id_, _ in message.causes)}"
    return filled(message.template, names)


def _object(names: Mapping[str, str]) -> str:
    return ", ".join(f"{word} {names[role]}" for role, word in _OBJECTS.items() if role in names)


def _days_left(
    message: DecodedMessage, known: InEstate | None, now: Instant
) -> tuple[int | None, str]:
    """Return the days until a record is removed, and that time: the twin's, else the message's.

    A message counts whole days: its removal is a date.
    """
    if known is not None and known.removal is not None:
        return known.days_left, format_instant(known.removal)
    if message.days is None:
        return None, ""
    _, left = message.days
    at = message.span.last_at
    if at is None:
        return left, ""
    end = at + left * DAY
    return max(0, -((now - end) // DAY)), format_instant(end)[: len("2026-01-01")]
