"""How much room there is on local queues, and whether they may be put to or got from.

Source: IBM MQ, "API reason codes", 2051 (PUT is disabled) and 2053 (a queue has MAXDEPTH messages);
both hold for the transmission queue that a message is put on [inferred for those of clusters].
"""

from __future__ import annotations

from typing import NamedTuple

from twin.fold.estate import QueueManager
from twin.model import reasons
from twin.model.objects import Definition, number_of, text_of
from twin.rules.queues import transmission_queues


class Refusal(NamedTuple):
    """Why a call fails: the reason code, and the queue of this queue manager that it is about.

    The code is 0 where it does not fail; the queue is '' where it is about none.
    """

    reason: int = 0
    queue: str = ""


def local_queue(qmgr: QueueManager, name: str) -> Definition | None:
    """Return the definition of a local queue, None where there is none of that name."""
    found = qmgr.definitions.get(("QUEUE", name))
    return found if found is not None and found.type == "QLOCAL" else None


def depth_left(qmgr: QueueManager, queue: Definition) -> int:
    """Say how many more messages a local queue takes; none where it is put-disabled.

    Repository commands that wait on a transmission queue count.
    """
    if is_put_inhibited(queue):
        return 0
    depth = qmgr.messaging.depth(queue.name) if qmgr.has_messaging else 0
    return max(0, number_of(queue, "MAXDEPTH") - depth - _commands(qmgr, queue.name))


def _commands(qmgr: QueueManager, queue: str) -> int:
    """Count the repository commands that wait on a transmission queue."""
    return sum(
        len(waiting)
        for channel, waiting in qmgr.repository.waiting.items()
        if transmission_queues.in_use(qmgr, channel) == queue
    )


def refusal(queue: Definition) -> Refusal:
    """Say why a put fails for which a local queue has no room."""
    reason = reasons.PUT_INHIBITED if is_put_inhibited(queue) else reasons.QUEUE_FULL
    return Refusal(reason, queue.name)


def is_put_inhibited(definition: Definition) -> bool:
    """Say whether a queue is PUT(DISABLED)."""
    return text_of(definition, "PUT") == "DISABLED"


def is_get_inhibited(qmgr: QueueManager, queue: str) -> bool:
    """Say whether a local queue is GET(DISABLED), so that nothing can be got from it."""
    found = local_queue(qmgr, queue)
    return found is not None and text_of(found, "GET") == "DISABLED"
