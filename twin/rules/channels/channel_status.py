"""The status of a sending channel, whether the channel can be used, and its outcomes.

The disconnect interval: a channel becomes INACTIVE if it sends no message for that time.

Source: IBM MQ 9.4, "DEFINE CHANNEL", DISCINT; the error log of such a channel (AMQ9545). The twin
does not record that a channel has disconnected: it follows from the instant at which messages were
last sent (decision 13). Repository commands pass over a disconnected channel without starting it,
and do not keep a channel running [a simplification].
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from twin.events import Parcel
from twin.fold.estate import DISCINT, ChannelState, Estate, QueueManager
from twin.model.attributes import Value
from twin.model.instants import SECOND, Instant
from twin.model.objects import UNCLUSTERED
from twin.rules import standing
from twin.rules.channels import reaching
from twin.rules.draft import ChannelOutcome, Draft
from twin.rules.queues import left_clusters, transmission_queues


def status_of(qmgr: QueueManager, channel: str, at: Instant) -> str:
    """Return the status of a channel at an instant, as DISPLAY CHSTATUS writes it."""
    state = current_state(qmgr, channel, at)
    return state.status if state is not None else "INACTIVE"


def is_usable(draft: Draft, sender: QueueManager, channel: str, target: QueueManager) -> bool:
    """Return whether a channel runs, or would run if it were started now."""
    state = sender.activity.channels.get(channel)
    if state is not None and state.partner == target.name:
        if state.status != "RUNNING":
            return False
        if not is_idle(sender, channel, state, draft.at):
            return True
    return (state is None or state.status != "STOPPED") and reaching.can_reach(
        draft, sender, channel, target.name
    )


def carries_while_idle(draft: Draft, sender: QueueManager, channel: str, target: str) -> bool:
    """Return whether a channel has disconnected and still carries repository commands."""
    state = sender.activity.channels.get(channel)
    return (
        state is not None
        and state.partner == target
        and is_idle(sender, channel, state, draft.at)
        and reaching.can_reach(draft, sender, channel, target)
    )


def note_outcome(draft: Draft, qmgr: QueueManager, channel: str, outcome: ChannelOutcome) -> None:
    """Note what happened to a channel, if any messages at its queue manager are waiting."""
    if qmgr.name in draft.estate.qmgrs_with_waiting_messages:
        draft.channel_outcomes.pop((qmgr.name, channel), None)
        draft.channel_outcomes[qmgr.name, channel] = outcome


def interval(attributes: Mapping[str, Value]) -> Instant | None:
    """Return the disconnect interval of a channel in microseconds; None if it is the default.

    0 means that the channel never disconnects.
    """
    microseconds = int(str(attributes.get("DISCINT", DISCINT // SECOND))) * SECOND
    return None if microseconds == DISCINT else microseconds


def current_state(qmgr: QueueManager, channel: str, at: Instant) -> ChannelState | None:
    """Return the state of a channel at an instant; None if it is INACTIVE."""
    state = qmgr.activity.channels.get(channel)
    return None if state is None or is_idle(qmgr, channel, state, at) else state


def is_idle(qmgr: QueueManager, channel: str, state: ChannelState, at: Instant) -> bool:
    """Return whether a channel that ran has disconnected by the instant `at`.

    It did not disconnect if a message was waiting for it, held back or in doubt, when its interval
    ended. Messages that were put later make no difference. A status that was seen stands.
    """
    ends = state.ends
    if ends is None or at < ends or standing.stands(qmgr, channel):
        return False
    return not _waits(qmgr, channel, ends)


def is_over(state: ChannelState | None, at: Instant) -> bool:
    """Return whether a running channel sent nothing on record for its disconnect interval."""
    return state is not None and state.ends is not None and at >= state.ends


def disconnected_at(qmgr: QueueManager, channel: str, at: Instant) -> Instant | None:
    """Return when a channel disconnected; None if it is not disconnected at the instant `at`."""
    state = qmgr.activity.channels.get(channel)
    return state.ends if state is not None and is_idle(qmgr, channel, state, at) else None


def state_for_receiver(
    estate: Estate, sender: QueueManager, channel: str, at: Instant
) -> ChannelState | None:
    """Return the state of another queue manager's channel, as seen by the receiving end.

    Return None if it is INACTIVE. Waiting messages are checked only at senders that hold channels.
    """
    if sender.name in estate.qmgrs_holding_channels:
        return current_state(sender, channel, at)
    state = sender.activity.channels.get(channel)
    ends = state.ends if state is not None else None
    if ends is None or at < ends or standing.stands(sender, channel):
        return state
    return None


def _waits(qmgr: QueueManager, channel: str, before: Instant) -> bool:
    """Return whether a message that was put before an instant waits for a channel.

    Messages on the old queue of a switch that has stopped do not count: the channel gets none of
    them. Nor do those for a cluster that the queue manager has left.
    """
    if not qmgr.has_messaging or left_clusters.left_cluster(qmgr, channel):
        return False
    switch = qmgr.messaging.switching.get(channel)
    if switch is not None and switch.stopped:
        waiting = iter(qmgr.messaging.waiting.get(switch.to, {}).get(channel, ()))
    else:
        waiting = waiting_messages(qmgr, channel)
    return any(parcel.at < before for parcel in waiting)


def waiting_messages(qmgr: QueueManager, channel: str) -> Iterator[Parcel]:
    """Yield the messages that a channel would send next, in order.

    Messages on a queue that the channel no longer gets from are left out.
    """
    messaging = qmgr.messaging
    definition = qmgr.definitions.get(("CHANNEL", channel))
    if definition is None or definition.type not in UNCLUSTERED:
        yield from (parcel for _, parcel in transmission_queues.waiting(qmgr, channel))
        return
    for queue, label in sources(qmgr, channel):
        yield from messaging.waiting[queue][label] if label else messaging.local[queue]


def sources(qmgr: QueueManager, channel: str) -> list[tuple[str, str]]:
    """Return which messages on which queue a channel gets, as (transmission queue, label) pairs.

    The label of a message is the name of its cluster-sender channel, or '' if it has none. A
    cluster-sender channel gets the messages labelled with its own name. An SDR or SVR gets all
    messages on its queue; altering XMITQ moves no message (IBM MQ 9.4, "Working with cluster
    transmission queues and cluster-sender channels").
    """
    messaging = qmgr.messaging
    definition = qmgr.definitions.get(("CHANNEL", channel))
    if definition is None or definition.type not in UNCLUSTERED:
        return [(transmission_queues.queues(qmgr, channel)[0], channel)]
    queue = transmission_queues.queue_of(qmgr, channel)
    labels = [*messaging.waiting.get(queue, ()), *([""] if queue in messaging.local else [])]
    return [(queue, label) for label in labels]
