"""The verb `runmqsc`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from twin.app.session import MqscSession
from twin.model.instants import Instant
from twin.mqsc.reader import CommandRead, read
from twin.mqsc.statement import parse
from twin.stories import fields
from twin.stories.document import YamlNode
from twin.stories.matching import Table
from twin.stories.stage import RecordStage, Stage
from twin.stories.story import Action, StepOutcome
from twin.stories.verbs.verb import ACTING, READING, ROWS, Verb, shown_times, times_of


def session_outcome(session: MqscSession, stage: Stage) -> StepOutcome:
    """Return the outcome of a runmqsc session."""
    table = Table(session.displayed, start=stage.start)
    ids = [message.full_id for message in session.messages]
    return StepOutcome(messages=ids, lines=session.lines[1:], table=table)


def only_displays(text: str) -> bool:
    """Return whether MQSC contains no command other than DISPLAY."""
    commands = [item.text for item in read(text) if isinstance(item, CommandRead)]
    return {getattr(parse(command), "verb", "DISPLAY") for command in commands} <= {"DISPLAY"}


def _runmqsc(action: Action, stage: Stage, at: Instant) -> StepOutcome:
    as_of, known_at = times_of(action, stage, at)
    text = action.options["mqsc"]
    if isinstance(stage, RecordStage) and as_of is None:
        as_of = at
    if as_of is None:
        session = stage.twin.runmqsc(action.on, text, at=at)
    else:
        session = stage.twin.runmqsc(action.on, text, as_of=as_of, known_at=known_at)
    return session_outcome(session, stage)


def _finish(node: YamlNode, options: Mapping[str, Any]) -> Mapping[str, Any]:
    if READING.keys() & options.keys() and not only_displays(options["mqsc"]):
        node.refuse("only DISPLAY commands can run as of another instant")
    return options


def _title(action: Action) -> str:
    lines = [line.strip() for line in action.options["mqsc"].splitlines() if line.strip()]
    more = f" ... ({len(lines)} lines)" if len(lines) > 1 else ""
    return f"{action.on}: {lines[0]}{more}{shown_times(action)}"


VERBS: Final[Mapping[str, Verb]] = {
    "runmqsc": Verb(
        meaning="runs one or more MQSC commands at a queue manager",
        perform=_runmqsc,
        expects=ROWS | ACTING,
        beside=READING,
        options={"mqsc": fields.text},
        whole="mqsc",
        on=True,
        finish=_finish,
        title=_title,
        changes=lambda action: (
            not READING.keys() & action.options.keys() and not only_displays(action.options["mqsc"])
        ),
    )
}
