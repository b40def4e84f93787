"""STOP, RESOLVE and RESET of a channel, as far as its messages are concerned.

Sources: IBM MQ 8.0, "STOP CHANNEL" (QUIESCE finishes the batch, FORCE and TERMINATE do not and may
leave it in doubt); "RESOLVE CHANNEL" (COMMIT deletes the batch that is in doubt, BACKOUT puts it
back) [memory, unverified]; IBM MQ 9.4, "Example of a cluster with more than one instance of a
queue" (on z/OS a channel stops once all its messages were chosen for, and a forced stop interrupts
that). Default STATUS is STOPPED, and INACTIVE with CONNAME or QMNAME [memory, unverified].
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from twin.events import (
    ChannelBatchInDoubt,
    ChannelStatusChanged,
    ErrorLogged,
    MessagesLost,
)
from twin.fold.estate import QueueManager
from twin.model.attributes import Value
from twin.model.names import connection
from twin.mqsc.statement import Statement
from twin.rules import membership
from twin.rules.channels import batches, disconnecting, reaching, sending_channels
from twin.rules.commands import channel_commands
from twin.rules.draft import Draft
from twin.rules.messages import outbound
from twin.rules.queues import put_times, transmission_queue
from twin.rules.replies import Result, done, refused
from twin.rules.repository import connecting
from twin.rules.workload import counter_resets

IN_DOUBT = "AMQ9507"
_ZOS = "MVS"


def stop(draft: Draft, qmgr: QueueManager, channel: str, *, status: str, mode: str) -> None:
    """Stop a channel: with QUIESCE its batch goes to its end first, and else it is cut short.

    In virtual time a channel is never STOPPING. It is remembered who its partner was: the status of
    a stopped channel shows that (IBM MQ 9.4, "Working with cluster transmission queues and
    cluster-sender channels", its example).
    """
    if qmgr.has_messaging and channel in qmgr.messaging.at_risk:
        if mode == "QUIESCE":
            outbound.finish_batch(draft, qmgr, channel)
        else:
            batches.lose_at_risk(draft, qmgr, channel)
    counter_resets.status_changes(draft, qmgr, channel, status)
    forced = qmgr.platform == _ZOS and mode != "QUIESCE"
    if status == "INACTIVE" or forced:
        put_times.keep(draft, qmgr, channel)
    partner = _partner(draft, qmgr, channel) if status == "STOPPED" else ""
    draft.emit(
        ChannelStatusChanged(qmgr=qmgr.name, channel=channel, status=status, partner=partner)
    )
    sending_channels.note(draft, qmgr, channel, "forced" if forced else "stopped")


def _partner(draft: Draft, qmgr: QueueManager, channel: str) -> str:
    """Name the partner a sending channel has, or had when it last ran; '' where it never did."""
    state = qmgr.activity.channels.get(channel)
    if state is not None and state.partner:
        return state.partner
    return reaching.leads_to(draft, qmgr, channel) if channel in qmgr.activity.saved else ""


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
        stop(draft, qmgr, name, status=status, mode=mode)
    if receiving:
        for other in found if selective else (None,):
            connecting.lose(draft, qmgr, channel=name, only=other)
    return done("AMQ8019")


def _partners(draft: Draft, qmgr: QueueManager, channel: str) -> Iterator[tuple[str, set[str]]]:
    """Go through the queue managers that a channel runs with, and their hosts in lower case.

    A sending end knows its partner's as it has them from the partner's CLUSRCVR or its definition;
    a receiving end is called from the hosts of the partner's own CLUSRCVRs.
    """
    if qmgr.channels.get(channel) == "CLUSRCVR":
        for other in connecting.senders(draft, qmgr, channel):
            own = membership.channels_of(other, "CLUSRCVR")
            yield other.name, _hosts(definition.values for definition, _ in own)
        return
    state = disconnecting.current(qmgr, channel, draft.at)
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
    if sending_channels.status_of(qmgr, name, draft.at) == "RUNNING":
        return refused("AMQ9514", name)
    count = qmgr.messaging.in_doubt.get(name, 0)
    if not count:
        return refused("AMQ9533", name)
    if action == "COMMIT":
        for queue, lost in first_ones(qmgr, name, count):
            draft.emit(
                MessagesLost(qmgr=qmgr.name, queue=queue, count=lost, why="resolved", channel=name)
            )
        draft.emit(ChannelBatchInDoubt(qmgr=qmgr.name, channel=name, count=0))
    else:
        with put_times.admitting(draft, qmgr, name):
            draft.emit(ChannelBatchInDoubt(qmgr=qmgr.name, channel=name, count=0))
    draft.emit(ErrorLogged(qmgr=qmgr.name, id=IN_DOUBT, inserts=(name, action, str(count))))
    return done("AMQ8025")


def first_ones(qmgr: QueueManager, channel: str, count: int) -> list[tuple[str, int]]:
    """List where the first so many messages for a channel lie."""
    found: dict[str, int] = {}
    for queue, parcel in transmission_queue.waiting(qmgr, channel):
        taken = min(parcel.count, count)
        count -= taken
        if taken:
            found[queue] = found.get(queue, 0) + taken
    return list(found.items())


def reset_channel(draft: Draft, qmgr: QueueManager, statement: Statement) -> Result:
    """Reset a channel's sequence number, which the twin does not keep.

    Refused while it runs or a batch is in doubt (reason code 4025).
    """
    name, definition, automatic = channel_commands.find(qmgr, statement)
    if definition is None and not automatic:
        return refused("AMQ8227", name)
    if sending_channels.status_of(qmgr, name, draft.at) == "RUNNING":
        return refused("AMQ9514", name)
    if qmgr.has_messaging and name in qmgr.messaging.in_doubt:
        return refused(IN_DOUBT, name)
    return done("AMQ8023")
