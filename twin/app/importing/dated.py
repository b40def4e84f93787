"""Record facts with instants of their own: each once, in transactions of bounded size.

Facts come in about the order of their instants. They are taken in pieces. A piece after the head of
the branch is decided like any other fact on time. Facts before it are late: those that a rule reads
go through one sweep; the others are only added. Between two pieces other processes may write.

A piece has about `PIECE` facts, or more if something recorded comes out differently (`pieces`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import islice
from typing import TYPE_CHECKING, Final

from twin.app.deciding import Decision
from twin.app.importing.in_order import SourcedFact
from twin.app.importing.marks import Marks
from twin.app.importing.pieces import ImportPiece, ImportProgress
from twin.log import Head

if TYPE_CHECKING:
    from twin.app.open_branch import OpenBranch

PIECE: Final = 2_000
"""The number of facts of a piece. With what follows from them they are at most 4,096 events."""


class DatedFacts:
    """The facts of one import on their way into one branch."""

    def __init__(self, twin: OpenBranch, facts: Iterable[SourcedFact], marks: Marks) -> None:
        """Take facts in about the order of their instants."""
        self._twin = twin
        self._source = iter(facts)
        self._marks = marks
        self._since = marks.since
        self._expected = 0
        self._progress = ImportProgress([], [], Counter(), frozenset())

    def record(self) -> Counter[int]:
        """Record all facts; return how many of each file were new.

        Raises:
            AheadOfClock, ClockInDoubt: if main must not be written under this clock.
        """
        while not self._progress.finished:
            decision, appended = self._twin.writer.act(self._decide)
            self._progress, self._since = decision.answer, None
            if appended is not None:
                self._expected = appended.last
        return self._progress.recorded

    def _decide(self, head: Head, last: int, _: float) -> Decision:
        """Decide the next piece; what waits stays, until the piece is appended."""
        self._twin.demand_clock()
        sweep, self._progress = self._progress.sweep, self._progress._replace(sweep=None)
        if sweep is not None:  # if this attempt fails, another sweep begins where this one was
            self._since = sweep.reached
            sweep = sweep if self._expected == head.position else None
        if sweep is None:
            self._progress.waiting[:0] = sorted(
                self._progress.missed, key=lambda each: each.fact.at
            )
            self._progress.missed.clear()
        waiting = self._pulled(list(self._progress.waiting))
        piece = ImportPiece(self._twin, head, self._marks, self._progress, size=PIECE)
        if sweep is None and self._since is None:
            ready = piece.ready(waiting[:PIECE])
            late = [each for each in ready if each.is_late]
            if not late:
                return piece.on_time(ready, waiting[PIECE:], last)
            if not any(each.new.read for each in late):
                rest = [each.sourced for each in ready if not each.is_late]
                return piece.added(late, [*rest, *waiting[PIECE:]])
        return piece.swept(sweep, waiting, self._pulled, since=self._since)

    def _pulled(self, waiting: list[SourcedFact]) -> list[SourcedFact]:
        """Return waiting facts with those that follow, so that they are more than a piece."""
        pulled = list(islice(self._source, max(0, PIECE + 1 - len(waiting))))
        self._progress.waiting.extend(pulled)
        return [*waiting, *pulled]
