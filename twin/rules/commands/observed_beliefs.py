"""Observed beliefs: the records that a queue manager was seen to hold.

Nobody is told of them: whoever else holds these records was told by their owners. Decided here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from twin.events import BeliefsObserved, QueueManagerFirstSeen
from twin.fold.handlers import observed_beliefs
from twin.rules.channels import stopping
from twin.rules.draft import Draft


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


def follow(draft: Draft, observed: TakenBeliefs) -> None:
    """Let channels that an observer no longer knows lose their status, if it is known itself."""
    if (qmgr := draft.estate.qmgrs.get(observed.qmgr)) is not None:
        for channel in observed.known:
            stopping.drop_unused_status(draft, qmgr, channel)
