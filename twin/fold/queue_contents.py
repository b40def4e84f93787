"""Messages on queues: added at the end, taken off from the head."""

from __future__ import annotations

from twin.events import Parcel
from twin.fold import parcels
from twin.fold.messaging import Messaging


def lay(messaging: Messaging, queue: str, parcel: Parcel) -> None:
    """Add messages to a local queue, or to a transmission queue under their channel."""
    if parcel.channel:
        messaging.waiting.setdefault(queue, {}).setdefault(parcel.channel, []).append(parcel)
    else:
        messaging.local.setdefault(queue, []).append(parcel)


def return_to_head(
    messaging: Messaging, queue: str, channel: str, returned: tuple[Parcel, ...]
) -> None:
    """Put messages back at the head of the transmission queue that they had left."""
    waiting = messaging.waiting.setdefault(queue, {}) if channel else messaging.local
    waiting.setdefault(channel or queue, [])[:0] = returned


def take(
    messaging: Messaging, queue: str, channel: str, count: int, *, nonpersistent: bool = False
) -> list[Parcel]:
    """Take the first messages off a queue and return them.

    Args:
        messaging: the messages of the queue manager.
        queue: the queue.
        channel: the channel whose messages are taken off a transmission queue; '' for the
            messages that wait for no channel in particular.
        count: how many are taken; all of them if there are fewer.
        nonpersistent: whether only messages that are not persistent are taken.
    """
    on_queue = messaging.waiting.get(queue, {}) if channel else messaging.local
    waiting = on_queue.get(channel or queue, [])
    taken, rest = parcels.split(waiting, count, nonpersistent=nonpersistent)
    leave(messaging, queue, channel, rest)
    return taken


def leave(messaging: Messaging, queue: str, channel: str, rest: list[Parcel]) -> None:
    """Keep only some messages on a queue; one that has none is not kept at all.

    `channel` is '' for messages that wait for no channel in particular.
    """
    if not channel:
        if rest:
            messaging.local[queue] = rest
        else:
            messaging.local.pop(queue, None)
        return
    channels = messaging.waiting.get(queue, {})
    if rest:
        channels[channel] = rest
        return
    channels.pop(channel, None)
    if not channels:
        messaging.waiting.pop(queue, None)
