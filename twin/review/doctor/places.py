"""Where findings point: the events that set what is wrong, and the files and lines they came from.

Each rule declares which attributes of its objects are wrong. A finding points at the line that last
set one of them, or at the DEFINE of an object without any such line; where no object is wrong, it
points at what said so.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

from twin.events import (
    ObjectAltered,
    ObjectDefined,
    ObjectDeleted,
    ObjectsObserved,
    Origin,
    QueueManagerAltered,
    QueueManagerCreated,
)
from twin.events.catalogue import columns_of_all, decode_all
from twin.log import Log
from twin.log.records import StoredEvent
from twin.model.instants import AsOf
from twin.model.names import is_address
from twin.questions.doctor.diagnosis import Found
from twin.questions.doctor.finding import FindingPlace

_PLACE: Final = re.compile(r"(?P<file>.+):(?P<line>\d+)")

_BEGINS: Final = (ObjectDefined, ObjectDeleted, QueueManagerCreated)
_SETS: Final = (ObjectAltered, QueueManagerAltered)

_Object: TypeAlias = tuple[str, str]
"""The kind and the name of an object; ('QMGR', '') for the queue manager itself."""


class _Change(NamedTuple):
    """An event that changed an object: its position, what it set, and whether it defined it."""

    position: int
    values: Mapping[str, object]
    begins: bool


class _Said(NamedTuple):
    """What an observation says of an object: where, what it sets, and whether it defines it."""

    event: StoredEvent
    line: int
    values: Mapping[str, object]
    begins: bool


class Places:
    """Finds where findings point; remembers the events that it has read."""

    def __init__(self, log: Log, point: AsOf) -> None:
        """Read what a log says at a point in time."""
        self._log = log
        self._point = point
        self._changes: dict[str, Mapping[_Object, Sequence[_Change]]] = {}
        self._observations: dict[str, Sequence[StoredEvent]] = {}
        self._events: dict[int, StoredEvent | None] = {}
        self._primary: dict[int, StoredEvent | None] = {}

    def of(self, found: Found) -> tuple[tuple[int, ...], tuple[str, ...]]:
        """Return the positions that a finding rests on, sorted, and their origins.

        An object stands for the event that last set one of the attributes that are wrong. An origin
        is `FILE:LINE` or `USER@ADDRESS`. Those of the queue manager that the fix is for come first.
        If a file was imported as a whole, there is the line that last set what is wrong, and then
        the one that defines the object.
        """
        finding = found.finding
        keywords = frozenset(finding.attributes or found.rule.attributes)
        fixed = {command.on for command in finding.fix}
        positions, written = set[int](), list[tuple[bool, str]]()
        for each in finding.evidence:
            position = self._setting(each, keywords) if isinstance(each, FindingPlace) else each
            positions.add(position)
            if (event := self._cause(position)) is not None:
                texts = (
                    self._of_object(each, event, keywords)
                    if isinstance(each, FindingPlace)
                    else _of_rows(event, {finding.subject.name, *finding.names})
                )
                written += ((event.qmgr not in fixed, text) for text in texts)
        written.sort(key=lambda pair: pair[0])
        return tuple(sorted(positions - {0})), tuple(dict.fromkeys(text for _, text in written))

    def _setting(self, place: FindingPlace, keywords: frozenset[str]) -> int:
        """Return the position of the event that last set one of the attributes of an object."""
        event = self._event(place.position)
        if event is None or event.type not in columns_of_all(_SETS):
            return place.position
        changes = self._of(place.qmgr).get((place.kind, place.name), ())
        upto = [each for each in changes if each.position <= place.position]
        begins = max((at for at, each in enumerate(upto) if each.begins), default=0)
        setting = [each for each in upto[begins:] if not keywords.isdisjoint(each.values)]
        if setting or not upto:
            return setting[-1].position if setting else place.position
        return upto[begins].position if upto[begins].begins else place.position

    def _of(self, qmgr: str) -> Mapping[_Object, Sequence[_Change]]:
        """Return the changes of the objects of a queue manager, in the order of their instants."""
        if qmgr not in self._changes:
            found: dict[_Object, list[_Change]] = defaultdict(list)
            rows = self._log.rows(
                branch=self._point.branch,
                valid=self._point.valid,
                known=self._point.position,
                types=columns_of_all((*_BEGINS, *_SETS)),
                qmgrs=(qmgr,),
            )
            events = decode_all([row[2] for row in rows], [row[3] for row in rows])
            for (_, position, _, _), event in zip(rows, events, strict=True):
                key = (getattr(event, "kind", "QMGR"), getattr(event, "name", ""))
                values = getattr(event, "values", {})
                found[key].append(_Change(position, values, isinstance(event, _BEGINS)))
            self._changes[qmgr] = found
        return self._changes[qmgr]

    def _event(self, position: int) -> StoredEvent | None:
        if position not in self._events:
            found = self._log.events(after=position - 1, upto=position, limit=1)
            self._events[position] = next(found, None)
        return self._events[position]

    def _cause(self, position: int) -> StoredEvent | None:
        """Return the primary fact that an event is, or follows from; None if it is pending."""
        if position not in self._primary:
            event = self._event(position)
            while event is not None and event.cause is not None:
                event = self._log.find(event.cause)
            self._primary[position] = None if event is None else self._log.whole(event)
        return self._primary[position]

    def _of_object(
        self, place: FindingPlace, event: StoredEvent, keywords: frozenset[str]
    ) -> Iterator[str]:
        """Yield where an object was set last to what is wrong, and where it was defined."""
        if event.type not in columns_of_all((ObjectsObserved,)):
            yield from _origin(event)
            return
        said = list(_said(event, place))
        if not any(each.begins or not keywords.isdisjoint(each.values) for each in said):
            said = [each for one in self._observed(place.qmgr) for each in _said(one, place)]
        begins = max((at for at, each in enumerate(said) if each.begins), default=0)
        since = said[begins:]
        setting = [each for each in since if not keywords.isdisjoint(each.values)]
        for each in (*setting[-1:], *since[:1]):
            yield from _origin(each.event, each.line)
        if not since:
            yield from _origin(event)

    def _observed(self, qmgr: str) -> Sequence[StoredEvent]:
        """Return what was observed of the objects of a queue manager, in the order of the log."""
        if qmgr not in self._observations:
            types = columns_of_all((ObjectsObserved,))
            point = self._point
            found = self._log.events(
                upto=point.position, branch=point.branch, types=types, qmgr=qmgr, until=point.valid
            )
            self._observations[qmgr] = [self._log.whole(each) for each in found]
        return self._observations[qmgr]


def _said(event: StoredEvent, place: FindingPlace) -> Iterator[_Said]:
    """Yield what an observation says of an object, in its order."""
    body = json.loads(event.body)
    if body.get("kind") == place.kind:
        for each, line in zip(body.get("said") or (), body.get("lines") or (), strict=False):
            if each.get("name", "") == place.name:
                begins = each.get("act", "define") == "define" and place.kind != "QMGR"
                yield _Said(event, line, each.get("values", {}), begins)


def _of_rows(event: StoredEvent, names: set[str]) -> Iterator[str]:
    """Yield the origin of an event, with the lines of the rows of these names if it has rows."""
    body = json.loads(event.body)
    said, lines = body.get("said"), body.get("lines")
    found = [
        line
        for each, line in zip(said or (), lines or (), strict=False)
        if each.get("name", "") in names
    ]
    for line in found or [None]:
        yield from _origin(event, line)


def _origin(event: StoredEvent, line: int | None = None) -> Iterator[str]:
    """Yield the origin of a primary fact as text; nothing without one."""
    if origin := json.loads(event.body).get("origin"):
        known = {**origin, "line": line} if line else origin
        if text := str(Origin(**known)):
            yield text


def file_and_line(origin: str) -> tuple[str, int] | None:
    """Return the file and line that an origin is; None if it is a user at an address, or a step."""
    place = _PLACE.fullmatch(origin)
    if place is None or is_address(origin.rpartition("@")[2]):
        return None  # one of IPv6 ends as a place in a file does
    return place["file"], int(place["line"])
