"""START and STOP of listeners and services."""

from __future__ import annotations

from typing import Final

from twin import events
from twin.fold.estate import QueueManager
from twin.mqsc.statement import Statement
from twin.rules.commands import channel_commands
from twin.rules.draft import Draft
from twin.rules.replies import Result, done, refused

DEFAULT_LISTENER: Final = "SYSTEM.DEFAULT.LISTENER.TCP"


def start_listener(draft: Draft, qmgr: QueueManager, statement: Statement) -> Result:
    """Start a listener; without a name the default one."""
    name = statement.name.text if statement.name else DEFAULT_LISTENER
    if ("LISTENER", name) not in qmgr.definitions:
        return refused("AMQ8147", name)
    if name in qmgr.activity.listeners:
        return refused("AMQ8730", name)
    draft.emit(events.ListenerStarted(qmgr=qmgr.name, listener=name))
    return done("AMQ8021")


def stop_listener(draft: Draft, qmgr: QueueManager, statement: Statement) -> Result:
    """Stop a listener; without a name the default one."""
    name = statement.name.text if statement.name else DEFAULT_LISTENER
    if ("LISTENER", name) not in qmgr.definitions:
        return refused("AMQ8147", name)
    if name not in qmgr.activity.listeners:
        if (channel_commands.option(statement, "IGNSTATE") or "").upper() == "YES":
            return done("AMQ8706")
        return refused("AMQ8731", name)
    draft.emit(events.ListenerStopped(qmgr=qmgr.name, listener=name))
    return done("AMQ8706")


def start_service(draft: Draft, qmgr: QueueManager, statement: Statement) -> Result:
    """Accept the start of a service; services do nothing in the twin."""
    return _service(qmgr, statement, "AMQ8733")


def stop_service(draft: Draft, qmgr: QueueManager, statement: Statement) -> Result:
    """Accept the stop of a service."""
    return _service(qmgr, statement, "AMQ8732")


def _service(qmgr: QueueManager, statement: Statement, accepted: str) -> Result:
    name = statement.name.text if statement.name else ""
    if ("SERVICE", name) not in qmgr.definitions:
        return refused("AMQ8147", name)
    return done(accepted)
