"""MQSC scripts and dumps as observations: what a file says, and how much of it was not known.

What a file says does not depend on what is known. The estate serves for the report: what is news,
and which commands cannot be used. This module neither reads files nor writes the log.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, tzinfo
from typing import Final, TypeAlias

from twin.events import DepthsObserved, ObjectsObserved, Origin, QueueDepth, StatedObject
from twin.feeds.commands import DumpHeader, commands, header_of
from twin.feeds.detect import WHY_NOT, FileFormat, detect
from twin.feeds.observed import (
    KnownEstate,
    KnownQueueManager,
    NotRecorded,
    Observed,
)
from twin.feeds.reading.local_time import UNDATED, dates_shown, key_of
from twin.feeds.reading.not_understood import LONG_QMID
from twin.feeds.resulting_objects import QMGR_KEY, ResultingObjects
from twin.model.names import QMID_LENGTH, legal_name, may_follow
from twin.model.objects import Definition, ObjectKey
from twin.model.observed_objects import ObjectValues, differing, differing_attributes
from twin.model.platforms import DEFAULT_LEVEL
from twin.model.system_objects import system_objects

__all__ = ["Observed", "observe"]

_OF_QMGR: Final = frozenset({"QMID", "VERSION", "CMDLEVEL"})
"""The attributes that only the comments of ALTER QMGR have."""

_Said: TypeAlias = tuple[StatedObject, ...]

_COUNTS: Final = ("commands", "taken", "passed over", "not understood", "recorded")


def observe(
    text: str,
    *,
    qmgr: str | None,
    estate: KnownEstate,
    level: int = DEFAULT_LEVEL,
    file: str | None = None,
    zone: tzinfo | None = None,
    undated: bool = False,
) -> Observed:
    """Return what a script or a dump says of one queue manager at an instant.

    A script adds to what is known. A dump is complete for the kinds of objects in it: known objects
    of these kinds that are not in the dump have vanished. An incomplete dump (no footer, or a
    command that cannot be parsed) lets no object vanish; a dump limited by `-n` lets only objects
    vanish whose names match. A file that cannot be read gives no events and a reason. This function
    never raises because of the text.

    Args:
        text: the content of the file.
        qmgr: the queue manager; None if a dump names it.
        estate: the estate at the instant; it is only read.
        level: the command level of an unknown queue manager, if the file does not contain it.
        file: the file's path as it was given, for the origin of the events; None if it has none.
        zone: the zone of ALTDATE, CRDATE and their times; without one, they are taken as UTC.
        undated: whether nothing dates the file; a script then says nothing of what was seen.
    """
    file_format = detect(text)
    if not file_format.readable:
        why = NotRecorded(1, "", WHY_NOT[file_format])
        return Observed(file_format, (qmgr,) if qmgr else (), (), (why,), _counted())
    undated = undated and file_format is FileFormat.MQSC_SCRIPT
    return _Observation(
        text, file_format, qmgr or "", estate, level, file, zone, undated
    ).observed()


def _counted(counts: Mapping[str, int] | None = None) -> dict[str, int]:
    return {key: (counts or {}).get(key, 0) for key in _COUNTS}


class _Observation:
    """One file while it is compared with the estate."""

    def __init__(
        self,
        text: str,
        file_format: FileFormat,
        qmgr: str,
        estate: KnownEstate,
        level: int,
        file: str | None,
        zone: tzinfo | None,
        undated: bool,  # noqa: FBT001 - there is one caller
    ) -> None:
        self._file = file
        self._undated = undated
        self._zone = zone
        self._format = file_format
        self._commands = list(commands(text))
        self._header = self._read_header(text)
        self._given = qmgr
        self._name = qmgr or self._header.qmgr
        self._known: KnownQueueManager | None = estate.qmgrs.get(self._name)
        known_level = self._known.cmdlevel if self._known else level
        self._level = self._header.level or known_level
        self._before = self._objects_before()

    def _read_header(self, text: str) -> DumpHeader:
        if self._format is not FileFormat.DMPMQCFG:
            return DumpHeader()
        shown = (each.shown for each in self._commands if each.shown.keys() & _OF_QMGR)
        return header_of(text, next(shown, {}))

    def _objects_before(self) -> dict[ObjectKey, ObjectValues]:
        """Return the objects that the file is applied to: a dump says all, whatever is known."""
        known: Mapping[ObjectKey, Definition] = system_objects(self._level)
        if self._known is not None and self._format is not FileFormat.DMPMQCFG:
            known = self._known.definitions
        return {key: ObjectValues(each.type, each.values) for key, each in known.items()}

    def observed(self) -> Observed:
        """Return what the file says that was not known."""
        named = (self._name,) if self._name else ()
        if refusal := self._refusal():
            return Observed(self._format, named, (), (NotRecorded(1, "", refusal),), _counted())
        result = ResultingObjects(
            qmgr=self._name,
            level=self._level,
            whole=self._format is FileFormat.DMPMQCFG,
            before=self._before,
            known=self._known.values if self._known else {},
        )
        outcomes = Counter(result.take(each) for each in self._commands)
        events = tuple(self._events(result))
        counts = {**outcomes, "commands": len(self._commands), "recorded": self._news(events)}
        problems = (*self._doubts(), *self._seen_already(events), *result.faults)
        return Observed(
            self._format,
            named,
            events,
            problems,
            _counted(counts),
            tuple(result.passed_over),
            states=tuple(self._depths(result)),
        )

    def _depths(self, result: ResultingObjects) -> Iterator[DepthsObserved]:
        """Yield the depths that a dump shows: CURDEPTH, IPPROCS and OPPROCS are comments in it."""
        shown = {each.line: each.shown for each in self._commands} if result.whole else {}
        depths, lines = [], []
        for (kind, name), line in sorted(result.lines.items()):
            cells = shown.get(line, {})
            if kind == "QUEUE" and cells.get("CURDEPTH", "").isdecimal():
                given = cells.keys() & {"IPPROCS", "OPPROCS"}
                handles = {each: cells[each] for each in sorted(given)}
                depth = int(cells["CURDEPTH"])
                depths.append(QueueDepth(queue=name, depth=depth, cells=handles or None))
                lines.append(line)
        if depths:
            origin = None if self._file is None else Origin(file=self._file, line=min(lines))
            yield DepthsObserved(qmgr=self._name, depths=tuple(depths), origin=origin)

    def _news(self, events: Sequence[ObjectsObserved]) -> int:
        """Return how many facts the file adds to what is known: a difference of an object is one.

        An unknown queue manager, and a difference of its own attributes, are one each.
        """
        news = sum(self._differences(each.kind, self._split(each)[0], each) for each in events)
        return news + int(self._known is None and bool(events))

    def _split(self, event: ObjectsObserved) -> tuple[_Said, _Said]:
        """Divide what the file says: what counts; and without a date, what does not, as seen."""
        if self._known is None or not event.undated:
            return event.said, ()
        counts = self._known.not_seen(event.kind, event.said)
        return counts, tuple(each for each in event.said if each not in counts)

    def _differences(self, kind: str, said: _Said, event: ObjectsObserved) -> int:
        values = self._known.values if self._known else {}
        if kind == QMGR_KEY[0]:
            return int(bool(differing_attributes(self._name, self._level, values, said)))
        known = self._known.definitions if self._known else system_objects(self._level)
        return len(differing(known, kind, said, complete=event.complete))

    def _refusal(self) -> str:
        """Return why nothing in the file can be used; '' if it can."""
        if not self._name:
            return "names no queue manager; name the one that it belongs to"
        if self._given and self._header.qmgr not in {"", self._given}:
            return f"is a dump of {self._header.qmgr}, not of {self._given}"
        if not legal_name(self._name):
            return f"cannot belong to {self._name!r}, which is not a legal queue manager name"
        return LONG_QMID if len(self._header.qmid) > QMID_LENGTH else ""

    def _seen_already(self, events: Sequence[ObjectsObserved]) -> Iterator[NotRecorded]:
        """Yield what a script without a date does not change, because it was seen otherwise."""
        for event in events:
            _, seen = self._split(event)
            if seen and (number := self._differences(event.kind, seen, event)):
                why = (
                    f"does not change {event.kind} objects that were seen: nothing says when the "
                    "script was run; if it was later, give --at T"
                )
                line = (event.lines or (1,))[0]
                yield NotRecorded(line, "", why, number=number, rests_on_known=True)

    def _doubts(self) -> Iterator[NotRecorded]:
        if self._format is FileFormat.DMPMQCFG and not self._header.complete:
            yield NotRecorded(1, "", "has no footer, so objects missing from it are kept")
        if self._known is None or not self._known.says_qmid:
            return
        fits = self._known.qmid == self._header.qmid or may_follow(
            self._header.qmid, self._known.qmid
        )
        if self._header.qmid and not fits:
            yield NotRecorded.other_qmid(1, self._header.qmid, self._known.qmid)

    def _events(self, result: ResultingObjects) -> Iterator[ObjectsObserved]:
        """Yield what the file says, by kind of object, in the order of the file."""
        said: dict[str, list[tuple[StatedObject, int]]] = {}
        for kind, each, line in self._resulting(result) if result.whole else result.said:
            said.setdefault(kind, []).append((each, line))
        for kind, entries in said.items():
            yield ObjectsObserved(
                qmgr=self._name,
                kind=kind,
                said=tuple(each for each, _ in entries),
                lines=tuple(line for _, line in entries),
                complete=self._complete(result),
                assumes_utc=self._zone is None or None,
                zone=key_of(self._zone),
                undated=self._undated or None,
                qmid=self._header.qmid or None,
                cmdlevel=self._header.level or None,
                version=self._header.version or None,
                platform=self._header.platform or None,
                origin=None if self._file is None else Origin(file=self._file, line=entries[0][1]),
            )

    def _resulting(self, result: ResultingObjects) -> Iterator[tuple[str, StatedObject, int]]:
        """Yield what a dump says of each object: all of it, or only that it exists."""
        zone = self._zone or UTC
        dates = {each.line: dates_shown(each.shown, zone) for each in self._commands}
        if result.own:
            line = result.lines[QMGR_KEY]
            own = StatedObject(
                name="", type="QMGR", values=dict(result.own), **dates.get(line, UNDATED)
            )
            yield QMGR_KEY[0], own, line
        for kind, name in sorted(result.given):
            line = result.lines.get((kind, name), 0)
            object_ = result.objects.get((kind, name))
            if object_ is None:
                yield kind, StatedObject(act="alter", name=name), line
            else:
                yield (
                    kind,
                    StatedObject(
                        name=name,
                        type=object_.type,
                        values=dict(object_.values),
                        **dates.get(line, UNDATED),
                    ),
                    line,
                )

    def _complete(self, result: ResultingObjects) -> str | None:
        """Return the generic name that a dump is complete for; None if it is not complete."""
        header = self._header
        whole = result.whole and not result.has_malformed and header.complete
        return header.names if whole and not header.in_part else None
