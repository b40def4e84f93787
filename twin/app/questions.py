"""Questions on `Twin`: answers as tables or pictures, and definitions as MQSC."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar

from twin.app.explanations import ExplanationCalls
from twin.app.repeating import sound
from twin.fold.estate import Estate
from twin.model.instants import AsOf, Instant
from twin.questions.answer import Answer
from twin.questions.catalogue import QUESTIONS

if TYPE_CHECKING:
    from twin.app.rehearsing import Rehearsal

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
        from twin.app.asking import answer, question_of  # noqa: PLC0415 - not every command asks
        from twin.app.beginning import beginning_of, not_before  # noqa: PLC0415
        from twin.app.rules_versions import notes_of  # noqa: PLC0415

        declared, given = question_of(question, {**narrowed, **filters})
        if against is not None:
            point = self.as_of(valid=as_of, known=known_at)
            return self._compared(question, given, point, since, against, ignore)
        if ignore:
            from twin.app.comparing import NoReference  # noqa: PLC0415 - only errors need it

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
        from twin.app.comparing import check_comparison, difference, span_of  # noqa: PLC0415 - few questions are compared

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
        from twin.app.asking import NoPicture, draw, question_of  # noqa: PLC0415 - not every command asks

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
        from twin.fold.store.pages import private_copy  # noqa: PLC0415 - few commands rehearse

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
        from twin.app.beginning import not_before  # noqa: PLC0415 - not every command asks
        from twin.questions.dump import dump  # noqa: PLC0415

        point = self.as_of(valid=as_of, known=known_at)
        with not_before(self.log, point):
            return dump(self.views.of_one(point, qmgr), qmgr, point)
