"""Rehearsals: a private estate that can be forked, commanded and advanced. Nothing is recorded.

A rehearsal begins as a what-if branch would: everything is simulated from its instant on, also what
happens at observed queue managers. Unlike a branch it has no name, needs no right to write, and
leaves the log as it is.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Container, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from twin import events
from twin.app.acting import Fact, Result
from twin.app.applications import ApplicationCalls
from twin.app.asking import completed, facts_since, of_logs, question_of
from twin.app.batch import without_secrets
from twin.app.channels import ChannelCalls
from twin.app.exits import ExitCalls
from twin.app.foretelling import foretold
from twin.app.open_branch import OpenBranch
from twin.app.queue_managers import QueueManagerCalls
from twin.app.session import MqscSession
from twin.app.validation import check_opening
from twin.errors import SubjectError, TwinError
from twin.fold.replay import apply, gc_paused
from twin.fold.store.pages import private_copy, share_parts
from twin.log.records import LONG_AGO
from twin.model.instants import AsOf, Instant, format_instant
from twin.rules import consequences, lifecycle
from twin.rules.deriving import Outcome, derive
from twin.rules.draft import Decided, Draft
from twin.rules.reactions import REACTIONS

if TYPE_CHECKING:
    from twin.events.messages import Bind
    from twin.fold.estate import Estate, Part
    from twin.questions.answer import Answer, FoldedFact
    from twin.questions.explanation import ExplainRequest, Explanation
    from twin.questions.hops import Hop
    from twin.rules.workload.exits import WorkloadExit


class BeforeRehearsed(
    TwinError, ValueError, message="{} lies before {}, the instant of the rehearsal"
):
    """A command or a wait of a rehearsal that would go back in time."""


class NotRehearsable(
    SubjectError,
    ValueError,
    message="{} is about a span of time or about the log: a rehearsal cannot answer it",
):
    """A question that needs more than the estate of one instant."""


class Beginning(NamedTuple):
    """Where a rehearsal began.

    Attributes:
        branch: the open branch of the log.
        point: the point of its estate.
        due: the events that were due there and not recorded.
        estate: the estate there, as it is on the branch. A rehearsal does not change it.
    """

    branch: OpenBranch
    point: AsOf
    due: Sequence[Decided]
    estate: Estate


class Rehearsal(QueueManagerCalls, ApplicationCalls, ChannelCalls):
    """A private estate that is commanded and advanced in memory.

    Its calls are those of `Twin` with the same names. Its estate may load parts from a snapshot
    when they are first used, and raises `UnusablePage` if one was damaged: use a rehearsal as a
    whole within `Twin.soundly`.

    Attributes:
        beginning: where it began.
        estate: the estate of now. It must only be read; it changes with the next command.
        decided: what happened since, in order. The first event has the position after the last one
            of `beginning`.
    """

    def __init__(
        self,
        beginning: Beginning,
        estate: Estate,
        *,
        now: Instant,
        decided: Sequence[Decided] = (),
        exits: Mapping[str, WorkloadExit],
    ) -> None:
        """Begin with an estate that nobody else changes; `Twin.rehearse` is the usual way."""
        self.beginning = beginning
        self.decided = list(decided)
        self.soundly = _once
        self.estate = estate
        self._is_shared, self._is_copy = estate is beginning.estate, False
        self._touched: set[tuple[str, Part]] = set()
        self._now = now
        self._exits = exits

    @property
    def point(self) -> AsOf:
        """The point of its answers: its instant, and what the log knew where it began."""
        return replace(self.beginning.point, valid=self._now)

    def fork(self) -> Rehearsal:
        """Return a rehearsal that goes on from here; what neither changes is shared."""
        self._is_shared = True
        fork = Rehearsal(
            self.beginning, self.estate, now=self._now, decided=self.decided, exits=self._exits
        )
        fork._is_shared = True
        return fork

    def touched(self) -> frozenset[tuple[str, Part]]:
        """Return the parts of queue managers, by QMID, that changed since it was forked.

        All others are the same as where it was forked.
        """
        return frozenset(self._touched | self._changed())

    def settle(self, other: Rehearsal, *, apart: Container[tuple[str, Part]]) -> None:
        """Read all parts from another fork but those that are not the same in both.

        Neither changes again. `apart` are these parts, by QMID.
        """
        self._is_shared = other._is_shared = True
        share_parts(self.estate, other.estate, apart)

    # What commands act on

    def now(self) -> Instant:
        """Return the instant that it has reached."""
        return self._now

    def view(
        self, *, as_of: Instant | None = None, known_at: Instant | None = None
    ) -> tuple[Estate, AsOf]:
        """Return the estate of now, or that of an instant up to the one where it began.

        Raises:
            BeforeRehearsed: if the instant lies between.
        """
        if known_at is None and as_of in (None, self._now):
            return self.estate, self.point
        if as_of is not None and as_of > self.beginning.point.valid:
            raise BeforeRehearsed(format_instant(as_of), format_instant(self._now))
        known = self.beginning.point.known if known_at is None else known_at
        valid = self.beginning.point.valid if as_of is None else as_of
        return self.beginning.branch.view(as_of=valid, known_at=known)

    def read(self, question: Callable[[Estate], Result]) -> Result:
        """Read from the estate of now."""
        return question(self.estate)

    def record(self, facts: Sequence[Fact], *, at: Instant | None = None) -> list[Outcome]:
        """Carry out commands in memory, with all that follows; return the outcome of each.

        If one is refused, none was carried out.

        Raises:
            BeforeRehearsed: if the instant lies before the one that was reached.
            ControlRefused, NoSuchQueueManager: if MQ would refuse the command.
        """
        self.advance(self._now if at is None else at)
        before = self.estate
        refusable = any(not isinstance(fact.event, events.CommandEntered) for fact in facts)
        if refusable:
            self._is_shared = True
        draft = self._draft()
        try:
            with gc_paused():
                lifecycle.play(draft, upto=self._now)
                draft.at = self._now
                outcomes = [
                    derive(draft, masked.event, masked.command)
                    for masked in map(without_secrets, facts)
                ]
                outcomes = foretold(draft, outcomes)
        except TwinError:
            if refusable:
                self.estate = before
            raise
        self.decided += draft.events
        return outcomes

    def advance(self, to: Instant) -> Sequence[Decided]:
        """Let time pass up to an instant; return what happened, in order.

        Raises:
            BeforeRehearsed: if the instant lies before the one that was reached.
        """
        if to < self._now:
            raise BeforeRehearsed(format_instant(to), format_instant(self._now))
        draft = self._draft()
        with gc_paused():
            lifecycle.play(draft, upto=to)
        self.decided += draft.events
        self._now = to
        return draft.events

    def catch_up(self, other: Rehearsal, *, to: Instant) -> None:
        """Let happen what happened in another rehearsal up to an instant; no rule decides again.

        The other one began as a copy of this one, and all that happened here happened there.

        Raises:
            BeforeRehearsed: if the instant lies before the one that was reached.
        """
        if to < self._now:
            raise BeforeRehearsed(format_instant(to), format_instant(self._now))
        self._own()
        end = bisect_right(other.decided, to, key=lambda each: each.at)
        new = other.decided[len(self.decided) : end]
        with gc_paused():
            for position, (at, event) in enumerate(new, start=self.estate.position + 1):
                apply(self.estate, event, at, position)
        self.decided += new
        self._now = to

    def mqsc(self, qmgr: str, *, file: str | None = None) -> MqscSession:
        """Begin a runmqsc session that reads commands as they come (`MqscSession.stream`)."""
        origin = None if file is None else events.Origin(file=file)
        return MqscSession.entering(
            qmgr, lambda question: question(self.estate, self.point), self.record, origin=origin
        )

    def runmqsc(self, qmgr: str, text: str, *, file: str | None = None) -> MqscSession:
        """Run MQSC at a queue manager."""
        return self.mqsc(qmgr, file=file).run(text)

    def _own(self) -> None:
        """Get an estate of its own before it is changed."""
        if self._is_shared:
            self._touched |= self._changed()
            self.estate, self._is_shared, self._is_copy = private_copy(self.estate), False, True

    def _changed(self) -> set[tuple[str, Part]]:
        """Return the parts, with their QMIDs, that changed in its copy of an estate."""
        if not self._is_copy:
            return set()
        estate = self.estate
        return {(qmid, part) for qmid in estate.names for part in estate.owner(qmid).changed}

    def _draft(self) -> Draft:
        self._own()
        estate, calls = self.estate, ExitCalls(self._exits)
        calls.begin(may_ask=True)
        draft = Draft(
            estate, estate.instant, estate.position + 1, reactions=REACTIONS, exits=calls.exits
        )
        consequences.await_exits(draft)
        return draft

    # Questions

    def ask(
        self,
        question: str,
        narrowed: Mapping[str, str | bool | None] = MappingProxyType({}),
        /,
        **filters: str | bool | None,
    ) -> Answer:
        """Ask a question about the estate of now; filters are in `narrowed` or are keywords.

        Raises:
            NoSuchQuestion, BadFilter: if the question is unknown, or does not have a filter.
            BadFilterValue: if a filter does not take its value.
            NotRehearsable: if it is about a span of time or about the log.
        """
        declared, given = question_of(question, {**narrowed, **filters})
        needs_more = declared.compares or declared.back or declared.reads_log
        if needs_more or declared.beside_beliefs or not declared.home:
            raise NotRehearsable(question)
        beside: dict[str, Any] = {}
        log = self.beginning.branch.log
        if declared.rehearses:
            beside["rehearsal"] = self
        if declared.reads_texts:
            beside |= of_logs(log, self.beginning.point)
        if declared.reads:
            beside["facts"] = self.facts(declared.reads)
        answered: Answer = declared.answer(self.estate, self.point, **beside, **given)
        return completed(answered, declared, log, self.estate, self.point, given)

    def facts(self, types: Collection[type[events.Event]]) -> Iterator[FoldedFact]:
        """Read all past events of some types up to now, those of the rehearsal last."""
        beginning = self.beginning
        due = [*beginning.due, *self.decided]
        return iter(facts_since(beginning.branch.log, beginning.point, due, types, LONG_AGO))

    def explain(
        self, qmgr: str, request: ExplainRequest, *, keeps: bool = False, brief: bool = False
    ) -> Explanation:
        """Explain where a message would go. Nothing is put and no counter changes.

        If full repositories must be asked for the name, that happens in a copy, unless the
        rehearsal `keeps` it: other queue managers do not feel it. A `brief` explanation has no
        words.

        Raises:
            BadName, BadWord: if MQ does not allow a name, or the bind option is unknown.
            NoSuchQueueManager: if the queue manager does not exist.
        """
        from twin.questions.explain import explained, must_ask  # noqa: PLC0415 - few rehearsals explain

        check_opening(request.queue, request.to, request.bind, request.profile)
        estate = self.estate
        asks = must_ask(estate, estate.qmgr(qmgr), request)
        if asks and keeps:
            self._own()
            estate = self.estate
        elif asks:
            self._is_shared = True
            estate = private_copy(estate)
        asker, kept = estate.qmgr(qmgr), self.decided if keeps else None
        return explained(estate, asker, request, at=self._now, asks=asks, brief=brief, events=kept)

    def follow(
        self,
        qmgr: str,
        queue: str,
        bind: str = "asqdef",
        *,
        to: str = "",
        profile: str = "",
        caller: events.Caller | None = None,
    ) -> Sequence[Hop]:
        """Follow a message hop by hop to its ends, on all routes that take turns. Nothing is put.

        The names that are requested on the way stay known in the rehearsal: fork it for this.

        Raises:
            NoSuchQueueManager: if the queue manager does not exist.
        """
        from twin.questions.message_walk import MOST_STEPS  # noqa: PLC0415 - few rehearsals do
        from twin.questions.route import followed  # noqa: PLC0415

        self._own()
        entered = events.PutEntered(
            qmgr=qmgr,
            queue=queue,
            to=to,
            bind=cast("Bind", bind),
            profile=profile,
            caller=caller,
        )
        return followed(self.estate, entered, at=self._now, turns=MOST_STEPS, events=self.decided)


def _once(act: Callable[[], Result], /) -> Result:
    """Call a function once: who uses a rehearsal repeats it as a whole."""
    return act()
