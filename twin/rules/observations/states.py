"""What follows from the observed states of queue managers, channels and clusters.

The status of a channel also implies that its sending end holds a record of the other end.

An observation at a queue manager that is not known at its instant has no consequences then. If the
queue manager becomes known by an observation of an earlier instant that comes in late, what follows
is derived again. If it becomes known later, the latest observation of each state counts then
(`twin.fold.seen_before`).

Sources: IBM MQ, messages AMQ8003, AMQ8004, AMQ9442 to AMQ9444 and AMQ7341; what follows is that of
the command that does the same.

A queue manager makes a cluster channel from a record of its target, and runs a manual one with the
record once the target has answered. So a current status of a CLUSSDR whose target is known implies
the record at the sending end, and a status of a CLUSRCVR implies one at the partner that it names.
Nobody is said to have sent such a record (its source is ''): nothing in the twin says how it came
there. SAVED rows imply only that the channel ran once. A complete answer to DISPLAY CLUSQMGR of the
same instant is more direct: a record that it lacks is not held.

Sources: IBM MQ 9.x, "How cluster channels are defined"; DISPLAY CHSTATUS (RQMNAME).
"""

from __future__ import annotations

from typing import Final

from twin.events import (
    ChannelObserved,
    ChannelsListed,
    ClusterCommandObserved,
    InformationReceived,
    Item,
    ListenersObserved,
    ListenerStarted,
    ListenerStopped,
    QueueManagerResumed,
    QueueManagerStatusObserved,
    QueueManagerSuspended,
    RepositoryManagerFailed,
    RepositoryManagerObserved,
    SuspensionObserved,
    TransmissionQueueObserved,
    TransmissionQueueSwitched,
)
from twin.events.logged import FAILED_PUTS
from twin.fold.estate import NEVER_CONFIRMED, QueueManager
from twin.model.instants import MINUTE, Instant
from twin.model.names import generic
from twin.rules import (
    assumptions,
    membership,
    reachability,
    repository_manager,
    standing,
)
from twin.rules.channels.switching import cluster_senders
from twin.rules.commands import cluster_commands, control, observed_channels
from twin.rules.draft import Draft
from twin.rules.observations import publication_dates
from twin.rules.queues import transmission_queues
from twin.rules.queues.local_queues import Refusal
from twin.rules.repository import publication

_JUST: Final = MINUTE
"""How long before a repository manager says that it fails the record is that says why."""


def queue_manager(draft: Draft, qmgr: QueueManager, observed: QueueManagerStatusObserved) -> None:
    """Start or end a queue manager that was observed in the other state.

    One that has started since its repository manager failed has forgotten that.
    """
    if observed.status == "RUNNING" and not qmgr.running:
        control.start(draft, qmgr)
        assumptions.bring_up_to_date(draft, qmgr)
    elif observed.status == "ENDED" and qmgr.running:
        repository_manager.end(draft, qmgr)
    elif (
        (trouble := qmgr.repository.trouble if qmgr.cluster_queues_changed else None) is not None
        and trouble.seen
        and trouble.since < (draft.at if observed.restarted else observed.started or 0)
    ):
        repository_manager.work_again(draft, qmgr)


def channel(draft: Draft, qmgr: QueueManager, observed: ChannelObserved) -> None:
    """Apply an observation of a channel; a queue manager where an instance runs has started."""
    if observed.instance is not None and observed.status == "RUNNING":
        _has_started(draft, qmgr)
    observed_channels.observed(draft, qmgr, observed)
    of_channel(draft, qmgr, observed)


def listed(draft: Draft, qmgr: QueueManager, observed: ChannelsListed) -> None:
    """Apply a list of channels; a queue manager that answers has started."""
    _has_started(draft, qmgr)
    observed_channels.listed(draft, qmgr, observed)


def _has_started(draft: Draft, qmgr: QueueManager) -> None:
    """Start an observed queue manager that had ended: its start was not observed.

    Logs rotate, so the record of a start may be missing. Without this, nothing that is observed of
    the queue manager later would count.
    """
    if qmgr.observed and not qmgr.running:
        control.start(draft, qmgr)


def suspension(draft: Draft, qmgr: QueueManager, observed: SuspensionObserved) -> None:
    """Suspend a queue manager from a cluster that it has joined, or resume it."""
    cluster = observed.cluster
    if not qmgr.running or observed.suspended == (cluster in qmgr.suspended):
        return
    if not observed.suspended:
        draft.emit(QueueManagerResumed(qmgr=qmgr.name, cluster=cluster))
    elif cluster in membership.clusters_joined(qmgr):
        draft.emit(QueueManagerSuspended(qmgr=qmgr.name, cluster=cluster))
    else:
        return
    publication.publish_changes(draft, qmgr, only=None)
    publication_dates.date(draft, qmgr)
    reachability.await_retries(draft, qmgr)


