"""Retract facts, undo retractions, and derive again under newer rules: by new facts only."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from twin import events
from twin.app.notes import older_of
from twin.app.open_branch import OpenBranch
from twin.app.repeating import sound
from twin.errors import TwinError
from twin.events.catalogue import column_of, columns_of_all, decode, encode
from twin.fold.replay import gc_paused
from twin.log import Head, StoredEvent
from twin.log.records import ALWAYS
from twin.log.visibility import OWN, Retraction, rows_of
from twin.model.instants import MAIN, AsOf, Instant, format_instant

if TYPE_CHECKING:
    from twin.app.deciding import Decision

SOURCE: Final = "retraction"
"""The source of a retraction and of its undoing. It holds no later command to its instant."""

_RETRACTED: Final = column_of(events.FactsRetracted)
_UNDONE: Final = column_of(events.RetractionUndone)
_DATED: Final = columns_of_all((events.ObjectsDated, events.ObjectsUnsure, events.ChannelObserved))


class CannotRetract(TwinError, ValueError, message="position {} cannot be retracted: {}"):
    """Something that cannot be retracted; nothing was recorded."""


class CannotUndo(TwinError, ValueError, message="position {} cannot be undone: {}"):
    """Something other than a retraction that stands; nothing was recorded."""


class NothingSince(
    TwinError, ValueError, message="nothing to retract: branch {1} has no event at {0} or later"
):
    """A retraction of everything since an instant after the last fact; nothing was recorded."""


class Retracted(NamedTuple):
    """What a retraction, or its undoing, did.

    Attributes:
        position: the position of the event that says so.
        facts: the number of primary facts that it hides, or shows again.
        derived: the number of events that were derived again.
        latest: the latest instant of the branch after it.
    """

    position: int
    facts: int
    derived: int
    latest: Instant


class OnlyMain(
    TwinError,
    ValueError,
    message="branch {} keeps what main was at its fork, and the rules that derived it; twin log "
    "rederive derives main again, and a branch that is forked from it then has the new rules",
):
    """A branch other than main that was to be derived again; nothing was recorded."""


class Rederived(NamedTuple):
    """What deriving main again did.

    Attributes:
        older: the older versions of the rules that had derived what was withdrawn.
        facts: the number of primary facts from which everything was derived again.
        derived: the number of events that were derived again.
        position: the position of the withdrawal.
    """

    older: tuple[int, ...]
    facts: int
    derived: int
    position: int


class RetractionCalls(OpenBranch):
    """The calls that retract facts."""

    @sound
    def retract(self, positions: Sequence[int] = (), *, since: Instant | None = None) -> Retracted:
        """Retract primary facts by their positions, or everything since an instant.

        The facts are hidden on this branch, and everything is derived again as if they had never
        been recorded. Nothing is deleted: who asks with an earlier `known_at` still sees them.

        Raises:
            CannotRetract: if a position is not that of a visible primary fact of the branch.
            NothingSince: if the branch has no event since the instant.
        """
        named = tuple(dict.fromkeys(positions))

        def decide(head: Head) -> tuple[events.PrimaryFact, Instant]:
            if since is not None:
                if head.occurred_at is None or head.occurred_at < since:
                    raise NothingSince(format_instant(since), self.branch)
                earliest, hidden = since, set[str]()
            else:
                facts = [self._retractable(each, head) for each in named]
                earliest = min(each.occurred_at for each in facts)
                hidden = {each.event_id for each in facts}
            earliest = min(self._affected(earliest, head), self._dated(hidden, earliest, head))
            before = self.log.latest_fact(branch=self.branch, before=earliest, known=head.position)
            at = min(earliest - 1, self.clock()) if before is None else before
            return events.FactsRetracted(qmgr="", positions=named, since=since), at

        return self._again(decide, end=since)

    @sound
    def undo_retraction(self, position: int) -> Retracted:
        """Undo a retraction: its facts count again.

        Raises:
            CannotUndo: if the position is not that of a retraction that stands on the branch.
        """

        def decide(head: Head) -> tuple[events.PrimaryFact, Instant]:
            at = self._undoable(position, head).occurred_at
            at = min(at, self._affected(at + 1, head) - 1)
            return events.RetractionUndone(qmgr="", retraction=position), at

        return self._again(decide)

    def rederive(self) -> Rederived | None:
        """Derive main again under the present rules, if older ones derived some of it.

        One withdrawal hides what was derived; what follows now is added, in the same transaction.
        Who asks with an earlier `known_at` still gets the old answers. Return None if nothing was
        derived under older rules: then nothing is recorded.

        Other branches keep what main was at their fork.

        Raises:
            OnlyMain: on another branch.
            AheadOfClock, ClockInDoubt: if main must not be written under this clock.
        """
        if self.branch != MAIN:
            raise OnlyMain(self.branch)
        self.demand_clock()
        older: list[int] = []

        def decide(head: Head, last: int, _: float) -> Decision:
            point = AsOf(ALWAYS, ALWAYS, MAIN, head.position)
            older[:] = older_of(self.log, point)
            begin = self.log.begins_at(known=head.position)
            if not older or begin is None or head.occurred_at is None:
                from twin.app.batch import Batch  # noqa: PLC0415
                from twin.app.deciding import Decision  # noqa: PLC0415

                return Decision(Batch(), last + 1, 0, 0.0)
            return self._derived_again(head, last + 1, None, begin - 1, head.occurred_at)

        decision, appended = self.writer.act(decide)
        if appended is None:
            return None
        derived = len(decision.batch.events) - 1
        return Rederived(tuple(older), decision.answer, derived, appended.first)

    def _affected(self, since: Instant, head: Head) -> Instant:
        """Return since when facts at an instant or later matter that are hidden, or shown again.

        They may have said the QMID of a queue manager that was seen before without one.
        """
        from twin.rules.observations import identity  # noqa: PLC0415 - few commands need the rules

        view = self.views.rebuild(
            branch=self.branch, valid=head.occurred_at or since, position=head.position
        )
        return min(since, identity.first_concluded(view.estate) or since)

    def _dated(self, hidden: Collection[str], since: Instant, head: Head) -> Instant:
        """Return since when facts matter that are hidden, as they say from when something was so.

        `hidden` are their ids; none for all facts since an instant.
        """
        dated = self.log.events(branch=self.branch, upto=head.position, types=_DATED, until=since)
        instants = [
            each.occurred_at
            for each in dated
            if each.cause in hidden or (not hidden and self._is_since(each.cause, since))
        ]
        return min([since, *instants])

    def _is_since(self, cause: str | None, since: Instant) -> bool:
        fact = self.log.find(cause or "")
        return fact is not None and fact.occurred_at >= since

    def _retractable(self, position: int, head: Head) -> StoredEvent:
        """Return the primary fact at a position.

        Raises:
            CannotRetract: if there is none, or the branch does not see it.
        """
        stored = self._at(position, CannotRetract)
        if stored.cause is not None:
            raise CannotRetract(position, self._primary_of(stored))
        if stored.type == _RETRACTED:
            raise CannotRetract(
                position, f"it is a retraction; twin retract --undo {position} undoes it"
            )
        if stored.type == _UNDONE:
            raise CannotRetract(position, "it undid a retraction; retract the facts again")
        if stored.type in OWN:
            raise CannotRetract(position, f"it is {stored.type}, an event about the log itself")
        visibility = self.log.visibility(branch=self.branch, known=head.position)
        if visibility.hides(position, stored.occurred_at, stored.type, derived=False):
            raise CannotRetract(position, "it is retracted already")
        return stored

    def _undoable(self, position: int, head: Head) -> StoredEvent:
        """Return the retraction at a position.

        Raises:
            CannotUndo: if there is none, or it was undone.
        """
        stored = self._at(position, CannotUndo)
        if stored.type != _RETRACTED:
            raise CannotUndo(position, f"it is {stored.type}, not a retraction")
        undone = self.log.events(
            after=position, upto=head.position, branch=self.branch, types=[_UNDONE]
        )
        for each in undone:
            undo = decode(each.type, each.body)
            if isinstance(undo, events.RetractionUndone) and undo.retraction == position:
                raise CannotUndo(position, f"position {each.position} undid it already")
        return stored

    def _at(self, position: int, error: type[CannotRetract | CannotUndo]) -> StoredEvent:
        """Return the event at a position that the branch sees."""
        last = self.log.last().position
        if not 1 <= position <= last:
            raise error(position, f"the log has positions 1 to {last}")
        for stored in self.log.events(after=position - 1, upto=position, branch=self.branch):
            return stored
        stored = next(self.log.events(after=position - 1, upto=position))
        raise error(position, f"branch {self.branch} does not see it; it is on {stored.branch}")

    def _primary_of(self, stored: StoredEvent) -> str:
        """Return why a derived event cannot be retracted, with the fact that can be."""
        from twin.app.batch import TICK  # noqa: PLC0415 - few commands need it

        cause = stored.cause or ""
        primary = None if cause.startswith(TICK) else self.log.find(cause)
        if primary is None:
            return "time alone caused it; --since T retracts everything at T or later"
        return f"it follows from position {primary.position}; retract that fact instead"

    def _again(
        self,
        decide: Callable[[Head], tuple[events.PrimaryFact, Instant]],
        *,
        end: Instant | None = None,
    ) -> Retracted:
        """Record an event at an instant, and derive everything after that instant again.

        `decide` returns both; it is called again if another process appends first. On main, what
        falls due is derived up to now, but not from the instant `end` on.
        """

        def retraction(head: Head, last: int, _: float) -> Decision:
            event, at = decide(head)
            now = 0 if self.branch != MAIN else min(self.clock(), head.occurred_at or 0)
            upto = now if end is None else min(now, end - 1)
            return self._derived_again(head, last + 1, event, at, max(upto, at))

        decision, appended = self.writer.act(retraction)
        assert appended is not None  # noqa: S101 - the batch has two events at least
        if self.branch == MAIN:
            self._clock_policy.trust(self.log.head(self.branch))
        return Retracted(
            appended.first + 1,
            decision.answer,
            len(decision.batch.events) - 2,
            self.log.head(self.branch).occurred_at or 0,
        )

    def _derived_again(
        self, head: Head, first: int, event: events.PrimaryFact | None, at: Instant, upto: Instant
    ) -> Decision:
        """Decide a retraction and everything after it; the answer is how many facts it changes.

        Without an event everything is only derived again, and the answer is how many facts are.
        """
        from twin.app import late_facts  # noqa: PLC0415 - few commands need the rules
        from twin.app.acting import Fact  # noqa: PLC0415
        from twin.app.batch import Batch  # noqa: PLC0415
        from twin.app.deciding import Decision  # noqa: PLC0415
        from twin.rules.draft import Decided, Draft  # noqa: PLC0415
        from twin.rules.reactions import REACTIONS  # noqa: PLC0415

        began = time.monotonic()
        view = self.views.rebuild(branch=self.branch, valid=at, position=head.position)
        draft = Draft(view.estate, at, first, reactions=REACTIONS)
        batch = Batch()
        withdrawal = batch.withdraw("", at)
        rows: list[Retraction] = []
        later = self.log.primary_after(at, branch=self.branch, known=head.position)
        changed = len(later)
        if event is not None:
            batch.add(Fact(event, SOURCE), [Decided(at, event)])
            branch = self.log.branch(self.branch)
            rows = rows_of(first + 1, branch.id, at, column_of(type(event)), encode(event))
            later = self.log.primary_after(
                at, branch=self.branch, known=head.position, besides=rows
            )
            changed = abs(changed - len(later))
        with gc_paused():
            recorded = list(map(late_facts.decoded, later))
            late_facts.foresee(draft, recorded)
            late_facts.derive_later(draft, recorded, batch, withdrawal, first=first, upto=upto)
        return Decision(batch, first, changed, time.monotonic() - began, late=at)
