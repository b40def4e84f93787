"""Explanations of workload choices, recorded or hypothetical, and MQINQ of a queue."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from twin.app.asking import incompleteness_of, with_gaps
from twin.app.head_estates import QueueName
from twin.app.notes import not_before, notes_of
from twin.app.open_branch import OpenBranch
from twin.app.repeating import sound
from twin.app.validation import check_opening, check_queue
from twin.events.catalogue import columns_of_all, decode
from twin.fold.estate import Estate
from twin.model.instants import MAIN, AsOf, Instant

if TYPE_CHECKING:
    from twin.questions.answer import Answer
    from twin.questions.explanation import ExplainRequest, Explanation
    from twin.questions.inquire import Inquired
    from twin.questions.past_choice import RecordedChoice
    from twin.questions.put_outcome import PutOutcome
    from twin.rules.messages.putting import Put

Found = TypeVar("Found")


class _ReadEstate(NamedTuple):
    """An estate to read, its point, and whether it is the estate of now."""

    estate: Estate
    point: AsOf
    is_of_now: bool = False


class ExplanationCalls(OpenBranch):
    """The calls that explain where messages would go or went, and why. They record nothing."""

    def explain(
        self,
        qmgr: str,
        request: ExplainRequest,
        *,
        as_of: Instant | None = None,
        known_at: Instant | None = None,
    ) -> tuple[Explanation, AsOf]:
        """Explain where a message would go. Nothing is put and no counter changes.

        Raises:
            BadName: if MQ does not allow a name.
            BadWord: if the bind option or the order of the rules is unknown.
            NoSuchQueueManager: if the queue manager does not exist.
            BeforeLog: if the log begins later.
        """
        from twin.questions.assumed import notes_of_links  # noqa: PLC0415
        from twin.questions.explain import (  # noqa: PLC0415
            explained,
            explained_for_all,
            must_ask,
        )
        from twin.questions.sights import notes_of_age  # noqa: PLC0415

        queue = None if request.handle else request.queue
        check_opening(queue, request.to, request.bind, request.profile)

        def question(source: _ReadEstate) -> tuple[Explanation, AsOf]:
            estate, point = source.estate, source.point
            asks = must_ask(estate, estate.qmgr(qmgr), request)
            if asks:
                estate = self._estate_to_ask(source, qmgr, (request.queue, request.to))
            links = notes_of_links(estate, qmgr) if self.branch != MAIN else ()
            others = self.views.shared(point)[0] if estate.has_unsure_objects else None
            explanation = explained(estate, estate.qmgr(qmgr), request, at=point.valid, asks=asks)
            if others is not None:
                explanation = explained_for_all(explanation, others, request, at=point.valid)
            ages = notes_of_age(source.estate, {qmgr, *explanation.candidates}, point.valid)
            rules = notes_of(self.log, point)
            return replace(explanation, notes=(*explanation.notes, *links, *ages, *rules)), point

        return self._read(qmgr, as_of, known_at, question)

    def whereabouts(self, qmgr: str, put: Put, *, at: Instant) -> PutOutcome:
        """Return where the messages of a put are now, according to the log.

        `at` is the instant of the channel statuses in the answer.
        """
        from twin.questions.put_outcome import READS, PutOutcome, put_outcome  # noqa: PLC0415 - few commands need it

        if not put.positions:
            return PutOutcome()
        columns = columns_of_all(READS)
        stored = self.log.events(after=put.positions[0], branch=self.branch, types=columns)
        facts = [decode(each.type, each.body) for each in stored]
        return self.read(lambda estate: put_outcome(estate, qmgr, put, facts, at=at))

    @sound
    def explain_past(self, position: int) -> tuple[Explanation, AsOf]:
        """Explain the choice recorded at a position of the log, as it was made.

        If it was withdrawn, explain the choice that replaced it; the explanation says so.

        Raises:
            NoChoice: if no choice is recorded there on this branch.
        """
        from twin.questions.past_choice import explained_again, retracted  # noqa: PLC0415 - few commands need it

        now = self.as_of()
        standing = self._standing(position)
        at, choice = self._choice(standing or position)
        requested, position = position, standing or position
        point = AsOf(valid=at, known=now.known, branch=self.branch, position=position)
        estate = self.views.upto(branch=self.branch, valid=at, position=position - 1)
        explanation = explained_again(estate, choice, at=at, position=position)
        if standing == requested:
            return explanation, point
        return retracted(explanation, requested=requested, standing=standing), point

    def _choice(self, position: int) -> tuple[Instant, RecordedChoice]:
        from twin.questions.past_choice import CHOICES, NoChoice, choice_of  # noqa: PLC0415 - few commands need it

        fact = self.views.fact(branch=self.branch, position=position, types=CHOICES)
        if fact is None:
            raise NoChoice(position)
        return fact[0], choice_of(fact[1], position)

    def _standing(self, position: int) -> int | None:
        """Return the position of an event, or of the one that replaced it after it was withdrawn.

        Return None if its cause no longer leads to an event of that type, or was retracted.
        """
        from twin.questions.past_choice import NoChoice  # noqa: PLC0415 - few commands need it

        stored = next(self.log.events(after=position - 1, limit=1), None)
        if stored is None:
            raise NoChoice(position)
        types = [stored.type]
        visible = {row[1] for row in self.log.rows(branch=self.branch, types=types)}
        if position in visible:
            return position
        alike = [
            each.position
            for each in self.log.events(branch=self.branch, types=types, qmgr=stored.qmgr)
            if each.cause == stored.cause
        ]
        still_visible = [each for each in alike if each in visible]
        place = sum(1 for each in alike if each < position and each not in visible)
        return still_visible[min(place, len(still_visible) - 1)] if still_visible else None

    def _ask_explain(
        self, as_of: Instant | None, known_at: Instant | None, filters: Mapping[str, str]
    ) -> Answer:
        """Answer the question `explain`, for a hypothetical put or for a recorded choice."""
        from twin.questions.access import caller_in  # noqa: PLC0415 - few commands need it
        from twin.questions.explain import (  # noqa: PLC0415 - few commands need it
            Incomplete,
            PositionAlone,
        )
        from twin.questions.explanation import ExplainRequest  # noqa: PLC0415
        from twin.questions.past_choice import NoChoice  # noqa: PLC0415 - few commands need it

        if position := filters.get("position"):
            if len(filters) > 1 or as_of is not None or known_at is not None:
                raise PositionAlone
            if not position.isdecimal():
                raise NoChoice(position)
            explanation, point = self.explain_past(int(position))
            return with_gaps(explanation.answer(point), self.incompleteness(point))
        if not filters.get("on") or "queue" not in filters:
            raise Incomplete
        request = ExplainRequest(
            queue=filters["queue"],
            to=filters.get("to", ""),
            bind=filters.get("bind", "asqdef"),
            profile=filters.get("profile", ""),
            caller=caller_in(filters),
        )
        explanation, point = self.explain(filters["on"], request, as_of=as_of, known_at=known_at)
        return with_gaps(explanation.answer(point), self.incompleteness(point))

    @sound
    def incompleteness(self, point: AsOf) -> tuple[str, ...]:
        """Return lines about what is missing at a point; see `incompleteness_of`."""
        return incompleteness_of(self.log, point, lambda: self.views.shared(point)[0])

    def inquire(self, qmgr: str, queue: str) -> Inquired:
        """Return the attributes that MQINQ returns for a queue.

        Raises:
            BadName: if MQ does not allow a name.
            NoSuchQueueManager: if the queue manager does not exist.
        """
        from twin.questions.explain import must_ask  # noqa: PLC0415 - few commands need it
        from twin.questions.explanation import ExplainRequest  # noqa: PLC0415 - few commands need it
        from twin.questions.inquire import inquired  # noqa: PLC0415 - few commands need it

        check_queue(queue)

        def question(source: _ReadEstate) -> Inquired:
            estate = source.estate
            asks = must_ask(estate, estate.qmgr(qmgr), ExplainRequest(queue=queue))
            if asks:
                estate = self._estate_to_ask(source, qmgr, (queue, ""))
            return inquired(estate, estate.qmgr(qmgr), queue, at=source.point.valid, asks=asks)

        return self._read(qmgr, None, None, question)

    def _estate_to_ask(self, source: _ReadEstate, qmgr: str, name: QueueName) -> Estate:
        """Return a complete estate in which a queue manager may request a name's records."""
        if source.is_of_now:
            return self._head_estates.to_ask(source.point, qmgr, name)
        return self.views.at(source.point)

    @sound
    def _read(
        self,
        qmgr: str,
        as_of: Instant | None,
        known_at: Instant | None,
        question: Callable[[_ReadEstate], Found],
    ) -> Found:
        """Call a function with an estate to read: the estate of now if no time is given.

        Nothing is written while the estate of now is read.
        """
        point = self.as_of(valid=as_of, known=known_at)
        if as_of is None and known_at is None:
            with self._recorded.held():
                current = self._head_estates.of_now(point)
                if current is not None:
                    return question(_ReadEstate(*current, is_of_now=True))
        with not_before(self.log, point):
            return question(_ReadEstate(self.views.of_one(point, qmgr), point))
