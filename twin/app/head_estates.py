"""The estates of now that readers keep at hand, so that not every question rebuilds one.

Three estates of the head of a branch are kept, each in one place:

- the recorded one, by the writer: valid while the branch has the same head;
- the played one, here: the recorded estate after everything that fell due up to now. Valid while
  the branch has the same head; later questions play on from it;
- the asked one, here: a played estate in which queue managers asked full repositories for names.
  Valid under the same condition, and private to explanations.

All of them are read while the writer is held.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple, Self, TypeAlias

from twin.app.writing import Writer
from twin.fold.estate import Estate, Part, QueueManager
from twin.fold.replay import gc_paused
from twin.fold.store.lazy_records import HELD
from twin.fold.store.pages import page_name, page_of, read_part
from twin.log import Head
from twin.model.asof import AsOf
from twin.model.instants import Instant
from twin.rules import lifecycle
from twin.rules.draft import Draft
from twin.rules.reactions import REACTIONS
from twin.rules.repository import lifetimes

QueueName: TypeAlias = tuple[str, str]
"""What an application opens: the name of a queue, and of its queue manager (may be blank)."""

_PARTS_CHANGED_BY_ASKING: Final[tuple[Part, ...]] = (
    "definitions",
    "repository",
    "activity",
    "messaging",
)


class _Asker(NamedTuple):
    """A queue manager that asked for a name, and its pages as they were before."""

    name: QueueName
    sequence: int
    pages: dict[str, bytes]

    @classmethod
    def of(cls, qmgr: QueueManager, name: QueueName) -> Self:
        """Encode a queue manager before it asks."""
        kinds = (*_PARTS_CHANGED_BY_ASKING, HELD)
        pages = {page_name(qmgr.qmid, kind): page_of(qmgr, kind) for kind in kinds}
        return cls(name, qmgr.repository.sequence, pages)

    def restore(self, qmgr: QueueManager) -> bool:
        """Restore a queue manager; return False if that is impossible, because it published."""
        if qmgr.repository.sequence != self.sequence:
            return False
        for part in _PARTS_CHANGED_BY_ASKING:
            setattr(qmgr, part, read_part(qmgr, part, self.pages.__getitem__))
        return True


@dataclass(frozen=True, slots=True)
class _PlayedEstate:
    """An estate of the readers' own, the log position it belongs to, and who asked in it."""

    position: int
    estate: Estate
    askers: dict[str, _Asker] = field(default_factory=dict)

    def can_reach(self, position: int, valid: Instant) -> bool:
        """Return whether playing on from here leads to an instant, at a position."""
        return self.position == position and self.estate.instant <= valid

    def admit(self, qmgr: str, name: QueueName) -> bool:
        """Let a queue manager ask for a name; return False if it cannot forget an earlier name."""
        before, asker = self.askers.get(qmgr), self.estate.qmgr(qmgr)
        if before is None:
            self.askers[qmgr] = _Asker.of(asker, name)
        elif before.name != name:
            self.askers[qmgr] = before._replace(name=name)
            return before.restore(asker)
        return True


class HeadEstates:
    """The played and the asked estate at the head of one branch."""

    def __init__(self, writer: Writer, branch: str) -> None:
        """Start from the recorded estate that this writer keeps."""
        self._writer = writer
        self._branch = branch
        self._played: _PlayedEstate | None = None
        self._asked: _PlayedEstate | None = None

    def of_now(self, point: AsOf) -> tuple[Estate, AsOf] | None:
        """Return the estate of now, and the point with the position of the head.

        The estate must only be read, and only while the writer is held. Return None if the branch
        ends after the point, as it does when the wall clock was set back.
        """
        head = self._writer.head(self._branch)
        if head.occurred_at is not None and head.occurred_at > point.valid:
            return None
        return self._at(head, point.valid), replace(point, position=head.position)

    def _at(self, head: Head, valid: Instant) -> Estate:
        played = self._played
        if played is None or not played.can_reach(head.position, valid):
            self._played = None
            estate = self._writer.estate(head, self._branch)
            if not _is_due(estate, valid):
                return estate
            private = self._writer.hand_over(head, self._branch)
            played = self._played = _PlayedEstate(head.position, private)
        _play(played, valid)
        return played.estate

    def to_ask(self, point: AsOf, qmgr: str, name: QueueName) -> Estate:
        """Return an estate of now in which a queue manager may ask full repositories for a name.

        `of_now` returned the point, and the writer has been held since.

        An estate in which other queue managers asked will do: what a repository tells one of them
        does not concern the others. A queue manager that asked for another name is restored first,
        because it may know more than it does in the log.
        """
        asked = self._asked
        if (
            asked is None
            or not asked.can_reach(point.position, point.valid)
            or _is_due(asked.estate, point.valid)
            or not asked.admit(qmgr, name)
        ):
            asked = self._asked = self._private(point)
            asked.admit(qmgr, name)
        return asked.estate

    def _private(self, point: AsOf) -> _PlayedEstate:
        """Return an estate of now that nobody else reads any more."""
        head = self._writer.head(self._branch)
        estate, played = self._at(head, point.valid), self._played
        if played is not None and played.estate is estate:
            self._played = None
            return played
        return _PlayedEstate(head.position, self._writer.hand_over(head, self._branch))


def _is_due(estate: Estate, valid: Instant) -> bool:
    """Return whether something falls due between the instant of an estate and another one."""
    return lifetimes.due(estate, upto=valid) is not None


def _play(played: _PlayedEstate, valid: Instant) -> None:
    """Let everything happen that falls due up to an instant."""
    estate = played.estate
    if _is_due(estate, valid):
        with gc_paused():
            draft = Draft(estate, estate.instant, estate.position + 1, reactions=REACTIONS)
            lifecycle.play(draft, upto=valid)