def repository(draft: Draft, qmgr: QueueManager, observed: RepositoryManagerObserved) -> None:
    """Let a repository manager fail as its error log says, or work again.

    What failed is in the record before. Since when it fails may have been seen before the queue
    manager was known.
    """
    if not qmgr.running:
        return
    failing = qmgr.activity.seen.failing.get(qmgr.name)
    if observed.running or failing is None:
        repository_manager.work_again(draft, qmgr)
    elif failing.ends is None or failing.ends > draft.at:  # else it answered after its end
        refused = _failed_put(qmgr, failing.at)
        draft.emit(
            RepositoryManagerFailed(
                qmgr=qmgr.name,
                queue=refused.queue,
                reason=refused.reason,
                after=None if failing.ends is None else observed.after,
                left=None if failing.ends is None else failing.ends - draft.at,
                seen=True,
            )
        )


def _failed_put(qmgr: QueueManager, at: Instant) -> Refusal:
    """Return the put of a repository manager that its error log says failed just before."""
    records = [
        each
        for each in qmgr.activity.seen.records.values()
        if each.id in FAILED_PUTS and at - _JUST <= each.at <= at
    ]
    inserts = max(records).inserts if records else ()
    codes = [int(each) for each in inserts if each.isdecimal()]
    names = [each for each in inserts if not each.isdecimal() and each != qmgr.name]
    return Refusal(next(iter(codes), 0), next(iter(names), ""))


def listeners(draft: Draft, qmgr: QueueManager, observed: ListenersObserved) -> None:
    """Start the listeners that were observed to run, and stop the others of a complete answer."""
    _has_started(draft, qmgr)
    running = qmgr.activity.listeners
    for name in observed.running:
        if qmgr.running and name not in running:
            draft.emit(ListenerStarted(qmgr=qmgr.name, listener=name))
    pattern = observed.complete
    for name in sorted(running) if pattern is not None else ():
        if name not in observed.running and generic(pattern or "", name):
            draft.emit(ListenerStopped(qmgr=qmgr.name, listener=name))


def cluster_command(draft: Draft, qmgr: QueueManager, observed: ClusterCommandObserved) -> None:
    """Refresh a cluster where the error log says that this was done; nothing else follows."""
    if (
        observed.done
        and observed.command == "REFRESH"
        and qmgr.running
        and observed.cluster in membership.clusters_joined(qmgr)
    ):
        cluster_commands.refresh_one(draft, qmgr, observed.cluster)
        assumptions.bring_up_to_date(draft, qmgr)


def transmission_queue(
    draft: Draft, qmgr: QueueManager, observed: TransmissionQueueObserved
) -> None:
    """Assign a cluster-sender channel to another queue, if it is a transmission queue.

    If the twin has messages waiting for the channel, it switches when the channel starts.
    """
    channel, queue = observed.channel, observed.queue
    if (
        qmgr.running
        and (defined := qmgr.definitions.get(("QUEUE", queue))) is not None
        and defined.is_transmission_queue
        and channel in cluster_senders(qmgr)
        and transmission_queues.in_use(qmgr, channel) != queue
        and not (qmgr.has_messaging and qmgr.messaging.waits_for(channel))
    ):
        draft.emit(TransmissionQueueSwitched(qmgr=qmgr.name, channel=channel, queue=queue))


def of_channel(draft: Draft, qmgr: QueueManager, observed: ChannelObserved) -> None:
    """Derive the record that a status which was just seen implies, if it is missing."""
    if observed.status in {None, "INACTIVE"} or not observed.partner:
        return
    partner = draft.estate.qmgrs.get(observed.partner)
    kind = qmgr.channels.get(observed.channel, observed.kind)
    if partner is not None and kind == "CLUSSDR":
        _holds(draft, qmgr, observed.channel, partner)
    elif partner is not None and kind == "CLUSRCVR":
        _holds(draft, partner, observed.channel, qmgr)


def of_new(draft: Draft, owner: QueueManager) -> None:
    """Derive the records of a queue manager that just became known: others were seen to send to it.

    The name of its CLUSRCVR is that of their channels.
    """
    for name in [name for name, kind in owner.channels.items() if kind == "CLUSRCVR"]:
        for _, holder in sorted(draft.estate.qmgrs.items()):
            seen = standing.seen_status(holder, name)
            if seen is not None and seen.partner == owner.name and seen.status != "INACTIVE":
                _holds(draft, holder, name, owner)


def _holds(draft: Draft, holder: QueueManager, channel: str, owner: QueueManager) -> None:
    """Let a queue manager hold the record of a CLUSRCVR of another, as that published it last."""
    receiver = owner.definitions.get(("CHANNEL", channel))
    if not holder.is_only_observed or not holder.running or holder is owner or receiver is None:
        return
    confirmed = holder.confirmed.get("qmgr", NEVER_CONFIRMED)
    if confirmed.complete and confirmed.at == draft.at:
        return
    joined = membership.clusters_joined(holder)
    for cluster in membership.clusters(owner, receiver):
        held = owner.qmid in holder.repository.instances(cluster, "qmgr", channel)
        key = ("qmgr", channel)
        sequences = (
            each.sequence
            for each in reversed(owner.published.values())
            if each.cluster == cluster and key in each.records and not each.records[key].deleted
        )
        if cluster in joined and not held and (sequence := next(sequences, None)) is not None:
            item = Item(owner=owner.qmid, sequence=sequence, only=(key,))
            draft.emit(
                InformationReceived(qmgr=holder.name, sender="", cluster=cluster, items=(item,))
            )
