"""START and STOP of listeners and services, by a command and with the queue manager.

Only a service with SERVTYPE(SERVER) has a status [memory, unverified]. The twin runs no program: a
started service runs until it is stopped or its queue manager ends.

Sources: IBM MQ 9.4, "DEFINE LISTENER" and "DEFINE SERVICE", CONTROL; "START SERVICE".
"""

from __future__ import annotations

from typing import Final

from twin import events
from twin.fold.estate import QueueManager
from twin.model.messages import NOT_FOUND
from twin.model.objects import Definition
from twin.rules.commands.read_command import ReadCommand
from twin.rules.draft import Draft, Reply, done, refused

DEFAULT_LISTENER: Final = "SYSTEM.DEFAULT.LISTENER.TCP"

_WITH_QMGR: Final = ("QMGR", "STARTONLY")
"""The values of CONTROL with which a listener or service starts with its queue manager."""


def start_with_qmgr(draft: Draft, qmgr: QueueManager) -> None:
    """Start the listeners and services whose CONTROL says so, as their queue manager starts.

    Services of the system do not start. Decided here: SYSTEM.AMQP.SERVICE belongs to an optional
    component, which the twin does not model.
    """
    for definition in list(qmgr.definitions.values()):
        if definition.values.get("CONTROL") not in _WITH_QMGR:
            continue
        if definition.type == "LISTENER":
            if definition.name in qmgr.activity.listeners:
                continue  # it went on running
            draft.emit(events.ListenerStarted(qmgr=qmgr.name, listener=definition.name))
        elif _is_server(definition) and not definition.name.startswith("SYSTEM."):
            draft.emit(events.ServiceStarted(qmgr=qmgr.name, service=definition.name))


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


def start_service(draft: Draft, qmgr: QueueManager, command: ReadCommand) -> Reply:
    """Start a service; of SERVTYPE(COMMAND) several may run, and none has a status.

    With IGNSTATE(YES) a service that runs already is no error, as in STOP SERVICE one that is down.
    """
    definition = qmgr.definitions.get(("SERVICE", command.name))
    if definition is None:
        return refused(NOT_FOUND, command.name)
    if _is_server(definition):
        if command.name not in qmgr.activity.services:
            draft.emit(events.ServiceStarted(qmgr=qmgr.name, service=command.name))
        elif command.option("IGNSTATE") != "YES":
            return refused("AMQ8737", command.name)
    return done("AMQ8733")


def stop_service(draft: Draft, qmgr: QueueManager, command: ReadCommand) -> Reply:
    """Stop a service; one of SERVTYPE(SERVER) must be running unless IGNSTATE(YES) is given."""
    definition = qmgr.definitions.get(("SERVICE", command.name))
    if definition is None:
        return refused(NOT_FOUND, command.name)
    if command.name in qmgr.activity.services:
        draft.emit(events.ServiceStopped(qmgr=qmgr.name, service=command.name))
    elif _is_server(definition) and command.option("IGNSTATE") != "YES":
        return refused("AMQ8738", command.name)
    return done("AMQ8732")


def _is_server(definition: Definition) -> bool:
    return definition.type == "SERVICE" and definition.values.get("SERVTYPE") == "SERVER"
