"""Messages that are not persistent are lost when their queue manager starts again.

Sources: IBM MQ 9.1, "NonPersistentMessageClass" (NPMCLASS): with NORMAL, the default, they are
discarded at a restart; "JMS persistent messages": with HIGH they survive an orderly end, and might
not survive another one, which in the twin they do. Until the restart they remain on their queues.
"""

from __future__ import annotations

from twin.events import MessagesAtRisk, MessagesLost
from twin.fold.estate import QueueManager
from twin.model.objects import text_of
from twin.rules.channels import batches
from twin.rules.draft import Draft
from twin.rules.queues.local_queues import local_queue


def discard(draft: Draft, qmgr: QueueManager) -> None:
    """Lose the non-persistent messages of a queue manager that starts again."""
    if not qmgr.has_messaging:
        return
    messaging = qmgr.messaging
    lying = [(queue, "", parcels) for queue, parcels in messaging.local.items()]
    lying += [
        (queue, channel, parcels)
        for queue, waiting in messaging.waiting.items()
        for channel, parcels in waiting.items()
    ]
    for queue, channel, parcels in lying:
        count = sum(parcel.count for parcel in parcels if not parcel.persistent)
        if not count or _keeps(qmgr, queue):
            continue
        draft.emit(
            MessagesLost(qmgr=qmgr.name, queue=queue, count=count, why="restarted", channel=channel)
        )
    for channel in list(messaging.in_doubt):
        batches.limit_in_doubt(draft, qmgr, channel)
    for channel, risky in list(messaging.at_risk.items()):
        remaining = sum(
            count
            for _, count in batches.first_messages(qmgr, channel, risky, only_nonpersistent=True)
        )
        if remaining < risky:
            draft.emit(MessagesAtRisk(qmgr=qmgr.name, channel=channel, count=remaining))


def _keeps(qmgr: QueueManager, name: str) -> bool:
    queue = local_queue(qmgr, name)
    return queue is not None and text_of(queue, "NPMCLASS") == "HIGH"
