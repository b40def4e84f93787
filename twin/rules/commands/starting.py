"""START, STOP, PING, RESOLVE and RESET CHANNEL.

Source: IBM MQ 8.0, "STOP CHANNEL"; 9.1, "Stopping a channel": STOPPED must be started by hand,
INACTIVE starts by itself when there is something to send.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from twin import events
from twin.events import ChannelBatchInDoubt, ErrorLogged, MessagesLost
from twin.fold.estate import QueueManager
from twin.model.attributes import Value
from twin.model.channel_types import PARTNERS
from twin.model.names import connection
from twin.model.objects import Definition
from twin.mqsc.statement import Statement
from twin.rules import membership
from twin.rules.channels import batches, channel_status, disconnecting, reaching, starting, stopping
from twin.rules.commands import channel_commands
from twin.rules.draft import Draft
from twin.rules.queues import put_times
from twin.rules.replies import Result, done, refused
from twin.rules.repository import connecting
from twin.rules.workload import counter_resets

IN_DOUBT: Final = "AMQ9507"


def start_channel(draft: Draft, qmgr: QueueManager, statement: Statement) -> Result:
    """Start a channel, or make a stopped one startable."""
    name, definition, automatic = channel_commands.find(qmgr, statement)
    if definition is None and not automatic:
        return refused("AMQ8227", name)
    was = channel_status.status_of(qmgr, name, draft.at)
    if was == "RUNNING":
        return refused("AMQ9514", name)
    if was != "INACTIVE":
        if _will_be_available(draft, qmgr, name, definition):
            counter_resets.status_changes(draft, qmgr, name, "RUNNING")
        put_times.record(draft, qmgr, name)
        draft.emit(events.ChannelStatusChanged(qmgr=qmgr.name, channel=name, status="INACTIVE"))
    if definition is None:
        _start_automatic(draft, qmgr, name)
    elif definition.type == "CLUSSDR" and membership.clusters(qmgr, definition):
        connecting.connect(draft, qmgr, definition, started=True)
    elif definition.type in PARTNERS:
        starting.start_defined(draft, qmgr, definition)
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
    if channel_status.status_of(qmgr, name, draft.at) == "RUNNING":
        return refused("AMQ9514", name)
    partner = reaching.partner_of(draft, qmgr, definition) if definition is not None else None
    if definition is not None and (partner is None or not partner.running):
        return refused(channel_status.HOST_NOT_AVAILABLE, name)
    return done("AMQ8020")


def stop_channel(draft: Draft, qmgr: QueueManager, statement: Statement) -> Result:
    """Stop a channel; a stopped CLUSRCVR fails its partners' channels, or the named one's.

    What waits for it is chosen another route for, whatever its status was. QMNAME and CONNAME, of
    which the hosts count, must be those of a partner that it is active with [AMQ9533: memory,
    unverified].
    """
    name, definition, automatic = channel_commands.find(qmgr, statement)
    if definition is None and not automatic:
        return refused("AMQ8227", name)
    partner = channel_commands.option(statement, "QMNAME")
    address = channel_commands.option(statement, "CONNAME")
    selective = partner is not None or address is not None
    status = (
        channel_commands.option(statement, "STATUS") or ("INACTIVE" if selective else "STOPPED")
    ).upper()
    if selective and status == "STOPPED":
        return refused("AMQ8431", "STATUS(STOPPED)", "QMNAME or CONNAME")
    state = qmgr.activity.channels.get(name)
    if state is not None and state.status == "STOPPED" == status:
        return refused("AMQ9533", name)
    wanted = _hosts([{"CONNAME": address or ""}])
    found = [
        other
        for other, hosts in (_partners(draft, qmgr, name) if selective else ())
        if partner in (None, other) and (address is None or wanted & hosts)
    ]
    if selective and not found:
        return refused("AMQ9533", name)
    receiving = definition is not None and definition.type == "CLUSRCVR"
    if not (receiving and selective):
        mode = (channel_commands.option(statement, "MODE") or "QUIESCE").upper()
        stopping.stop(draft, qmgr, name, status=status, mode=mode)
    if receiving:
        for other in found if selective else (None,):
            connecting.fail_channels_to(draft, qmgr, channel=name, only=other)
    return done("AMQ8019")


def _partners(draft: Draft, qmgr: QueueManager, channel: str) -> Iterator[tuple[str, set[str]]]:
    """Go through the queue managers that a channel runs with, and their hosts in lower case.

    A sending end knows its partner's as it has them from the partner's CLUSRCVR or its definition;
    a receiving end is called from the hosts of the partner's own CLUSRCVRs.
    """
    if qmgr.channels.get(channel) == "CLUSRCVR":
        for other in connecting.running_senders(draft, qmgr, channel):
            own = membership.channels_of(other, "CLUSRCVR")
            yield other.name, _hosts(definition.values for definition, _ in own)
        return
    state = disconnecting.current_state(qmgr, channel, draft.at)
    if state is not None:
        yield (
            state.partner,
            _hosts([reaching.attributes_of(draft, qmgr, channel, state.partner)]),
        )


def _hosts(found: Iterable[Mapping[str, Value]]) -> set[str]:
    return {host for values in found for host, _ in connection(str(values.get("CONNAME", "")))}


def resolve_channel(draft: Draft, qmgr: QueueManager, statement: Statement) -> Result:
    """Settle a batch in doubt without its partner: COMMIT deletes it, BACKOUT keeps it.

    The twin knows that a batch in doubt has not arrived: COMMIT loses it. That a real partner may
    have it, so that BACKOUT would send it twice, is what the error log is told of (AMQ9507).
    Refused where nothing is in doubt, or the channel runs [memory, unverified].
    """
    name, definition, automatic = channel_commands.find(qmgr, statement)
    if definition is None and not automatic:
        return refused("AMQ8227", name)
    action = (channel_commands.option(statement, "ACTION") or "").upper()
    if action not in ("COMMIT", "BACKOUT"):
        return refused("AMQ8421")
    if channel_status.status_of(qmgr, name, draft.at) == "RUNNING":
        return refused("AMQ9514", name)
    count = qmgr.messaging.in_doubt.get(name, 0)
    if not count:
        return refused("AMQ9533", name)
    if action == "COMMIT":
        for queue, lost in batches.first_messages(qmgr, name, count):
            draft.emit(
                MessagesLost(qmgr=qmgr.name, queue=queue, count=lost, why="resolved", channel=name)
            )
        draft.emit(ChannelBatchInDoubt(qmgr=qmgr.name, channel=name, count=0))
    else:
        with put_times.eligibility_changing(draft, qmgr, name):
            draft.emit(ChannelBatchInDoubt(qmgr=qmgr.name, channel=name, count=0))
    draft.emit(ErrorLogged(qmgr=qmgr.name, id=IN_DOUBT, inserts=(name, action, str(count))))
    return done("AMQ8025")


def reset_channel(draft: Draft, qmgr: QueueManager, statement: Statement) -> Result:
    """Reset a channel's sequence number, which the twin does not keep.

    Refused while it runs or a batch is in doubt (reason code 4025).
    """
    name, definition, automatic = channel_commands.find(qmgr, statement)
    if definition is None and not automatic:
        return refused("AMQ8227", name)
    if channel_status.status_of(qmgr, name, draft.at) == "RUNNING":
        return refused("AMQ9514", name)
    if qmgr.has_messaging and name in qmgr.messaging.in_doubt:
        return refused(IN_DOUBT, name)
    return done("AMQ8023")
