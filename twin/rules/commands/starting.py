"""START and PING of channels; START and STOP of listeners and services.

Source: IBM MQ 8.0, "STOP CHANNEL"; 9.1, "Stopping a channel": STOPPED must be started by hand,
INACTIVE starts by itself when there is something to send.
"""

from __future__ import annotations

from typing import Final

from twin import events
from twin.fold.estate import QueueManager
from twin.model.channel_types import PARTNERS
from twin.model.objects import Definition
from twin.mqsc.statement import Statement
from twin.rules import membership
from twin.rules.channels import reaching, sending_channels
from twin.rules.commands import channel_commands
from twin.rules.draft import Draft
from twin.rules.queues import put_times
from twin.rules.replies import Result, done, refused
from twin.rules.repository import connecting
from twin.rules.workload import counter_resets

DEFAULT_LISTENER: Final = "SYSTEM.DEFAULT.LISTENER.TCP"


def start_channel(draft: Draft, qmgr: QueueManager, statement: Statement) -> Result:
    """Start a channel, or make a stopped one startable."""
    name, definition, automatic = channel_commands.find(qmgr, statement)
    if definition is None and not automatic:
        return refused("AMQ8227", name)
    was = sending_channels.status_of(qmgr, name, draft.at)
    if was == "RUNNING":
        return refused("AMQ9514", name)
    if was != "INACTIVE":
        if _will_be_available(draft, qmgr, name, definition):
            counter_resets.status_changes(draft, qmgr, name, "RUNNING")
        put_times.keep(draft, qmgr, name)
        draft.emit(events.ChannelStatusChanged(qmgr=qmgr.name, channel=name, status="INACTIVE"))
    if definition is None:
        _start_automatic(draft, qmgr, name)
    elif definition.type == "CLUSSDR" and membership.clusters(qmgr, definition):
        connecting.connect(draft, qmgr, definition, started=True)
    elif definition.type in PARTNERS:
        sending_channels.start_defined(draft, qmgr, definition)
    elif definition.type == "CLUSRCVR":
        connecting.wake_partners(draft, qmgr)
    return done("AMQ8018")


def _will_be_available(
    draft: Draft, qmgr: QueueManager, name: str, definition: Definition | None
) -> bool:
    """Say whether a channel that is started becomes available; one's own CLUSRCVR always does."""
    if definition is not None and definition.type == "CLUSRCVR":
        return True
    partner = reaching.leads_to(draft, qmgr, name)
    return bool(partner) and reaching.can_reach(draft, qmgr, name, partner)


def _start_automatic(draft: Draft, qmgr: QueueManager, name: str) -> None:
    if partner := reaching.leads_to(draft, qmgr, name):
        connecting.revive(draft, qmgr, name, partner)


def ping_channel(draft: Draft, qmgr: QueueManager, statement: Statement) -> Result:
    """Try whether a channel's partner would answer."""
    name, definition, automatic = channel_commands.find(qmgr, statement)
    if definition is None and not automatic:
        return refused("AMQ8227", name)
    if sending_channels.status_of(qmgr, name, draft.at) == "RUNNING":
        return refused("AMQ9514", name)
    partner = reaching.partner_of(draft, qmgr, definition) if definition is not None else None
    if definition is not None and (partner is None or not partner.running):
        return refused(sending_channels.HOST_NOT_AVAILABLE, name)
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
