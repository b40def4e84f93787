"""MQSC commands that change something: which rule carries out which verb and object.

Source: IBM MQ 9.4, "MQSC commands reference"; the answers are those of `twin.model.messages`, each
marked there as seen in a public capture or not. Commands about security caches, tracing and the
like are accepted and recorded; they change nothing that the twin models.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from twin import events
from twin.fold.estate import QueueManager
from twin.model.attributes import Problem, read_options
from twin.model.records import RECORDS
from twin.mqsc.statement import Malformed, Statement, parse
from twin.rules.commands import (
    authority_records,
    clearing,
    cluster_commands,
    definitions,
    listeners,
    starting,
)
from twin.rules.draft import Draft
from twin.rules.replies import Result, done, refused

Command: TypeAlias = Callable[[Draft, QueueManager, Statement], Result]

_OBJECTS: Final = (
    "QLOCAL QALIAS QREMOTE QMODEL CHANNEL NAMELIST TOPIC LISTENER PROCESS SERVICE AUTHINFO SUB"
    " COMMINFO"
).split()

_NOT_RUNNING: Final = "AMQ8146"


def _accepted(message_id: str) -> Command:
    def accept(draft: Draft, qmgr: QueueManager, statement: Statement) -> Result:
        del draft, qmgr, statement
        return done(message_id)

    return accept


COMMANDS: Final[Mapping[tuple[str, str], Command]] = {
    **{("DEFINE", name): definitions.define for name in _OBJECTS},
    **{("ALTER", name): definitions.alter for name in (*_OBJECTS, "QMGR")},
    **{("DELETE", name): definitions.delete for name in _OBJECTS},
    **{("SET", name): authority_records.set_record for name in ("CHLAUTH", "AUTHREC", "POLICY")},
    **{("DELETE", name): authority_records.delete_record for name in ("AUTHREC", "POLICY")},
    ("START", "CHANNEL"): starting.start_channel,
    ("STOP", "CHANNEL"): starting.stop_channel,
    ("START", "LISTENER"): listeners.start_listener,
    ("STOP", "LISTENER"): listeners.stop_listener,
    ("START", "SERVICE"): listeners.start_service,
    ("STOP", "SERVICE"): listeners.stop_service,
    ("PING", "CHANNEL"): starting.ping_channel,
    ("CLEAR", "QLOCAL"): clearing.clear,
    ("CLEAR", "TOPICSTR"): _accepted("AMQ8726"),
    ("START", "CHINIT"): _accepted("AMQ8024"),
    ("PING", "QMGR"): _accepted("AMQ8415"),
    ("REFRESH", "SECURITY"): _accepted("AMQ8560"),
    ("REFRESH", "QMGR"): _accepted("AMQ8724"),
    ("RESET", "QMGR"): _accepted("AMQ8729"),
    ("RESET", "CHANNEL"): starting.reset_channel,
    ("RESOLVE", "CHANNEL"): starting.resolve_channel,
    ("SUSPEND", "QMGR"): cluster_commands.suspend,
    ("RESUME", "QMGR"): cluster_commands.resume,
    ("REFRESH", "CLUSTER"): cluster_commands.refresh,
    ("RESET", "CLUSTER"): cluster_commands.reset,
}
"""(verb, object) -> the rule that carries it out; what is not here this platform does not have."""

_CHECKED: Final = frozenset({"DEFINE", "ALTER"})


def fault_of(statement: Statement, *, level: int) -> Problem | None:
    """Find what makes a well-formed command a syntax error, whatever objects there are."""
    if (statement.verb, statement.object) not in COMMANDS:
        return Problem("unknown-keyword", statement.object, "no such command on this platform")
    if statement.verb in _CHECKED:
        return definitions.fault_of(statement, level=level)
    if statement.object in RECORDS:
        return None
    return read_options(statement.verb, statement.object, statement.parameters).problem


def carry_out(draft: Draft, entered: events.CommandEntered) -> Result:
    """Carry out a command that was entered, and answer it."""
    qmgr = draft.qmgr(entered.qmgr)
    if not qmgr.running:
        return refused(_NOT_RUNNING, qmgr.name)
    statement = parse(entered.text)
    if isinstance(statement, Malformed):
        return refused("AMQ8405", statement.segment)
    if problem := fault_of(statement, level=qmgr.cmdlevel):
        return refused("AMQ8405", problem.text)
    return COMMANDS[statement.verb, statement.object](draft, qmgr, statement)
