"""The estate of the present for those who only look, and one in which repositories may be asked.

What the writer has at hand is looked at where it is that of the present. What fell due since is
played on an estate of the readers' own, and once: later looks go on from there.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple, Self, TypeAlias

from pydantic_core import from_json

from twin.app.writing import Writer
from twin.fold.estate import Estate, Part, QueueManager
from twin.fold.replay import gc_paused
from twin.fold.store.codecs import READERS, WRITERS
from twin.fold.store.lazy_records import write_held
from twin.log import Head
from twin.model.asof import AsOf
from twin.model.instants import Instant
from twin.rules import lifecycle
from twin.rules.draft import Draft
from twin.rules.reactions import REACTIONS
from twin.rules.repository import lifetimes

Name: TypeAlias = tuple[str, str]
"""What an application opens: the name of a queue, and of the queue manager it is to be at."""


_TOUCHED: Final[tuple[Part, ...]] = ("definitions", "repository", "activity", "messaging")
"""The parts of a queue manager that may not be as they were once it has asked."""


class _Asker(NamedTuple):
    """A queue manager that asked for a name, and its parts as they were before that, written."""

    name: Name
    sequence: int
    parts: dict[Part, bytes]
    held: bytes

    @classmethod
    def of(cls, qmgr: QueueManager, name: Name) -> Self:
        """Write down what a queue manager is before it asks."""
        parts = {part: WRITERS[part](qmgr) for part in _TOUCHED}
        return cls(name, qmgr.repository.sequence, parts, write_held(qmgr.repository))

    def restore(self, qmgr: QueueManager) -> bool:
        """Make a queue manager what it was; say if that was possible: not once it published."""
        if qmgr.repository.sequence != self.sequence:
            return False
        for part, written in self.parts.items():
            stored = from_json(written)
            if part == "repository":
                stored["held"] = self.held
            setattr(qmgr, part, READERS[part](stored, qmgr))
        return True


@dataclass(frozen=True, slots=True)
class _Ahead:
    """An estate of our own, of a position of the log, and who asked in it."""

    position: int
    estate: Estate
    askers: dict[str, _Asker] = field(default_factory=dict)

    def leads_to(self, position: int, valid: Instant) -> bool:
        """Say whether it is of a position, and of an instant that is not behind another."""
        return self.position == position and self.estate.instant <= valid

    def admit(self, qmgr: str, name: Name) -> bool:
        """Let a queue manager ask for a name; say if it can be what it is without having asked."""
        before, asks = self.askers.get(qmgr), self.estate.qmgr(qmgr)
        if before is None:
            self.askers[qmgr] = _Asker.of(asks, name)
        elif before.name != name:
            self.askers[qmgr] = before._replace(name=name)
            return before.restore(asks)
        return True


class Present:
    """The present of one branch, as far as it can be had without rebuilding it."""

    def __init__(self, writer: Writer, branch: str) -> None:
        """Read what this writer has at hand."""
        self._writer = writer
        self._branch = branch
        self._played: _Ahead | None = None
        self._asked: _Ahead | None = None

    def look(self, point: AsOf) -> tuple[Estate, AsOf] | None:
        """Return the estate of now, a point of this branch, and the point with its position.

        It is to be read only, and while the writer is held. None where the branch ends later than
        the point, as with a clock that was put back.
        """
        head = self._writer.head(self._branch)
        if head.occurred_at is not None and head.occurred_at > point.valid:
            return None
        return self._at(head, point.valid), replace(point, position=head.position)

    def _at(self, head: Head, valid: Instant) -> Estate:
        played = self._played
        if played is None or not played.leads_to(head.position, valid):
            self._played = None
            estate = self._writer.estate(head, self._branch)
            if not _is_due(estate, valid):
                return estate
            handed = self._writer.hand_over(head, self._branch)
            played = self._played = _Ahead(head.position, handed)
        _play(played, valid)
        return played.estate

    def to_ask(self, point: AsOf, qmgr: str, name: Name) -> Estate:
        """Return an estate of now in which one queue manager may ask its repositories for a name.

        The point is one that was looked at, and the writer has been held since.

        One in which others asked is as good: what a repository tells one of them is nothing to the
        others. Whoever asked for another name is first made what it was before: it may know more
        of its cluster than it does.
        """
        asked = self._asked
        if (
            asked is None
            or not asked.leads_to(point.position, point.valid)
            or _is_due(asked.estate, point.valid)
            or not asked.admit(qmgr, name)
        ):
            asked = self._asked = self._apart(point)
            asked.admit(qmgr, name)
        return asked.estate

    def _apart(self, point: AsOf) -> _Ahead:
        """Return an estate of now that nobody else looks at any more."""
        head = self._writer.head(self._branch)
        estate, played = self._at(head, point.valid), self._played
        if played is not None and played.estate is estate:
            self._played = None
            return played
        return _Ahead(head.position, self._writer.hand_over(head, self._branch))


def _is_due(estate: Estate, valid: Instant) -> bool:
    """Say whether something falls due by an instant that an estate has not seen."""
    return lifetimes.due(estate, upto=valid) is not None


def _play(ahead: _Ahead, valid: Instant) -> None:
    """Let happen what falls due by an instant."""
    estate = ahead.estate
    if _is_due(estate, valid):
        with gc_paused():
            draft = Draft(estate, estate.instant, estate.position + 1, reactions=REACTIONS)
            lifecycle.play(draft, upto=valid)
