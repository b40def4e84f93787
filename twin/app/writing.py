"""Record primary facts, each together with the facts that the rules derive from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final, TypeVar

from twin.app import late_facts
from twin.app.batch import Batch, derive_all, without_secrets
from twin.app.clock_policy import ClockPolicy, InTheFuture
from twin.app.exits import timed
from twin.app.facts import Fact
from twin.app.foretelling import foretold
from twin.app.reading import Pages, Views
from twin.app.recorded_estate import HeadEstate, RecordedEstate
from twin.app.repeating import Soundly, sound
from twin.app.ticking import OpenBatch, Ticked
from twin.fold.estate import Estate
from twin.fold.replay import gc_paused
from twin.log import Appended, ConcurrentAppend, Head, Log
from twin.model.asof import MAIN
from twin.model.instants import Instant
from twin.rules import due_timers, lifecycle
from twin.rules.deriving import Outcome
from twin.rules.draft import Draft
from twin.rules.reactions import REACTIONS
from twin.rules.workload.exits import WorkloadExit

Result = TypeVar("Result")

PIECE: Final = 4096
"""About how many timed events are appended in one transaction."""

ATTEMPTS: Final = 20
"""How often a decision is repeated when another process appended first."""


class Writer:
    """The writer of one branch of a log."""

    def __init__(
        self,
        log: Log,
        views: Views,
        recorded: RecordedEstate,
        clock_policy: ClockPolicy,
        exits: Mapping[str, WorkloadExit],
        soundly: Soundly,
    ) -> None:
        """Write to the branch of this recorded estate. The clock stamps `recorded_at`.

        Workload exits are called when a choice is first decided, never when it is derived again
        after a late fact.
        """
        self._log = log
        self._views = views
        self._recorded = recorded
        self._branch = recorded.branch
        self._snapshots = recorded.snapshots
        self._clock_policy = clock_policy
        self._clock = clock_policy.clock
        self._exits = timed(exits)
        self.soundly = soundly

    def record(self, facts: Sequence[Fact], *, at: Instant | None) -> list[Outcome]:
        """Record facts of one instant with all derived facts; return the outcome of each.

        `at` defaults to now: the wall clock on main, the latest instant of any other branch.

        Raises:
            InThePast, InTheFuture: if a command must not have this instant.
            ControlRefused, NoSuchQueueManager: if MQ would refuse the command.
        """
        masked = [without_secrets(fact) for fact in facts]
        return self._try(
            lambda _: masked, lambda head: self._clock_policy.instant(head, self._branch, at)
        )

    def observe(self, facts_for: Callable[[Head], Sequence[Fact]], *, at: Instant) -> int:
        """Record observations of one instant, late or not; return how many facts were new.

        `facts_for` returns the facts to record after a given head. It is called again if another
        process appends in between.
        """

        def observed_at(head: Head) -> Instant:
            self._clock_policy.demand_sound(head, self._branch)
            return at

        return len(self._try(facts_for, observed_at))

    def tick(self, *, upto: Instant, limit: int | None = None) -> Ticked:
        """Record everything that is due up to an instant, in transactions of whole instants.

        With `limit`, stop once that many events were recorded, but never within an instant.

        Raises:
            InTheFuture: on main, if the instant is after the wall clock.
        """
        recorded = 0
        while True:
            piece = PIECE if limit is None else min(PIECE, limit - recorded)
            decide = partial(OpenBatch.decide, upto=upto, limit=piece)
            ticked = self.append_due(decide, upto=upto)
            recorded += ticked.events
            if ticked.finished or (limit is not None and recorded >= limit):
                return ticked._replace(events=recorded)

    @sound
    def append_due(self, decide: Callable[[OpenBatch], Result], *, upto: Instant) -> Result:
        """Append what `decide` puts into an open batch, in one transaction; return its result.

        `decide` records what is due, up to this instant at most. If another process appends to
        the branch first, it is called again with a new batch. If it raises, nothing is appended.

        Raises:
            InTheFuture: on main, if the instant is after the wall clock.
            AheadOfClock, ClockInDoubt: if main must not be written under this clock.
        """
        if self._branch == MAIN and upto > (now := self._clock()):
            raise InTheFuture(upto, now)
        for _ in range(ATTEMPTS):
            with self._recorded.held():
                head, last = self._log.heads(self._branch)
                self._clock_policy.demand_sound(head, self._branch)
                current, first = self._at_hand(head, last)
                self._recorded.at_hand = None
                due = due_timers.due(current.estate, upto=upto)
                later = due is not None and due.instant > current.estate.instant
                pages = self._snapshots.taken(current.estate, current.pages) if later else None
                draft = self._draft(current.estate, first)
                with gc_paused():
                    answer = decide(OpenBatch(draft))
                    batch = Batch()
                    batch.add_due(draft.events)
                try:
                    self._append(current, batch, head, pages, first=first)
                except ConcurrentAppend:
                    continue
                return answer
        raise ConcurrentAppend(self._branch)

    @sound
    def _try(
        self,
        facts_for: Callable[[Head], Sequence[Fact]],
        instant_for: Callable[[Head], Instant],
    ) -> list[Outcome]:
        for _ in range(ATTEMPTS):
            with self._recorded.held():
                head, last = self._log.heads(self._branch)
                at = instant_for(head)
                facts = facts_for(head)
                if not facts:  # refused: nothing is recorded, not even what fell due
                    return []
                try:
                    if head.occurred_at is None or at >= head.occurred_at:
                        return self._record(facts, head, at, last)
                    return self._record_late(facts, head, at)
                except ConcurrentAppend:
                    continue
        raise ConcurrentAppend(self._branch)

    def _at_hand(self, head: Head, last: int) -> tuple[HeadEstate, int]:
        """Return the estate at the head of a branch, and the next position of the log.

        `last` is the last position when the head was read. Rebuilding the estate takes time, so the
        position is read again after it. If the log has grown on another branch meanwhile, a batch
        that refers to its own positions is decided again.
        """
        current = self._recorded.of(head)
        cached = current is self._recorded.at_hand
        return current, (last if cached else self._log.last().position) + 1

    def _record(self, facts: Sequence[Fact], head: Head, at: Instant, last: int) -> list[Outcome]:
        """Record timed events due up to an instant, then facts of that instant with all derived."""
        current, first = self._at_hand(head, last)
        self._recorded.at_hand = None  # the estate is ahead of the log until the append
        pages = (
            self._snapshots.taken(current.estate, current.pages)
            if at > current.estate.instant
            else None
        )
        draft = self._draft(current.estate, first)
        with gc_paused():
            lifecycle.play(draft, upto=at)
            batch = Batch()
            batch.add_due(draft.events)
            draft.at = at
            outcomes = foretold(draft, derive_all(draft, facts, batch))
            self._append(current, batch, head, pages, first=first)
        return outcomes

    def _draft(self, estate: Estate, first: int) -> Draft:
        """Return a draft at the head of a branch, whose first event gets the position `first`."""
        exits = self._exits
        return Draft(estate, estate.instant, first, reactions=REACTIONS, exits=exits)

    def _append(
        self, current: HeadEstate, batch: Batch, head: Head, pages: Pages | None, *, first: int
    ) -> None:
        """Append a batch whose events are already folded into the estate."""
        if not batch.events:
            self._recorded.at_hand = current if pages is None else replace(current, pages={})
            return
        appended = self._append_at(batch, head, first)
        self._snapshots.count(len(batch.events))
        known = current.pages
        if pages is not None:  # an encoded page counts as unchanged: save it now
            in_time = pages.valid < batch.events[0].occurred_at
            known = self._snapshots.keep(pages, self._branch, appended.last) if in_time else {}
        if appended.last == current.estate.position:
            self._recorded.at_hand = HeadEstate(appended.last, current.estate, known)

    def _append_at(self, batch: Batch, head: Head, first: int) -> Appended:
        """Append a batch that was decided for the position `first`.

        If other processes append to other branches meanwhile, positions move. That matters only for
        a batch that refers to its own events by position.
        """
        return self._log.append(
            batch.events,
            recorded_at=self._clock(),
            branch=self._branch,
            after=head.position,
            first=first if batch.names_puts else None,
        )

    def _record_late(self, facts: Sequence[Fact], head: Head, at: Instant) -> list[Outcome]:
        """Record late facts, and derive again what follows from all later primary facts."""
        self._recorded.at_hand = None
        first = self._log.last().position + 1
        view = self._views.rebuild(branch=self._branch, valid=at, position=head.position)
        draft = Draft(view.estate, at, first, reactions=REACTIONS)
        later = self._log.primary_after(at, branch=self._branch, known=head.position)
        batch = Batch()
        outcomes = late_facts.decide(draft, facts, later, batch, upto=head.occurred_at or at)
        if batch.events:
            self._append_at(batch, head, first)
            self._snapshots.leave(self._branch, since=at)
        return outcomes
