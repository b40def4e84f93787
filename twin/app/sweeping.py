"""A sweep: derive what follows from new facts, once, in the order of their instants.

A sweep begins before the earliest new fact and goes on to the end of the branch. On its way it
derives everything again, from the new facts, from the recorded ones, and from time. What comes out
as it is recorded is not recorded again. While that is so, only what is new has to be appended, and
the sweep can stop after any instant and append it. At the first instant at which something recorded
comes out differently, everything derived from there on is withdrawn.

If messages are put or queues are opened, events refer to positions in the log. Then nothing can be
compared, and everything is withdrawn from the beginning.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import merge
from itertools import takewhile
from operator import attrgetter
from typing import Final, NamedTuple

from twin import events
from twin.app.acting import Fact
from twin.app.batch import Batch
from twin.app.late_facts import LaterFact, derived_again, foresee, note_seen_qmids, play_again
from twin.fold.replay import changes_something
from twin.fold.replay.one_instant import STATEMENTS, together
from twin.log import LogRow, NewEvent
from twin.model.instants import Instant
from twin.rules.draft import Decided, Draft
from twin.rules.observations import dating

_BY_POSITION: Final = (
    events.PutEntered,
    events.GetEntered,
    events.QueueOpened,
    events.HandleClosed,
)
"""Primary facts from which events follow that name others by their positions."""


class NewFact(NamedTuple):
    """A fact to record: its instant, the fact, which has an id, and whether a rule reads it."""

    at: Instant
    fact: Fact
    read: bool = True


class Sweep:
    """A draft that moves from an instant to the end of a branch.

    Attributes:
        begin: the instant after which it began.
        reached: the instant up to which everything is derived.
        withdraws: whether something recorded came out differently, so that a batch that is appended
            has to go on to the end.
    """

    def __init__(self, draft: Draft, later: Sequence[LaterFact], derived: Sequence[LogRow]) -> None:
        """Begin with a draft at an instant.

        Args:
            draft: the draft, without events.
            later: the recorded primary facts after its instant, in fold order.
            derived: the recorded derived facts after its instant, in fold order.
        """
        self.reached = draft.at
        self.withdraws = False
        self.begin = draft.at
        self._draft = draft
        self._later = list(reversed(later))
        self._derived = list(reversed(derived))
        self._comparable = not (
            any(qmgr.has_messaging for qmgr in draft.estate.qmgrs.values())
            or any(isinstance(each.event, _BY_POSITION) for each in later)
        )
        self._derived_at: Instant | None = None
        foresee(draft, later)

    def advance(self, facts: Sequence[NewFact], batch: Batch, *, first: int, upto: Instant) -> None:
        """Derive up to an instant, and add to a batch what is not recorded.

        Args:
            facts: the new facts after what was reached and up to the instant, in its order.
            batch: the batch, which may have events.
            first: the position that the first event of the batch will have.
            upto: the instant; `reached` is the same afterwards.
        """
        piece = _Piece(self, batch, first)
        if not self._comparable and not self.withdraws:
            piece.withdraw(self.begin)
        news = {str(new.fact.event_id): new for new in facts}
        added = [
            LaterFact(new.at, id_, each) for id_, new in news.items() for each in new.fact.said
        ]
        if any(dating.reaches_back(each.event) for each in added):
            foresee(self._draft, list(merge(reversed(self._later), added, key=attrgetter("at"))))
        else:
            note_seen_qmids(self._draft, added)
        merged = merge(self._recorded(upto), added, key=attrgetter("at"))
        for group in together(merged, attrgetter("at"), attrgetter("event"), changes_something):
            self._take(group, news, piece)
        piece.play(self._draft, upto)
        piece.settle(upto)
        self.reached = upto

    def _recorded(self, upto: Instant) -> Iterator[LaterFact]:
        """Take the recorded primary facts up to an instant."""
        while self._later and self._later[-1].at <= upto:
            yield self._later.pop()

    def _take(self, group: Sequence[LaterFact], news: dict[str, NewFact], piece: _Piece) -> None:
        draft, at = self._draft, group[0].at
        piece.play(draft, at)
        piece.settle(at - 1)
        draft.at = at
        fresh = [news[each.event_id] for each in group if each.event_id in news]
        added = [new for new in fresh if str(new.fact.event_id) not in piece.rows_added]
        tied = self._derived_at == at and changes_something(group[0].event)
        for new in added:
            piece.target.add_primary(new.fact, Decided(at, new.fact.event))
            if new.fact.rows:  # they are alone in their groups, and share a position
                piece.rows_added.add(str(new.fact.event_id))
                draft.position = piece.position - 1
                draft.fold_together(new.fact.rows)
        draft.folded = bool(fresh and fresh[0].fact.rows)
        if fresh and not fresh[0].read:  # such facts are alone in their group
            draft.position = piece.position - (0 if draft.folded else 1)
            draft.emit(group[0].event)
            draft.events.clear()
            return
        counted = 0 if draft.folded else len(added) if tied else len(group)
        draft.position = piece.position - counted
        before = len(piece.target.events)
        again = tied and not (added and len(group) == 1)
        for fact, decided in derived_again(draft, group, tied=again):
            if again and fact.event_id in news and _is_copy(fact, decided):
                continue  # it has just been added
            piece.target.add_again(fact.event_id, piece.prefix, decided)
        if len(piece.target.events) > before:
            self._derived_at = at

    def recorded_of(self, at: Instant, decided: Sequence[NewEvent]) -> int | None:
        """Compare what is derived at an instant with what is recorded there.

        Return how many of the derived facts are recorded; None if one that is recorded is not
        among the first of them.
        """
        recorded = list(takewhile(lambda row: row[0] == at, reversed(self._derived)))
        del self._derived[len(self._derived) - len(recorded) :]
        same = [(row[2], row[3]) for row in recorded]
        return len(same) if same == [(e.type, e.body) for e in decided[: len(same)]] else None

    def next_recorded(self) -> Instant | None:
        """Return the instant of the next recorded derived fact; None if there is none."""
        return self._derived[-1][0] if self._derived else None


def _is_copy(fact: LaterFact, decided: Sequence[Decided]) -> bool:
    """Return whether what was decided is a statement itself, and not what follows from it."""
    return len(decided) == 1 and isinstance(decided[0].event, type(fact.event))


class _Piece:
    """The part of a sweep that goes into one batch.

    Attributes:
        target: takes what is derived: the batch itself once something was withdrawn; until then,
            events wait here for what is derived at their instant.
        prefix: the beginning of the ids of derived facts.
        rows_added: the ids of added facts that stand for many rows.
    """

    def __init__(self, sweep: Sweep, batch: Batch, first: int) -> None:
        self._sweep = sweep
        self._batch = batch
        self._first = first
        self.prefix = batch.new_id(sweep.reached)
        self.rows_added = set[str]()
        self.target = batch if sweep.withdraws else batch.aside()

    @property
    def position(self) -> int:
        """The position that the next event will have, if nothing waits that is recorded."""
        waiting = 0 if self.target is self._batch else len(self.target.events)
        return self._first + len(self._batch.events) + waiting

    def play(self, draft: Draft, upto: Instant) -> None:
        """Derive the timed events up to an instant."""
        draft.position = self.position
        play_again(draft, upto, self.target, self.prefix)

    def withdraw(self, at: Instant) -> None:
        """Withdraw what was derived after an instant; from now on everything is added."""
        self._sweep.withdraws = True
        waiting, self.target = self.target.events, self._batch
        self._batch.withdraw("", at)
        self._batch.events += waiting

    def settle(self, upto: Instant) -> None:
        """Add the events up to an instant that are not recorded."""
        if self._sweep.withdraws:
            return
        waiting = self.target.events
        place = 0
        while (at := self._next(waiting, place)) is not None and at <= upto:
            end = place
            while end < len(waiting) and waiting[end].occurred_at == at:
                end += 1
            here = waiting[place:end]
            derived = [event for event in here if event.cause is not None]
            same = self._sweep.recorded_of(at, derived)
            joins = any(e.cause is None and e.type in STATEMENTS for e in here)
            if same is None or (joins and same):  # statements come before what follows from them
                del waiting[:place]
                self.withdraw(at - 1)
                return
            kept = set(map(id, derived[:same]))
            self._batch.events += [event for event in here if id(event) not in kept]
            place = end
        del waiting[:place]

    def _next(self, waiting: Sequence[NewEvent], place: int) -> Instant | None:
        """Return the next instant at which something is derived, now or before."""
        instants = [self._sweep.next_recorded()]
        instants += [waiting[place].occurred_at] if place < len(waiting) else []
        return min((each for each in instants if each is not None), default=None)
