"""The verbs of queue managers: runmqsc, crtmqm, strmqm, endmqm, dltmqm, exhaust, restore."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from twin.app.session import MqscSession
from twin.model.ini import BadConfiguration, read_settings
from twin.model.instants import Instant
from twin.model.platforms import DEFAULT_LEVEL, LEVELS, PLATFORMS
from twin.mqsc.reader import CommandRead, read
from twin.mqsc.statement import parse
from twin.stories import fields
from twin.stories.document import YamlNode
from twin.stories.fields import Moment
from twin.stories.matching import Table
from twin.stories.stage import RecordStage, Stage, create, failure_of
from twin.stories.story import Action, Script, StepOutcome
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


def _script_title(action: Action) -> str:
    lines = [line.strip() for line in action.options["mqsc"].splitlines() if line.strip()]
    more = f" ... ({len(lines)} lines)" if len(lines) > 1 else ""
    return f"{action.on}: {lines[0]}{more}{shown_times(action)}"


def scripts_of(node: YamlNode) -> tuple[Script, ...]:
    """Read queue managers with their MQSC: one name, or names with short or long forms.

    Raises:
        MalformedStory: if it is neither.
    """
    if node.value is None:
        return ()
    if isinstance(node.value, str):
        return (_script(fields.name(node), YamlNode(node.place, node.text, None)),)
    return tuple(_script(qmgr, value) for qmgr, value in fields.mapping(node).items())


def _script(qmgr: str, node: YamlNode) -> Script:
    fields.name(YamlNode(node.place, node.key, qmgr, qmgr))
    if not isinstance(node.value, Mapping):
        return Script(node.place, qmgr, fields.script(node), DEFAULT_LEVEL, PLATFORMS[0])
    entries = fields.entries(node, ("cmdlevel", "platform", "ini", "mqsc"))
    level = fields.number(entries["cmdlevel"]) if "cmdlevel" in entries else DEFAULT_LEVEL
    if level not in LEVELS:
        known = f"{LEVELS.start} to {LEVELS.stop - 1}"
        entries["cmdlevel"].refuse(f"unknown command level {level}; expected {known}")
    platform = PLATFORMS[0]
    if "platform" in entries:
        platform = fields.choice(*PLATFORMS)(entries["platform"])
    mqsc = fields.script(entries["mqsc"]) if "mqsc" in entries else ""
    ini = _ini(entries["ini"]) if "ini" in entries else ""
    return Script(node.place, qmgr, mqsc, level, platform, ini)


def _ini(node: YamlNode) -> str:
    """Read the text of a qm.ini."""
    text = fields.script(node)
    try:
        read_settings([("qm.ini", text)])
    except BadConfiguration as error:
        node.refuse(str(error))
    return text


def _new_scripts(node: YamlNode) -> tuple[Script, ...]:
    if not (scripts := scripts_of(node)):
        node.refuse("name a queue manager")
    return scripts


def _backups(node: YamlNode) -> tuple[tuple[str, Moment], ...]:
    if not (backups := fields.mapping(node)):
        node.refuse("name a queue manager")
    return tuple((qmgr, fields.moment(when)) for qmgr, when in backups.items())


def _create(action: Action, stage: Stage, at: Instant) -> StepOutcome:
    for script in action.options["scripts"]:
        create(stage.twin, script, at)
    outcome = StepOutcome()
    for script in action.options["scripts"]:
        if script.mqsc:
            session = stage.twin.runmqsc(script.qmgr, script.mqsc, at=at)
            ran = session_outcome(session, stage)
            problem = outcome.problem or failure_of(session)
            outcome = replace(
                outcome,
                done=not problem,
                problem=problem,
                messages=[*outcome.messages, *ran.messages],
                lines=[*outcome.lines, *ran.lines],
            )
    return outcome


def _control(action: Action, stage: Stage, at: Instant) -> StepOutcome:
    options = {name: value for name, value in action.options.items() if name != "qmgrs"}
    for qmgr in action.options["qmgrs"]:
        getattr(stage.twin, action.verb)(qmgr, **options, at=at)
    return StepOutcome()


def _restore(action: Action, stage: Stage, at: Instant) -> StepOutcome:
    for qmgr, backup in action.options["backups"]:
        stage.twin.restore(qmgr, to=backup.at(stage.start), at=at)
    return StepOutcome()


def _restore_title(action: Action) -> str:
    backups = action.options["backups"]
    return "restore " + ", ".join(f"{qmgr} to {when.text}" for qmgr, when in backups)


def _control_verb(meaning: str) -> Verb:
    return Verb(
        meaning=meaning,
        perform=_control,
        expects=ACTING,
        options={"qmgrs": fields.one_or_more(fields.name)},
        whole="qmgrs",
        qmgrs=lambda action: action.options["qmgrs"],
        title=lambda action: f"{action.verb} {' '.join(action.options['qmgrs'])}",
    )


def made_by(action: Action) -> set[str]:
    """Return the queue managers that an action creates."""
    scripts: Any = action.options.get("scripts", ())
    return {script.qmgr for script in scripts}


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
        title=_script_title,
        changes=lambda action: (
            not READING.keys() & action.options.keys() and not only_displays(action.options["mqsc"])
        ),
    ),
    "crtmqm": Verb(
        meaning="creates and starts queue managers, then runs their MQSC",
        perform=_create,
        expects=ACTING,
        options={"scripts": _new_scripts},
        whole="scripts",
        title=lambda action: " ".join(["crtmqm", *(s.qmgr for s in action.options["scripts"])]),
    ),
    "strmqm": _control_verb("starts queue managers"),
    "endmqm": _control_verb("ends queue managers"),
    "dltmqm": _control_verb("deletes queue managers"),
    "exhaust": replace(
        _control_verb("lets the repositories of queue managers run out of storage"),
        beside={"stgclass": fields.text, "freed": fields.flag},
    ),
    "restore": Verb(
        meaning="restores queue managers to earlier instants, as from backups",
        perform=_restore,
        expects=ACTING,
        options={"backups": _backups},
        whole="backups",
        qmgrs=lambda action: [qmgr for qmgr, _ in action.options["backups"]],
        title=_restore_title,
        not_later=("restore", "a backup cannot be of a later instant"),
    ),
}
