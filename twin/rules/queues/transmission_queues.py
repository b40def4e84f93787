"""Which transmission queue a cluster-sender channel has now, and queues created for one channel.

A channel keeps its queue until it starts again, even if the definitions change before that. A
channel that was never started has the queue that the definitions select now. Nothing is recorded
for a channel that has always had SYSTEM.CLUSTER.TRANSMIT.QUEUE, which is the usual case.

Source: IBM MQ 9.4, "Working with cluster transmission queues and cluster-sender channels".
"""

from __future__ import annotations

from collections.abc import Iterator

from twin.events import ObjectDefined, Parcel
from twin.events.base import Values
from twin.fold.estate import QueueManager
from twin.model.attributes import sparse
from twin.rules.draft import Draft
from twin.rules.queues import transmission_queue_selection
from twin.rules.queues.transmission_queue_selection import (
    DEFAULT_QUEUE,
    MODEL_QUEUE,
    TransmissionQueues,
)


def in_use(qmgr: QueueManager, channel: str, *, queues: TransmissionQueues | None = None) -> str:
    """Return the transmission queue that a cluster-sender channel has until it starts again.

    A channel that was stopped before it ever ran keeps the queue that its first message was put
    on. If its queue was deleted while it was stopped, or if it never had one, the definitions
    select the queue [inferred]. The caller may pass `queues` if it has collected them already.
    """
    assigned = qmgr.messaging.assigned.get(channel) if qmgr.has_messaging else None
    if assigned is None:
        assigned = DEFAULT_QUEUE if was_started(qmgr, channel) else _first_put_on(qmgr, channel)
    if assigned is not None and _exists(qmgr, assigned, channel):
        return assigned
    return (queues or TransmissionQueues.of(qmgr)).select(channel).queue


def _first_put_on(qmgr: QueueManager, channel: str) -> str | None:
    waiting = qmgr.messaging.waiting if qmgr.has_messaging else {}
    return next((queue for queue, channels in waiting.items() if channel in channels), None)


def was_started(qmgr: QueueManager, channel: str) -> bool:
    """Return whether a channel was ever started, even if it did not find its partner then."""
    return channel in qmgr.activity.saved or channel in qmgr.activity.tried


def _exists(qmgr: QueueManager, queue: str, channel: str) -> bool:
    """Return whether a queue exists, or can be made for the channel."""
    is_own = queue == transmission_queue_selection.own_queue(channel)
    return ("QUEUE", queue) in qmgr.definitions or (
        is_own and ("QUEUE", MODEL_QUEUE) in qmgr.definitions
    )


def queues(qmgr: QueueManager, channel: str) -> tuple[str, ...]:
    """Return the transmission queues from which a cluster-sender channel gets messages.

    While the channel is being switched, these are the new queue and the old one, in this order.
    Messages that were left on another queue (runswchl -n) stay there until the channel has that
    queue again.
    """
    switch = qmgr.messaging.switching.get(channel) if qmgr.has_messaging else None
    return (in_use(qmgr, channel),) if switch is None else (switch.to, switch.queue)


def is_switching(qmgr: QueueManager, channel: str) -> bool:
    """Return whether a switch of a channel has not ended.

    New messages and repository commands are then put on the old queue, from which none is sent.
    """
    return qmgr.has_messaging and channel in qmgr.messaging.switching


def waiting(qmgr: QueueManager, channel: str) -> Iterator[tuple[str, Parcel]]:
    """Yield the messages that wait for a cluster-sender channel, with their queue, in order."""
    by_queue = qmgr.messaging.waiting
    for queue in queues(qmgr, channel):
        for parcel in by_queue.get(queue, {}).get(channel, ()):
            yield queue, parcel


def ensure_in_use(draft: Draft, qmgr: QueueManager, channel: str) -> str:
    """Return the transmission queue of a channel; create it if it is the channel's own queue.

    Source: IBM MQ 9.4, "Planning how you use multiple cluster transmission queues": with
    DEFCLXQ(CHANNEL) each channel has a permanent dynamic queue of its own. It is created from the
    model queue when it is first needed.
    """
    queue = in_use(qmgr, channel)
    create_own_queue(draft, qmgr, channel, queue)
    return queue


def create_own_queue(draft: Draft, qmgr: QueueManager, channel: str, queue: str) -> None:
    """Create a channel's own transmission queue from the model queue, unless it exists.

    Do nothing if `queue` is not the channel's own, or if there is no model queue.
    """
    model = qmgr.definitions.get(("QUEUE", MODEL_QUEUE))
    if (
        queue != transmission_queue_selection.own_queue(channel)
        or ("QUEUE", queue) in qmgr.definitions
        or model is None
    ):
        return
    values: Values = {
        **sparse("QLOCAL", dict(model.values)),
        "DEFTYPE": "PERMDYN",
        "USAGE": "XMITQ",
    }
    values.pop("CLCHNAME", None)  # with CLCHNAME the queue would always be selected
    draft.emit(
        ObjectDefined(
            qmgr=qmgr.name,
            kind="QUEUE",
            name=queue,
            type="QLOCAL",
            values=values,
        )
    )
