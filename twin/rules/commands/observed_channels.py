"""Channels whose status was observed, and channels that are held.

From an observed status the twin derives the steps that led to it, at the instant of the
observation. A running channel that is observed RETRYING has failed; one that is observed STOPPED
was stopped. Then its messages are rerouted.

The retries of a channel that is observed RETRYING run from then on, and recover it if its partner
is reachable. A channel that is held stays down until it is released. At an observed queue manager a
status stands until the next observation (`twin.rules.standing`): if the channel can carry again,
what waited for it is sent.

Sources: IBM MQ 9.1, "DISPLAY CHSTATUS" (INDOUBT, CURMSGS); IBM MQ, "What happens when a queue
manager fails?" (messages in doubt stay; nonpersistent messages on a fast channel may be lost).
"""

from __future__ import annotations

from typing import Final

from twin.events import (
    ChannelBatchInDoubt,
    ChannelObserved,
    ChannelReleased,
    ChannelsListed,
    ChannelStatusChanged,
    MessagesAtRisk,
)
from twin.fold.estate import QueueManager
from twin.fold.parcels import count_of
from twin.model.messages import CLOSED, HOST_NOT_AVAILABLE
from twin.model.names import generic
from twin.model.objects import RECEIVING, SENDING
from twin.rules import reachability, standing
from twin.rules.channels import (
    channel_status,
    retrying,
    starting,
    stopping,
    switching,
)
from twin.rules.draft import Draft
from twin.rules.messages import outbound
from twin.rules.path import partners
from twin.rules.queues import put_times, transmission_queues
from twin.rules.repository import connecting
from twin.rules.workload import counters

BATCH: Final = 50
"""The default of BATCHSZ: the number of messages in doubt if no number was observed [inferred]."""

_NOT_SENDING: Final = frozenset({"RETRYING", "STOPPED"})


def observed(draft: Draft, qmgr: QueueManager, observation: ChannelObserved) -> None:
    """Apply an observation of a channel.

    The observed batch is the batch that the channel had when it failed or stopped, or has now. An
    observation at a queue manager that has ended has no consequences. Neither has one of a single
    instance, unless the channel is known here to send, or a receiver is STOPPED: a receiver has an
    instance for each partner, and a log may name channels before their definitions are known.
    """
    if not qmgr.running:
        return
    channel, kind, status = observation.channel, observation.kind or "", observation.status
    if qmgr.channels.get(channel, kind) in RECEIVING:
        _receiving_seen(draft, qmgr, observation)
        return
    if observation.instance is not None and not _sends(qmgr, channel, kind):
        return
    if standing.is_outranked(qmgr, channel, status, draft.at):
        status = None
    before = channel_status.status_of(qmgr, channel, draft.at)
    if status is not None and status not in _NOT_SENDING:
        _sending_status(draft, qmgr, channel, before, status)
    if observation.indoubt is not None:
        _in_doubt(draft, qmgr, channel, observation.curmsgs if observation.indoubt else 0)
    if observation.sent is not None and before not in _NOT_SENDING:
        _at_risk(draft, qmgr, channel, observation.sent)
    if status in _NOT_SENDING:
        _sending_status(draft, qmgr, channel, before, status)


def listed(draft: Draft, qmgr: QueueManager, observation: ChannelsListed) -> None:
    """End the channels that send, and release stopped receivers, that a full answer lacks."""
    if not qmgr.running:
        return
    for channel in sorted(qmgr.activity.channels):
        before = channel_status.status_of(qmgr, channel, draft.at)
        if (
            channel in observation.shown
            or not generic(observation.complete, channel)
            or before == "INACTIVE"
        ):
            continue
        if _sends(qmgr, channel):
            _sending_status(draft, qmgr, channel, before, "INACTIVE")
        else:
            _stops_or_starts(draft, qmgr, channel)


