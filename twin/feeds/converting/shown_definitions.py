"""Saved answers to DISPLAY of definitions, such as DISPLAY QUEUE(*) ALL: what is defined.

With ALL an answer shows all attributes of its objects, and without any if one object is named. What
it does not show then has its default. DISPLAY of one type of queue, or of channels of one type,
says nothing about the others. A temporary dynamic queue is no definition: that it is shown says
only that it exists. Rules of CHLAUTH and authority records are shown with all that identifies them,
also without ALL.

Saved answers to DISPLAY QMGR: the attributes of the queue manager itself, and its identity.

Sources: IBM MQ 9.4, DISPLAY QUEUE, DISPLAY CHANNEL and the pages of the other objects (ALL).

Source: IBM MQ 9.4, DISPLAY QMGR.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, tzinfo
from itertools import chain
from types import MappingProxyType
from typing import Final, NamedTuple

from twin.events import ObjectsObserved, StatedObject
from twin.feeds.amqsevt.objects import mqsc_value
from twin.feeds.captures.records import ALL_NAMES, Capture, CapturedRow, RowValues
from twin.feeds.reading.local_time import dates_shown, key_of
from twin.model.attributes import (
    HIDDEN,
    TYPES,
    ZOS_ONLY,
    Attribute,
    Choices,
    Flag,
    NameList,
    TextList,
    Value,
    conflict,
    sparse,
)
from twin.model.authorities import expanded
from twin.model.names import QMID_LENGTH, legal_name, name_limit
from twin.model.objects import AUTHORITIES, RECORDS, identified, record_name
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
        zone=key_of(zone),
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


_QUEUES: Final = ("QLOCAL", "QALIAS", "QREMOTE", "QMODEL")
_OTHERS: Final = "NAMELIST TOPIC LISTENER PROCESS SERVICE AUTHINFO COMMINFO".split()
_NAMED_BY: Final[Mapping[str, str]] = MappingProxyType(
    {
        **dict.fromkeys(("QUEUE", *_QUEUES), "QUEUE"),
        "CHANNEL": "CHANNEL",
        **{word: word for word in (*_OTHERS, "CHLAUTH")},
        "AUTHREC": "PROFILE",
    }
)
"""The object word of a command -> the keyword with the names of its objects."""

_TYPED_BY: Final = {"QUEUE": "TYPE", "CHANNEL": "CHLTYPE"}
_IN_CLUSTERS: Final = frozenset({"QCLUSTER", "CLUSTER"})
"""The values of TYPE of what other queue managers define."""

_OF_THE_GROUP: Final = "GROUP"
"""The value of QSGDISP of what a queue-sharing group has, from which queue managers get copies."""


class ShownDefinitions(NamedTuple):
    """What an answer says of definitions.

    Attributes:
        events: what it says, one event for each kind of object.
        left_out: the rows that are not understood: line, name, reason.
        columns: attributes that are not known, or have an unknown value -> in how many rows.
    """

    events: tuple[ObjectsObserved, ...]
    left_out: tuple[tuple[int, str, str], ...]
    columns: Mapping[str, int]


def shows_definitions(capture: Capture) -> bool:
    """Return whether an answer shows definitions, with some of their attributes or all."""
    return capture.verb in {"DISPLAY", ""} and capture.object in _NAMED_BY


def shows_all(capture: Capture) -> bool:
    """Return whether an answer shows all attributes: ALL is also the default for one name."""
    name = capture.name
    if capture.object in RECORDS:
        return True
    return "ALL" in capture.asked or (legal_name(name) and bool(name) and not capture.asked)


def definitions_shown(
    parts: Sequence[Capture], qmgr: str, *, zone: tzinfo | None = None
) -> ShownDefinitions:
    """Return what an answer with ALL, from which nothing was lost, says of definitions.

    Args:
        parts: all records of the answer.
        qmgr: the queue manager that answered.
        zone: the zone of ALTDATE, CRDATE and their times; without one, they are taken as UTC.
    """
    word, reading = parts[0].object, _Reading(zone or UTC)
    for row in chain.from_iterable(part.rows for part in parts):
        reading.take(row, word)
    of_all_types = word if word in {*_OTHERS, *RECORDS, "QUEUE", "CHANNEL"} else ""
    complete = None if reading.left_out else parts[-1].complete_for
    if word in RECORDS and complete != ALL_NAMES:
        complete = None
    kinds = reading.said if reading.said or not complete or not of_all_types else {of_all_types: []}
    events = tuple(
        ObjectsObserved(
            qmgr=qmgr,
            kind=kind,
            said=tuple(one for one, _ in said),
            lines=tuple(line for _, line in said),
            complete=complete if kind == of_all_types else None,
            assumes_utc=zone is None or None,
            zone=key_of(zone),
        )
        for kind, said in sorted(kinds.items())
    )
    return ShownDefinitions(events, tuple(reading.left_out), reading.columns)


_OF_A_GRANT: Final = frozenset({"ENTITY", "ENTTYPE", "OBJTYPE", AUTHORITIES})
"""The columns of DISPLAY AUTHREC beside the profile."""


class _Reading:
    """The rows of one answer while they are read."""

    def __init__(self, zone: tzinfo) -> None:
        self.said: dict[str, list[tuple[StatedObject, int]]] = {}
        self.left_out: list[tuple[int, str, str]] = []
        self.columns: Counter[str] = Counter()
        self._zone = zone

    def take(self, row: CapturedRow, word: str) -> None:
        """Read a row of an answer about objects of a word."""
        shown = row.values
        elsewhere = shown.get("TYPE") in _IN_CLUSTERS and word in {"QUEUE", "TOPIC"}
        if elsewhere or shown.get("QSGDISP") == _OF_THE_GROUP:
            return
        name, type_name = shown.get(_NAMED_BY[word], ""), _type_of(shown, word)
        table = TYPES.get(type_name)
        if type_name in RECORDS and name:
            self._take_record(row, type_name, name)
            return
        if table is None or not name or not legal_name(name, limit=name_limit(table.kind)):
            self.left_out.append((row.line, name, "has no known type, or no legal name"))
            return
        values = sparse(type_name, self._values(type_name, shown))
        if problem := conflict(type_name, values):
            self.left_out.append((row.line, name, problem.text))
        elif type_name == "QLOCAL" and shown.get("DEFTYPE") == "TEMPDYN":
            self._add(table.kind, StatedObject(act="alter", name=name), row.line)
        else:
            dates = dates_shown(shown, self._zone)
            one = StatedObject(name=name, type=type_name, values=values, **dates)
            self._add(table.kind, one, row.line)

    def _take_record(self, row: CapturedRow, kind: str, profile: str) -> None:
        """Read a rule of CHLAUTH or an authority record.

        One without all of its columns does not say whom it is about, or what it grants.
        """
        shown = dict(row.values)
        if kind == "AUTHREC" and (lacks := sorted(_OF_A_GRANT - shown.keys())):
            self.left_out.append((row.line, profile, f"lacks {', '.join(lacks)}"))
            return
        authorities = shown.pop(AUTHORITIES, "").replace(",", " ").split()
        entity, of = shown.pop("ENTITY", ""), shown.pop("ENTTYPE", "")
        if of in {"PRINCIPAL", "GROUP"}:
            shown[of] = entity
        values = identified(kind, profile, self._values(kind, shown))
        if kind == "AUTHREC":
            values[AUTHORITIES] = expanded(str(values.get("OBJTYPE", "")), authorities)
        name = record_name(kind, profile, values)
        dates = dates_shown(row.values, self._zone)
        one = StatedObject(name=name, type=kind, values=sparse(kind, values), **dates)
        self._add(kind, one, row.line)

    def _add(self, kind: str, one: StatedObject, line: int) -> None:
        self.said.setdefault(kind, []).append((one, line))

    def _values(self, type_name: str, shown: RowValues) -> dict[str, Value]:
        attributes = TYPES[type_name].by_keyword
        flags = {each.form.off: each for each in attributes.values() if isinstance(each.form, Flag)}
        passed = {_NAMED_BY.get(type_name, ""), *_TYPED_BY, *_TYPED_BY.values(), type_name}
        values: dict[str, Value] = {}
        for keyword, text in shown.items():
            if keyword in flags:
                values[flags[keyword].keyword] = "NO"
                continue
            attribute = attributes.get(keyword)
            if attribute is not None and not attribute.settable:
                continue
            if attribute is not None and isinstance(attribute.form, Flag) and not text:
                values[keyword] = "YES"
            elif attribute is not None and text != HIDDEN:
                value = value_shown(attribute, text)
                if value is None:
                    self.columns[keyword] += 1
                else:
                    values[keyword] = value
            elif keyword in ZOS_ONLY:
                values[keyword] = text
            elif attribute is None and keyword not in passed:
                self.columns[keyword] += 1
        return values


def _type_of(shown: RowValues, word: str) -> str:
    """Return the type of the object of a row; '' if it is not known."""
    keyword = _TYPED_BY.get(_NAMED_BY[word], "")
    return shown.get(keyword, word if word in TYPES else "") if keyword else word
