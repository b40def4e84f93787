"""Questions on `Twin`: answers as tables or pictures, and definitions as MQSC.

`MeasuringCalls` measure a branch as of now: its estate, and the messages counted since the log
began.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import cached_property, partial
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar

from twin.app.asking import NoPicture, answer, draw, facts_since, question_of
from twin.app.comparing import NoReference, check_comparison, difference, span_of
from twin.app.explanations import ExplanationCalls
from twin.app.notes import beginning_of, not_before, notes_of
from twin.app.repeating import sound
from twin.events.catalogue import columns_of_all
from twin.fold.estate import Estate
from twin.fold.replay import decode
from twin.fold.store.pages import private_copy
from twin.log import Log, LogRow
from twin.log.records import LONG_AGO
from twin.model.instants import AsOf, Instant
from twin.questions.answer import Answer
from twin.questions.catalogue import QUESTIONS

if TYPE_CHECKING:
    from twin.app.rehearsing import Rehearsal
    from twin.questions.measures.channels import Wanted
    from twin.questions.measures.measuring import Measures
    from twin.questions.measures.traffic import MessageTraffic

Result = TypeVar("Result")


class QuestionCalls(ExplanationCalls):
    """The calls that ask about an instant, and record nothing."""

    def ask(
        self,
        question: str,
        narrowed: Mapping[str, str | bool | None] = MappingProxyType({}),
        /,
        *,
        as_of: Instant | None = None,
        known_at: Instant | None = None,
        since: Instant | None = None,
        against: Instant | str | None = None,
        ignore: Collection[str] = (),
        **filters: str | bool | None,
    ) -> Answer:
        """Ask a question about an instant, or about a span that begins at `since`.

        With `against`, the answer is how its rows differ from those of a reference: another instant
        of this branch, or a branch at the same instant. Differences in the fields `ignore` do not
        count. Filters are in `narrowed` or are keywords.

        Raises:
            NoSuchQuestion, BadFilter: if the question is unknown, or does not have a filter.
            BadFilterValue: if a filter does not take its value.
            NotCompared, NoReference, BadIgnored: if it cannot be compared so.
            NoSuchBranch: if there is no branch with the name in `against`.
        """
        declared, given = question_of(question, {**narrowed, **filters})
        if against is not None:
            point = self.as_of(valid=as_of, known=known_at)
            return self._compared(question, given, point, since, against, ignore)
        if ignore:
            raise NoReference
        if not declared.home:
            return self._ask_explain(as_of, known_at, given)

        def once() -> Answer:
            point = self.as_of(valid=as_of, known=known_at)
            with not_before(self.log, point):
                if declared.rehearses:
                    begin = self.rehearse(as_of=point.valid, known_at=point.known)
                    answered = begin.ask(question, given)
                else:
                    answered = answer(self.views, self.log, declared, point, since, given)
            notes = (*beginning_of(self.log, point), *notes_of(self.log, point))
            return replace(answered, notes=(*answered.notes, *notes))

        return self.soundly(once)

    def _compared(
        self,
        name: str,
        filters: Mapping[str, str],
        now: AsOf,
        since: Instant | None,
        against: Instant | str,
        ignored: Collection[str],
    ) -> Answer:
        """Compare the answers to a question at a point and at a reference."""
        question = QUESTIONS[name]
        check_comparison(name, question, filters, ignored)
        other: QuestionCalls = self
        if isinstance(against, str):
            other = QuestionCalls(
                self.log,
                clock=self.clock,
                branch=self.log.branch(against).name,
                exits=self.exits,
                tell=self.tell,
                protection=self.protection,
            )
        valid = now.valid if isinstance(against, str) else against
        reference = other.as_of(valid=valid, known=now.known)
        begin = span_of(name, question, since, now, reference)
        asked = [
            partial(calls.ask, name, filters, as_of=point.valid, known_at=point.known, since=begin)
            for calls, point in ((self, now), (other, reference))
        ]
        return difference(asked[0], asked[1], (now, reference), ignored)

    def draw(
        self,
        question: str,
        narrowed: Mapping[str, str | bool | None] = MappingProxyType({}),
        /,
        *,
        as_of: Instant | None = None,
        known_at: Instant | None = None,
        since: Instant | None = None,
        **filters: str | bool | None,
    ) -> str:
        """Draw the answer to a question as SVG; `since` is where the picture begins.

        Filters are in `narrowed` or are keywords.

        Raises:
            NoSuchQuestion, BadFilter: if the question is unknown, or does not have a filter.
            BadFilterValue: if a filter does not take its value.
            NoPicture: if its answer cannot be drawn.
        """
        declared, given = question_of(question, {**narrowed, **filters})
        if not declared.drawn_by:
            raise NoPicture(question)

        def once() -> str:
            point = self.as_of(valid=as_of, known=known_at)
            return draw(self.views, self.log, declared, point, since, given)

        return self.soundly(once)

    def sharing(self) -> AbstractContextManager[None]:
        """Share estates among the questions that are asked in a block, and in earlier blocks.

        A few estates are kept in memory. Use it where many questions are about the same instants.
        """
        return self.views.sharing()

    def look(
        self,
        function: Callable[[Estate], Result],
        *,
        as_of: Instant | None = None,
        known_at: Instant | None = None,
    ) -> Result:
        """Return what a function reads from the estate of an instant, which it must not change."""

        def once() -> Result:
            point = self.as_of(valid=as_of, known=known_at)
            return function(self.views.shared(point)[0])

        return self.soundly(once)

    def rehearse(
        self, *, as_of: Instant | None = None, known_at: Instant | None = None
    ) -> Rehearsal:
        """Begin a rehearsal at an instant, which defaults to now. Nothing is recorded.

        Use a rehearsal as a whole within `soundly`: a damaged snapshot interrupts it.

        >>> import tempfile
        >>> from twin import Twin
        >>> folder = tempfile.TemporaryDirectory()
        >>> twin = Twin.open(f"sqlite:///{folder.name}/twin.db")
        >>> twin.crtmqm("QM1")
        >>> rehearsal = twin.rehearse()
        >>> rehearsal.strmqm("QM1")
        >>> rehearsal.estate.qmgr("QM1").running, twin.view()[0].qmgr("QM1").running
        (True, False)
        >>> twin.close(); folder.cleanup()
        """
        from twin.app.rehearsing import Beginning, Rehearsal  # noqa: PLC0415 - it imports the rules

        point = self.as_of(valid=as_of, known=known_at)
        estate, due = self.views.played(point)
        beginning = Beginning(self, point, due, estate)
        if any(qmgr.is_only_observed for qmgr in estate.qmgrs.values()):
            estate = private_copy(estate)  # with the timers that main left out
        estate.simulate()
        return Rehearsal(beginning, estate, now=point.valid, exits=self.exits)

    @sound
    def dmpmqcfg(
        self, qmgr: str, *, as_of: Instant | None = None, known_at: Instant | None = None
    ) -> Sequence[str]:
        """Return the definitions of a queue manager as of an instant, as MQSC ready to replay."""
        from twin.questions.dump import dump  # noqa: PLC0415

        point = self.as_of(valid=as_of, known=known_at)
        with not_before(self.log, point):
            return dump(self.views.of_one(point, qmgr), qmgr, point)


class TrafficCount:
    """The messages counted up to the head of a branch; later events are added as they come."""

    def __init__(self, log: Log, branch: str) -> None:
        """Count on this branch; nothing is read before the first use."""
        from twin.questions.measures.traffic import READS, MessageTraffic  # noqa: PLC0415 - few commands measure

        self._log = log
        self._branch = branch
        self._position = 0
        self._instant = LONG_AGO
        self._traffic = MessageTraffic()
        self._empty = MessageTraffic
        self._columns = columns_of_all(READS)

    def upto_now(self) -> MessageTraffic:
        """Return what was counted, up to the head of the branch; later calls change it.

        After a late fact or a retraction everything is counted again.
        """
        head = self._log.head(self._branch)
        if head.position != self._position and head.occurred_at is not None:
            rows = self._later(head.position)
            if rows is None:
                self._traffic = self._empty()
                rows = self._log.rows(branch=self._branch, known=head.position, types=self._columns)
            for at, _, event in decode(rows):
                self._traffic.count(at, event)
            self._position, self._instant = head.position, head.occurred_at
        return self._traffic

    def _later(self, upto: int) -> list[LogRow] | None:
        """Return the counted events after the last ones; None if all must be read again."""
        if not self._position:
            return None
        rows = self._log.rows_after(
            self._position, instant=self._instant, branch=self._branch, upto=upto
        )
        return rows and [row for row in rows if row[2] in self._columns]


class MeasuringCalls(QuestionCalls):
    """The calls that read the estate of now for monitoring, and record nothing."""

    @cached_property
    def _traffic(self) -> TrafficCount:
        return TrafficCount(self.log, self.branch)

    @sound
    def read_now(self, question: Callable[[Estate, AsOf], Result]) -> Result:
        """Read from the estate of now, with all that is due by now, while nobody writes.

        The estate is kept for the next call. The answer must not refer to it.
        """
        point = self.as_of()
        with self._recorded.held():
            current = self._head_estates.of_now(point)
            if current is not None:
                return question(*current)
        return question(self.views.at(point), point)

    def measure(
        self, take: Callable[[Measures, AsOf], Result], *, wanted: Wanted, observed: bool
    ) -> Result:
        """Call a function with all measures as of now, and return its result.

        The measures refer to the estate, so the result must not refer to them.

        Args:
            take: the function.
            wanted: whether a channel of a name and a type is measured.
            observed: whether queue managers that are only observed are measured like others.
        """
        from twin.questions.doctor.question import READS  # noqa: PLC0415
        from twin.questions.measures.measuring import measure  # noqa: PLC0415

        def taken(estate: Estate, point: AsOf) -> Result:
            facts = list(facts_since(self.log, point, (), READS, LONG_AGO))
            traffic = self._traffic.upto_now()
            return take(
                measure(estate, point, traffic, facts, wanted=wanted, observed=observed), point
            )

        return self.read_now(taken)
