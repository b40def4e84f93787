"""Observed beliefs: the records that a queue manager was seen to hold.

Nobody is told of them: whoever else holds these records was told by their owners. Decided here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from twin.events import BeliefsObserved, QueueManagerFirstSeen
from twin.fold.estate import QueueManager
from twin.fold.handlers import observed_beliefs
from twin.model.objects import Definition, ObjectKey
from twin.rules import membership
from twin.rules.channels import stopping
from twin.rules.commands import definitions
from twin.rules.draft import Draft


@dataclass(slots=True)
class TakenBeliefs:
    """What one observation changed.

    Attributes:
        qmgr: the observer.
        first_seen: the event that says that it was unknown; None if it was known, or if the
            observation has no QMID of it.
        known: the channels of the queue managers that it held records of before.
        was: its own CLUSRCVRs that the observation changed, as they were; None for unknown ones.
        role_changed: whether it shows another role of it in a cluster.
    """

    qmgr: str
    first_seen: QueueManagerFirstSeen | None
    known: tuple[str, ...]
    was: dict[ObjectKey, Definition | None]
    role_changed: bool


def take_in(draft: Draft, observations: Sequence[BeliefsObserved]) -> list[TakenBeliefs]:
    """Emit observations of one instant; return what each of them changed."""
    return [_take_in(draft, each) for each in observations]


def _take_in(draft: Draft, primary: BeliefsObserved) -> TakenBeliefs:
    qmgr = draft.estate.qmgrs.get(primary.qmgr)
    known = {name[2] for name, _ in qmgr.repository.of_kind("qmgr")} if qmgr is not None else set()
    seen = None
    if qmgr is None and primary.qmid is not None:
        seen = observed_beliefs.first_seen(primary, primary.qmid)
    before = dict(qmgr.definitions) if qmgr is not None else {}
    roles = _roles(qmgr)
    draft.emit(primary)
    now = draft.estate.qmgrs.get(primary.qmgr)
    own = observed_beliefs.own_rows(now, primary) if now is not None else ()
    keys = sorted({("CHANNEL", said.name) for said in own if primary.kind == "qmgr"})
    was = {
        key: before.get(key)
        for key in keys
        if now is not None and before.get(key) is not now.definitions.get(key)
    }
    return TakenBeliefs(
        primary.qmgr, seen, tuple(sorted(known)), was, role_changed=roles != _roles(now)
    )


def _roles(qmgr: QueueManager | None) -> tuple[str, ...]:
    """Return the clusters of which a queue manager is a full repository."""
    return membership.full_repository_of(qmgr) if qmgr is not None else ()


def follow(draft: Draft, observed: TakenBeliefs) -> None:
    """Derive what follows from an observation.

    An observer that was unknown is first seen with it. Of its own CLUSRCVR and role follows what
    follows from a definition. Channels that an observer no longer knows lose their status. An
    observer that is still unknown has nothing to follow.
    """
    if observed.first_seen is not None:
        draft.emit(observed.first_seen)
    qmgr = draft.estate.qmgrs.get(observed.qmgr)
    if qmgr is not None:
        if observed.role_changed:
            definitions.attributes_changed(draft, qmgr, {"REPOS"})
        for key, before in observed.was.items():
            definitions.object_changed(draft, qmgr, key, was=before)
        for channel in observed.known:
            stopping.drop_unused_status(draft, qmgr, channel)
