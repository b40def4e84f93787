"""Measures of waiting messages, and of local queues: depth, oldest message and last use.

Source: ibm-messaging/mq-golang, package mqmetric (queue status); DISPLAY QSTATUS.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final, NamedTuple

from twin.fold.estate import Estate, QueueManager
from twin.model.instants import Instant
from twin.model.names import CLUSTER_TRANSMISSION_QUEUE, COMMAND_QUEUE
from twin.model.objects import Definition, number_of, text_of
from twin.questions.display import Depths
from twin.questions.measures.queue_managers import is_available
from twin.questions.measures.traffic import MessageTraffic
from twin.questions.sender_channels import messaging_of
from twin.questions.transmission import pieces

_MEASURED: Final = frozenset(
    {CLUSTER_TRANSMISSION_QUEUE, COMMAND_QUEUE, "SYSTEM.DEAD.LETTER.QUEUE"}
)
"""The system queues whose messages matter to a cluster."""


class WaitingCount(NamedTuple):
    """How many messages wait at a queue manager for a channel that a pass may move, or may not."""

    qmgr: str
    channel: str
    eligible: bool
    number: int


class MeasuredQueue(NamedTuple):
    """A local queue; None for what is not known.

    Attributes:
        qmgr, queue: the queue manager, and the definition of the queue.
        usage: NORMAL or XMITQ.
        max_depth: its MAXDEPTH.
        depth: the messages on it.
        oldest: when its oldest message was put, or when its route was last chosen.
        put, got: how many messages were put on it and got from it since the log began.
        last_put, last_got: when that was done last.
    """

    qmgr: QueueManager
    queue: Definition
    usage: str
    max_depth: int
    depth: int | None = None
    oldest: Instant | None = None
    put: int | None = None
    got: int | None = None
    last_put: Instant | None = None
    last_got: Instant | None = None


def queues(
    estate: Estate, at: Instant, traffic: MessageTraffic, *, observed: bool
) -> Iterator[MeasuredQueue]:
    """Go through the local queues of the queue managers that run, by name.

    Of the system queues only those are measured whose messages matter to a cluster. Queue managers
    that are only observed are passed over unless `observed`.
    """
    for name in sorted(estate.qmgrs):
        qmgr = estate.qmgrs[name]
        if is_available(qmgr, observed=observed):
            yield from _queues(qmgr, at, traffic)


def _queues(qmgr: QueueManager, at: Instant, traffic: MessageTraffic) -> Iterator[MeasuredQueue]:
    depths, objects = Depths.of(qmgr, at), qmgr.definitions
    names = sorted(
        name
        for kind, name in objects
        if kind == "QUEUE" and (not name.startswith("SYSTEM.") or name in _MEASURED)
    )
    for definition in (objects["QUEUE", name] for name in names):
        if definition.type != "QLOCAL":
            continue
        depth = depths.values(definition)["CURDEPTH"]
        measured = MeasuredQueue(
            qmgr,
            definition,
            usage=text_of(definition, "USAGE"),
            max_depth=number_of(definition, "MAXDEPTH"),
            depth=depth if isinstance(depth, int) else None,
        )
        if qmgr.is_only_observed:
            yield measured
            continue
        key = (qmgr.name, definition.name)
        yield measured._replace(
            oldest=_oldest(qmgr, depths, definition.name),
            put=traffic.put[key],
            got=traffic.got[key],
            last_put=traffic.last_put.get(key),
            last_got=traffic.last_got.get(key),
        )


def _oldest(qmgr: QueueManager, depths: Depths, queue: str) -> Instant | None:
    """Return when the oldest message on a queue was put; None if there is none.

    Repository commands that wait for a channel are messages, too.
    """
    messaging = depths.messaging
    instants = [parcel.at for parcel in (*messaging.local.get(queue, ()), *messaging.on(queue))]
    if positions := depths.commands.get(queue):
        waiting = qmgr.repository.waiting.values()
        instants += [each.since for some in waiting for each in some if each.position in positions]
    return min(instants, default=None)


def waiting_counts(estate: Estate) -> Iterator[WaitingCount]:
    """Count the messages on transmission queues; a channel for which none waits is passed over."""
    for name in sorted(estate.qmgrs_with_waiting_messages):
        qmgr = estate.qmgrs[name]
        for channel in messaging_of(qmgr).channels():
            counts: Counter[bool] = Counter()
            for piece in pieces(qmgr, channel):
                counts[piece.eligible] += piece.parcel.count
            for eligible in (True, False):
                yield WaitingCount(name, channel, eligible, counts[eligible])
