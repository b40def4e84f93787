"""What applications do: open, put, get and close; and the explanation of a choice."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import TypedDict, Unpack

from twin import events
from twin.app.batch import COMMAND, Fact
from twin.app.counting import demand_count
from twin.app.naming import demand_queue, demand_target
from twin.app.present import Name, Present
from twin.app.reading import Views
from twin.app.writing import Writer
from twin.events.catalogue import columns_of, decode
from twin.fold.estate import Estate
from twin.log import Log
from twin.model.asof import AsOf
from twin.model.instants import Instant
from twin.questions.answer import Answer
from twin.questions.explain import Asked, Explanation, Incomplete, explained, must_ask
from twin.questions.inquire import Inquired, inquired
from twin.questions.past_choice import (
    CHOICES,
    Choice,
    NoChoice,
    choice_of,
    explained_again,
    withdrawn,
)
from twin.questions.whereabouts import READS, Whereabouts, whereabouts
from twin.rules.deriving import Outcome
from twin.rules.getting import Got
from twin.rules.opening import Opened
from twin.rules.putting import Put


class PutOptions(TypedDict, total=False):
    """How messages are put, where it is not one persistent message with MQPMO's defaults.

    Attributes:
        handle: the handle they are put on, in place of a queue.
        count: how many.
        bind: 'open', 'notfixed', 'group', or 'asqdef' as the queue says.
        to: the ObjectQMgrName.
        put1: whether it is MQPUT1.
        persistent: whether they are persistent.
        group: the group they belong to.
        logical_order: whether the queue manager manages the group.
        name: what they are called.
        profile: the order of the rules, 'v8' or 'v7', '' for that of the command level.
    """

    handle: str
    count: int
    bind: events.Bind
    to: str
    put1: bool
    persistent: bool
    group: str
    logical_order: bool
    name: str
    profile: str


class Applications:
    """The calls of applications, on one branch of a log."""

    log: Log
    branch: str
    views: Views
    _writer: Writer
    _at_hand: Present

    @abstractmethod
    def record(self, facts: Sequence[Fact], *, at: Instant | None = None) -> list[Outcome]:
        """Record what was asked at one instant, with all that follows from it, atomically."""

    @abstractmethod
    def as_of(self, *, valid: Instant | None = None, known: Instant | None = None) -> AsOf:
        """Resolve a point in both times; what is not given is now."""

    def _called(self, event: events.Event, at: Instant | None) -> Outcome:
        (outcome,) = self.record([Fact(event, COMMAND)], at=at)
        return outcome

    def open_queue(
        self,
        qmgr: str,
        queue: str,
        *,
        to: str = "",
        bind: str = "asqdef",
        handle: str = "",
        profile: str = "",
        at: Instant | None = None,
    ) -> Opened:
        """Open a queue for output as an application would, and say what it resolved to.

        Without a name for its handle it is closed at once.

        Raises:
            BadName: when MQ allows no such name.
            NoSuchQueueManager: when there is no such queue manager.
        """
        demand_queue(queue)
        demand_target(to)
        event = events.QueueOpened(
            qmgr=qmgr, queue=queue, to=to, bind=bind, handle=handle, profile=profile
        )
        opened = self._called(event, at).opened
        assert opened is not None  # noqa: S101 - an open always says what it came to
        return opened

    def close_handle(self, qmgr: str, handle: str, *, at: Instant | None = None) -> bool:
        """Close a handle; say whether there was one of that name."""
        return not self._called(events.HandleClosed(qmgr=qmgr, handle=handle), at).failed

    def put(
        self,
        qmgr: str,
        queue: str = "",
        *,
        at: Instant | None = None,
        **options: Unpack[PutOptions],
    ) -> Put:
        """Put messages on a queue that is opened for them, or on a handle; say where they went.

        Raises:
            BadName: when MQ allows no such name.
            BadCount: when there are none, or more than any queue could hold.
            NoSuchQueueManager: when there is none of that name.
        """
        if not options.get("handle"):
            demand_queue(queue)
        demand_target(options.get("to", ""))
        demand_count(options.get("count", 1))
        event = events.PutEntered(qmgr=qmgr, queue=queue, **options)
        put = self._called(event, at).put
        assert put is not None  # noqa: S101 - a put always says what it came to
        return put

    def get(self, qmgr: str, queue: str, *, count: int = 1, at: Instant | None = None) -> Got:
        """Take messages off a local queue, as many as there are of so many.

        Raises:
            BadName: when MQ allows no such name.
            BadCount: when there are none, or more than any queue could hold.
            NoSuchQueueManager: when there is no such queue manager.
        """
        demand_queue(queue)
        demand_count(count, done="got")
        got = self._called(events.GetEntered(qmgr=qmgr, queue=queue, count=count), at).got
        assert got is not None  # noqa: S101 - a get always says what it came to
        return got

    def whereabouts(self, qmgr: str, put: Put, *, at: Instant) -> Whereabouts:
        """Say what became of messages that were put at a queue manager.

        The log is looked at as it stands; an instant later than all in it says how channels are.
        """
        if not put.positions:
            return Whereabouts()
        estate = self._writer.head_estate(self.branch)
        columns = [column for cls in READS for column in columns_of(cls)]
        stored = self.log.events(after=put.positions[0], branch=self.branch, types=columns)
        facts = (decode(each.type, each.body) for each in stored)
        return whereabouts(estate, qmgr, put, facts, at=at)

    def names(self) -> Mapping[str, str]:
        """Return the names of all queue managers there ever were on this branch, by QMID."""
        return self._writer.head_estate(self.branch).names

    def handle_at(self, handle: str) -> str:
        """Name the queue manager at which a handle is open, '' where there is none."""
        estate = self._writer.head_estate(self.branch)
        found = (
            qmgr.name
            for qmgr in estate.qmgrs.values()
            if qmgr.busy and handle in qmgr.messaging.handles
        )
        return next(found, "")

    def explain(
        self,
        qmgr: str,
        asked: Asked,
        *,
        as_of: Instant | None = None,
        known_at: Instant | None = None,
    ) -> tuple[Explanation, AsOf]:
        """Explain where a message would go, putting nothing and counting nothing.

        Raises:
            BadName: when MQ allows no such name.
            NoSuchQueueManager: when there is none of that name.
        """
        if not asked.handle:
            demand_queue(asked.queue)
        demand_target(asked.to)
        here = as_of is None and known_at is None
        estate, point = self._look(qmgr, as_of, known_at)
        asks = must_ask(estate, estate.qmgr(qmgr), asked)
        if asks:
            estate = self._to_ask(point, qmgr, (asked.queue, asked.to), present=here)
        return explained(estate, estate.qmgr(qmgr), asked, at=point.valid, asks=asks), point

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
        asked = Asked(
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
        estate, point = self._look(qmgr, None, None)
        asks = must_ask(estate, estate.qmgr(qmgr), Asked(queue=queue))
        if asks:
            estate = self._to_ask(point, qmgr, (queue, ""), present=True)
        return inquired(estate, estate.qmgr(qmgr), queue, at=point.valid, asks=asks)

    def _to_ask(self, point: AsOf, qmgr: str, name: Name, *, present: bool) -> Estate:
        """Return a whole estate in which a queue manager may ask its repositories for a name."""
        if present and self._is_reached(point):
            return self._at_hand.to_ask(point, qmgr, name)
        return self.views.at(point)

    def _look(
        self, qmgr: str, as_of: Instant | None, known_at: Instant | None
    ) -> tuple[Estate, AsOf]:
        """Return an estate to be read only: the one at hand where it is that of the point."""
        point = self.as_of(valid=as_of, known=known_at)
        if as_of is None and known_at is None and self._is_reached(point):
            return self._at_hand.look(point), point
        return self.views.of_one(point, qmgr), point

    def _is_reached(self, point: AsOf) -> bool:
        """Say whether the branch ends by a point; a clock that was put back has it end later."""
        return self._writer.present(self.branch) <= point.valid
