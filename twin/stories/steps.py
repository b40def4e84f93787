"""Steps done: each kind of action by the twin's own commands, and what came of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Final

from twin.app.session import MqscSession
from twin.fold.estate import NoSuchQueueManager
from twin.model.instants import Instant
from twin.questions.answer import Answer, Row
from twin.rules.commands.control import ControlRefused
from twin.stories import calls, handling
from twin.stories.demands import only_displays
from twin.stories.matching import Table
from twin.stories.moments import Moment
from twin.stories.outcome import Outcome
from twin.stories.stage import RecordStage, Stage, create, failure_of, ids_of, link
from twin.stories.story import (
    Action,
    Ask,
    Control,
    Create,
    Link,
    MessageStep,
    Open,
    Pass,
    Restore,
    RunMqsc,
)

_ID: Final = re.compile(r"([A-Z]{3}\w{4,5}):")
_PENDING: Final = "pending"
"""The key of rows that rest on what is due and not recorded yet, as JSON has it."""


def perform(action: Action, stage: Stage, at: Instant) -> Outcome:
    """Do what a step says at an instant, and return what it came to.

    Raises:
        TwinError: for what is wrong with the story or its log, and no answer of MQ.
    """
    try:
        return _PERFORM[type(action)](action, stage, at)
    except (ControlRefused, NoSuchQueueManager) as error:
        said = str(error)
        found = _ID.match(said)
        return Outcome(False, said, [found[1]] if found else [], [said])  # noqa: FBT003 - not done


def _pass(_: Pass, __: Stage, ___: Instant) -> Outcome:
    return Outcome()


def acts(action: Action) -> bool:
    """Say whether an action could change anything."""
    if isinstance(action, RunMqsc):
        return action.as_of is None and action.known_at is None and not only_displays(action.text)
    if isinstance(action, MessageStep):
        return action.verb not in calls.READING
    return not isinstance(action, Ask | Pass)


def _message_step(action: MessageStep, stage: Stage, at: Instant) -> Outcome:
    step = calls.CALLS.get(action.verb) or handling.STEPS[action.verb]
    return step(action, stage, at)


def _runmqsc(action: RunMqsc, stage: Stage, at: Instant) -> Outcome:
    as_of, known_at = _times(action, stage, at)
    if isinstance(stage, RecordStage) and as_of is None:
        as_of = at
    if as_of is None:
        session = stage.twin.runmqsc(action.on, action.text, at=at)
    else:
        session = stage.twin.runmqsc(action.on, action.text, as_of=as_of, known_at=known_at)
    return _answered(session, stage)


def _answered(session: MqscSession, stage: Stage) -> Outcome:
    table = Table(session.displayed, start=stage.start)
    return Outcome(messages=ids_of(session), lines=session.lines[1:], table=table)


def _times(
    action: RunMqsc | Ask, stage: Stage, at: Instant
) -> tuple[Instant | None, Instant | None]:
    """Return as_of and known_at; with only the latter given, as_of is the step's own instant."""
    as_of, known_at = _at(action.as_of, stage), _at(action.known_at, stage)
    return (at if as_of is None and known_at is not None else as_of), known_at


def _at(moment: Moment | None, stage: Stage) -> Instant | None:
    return None if moment is None else moment.at(stage.start)


def _control(action: Control, stage: Stage, at: Instant) -> Outcome:
    for qmgr in action.qmgrs:
        stage.twin.control(action.command, qmgr, at=at)
    return Outcome()


def _create(action: Create, stage: Stage, at: Instant) -> Outcome:
    for script in action.scripts:
        create(stage.twin, script, at)
    outcome = Outcome()
    for script in action.scripts:
        if script.mqsc:
            session = stage.twin.runmqsc(script.qmgr, script.mqsc, at=at)
            ran = _answered(session, stage)
            problem = outcome.problem or failure_of(session)
            outcome = replace(
                outcome,
                done=not problem,
                problem=problem,
                messages=[*outcome.messages, *ran.messages],
                lines=[*outcome.lines, *ran.lines],
            )
    return outcome


def _link(action: Link, stage: Stage, at: Instant) -> Outcome:
    link(stage.twin, action, at)
    return Outcome()


def _restore(action: Restore, stage: Stage, at: Instant) -> Outcome:
    for qmgr, backup in action.backups:
        stage.twin.restore(qmgr, to=backup.at(stage.start), at=at)
    return Outcome()


def _ask(action: Ask, stage: Stage, at: Instant) -> Outcome:
    as_of, known_at = _times(action, stage, at)
    answer = stage.twin.ask(
        action.question,
        as_of=at if as_of is None else as_of,
        known_at=known_at,
        since=_at(action.since, stage),
        **action.filters,
    )
    return Outcome(lines=lines_of(answer), table=table_of(answer, stage.start))


def table_of(answer: Answer, start: Instant) -> Table:
    """Return the rows of an answer, to be matched; what is not recorded yet is `pending`."""
    rows = [
        {**row, _PENDING: True} if 0 < answer.as_of.position < max(positions, default=0) else row
        for row, positions in _with_evidence(answer)
    ]
    columns = (*answer.columns, _PENDING)
    return Table(rows, answer.instants, columns, start, _ids(answer))


def _with_evidence(answer: Answer) -> Iterator[tuple[Row, tuple[int, ...]]]:
    evidence = answer.evidence or ((),) * len(answer.rows)
    return zip(answer.rows, evidence, strict=True)


def _ids(answer: Answer) -> frozenset[str]:
    return frozenset({"id"}) if answer.question == "errorlog" else frozenset()


def lines_of(answer: Answer) -> list[str]:
    """Write an answer as text: its headings, and a line for each row."""
    rows = (answer.shown(row).values() for row in answer.rows)
    if answer.lines:
        return list(answer.lines)
    return [" ".join(answer.columns), *(" ".join(map(_cell, row)) for row in rows)]


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


def errors_between(stage: Stage, before: Instant, at: Instant, *, behind: int) -> Table:
    """Return what was written to error logs between two instants, behind a position of the log."""
    answer = stage.twin.ask("errorlog", since=before, as_of=at)
    rows = [row for row, positions in _with_evidence(answer) if max(positions, default=0) > behind]
    return replace(table_of(answer, stage.start), rows=rows)


_PERFORM: Final[dict[type[Action], Callable[..., Outcome]]] = {
    Pass: _pass,
    RunMqsc: _runmqsc,
    Open: calls.opened,
    MessageStep: _message_step,
    Control: _control,
    Create: _create,
    Link: _link,
    Restore: _restore,
    Ask: _ask,
}
