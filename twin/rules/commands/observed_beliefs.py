"""Observed beliefs: the records that a queue manager was seen to hold.

Nobody is told of them: whoever else holds these records was told by their owners. Decided here.
What was on its way to the queue manager, and what it holds now, has arrived.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import takewhile

from twin.events import (
    BeliefsObserved,
    ClusterCommandsSent,
    ObjectsUnsure,
    QueueManagerFirstSeen,
    StatedObject,
)
from twin.fold.beliefs import QueuedCommands
from twin.fold.estate import QueueManager
from twin.fold.handlers import observed_beliefs
from twin.model.cluster_records import ALTERED
from twin.model.instants import Instant
from twin.model.names import is_later_qmid
from twin.rules import membership
from twin.rules.channels import stopping
from twin.rules.draft import Draft
from twin.rules.repository import publication


@dataclass(slots=True)
class TakenBeliefs:
    """What one observation changed.

    Attributes:
        observed: the observation.
        first_seen: the event that says that it was unknown; None if it was known, or if the
            observation has no QMID of it.
        known: the channels of the queue managers that it held records of before.
    """

    observed: BeliefsObserved
    first_seen: QueueManagerFirstSeen | None
    known: tuple[str, ...]

    @property
    def qmgr(self) -> str:
        """The observer."""
        return self.observed.qmgr


def take_in(draft: Draft, observations: Sequence[BeliefsObserved]) -> list[TakenBeliefs]:
    """Emit observations of one instant; return what each of them changed."""
    return [_take_in(draft, each) for each in observations]


def _take_in(draft: Draft, primary: BeliefsObserved) -> TakenBeliefs:
    qmgr = draft.estate.qmgrs.get(primary.qmgr)
    known = {name[2] for name, _ in qmgr.repository.of_kind("qmgr")} if qmgr is not None else set()
    seen = None
    if qmgr is None and primary.qmid is not None:
        seen = observed_beliefs.first_seen(primary, primary.qmid)
    draft.emit(primary)
    return TakenBeliefs(primary, seen, tuple(sorted(known)))


def _is_newer(known: QueueManager | None, qmid: str, at: Instant) -> bool:
    """Return whether a QMID is that of a queue manager built after the last sight of its name."""
    return (
        known is not None
        and known.observed
        and not known.made_qmid
        and is_later_qmid(qmid, known.qmid)
        and qmid not in known.unsure.get("QMGR", {})
        and at > max((each.at for each in known.confirmed.values()), default=0)
    )


def follow(draft: Draft, observed: TakenBeliefs) -> None:
    """Let channels that an observer no longer knows lose their status, if it is known itself.

    Commands that waited for a channel to it, and bring no more than it holds, wait no longer. What
    it published goes to the full repositories that it was seen to know, too. An owner of whom a
    later QMID was seen may have been built again.
    """
    for said in observed.observed.said:
        if _is_newer(draft.estate.qmgrs.get(said.owner_name), said.owner, draft.at):
            built = (StatedObject(name=said.owner),)
            draft.emit(ObjectsUnsure(qmgr=said.owner_name, kind="QMGR", said=built))
    if (qmgr := draft.estate.qmgrs.get(observed.qmgr)) is None:
        return
    for channel in observed.known:
        stopping.drop_unused_status(draft, qmgr, channel)
    for sender in list(draft.estate.qmgrs.values()):
        for channel, waiting in list(sender.repository.waiting.items()):
            if count := len(list(takewhile(partial(_has_come, draft, qmgr), waiting))):
                draft.emit(ClusterCommandsSent(qmgr=sender.name, channel=channel, count=count))
    for cluster in membership.clusters_joined(qmgr) if qmgr.running else ():
        publication.send_unsent_records(draft, qmgr, cluster)


def _has_come(draft: Draft, target: QueueManager, commands: QueuedCommands) -> bool:
    """Return whether commands bring only what the twin knows first, and a target was seen to hold.

    An earlier publication of the same records may be what it holds.
    """
    if commands.to != target.qmid or commands.asks or commands.removals:
        return False
    for item in commands.items:
        published = draft.estate.owner(item.owner).published
        publication = published.get(item.sequence)
        if publication is None or any(0 < earlier < item.sequence for earlier in published):
            return False
        for key in publication.records if item.only is None else item.only:
            seen = target.repository.shown.get(((commands.cluster, *key), item.owner))
            if seen is None or seen.altered != publication.records[key].values.get(ALTERED):
                return False
    return True
