"""The transmission queues of sender and server channels, and the triggers that start the channels.

A channel keeps its queue until it starts again, even if XMITQ is altered before that.

Sources: IBM MQ 9.4, "Working with cluster transmission queues and cluster-sender channels"; 9.1,
"Conditions for a trigger event"; for INITQ and TRIGDATA of a transmission queue [memory,
unverified]. Decided here: the channel initiator has opened SYSTEM.CHANNEL.INITQ, and no other
initiation queue. With TRIGTYPE(FIRST) a channel that is INACTIVE starts whenever messages are on
its queue: MQ makes a trigger event for the first one, and again if a channel ends and leaves some.
TRIGTYPE(DEPTH) does not set NOTRIGGER.
"""

from __future__ import annotations

from typing import Final

from twin.fold.estate import QueueManager
from twin.model.objects import UNCLUSTERED, Definition, number_of, text_of

INITIATION_QUEUE: Final = "SYSTEM.CHANNEL.INITQ"


def is_sender(qmgr: QueueManager, channel: str) -> bool:
    """Return whether a channel is a sender or server channel."""
    return qmgr.channels.get(channel) in UNCLUSTERED


def defined_queue(qmgr: QueueManager, channel: str) -> str:
    """Return the XMITQ of a sender or server channel: the queue that it opens when it starts."""
    return text_of(qmgr.definitions["CHANNEL", channel], "XMITQ")


def queue_of(qmgr: QueueManager, channel: str) -> str:
    """Return the transmission queue that a sender or server channel gets from."""
    kept = qmgr.messaging.kept.get(channel) if qmgr.has_messaging else None
    return defined_queue(qmgr, channel) if kept is None else kept


def servers(qmgr: QueueManager, queue: str) -> list[str]:
    """Return the sender and server channels that get from a queue, or will when they start."""
    return [
        name
        for name, channel_type in qmgr.channels.items()
        if channel_type in UNCLUSTERED
        and queue in (queue_of(qmgr, name), defined_queue(qmgr, name))
    ]


def is_triggered(qmgr: QueueManager, channel: str) -> bool:
    """Return whether messages on its queue start a sender or server channel that is INACTIVE."""
    queue = qmgr.definitions.get(("QUEUE", defined_queue(qmgr, channel)))
    if queue is None or text_of(queue, "GET") == "DISABLED":
        return False
    return triggers(queue) and text_of(queue, "TRIGDATA") in ("", channel) and _deep(qmgr, queue)


def triggers(queue: Definition) -> bool:
    """Return whether messages on a transmission queue make trigger events for its channel."""
    return (
        text_of(queue, "TRIGGER") == "YES"
        and text_of(queue, "TRIGTYPE") != "NONE"
        and text_of(queue, "INITQ") == INITIATION_QUEUE
    )


def _deep(qmgr: QueueManager, queue: Definition) -> bool:
    if text_of(queue, "TRIGTYPE") != "DEPTH":
        return True
    return qmgr.messaging.depth(queue.name) >= number_of(queue, "TRIGDPTH")
