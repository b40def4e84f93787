"""The batch of a sending channel: which messages are in doubt, and which may be lost.

Source: IBM MQ, "What happens when a queue manager fails?".
"""

from __future__ import annotations

from twin.events import ChannelBatchInDoubt, MessagesAtRisk, MessagesLost
from twin.fold.estate import QueueManager
from twin.rules.draft import Draft
from twin.rules.queues import transmission_queues


def clear(draft: Draft, qmgr: QueueManager, channel: str) -> None:
    """Clear the counts of messages in doubt and at risk, because their channel runs again."""
    if channel in qmgr.messaging.in_doubt:
        draft.emit(ChannelBatchInDoubt(qmgr=qmgr.name, channel=channel, count=0))
    if channel in qmgr.messaging.at_risk:
        draft.emit(MessagesAtRisk(qmgr=qmgr.name, channel=channel, count=0))


def lose_at_risk(draft: Draft, qmgr: QueueManager, channel: str) -> None:
    """Lose the nonpersistent messages that a fast channel has sent outside syncpoint."""
    if not qmgr.has_messaging or channel not in qmgr.messaging.at_risk:
        return
    at_risk = qmgr.messaging.at_risk[channel]
    for queue, count in first_messages(qmgr, channel, at_risk, only_nonpersistent=True):
        draft.emit(
            MessagesLost(qmgr=qmgr.name, queue=queue, count=count, why="fast", channel=channel)
        )
    draft.emit(MessagesAtRisk(qmgr=qmgr.name, channel=channel, count=0))
    limit_in_doubt(draft, qmgr, channel)


def limit_in_doubt(draft: Draft, qmgr: QueueManager, channel: str) -> None:
    """Reduce the number of messages in doubt to the number that still wait for the channel."""
    count = qmgr.messaging.in_doubt.get(channel, 0)
    if not count:
        return
    waiting = sum(parcel.count for _, parcel in transmission_queues.waiting(qmgr, channel))
    if count > waiting:
        draft.emit(ChannelBatchInDoubt(qmgr=qmgr.name, channel=channel, count=waiting))


def first_messages(
    qmgr: QueueManager, channel: str, count: int, *, only_nonpersistent: bool = False
) -> list[tuple[str, int]]:
    """Return (queue, number) pairs: where the first `count` messages for a channel wait."""
    by_queue: dict[str, int] = {}
    for queue, parcel in transmission_queues.waiting(qmgr, channel):
        taken = 0 if only_nonpersistent and parcel.persistent else min(parcel.count, count)
        count -= taken
        if taken:
            by_queue[queue] = by_queue.get(queue, 0) + taken
    return list(by_queue.items())
