"""Saved answers to DISPLAY as observations: beliefs and states of their queue managers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import tzinfo
from typing import Final

from twin.events import BeliefsObserved, ObjectsObserved, Observation, Origin
from twin.feeds.captures.beliefs import BeliefsSeen, beliefs_in, shows_beliefs, whole_answers
from twin.feeds.captures.mqweb import read_mqweb
from twin.feeds.captures.records import Capture
from twin.feeds.captures.runmqsc import read_captures
from twin.feeds.converting.display_answers import says_states, take_states
from twin.feeds.converting.measured_states import MeasuredStates
from twin.feeds.converting.own_attributes import own_attributes, shows_long_qmid
from twin.feeds.converting.shown_definitions import (
    definitions_shown,
    shows_all,
    shows_definitions,
)
from twin.feeds.detect import FileFormat
from twin.feeds.observed import NO_QMID, OTHER_QMID, KnownEstate, NotRecorded, Observed, PassedOver
from twin.feeds.reading.not_understood import LONG_QMID
from twin.model.names import legal_name

_READERS: Final = {
    FileFormat.RUNMQSC_OUTPUT: read_captures,
    FileFormat.MQWEB_ANSWERS: read_mqweb,
}
CAPTURES: Final = frozenset(_READERS)
"""The formats of saved answers."""

_ASSUMES_UTC: Final = (
    "CLUSDATE, CLUSTIME, ALTDATE and ALTTIME are local times; without --tz ZONE they are taken as "
    "UTC"
)


@dataclass(frozen=True, slots=True)
class CapturesObserved(Observed):
    """The content of one file of saved answers; `counts` has the answers as `commands`.

    Attributes:
        states: what the answers say of statuses, depths and suspensions.
        notes: what is assumed, and what was left out on purpose, one line each.
    """

    states: tuple[Observation, ...] = ()
    notes: tuple[str, ...] = ()


def observe_captures(
    text: str,
    file_format: FileFormat,
    *,
    qmgr: str | None,
    estate: KnownEstate,
    zone: tzinfo | None = None,
    file: str | None = None,
) -> CapturesObserved:
    """Return what saved answers say of the beliefs and the states of their queue managers.

    Args:
        text: the file.
        file_format: one of `CAPTURES`.
        qmgr: the queue manager of answers that name none.
        estate: the estate at the instant of the answers.
        zone: the zone of the queue managers; without one, local times are taken as UTC.
        file: the file's path as it was given, for the origin of the events; None if it has none.
    """
    reading = _File(qmgr or "", estate, zone)
    captures: list[Capture] = []
    for each in _READERS[file_format](text.split("\n")):
        if isinstance(each, Capture):
            captures.append(each)
        else:
            reading.problems.append(NotRecorded(each.line, each.text, each.why))
    for parts in whole_answers(captures):
        reading.take(parts)
    return reading.observed(file_format, file)


def _origin(file: str | None, line: int) -> Origin | None:
    return None if file is None else Origin(file=file, line=line)


class _File:
    """The answers of one file while they are converted."""

    def __init__(self, qmgr: str, estate: KnownEstate, zone: tzinfo | None) -> None:
        self.problems: list[NotRecorded] = []
        self._given = qmgr
        self._estate = estate
        self._zone = zone
        self._seen: list[BeliefsSeen] = []
        self._passed_over: list[PassedOver] = []
        self._names: set[str] = set()
        self._nameless = 0
        self._answers = self._taken = 0
        self._states: dict[str, MeasuredStates] = {}
        self._own: dict[str, ObjectsObserved] = {}
        self._defined: list[ObjectsObserved] = []
        self._columns: Counter[str] = Counter()
        self._without_all: list[Capture] = []
        self._connections = 0

    def take(self, parts: list[Capture]) -> None:
        """Convert one answer."""
        self._answers += 1
        first = parts[0]
        if first.object == "DSPMQ":
            self._take_named(parts)
            return
        name = first.qmgr or self._given
        if not legal_name(name) or not name:
            self._nameless += 1
            return
        self._names.add(name)
        if self._given and name != self._given:
            why = f"is an answer of {name}, not of {self._given}"
            self.problems.append(NotRecorded(first.line, first.command, why))
            return
        said = self._take_states(name, parts)
        if shows_long_qmid(parts):
            self.problems.append(NotRecorded(first.line, first.command, LONG_QMID))
        elif (attributes := own_attributes(parts, name)) is not None:
            self._own[name] = attributes
            said = True
        said |= self._take_definitions(name, parts)
        if not said and shows_definitions(first) and not shows_beliefs(first):
            self._without_all += [] if shows_all(first) else [first]
        if shows_beliefs(first):
            self._take_beliefs(beliefs_in(parts, qmgr=self._given, zone=self._zone), first.command)
        elif said:
            self._taken += 1
        else:
            self._pass_over(first)
            self._connections += sum(len(each.rows) for each in parts if each.object == "CONN")

    def _take_named(self, parts: list[Capture]) -> None:
        """Convert an answer of dspmq, which names a queue manager in each row."""
        names = {row.values.get("QMNAME", "") for part in parts for row in part.rows}
        legal = sorted(name for name in names if name and legal_name(name))
        said = [self._take_states(name, parts) for name in legal if self._given in {"", name}]
        if any(said):
            self._taken += 1
        else:
            self._pass_over(parts[0])

    def _take_states(self, name: str, parts: list[Capture]) -> bool:
        """Convert the states that an answer says; return whether it says any."""
        if not says_states(parts[0]):
            return False
        states = self._states.get(name, MeasuredStates(parts[0].line))
        if not take_states(states, parts, qmgr=name, zone=self._zone):
            return False
        self._states[name] = states
        self._names.add(name)
        return True

    def _take_definitions(self, name: str, parts: list[Capture]) -> bool:
        """Convert the definitions that an answer shows; return whether it shows any."""
        first, last = parts[0], parts[-1]
        if not shows_definitions(first) or not shows_all(first):
            return False
        if last.faults:
            why = f"is not complete, so no definition is taken from it: {'; '.join(last.faults)}"
            self.problems.append(NotRecorded(first.line, first.command, why))
            return False
        shown = definitions_shown(parts, name, zone=self._zone)
        self._defined += shown.events
        self._columns += Counter(shown.columns)
        self.problems += [NotRecorded(*each) for each in shown.left_out]
        return bool(shown.events)

    def _pass_over(self, first: Capture) -> None:
        command = f"{first.verb or 'DISPLAY'} {first.object or '?'}"
        self._passed_over.append(PassedOver(first.line, command, first.name))

    def _take_beliefs(self, seen: BeliefsSeen, command: str) -> None:
        self._seen.append(seen)
        self._taken += 1
        self.problems += [NotRecorded(*each) for each in seen.left_out]
        if seen.event.complete is None:
            lacking = "; ".join(seen.lacking) or "rows are left out"
            why = f"is not complete, so records missing from it are kept: {lacking}"
            self.problems.append(NotRecorded(seen.line, command, why))

    def observed(self, file_format: FileFormat, file: str | None) -> CapturesObserved:
        """Return what the answers say."""
        if self._nameless:
            why = f"{self._nameless} answers name no queue manager; name it with --qmgr QM"
            self.problems.append(NotRecorded(1, "", why))
        events, states = tuple(self._events(file)), tuple(self._all_states(file))
        counts = {
            "commands": self._answers,
            "taken": self._taken,
            "passed over": len(self._passed_over),
            "not understood": self._answers - self._taken - len(self._passed_over),
            "recorded": len(events) + len(states),
        }
        return CapturesObserved(
            file_format,
            ", ".join(sorted(self._names)),
            events,
            tuple(sorted(self.problems)),
            counts,
            tuple(self._passed_over),
            states,
            tuple(self._notes()),
        )

    def _all_states(self, file: str | None) -> Iterator[Observation]:
        for name, states in sorted(self._states.items()):
            for line, event in states.observations(name):
                yield replace(event, origin=_origin(file, line))

    def _events(self, file: str | None) -> Iterator[ObjectsObserved | BeliefsObserved]:
        """Return the statements, each with the QMID that the file shows of its observer."""
        own: dict[str, ObjectsObserved | BeliefsObserved] = {
            each.event.qmgr: each.event for each in self._seen if each.event.qmid is not None
        }
        own |= self._own
        for _, stated in sorted(self._own.items()):
            line = (stated.lines or (1,))[0]
            self._report_qmid(stated, line)
            yield replace(stated, origin=_origin(file, line))
        for defined in self._defined:
            if (itself := own.get(defined.qmgr)) is not None:
                defined = replace(defined, qmid=itself.qmid, cmdlevel=itself.cmdlevel)  # noqa: PLW2901
            yield replace(defined, origin=_origin(file, (defined.lines or (1,))[0]))
        for seen in self._seen:
            event = seen.event
            if (itself := own.get(event.qmgr)) is not None:
                event = replace(event, qmid=itself.qmid, cmdlevel=itself.cmdlevel)
            if event.qmgr not in self._own:
                self._report_qmid(event, seen.line)
            yield replace(event, origin=_origin(file, seen.line))

    def _report_qmid(self, event: ObjectsObserved | BeliefsObserved, line: int) -> None:
        known = self._estate.qmgrs.get(event.qmgr)
        if known is None and event.qmid is None:
            why = f"{event.qmgr} is not in the twin, and {NO_QMID}: this counts once it is known"
            self.problems.append(NotRecorded(line, "", why))
        if known is not None and event.qmid not in {None, known.qmid}:
            why = f"{OTHER_QMID} {known.qmid}, which is kept"
            self.problems.append(NotRecorded(line, f"QMID({event.qmid})", why))

    def _notes(self) -> Iterator[str]:
        dated = any(each.altered for event in self._defined for each in event.said)
        if any(each.event.assumes_utc for each in self._seen) or (dated and self._zone is None):
            yield _ASSUMES_UTC
        columns = sum((Counter(each.columns) for each in self._seen), self._columns)
        if columns:
            shown = ", ".join(f"{number} {column}" for column, number in sorted(columns.items()))
            yield f"unknown attributes are left out: {shown}"
        if undated := sum(each.undated for each in self._seen):
            yield f"{undated} records have no CLUSDATE and CLUSTIME; they are dated by --at"
        names = sorted({name for each in self._seen for name in each.unfinished})
        if self._without_all:
            number, line = len(self._without_all), self._without_all[0].line
            where = f"{number}, the first in line {line}"
            yield f"no definition is taken where the command does not show ALL: {where}"
        if self._connections:
            yield f"recognised, no fact taken: connections, {self._connections}"
        if names:
            yield f"not heard from yet: {', '.join(names)}"
