"""Writing: primary facts are decided upon, and appended together with what follows from them."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from twin.app.batch import COMMAND, WITHDRAWAL, Batch, Fact
from twin.app.reading import SNAPSHOT_EVERY, Views
from twin.errors import TwinError
from twin.events.catalogue import decode
from twin.fold.estate import Estate
from twin.log import ConcurrentAppend, Head, Log
from twin.model.instants import Instant, format_instant
from twin.rules.deriving import Outcome, derive, derive_again
from twin.rules.draft import Draft

ATTEMPTS: Final = 20
"""How often a decision is made anew when another process appended first."""


class InThePast(TwinError, ValueError):
    """A command dated before the latest one of its branch."""

    def __init__(self, at: Instant, latest: Instant, branch: str) -> None:
        super().__init__(
            f"{format_instant(at)} lies before {format_instant(latest)}, the latest command of "
            f"branch {branch}: the past is fixed; try it on a branch: "
            f"twin branch create NAME --from {branch} --at {format_instant(at)}"
        )


class InTheFuture(TwinError, ValueError):
    """A command on main dated after the wall clock."""

    def __init__(self, at: Instant, now: Instant) -> None:
        super().__init__(
            f"{format_instant(at)} lies after {format_instant(now)}, and main never runs ahead of "
            "the clock: try it on a branch (twin branch create NAME)"
        )


@dataclass(frozen=True, slots=True)
class _Kept:
    """The estate at the head of a branch, kept between writes of one process."""

    branch: str
    position: int
    estate: Estate


class Writer:
    """Records facts on a branch of one log."""

    def __init__(self, log: Log, views: Views, clock: Callable[[], Instant]) -> None:
        """Write to this log; the clock stamps `recorded_at`."""
        self._log = log
        self._views = views
        self._clock = clock
        self._lock = threading.RLock()
        self._kept: _Kept | None = None
        self._since_snapshot = 0

    def record(self, facts: Sequence[Fact], *, branch: str, at: Instant | None) -> list[Outcome]:
        """Record facts of one instant with all that follows, atomically; return what came of each.

        `at` of None is now: the clock on main, the latest instant on any other branch.

        Raises:
            InThePast, InTheFuture: for an instant that commands may not have.
            ControlRefused, NoSuchQueueManager: for a command that MQ would refuse to run.
        """
        masked = [fact.masked() for fact in facts]
        return self._try(lambda _: masked, branch, lambda head: self._instant(head, branch, at))

    def observe(
        self, facts_for: Callable[[Head], Sequence[Fact]], *, branch: str, at: Instant
    ) -> int:
        """Record observations of one instant, late or not; return how many facts were new.

        `facts_for` says, given the head they will stand behind, what is to be recorded: it is
        asked again when another process appends in between.
        """
        return len(self._try(facts_for, branch, lambda _: at))

    def head_estate(self, branch: str) -> Estate:
        """Return the estate at the head of a branch, to be read only."""
        with self._lock:
            head = self._log.head(branch)
            estate = self._estate_at(head, branch)
            self._kept = _Kept(branch, head.position, estate)
            return estate

    def present(self, branch: str) -> Instant:
        """Return a what-if branch's own latest instant: of its events, or of its fork."""
        latest = self._log.head(branch).occurred_at
        forked = self._log.branch(branch).fork_occurred_at
        return max(latest or 0, forked) or self._clock()

    def check(self, branch: str, at: Instant) -> None:
        """Say beforehand whether a command may have this instant.

        Raises:
            InThePast, InTheFuture: when it may not.
        """
        self._instant(self._log.head(branch), branch, at)

    def _try(
        self,
        facts_for: Callable[[Head], Sequence[Fact]],
        branch: str,
        instant_for: Callable[[Head], Instant],
    ) -> list[Outcome]:
        for _ in range(ATTEMPTS):
            with self._lock:
                head = self._log.head(branch)
                at = instant_for(head)
                facts = facts_for(head)
                try:
                    if head.occurred_at is None or at >= head.occurred_at:
                        return self._record(facts, head, branch, at)
                    return self._record_late(facts, head, branch, at)
                except ConcurrentAppend:
                    continue
        raise ConcurrentAppend(branch)

    def _instant(self, head: Head, branch: str, at: Instant | None) -> Instant:
        latest = head.occurred_at
        if at is None:
            default = self._clock() if branch == "main" else self.present(branch)
            return default if latest is None else max(default, latest)
        if branch == "main" and at > (now := self._clock()):
            raise InTheFuture(at, now)
        if latest is not None and at < latest:
            self._demand_present(head, branch, at)
        return at

    def _demand_present(self, head: Head, branch: str, at: Instant) -> None:
        """Hold a command to the latest one; what was only observed does not hold it back."""
        later = self._log.primary_after(at, branch=branch, known=head.position)
        asked = [stored.occurred_at for stored in later if stored.source == COMMAND]
        if asked:
            raise InThePast(at, max(asked), branch)

    def _estate_at(self, head: Head, branch: str) -> Estate:
        kept = self._kept
        if kept is not None and (kept.branch, kept.position) == (branch, head.position):
            return kept.estate
        if head.occurred_at is None:
            return Estate()
        view = self._views.rebuild(branch=branch, valid=head.occurred_at, position=head.position)
        self._since_snapshot = view.replayed
        return view.estate

    def _record(self, facts: Sequence[Fact], head: Head, branch: str, at: Instant) -> list[Outcome]:
        estate = self._estate_at(head, branch)
        self._kept = None  # from here on the estate is ahead of the log, until that has it all
        first = self._log.tail()[0] + 1
        outcomes, batch = _derive_all(Draft(estate, at, first), facts)
        if not batch.events:
            self._kept = _Kept(branch, head.position, estate)
            return outcomes
        appended = self._log.append(
            batch.events, recorded_at=self._clock(), branch=branch, after=head.position
        )
        if appended.first == first:
            self._kept = _Kept(branch, appended.last, estate)
        self._since_snapshot += len(batch.events)
        if self._since_snapshot >= SNAPSHOT_EVERY:
            self._since_snapshot = 0
            self._leave_snapshots(branch, since=at)
        return outcomes

    def _record_late(
        self, facts: Sequence[Fact], head: Head, branch: str, at: Instant
    ) -> list[Outcome]:
        """Record late facts, and derive anew what follows from all that comes behind them.

        Where several facts share an instant, what was derived anew from the first would fold
        behind the others: an observation among them is stated again, so that it keeps its place.
        """
        self._kept = None
        view = self._views.rebuild(branch=branch, valid=at, position=head.position)
        draft = Draft(view.estate, at, self._log.tail()[0] + 1)
        outcomes, batch = _derive_all(draft, facts)
        if not batch.events:
            return outcomes
        withdrawal = batch.withdraw(facts[0].event.qmgr)
        renewed: Instant | None = None
        for stored in self._log.primary_after(at, branch=branch, known=head.position):
            if stored.type == WITHDRAWAL:
                continue
            draft.at = stored.occurred_at
            draft.events.clear()
            derive_again(draft, decode(stored.type, stored.body))
            tied = renewed == stored.occurred_at and stored.source != COMMAND
            again = draft.events if tied else draft.events[1:]
            if again:
                renewed = stored.occurred_at
            batch.add_again(stored.event_id, stored.occurred_at, withdrawal, again)
        self._log.append(
            batch.events, recorded_at=self._clock(), branch=branch, after=head.position
        )
        self._leave_snapshots(branch, since=at)
        return outcomes

    def _leave_snapshots(self, branch: str, *, since: Instant) -> None:
        """Leave snapshots for later readers; what was appended stands whether or not it works."""
        with contextlib.suppress(TwinError):
            self._views.snapshot(branch=branch, since=since)


def _derive_all(draft: Draft, facts: Sequence[Fact]) -> tuple[list[Outcome], Batch]:
    outcomes, batch = [], Batch(draft.at)
    for fact in facts:
        done = len(draft.events)
        outcomes.append(derive(draft, fact.event))
        batch.add(fact, draft.events[done:])
    return outcomes, batch
