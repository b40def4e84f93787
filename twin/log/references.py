"""Observations that refer to an equal earlier one are read with what that one says.

The log stores such an event with the id of the earlier event, in `same_as`. The earlier event has
the whole text, so there are no chains. That it was retracted, or that it is on another branch, does
not matter: what it says is still in the log.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from operator import itemgetter
from typing import Any, Final

from twin.log.database import Database
from twin.log.errors import LogDamaged
from twin.log.schema import event
from twin.log.sound_rows import WHOLE, sound_events

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

_ID: Final = 8
_BODY_OF_ALL: Final = 9
"""Where the id and the body are in a row of all columns."""


def with_references(database: Database, rows: list[Any]) -> list[Any]:
    """Return rows of the fold, (occurred_at, position, type, body, ...), with resolved bodies."""
    if STATEMENTS.isdisjoint(map(itemgetter(_TYPE), rows)):
        return rows
    chosen = [index for index, row in enumerate(rows) if row[_TYPE] in STATEMENTS]
    bodies = resolved(database, [rows[index][_BODY] for index in chosen])
    for index, body in zip(chosen, bodies, strict=True):
        rows[index] = (*rows[index][:_BODY], body, *rows[index][_BODY + 1 :])
    return rows


def resolved(database: Database, bodies: Sequence[str]) -> list[str]:
    """Return bodies of events; those that refer to an earlier event say what that one says.

    Raises:
        LogDamaged: if there is no such event, or it is about something else.
    """
    references = {index: json.loads(body) for index, body in enumerate(bodies) if _REFERS in body}
    if not references:
        return list(bodies)
    ids = list(dict.fromkeys(fields["same_as"] for fields in references.values()))
    found = sound_events(database.fetch_among(WHOLE, event.c.event_id, ids))
    earlier = {row[_ID]: (row[0], json.loads(row[_BODY_OF_ALL])) for row in found}
    result = list(bodies)
    for index, fields in references.items():
        position, whole = earlier.get(fields["same_as"], (0, {}))
        demand_equal(fields, whole, position)
        said = {name: whole[name] for name in _SAID if name in whole}
        result[index] = json.dumps({**fields, **said}, ensure_ascii=False, separators=(",", ":"))
    return result


def demand_equal(fields: dict[str, Any], whole: dict[str, Any], position: int) -> None:
    """Check that an event, given by the fields of its body, may refer to an earlier one.

    Raises:
        LogDamaged: if it may not.
    """
    names = {*fields, *whole} - _OF_ITS_OWN
    if "same_as" in whole or any(fields.get(name) != whole.get(name) for name in names):
        raise LogDamaged(position, f"an event refers to {fields['same_as']}, which is not its like")
