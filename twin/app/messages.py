"""What applications do: open, put, get and close."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import TypedDict, Unpack

from twin import events
from twin.app.batch import COMMAND, Fact
from twin.app.counting import demand_count
from twin.app.naming import demand_queue, demand_target
from twin.app.wording import demand_bind, demand_profile
from twin.app.writing import Writer
from twin.events.catalogue import columns_of, decode
from twin.fold.estate import Estate
from twin.log import Log
from twin.model.asof import AsOf
from twin.model.instants import Instant
from twin.questions.put_outcome import READS, PutOutcome, put_outcome
from twin.rules.deriving import Outcome
from twin.rules.messages.getting import Got
from twin.rules.messages.opening import Opened
from twin.rules.messages.putting import Put


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
    _writer: Writer

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
            BadWord: for a binding or an order of the rules that is none.
            NoSuchQueueManager: when there is no such queue manager.
        """
        demand_queue(queue)
        demand_target(to)
        demand_bind(bind)
        demand_profile(profile)
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
            BadWord: for a binding or an order of the rules that is none.
            NoSuchQueueManager: when there is none of that name.
        """
        if not options.get("handle"):
            demand_queue(queue)
        demand_target(options.get("to", ""))
        demand_count(options.get("count", 1))
        demand_bind(options.get("bind", "asqdef"))
        demand_profile(options.get("profile", ""))
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

    def whereabouts(self, qmgr: str, put: Put, *, at: Instant) -> PutOutcome:
        """Say what became of messages that were put at a queue manager.

        The log is looked at as it stands; an instant later than all in it says how channels are.
        """
        if not put.positions:
            return PutOutcome()
        columns = [column for cls in READS for column in columns_of(cls)]
        stored = self.log.events(after=put.positions[0], branch=self.branch, types=columns)
        facts = [decode(each.type, each.body) for each in stored]
        return self._writer.read(
            self.branch, lambda estate: put_outcome(estate, qmgr, put, facts, at=at)
        )

    def names(self) -> Mapping[str, str]:
        """Return the names of all queue managers there ever were on this branch, by QMID."""
        return self._writer.read(self.branch, lambda estate: dict(estate.names))

    def handle_at(self, handle: str) -> str:
        """Name the queue manager at which a handle is open, '' where there is none."""

        def question(estate: Estate) -> str:
            found = (
                qmgr.name
                for qmgr in estate.qmgrs.values()
                if qmgr.has_messaging and handle in qmgr.messaging.handles
            )
            return next(found, "")

        return self._writer.read(self.branch, question)
