"""START and STOP of listeners."""

from __future__ import annotations

from typing import Final

from twin import events
from twin.fold.estate import QueueManager
from twin.model.messages import NOT_FOUND
from twin.rules.commands.read_command import ReadCommand
from twin.rules.draft import Draft
from twin.rules.replies import Reply, done, refused

DEFAULT_LISTENER: Final = "SYSTEM.DEFAULT.LISTENER.TCP"


def start_listener(draft: Draft, qmgr: QueueManager, command: ReadCommand) -> Reply:
    """Start a listener; the default listener if the command names none."""
    name = command.name or DEFAULT_LISTENER
    if ("LISTENER", name) not in qmgr.definitions:
        return refused(NOT_FOUND, name)
    if name in qmgr.activity.listeners:
        return refused("AMQ8730", name)
    draft.emit(events.ListenerStarted(qmgr=qmgr.name, listener=name))
    return done("AMQ8021")


def stop_listener(draft: Draft, qmgr: QueueManager, command: ReadCommand) -> Reply:
    """Stop a listener; the default listener if the command names none."""
    name = command.name or DEFAULT_LISTENER
    if ("LISTENER", name) not in qmgr.definitions:
        return refused(NOT_FOUND, name)
    if name in qmgr.activity.listeners:
        draft.emit(events.ListenerStopped(qmgr=qmgr.name, listener=name))
        return done("AMQ8706")
    ignored = command.option("IGNSTATE") == "YES"
    return done("AMQ8706") if ignored else refused("AMQ8731", name)
