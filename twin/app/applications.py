"""The calls of applications: MQOPEN, MQCLOSE, MQPUT and MQGET."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, TypedDict, Unpack

from twin import events
from twin.app.acting import Acting
from twin.app.validation import check_count, check_opening, check_queue
from twin.events.base import GroupsOfUsers
from twin.fold.estate import Estate
from twin.model.instants import Instant

if TYPE_CHECKING:
    from twin.rules.messages.getting import Got
    from twin.rules.messages.opening import Opened
    from twin.rules.messages.putting import Put


class PutOptions(TypedDict, total=False):
    """The options of a put; by default one persistent message with the defaults of MQPMO.

    Attributes:
        handle: the open handle to put on, instead of a queue.
        count: the number of messages.
        bind: 'open', 'notfixed', 'group', or 'asqdef' (DEFBIND of the queue).
        to: the ObjectQMgrName.
        put1: whether the call is MQPUT1.
        persistent: whether the messages are persistent.
        group: the group of the messages.
        logical_order: whether the queue manager manages the group.
        name: a name for these messages.
        profile: the order of the workload rules, 'v8' or 'v7'; '' for the one of the command level.
        origin: who puts them, and from where.
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
    origin: events.Origin | None


class ApplicationCalls(Acting):
    """The calls of applications on one branch of a log."""

    def open_queue(  # noqa: PLR0913 - each is an option of its own
        self,
        qmgr: str,
        queue: str,
        *,
        to: str = "",
        bind: str = "asqdef",
        handle: str = "",
        profile: str = "",
        user: str = "",
        groups: GroupsOfUsers = (),
        at: Instant | None = None,
    ) -> Opened:
        """Open a queue for output, as an application does; return the resolved name.

        Without a `handle` name, the handle is closed at once. If full repositories must answer
        first, the result is the expected one, and `pending`; it is recorded when they answer. With
        a `user`, of these `groups`, its authority is checked.

        Raises:
            BadName: if MQ does not allow a name.
            BadWord: if the bind option or the order of the rules is unknown.
            GroupsAlone: if groups are given without a user.
            NoSuchQueueManager: if the queue manager does not exist.
        """
        check_opening(queue, to, bind, profile)
        event = events.QueueOpened(
            qmgr=qmgr,
            queue=queue,
            to=to,
            bind=bind,
            handle=handle,
            profile=profile,
            caller=events.Caller.of(user, groups),
        )
        opened = self._command(event, at).opened
        assert opened is not None  # noqa: S101 - an open has this outcome
        return opened

    def close_handle(self, qmgr: str, handle: str, *, at: Instant | None = None) -> bool:
        """Close a handle; return whether it was open."""
        return not self._command(events.HandleClosed(qmgr=qmgr, handle=handle), at).failed

    def put(
        self,
        qmgr: str,
        queue: str = "",
        *,
        at: Instant | None = None,
        user: str = "",
        groups: GroupsOfUsers = (),
        **options: Unpack[PutOptions],
    ) -> Put:
        """Put messages on a queue, or on an open handle; return the result with the destinations.

        If full repositories must answer first, the result is the expected one, and `pending`. With
        a `user`, of these `groups`, its authority is checked, and that of its messages where they
        arrive.

        Raises:
            BadName: if MQ does not allow a name.
            BadCount: if the count is less than 1, or more than a queue can hold.
            BadWord: if the bind option or the order of the rules is unknown.
            GroupsAlone: if groups are given without a user.
            NoSuchQueueManager: if the queue manager does not exist.
        """
        check_opening(
            None if options.get("handle") else queue,
            options.get("to", ""),
            options.get("bind", "asqdef"),
            options.get("profile", ""),
        )
        check_count(options.get("count", 1), verb="put")
        caller = events.Caller.of(user, groups)
        event = events.PutEntered(qmgr=qmgr, queue=queue, caller=caller, **options)
        put = self._command(event, at).put
        assert put is not None  # noqa: S101 - a put has this outcome
        return put

    def authority_lines(
        self, qmgr: str, queue: str, to: str, caller: events.Caller | None
    ) -> tuple[str, ...]:
        """Return lines that say whether a caller may put, and by which profile; () without one."""
        from twin.questions.access import lines_of  # noqa: PLC0415 - few commands need it
        from twin.rules.draft import Draft  # noqa: PLC0415
        from twin.rules.messages.destinations import Resolver  # noqa: PLC0415

        def read(estate: Estate) -> tuple[str, ...]:
            draft, named = Draft(estate, estate.instant, estate.position + 1), estate.qmgr(qmgr)
            resolved = Resolver(draft, named, asks=False).resolve(queue, to)
            return lines_of(named, resolved, caller) if caller is not None else ()

        return () if caller is None else self.read(read)

    def get(
        self,
        qmgr: str,
        queue: str,
        *,
        count: int = 1,
        at: Instant | None = None,
        origin: events.Origin | None = None,
    ) -> Got:
        """Get up to `count` messages from a local queue; `origin` says who, and from where.

        Raises:
            BadName: if MQ does not allow a name.
            BadCount: if the count is less than 1, or more than a queue can hold.
            NoSuchQueueManager: if the queue manager does not exist.
        """
        check_queue(queue)
        check_count(count, verb="get")
        event = events.GetEntered(qmgr=qmgr, queue=queue, count=count, origin=origin)
        got = self._command(event, at).got
        assert got is not None  # noqa: S101 - a get has this outcome
        return got

    def names(self) -> Mapping[str, str]:
        """Return the name of every queue manager that ever existed on this branch, by QMID."""
        return self.read(lambda estate: dict(estate.names))

    def handle_at(self, handle: str) -> str:
        """Return the queue manager at which a handle is open, or '' if it is not open.

        A handle whose MQOPEN waits for full repositories counts as open.
        """
        from twin.rules.repository import answers  # noqa: PLC0415 - few commands need it

        def owner_of(estate: Estate) -> str:
            owners = (
                qmgr.name
                for qmgr in estate.qmgrs.values()
                if (qmgr.has_messaging and handle in qmgr.messaging.handles)
                or answers.opening_of(qmgr, handle)
            )
            return next(owners, "")

        return self.read(owner_of)