def recall(draft: Draft, qmgr: QueueManager) -> None:
    """Bring channels to the status that was seen of them before they were known."""
    if not qmgr.is_only_observed or not qmgr.running:
        return
    active = qmgr.activity.channels if qmgr.activity.seen.lists else ()
    for channel in sorted({*qmgr.activity.seen.channels, *active}):
        seen = standing.seen_status(qmgr, channel)
        before = channel_status.status_of(qmgr, channel, draft.at)
        if seen is None or seen.status == before:
            continue
        if _sends(qmgr, channel, seen.kind):
            _sending_status(draft, qmgr, channel, before, seen.status)
        elif seen.status == "STOPPED" and qmgr.channels.get(channel) in RECEIVING:
            _receiving_status(draft, qmgr, channel, seen.status)


def _sends(qmgr: QueueManager, channel: str, kind: str = "") -> bool:
    """Return whether a queue manager is known to have a channel, and to send over it.

    The type that was shown counts where nothing else is known of the channel.
    """
    channel_type = qmgr.channels.get(channel, kind)
    return channel_type in SENDING or (
        not channel_type and channel in switching.cluster_senders(qmgr)
    )


def _receiving_seen(draft: Draft, qmgr: QueueManager, observation: ChannelObserved) -> None:
    """Apply an observation of a receiving end, or of one of its instances."""
    if observation.instance is not None:
        _stops_or_starts(draft, qmgr, observation.channel)
    elif observation.status is not None:
        _receiving_status(draft, qmgr, observation.channel, observation.status)


def _stops_or_starts(draft: Draft, qmgr: QueueManager, channel: str) -> None:
    """Stop a receiving end that was last seen STOPPED; release one that was seen to run since.

    STOPPED is the status of the channel, not of one instance: until START CHANNEL, no partner can
    start one (IBM MQ 9.1, "Stopping a channel"). Of what was seen at one instant, STOPPED counts.
    """
    seen = qmgr.activity.seen.of_channel(channel)
    if seen is None:
        return
    if seen.status == "STOPPED":
        _receiving_status(draft, qmgr, channel, seen.status)
    elif channel_status.status_of(qmgr, channel, draft.at) == "STOPPED":
        _receiving_status(draft, qmgr, channel, "INACTIVE")


def _receiving_status(draft: Draft, qmgr: QueueManager, channel: str, status: str) -> None:
    """Record the status of a receiving end; if it stopped, the channels of its partners fail."""
    definition = qmgr.definitions.get(("CHANNEL", channel))
    if definition is None or channel_status.status_of(qmgr, channel, draft.at) == status:
        return
    counters.status_changes(draft, qmgr, channel, status)
    interval = channel_status.interval(definition.values) if status == "RUNNING" else None
    draft.emit(
        ChannelStatusChanged(qmgr=qmgr.name, channel=channel, status=status, discint=interval)
    )
    if status == "STOPPED":
        reachability.fail_channels_to(draft, qmgr, channel=channel, reason=CLOSED)
    else:
        reachability.await_retries(draft, qmgr)


def _sending_status(
    draft: Draft, qmgr: QueueManager, channel: str, before: str, status: str
) -> None:
    """Carry out the steps that brought a channel to its observed status.

    Its partner is the queue manager that was seen at its other end, if that is in the twin.
    A channel that was seen RUNNING before its partner was known has a partner as soon as it is seen
    again. One that is seen RUNNING after its disconnect interval has sent something meanwhile, or
    has started again: on a branch, that interval begins again.
    """
    state = qmgr.activity.channels.get(channel)
    seen = qmgr.activity.seen.channels.get(channel) if qmgr.observed else None
    partner = seen.partner if seen is not None and seen.partner in draft.estate.qmgrs else ""
    partner = partner or (state.partner if state is not None else "")
    partner = partner or partners.leads_to(draft.estate, qmgr, channel)
    found_partner = state is not None and partner != state.partner and status == "RUNNING"
    goes_on = status == "RUNNING" and channel_status.is_over(state, draft.at)
    if before == status and not (found_partner or goes_on):
        return
    match status:
        case "RUNNING":
            starting.run(draft, qmgr, channel, partner)
        case "RETRYING":
            put_times.record(draft, qmgr, channel)
            stopping.lose_at_risk(draft, qmgr, channel)
            retrying.retry_later(
                draft, qmgr, channel, partner, reason=HOST_NOT_AVAILABLE, observed=True
            )
            _await_recovery(draft, qmgr, channel)
        case "STOPPED":
            stopping.stop(draft, qmgr, channel, status=status, mode="QUIESCE")
        case _:
            counters.status_changes(draft, qmgr, channel, status)
            put_times.record(draft, qmgr, channel)
            draft.emit(
                ChannelStatusChanged(
                    qmgr=qmgr.name, channel=channel, status=status, partner=partner
                )
            )
            starting.start_for_waiting(draft, qmgr, channel)
    carried = before in standing.CARRIES
    if status in standing.CARRIES and not carried and standing.stands(qmgr, channel):
        connecting.reconnect(draft, qmgr, channel, partner)


