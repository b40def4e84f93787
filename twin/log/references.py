"""What events say that refer to earlier ones: the log stores a text once.

A statement that says what an earlier one said has its id in `same_as`. Rows that a file said again
are one event, `SeenAgain`, which has the positions of the earlier ones in `again`. The earlier
events have the whole text, so there are no chains. That they were retracted, or are on another
branch, does not matter, and neither does their instant: what they say is still in the log. So what
a file said does not change when others come in late.
"""

from __future__ import annotations

import json
from collections.abc import Container, Iterator, Sequence
from operator import itemgetter
from typing import Any, Final, NamedTuple

from sqlalchemy import bindparam

from twin.log.chain import WHOLE, sound_events
from twin.log.database import Database
from twin.log.errors import LogDamaged
from twin.log.records import StoredEvent
from twin.log.schema import event

STATEMENTS: Final = frozenset({"ObjectsObserved", "BeliefsObserved"})
"""The types of events that may refer to an earlier one."""

_REFERS: Final = '"same_as":"'
"""The text by which a body refers; inside a JSON string its quotation marks would be escaped."""

_SAID: Final = ("said", "lines")
"""The fields that are stored in the earlier event only."""

_OF_ITS_OWN: Final = frozenset({*_SAID, "same_as", "origin", "claimed"})
"""The fields in which both events may differ."""

_TYPE: Final = 2
_BODY: Final = 3
"""Where the type and the body are in a row of the fold."""

_TYPE_OF_ALL: Final = 4
_CAUSE: Final = 6
_ID: Final = 8
_BODY_OF_ALL: Final = 9
"""Where the type, the cause, the id and the body are in a row of all columns."""


def with_references(
    database: Database,
    rows: list[Any],
    *,
    types: Container[str] = (),
    qmgrs: Container[str] = (),
) -> list[Any]:
    """Return rows of the fold, (occurred_at, position, type, body, ...), with what they refer to.

    An event that stands for many is many rows with its position: of some `types` if they are
    given, and all of them if it is about one of these `qmgrs`, or its own type is among these.
    """
    found = set(map(itemgetter(_TYPE), rows))
    if not STATEMENTS.isdisjoint(found):
        chosen = [index for index, row in enumerate(rows) if row[_TYPE] in STATEMENTS]
        bodies = resolved(database, [rows[index][_BODY] for index in chosen])
        for index, body in zip(chosen, bodies, strict=True):
            rows[index] = (*rows[index][:_BODY], body, *rows[index][_BODY + 1 :])
    if SEEN_AGAIN not in found:
        return rows
    all_types = not types or SEEN_AGAIN in types
    whole: list[Any] = []
    for row in rows:
        if row[_TYPE] != SEEN_AGAIN:
            whole.append(row)
            continue
        for qmgr, type_, body in rows_said(database, row[1], row[_BODY]):
            if all_types or type_ in types or qmgr in qmgrs:
                whole.append((*row[:_TYPE], type_, body, *row[_BODY + 1 :]))
    return whole


def facts_said(database: Database, stored: Sequence[StoredEvent]) -> list[StoredEvent]:
    """Return primary facts with what they refer to; one that stands for many is many facts."""
    bodies = resolved(database, [each.body if each.type in STATEMENTS else "" for each in stored])
    facts: list[StoredEvent] = []
    for each, body in zip(stored, bodies, strict=True):
        if each.type == SEEN_AGAIN:
            said = rows_said(database, each.position, each.body)
            facts += (each._replace(type=type_, body=text) for _, type_, text in said)
        else:
            facts.append(each._replace(body=body) if body else each)
    return facts


def resolved(database: Database, bodies: Sequence[str]) -> list[str]:
    """Return bodies of events; those that refer to earlier events say what these say.

    Rows that were said again are in `said`, each with its type, and `lines` has the line of each.

    Raises:
        LogDamaged: if there is no such event, or it is about something else.
    """
    result = [
        _with_rows(database, json.loads(body)) if REPEATS in body else body for body in bodies
    ]
    references = {index: json.loads(body) for index, body in enumerate(bodies) if _REFERS in body}
    if not references:
        return result
    ids = list(dict.fromkeys(fields["same_as"] for fields in references.values()))
    found = sound_events(database.fetch_among(WHOLE, event.c.event_id, ids))
    earlier = {row[_ID]: (row[0], json.loads(row[_BODY_OF_ALL])) for row in found}
    for index, fields in references.items():
        position, whole = earlier.get(fields["same_as"], (0, {}))
        demand_equal(fields, whole, position)
        said = {name: whole[name] for name in _SAID if name in whole}
        result[index] = _json({**fields, **said})
    return result


def _with_rows(database: Database, fields: dict[str, Any]) -> str:
    texts = texts_of(database, 0, fields)
    said = [{"type": each.type, "name": _name(each.fields), **each.fields} for each in texts]
    return _json({**fields, "said": said, "lines": _lines(fields, texts)})


