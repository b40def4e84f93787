"""Measures of queue managers: whether they run, since when, and what runs at them.

Source: ibm-messaging/mq-golang, package mqmetric (queue manager status).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from twin.fold.estate import Estate, QueueManager
from twin.model.attributes import attribute_of
from twin.model.instants import Instant
from twin.questions.measures.traffic import MessageTraffic


class MeasuredQueueManager(NamedTuple):
    """A queue manager; None for what is not known.

    Attributes:
        qmgr: the queue manager.
        status: RUNNING or ENDED, or another word of DISPLAY QMSTATUS that was observed.
        started: since when it runs.
        servers: whether its channel initiator and command server run: they start with it.
        listeners, services: how many run.
        put, got: how many messages were put on its queues and got from them.
    """

    qmgr: QueueManager
    status: str
    started: Instant | None = None
    channel_initiator: bool | None = None
    command_server: bool | None = None
    listeners: int | None = None
    services: int | None = None
    put: int | None = None
    got: int | None = None


def queue_managers(
    estate: Estate, traffic: MessageTraffic, *, observed: bool
) -> Iterator[MeasuredQueueManager]:
    """Go through the queue managers by name.

    Those that are only observed are passed over unless `observed`, and if nobody saw their status.
    """
    for name in sorted(estate.qmgrs):
        qmgr = estate.qmgrs[name]
        if not qmgr.is_only_observed:
            yield _simulated(qmgr, traffic) if qmgr.running else MeasuredQueueManager(qmgr, "ENDED")
        elif observed and (seen := qmgr.activity.seen.qmgr.get(name)) is not None:
            yield MeasuredQueueManager(qmgr, seen.status)


def is_available(qmgr: QueueManager, *, observed: bool) -> bool:
    """Return whether the exporter of a queue manager would report more than that it is down.

    One that is only observed counts as down if it was seen so last, and never unless `observed`.
    """
    if not qmgr.is_only_observed:
        return qmgr.running
    seen = qmgr.activity.seen.qmgr.get(qmgr.name)
    return observed and (seen is None or seen.status == "RUNNING")


def _simulated(qmgr: QueueManager, traffic: MessageTraffic) -> MeasuredQueueManager:
    return MeasuredQueueManager(
        qmgr,
        "RUNNING",
        started=qmgr.known_start,
        channel_initiator=_starts(qmgr, "SCHINIT"),
        command_server=_starts(qmgr, "SCMDSERV"),
        listeners=len(qmgr.activity.listeners),
        services=len(qmgr.activity.services),
        put=traffic.put_at[qmgr.name],
        got=traffic.got_at[qmgr.name],
    )


def _starts(qmgr: QueueManager, keyword: str) -> bool:
    """Return whether a server starts with its queue manager (SCHINIT, SCMDSERV)."""
    return qmgr.values.get(keyword, attribute_of("QMGR", keyword).default) == "QMGR"
