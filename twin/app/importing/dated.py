"""Record facts with instants of their own: each once, in transactions of bounded size.

Facts come in about the order of their instants. They are taken in pieces. A piece after the head of
the branch is decided like any other fact on time. Facts before it are late: those that a rule reads
go through one sweep; the others are only added. Between two pieces other processes may write.

A piece has about `PIECE` facts, or more if something recorded comes out differently. It is decided
by `ImportPiece`, and then appended in one transaction. A piece from which something recorded comes
out differently takes with it all that follows, so that the log is never without what it withdrew.
Facts with an identity have an id made from it.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from hashlib import blake2b
from heapq import heappop, heappush
from itertools import count, groupby, islice
from typing import Any, Final, NamedTuple

from twin import events
from twin.app.acting import Fact
from twin.app.batch import Batch
from twin.app.deciding import Decision
from twin.app.importing.marks import Marks
from twin.app.late_facts import decoded
from twin.app.open_branch import OpenBranch
from twin.app.seen_again import key_of, may_repeat, shortened
from twin.app.sweeping import NewFact, Sweep
from twin.feeds.observed import DatedFact
from twin.fold.estate import Estate
from twin.fold.replay import gc_paused
from twin.log import Head, Log
from twin.log.references import SEEN_AGAIN, text_of
from twin.model.instants import Instant
from twin.rules.deriving import read_by_none
from twin.rules.draft import Decided, Draft
from twin.rules.reactions import REACTIONS

WINDOW: Final = 20_000
"""How many facts are looked at to bring them into the order of their instants."""


class SourcedFact(NamedTuple):
    """A fact of a feed, its source such as `observation:error-log`, and the number of its file."""

    fact: DatedFact
    source: str
    file: int = 0


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


MOST: Final = 200_000
"""The number of events from which a piece is appended even if it withdrew something."""

_IMPORT: Final = "import"
"""The source of the events that begin and end an import."""

_BYTES: Final = 16


class ImportProgress(NamedTuple):
    """How far an import is, once a piece is appended.

    Attributes:
        waiting: the facts that wait.
        missed: those that wait for another sweep, because this one has passed their instants.
        recorded: how many facts of each file are recorded.
        begun: the files whose beginnings are recorded.
        finished: whether nothing is left to do.
        sweep: the sweep to go on with.
    """

    waiting: list[SourcedFact]
    missed: list[SourcedFact]
    recorded: Counter[int]
    begun: frozenset[int]
    finished: bool = False
    sweep: Sweep | None = None


class ReadyFact(NamedTuple):
    """A fact that is not recorded yet."""

    new: NewFact
    sourced: SourcedFact
    is_late: bool


class ImportPiece:
    """The decision of one piece; one of `on_time`, `added` and `swept` is called, once.

    A piece after the head of the branch is on time. Late facts that no rule reads are only added.
    All others go through a sweep.
    """

    def __init__(
        self, twin: OpenBranch, head: Head, marks: Marks, progress: ImportProgress, *, size: int
    ) -> None:
        """Begin a piece of about `size` facts at a head of the branch."""
        self._began = time.monotonic()
        self._twin = twin
        self._head = head
        self._now = twin.now()
        self._size = size
        self._marks = marks
        self._batch = Batch()
        self._missed = list(progress.missed)
        self._recorded = Counter(progress.recorded)
        self._begun = progress.begun

    def ready(self, sourced: Sequence[SourcedFact]) -> list[ReadyFact]:
        """Return the facts that the branch does not have, in the order of their instants."""
        free = free_ids(
            (each.fact.identity for each in sourced),
            self._twin.log,
            branch=self._twin.branch,
            known=self._head.position,
        )
        again = self._said_again(sourced)
        ready = [
            self._ready(each, event_id)
            for each in sourced
            if (event_id := free.pop(each.fact.identity, None)) is not None
            and (each.fact.at, *key_of(each.fact.event)) not in again
        ]
        return sorted(ready, key=lambda each: each.new.at)

    def _said_again(self, sourced: Sequence[SourcedFact]) -> set[tuple[Instant, str, str]]:
        """Return (instant, type, text) of rows that have no id, since an event stands for them."""
        at = [each.fact.at for each in sourced if may_repeat(each.fact.event)]
        if not at:
            return set()
        rows = self._twin.log.rows(
            branch=self._twin.branch,
            known=self._head.position,
            since_valid=min(at) - 1,
            valid=max(at),
            types=[SEEN_AGAIN],
        )
        texts = ((row[0], text_of(row[2], row[3])) for row in rows)
        return {(each, said.type, said.text) for each, said in texts}

    def _ready(self, sourced: SourcedFact, event_id: str) -> ReadyFact:
        at, event = sourced.fact.at, sourced.fact.event
        if at > self._now:
            assert isinstance(event, events.Observation)  # noqa: S101 - every fact of a feed is one
            at, event = self._now, replace(event, claimed=at)
        new = NewFact(at, Fact(event, sourced.source, event_id), read=not read_by_none(event))
        latest = self._head.occurred_at
        return ReadyFact(new, sourced, is_late=latest is not None and at <= latest)

    def on_time(
        self, ready: Sequence[ReadyFact], waiting: list[SourcedFact], last: int
    ) -> Decision:
        """Decide facts after the head of the branch."""
        decider = self._twin.writer.decider
        facts = [*self._beginning(ready), *self._taken(ready)]
        facts += [] if waiting else self._ending(facts)
        progress = self._progress(waiting)
        if not facts:
            return Decision(self._batch, 0, progress, 0.0)
        current, first = decider.at_hand(self._head, last)
        facts = self._shortened(facts, current.estate)
        pages = decider.pages(current, later=True)
        sweep = Sweep(decider.draft(current.estate, first), [], [])
        with gc_paused():
            sweep.advance(facts, self._batch, first=first, upto=facts[-1].at)
        return self._decision(progress, current=current, first=first, pages=pages)

    def _shortened(self, facts: Sequence[NewFact], estate: Estate) -> list[NewFact]:
        """Return facts, with one for all rows of an instant and a file that say the same again."""
        result: list[NewFact] = []
        for _, alike in groupby(facts, key=lambda new: (new.at, new.fact.source, _file_of(new))):
            news = {id(new.fact): new for new in alike}
            listed = [new.fact for new in news.values()]
            if any(may_repeat(fact.event) for fact in listed):
                listed = shortened(listed, estate, self._twin.log, known=self._head.position)
            at = next(iter(news.values())).at
            result += (news.get(id(fact)) or NewFact(at, fact) for fact in listed)
        return result

    def added(self, late: Sequence[ReadyFact], waiting: list[SourcedFact]) -> Decision:
        """Decide late facts that no rule reads: they are only added."""
        self._twin.forget_head()
        self._add([*self._beginning(late), *self._taken(late)])
        return self._decision(self._ended(self._progress(waiting)))

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
            ready, waiting = self.ready(waiting[: self._size]), waiting[self._size :]
            if sweep is None:
                sweep = self._sweep(min([each.new.at - 1 for each in ready] + [since or latest]))
            through = [each for each in ready if each.new.read or not each.is_late]
            self._missed += [each.sourced for each in through if each.new.at <= sweep.reached]
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
        progress = self._ended(self._progress(waiting, sweep=sweep if goes_on else None))
        return self._decision(progress, first=first, late=None if goes_on else sweep.begin)

    def _sweep(self, begin: Instant) -> Sweep:
        twin, known = self._twin, self._head.position
        view = twin.views.rebuild(branch=twin.branch, valid=begin, position=known)
        draft = Draft(view.estate, begin, twin.log.last().position + 1, reactions=REACTIONS)
        later = twin.log.primary_after(begin, branch=twin.branch, known=known)
        derived = twin.log.derived_after(begin, branch=twin.branch, known=known)
        return Sweep(draft, [decoded(each) for each in later], derived)

    def _taken(self, ready: Sequence[ReadyFact]) -> list[NewFact]:
        """Count facts as recorded, keep their evidence, and return them."""
        for each in ready:
            self._recorded[each.sourced.file] += 1
            if each.sourced.fact.evidence:
                self._batch.texts.append(each.sourced.fact.evidence)
        return [each.new for each in ready]

    def _beginning(self, ready: Sequence[ReadyFact]) -> list[NewFact]:
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

    def _progress(self, waiting: list[SourcedFact], sweep: Sweep | None = None) -> ImportProgress:
        finished = not waiting and not self._missed
        return ImportProgress(waiting, self._missed, self._recorded, self._begun, finished, sweep)

    def _ended(self, progress: ImportProgress) -> ImportProgress:
        """Add the ends at the head of the branch if nothing is left to do."""
        if progress.finished:
            self._add(self._ending([]))
        return progress._replace(begun=self._begun)

    def _decision(self, progress: ImportProgress, *, first: int = 0, **values: Any) -> Decision:
        return Decision(self._batch, first, progress, time.monotonic() - self._began, **values)


def _unread(ready: Sequence[ReadyFact]) -> list[ReadyFact]:
    return [each for each in ready if each.is_late and not each.new.read]


def _file_of(new: NewFact) -> str | None:
    origin = getattr(new.fact.event, "origin", None)
    return origin.file if origin is not None else None


def id_of(identity: str) -> str:
    """Return the id of the fact with an identity."""
    return f"seen-{blake2b(identity.encode(), digest_size=_BYTES).hexdigest()}"


def free_ids(identities: Iterable[str], log: Log, *, branch: str, known: int) -> dict[str, str]:
    """Return an id for each identity that a branch does not have up to a position."""
    first = {id_of(identity): identity for identity in identities}
    asked = {id_: id_ for id_ in first}
    free: dict[str, str] = {}
    for turn in count(2):
        found = log.known_facts(list(asked), branch=branch, known=known)
        hidden: dict[str, str] = {}
        for id_, of in asked.items():
            if id_ not in found:
                free[first[of]] = id_
            elif not found[id_].seen:
                hidden[f"{of}~{turn}"] = of
        if not hidden:
            return free
        asked = hidden
    raise AssertionError


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
