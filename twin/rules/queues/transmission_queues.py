"""Which transmission queue a cluster-sender channel has, and the queues made for one channel.

Source: IBM MQ 9.4, "Working with cluster transmission queues and cluster-sender channels". A
channel keeps its queue until it starts again, whatever the definitions say meanwhile. One that was
never started has the queue that they say now. Nothing is recorded of a channel that has always had
SYSTEM.CLUSTER.TRANSMIT.QUEUE: most have.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from twin.events import ObjectDefined, Parcel
from twin.events.base import Values
from twin.fold.estate import QueueManager
from twin.model.attributes import sparse
from twin.rules.draft import Draft
from twin.rules.queues import transmission_queue_selection
from twin.rules.queues.transmission_queue_selection import DEFAULT_QUEUE, TransmissionQueues

MODEL_QUEUE: Final = "SYSTEM.CLUSTER.TRANSMIT.MODEL.QUEUE"


def in_use(qmgr: QueueManager, channel: str, *, queues: TransmissionQueues | None = None) -> str:
    """Return the transmission queue a cluster-sender channel has now, until it starts again.

    One that was stopped before it ever ran keeps the queue that its first message was put on; a
    queue that was deleted while the channel was stopped is none: then the definitions say it, as
    they do of a channel that never had anything [inferred]. `queues` is what these decide by, for
    who has collected it already.
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
    """Say whether a channel was ever started, whether or not it found its partner."""
    return channel in qmgr.activity.saved or channel in qmgr.activity.tried


def _exists(qmgr: QueueManager, queue: str, channel: str) -> bool:
    return (
        queue == transmission_queue_selection.own_queue(channel)
        or ("QUEUE", queue) in qmgr.definitions
    )


def queues(qmgr: QueueManager, channel: str) -> tuple[str, ...]:
    """Name the transmission queues that messages for a cluster-sender channel are looked for on.

    While it is being switched these are the new and the old one, else the one it has: what was left
    on another (runswchl -n) stays there until the channel has that queue again.
    """
    switch = qmgr.messaging.switching.get(channel)
    return (in_use(qmgr, channel),) if switch is None else (switch.to, switch.queue)


def waiting(qmgr: QueueManager, channel: str) -> Iterator[tuple[str, Parcel]]:
    """Go through what waits for a cluster-sender channel, and where; first things first."""
    found = qmgr.messaging.waiting
    for queue in queues(qmgr, channel):
        for parcel in found.get(queue, {}).get(channel, ()):
            yield queue, parcel


def ensure_in_use(draft: Draft, qmgr: QueueManager, channel: str) -> str:
    """Return the transmission queue of a channel, having made it where it is the channel's own.

    Source: IBM MQ 9.4, "Planning how you use multiple cluster transmission queues": with
    DEFCLXQ(CHANNEL) each channel has a permanent dynamic queue, made from the model queue when it
    is needed and there is none.
    """
    queue = in_use(qmgr, channel)
    create_own_queue(draft, qmgr, channel, queue)
    return queue


def create_own_queue(draft: Draft, qmgr: QueueManager, channel: str, queue: str) -> None:
    """Make a channel's own transmission queue from the model, if it is that and not there."""
    if (
        queue != transmission_queue_selection.own_queue(channel)
        or ("QUEUE", queue) in qmgr.definitions
    ):
        return
    model = qmgr.definitions.get(("QUEUE", MODEL_QUEUE))
    inherited = dict(model.values) if model is not None else {}
    values: Values = {**sparse("QLOCAL", inherited), "DEFTYPE": "PERMDYN", "USAGE": "XMITQ"}
    values.pop("CLCHNAME", None)  # a queue that named its channel would be its queue for ever
    draft.emit(
        ObjectDefined(
            qmgr=qmgr.name,
            kind="QUEUE",
            name=queue,
            type="QLOCAL",
            values=values,
        )
    )
