"""Saved answers to DISPLAY as observations: beliefs and states of their queue managers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import tzinfo
from hashlib import blake2b
from typing import Final, TypeVar

from twin.events import BeliefsObserved, ObjectsObserved, Observation, Origin
from twin.feeds.captures.beliefs import BeliefsSeen, beliefs_in
from twin.feeds.captures.mqweb import read_mqweb
from twin.feeds.captures.records import Capture
from twin.feeds.captures.runmqsc import read_captures
from twin.feeds.converting.display_answers import AnswerStates, OpenAnswer, says_states, take_states
from twin.feeds.converting.measured_states import MeasuredStates
from twin.feeds.converting.shown_definitions import (
    definitions_shown,
    own_attributes,
    shows_long_qmid,
)
from twin.feeds.detect import FileFormat
from twin.feeds.observed import KnownEstate, NotRecorded, Observed, PassedOver
from twin.feeds.reading.not_understood import LONG_QMID, Tally
from twin.model.amounts import counted
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
        notes: what is assumed, and what was left out on purpose, one line each.
    """

    notes: tuple[str, ...] = ()


def observe_captures(
    lines: Iterable[str],
    file_format: FileFormat,
    *,
    qmgr: str | None,
    estate: KnownEstate,
    zone: tzinfo | None = None,
    file: str | None = None,
) -> CapturesObserved:
    """Return what saved answers say of the beliefs and the states of their queue managers.

    Memory holds what the file says, and of an answer about states one record at a time; of other
    answers that say something, one answer.

    Args:
        lines: the lines of the file, with or without their ends.
        file_format: one of `CAPTURES`.
        qmgr: the queue manager of answers that name none.
        estate: the estate at the instant of the answers.
        zone: the zone of the queue managers; without one, local times are taken as UTC.
        file: the file's path as it was given, for the origin of the events; None if it has none.
    """
    reading = _File(qmgr or "", estate, zone)
    for each in _READERS[file_format](lines):
        if isinstance(each, Capture):
            reading.take(each)
        else:
            reading.problems.add(NotRecorded(each.line, each.text, each.why))
    return reading.observed(file_format, file)


def _origin(file: str | None, line: int) -> Origin | None:
    return None if file is None else Origin(file=file, line=line)


_Statement = TypeVar("_Statement", ObjectsObserved, BeliefsObserved)


def _identified(said: _Statement, itself: ObjectsObserved | BeliefsObserved) -> _Statement:
    """Return a statement with what another one of the file says of their queue manager."""
    return replace(said, qmid=itself.qmid, cmdlevel=itself.cmdlevel, version=itself.version)


