"""Local queues: how many more messages fit, and whether PUT or GET is disabled.

Source: IBM MQ, "API reason codes", 2051 (PUT is disabled), 2053 (a queue has MAXDEPTH messages) and
2192 (on z/OS, the page set of its storage class is full). They also apply to the transmission queue
that a message is put on [inferred for the transmission queues of clusters].
"""

from __future__ import annotations

from typing import Final, NamedTuple

from twin.fold.estate import QueueManager
from twin.model import reasons
from twin.model.objects import Definition, number_of, text_of
from twin.rules.queues import transmission_queues

DEFAULT_CLASS: Final = "DEFAULT"
"""The STGCLASS of a queue that names none."""

NO_ROOM: Final = frozenset({reasons.QUEUE_FULL, reasons.STORAGE_MEDIUM_FULL})
"""The reason codes of a put for which a queue has no room."""


class Refusal(NamedTuple):
    """Why a call fails.

    Attributes:
        reason: the reason code; 0 if the call does not fail.
        queue: the queue of this queue manager that the reason is about; '' if it is about none.
    """

    reason: int = 0
    queue: str = ""


def local_queue(qmgr: QueueManager, name: str) -> Definition | None:
    """Return the definition of a local queue; None if there is no local queue of that name."""
    definition = qmgr.definitions.get(("QUEUE", name))
    return definition if definition is not None and definition.type == "QLOCAL" else None


def depth_left(qmgr: QueueManager, queue: Definition) -> int:
    """Return how many more messages fit on a local queue; 0 if it is PUT(DISABLED).

    Repository commands that wait on a transmission queue count, too.
    """
    if queue.is_put_inhibited or is_page_set_full(qmgr, queue):
        return 0
    depth = qmgr.messaging.depth(queue.name) if qmgr.has_messaging else 0
    return max(0, number_of(queue, "MAXDEPTH") - depth - _commands(qmgr, queue.name))


def _commands(qmgr: QueueManager, queue: str) -> int:
    """Return how many repository commands wait on a transmission queue."""
    return sum(
        len(waiting)
        for channel, waiting in qmgr.repository.waiting.items()
        if transmission_queues.in_use(qmgr, channel) == queue
    )


def is_page_set_full(qmgr: QueueManager, queue: Definition) -> bool:
    """Return whether a queue of z/OS is in a storage class whose page set is full."""
    full = qmgr.messaging.full_classes if qmgr.has_messaging else ()
    return bool(full) and str(queue.values.get("STGCLASS") or DEFAULT_CLASS) in full


def refusal(qmgr: QueueManager, queue: Definition) -> Refusal:
    """Return why a put fails on a local queue with no space left.

    It is PUT(DISABLED), has MAXDEPTH messages, or its page set is full.
    """
    full = reasons.STORAGE_MEDIUM_FULL if is_page_set_full(qmgr, queue) else reasons.QUEUE_FULL
    return Refusal(reasons.PUT_INHIBITED if queue.is_put_inhibited else full, queue.name)


def is_get_inhibited(qmgr: QueueManager, queue: str) -> bool:
    """Return whether a local queue is GET(DISABLED), so that no messages can be got from it."""
    definition = local_queue(qmgr, queue)
    return definition is not None and text_of(definition, "GET") == "DISABLED"


def dead_letter_queue(receiver: QueueManager, receiving: Definition | None) -> str:
    """Return the dead-letter queue that a receiving channel may use; '' if there is none."""
    name = receiver.text("DEADQ")
    queue = local_queue(receiver, name)
    if queue is None or queue.is_put_inhibited:
        return ""
    return "" if receiving is not None and receiving.values.get("USEDLQ") == "NO" else name
