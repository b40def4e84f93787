"""Record primary facts, each together with the facts that the rules derive from it.

Several processes may write to one log. Each act takes a turn: it waits in a queue, then reads the
head, folds what others appended into its estate, decides, and appends. So nobody loses a race
against others that take turns. Without turns (see `twin.log.sqlite_files`) another process may
append between the head and the batch. Then the act is decided again, and after `TRIES` losses
under the lock of the database, where nobody else can append.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final, TypeAlias, TypeVar, cast

from twin.app.acting import Fact
from twin.app.batch import without_secrets
from twin.app.clocks import ClockPolicy, InTheFuture
from twin.app.deciding import Decider, Decision
from twin.app.exits import ExitCalls
from twin.app.protection import Protection
from twin.app.reading import Views
from twin.app.recorded_estate import HeadEstate, RecordedEstate
from twin.app.repeating import Soundly, sound
from twin.app.ticking import PIECE, SECONDS, OpenBatch, Ticked
from twin.log import Appended, ConcurrentAppend, Head, Log, NewEvent
from twin.model.instants import MAIN, Instant, format_instant
from twin.rules.deriving import Outcome
from twin.rules.workload.exits import WorkloadExit

Result = TypeVar("Result")

TRIES: Final = 3
"""How often a race may be lost before the act is decided under the lock of the database."""

LOCKED_FOR: Final = 0.25
"""How long a decision may take that is made under the lock, in seconds; others wait for it."""

MOST_TRIES: Final = 20
"""How often a race may be lost by a decision that takes longer; then it is made under the lock."""

Marking: TypeAlias = Callable[[Decision, Sequence[Fact], Head], Decision]
"""Adds events about the log itself to a decision: (decision, its facts, head)."""

Decide: TypeAlias = Callable[[Head, int, float], Decision]
"""Decides after a head: (head, last position of the log, seconds that an open batch may take)."""


class _NotAsked(Exception):
    """A decision under the lock needs an answer of an exit, which must be asked before."""


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
        protection: Protection,
    ) -> None:
        """Write to the branch of this recorded estate. The clock stamps `recorded_at`.

        `protection` keeps commands on main away from observed queue managers.

        Workload exits are called when a choice is first decided, never when it is derived again
        after a late fact.
        """
        self._log = log
        self._recorded = recorded
        self._branch = recorded.branch
        self._snapshots = recorded.snapshots
        self._clock_policy = clock_policy
        self._clock = clock_policy.clock
        self._exits = ExitCalls(exits)
        self.decider = Decider(log, views, recorded, self._exits, protection)
        self.soundly = soundly

    def record(self, facts: Sequence[Fact], *, at: Instant | None) -> list[Outcome]:
        """Record facts of one instant with all derived facts; return the outcome of each.

        `at` defaults to now: the wall clock on main, the latest instant of any other branch.

        Raises:
            InThePast, InTheFuture: if a command must not have this instant.
            ObservedOnMain: if a command would change an observed queue manager on main.
            ControlRefused, NoSuchQueueManager: if MQ would refuse the command.
        """
        masked = [without_secrets(fact) for fact in facts]

        def decide(head: Head, last: int, _: float) -> Decision:
            instant = self._clock_policy.instant(head, self._branch, at)
            return self.decider.facts(masked, head, last, instant)

        return cast("list[Outcome]", self.act(decide)[0].answer)

    def observe(
        self,
        facts_for: Callable[[Head], Sequence[Fact]],
        *,
        at: Instant,
        mark: Marking = lambda decision, _facts, _head: decision,
    ) -> int:
        """Record observations of one instant, late or not; return how many facts were new.

        `facts_for` returns the facts to record after a given head. It is called again if another
        process appends in between. `mark` may add events about the log itself to the decision.
        """

        def decide(head: Head, last: int, _: float) -> Decision:
            self._clock_policy.demand_sound(head, self._branch)
            facts = facts_for(head)
            return mark(self.decider.facts(facts, head, last, at), facts, head)

        return len(self.act(decide)[0].answer)

    def tick(self, *, upto: Instant, limit: int | None = None) -> Ticked:
        """Record everything that is due up to an instant, in transactions of whole instants.

        With `limit`, stop once that many events were recorded, but never within an instant.

        Raises:
            InTheFuture: on main, if the instant is after the wall clock.
        """
        recorded = 0
        while True:
            piece = PIECE if limit is None else min(PIECE, limit - recorded)
            ticked = self.append_due(partial(OpenBatch.decide, upto=upto, limit=piece), upto=upto)
            recorded += ticked.events
            if ticked.finished or (limit is not None and recorded >= limit):
                return ticked._replace(events=recorded)

    def append_due(self, decide: Callable[[OpenBatch], Result], *, upto: Instant) -> Result:
        """Append what `decide` puts into an open batch, in one transaction; return its result.

        `decide` records what is due, up to this instant at most. If another process appends to
        the branch first, it is called again with a new batch. If it raises, nothing is appended.

        Raises:
            InTheFuture: on main, if the instant is after the wall clock.
            AheadOfClock, ClockInDoubt: if main must not be written under this clock.
        """
        if self._branch == MAIN and upto > (now := self._clock()):
            raise InTheFuture(format_instant(upto), format_instant(now))

        def fill(head: Head, last: int, seconds: float) -> Decision:
            self._clock_policy.demand_sound(head, self._branch)
            return self.decider.due(decide, head, last, upto=upto, seconds=seconds)

        return cast("Result", self.act(fill)[0].answer)

    def act(self, decide: Decide) -> tuple[Decision, Appended | None]:
        """Decide and append in one turn; return the decision and where it was appended, if it was.

        If another process appends first, `decide` is called again.
        """
        self._exits.forget()
        decision, appended = self._in_turn(decide)
        if decision.late is not None and appended is not None:
            self._snapshots.leave(self._branch, since=decision.late)
        return decision, appended

    @sound
    def _in_turn(self, decide: Decide) -> tuple[Decision, Appended | None]:
        with self._log.turn(), self._recorded.held():
            decision, appended = self._first_come(decide) or self._alone(decide)
            self._keep(decision, appended)
            return decision, appended

    def _first_come(self, decide: Decide) -> tuple[Decision, Appended | None] | None:
        """Decide and append, again if another process appends first; return None if it always does.

        The estate of a decision that was not appended is rebuilt.
        """
        for lost in range(MOST_TRIES):
            head, last = self._log.heads(self._branch)
            self._exits.begin(may_ask=True)
            decision = decide(head, last, SECONDS)
            if not decision.batch.events:
                return decision, None
            try:
                return decision, self._append(decision, head)
            except ConcurrentAppend:
                if lost + 1 >= TRIES and decision.seconds <= LOCKED_FOR:
                    break
        return None

    def _append(self, decision: Decision, head: Head) -> Appended:
        """Append a decision that was made after this head.

        If other processes append to other branches meanwhile, positions move. That matters only for
        a batch that refers to its own events by position.
        """
        batch, after = decision.batch, head.position
        most = batch.most or len(batch.events)
        for start in range(0, len(batch.events), most):
            appended = self._log.append(
                batch.events[start : start + most],
                recorded_at=self._clock(),
                branch=self._branch,
                after=after,
                first=decision.first if batch.names_puts else None,
                texts=batch.texts if start == 0 else (),
            )
            after = appended.last
        return appended

    def _alone(self, decide: Decide) -> tuple[Decision, Appended]:
        """Decide and append while nobody else can append.

        An exit is never asked there: its answers are those that it gave to the same questions
        before. If it is asked something new, the log is released to ask it.
        """
        made: list[Decision] = []

        def decide_alone(head: Head, last: int) -> tuple[Sequence[NewEvent], Sequence[str]]:
            self._exits.begin(may_ask=False)
            made.append(decide(head, last, LOCKED_FOR))
            if self._exits.missed:
                raise _NotAsked
            return made[-1].batch.events, made[-1].batch.texts

        while True:
            self._recorded.estate(self._recorded.head())  # rebuild it before the log is locked
            try:
                appended = self._log.append_alone(
                    decide_alone, clock=self._clock, branch=self._branch
                )
            except _NotAsked:
                self._exits.begin(may_ask=True)
                decide(*self._log.heads(self._branch), LOCKED_FOR)
            except ConcurrentAppend:  # the batch was recorded before, in part or retracted since
                continue
            else:
                return made[-1], appended

    def _keep(self, decision: Decision, appended: Appended | None) -> None:
        """Keep the estate of a decision, which is that of the head again."""
        current, pages = decision.current, decision.pages
        if current is None:
            return
        if appended is None:
            self._recorded.at_hand = current if pages is None else replace(current, pages={})
            return
        self._snapshots.count(len(decision.batch.events) + decision.batch.rows)
        known = current.pages
        if pages is not None:  # an encoded page counts as unchanged: save it now
            in_time = pages.valid < decision.batch.events[0].occurred_at
            known = self._snapshots.keep(pages, self._branch, appended.last) if in_time else {}
        if appended.last == current.estate.position:
            self._recorded.at_hand = HeadEstate(appended.last, current.estate, known)
