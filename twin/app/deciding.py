"""Decide what follows from primary facts, or from time, after the head of a branch."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from twin.app import late_facts
from twin.app.batch import Batch, derive_all
from twin.app.exits import ExitCalls
from twin.app.facts import Fact
from twin.app.foretelling import foretold
from twin.app.protection import Protection
from twin.app.reading import Pages, Views
from twin.app.recorded_estate import HeadEstate, RecordedEstate
from twin.app.ticking import OpenBatch
from twin.app.unread import add_unread, may_be_unread, never_read
from twin.events import StatedObservation
from twin.fold import seen_qmids
from twin.fold.estate import Estate
from twin.fold.replay import gc_paused
from twin.fold.replay.one_instant import JOINED
from twin.fold.seen_qmids import SeenQmids
from twin.log import Head, Log
from twin.model.instants import Instant
from twin.rules import consequences, due_timers, lifecycle
from twin.rules.deriving import Outcome
from twin.rules.draft import Decided, Draft
from twin.rules.observations import identity
from twin.rules.reactions import REACTIONS


@dataclass(frozen=True, slots=True)
class Decision:
    """What was decided after the head of a branch, and is not appended yet.

    Attributes:
        batch: the events.
        first: the position that its first event has, if no other process appends first.
        answer: what the caller gets when the batch is appended.
        seconds: how long it took to decide, without rebuilding the estate of the head.
        current: the estate of the head, with the batch folded into it; None if the facts are late.
        pages: the estate of the head, encoded for a snapshot, if one is due.
        late: the instant of late facts; None if they are not late.
    """

    batch: Batch
    first: int
    answer: Any
    seconds: float
    current: HeadEstate | None = None
    pages: Pages | None = None
    late: Instant | None = None


class Decider:
    """Decides after the head of one branch.

    The estate of the head is ahead of the log until the decision is appended, so it is no longer at
    hand: whoever appends a decision puts it back, and after a failure it is rebuilt.
    """

    def __init__(
        self,
        log: Log,
        views: Views,
        recorded: RecordedEstate,
        exits: ExitCalls,
        protection: Protection,
    ) -> None:
        """Decide on this recorded estate, with these exits and this protection of main."""
        self._log = log
        self._views = views
        self._recorded = recorded
        self._exits = exits
        self._protection = protection

    def facts(self, facts: Sequence[Fact], head: Head, last: int, at: Instant) -> Decision:
        """Decide facts of one instant, after all timed events that are due up to it.

        Without facts nothing is decided, not even what fell due: they were refused.

        Raises:
            ObservedOnMain: if a command would change an observed queue manager on main.
        """
        if not facts:
            return Decision(Batch(), 0, [], 0.0)
        if (since := self._identifies(facts, head, at)) is not None and since <= at:
            return self._joined(facts, head, at, since=since - 1)
        if head.occurred_at is not None and at <= head.occurred_at:
            if self._joins(facts, head, at):
                return self._joined(facts, head, at, since=at - 1)
            if at < head.occurred_at:
                return self._late(facts, head, at)
        current, first = self.at_hand(head, last)
        self._protect(facts, current.estate)
        began = time.monotonic()
        pages = self.pages(current, later=at > current.estate.instant)
        draft = self.draft(current.estate, first)
        with gc_paused():
            lifecycle.play(draft, upto=at)
            batch = Batch()
            batch.add_due(draft.events)
            draft.at = at
            outcomes = foretold(draft, derive_all(draft, facts, batch))
        return Decision(batch, first, outcomes, time.monotonic() - began, current, pages)

    def due(
        self,
        decide: Callable[[OpenBatch], Any],
        head: Head,
        last: int,
        *,
        upto: Instant,
        seconds: float,
    ) -> Decision:
        """Decide what `decide` puts into an open batch, which is late after `seconds`."""
        current, first = self.at_hand(head, last)
        began = time.monotonic()
        due = due_timers.due(current.estate, upto=upto)
        later = due is not None and due.instant > current.estate.instant
        pages = self.pages(current, later=later)
        draft = self.draft(current.estate, first)
        with gc_paused():
            answer = decide(OpenBatch(draft, seconds=seconds))
            batch = Batch()
            batch.add_due(draft.events)
        return Decision(batch, first, answer, time.monotonic() - began, current, pages)

    def _late(self, facts: Sequence[Fact], head: Head, at: Instant) -> Decision:
        """Decide late facts, and derive again what follows from all later primary facts.

        Nothing is derived again if no rule reads what was observed.
        """
        self._recorded.at_hand = None
        began = time.monotonic()
        branch, first = self._recorded.branch, self._log.last().position + 1
        if never_read(facts):
            batch = Batch()
            for fact in facts:
                batch.add_primary(fact, Decided(at, fact.event))
            outcomes = [Outcome() for _ in facts]
            return Decision(batch, first, outcomes, time.monotonic() - began, late=at)
        later = self._log.primary_after(at, branch=branch, known=head.position)

        def draft_then() -> Draft:
            view = self._views.rebuild(branch=branch, valid=at, position=head.position)
            return Draft(view.estate, at, first, reactions=REACTIONS)

        if may_be_unread(facts, later):
            batch = Batch()
            if add_unread(draft_then(), facts, later, batch):
                outcomes = [Outcome() for _ in facts]
                return Decision(batch, first, outcomes, time.monotonic() - began, late=at)
        draft, batch = draft_then(), Batch()
        self._protect(facts, draft.estate)
        outcomes = late_facts.decide(draft, facts, later, batch, upto=head.occurred_at or at)
        return Decision(batch, first, outcomes, time.monotonic() - began, late=at)

    def _protect(self, facts: Sequence[Fact], estate: Estate) -> None:
        self._protection.check(facts, estate, log=self._log, branch=self._recorded.branch)

    def _joins(self, facts: Sequence[Fact], head: Head, at: Instant) -> bool:
        """Return whether there are statements of an instant that has others to follow them."""
        return any(isinstance(fact.event, StatedObservation) for fact in facts) and bool(
            self._log.rows(
                branch=self._recorded.branch,
                valid=at,
                since_valid=at - 1,
                known=head.position,
                types=JOINED,
            )
        )

    def _identifies(self, facts: Sequence[Fact], head: Head, at: Instant) -> Instant | None:
        """Return since when facts give known queue managers another QMID; None if they do not."""
        said: SeenQmids = {}
        for fact in facts:
            seen_qmids.note(said, fact.event, at)
        if not said or head.occurred_at is None:
            return None
        return identity.first_affected(self._recorded.of(head).estate, said)

    def _joined(
        self, facts: Sequence[Fact], head: Head, at: Instant, *, since: Instant
    ) -> Decision:
        """Decide observations, and derive everything after an instant again, with them."""
        self._recorded.at_hand = None
        began = time.monotonic()
        branch, first = self._recorded.branch, self._log.last().position + 1
        view = self._views.rebuild(branch=branch, valid=since, position=head.position)
        draft = Draft(view.estate, since, first, reactions=REACTIONS)
        later = self._log.primary_after(since, branch=branch, known=head.position)
        batch = Batch()
        with gc_paused():
            outcomes = late_facts.join(
                draft, facts, later, batch, at=at, upto=max(head.occurred_at or at, at)
            )
        return Decision(batch, first, outcomes, time.monotonic() - began, late=since)

    def at_hand(self, head: Head, last: int) -> tuple[HeadEstate, int]:
        """Take the estate at the head of the branch; return it with the next position of the log.

        `last` is the last position when the head was read. Rebuilding the estate takes time, so the
        position is read again after it. If the log has grown on another branch meanwhile, a batch
        that refers to its own positions is decided again.
        """
        before = self._recorded.at_hand
        current = self._recorded.of(head)
        self._recorded.at_hand = None
        kept = before is not None and before.estate is current.estate
        return current, (last if kept else self._log.last().position) + 1

    def pages(self, current: HeadEstate, *, later: bool) -> Pages | None:
        """Encode the estate of the head if a snapshot is due and the events come `later`."""
        return self._recorded.snapshots.taken(current.estate, current.pages) if later else None

    def draft(self, estate: Estate, first: int) -> Draft:
        """Return a draft at the head of a branch, whose first event gets the position `first`."""
        exits = self._exits.exits
        draft = Draft(estate, estate.instant, first, reactions=REACTIONS, exits=exits)
        consequences.await_exits(draft)
        return draft
