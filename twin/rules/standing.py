"""Channels whose status stands as it was seen, until it is seen again.

On main, a channel of an observed queue manager has the status that was last observed. No rule moves
it: no start, failure, retry or disconnect interval. What has to pass over it passes if it was seen
RUNNING or INACTIVE and its partner can be reached, and nothing is recorded of the channel.

A status that was seen before its queue manager last started says nothing any more.

Source: design decision 45.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from twin.fold.estate import QueueManager
from twin.fold.seen_states import SeenBatch, SeenRow, SeenStatus
from twin.model.instants import Instant
from twin.model.objects import SENDING
from twin.model.retries import Retries

CARRIES: Final = frozenset({"RUNNING", "INACTIVE"})
"""The statuses in which a channel sends, or would start as soon as there is something to send."""


def seen_status(qmgr: QueueManager, channel: str) -> SeenStatus | None:
    """Return the status of a channel that stands; None if the rules decide its status."""
    if not qmgr.is_only_observed or not qmgr.running:
        return None
    seen = qmgr.activity.seen.of_channel(channel)
    if seen is None:
        return None
    return None if _has_restarted(qmgr, seen.at) else seen


def _has_restarted(qmgr: QueueManager, since: Instant) -> bool:
    return qmgr.started is not None and qmgr.started > max(qmgr.created, since)


def own_row(qmgr: QueueManager, channel: str) -> SeenStatus | None:
    """Return the status of a CLUSRCVR in the queue manager's own row of DISPLAY CLUSQMGR.

    It is that of some instance. None if none stands, or if CHSTATUS showed another one later.
    """
    own = qmgr.activity.seen.own_rows.get(channel)
    if own is None or not qmgr.is_only_observed or not qmgr.running:
        return None
    seen = qmgr.activity.seen.of_channel(channel)
    is_old = seen is not None and seen.at > own.at
    return None if is_old or _has_restarted(qmgr, own.at) else own


def stands(qmgr: QueueManager, channel: str) -> bool:
    """Return whether a channel has the status that was seen, whatever the rules say."""
    return seen_status(qmgr, channel) is not None


def is_unseen(qmgr: QueueManager, channel: str) -> bool:
    """Return whether nobody saw the status of a channel of a queue manager that may run."""
    return qmgr.is_only_observed and qmgr.running and not stands(qmgr, channel)


def is_outranked(qmgr: QueueManager, channel: str, status: str | None, at: Instant) -> bool:
    """Return whether another status of a channel was seen at the same instant, and counts.

    So of CLUSQMGR and CHSTATUS, only what CHSTATUS says has consequences.
    """
    seen = qmgr.activity.seen.of_channel(channel) if qmgr.is_only_observed else None
    return seen is not None and seen.at == at and seen.status != status


def seen_receiving(qmgr: QueueManager, channel: str) -> SeenStatus | None:
    """Return the status of a receiving channel that stands; None if the rules decide it.

    That one of its instances ended says nothing of the others; a complete answer without it does.
    Of one instant, CHSTATUS counts more than the queue manager's own row of CLUSQMGR.
    """
    seen, own = seen_status(qmgr, channel), own_row(qmgr, channel)
    if own is not None and (seen is None or seen.at < own.at):
        seen = own
    return None if seen is not None and seen.status == "INACTIVE" and not seen.listed else seen


def rows_seen(qmgr: QueueManager, channel: str, *, saved: bool = False) -> list[SeenRow]:
    """Return the rows of a channel in CHSTATUS that stand, in the order of their partners.

    A row of a channel that sends stands as long as its status does. SAVED rows always stand.
    """
    rows = qmgr.activity.seen.rows.get(channel, {})
    if not rows or not qmgr.is_only_observed:
        return []
    if saved:
        return [row for _, row in sorted(rows.items()) if row.saved]
    seen = seen_status(qmgr, channel)
    return [
        row
        for _, row in sorted(rows.items())
        if seen is not None
        and not row.saved
        and (row.kind not in SENDING or row.status == seen.status)
    ]


def batch_in_doubt(qmgr: QueueManager, channel: str) -> SeenBatch | None:
    """Return the batch of a channel that was last seen in doubt at an observed queue manager.

    Return None if nobody saw one, or if the channel ran since: that resolves it. How many messages
    wait need not be known for that.
    """
    seen = qmgr.activity.seen.batches.get(channel) if qmgr.observed else None
    if seen is None or not seen.in_doubt or qmgr.activity.saved.get(channel, seen.at) > seen.at:
        return None
    return seen


def retries_left(qmgr: QueueManager, channel: str, retries: Retries) -> Retries:
    """Return the retries of a channel that is seen RETRYING: those that it was seen to have left.

    Without SHORTRTS and LONGRTS, all of its definition are left. The next one is a whole interval
    after the observation at the latest: after LONGTMR if no short retry is left (IBM MQ 9.1, "Long
    retry interval").
    """
    seen, left = qmgr.activity.seen.of_channel(channel), qmgr.activity.seen.retries.get(channel)
    if seen is None or left is None or seen.at != left.at:
        return retries
    return retries._replace(short_count=left.short, long_count=left.long)


def instants_seen(qmgr: QueueManager) -> Iterator[tuple[str, list[Instant]]]:
    """Go through the kinds of facts of an imported queue manager, with instants of their sights.

    `collections` are the last instants at which definitions or records were observed, also by a
    script; `definitions` count if an answer or a dump named all of a kind.
    """
    seen = qmgr.activity.seen
    yield "channels", [each.at for each in seen.channels.values()]
    complete = {kind: each.at for kind, each in qmgr.confirmed.items() if each.complete}
    yield "definitions", [at for kind, at in complete.items() if kind.isupper()]
    yield "depths", [each.at for each in seen.depths.values()]
    held = [each.at for each in qmgr.repository.shown.values()]
    yield "records", [*held, *(at for kind, at in complete.items() if kind.islower())]
    yield "status", [each.at for each in seen.qmgr.values()]
    yield "logs", [*seen.logs.values()]
    yield "qm.ini", [each.at for each in seen.configuration.values()]
    yield "collections", seen.collected


def runs(qmgr: QueueManager) -> bool | None:
    """Return whether a queue manager runs; None if that was never observed.

    Whoever answered, or was dumped with its QMID, ran then. A script, qm.ini and what others hold
    of it say nothing about that.
    """
    if not qmgr.observed or not qmgr.running or qmgr.started not in {None, qmgr.created}:
        return qmgr.running
    return True if answered(qmgr) is not None or qmgr.says_qmid else None


def answered(qmgr: QueueManager) -> Instant | None:
    """Return when a queue manager answered last, as far as that shows that it ran."""
    return max(
        (
            at
            for kind, instants in instants_seen(qmgr)
            for at in instants
            if kind not in {"qm.ini", "collections"}
        ),
        default=None,
    )
