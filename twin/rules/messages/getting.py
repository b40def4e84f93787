"""MQGET: messages taken off a local queue, first things first.

Sources: IBM MQ, "API reason codes": 2016 where GET is disabled, 2033 where there are fewer messages
than were asked for, 2045 for a definition of a remote queue, 2085 where it is only elsewhere. Off a
transmission queue they are taken channel by channel, by name; what a channel has under way, in
doubt or sent outside syncpoint, is not there to be got [inferred].
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from twin.events import GetEntered, MessagesGot
from twin.fold.estate import QueueManager
from twin.model import reasons
from twin.model.objects import Definition, text_of
from twin.rules.draft import Draft
from twin.rules.queues import put_times, transmission_queues


@dataclass(frozen=True, slots=True)
class Got:
    """What calls of MQGET came to.

    Attributes:
        queue: the name that was opened.
        wanted: how many messages were asked for.
        count: how many were taken.
        reason: the reason code of the call that failed, 0 where all were there.
        left: how many are left on the queue.
    """

    queue: str
    wanted: int
    count: int = 0
    reason: int = 0
    left: int = 0


def get(draft: Draft, qmgr: QueueManager, entered: GetEntered) -> Got:
    """Take messages off a queue until there are enough, or none is left."""
    if not qmgr.running:
        return Got(entered.queue, entered.count, reason=reasons.QMGR_NOT_AVAILABLE)
    queue, reason = _local(qmgr, entered.queue)
    if queue is None:
        return Got(entered.queue, entered.count, reason=reason)
    there = sum(parcel.count for parcel in qmgr.messaging.local.get(queue.name, ()))
    taken = min(there, entered.count)
    if taken < 0:  # in a log from when such a call was let in
        return Got(entered.queue, entered.count, left=qmgr.messaging.depth(queue.name))
    if taken:
        draft.emit(MessagesGot(qmgr=qmgr.name, queue=queue.name, count=taken))
    for channel in sorted(qmgr.messaging.waiting.get(queue.name, ())):
        some = _get_off(draft, qmgr, queue.name, channel, entered.count - taken)
        taken += some
    reason = reasons.NO_MESSAGE if taken < entered.count else 0
    left = qmgr.messaging.depth(queue.name)
    return Got(entered.queue, entered.count, taken, reason, left)


def _get_off(draft: Draft, qmgr: QueueManager, queue: str, channel: str, wanted: int) -> int:
    """Take as many messages that wait for a channel off a transmission queue; say how many."""
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
    """Go through what a channel does not have under way: how many lie before it, and how many.

    What was stranded on a queue that the channel has no more is under way nowhere.
    """
    if queue in transmission_queues.queues(qmgr, channel):
        for each in put_times.not_under_way(qmgr, channel):
            if each.queue == queue:
                yield each.place, each.parcel.count
        return
    stranded = qmgr.messaging.waiting[queue][channel]
    yield 0, sum(parcel.count for parcel in stranded)


def _local(qmgr: QueueManager, name: str) -> tuple[Definition | None, int]:
    """Find the local queue a name leads to for input, or the reason code."""
    found = qmgr.definitions.get(("QUEUE", name))
    if found is None:
        return None, reasons.UNKNOWN_OBJECT
    inhibited = text_of(found, "GET") == "DISABLED" if found.type != "QREMOTE" else False
    if found.type == "QALIAS":
        found = qmgr.definitions.get(("QUEUE", text_of(found, "TARGET")))
        if found is None:
            return None, reasons.UNKNOWN_ALIAS_BASE
        if found.type == "QALIAS":
            return None, reasons.ALIAS_BASE_TYPE
    if found.type != "QLOCAL":
        return None, reasons.OPTION_NOT_FOR_TYPE
    if inhibited or text_of(found, "GET") == "DISABLED":
        return None, reasons.GET_INHIBITED
    return found, 0
