"""Record facts with instants of their own: each once, in transactions of bounded size.

Facts come in about the order of their instants. They are taken in pieces. A piece after the head of
the branch is decided like any other fact on time. Facts before it are late: those that a rule reads
go through one sweep; the others are only added. Between two pieces other processes may write.

A piece has about `PIECE` facts. One from which something recorded comes out differently takes with
it all that follows, so that the log is never without what it withdrew.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from heapq import heappop, heappush
from itertools import count, islice
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from twin import events
from twin.app.batch import Batch
from twin.app.deciding import Decision
from twin.app.facts import Fact
from twin.app.importing.identities import free_ids
from twin.app.importing.sweeping import NewFact, Sweep
from twin.app.late_facts import decoded
from twin.feeds.observed import DatedFact
from twin.fold.replay import gc_paused
from twin.log import Head
from twin.model.instants import Instant
from twin.rules.draft import Decided, Draft
from twin.rules.observations.unread import read_by_none
from twin.rules.reactions import REACTIONS

if TYPE_CHECKING:
    from twin.app.open_branch import OpenBranch

PIECE: Final = 2_000
"""The number of facts of a piece. With what follows from them they are at most 4,096 events."""

MOST: Final = 200_000
"""The number of events from which a piece is appended even if it withdrew something."""

WINDOW: Final = 20_000
"""How many facts are looked at to bring them into the order of their instants."""

_IMPORT: Final = "import"
"""The source of the events that begin and end an import."""


class SourcedFact(NamedTuple):
    """A fact of a feed, its source such as `observation:error-log`, and the number of its file."""

    fact: DatedFact
    source: str
    file: int = 0


class Marks(NamedTuple):
    """The events around the facts of an import, by the number of the file.

    Attributes:
        begin: the beginning of each file that has none yet, recorded with its first new fact.
        end: returns the end of a file for the number of facts that were recorded. All ends are
            recorded with the last piece.
        wanted: the files to record a beginning and an end of, even if there is no new fact.
        since: the instant before an earlier beginning without an end; everything after it is
            derived again, since the process that recorded it may have been killed before it was.
    """

    begin: Mapping[int, events.ImportBegun] = MappingProxyType({})
    end: Mapping[int, Callable[[int], events.ImportEnded]] = MappingProxyType({})
    wanted: frozenset[int] = frozenset()
    since: Instant | None = None


def in_about_their_order(facts: Iterable[SourcedFact]) -> Iterator[SourcedFact]:
    """Yield facts in the order of their instants, if none is out of order by more than `WINDOW`.

    Facts of one instant stay in their order.
    """
    heap: list[tuple[Instant, int, SourcedFact]] = []
    numbers = count()
    for fact in facts:
        heappush(heap, (fact.fact.at, next(numbers), fact))
        if len(heap) > WINDOW:
            yield heappop(heap)[2]
    while heap:
        yield heappop(heap)[2]


class _Left(NamedTuple):
    """What a piece leaves behind once it is appended.

    Attributes:
        waiting: the facts that wait.
        aside: those that wait for another sweep, because this one has passed their instants.
        recorded: how many facts of each file are recorded.
        begun: the files whose beginnings are recorded.
        finished: whether nothing is left to do.
        sweep: the sweep to go on with.
    """

    waiting: list[SourcedFact]
    aside: list[SourcedFact]
    recorded: Counter[int]
    begun: frozenset[int]
    finished: bool = False
    sweep: Sweep | None = None


class DatedFacts:
    """The facts of one import on their way into one branch."""

    def __init__(self, twin: OpenBranch, facts: Iterable[SourcedFact], marks: Marks) -> None:
        """Take facts in about the order of their instants."""
        self._twin = twin
        self._source = iter(facts)
        self._marks = marks
        self._since = marks.since
        self._expected = 0
        self._left = _Left([], [], Counter(), frozenset())

    def record(self) -> Counter[int]:
        """Record all facts; return how many of each file were new.

        Raises:
            AheadOfClock, ClockInDoubt: if main must not be written under this clock.
        """
        while not self._left.finished:
            decision, appended = self._twin.writer.act(self._decide)
            self._left, self._since = decision.answer, None
            if appended is not None:
                self._expected = appended.last
        return self._left.recorded

    def _decide(self, head: Head, last: int, _: float) -> Decision:
        """Decide the next piece; what waits stays, until the piece is appended."""
        self._twin.demand_clock()
        sweep, self._left = self._left.sweep, self._left._replace(sweep=None)
        if sweep is not None:  # if this attempt fails, another sweep begins where this one was
            self._since = sweep.reached
            sweep = sweep if self._expected == head.position else None
        if sweep is None:
            self._left.waiting[:0] = sorted(self._left.aside, key=lambda each: each.fact.at)
            self._left.aside.clear()
        waiting = self._pulled(list(self._left.waiting))
        piece = _Piece(self._twin, head, self._marks, self._left)
        if sweep is None and self._since is None:
            ready = piece.ready(waiting[:PIECE])
            late = [each for each in ready if each.is_late]
            if not late:
                return piece.on_time(ready, waiting[PIECE:], last)
            if not any(each.new.read for each in late):
                left = [each.sourced for each in ready if not each.is_late]
                return piece.added(late, [*left, *waiting[PIECE:]])
        return piece.swept(sweep, waiting, self._pulled, since=self._since)

    def _pulled(self, waiting: list[SourcedFact]) -> list[SourcedFact]:
        """Return waiting facts with those that follow, so that they are more than a piece."""
        pulled = list(islice(self._source, max(0, PIECE + 1 - len(waiting))))
        self._left.waiting.extend(pulled)
        return [*waiting, *pulled]


class _Ready(NamedTuple):
    """A fact that is not recorded yet."""

    new: NewFact
    sourced: SourcedFact
    is_late: bool


class _Piece:
    """The decision of one piece."""

    def __init__(self, twin: OpenBranch, head: Head, marks: Marks, left: _Left) -> None:
        self._began = time.monotonic()
        self._twin = twin
        self._head = head
        self._now = twin.now()
        self._marks = marks
        self._batch = Batch()
        self._aside = list(left.aside)
        self._recorded = Counter(left.recorded)
        self._begun = left.begun

    def ready(self, sourced: Sequence[SourcedFact]) -> list[_Ready]:
        """Return the facts that the branch does not have, in the order of their instants."""
        free = free_ids(
            (each.fact.identity for each in sourced),
            self._twin.log,
            branch=self._twin.branch,
            known=self._head.position,
        )
        ready = [
            self._ready(each, event_id)
            for each in sourced
            if (event_id := free.pop(each.fact.identity, None)) is not None
        ]
        return sorted(ready, key=lambda each: each.new.at)

    def _ready(self, sourced: SourcedFact, event_id: str) -> _Ready:
        at, event = sourced.fact.at, sourced.fact.event
        if at > self._now:
            assert isinstance(event, events.Observation)  # noqa: S101 - every fact of a feed is one
            at, event = self._now, replace(event, claimed=at)
        new = NewFact(at, Fact(event, sourced.source, event_id), read=not read_by_none(event))
        latest = self._head.occurred_at
        return _Ready(new, sourced, is_late=latest is not None and at <= latest)

    def on_time(self, ready: Sequence[_Ready], waiting: list[SourcedFact], last: int) -> Decision:
        """Decide facts after the head of the branch."""
        decider = self._twin.writer.decider
        facts = [*self._beginning(ready), *self._taken(ready)]
        facts += [] if waiting else self._ending(facts)
        left = self._left(waiting)
        if not facts:
            return Decision(self._batch, 0, left, 0.0)
        current, first = decider.at_hand(self._head, last)
        pages = decider.pages(current, later=True)
        sweep = Sweep(decider.draft(current.estate, first), [], [])
        with gc_paused():
            sweep.advance(facts, self._batch, first=first, upto=facts[-1].at)
        return self._decision(left, current=current, first=first, pages=pages)

    def added(self, late: Sequence[_Ready], waiting: list[SourcedFact]) -> Decision:
        """Decide late facts that no rule reads: they are only added."""
        self._twin.forget_head()
        self._add([*self._beginning(late), *self._taken(late)])
        return self._decision(self._ended(self._left(waiting)))

    def swept(
        self,
        sweep: Sweep | None,
        waiting: list[SourcedFact],
        pulled: Callable[[list[SourcedFact]], list[SourcedFact]],
        *,
        since: Instant | None,
    ) -> Decision:
        """Decide facts by a sweep, which begins after the instant `since` at the latest."""
        self._twin.forget_head()
        log, latest = self._twin.log, self._head.occurred_at or 0
        first = log.last().position + 1
        while True:
            ready, waiting = self.ready(waiting[:PIECE]), waiting[PIECE:]
            if sweep is None:
                sweep = self._sweep(min([each.new.at - 1 for each in ready] + [since or latest]))
            through = [each for each in ready if each.new.read or not each.is_late]
            self._aside += [each.sourced for each in through if each.new.at <= sweep.reached]
            through = [each for each in through if each.new.at > sweep.reached]
            if waiting:  # the facts of an instant come together
                held = [each for each in through if each.new.at == through[-1].new.at]
                if len(held) < len(through):
                    del through[-len(held) :]
                    waiting[:0] = [each.sourced for each in held]
            self._add([*self._beginning(ready), *self._taken(_unread(ready))])
            upto = max([sweep.reached, *(each.new.at for each in through[-1:])])
            upto = upto if waiting else max(upto, latest)
            with gc_paused():
                sweep.advance(self._taken(through), self._batch, first=first, upto=upto)
            full = len(self._batch.events) >= MOST
            if not waiting or full or not sweep.withdraws:
                break
            waiting = pulled(waiting)
        if waiting and sweep.withdraws:
            with gc_paused():
                sweep.advance([], self._batch, first=first, upto=latest)
        goes_on = bool(waiting) and not sweep.withdraws
        left = self._ended(self._left(waiting, sweep=sweep if goes_on else None))
        return self._decision(left, first=first, late=None if goes_on else sweep.begin)

    def _sweep(self, begin: Instant) -> Sweep:
        twin, known = self._twin, self._head.position
        view = twin.views.rebuild(branch=twin.branch, valid=begin, position=known)
        draft = Draft(view.estate, begin, twin.log.last().position + 1, reactions=REACTIONS)
        later = twin.log.primary_after(begin, branch=twin.branch, known=known)
        derived = twin.log.derived_after(begin, branch=twin.branch, known=known)
        return Sweep(draft, [decoded(each) for each in later], derived)

    def _taken(self, ready: Sequence[_Ready]) -> list[NewFact]:
        """Count facts as recorded, keep their evidence, and return them."""
        for each in ready:
            self._recorded[each.sourced.file] += 1
            if each.sourced.fact.evidence:
                self._batch.texts.append(each.sourced.fact.evidence)
        return [each.new for each in ready]

    def _beginning(self, ready: Sequence[_Ready]) -> list[NewFact]:
        """Return the beginnings of files of which something is recorded for the first time."""
        files = sorted({each.sourced.file for each in ready} - self._begun)
        self._begun |= frozenset(files)
        begin = [self._marks.begin[file] for file in files if file in self._marks.begin]
        return self._marked(begin, ready[0].new.at) if begin else []

    def _ending(self, facts: Sequence[NewFact]) -> list[NewFact]:
        """Return the ends, and the beginnings of files of which there is no new fact."""
        marks, at = self._marks, self._head.occurred_at or self._now
        at = facts[-1].at if facts else at
        alone = sorted(marks.wanted - self._begun)
        begin = [marks.begin[file] for file in alone if file in marks.begin]
        self._begun |= marks.wanted
        end = [
            marks.end[file](self._recorded[file]) for file in sorted(self._begun & marks.end.keys())
        ]
        return self._marked([*begin, *end], at)

    def _marked(self, marks: Sequence[events.PrimaryFact], at: Instant) -> list[NewFact]:
        return [
            NewFact(at, Fact(mark, _IMPORT, self._batch.new_id(at)), read=False) for mark in marks
        ]

    def _add(self, facts: Sequence[NewFact]) -> None:
        for new in facts:
            self._batch.add_primary(new.fact, Decided(new.at, new.fact.event))

    def _left(self, waiting: list[SourcedFact], sweep: Sweep | None = None) -> _Left:
        finished = not waiting and not self._aside
        return _Left(waiting, self._aside, self._recorded, self._begun, finished, sweep)

    def _ended(self, left: _Left) -> _Left:
        """Add the ends at the head of the branch if nothing is left to do."""
        if left.finished:
            self._add(self._ending([]))
        return left._replace(begun=self._begun)

    def _decision(self, left: _Left, *, first: int = 0, **values: Any) -> Decision:
        seconds = time.monotonic() - self._began
        return Decision(self._batch, first, left, seconds, **values)


def _unread(ready: Sequence[_Ready]) -> list[_Ready]:
    return [each for each in ready if each.is_late and not each.new.read]
