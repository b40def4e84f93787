"""MQGET: take messages off a local queue, oldest first.

Messages on a transmission queue are taken channel by channel, in the order of channel names.
Messages that a channel has in doubt, or has sent outside syncpoint, cannot be got [inferred].

Source: IBM MQ, "API reason codes": 2016 if GET is disabled, 2033 if there are fewer messages than
requested, 2045 for a definition of a remote queue, 2085 if there is no such local queue.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from twin.events import GetEntered, MessagesGot
from twin.fold.estate import QueueManager
from twin.fold.parcels import count_of
from twin.model import reasons
from twin.model.objects import Definition, text_of
from twin.rules.draft import Draft
from twin.rules.path.resolution import NO_BASES
from twin.rules.queues import put_times, transmission_queues


@dataclass(frozen=True, slots=True)
class Got:
    """The result of calls of MQGET.

    Attributes:
        queue: the name that was opened.
        wanted: how many messages were requested.
        count: how many were taken.
        reason: the reason code of the call that failed; 0 if none failed.
        left: how many messages are left on the queue.
    """

    queue: str
    wanted: int
    count: int = 0
    reason: int = 0
    left: int = 0


def get(draft: Draft, qmgr: QueueManager, entered: GetEntered) -> Got:
    """Take messages off a queue: the requested number, or fewer if there are not enough."""
    if not qmgr.running:
        return Got(entered.queue, entered.count, reason=reasons.QMGR_NOT_AVAILABLE)
    queue, reason = _local(qmgr, entered.queue)
    if queue is None:
        return Got(entered.queue, entered.count, reason=reason)
    taken = min(count_of(qmgr.messaging.local.get(queue.name, ())), entered.count)
    if taken < 0:  # only in a log that was written when negative counts were accepted
        return Got(entered.queue, entered.count, left=qmgr.messaging.depth(queue.name))
    if taken:
        draft.emit(MessagesGot(qmgr=qmgr.name, queue=queue.name, count=taken))
    for channel in sorted(qmgr.messaging.waiting.get(queue.name, ())):
        taken += _take_waiting(draft, qmgr, queue.name, channel, entered.count - taken)
    reason = reasons.NO_MESSAGE if taken < entered.count else 0
    return Got(entered.queue, entered.count, taken, reason, qmgr.messaging.depth(queue.name))


def _take_waiting(draft: Draft, qmgr: QueueManager, queue: str, channel: str, wanted: int) -> int:
    """Take messages that wait for a channel off a transmission queue; return how many."""
    spans: list[tuple[int, int]] = []
    taken = 0
    for place, count in _free(qmgr, queue, channel):
        some = min(count, wanted - taken)
        taken += some
        if some:
            spans.append((place, some))
    if spans:
        draft.emit(
            MessagesGot(
                qmgr=qmgr.name, queue=queue, count=taken, channel=channel, spans=tuple(spans)
            )
        )
    return taken


def _free(qmgr: QueueManager, queue: str, channel: str) -> Iterator[tuple[int, int]]:
    """Yield the messages that a channel is not sending, as (number of messages before them, count).

    Messages stranded on a queue that the channel no longer has are all included.
    """
    if queue in transmission_queues.queues(qmgr, channel):
        for waiting in put_times.not_under_way(qmgr, channel):
            if waiting.queue == queue:
                yield waiting.place, waiting.parcel.count
        return
    yield 0, count_of(qmgr.messaging.waiting[queue][channel])


def _local(qmgr: QueueManager, name: str) -> tuple[Definition | None, int]:
    """Return the local queue that a name leads to, and the reason code; 0 if there is a queue."""
    queue = qmgr.definitions.get(("QUEUE", name))
    if queue is None:
        return None, reasons.UNKNOWN_OBJECT
    inhibited = text_of(queue, "GET") == "DISABLED" if queue.type != "QREMOTE" else False
    if queue.type == "QALIAS":
        queue = qmgr.definitions.get(("QUEUE", text_of(queue, "TARGET")))
        if queue is None:
            return None, reasons.UNKNOWN_ALIAS_BASE
        if queue.type in NO_BASES:
            return None, reasons.ALIAS_BASE_TYPE
    if queue.type != "QLOCAL":
        return None, reasons.OPTION_NOT_FOR_TYPE
    if inhibited or text_of(queue, "GET") == "DISABLED":
        return None, reasons.GET_INHIBITED
    return queue, 0
