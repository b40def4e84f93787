"""The disconnect interval: a channel that nothing goes over for so long is INACTIVE.

Source: IBM MQ 9.4, "DEFINE CHANNEL", DISCINT; the error log of a channel that does so (AMQ9545).
It follows from when messages last went over it, and is recorded nowhere (decision 13). Repository
commands pass over a channel that has disconnected and do not keep it [a simplification].
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from twin.events import Parcel
from twin.fold.estate import DISCINT, ChannelState, Estate, QueueManager
from twin.model.attributes import Value
from twin.model.channel_types import UNCLUSTERED
from twin.model.instants import SECOND, Instant
from twin.model.objects import text_of
from twin.rules.queues import transmission_queues


def interval(attributes: Mapping[str, Value]) -> Instant | None:
    """Read the disconnect interval of a channel, in microseconds; None where it is the usual one.

    0 means that it never disconnects.
    """
    found = int(str(attributes.get("DISCINT", DISCINT // SECOND))) * SECOND
    return None if found == DISCINT else found


def current_state(qmgr: QueueManager, channel: str, at: Instant) -> ChannelState | None:
    """Return how a channel is at an instant, None where it is inactive."""
    state = qmgr.activity.channels.get(channel)
    return None if state is None or is_idle(qmgr, channel, state, at) else state


def is_idle(qmgr: QueueManager, channel: str, state: ChannelState, at: Instant) -> bool:
    """Say whether a channel that ran has disconnected by an instant.

    What waited for it as its interval ended, because it is held back or in doubt, kept it running;
    what came for it since has not.
    """
    ends = state.ends
    return ends is not None and at >= ends and not _waits(qmgr, channel, ends)


def disconnected_at(qmgr: QueueManager, channel: str, at: Instant) -> Instant | None:
    """Return when a channel disconnected that has been idle since; None where none has."""
    state = qmgr.activity.channels.get(channel)
    return state.ends if state is not None and is_idle(qmgr, channel, state, at) else None


def state_for_receiver(
    estate: Estate, sender: QueueManager, channel: str, at: Instant
) -> ChannelState | None:
    """Return how a channel of somebody else is, as its receiving end sees it; None for inactive.

    Only of who holds messages back it is looked at what waits there.
    """
    if sender.name in estate.qmgrs_holding_channels:
        return current_state(sender, channel, at)
    state = sender.activity.channels.get(channel)
    ends = state.ends if state is not None else None
    return None if ends is not None and at >= ends else state


def _waits(qmgr: QueueManager, channel: str, before: Instant) -> bool:
    """Say whether any message waits for a channel that came for it before an instant."""
    return qmgr.has_messaging and any(
        parcel.at < before for parcel in waiting_messages(qmgr, channel)
    )


def waiting_messages(qmgr: QueueManager, channel: str) -> Iterator[Parcel]:
    """Go through what a channel would take as it goes on, first things first.

    What was left on a queue that it has no more is not for it to take.
    """
    messaging = qmgr.messaging
    definition = qmgr.definitions.get(("CHANNEL", channel))
    if definition is None or definition.type not in UNCLUSTERED:
        yield from (parcel for _, parcel in transmission_queues.waiting(qmgr, channel))
        return
    for queue, label in sources(qmgr, channel):
        yield from messaging.waiting[queue][label] if label else messaging.local[queue]


def sources(qmgr: QueueManager, channel: str) -> list[tuple[str, str]]:
    """Name the transmission queue a channel gets from, and whose messages it takes there.

    A cluster-sender channel takes its own, an SDR or SVR whatever is on its XMITQ: altering that
    moves nothing (IBM MQ 9.4, "Working with cluster transmission queues and cluster-sender
    channels").
    """
    messaging = qmgr.messaging
    definition = qmgr.definitions.get(("CHANNEL", channel))
    if definition is None or definition.type not in UNCLUSTERED:
        return [(transmission_queues.queues(qmgr, channel)[0], channel)]
    queue = text_of(definition, "XMITQ")
    labels = [*messaging.waiting.get(queue, ()), *([""] if queue in messaging.local else [])]
    return [(queue, label) for label in labels]
