"""MQSC commands other than DISPLAY: the rule that carries out each verb and object.

The replies come from `twin.model.messages`, which states for each whether it was seen in a public
capture. Commands for security caches, tracing and the like are accepted and recorded, but
change nothing in the model. The records of SET CHLAUTH, SET AUTHREC and SET POLICY are kept and
displayed; what access they control, `twin.rules.messages.authority` says for SET AUTHREC.

Source: IBM MQ 9.4, "MQSC commands reference".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from twin import events
from twin.fold.estate import QueueManager
from twin.model.attributes import Problem, Reading
from twin.model.messages import NOT_FOUND, NOT_RUNNING, SYNTAX_ERROR
from twin.model.objects import granted, identified, record_name, removed
from twin.model.platforms import ZOS
from twin.model.readings import COMPAT, OPMODE, reading_of
from twin.mqsc.statement import Malformed, Statement, parse
from twin.rules.commands import (
    channel_commands,
    cluster_commands,
    definitions,
    losses,
    read_command,
)
from twin.rules.commands.read_command import MQTT, ReadCommand
from twin.rules.draft import Draft, Reply, done, refused

_SET: Final = {"CHLAUTH": "AMQ8877", "AUTHREC": "AMQ8862", "POLICY": "AMQ9088"}
_DELETED: Final = {"AUTHREC": "AMQ8863", "POLICY": "AMQ9087"}
_NOT_FOUND: Final = {"CHLAUTH": "AMQ8884", "POLICY": "AMQ8958"}


def set_record(draft: Draft, qmgr: QueueManager, command: ReadCommand) -> Reply:
    """Add, replace or remove a record."""
    if command.problem is not None:
        return definitions.refusal_of(command.problem)
    action = command.option("ACTION") or "ADD"
    if action.startswith("REMOVE"):
        return _remove(draft, qmgr, command, action=action)
    kind, profile = command.object, _profile(qmgr, command)
    name = record_name(kind, profile, command.values)
    before = qmgr.definitions.get((kind, name))
    values = dict(command.values)
    if kind == "AUTHREC":
        values = granted(values, before.values if before else {})
    draft.emit(
        events.ObjectDefined(
            qmgr=qmgr.name,
            kind=kind,
            name=name,
            type=kind,
            values=identified(kind, profile, values),
        )
    )
    return done(_SET[kind])


def delete_record(draft: Draft, qmgr: QueueManager, command: ReadCommand) -> Reply:
    """Delete an authority record or a policy."""
    if command.problem is not None:
        return definitions.refusal_of(command.problem)
    reply = _remove(draft, qmgr, command, action="REMOVE")
    return reply if reply.failed else done(_DELETED[command.object])


def _profile(qmgr: QueueManager, command: ReadCommand) -> str:
    return command.name if command.statement.name else str(command.values.get("PROFILE", qmgr.name))


def _remove(draft: Draft, qmgr: QueueManager, command: ReadCommand, *, action: str) -> Reply:
    kind, profile = command.object, _profile(qmgr, command)
    records = [name for what, name in qmgr.definitions if what == kind]
    names = removed(kind, profile, command.values, action=action, among=records)
    if not names:
        return refused(_NOT_FOUND.get(kind, NOT_FOUND), profile)
    for name in names:
        draft.emit(events.ObjectDeleted(qmgr=qmgr.name, kind=kind, name=name))
    return done(_SET[kind])


MqscRule: TypeAlias = Callable[[Draft, QueueManager, ReadCommand], Reply]

NOT_MODELLED: Final = "TWN0001"

_OBJECTS: Final = (
    "QLOCAL QALIAS QREMOTE QMODEL CHANNEL NAMELIST TOPIC LISTENER PROCESS SERVICE AUTHINFO SUB"
    " COMMINFO"
).split()


def _accepted(message_id: str) -> MqscRule:
    """Return a rule that accepts a command and changes nothing."""
    return lambda _draft, _qmgr, _command: done(message_id)


def _not_modelled(_draft: Draft, _qmgr: QueueManager, command: ReadCommand) -> Reply:
    return refused(NOT_MODELLED, f"{command.statement.verb} {command.object}")


COMMANDS: Final[Mapping[tuple[str, str], MqscRule]] = {
    **{("DEFINE", name): definitions.define for name in _OBJECTS},
    **{("ALTER", name): definitions.alter for name in (*_OBJECTS, "QMGR")},
    **{("DELETE", name): definitions.delete for name in _OBJECTS},
    **{("SET", name): set_record for name in ("CHLAUTH", "AUTHREC", "POLICY")},
    **{("DELETE", name): delete_record for name in ("AUTHREC", "POLICY")},
    ("START", "CHANNEL"): channel_commands.start,
    ("STOP", "CHANNEL"): channel_commands.stop,
    ("PING", "CHANNEL"): channel_commands.ping,
    ("RESET", "CHANNEL"): channel_commands.reset,
    ("RESOLVE", "CHANNEL"): channel_commands.resolve,
    ("START", "LISTENER"): channel_commands.start_listener,
    ("STOP", "LISTENER"): channel_commands.stop_listener,
    ("START", "SERVICE"): channel_commands.start_service,
    ("STOP", "SERVICE"): channel_commands.stop_service,
    ("CLEAR", "QLOCAL"): losses.clear,
    ("CLEAR", "TOPICSTR"): _accepted("AMQ8726"),
    ("START", "CHINIT"): _accepted("AMQ8024"),
    ("PING", "QMGR"): _accepted("AMQ8415"),
    ("REFRESH", "SECURITY"): _accepted("AMQ8560"),
    ("REFRESH", "QMGR"): _accepted("AMQ8724"),
    ("RESET", "QMGR"): _accepted("AMQ8729"),
    ("SUSPEND", "QMGR"): cluster_commands.suspend,
    ("RESUME", "QMGR"): cluster_commands.resume,
    ("REFRESH", "CLUSTER"): cluster_commands.refresh,
    ("RESET", "CLUSTER"): cluster_commands.reset,
    ("PURGE", "CHANNEL"): _not_modelled,
    ("STOP", "CONN"): _not_modelled,
    ("SET", "LOG"): _not_modelled,
}
"""(verb, object) -> the rule that carries it out. All other commands are for z/OS only."""

_UNMODELLED_OPTIONS: Final = ("FACILITY", "LOG")
"""Options with which SUSPEND and RESUME QMGR on z/OS are not about clusters."""


def read_known(statement: Statement, *, level: int, platform: str = "") -> ReadCommand:
    """Read the parameters of a command; one for z/OS gets a fault on other platforms."""
    rule = COMMANDS.get((statement.verb, statement.object), _not_modelled)
    if platform == ZOS and rule is _not_modelled:
        return ReadCommand(statement, level, "", Reading(), None)
    if (statement.verb, statement.object) in COMMANDS:
        return read_command.read(statement, level=level, platform=platform)
    unknown = Problem("unknown-keyword", statement.object, "no such command on this platform")
    return ReadCommand(statement, level, "", Reading(problem=unknown), unknown)


def fault_segment(statement: Statement, fault: Problem) -> str:
    """Return the text of a command up to and including its fault, as AMQ8405 shows it."""
    if fault.keyword == statement.object:
        return statement.head
    first = next((each for each in statement.parameters if each.keyword == fault.keyword), None)
    return statement.segment(first) if first else statement.text


_NEW_FUNCTION: Final = frozenset({"CLCHNAME", "DEFCLXQ"})
_OF_MODE: Final = range(800, 900)
"""The levels at which OPMODE decides whether z/OS has more than one cluster transmission queue."""


def _is_disabled(draft: Draft, qmgr: QueueManager, command: ReadCommand) -> bool:
    """Return whether a command sets what OPMODE does not enable."""
    needs_mode = qmgr.platform == ZOS and qmgr.cmdlevel in _OF_MODE
    new = needs_mode and not _NEW_FUNCTION.isdisjoint(command.values)
    return new and reading_of(draft.estate.readings, OPMODE) == COMPAT


def carry_out(
    draft: Draft, entered: events.CommandEntered, command: ReadCommand | None = None
) -> Reply:
    """Carry out a command that was entered, and return the reply.

    `command` is the parsed command if the caller has parsed it already; else it is parsed here.
    """
    qmgr = draft.qmgr(entered.qmgr)
    if not qmgr.running:
        return refused(NOT_RUNNING, qmgr.name)
    if command is None or command.level != qmgr.cmdlevel:
        statement = parse(entered.text)
        if isinstance(statement, Malformed):
            return refused(SYNTAX_ERROR, statement.segment)
        command = read_known(statement, level=qmgr.cmdlevel, platform=qmgr.platform)
    if command.fault or _is_disabled(draft, qmgr, command):
        return refused(SYNTAX_ERROR, (command.fault or command.statement).text)
    if command.type == MQTT:
        return refused(NOT_MODELLED, f"CHLTYPE({MQTT})")
    for keyword in _UNMODELLED_OPTIONS:
        if command.option(keyword) is not None:
            return refused(NOT_MODELLED, f"{command.statement.verb} {command.object} {keyword}")
    rule = COMMANDS.get((command.statement.verb, command.object), _not_modelled)
    return rule(draft, qmgr, command)