class _File:
    """The answers of one file while they are converted."""

    def __init__(self, qmgr: str, estate: KnownEstate, zone: tzinfo | None) -> None:
        self.problems = Tally[NotRecorded](
            lambda problem: problem.why,
            lambda one, other: one._replace(text="", number=one.number + other.number),
        )
        self._passed_over = Tally[PassedOver](
            lambda passed: passed.command,
            lambda one, other: one._replace(
                name="", rows=one.rows + other.rows, number=one.number + other.number
            ),
        )
        self._given = qmgr
        self._estate = estate
        self._zone = zone
        self._open: OpenAnswer | None = None
        self._seen: list[BeliefsSeen] = []
        self._names: set[str] = set()
        self._nameless = 0
        self._answers = self._taken = 0
        self._states: dict[str, MeasuredStates] = {}
        self._own: dict[str, ObjectsObserved] = {}
        self._defined: list[ObjectsObserved] = []
        self._said: set[bytes] = set()
        self._columns: Counter[str] = Counter()
        self._unfinished: set[str] = set()
        self._undated = self._without_all = self._first_without_all = 0

    def take(self, part: Capture) -> None:
        """Convert a record of an answer."""
        if self._open is None:
            self._open = OpenAnswer(part, self._states_of(part))
        else:
            self._open.take(part)
        for each in self._open.left_out():
            self.problems.add(NotRecorded(*each))
        if not part.more:
            self._take_whole(self._open)
            self._open = None

    def _states_of(self, first: Capture) -> AnswerStates | None:
        """Return what takes the states of an answer, if it is of one queue manager to read."""
        name = first.qmgr or self._given
        if not says_states(first) or first.object == "DSPMQ" or not self._is_read(name):
            return None
        states = self._states.get(name) or MeasuredStates(first.line)
        return AnswerStates(states, first, qmgr=name, zone=self._zone)

    def _is_read(self, name: str) -> bool:
        return bool(name) and legal_name(name) and self._given in {"", name}

    def _take_whole(self, answer: OpenAnswer) -> None:
        """Convert an answer."""
        self._answers += 1
        first = answer.first
        if first.object == "DSPMQ":
            self._take_named(answer)
            return
        name = first.qmgr or self._given
        if not legal_name(name) or not name:
            self._nameless += 1
            return
        self._names.add(name)
        if not self._is_read(name):
            why = f"is an answer of {name}, not of {self._given}"
            self.problems.add(NotRecorded(first.line, first.command, why))
            return
        if answer.states is not None and answer.says_states:
            self._states[name] = answer.states
            self._columns += Counter(answer.columns)
        said = answer.says_states | self._take_own(name, answer)
        said |= answer.has_definitions and self._take_definitions(name, answer.parts)
        if answer.without_all and not said:
            self._without_all += 1
            self._first_without_all = self._first_without_all or first.line
        if answer.has_beliefs:
            beliefs = beliefs_in(answer.parts, qmgr=self._given, zone=self._zone)
            self._take_beliefs(beliefs, first.command)
        elif said:
            self._taken += 1
        else:
            self._pass_over(answer)

    def _take_named(self, answer: OpenAnswer) -> None:
        """Convert an answer of dspmq, which names a queue manager in each row."""
        names = {row.values.get("QMNAME", "") for part in answer.parts for row in part.rows}
        said = False
        for name in sorted(filter(self._is_read, names)):
            states = self._states.get(name) or MeasuredStates(answer.first.line)
            if take_states(states, answer.parts, qmgr=name, zone=self._zone):
                self._states[name] = states
                self._names.add(name)
                said = True
        if said:
            self._taken += 1
        else:
            self._pass_over(answer)

    def _take_own(self, name: str, answer: OpenAnswer) -> bool:
        """Convert the attributes of the queue manager itself; return whether it shows them."""
        if answer.first.object != "QMGR":
            return False
        if shows_long_qmid(answer.parts):
            self.problems.add(NotRecorded(answer.first.line, answer.first.command, LONG_QMID))
        elif (attributes := own_attributes(answer.parts, name, zone=self._zone)) is not None:
            self._own[name] = attributes
            return True
        return False

    def _take_definitions(self, name: str, parts: list[Capture]) -> bool:
        """Convert the definitions that an answer shows; return whether it shows any."""
        first, last = parts[0], parts[-1]
        if last.faults:
            why = f"is not complete, so no definition is taken from it: {'; '.join(last.faults)}"
            self.problems.add(NotRecorded(first.line, first.command, why))
            return False
        shown = definitions_shown(parts, name, zone=self._zone)
        self._defined += [
            event for event in shown.events if self._is_new(replace(event, lines=None))
        ]
        self._columns += Counter(shown.columns)
        for each in shown.left_out:
            self.problems.add(NotRecorded(*each))
        return bool(shown.events)

    def _is_new(self, said: ObjectsObserved | BeliefsObserved) -> bool:
        """Return whether the file has not said so before; files may have one answer many times."""
        digest = blake2b(repr(said).encode()).digest()
        is_new = digest not in self._said
        self._said.add(digest)
        return is_new

    def _pass_over(self, answer: OpenAnswer) -> None:
        first = answer.first
        command = f"{first.verb or 'DISPLAY'} {first.object}"
        if not first.object:
            command = f"answer {', '.join(first.messages) or 'to an unknown command'}"
        self._passed_over.add(PassedOver(first.line, command, first.name, answer.rows))

    def _take_beliefs(self, seen: BeliefsSeen, command: str) -> None:
        if self._is_new(seen.event):
            self._seen.append(seen)
        self._taken += 1
        self._columns += Counter(seen.columns)
        self._unfinished.update(seen.unfinished)
        self._undated += seen.undated
        for each in seen.left_out:
            self.problems.add(NotRecorded(*each))
        if seen.event.complete is None:
            lacking = "; ".join(seen.lacking) or "rows are left out"
            why = f"is not complete, so records missing from it are kept: {lacking}"
            self.problems.add(NotRecorded(seen.line, command, why))

    def observed(self, file_format: FileFormat, file: str | None) -> CapturesObserved:
        """Return what the answers say."""
        if self._open is not None:
            self._take_whole(self._open)
        if self._nameless:
            verb = "names" if self._nameless == 1 else "name"
            of = f"{counted(self._nameless, 'answer')} {verb} no queue manager"
            self.problems.add(NotRecorded(1, "", f"{of}; name it with --qmgr QM"))
        events, states = tuple(self._events(file)), tuple(self._all_states(file))
        passed = self._passed_over.total
        counts = {
            "commands": self._answers,
            "taken": self._taken,
            "passed over": passed,
            "not understood": self._answers - self._taken - passed,
            "recorded": len(events) + len(states),
        }
        return CapturesObserved(
            file_format,
            tuple(sorted(self._names)),
            events,
            tuple(sorted(self.problems)),
            counts,
            tuple(self._passed_over),
            states=states,
            notes=tuple(self._notes()),
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
                defined = _identified(defined, itself)  # noqa: PLW2901
            yield replace(defined, origin=_origin(file, (defined.lines or (1,))[0]))
        for seen in self._seen:
            event = seen.event
            if (itself := own.get(event.qmgr)) is not None:
                event = _identified(event, itself)
            if event.qmgr not in self._own:
                self._report_qmid(event, seen.line)
            yield replace(event, origin=_origin(file, seen.line))

    def _report_qmid(self, event: ObjectsObserved | BeliefsObserved, line: int) -> None:
        known = self._estate.qmgrs.get(event.qmgr)
        if known is None and event.qmid is None:
            why = (
                f"{event.qmgr} is not in the twin, and no answer shows its QMID: this counts once "
                "it is known"
            )
            self.problems.add(NotRecorded(line, "", why, rests_on_known=True))
        if known is not None and known.says_qmid and event.qmid not in {None, known.qmid}:
            self.problems.add(NotRecorded.other_qmid(line, f"{event.qmid}", known.qmid))

    def _notes(self) -> Iterator[str]:
        dated = any(each.altered for event in self._defined for each in event.said)
        if any(each.event.assumes_utc for each in self._seen) or (dated and self._zone is None):
            yield _ASSUMES_UTC
        if self._columns:
            columns = sorted(self._columns.items())
            shown = ", ".join(f"{number} {column}" for column, number in columns)
            yield f"unknown attributes are left out: {shown}"
        if self._undated:
            yield f"{self._undated} records have no CLUSDATE and CLUSTIME; they are dated by --at"
        if self._without_all:
            where = f"{self._without_all}, the first in line {self._first_without_all}"
            yield f"no definition is taken where the command does not show ALL: {where}"
        if self._unfinished:
            yield f"not heard from yet: {', '.join(sorted(self._unfinished))}"
