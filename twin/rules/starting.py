"""START and STOP of channels, listeners and services.

Source: IBM MQ 8.0, "STOP CHANNEL"; 9.1, "Stopping a channel": STOPPED must be started by hand,
INACTIVE starts by itself when there is something to send. Default STATUS is STOPPED, and INACTIVE
with CONNAME or QMNAME [memory, unverified].
"""

from __future__ import annotations

from typing import Final

from twin import events
from twin.fold.estate import QueueManager
from twin.model.objects import Definition
from twin.mqsc.statement import Statement
from twin.rules import channels, membership, running
from twin.rules.draft import Draft
from twin.rules.result import Result, done, refused

DEFAULT_LISTENER: Final = "SYSTEM.DEFAULT.LISTENER.TCP"
_SENDING: Final = frozenset({"SDR", "SVR", "RQSTR", "CLUSSDR"})


def _option(statement: Statement, keyword: str) -> str | None:
    for parameter in statement.parameters:
        if parameter.keyword == keyword:
            return parameter.values[0].text if parameter.values else ""
    return None


def _channel(qmgr: QueueManager, statement: Statement) -> tuple[str, Definition | None, bool]:
    """Find a channel by name: its definition, and whether it is known only by the cluster."""
    name = statement.name.text if statement.name else ""
    definition = qmgr.definitions.get(("CHANNEL", name))
    automatic = definition is None and (
        name in qmgr.activity.channels
        or any(there[2] == name for there, _ in qmgr.repository.of_kind("qmgr"))
    )
    return name, definition, automatic


def start_channel(draft: Draft, qmgr: QueueManager, statement: Statement) -> Result:
    """Start a channel, or make a stopped one startable."""
    name, definition, automatic = _channel(qmgr, statement)
    if definition is None and not automatic:
        return refused("AMQ8227", name)
    state = qmgr.activity.channels.get(name)
    if state is not None and state.status == "RUNNING":
        return refused("AMQ9514", name)
    if state is not None:
        draft.emit(events.ChannelStatusChanged(qmgr=qmgr.name, channel=name, status="INACTIVE"))
    if definition is None:
        _start_automatic(draft, qmgr, name)
    elif definition.type == "CLUSSDR" and membership.clusters(qmgr, definition):
        running.connect(draft, qmgr, definition)
    elif definition.type in _SENDING:
        _start_plain(draft, qmgr, definition)
    elif definition.type == "CLUSRCVR":
        running.wake_partners(draft, qmgr)
    return done("AMQ8018")


def _start_automatic(draft: Draft, qmgr: QueueManager, name: str) -> None:
    for (_, _, channel), belief in qmgr.repository.of_kind("qmgr"):
        if channel == name and belief.owner != qmgr.qmid:
            running.revive(draft, qmgr, name, belief.owner_name)
            return


def _start_plain(draft: Draft, qmgr: QueueManager, definition: Definition) -> None:
    partner = channels.partner_of(draft, qmgr, definition)
    reached = partner is not None and partner.running
    draft.emit(
        events.ChannelStatusChanged(
            qmgr=qmgr.name,
            channel=definition.name,
            status="RUNNING" if reached else "RETRYING",
            partner=partner.name if partner else "",
            reason="" if reached else channels.HOST_NOT_AVAILABLE,
        )
    )


def stop_channel(draft: Draft, qmgr: QueueManager, statement: Statement) -> Result:
    """Stop a channel; a stopped CLUSRCVR fails its partners' channels, or the named one's."""
    name, definition, automatic = _channel(qmgr, statement)
    if definition is None and not automatic:
        return refused("AMQ8227", name)
    partner = _option(statement, "QMNAME")
    selective = partner is not None or _option(statement, "CONNAME") is not None
    status = (_option(statement, "STATUS") or ("INACTIVE" if selective else "STOPPED")).upper()
    if selective and status == "STOPPED":
        return refused("AMQ8431", "STATUS(STOPPED)", "QMNAME or CONNAME")
    state = qmgr.activity.channels.get(name)
    if state is not None and state.status == "STOPPED" == status:
        return refused("AMQ9533", name)
    receiving = definition is not None and definition.type == "CLUSRCVR"
    if not (receiving and selective):
        draft.emit(events.ChannelStatusChanged(qmgr=qmgr.name, channel=name, status=status))
    if receiving:
        running.lose(draft, qmgr, channel=name, only=partner)
    return done("AMQ8019")


def ping_channel(draft: Draft, qmgr: QueueManager, statement: Statement) -> Result:
    """Try whether a channel's partner would answer."""
    name, definition, automatic = _channel(qmgr, statement)
    if definition is None and not automatic:
        return refused("AMQ8227", name)
    state = qmgr.activity.channels.get(name)
    if state is not None and state.status == "RUNNING":
        return refused("AMQ9514", name)
    partner = channels.partner_of(draft, qmgr, definition) if definition is not None else None
    if definition is not None and (partner is None or not partner.running):
        return refused(channels.HOST_NOT_AVAILABLE, name)
    return done("AMQ8020")


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
        if (_option(statement, "IGNSTATE") or "").upper() == "YES":
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
