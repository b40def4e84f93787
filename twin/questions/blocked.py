"""Why messages stay on their transmission queue: what blocks their channel.

Source: IBM MQ 8.0, "STOP CHANNEL" (a message starts a channel that is INACTIVE, and none that is
STOPPED); IBM MQ 9.1, "Short retry interval" (one that is RETRYING is tried again in its own time).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from typing import Final, NamedTuple

from twin.events import Parcel
from twin.fold.estate import NEVER_CONFIRMED, ChannelState, Estate, QueueManager
from twin.fold.messaging import Switch
from twin.fold.seen_retries import retries_of
from twin.model.instants import Instant, format_instant
from twin.model.reasons import reason_name
from twin.questions.sender_channels import messaging_of
from twin.rules import membership
from twin.rules.channels import (
    channel_status,
    command_queue,
    silence,
    starting,
    switching,
)
from twin.rules.queues import left_clusters, transmission_queues
from twin.rules.repository import answers

_FREE: Final = ("INACTIVE", "RUNNING")

_GONE: Final = "no longer exists: no message, START CHANNEL (AMQ8227) or retry starts it"


class ChannelBlock(NamedTuple):
    """A channel that messages wait for: its status, its next retry, and what else blocks it."""

    channel: str
    status: str
    next_retry: Instant | None = None
    why: str = ""

    def __str__(self) -> str:
        """Return why messages wait for it."""
        if not self.channel:
            return self.why
        again = f", next retry {format_instant(self.next_retry)}" if self.next_retry else ""
        return f"{self.channel} {self.why or f'is {self.status}'}{again}"


NO_CHANNEL: Final = ChannelBlock("", "", why="no channel gets messages from it")
"""What blocks messages on a transmission queue that belongs to no channel."""


class BlockedMessages(NamedTuple):
    """Messages that wait on one transmission queue for the same reason.

    Attributes:
        queue: the transmission queue.
        messages: the number of messages.
        block: the channel they wait for.
        on: the queue manager.
        to: the QMID of their destination; '' if they leave the clusters.
        redirected: whether this queue manager could not put them and sends them on.
        returned: the reason code with which the other end of the channel returned them; else 0.
    """

    queue: str
    messages: int
    block: ChannelBlock
    on: str = ""
    to: str = ""
    redirected: bool = False
    returned: int = 0

    def __str__(self) -> str:
        """Return why they wait."""
        if not self.returned:
            return str(self.block)
        return f"{self.block} (returned with {self.returned} {reason_name(self.returned)})"


def channel_block(
    qmgr: QueueManager,
    channel: str,
    at: Instant,
    *,
    queue: str = "",
    estate: Estate | None = None,
) -> ChannelBlock:
    """Return the status of a channel at an instant, and what else blocks it.

    With `queue`, this is for messages on that transmission queue; without it, for new ones. Only
    with the whole `estate` is it known whether its partner waits for full repositories.
    """
    state, messaging = channel_status.current_state(qmgr, channel, at), messaging_of(qmgr)
    status = silence.shown(state, at).status if state is not None else "INACTIVE"
    retry = None
    if state is not None and state.status == "RETRYING":
        retry = retries_of(qmgr, channel, state).next_after(state.since, at)
    why = ""
    if is_gone(qmgr, channel):
        why = _GONE
    elif left := left_clusters.left_cluster(qmgr, channel):
        why = f"leads into {left}, which {qmgr.name} has left"
    elif status in _FREE and channel in messaging.held:
        why = "is held back"
    elif status in _FREE and channel in messaging.in_doubt:
        why = "has a batch in doubt"
    elif state is not None and command_queue.is_held_up(qmgr, channel):
        why = f"is held up by {state.partner}, which cannot put on its command queue"
    elif status in _FREE and (inhibited := starting.inhibited_queue(qmgr, channel)):
        why = f"gets from {inhibited}, which is GET(DISABLED)"
    elif switch := _in_the_way(qmgr, channel, status, queue):
        stage = _stage(qmgr, channel, switch)
        why = f"gets from {switch.to}, and its switch from {switch.queue} {stage}"
    elif state is not None and estate is not None and _is_held_up(estate, qmgr, channel, state):
        why = f"is held up by {state.partner}, which waits for its full repositories"
    return ChannelBlock(channel, status, retry, why)


def is_gone(qmgr: QueueManager, channel: str) -> bool:
    """Return whether messages wait for a channel that has no status, definition or record left.

    At an observed queue manager the record may only not have been seen: then it is not known.
    """
    records = qmgr.confirmed.get("qmgr", NEVER_CONFIRMED)
    return (
        messaging_of(qmgr).waits_for(channel)
        and channel not in qmgr.activity.channels
        and (not qmgr.observed or bool(records.complete))
        and not membership.knows_channel(qmgr, channel)
    )


def _in_the_way(qmgr: QueueManager, channel: str, status: str, queue: str) -> Switch | None:
    """Return the switch of a channel if it keeps messages on a queue; '' for new messages."""
    switch = messaging_of(qmgr).switching.get(channel)
    if switch is None or queue not in ("", switch.queue):
        return None
    stuck = status in _FREE and switching.is_stuck(qmgr, channel)
    return switch if status == "RUNNING" or stuck else None


def _stage(qmgr: QueueManager, channel: str, switch: Switch) -> str:
    reason, going = switch.stopped, switching.awaited(qmgr, channel)
    if going is not None:
        return f"moves the next messages at {format_instant(going.at)}"
    return f"stopped with {reason} {reason_name(reason)}" if reason else "has not ended"


def _is_held_up(estate: Estate, qmgr: QueueManager, channel: str, state: ChannelState) -> bool:
    partner = estate.qmgrs.get(state.partner)
    return partner is not None and answers.holds_up(estate, partner, qmgr.name, channel)


def waits_for(qmgr: QueueManager, channel: str, at: Instant) -> str:
    """Return what the messages for a channel wait for; '' if it sends them now.

    A channel that ended because its queue was GET(DISABLED) does not start when the queue is
    enabled, unless a trigger starts it.
    """
    block = channel_block(qmgr, channel, at)
    if block.why:
        return str(block)
    by_hand = transmission_queues.is_sender(qmgr, channel) and not transmission_queues.is_triggered(
        qmgr, channel
    )
    start = "START CHANNEL" if by_hand else "a message or START CHANNEL"
    return {
        "INACTIVE": f"next start of {channel}, by {start}",
        "STOPPED": f"next start of {channel}, by START CHANNEL",
        "RETRYING": f"next start of {channel}, at its next retry",
        "RUNNING": "",
    }.get(block.status, f"{channel}, which is {block.status}")


def block_of(qmgr: QueueManager, channel: str, at: Instant) -> ChannelBlock | None:
    """Return what blocks messages for a channel; None if the channel would send them."""
    block = channel_block(qmgr, channel, at)
    return block if block.why or block.status not in _FREE else None


def blocked_messages(
    qmgr: QueueManager, at: Instant, *, puts: Collection[int], estate: Estate | None = None
) -> tuple[BlockedMessages, ...]:
    """List the messages that wait for channels and were put by events at some log positions.

    This includes messages on a transmission queue that belongs to no channel.
    """
    counts: Counter[tuple[str, str, str, bool]] = Counter()
    for queue, channel, parcel in _on_transmission_queues(qmgr):
        if parcel.put in puts:
            counts[queue, channel, parcel.to, parcel.redirected] += parcel.count
    return tuple(
        BlockedMessages(
            queue,
            count,
            channel_block(qmgr, channel, at, queue=queue, estate=estate) if channel else NO_CHANNEL,
            on=qmgr.name,
            to=to,
            redirected=redirected,
        )
        for (queue, channel, to, redirected), count in sorted(counts.items())
    )


def _on_transmission_queues(qmgr: QueueManager) -> Iterator[tuple[str, str, Parcel]]:
    """Go through the messages on transmission queues, each with the queue and the channel."""
    messaging = messaging_of(qmgr)
    for queue, channels in messaging.waiting.items():
        for channel, parcels in channels.items():
            yield from ((queue, channel, parcel) for parcel in parcels)
    for queue, parcels in messaging.local.items():
        definition = qmgr.definitions.get(("QUEUE", queue))
        if definition is not None and definition.is_transmission_queue:
            leaving = (each for each in parcels if not each.to and each.queue != queue)
            yield from ((queue, "", each) for each in leaving)
