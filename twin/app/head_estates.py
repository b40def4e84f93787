"""Cached estates of now, so that not every question rebuilds one.

Three estates at the head of a branch are cached, each in one place:

- the recorded estate, in `recorded_estate`. It is valid while the branch has the same head.
- the played estate, here: the recorded estate after all timed events that are due up to now. It is
  valid while the branch has the same head; later questions play on from it.
- the asked estate, here: a played estate in which queue managers requested names from full
  repositories. It is valid under the same condition, and private to explanations.

All of them are read only while the lock of the recorded estate is held.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple, Self, TypeAlias

from twin.app.played_ahead import Pending, PlayingAhead, PlayStart, is_due, let_pass
from twin.app.recorded_estate import RecordedEstate
from twin.fold.estate import Estate, Part, QueueManager
from twin.fold.store.lazy_records import HELD
from twin.fold.store.pages import page_name, page_of, read_part
from twin.log import Head
from twin.model.instants import AsOf, Instant

QueueName: TypeAlias = tuple[str, str]
"""The names that an application opens: a queue, and its queue manager (may be blank)."""

_PARTS_CHANGED_BY_ASKING: Final[tuple[Part, ...]] = (
    "definitions",
    "repository",
    "activity",
    "messaging",
)


class _Asker(NamedTuple):
    """A queue manager that requested a name, and its pages from before the request."""

    name: QueueName
    sequence: int
    pages: dict[str, bytes]

    @classmethod
    def of(cls, qmgr: QueueManager, name: QueueName) -> Self:
        """Encode a queue manager before its request."""
        kinds = (*_PARTS_CHANGED_BY_ASKING, HELD)
        pages = {page_name(qmgr.qmid, kind): page_of(qmgr, kind) for kind in kinds}
        return cls(name, qmgr.repository.sequence, pages)

    def restore(self, qmgr: QueueManager) -> bool:
        """Restore a queue manager; return False if it cannot be restored, because it published."""
        if qmgr.repository.sequence != self.sequence:
            return False
        for part in _PARTS_CHANGED_BY_ASKING:
            setattr(qmgr, part, read_part(qmgr, part, self.pages.__getitem__))
        return True


@dataclass(frozen=True, slots=True)
class _PlayedEstate:
    """A private estate of readers, its log position, and the queue managers with requests."""

    position: int
    estate: Estate
    askers: dict[str, _Asker] = field(default_factory=dict)

    def can_reach(self, position: int, valid: Instant) -> bool:
        """Return whether letting time pass in this estate leads to an instant at a position."""
        return self.position == position and self.estate.instant <= valid

    def admit(self, qmgr: str, name: QueueName) -> bool:
        """Allow a queue manager to request a name.

        Return False if it requested another name before and that cannot be undone.
        """
        before, asker = self.askers.get(qmgr), self.estate.qmgr(qmgr)
        if before is None:
            self.askers[qmgr] = _Asker.of(asker, name)
        elif before.name != name:
            self.askers[qmgr] = before._replace(name=name)
            return before.restore(asker)
        return True


class HeadEstates:
    """The played and the asked estate at the head of one branch."""

    def __init__(self, recorded: RecordedEstate, ahead: PlayingAhead) -> None:
        """Start from the recorded estate, or from one that was played and kept."""
        self._recorded = recorded
        self._ahead = ahead
        self._played: _PlayedEstate | None = None
        self._asked: _PlayedEstate | None = None
        self._number = 0

    def forget(self) -> None:
        """Forget both estates."""
        self._played = self._asked = None

    def of_now(self, point: AsOf) -> tuple[Estate, AsOf] | None:
        """Return the estate of now, and the point with the position of the head.

        The estate must only be read, and only while the lock is held. Return None if the
        head of the branch is after the point, which happens if the wall clock was set back.
        """
        before, self._number = self._number, self._recorded.number()
        if before != self._number:
            self.forget()  # another branch had the name
        head = self._recorded.head()
        if head.occurred_at is not None and head.occurred_at > point.valid:
            return None
        return self._at(head, point.valid), replace(point, position=head.position)

    def _at(self, head: Head, valid: Instant) -> Estate:
        played = self._played
        if played is None or not played.can_reach(head.position, valid):
            self._played = None
            if (start := self._start(head, valid)) is None:
                return self._recorded.estate(head)
            played = self._played = _PlayedEstate(head.position, start.estate)
            self._ahead.play(start, self._point(head, valid))
        estate = played.estate
        let_pass(estate, valid, position=estate.position + 1)
        return estate

    def _start(self, head: Head, valid: Instant) -> PlayStart | None:
        """Return an estate of its own from which time passes; None if nothing is due."""
        if (start := self._ahead.saved(self._point(head, valid))) is not None:
            return start
        current = self._recorded.of(head)
        self._recorded.at_hand = current
        if not is_due(current.estate, valid):
            return None
        return PlayStart(self._recorded.hand_over(head), Pending(), current.pages)

    def _point(self, head: Head, valid: Instant) -> AsOf:
        return AsOf(valid=valid, known=valid, branch=self._recorded.branch, position=head.position)

    def to_ask(self, point: AsOf, qmgr: str, name: QueueName) -> Estate:
        """Return an estate of now in which a queue manager may request a name.

        `point` comes from `of_now`, and the lock has been held since.

        The estate may contain requests of other queue managers, because the records that one of
        them receives do not affect the others. A queue manager that requested another name before
        is restored first, because it may hold more records than in the log.
        """
        asked = self._asked
        if (
            asked is None
            or not asked.can_reach(point.position, point.valid)
            or is_due(asked.estate, point.valid)
            or not asked.admit(qmgr, name)
        ):
            asked = self._asked = self._private(point)
            asked.admit(qmgr, name)
        return asked.estate

    def _private(self, point: AsOf) -> _PlayedEstate:
        """Return an estate of now that no other reader uses any more."""
        head = self._recorded.head()
        estate, played = self._at(head, point.valid), self._played
        if played is not None and played.estate is estate:
            self._played = None
            return played
        return _PlayedEstate(head.position, self._recorded.hand_over(head))