def _await_recovery(draft: Draft, qmgr: QueueManager, channel: str) -> None:
    """Put the next retry of a channel on the agenda if its failure was observed and it can recover.

    Decided here: the observation does not say why the channel failed. Unless the twin knows of a
    reason that lasts (the partner is down, the link is cut, the channel is held), the next retry
    finds the partner.
    """
    state = qmgr.activity.channels.get(channel)
    if (
        state is not None
        and state.observed
        and not qmgr.observed
        and channel not in qmgr.messaging.held
        and channel_status.can_reach(draft, qmgr, channel, state.partner)
    ):
        retrying.await_retry(draft, qmgr, channel, state)


def _in_doubt(draft: Draft, qmgr: QueueManager, channel: str, count: int | None) -> None:
    """Record how many messages are in doubt; if the number drops to 0, they were confirmed."""
    before = qmgr.messaging.in_doubt.get(channel, 0)
    waiting = count_of(parcel for _, parcel in transmission_queues.waiting(qmgr, channel))
    in_doubt = max(0, min(before or BATCH if count is None else count, waiting))
    if in_doubt == before:
        return
    with put_times.eligibility_changing(draft, qmgr, channel):
        draft.emit(ChannelBatchInDoubt(qmgr=qmgr.name, channel=channel, count=in_doubt))
    if not in_doubt:
        outbound.confirm(draft, qmgr, channel, before)
        channel_status.note_outcome(draft, qmgr, channel, "ran")


def _at_risk(draft: Draft, qmgr: QueueManager, channel: str, count: int) -> None:
    """Record how many messages a fast channel has sent outside syncpoint.

    If the number drops to 0, they arrived. With NPMSPEED(NORMAL) it is always 0.
    """
    before = qmgr.messaging.at_risk.get(channel, 0)
    if before and not count:
        outbound.finish_batch(draft, stopping.BatchEnding(qmgr, channel))
        return
    partner = partners.leads_to(draft.estate, qmgr, channel)
    if channel_status.attributes_of(draft, qmgr, channel, partner).get("NPMSPEED") == "NORMAL":
        return
    at_risk = sum(
        number
        for _, number in stopping.first_messages(qmgr, channel, count, only_nonpersistent=True)
    )
    if at_risk != before:
        draft.emit(MessagesAtRisk(qmgr=qmgr.name, channel=channel, count=at_risk))


def released(draft: Draft, qmgr: QueueManager, primary: ChannelReleased) -> None:
    """Release a held channel, or its switch, and send what waits for it.

    A channel that the hold kept down recovers at its next retry. A switch goes on if the channel is
    started. If it has stopped, releasing the channel is not enough, unless that makes space.
    """
    if not qmgr.running:
        return
    channel = primary.channel
    _await_recovery(draft, qmgr, channel)
    if (
        channel in qmgr.messaging.switching
        and not switching.awaited(qmgr, channel)
        and (primary.switch or not switching.stopped(qmgr, channel))
        and channel_status.status_of(qmgr, channel, draft.at) not in {"INACTIVE", "STOPPED"}
    ):
        switching.resume(draft, qmgr, channel)
        outbound.portion_moved(draft, qmgr, channel)
    outbound.resume(draft, qmgr, channel)
