"""Why messages go where they go, or went: the explanation of a choice, and what MQINQ would say."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import NamedTuple, TypeVar

from twin.app.naming import demand_queue, demand_target
from twin.app.present import Name, Present
from twin.app.reading import Views
from twin.app.wording import demand_bind, demand_profile
from twin.app.writing import Writer
from twin.fold.estate import Estate
from twin.log import Log
from twin.model.asof import AsOf
from twin.model.instants import Instant
from twin.questions.answer import Answer
from twin.questions.explain import ExplainRequest, Explanation, Incomplete, explained, must_ask
from twin.questions.inquire import Inquired, inquired
from twin.questions.past_choice import (
    CHOICES,
    Choice,
    NoChoice,
    choice_of,
    explained_again,
    withdrawn,
)

Told = TypeVar("Told")


class _Look(NamedTuple):
    """An estate to be read only, the point it is of, and whether it is that of the writer."""

    estate: Estate
    point: AsOf
    at_hand: bool = False


class Explanations:
    """What choices come to and came from, on one branch of a log; nothing is recorded."""

    log: Log
    branch: str
    views: Views
    _writer: Writer
    _at_hand: Present

    @abstractmethod
    def as_of(self, *, valid: Instant | None = None, known: Instant | None = None) -> AsOf:
        """Resolve a point in both times; what is not given is now."""

    def explain(
        self,
        qmgr: str,
        asked: ExplainRequest,
        *,
        as_of: Instant | None = None,
        known_at: Instant | None = None,
    ) -> tuple[Explanation, AsOf]:
        """Explain where a message would go, putting nothing and counting nothing.

        Raises:
            BadName: when MQ allows no such name.
            BadWord: for a binding or an order of the rules that is none.
            NoSuchQueueManager: when there is none of that name.
        """
        if not asked.handle:
            demand_queue(asked.queue)
        demand_target(asked.to)
        demand_bind(asked.bind)
        demand_profile(asked.profile)

        def question(look: _Look) -> tuple[Explanation, AsOf]:
            estate, point = look.estate, look.point
            asks = must_ask(estate, estate.qmgr(qmgr), asked)
            if asks:
                estate = self._to_ask(look, qmgr, (asked.queue, asked.to))
            return explained(estate, estate.qmgr(qmgr), asked, at=point.valid, asks=asks), point

        return self._look(qmgr, as_of, known_at, question)

    def explain_past(self, position: int) -> tuple[Explanation, AsOf]:
        """Explain the choice that was recorded at a position of the log, as it was made.

        Where a late fact withdrew it, what stands in its place is explained, and it says so.

        Raises:
            NoChoice: when none is recorded there on this branch.
        """
        now = self.as_of()
        standing = self._standing(position)
        at, choice = self._choice(standing or position)
        asked, position = position, standing or position
        point = AsOf(valid=at, known=now.known, branch=self.branch, position=position)
        estate = self.views.upto(branch=self.branch, valid=at, position=position - 1)
        found = explained_again(estate, choice, at=at, position=position)
        if standing == asked:
            return found, point
        return withdrawn(found, asked=asked, standing=standing), point

    def _choice(self, position: int) -> tuple[Instant, Choice]:
        found = self.views.fact(branch=self.branch, position=position, types=CHOICES)
        if found is None:
            raise NoChoice(position)
        return found[0], choice_of(found[1], position)

    def _standing(self, position: int) -> int | None:
        """Return the position of what stands of a record today: its own, or what took its place.

        None where a late fact withdrew it and nothing of its kind follows from its cause any more.
        """
        stored = next(self.log.events(after=position - 1, limit=1), None)
        if stored is None:
            raise NoChoice(position)
        types = [stored.type]
        seen = {row[1] for row in self.log.rows(branch=self.branch, types=types)}
        if position in seen:
            return position
        alike = [
            each.position
            for each in self.log.events(branch=self.branch, types=types, qmgr=stored.qmgr)
            if each.cause == stored.cause
        ]
        left = [each for each in alike if each in seen]
        place = sum(1 for each in alike if each < position and each not in seen)
        return left[min(place, len(left) - 1)] if left else None

    def _ask_explain(
        self,
        as_of: Instant | None,
        known_at: Instant | None,
        *,
        on: str = "",
        position: str = "",
        **given: str,
    ) -> Answer:
        """Answer the question `explain`, of a put that would be made or of one that was."""
        if position:
            if not position.isdecimal():
                raise NoChoice(position)
            explanation, point = self.explain_past(int(position))
            return explanation.answer(point)
        if not on or "queue" not in given:
            raise Incomplete
        asked = ExplainRequest(
            queue=given["queue"],
            to=given.get("to", ""),
            bind=given.get("bind", "asqdef"),
            profile=given.get("profile", ""),
        )
        explanation, point = self.explain(on, asked, as_of=as_of, known_at=known_at)
        return explanation.answer(point)

    def inquire(self, qmgr: str, queue: str) -> Inquired:
        """Inquire the attributes of a queue, as MQINQ does of the instance it resolves to.

        Raises:
            BadName: when MQ allows no such name.
            NoSuchQueueManager: when there is none of that name.
        """
        demand_queue(queue)

        def question(look: _Look) -> Inquired:
            estate = look.estate
            asks = must_ask(estate, estate.qmgr(qmgr), ExplainRequest(queue=queue))
            if asks:
                estate = self._to_ask(look, qmgr, (queue, ""))
            return inquired(estate, estate.qmgr(qmgr), queue, at=look.point.valid, asks=asks)

        return self._look(qmgr, None, None, question)

    def _to_ask(self, look: _Look, qmgr: str, name: Name) -> Estate:
        """Return a whole estate in which a queue manager may ask its repositories for a name."""
        if look.at_hand:
            return self._at_hand.to_ask(look.point, qmgr, name)
        return self.views.at(look.point)

    def _look(
        self,
        qmgr: str,
        as_of: Instant | None,
        known_at: Instant | None,
        question: Callable[[_Look], Told],
    ) -> Told:
        """Ask something of an estate that is read only: of the one at hand where it is the point's.

        While that is looked at nothing is written.
        """
        point = self.as_of(valid=as_of, known=known_at)
        if as_of is None and known_at is None:
            with self._writer.held():
                found = self._at_hand.look(point)
                if found is not None:
                    return question(_Look(*found, at_hand=True))
        return question(_Look(self.views.of_one(point, qmgr), point))
