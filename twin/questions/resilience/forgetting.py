"""What queue managers forget while a loss lasts, and cannot ask for again.

A record that is not renewed is removed 90 days after it was sent. A partial repository then asks
the full repositories of the cluster again; a loss that keeps it from all of them cuts it off from
queues that are not lost themselves.

Source: IBM MQ 9.4, "How long do the queue manager repositories retain information?".
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Final

from twin.model.reasons import NO_ANSWER, UNKNOWN_ALIAS_BASE, UNKNOWN_OBJECT
from twin.questions.resilience.reach import NOTHING, Forgetting, QueueReach, SharedQueue
from twin.rules.membership import clusters_joined

if TYPE_CHECKING:
    from twin.fold.estate import Estate, QueueManager
    from twin.questions.rehearsing import Rehearsing
    from twin.questions.resilience.losses import Loss

_UNKNOWN: Final = (UNKNOWN_OBJECT, UNKNOWN_ALIAS_BASE, NO_ANSWER)
"""The reason codes of an open of an unknown name."""


def forgotten(after: Rehearsing, base: Rehearsing, loss: Loss, reach: QueueReach) -> Forgetting:
    """Return what is forgotten at the end of a loss, beside a base that has come as far.

    The opens are tried in both: what fails without the loss too is not forgotten because of it. Of
    a gateway to what is lost already, it counts whether its put fails with another reason code.
    """
    hit = {name for name, full in reach.full.items() if full and all(map(loss.involves, full))}
    unable = {
        (name, cluster)
        for name, qmgr in after.estate.qmgrs.items()
        if hit and name not in loss.qmgrs
        for cluster in hit.intersection(clusters_joined(qmgr))
        if _keeps_from_all(loss, name, reach.full[cluster])
    }
    if not unable:
        return NOTHING
    after, base = after.fork(), base.fork()
    senders = frozenset(
        (*queue, name)
        for name, queue in _unknown(after.estate, unable, reach)
        if _opens(base, name, queue[1]) and not _opens(after, name, queue[1])
    )
    gateways = frozenset(
        (*queue, name)
        for queue, owners in reach.onward.items()
        for name in owners
        if name in {each for each, _ in unable}
        if _opens(base, name, queue[1]) and not _opens(after, name, queue[1])
    )
    unusable = frozenset(
        (*queue, name)
        for queue, owners in reach.unusable.items()
        for name in owners
        if name in {each for each, _ in unable}
        if not _is_unknown(base, name, queue[1]) and _is_unknown(after, name, queue[1])
    )
    return Forgetting(senders, gateways | unusable)


def _keeps_from_all(loss: Loss, name: str, full: set[str]) -> bool:
    """Return whether a loss may keep a queue manager from all full repositories of a cluster."""
    return name not in full and all(
        each in loss.qmgrs or (loss.involves(name) and loss.involves(each)) for each in full
    )


def _unknown(
    estate: Estate, unable: Collection[tuple[str, str]], reach: QueueReach
) -> Iterator[tuple[str, SharedQueue]]:
    """Go through the queues that queue managers could reach, and have no record of any more."""
    for queue, senders in reach.ways.items():
        for name, ways in senders.items():
            owners = {way.owner for way in ways}
            if (name, queue[0]) in unable and not _knows(estate, estate.qmgrs[name], queue, owners):
                yield name, queue


def _knows(estate: Estate, qmgr: QueueManager, queue: SharedQueue, owners: set[str]) -> bool:
    """Return whether a queue manager knows an instance that it reached, and a way there."""
    cluster, name = queue
    repository = qmgr.repository
    return any(
        estate.names.get(owner) in owners
        and (owner == qmgr.qmid or bool(repository.routes.get((cluster, owner))))
        for owner in repository.beliefs.get((cluster, "queue", name), {})
    )


def _is_unknown(rehearsal: Rehearsing, name: str, queue: str) -> bool:
    """Return whether a put to a queue fails because it, or what it leads to, is not known."""
    return any(hop.reason in _UNKNOWN for hop in rehearsal.follow(name, queue))


def _opens(rehearsal: Rehearsing, name: str, queue: str) -> bool:
    """Return whether a message that is put to a queue may leave, or is delivered."""
    return any(hop.end and hop.end != "fails" for hop in rehearsal.follow(name, queue))
