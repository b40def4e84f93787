"""START, STOP, PING, RESOLVE and RESET CHANNEL; START and STOP of listeners and services.

STATUS of STOP CHANNEL is STOPPED by default, and INACTIVE with CONNAME or QMNAME [memory,
unverified]. Auto-defined cluster-sender channels accept the same commands as defined channels (IBM
MQ 9.4, "MQSC commands reference").

Listeners and services start and stop by a command and with the queue manager. Only a service with
SERVTYPE(SERVER) has a status [memory, unverified]. The twin runs no program: a started service runs
until it is stopped or its queue manager ends.

Sources: IBM MQ 8.0, "STOP CHANNEL"; 9.1, "Stopping a channel" (a STOPPED channel must be started
manually, an INACTIVE one starts when there is something to send); "RESOLVE CHANNEL" (COMMIT deletes
the batch in doubt, BACKOUT puts it back) [memory, unverified].

Sources: IBM MQ 9.4, "DEFINE LISTENER" and "DEFINE SERVICE", CONTROL; "START SERVICE".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import wraps
from typing import Final, NamedTuple, TypeAlias

from twin import events
from twin.fold.estate import QueueManager
from twin.model.attributes import Value
from twin.model.messages import CLOSED, HOST_NOT_AVAILABLE, NOT_FOUND
from twin.model.names import connection
from twin.model.objects import PARTNERS, UNCLUSTERED, Definition
from twin.rules import logged, membership, reachability
from twin.rules.channels import (
    channel_status,
    retrying,
    starting,
    stopping,
)
from twin.rules.commands.read_command import ReadCommand
from twin.rules.draft import Draft, Reply, done, refused
from twin.rules.path import partners
from twin.rules.queues import put_times
from twin.rules.repository import connecting
from twin.rules.workload import counters

IN_DOUBT: Final = "AMQ9507"
NO_RECEIVER: Final = "AMQ9419"


class _Channel(NamedTuple):
    """The channel that a command names; an auto-defined channel has no definition."""

    name: str
    definition: Definition | None


_Rule: TypeAlias = Callable[[Draft, QueueManager, ReadCommand], Reply]


def _of_channel(
    rule: Callable[[Draft, QueueManager, ReadCommand, _Channel], Reply],
) -> _Rule:
    """Return a rule that refuses a command for an unknown channel and otherwise calls `rule`."""

    @wraps(rule)
    def carry_out(draft: Draft, qmgr: QueueManager, command: ReadCommand) -> Reply:
        name = command.name
        channel = _Channel(name, qmgr.definitions.get(("CHANNEL", name)))
        exists = name in qmgr.activity.channels or membership.knows_channel(qmgr, name)
        return rule(draft, qmgr, command, channel) if exists else refused("AMQ8227", name)

    return carry_out


@_of_channel
def start(draft: Draft, qmgr: QueueManager, _command: ReadCommand, channel: _Channel) -> Reply:
    """Start a channel, or set a stopped one to INACTIVE so that it can start.

    One that is STOPPING until its messages are rerouted cannot be started [inferred].
    """
    name, definition = channel
    before = channel_status.status_of(qmgr, name, draft.at)
    if before == "RUNNING" or channel_status.is_rerouting(qmgr, name):
        return refused("AMQ9514", name)
    if before != "INACTIVE":
        if _will_be_available(draft, qmgr, channel):
            counters.status_changes(draft, qmgr, name, "RUNNING")
        put_times.record(draft, qmgr, name)
        draft.emit(events.ChannelStatusChanged(qmgr=qmgr.name, channel=name, status="INACTIVE"))
    if definition is None:
        if partner := partners.leads_to(draft.estate, qmgr, name):
            connecting.revive(draft, qmgr, name, partner)
    elif definition.type == "CLUSSDR" and (clusters := membership.clusters(qmgr, definition)):
        _warn_without_receiver(draft, qmgr, clusters)
        connecting.connect(draft, qmgr, definition, started=True)
    elif definition.type in PARTNERS:
        starting.start_defined(draft, qmgr, definition)
    elif definition.type == "CLUSRCVR":
        reachability.wake_partners(draft, qmgr)
    return done("AMQ8018")


def _warn_without_receiver(draft: Draft, qmgr: QueueManager, clusters: Iterable[str]) -> None:
    """Log each cluster in which a queue manager has a CLUSSDR but no CLUSRCVR.

    AMQ9419 has this meaning [memory, unverified]. In the twin such a channel does not start.
    """
    joined = membership.clusters_joined(qmgr)
    for cluster in clusters:
        if cluster not in joined:
            draft.emit(events.ErrorLogged(qmgr=qmgr.name, id=NO_RECEIVER, inserts=(cluster,)))


def _will_be_available(draft: Draft, qmgr: QueueManager, channel: _Channel) -> bool:
    """Return whether a channel becomes available when started; a CLUSRCVR always does."""
    if channel.definition is not None and channel.definition.type == "CLUSRCVR":
        return True
    partner = partners.leads_to(draft.estate, qmgr, channel.name)
    return bool(partner) and channel_status.can_reach(draft, qmgr, channel.name, partner)


@_of_channel
def ping(draft: Draft, qmgr: QueueManager, _command: ReadCommand, channel: _Channel) -> Reply:
    """Check whether the partner of a channel would answer; a refusal names the host (CONNAME).

    Only sending channels can be pinged (IBM MQ 9.4, "PING CHANNEL"). Decided here: for others the
    message is AMQ8213.
    """
    name, definition = channel
    if definition is not None and definition.type not in {"CLUSSDR", *UNCLUSTERED}:
        return refused("AMQ8213", name)
    if channel_status.status_of(qmgr, name, draft.at) == "RUNNING":
        return refused("AMQ9514", name)
    partner = (
        partners.partner_of(draft.estate, qmgr, definition) if definition is not None else None
    )
    if definition is not None and (partner is None or not partner.running):
        return refused(HOST_NOT_AVAILABLE, str(definition.values.get("CONNAME", "")))
    return done("AMQ8020")


@_of_channel
def stop(draft: Draft, qmgr: QueueManager, command: ReadCommand, channel: _Channel) -> Reply:
    """Stop a channel; for a CLUSRCVR, let the channels of its partners, or of the named one, fail.

    Messages that wait for the channel are rerouted, even if it was not running. QMNAME and CONNAME
    (only the host counts) must be those of a partner that it is active with [AMQ9533: memory,
    unverified].
    """
    name, definition = channel
    partner, address = command.option("QMNAME"), command.option("CONNAME")
    selective = partner is not None or address is not None
    status = command.option("STATUS") or ("INACTIVE" if selective else "STOPPED")
    if selective and status == "STOPPED":
        return refused("AMQ8431", "STATUS(STOPPED)", "QMNAME or CONNAME")
    state = qmgr.activity.channels.get(name)
    if state is not None and state.status == "STOPPED" == status:
        return refused("AMQ9533", name)
    hosts = _hosts([{"CONNAME": address or ""}])
    partners = [
        other
        for other, partner_hosts in (_partners(draft, qmgr, name) if selective else ())
        if partner in (None, other) and (address is None or hosts & partner_hosts)
    ]
    if selective and not partners:
        return refused("AMQ9533", name)
    receiving = definition is not None and definition.type == "CLUSRCVR"
    if not (receiving and selective):
        mode = command.option("MODE") or "QUIESCE"
        asked = status == "INACTIVE" or None  # STOPPED says it by itself
        stopping.stop(draft, qmgr, name, status=status, mode=mode, requested=asked)
    if receiving:
        for other in partners if selective else (None,):
            reachability.fail_channels_to(draft, qmgr, channel=name, only=other, reason=CLOSED)
    return done("AMQ8019")


def _partners(draft: Draft, qmgr: QueueManager, channel: str) -> Iterator[tuple[str, set[str]]]:
    """Yield the queue managers that a channel runs with, and their hosts in lower case.

    For a sending end the hosts are those in the partner's CLUSRCVR or in its own definition. For a
    receiving end they are the hosts in the partner's own CLUSRCVRs.
    """
    if qmgr.channels.get(channel) == "CLUSRCVR":
        for other in reachability.running_senders(draft, qmgr, channel):
            receivers = membership.channels_of(other, "CLUSRCVR")
            yield other.name, _hosts(definition.values for definition, _ in receivers)
        return
    state = channel_status.current_state(qmgr, channel, draft.at)
    if state is not None:
        attributes = channel_status.attributes_of(draft, qmgr, channel, state.partner)
        yield state.partner, _hosts([attributes])


def _hosts(channels: Iterable[Mapping[str, Value]]) -> set[str]:
    return {host for values in channels for host, _ in connection(str(values.get("CONNAME", "")))}


@_of_channel
def resolve(draft: Draft, qmgr: QueueManager, command: ReadCommand, channel: _Channel) -> Reply:
    """Resolve a batch in doubt: COMMIT deletes its messages, BACKOUT keeps them.

    In the twin a batch in doubt has not arrived, so COMMIT loses its messages. A real partner may
    have received them, so BACKOUT would send them twice: the error log warns of that (AMQ9507). The
    command is refused if nothing is in doubt or the channel runs [memory, unverified].
    """
    name, action = channel.name, command.option("ACTION")
    if action is None:
        return refused("AMQ8421")
    if channel_status.status_of(qmgr, name, draft.at) == "RUNNING":
        return refused("AMQ9514", name)
    count = qmgr.messaging.in_doubt.get(name, 0)
    if not count:
        return refused("AMQ9533", name)
    settled = events.ChannelBatchInDoubt(qmgr=qmgr.name, channel=name, count=0)
    if action == "COMMIT":
        for queue, lost in stopping.first_messages(qmgr, name, count):
            draft.emit(
                events.MessagesLost(
                    qmgr=qmgr.name, queue=queue, count=lost, why="resolved", channel=name
                )
            )
        draft.emit(settled)
    else:
        with put_times.eligibility_changing(draft, qmgr, name):
            draft.emit(settled)
    draft.emit(events.ErrorLogged(qmgr=qmgr.name, id=IN_DOUBT, inserts=(name, action, str(count))))
    return done("AMQ8025")


@_of_channel
def reset(draft: Draft, qmgr: QueueManager, _command: ReadCommand, channel: _Channel) -> Reply:
    """Reset a channel's sequence number, of which the twin keeps only that the ends disagree.

    Then the next retry is the first that may succeed. The command is refused while the channel runs
    or a batch is in doubt (reason code 4025).
    """
    if channel_status.status_of(qmgr, channel.name, draft.at) == "RUNNING":
        return refused("AMQ9514", channel.name)
    if qmgr.has_messaging and channel.name in qmgr.messaging.in_doubt:
        return refused(IN_DOUBT, channel.name)
    state = qmgr.activity.channels.get(channel.name)
    partner = draft.estate.qmgrs.get(state.partner) if state is not None else None
    if state and partner and logged.is_out_of_sequence(qmgr, channel.name, partner):
        draft.emit(events.ChannelSequenceReset(qmgr=qmgr.name, channel=channel.name))
        retrying.await_retry(draft, qmgr, channel.name, state)
    return done("AMQ8023")


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
