"""Saved answers to DISPLAY QMGR: the attributes of the queue manager itself, and its identity.

Source: IBM MQ 9.4, DISPLAY QMGR.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, tzinfo
from typing import Final

from twin.events import ObjectsObserved, StatedObject
from twin.feeds.amqsevt.objects import mqsc_value
from twin.feeds.captures.records import ALL_NAMES, Capture, RowValues
from twin.feeds.reading.object_dates import dates_shown
from twin.model.attributes import HIDDEN, TYPES, Attribute, Choices, NameList, TextList, Value
from twin.model.names import QMID_LENGTH
from twin.model.platforms import LEVELS, PLATFORMS, is_version, level_in

_JUDGED: Final = frozenset({"DEADQ", "REPOS", "REPOSNL"})
"""Attributes of an answer that shows all."""

_KNOWN: Final = TYPES["QMGR"].by_keyword


def own_attributes(
    parts: Sequence[Capture], qmgr: str, *, zone: tzinfo | None = None
) -> ObjectsObserved | None:
    """Return what an answer to DISPLAY QMGR says of its queue manager; None if it shows no QMID.

    Attributes that twin does not know, and passwords, are left out. The others are those that the
    queue manager has now; what the answer does not show stays as it is known. An answer that
    shows those by which repositories and dead letters are judged is taken to show all.

    Args:
        parts: all records of the answer.
        qmgr: the queue manager that answered.
        zone: the zone of ALTDATE, CRDATE and their times; without one, they are taken as UTC.
    """
    rows = [row for part in parts for row in part.rows]
    if parts[0].object != "QMGR" or len(rows) != 1:
        return None
    shown = rows[0].values
    if shown.get("QMNAME", qmgr) != qmgr or not (qmid := shown.get("QMID", "")):
        return None
    level, platform = shown.get("CMDLEVEL", ""), shown.get("PLATFORM", "")
    version = shown.get("VERSION", "")
    if not level and is_version(version):
        level = str(level_in(version))
    is_level = level.isascii() and level.isdigit() and int(level[:6]) in LEVELS
    return ObjectsObserved(
        qmgr=qmgr,
        kind="QMGR",
        said=(
            StatedObject(
                act="alter",
                name="",
                type="QMGR",
                values=dict(_values(shown)),
                **dates_shown(shown, zone or UTC),
            ),
        ),
        lines=(rows[0].line,),
        complete=ALL_NAMES if shown.keys() >= _JUDGED and not parts[-1].lacking else None,
        qmid=qmid,
        assumes_utc=zone is None or None,
        cmdlevel=int(level[:6]) if is_level else None,
        version=version if is_version(version) else None,
        platform=platform if platform in PLATFORMS else None,
    )


def shows_long_qmid(parts: Sequence[Capture]) -> bool:
    """Return whether an answer to DISPLAY QMGR shows a QMID that is too long to be one."""
    rows = (row for part in parts for row in part.rows)
    is_own = parts[0].object == "QMGR"
    return is_own and any(len(row.values.get("QMID", "")) > QMID_LENGTH for row in rows)


def _values(shown: RowValues) -> Iterator[tuple[str, Value]]:
    for keyword, text in shown.items():
        attribute = _KNOWN.get(keyword)
        if attribute is None or not attribute.settable or text == HIDDEN:
            continue
        value = value_shown(attribute, text)
        if value is not None:
            yield keyword, value


def value_shown(attribute: Attribute, text: str) -> Value | None:
    """Return a value as MQSC has it; a blank is a text or an empty list, or else not known."""
    if isinstance(attribute.form, Choices | NameList | TextList):
        return mqsc_value(attribute, [word.strip() for word in text.split(",") if word.strip()])
    return mqsc_value(attribute, text)