def _name(fields: dict[str, Any]) -> str:
    """Return what a row is about: a queue, a channel, a cluster; '' for many, or none of these."""
    return next((fields[name] for name in ("queue", "channel", "cluster") if name in fields), "")


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def demand_equal(fields: dict[str, Any], whole: dict[str, Any], position: int) -> None:
    """Check that an event, given by the fields of its body, may refer to an earlier one.

    Raises:
        LogDamaged: if it may not.
    """
    names = {*fields, *whole} - _OF_ITS_OWN
    if "same_as" in whole or any(fields.get(name) != whole.get(name) for name in names):
        raise LogDamaged(position, f"an event refers to {fields['same_as']}, which is not its like")


SEEN_AGAIN: Final = "SeenAgain"
"""The type of an event that stands for many."""

SHORTENED: Final = frozenset(
    {
        "ChannelObserved",
        "ChannelsListed",
        "DepthsObserved",
        "QueueManagerStatusObserved",
        "SuspensionObserved",
        "TransmissionQueueObserved",
    }
)
"""The types of the events that it may stand for, without their schema numbers.

Nothing that a rule reads changes by folding them, so those of one instant have no order.
"""

REPEATS: Final = '"again":[['
"""The text by which a body names others; inside a JSON string its quotes would be escaped."""

_NAMED: Final = WHOLE.where(event.c.position.between(bindparam("first"), bindparam("last")))
_MOST_KEPT: Final = 20_000
"""How many texts a process keeps at hand."""

_ENVELOPE: Final = ("qmgr", "origin", "claimed")
"""The fields that the event that stands for others has itself."""


class RowText(NamedTuple):
    """What an event says, without its file.

    Attributes:
        type: its type column.
        qmgr: its queue manager.
        line: its line in its file; None if it has none.
        fields: its other fields.
        text: the same as JSON, without the bracket that begins it.
    """

    type: str
    qmgr: str
    line: int | None
    fields: dict[str, Any]
    text: str


def is_shortened(column: str) -> bool:
    """Return whether events with this type column may be shortened."""
    return column.partition("@")[0] in SHORTENED


def text_of(column: str, body: str) -> RowText:
    """Return what an event says, without its file."""
    fields = json.loads(body)
    qmgr, origin, _ = (fields.pop(name, None) for name in _ENVELOPE)
    return RowText(column, qmgr, (origin or {}).get("line"), fields, _json(fields)[1:])


def positions_of(again: Sequence[Sequence[int]]) -> Iterator[int]:
    """Yield the positions in ranges."""
    for first, last in again:
        yield from range(first, last + 1)


def texts_of(database: Database, position: int, fields: dict[str, Any]) -> list[RowText]:
    """Return the texts that an event names, given its position and the fields of its body.

    Those that were read lately are at hand.

    Raises:
        LogDamaged: if one of the named events is not there, or may not be named.
    """
    kept, found = database.row_texts, dict[int, RowText]()
    for first, last in fields["again"]:
        at_hand = [kept.get(each) for each in range(first, last + 1)]
        if None not in at_hand:
            found.update((each, kept[each]) for each in range(first, last + 1))
            continue
        for row in sound_events(database.fetch(_NAMED, first=first, last=last)):
            if row[_CAUSE] is None and is_shortened(row[_TYPE_OF_ALL]):
                found[row[0]] = kept[row[0]] = text_of(row[_TYPE_OF_ALL], row[_BODY_OF_ALL])
    if len(kept) > _MOST_KEPT:
        kept.clear()
    named = list(positions_of(fields["again"]))
    if any(each not in found or found[each].qmgr != fields["qmgr"] for each in named):
        raise LogDamaged(position, "it names an event that is not one of its queue manager's rows")
    return [found[each] for each in named]


def demand_rows(database: Database, position: int, body: str) -> None:
    """Check that the event at a position, with this body, stands for rows of earlier events.

    Raises:
        LogDamaged: if it does not.
    """
    fields = json.loads(body)
    lines, named = fields.get("lines"), list(positions_of(fields["again"]))
    if not named or max(named) >= position or len(lines or named) != len(named):
        raise LogDamaged(position, "it does not stand for rows of earlier events")
    texts_of(database, position, fields)


def _lines(fields: dict[str, Any], texts: Sequence[RowText]) -> Sequence[int | None]:
    return fields.get("lines") or [each.line for each in texts]


def rows_said(database: Database, position: int, body: str) -> Iterator[tuple[str, str, str]]:
    """Yield (queue manager, type, body) of each row that an event stands for, as a whole event.

    Raises:
        LogDamaged: if the event at this position names one that it may not name.
    """
    fields = json.loads(body)
    texts = texts_of(database, position, fields)
    head = _json({name: fields[name] for name in _ENVELOPE[::2] if name in fields})[:-1]
    origin = fields.get("origin", {})
    for each, line in zip(texts, _lines(fields, texts), strict=True):
        place = f',"origin":{_json({**origin, "line": line})}' if origin else ""
        yield each.qmgr, each.type, f"{head}{place},{each.text}"
