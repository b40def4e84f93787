"""MQSC scripts and dumps as observations: the definitions in a file that were not known.

This module neither reads files nor writes the log: it turns text and an estate into events.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Final

from twin.events import (
    ObjectObserved,
    ObjectVanished,
    Observation,
    Origin,
    QueueManagerFirstSeen,
    QueueManagerObserved,
)
from twin.feeds.commands import DumpHeader, commands, header_of
from twin.feeds.detect import WHY_NOT, FileFormat, detect
from twin.feeds.observed import KnownEstate, KnownQueueManager, NotRecorded, Observed
from twin.feeds.resulting_objects import EVERY_LEVEL, QMGR_KEY, ObjectValues, ResultingObjects
from twin.model.attributes import Value, full
from twin.model.instants import SECOND, Instant, mq_date, mq_time
from twin.model.names import generic, legal_name
from twin.model.objects import ObjectKey
from twin.model.platforms import DEFAULT_LEVEL, PLATFORMS
from twin.model.records import AUTHORITIES, IMPLIED
from twin.model.system_objects import initial_values, system_objects

__all__ = ["Observed", "observe"]

_COUNTS: Final = ("commands", "taken", "passed over", "not understood", "recorded")


def observe(
    text: str,
    *,
    qmgr: str | None,
    estate: KnownEstate,
    at: Instant,
    level: int = DEFAULT_LEVEL,
    file: str | None = None,
) -> Observed:
    """Compare a script or a dump with what is known of one queue manager at an instant.

    A script adds to what is known. A dump is complete for the kinds of objects in it: known objects
    of these kinds that are not in the dump have vanished. An incomplete dump (no footer, or a
    command that cannot be parsed) lets no object vanish; a dump limited by `-n` lets only objects
    vanish whose names match. A file that cannot be read gives no events and a reason. This function
    never raises because of the text.

    Args:
        text: the content of the file.
        qmgr: the queue manager; None if a dump names it.
        estate: the estate at the instant; it is only read.
        at: the instant.
        level: the command level of an unknown queue manager, if the file does not contain it.
        file: the file's path as it was given, for the origin of the events; None if it has none.
    """
    file_format = detect(text)
    if not file_format.readable:
        why = NotRecorded(1, "", WHY_NOT[file_format])
        return Observed(file_format, qmgr or "", (), (why,), _counted())
    return _Observation(text, file_format, qmgr or "", estate, at, level, file).observed()


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
        at: Instant,
        level: int,
        file: str | None,
    ) -> None:
        self._file = file
        self._format = file_format
        self._commands = list(commands(text))
        self._header = self._read_header(text)
        self._given = qmgr
        self._name = qmgr or self._header.qmgr
        self._estate = estate
        self._at = at
        self._known: KnownQueueManager | None = estate.qmgrs.get(self._name)
        known_level = self._known.cmdlevel if self._known else level
        self._level = self._header.level or known_level
        self._before = self._objects_before()

    def _read_header(self, text: str) -> DumpHeader:
        if self._format is not FileFormat.DMPMQCFG:
            return DumpHeader()
        shown = (each.shown for each in self._commands if "QMID" in each.shown)
        return header_of(text, next(shown, {}))

    def _objects_before(self) -> dict[ObjectKey, ObjectValues]:
        known = self._known.definitions if self._known else system_objects(self._level)
        return {key: ObjectValues(each.type, each.values) for key, each in known.items()}

    def observed(self) -> Observed:
        """Return what the file says that was not known."""
        if refusal := self._refusal():
            problem = NotRecorded(1, "", refusal)
            return Observed(self._format, self._name, (), (problem,), _counted())
        result, outcomes = self._apply_file()
        events = tuple(self._events(result)) if outcomes["taken"] else ()
        counts = {**outcomes, "commands": len(self._commands), "recorded": len(events)}
        problems = (*self._doubts(), *result.faults)
        return Observed(
            self._format,
            self._name,
            events,
            problems,
            _counted(counts),
            tuple(result.passed_over),
        )

    def _apply_file(self) -> tuple[ResultingObjects, Counter[str]]:
        """Apply the file; repeat while this shows that more of the file was already in effect."""
        settled: dict[ObjectKey, set[str]] = {}
        while True:
            result = ResultingObjects(
                qmgr=self._name,
                level=self._level,
                whole=self._format is FileFormat.DMPMQCFG,
                before=self._before,
                known=self._known.values if self._known else {},
                settled=settled,
            )
            outcomes = Counter(result.take(each) for each in self._commands)
            same = {key: given for key, given in result.given.items() if self._stays(key, result)}
            if result.whole or same.keys() <= settled.keys():
                return result, outcomes
            settled = {**settled, **same}

    def _stays(self, key: ObjectKey, result: ResultingObjects) -> bool:
        now = result.objects.get(key)
        return now is not None and _same(self._before.get(key), now)

    def _refusal(self) -> str:
        """Return why nothing in the file can be used; '' if it can."""
        if not self._name:
            return "names no queue manager; name the one that it belongs to"
        if self._given and self._header.qmgr not in {"", self._given}:
            return f"is a dump of {self._header.qmgr}, not of {self._given}"
        if not legal_name(self._name):
            return f"cannot belong to {self._name!r}, which is not a legal queue manager name"
        return ""

    def _doubts(self) -> Iterator[NotRecorded]:
        if self._format is FileFormat.DMPMQCFG and not self._header.complete:
            yield NotRecorded(1, "", "has no footer, so objects missing from it are kept")
        if self._known is None or self._known.qmid == self._header.qmid:
            return
        if self._header.qmid:
            why = f"differs from the known QMID {self._known.qmid}, which is kept"
            yield NotRecorded(1, f"QMID({self._header.qmid})", why)

    def _events(self, result: ResultingObjects) -> Iterator[Observation]:
        if self._known is None:
            yield QueueManagerFirstSeen(
                qmgr=self._name,
                qmid=self._qmid(),
                cmdlevel=self._level,
                platform=self._header.platform or PLATFORMS[0],
                origin=self._origin(None),
            )
        if own := self._own_changes(result):
            origin = self._origin(result.lines.get(QMGR_KEY))
            yield QueueManagerObserved(qmgr=self._name, values=own, origin=origin)
        for key in result.given:
            origin = self._origin(result.lines.get(key))
            if object_ := result.objects.get(key):
                if not _same(self._before.get(key), object_):
                    yield ObjectObserved(
                        qmgr=self._name,
                        kind=key[0],
                        name=key[1],
                        type=object_.type,
                        values=dict(object_.values),
                        origin=origin,
                    )
            elif key in self._before and not result.whole:
                yield ObjectVanished(qmgr=self._name, kind=key[0], name=key[1], origin=origin)
        for kind, name in self._missed(result):
            yield ObjectVanished(qmgr=self._name, kind=kind, name=name, origin=self._origin(None))

    def _origin(self, line: int | None) -> Origin | None:
        """Return the origin of an event: the file, and the line if one is known."""
        return None if self._file is None else Origin(file=self._file, line=line)

    def _qmid(self) -> str:
        """Return the QMID in the file, or make one as crtmqm would at that instant."""
        if self._header.qmid:
            return self._header.qmid
        at = self._at
        while (qmid := f"{self._name}_{mq_date(at)}_{mq_time(at)}") in self._estate.names:
            at += SECOND
        return qmid

    def _own_changes(self, result: ResultingObjects) -> dict[str, Value]:
        known = self._known.values if self._known else {}
        before = full("QMGR", known, level=EVERY_LEVEL)
        now = {**before, **result.own}
        if result.whole and result.own:
            initial = initial_values(self._name, level=self._level)
            unset = {key: value for key, value in known.items() if key in initial}
            now = full("QMGR", {**unset, **result.own}, level=EVERY_LEVEL)
        return {key: value for key, value in now.items() if value != before.get(key)}

    def _missed(self, result: ResultingObjects) -> list[ObjectKey]:
        """Return known objects that are not in a dump, of the kinds that are in it."""
        if not result.whole or result.has_malformed or not self._header.complete:
            return []
        kinds = {kind for kind, _ in result.given}
        return sorted(
            key
            for key in self._before
            if key[0] in kinds and key not in result.given and generic(self._header.names, key[1])
        )


def _same(before: ObjectValues | None, now: ObjectValues) -> bool:
    """Tell whether two objects are equal, with all defaults filled in."""
    if before is None or before.type != now.type:
        return False
    return before.values == now.values or _all_values(before) == _all_values(now)


def _all_values(object_: ObjectValues) -> dict[str, Value]:
    implied = IMPLIED.get(object_.type, {})
    values = full(object_.type, {**implied, **object_.values}, level=EVERY_LEVEL)
    if isinstance(words := values.get(AUTHORITIES), tuple):
        values[AUTHORITIES] = tuple(sorted(words))
    return values
