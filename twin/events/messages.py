"""Messages: put, sent, received, got, and moved between transmission queues and destinations.

Identical messages travel as one parcel with a count. Instants are in microseconds.
"""

from __future__ import annotations

from typing import ClassVar, Literal, TypeAlias

from twin.events.base import (
    Caller,
    ChannelEvent,
    Event,
    Position,
    PrimaryFact,
    TransmissionQueueEvent,
    event,
    value,
)
from twin.events.commands import QueueOpened
from twin.events.repository import RepositoryCommand
from twin.model.instants import Instant

Bind: TypeAlias = Literal["open", "notfixed", "group", "asqdef"]

UseCounters: TypeAlias = tuple[int, int]
"""DestSeqNumber and DestSeqFactor of a route: the order of its last use, and its weighted count."""


@value
class Parcel:
    """Identical messages of one put, on a queue or on their way.

    Attributes:
        put: the position of the event that put them; it identifies them.
        count: the number of messages.
        queue: the name of the queue at their destination.
        at: when they were put, or when their destination was last chosen.
        by: the queue manager where they were put.
        to: the QMID of their destination, '' if a channel leads out of the clusters.
        channel: the cluster-sender channel they wait for, '' on a queue that is not for
            transmission.
        cluster: the cluster they are sent through.
        fixed: why they may not be rerouted ('bind-on-open', 'bind-on-group', 'named-qmgr'), '' if
            they may.
        persistent: whether they are persistent; a failing fast channel loses only others.
        group: the group they belong to.
        name: the name that a story gives them.
        redirected: whether a receiving queue manager has already sent them to another instance.
        named: the queue manager in their transmission header, if that is not the destination's
            own name: an alias, or a queue manager after it.
        hops: the number of queue managers that have forwarded them.
        passes: only reallocation passes after this instant set `at` again; -1 if none does,
            because no destination can be chosen.
        reason: the reason code for which they are on the dead-letter queue; 0 if they are not.
        command: the repository command, if the message is one.
        caller: the user in their context; None if none was given, and no authority is checked.
    """

    put: Position
    count: int
    queue: str
    at: Instant
    by: str
    to: str = ""
    channel: str = ""
    cluster: str = ""
    fixed: str = ""
    persistent: bool = True
    group: str = ""
    name: str = ""
    redirected: bool = False
    named: str = ""
    hops: int = 0
    passes: Instant = 0
    reason: int = 0
    command: RepositoryCommand | None = None
    caller: Caller | None = None


@value
class Share:
    """The part of a put, or of a move, that takes one route.

    Attributes:
        count: the number of messages; 0 if a choice was counted and led to a further alias.
        to: the QMID of the destination, '' if a channel leads out of the clusters.
        channel: the cluster-sender channel, '' for a local queue. If a CLUSRCVR stood for the local
            queue in the choice, it is in `route`.
        lies_on: the local queue or transmission queue they were put on.
        queue: the name of the queue at the destination.
        cluster: the cluster they are sent through.
        named: see `Parcel`.
        route: the channel whose counters were used; '' if nothing was counted.
        before: the counters of the route before; None if nothing was counted.
        after: the counters of the route after.
    """

    count: int
    to: str
    channel: str
    lies_on: str
    queue: str
    cluster: str = ""
    named: str = ""
    route: str = ""
    before: UseCounters | None = None
    after: UseCounters | None = None


@value
class ExitSaid:
    """The result of a workload exit: the chosen route, or a reason code and a problem."""

    name: str
    to: str = ""
    channel: str = ""
    reason: int = 0
    problem: str = ""


@value
class Move:
    """A new route for the first `share.count` messages of one put."""

    put: Position
    share: Share


@event
class PutEntered(PrimaryFact):
    """An application called MQPUT `count` times on a handle, or on a queue that it opened.

    `to` is the ObjectQMgrName. With `put1` the call was MQPUT1. `profile` is the workload algorithm
    ('v8', 'v7'), '' for the default of the command level. Without a `caller` no authority is
    checked; on a handle it is that of the MQOPEN.
    """

    queue: str = ""
    handle: str = ""
    count: int = 1
    bind: Bind = "asqdef"
    to: str = ""
    put1: bool = False
    persistent: bool = True
    group: str = ""
    logical_order: bool = False
    name: str = ""
    profile: str = ""
    caller: Caller | None = None


@event
class HandleOpened(Event):
    """MQOPEN returned a handle, with its binding and, for bind open, its destination.

    `base` is the name of the resolved queue, if it is another; `bind` is '' if no cluster is
    involved.
    """

    handle: str
    queue: str
    base: str = ""
    to: str = ""
    bind: str = ""
    profile: str = ""
    bound: Share | None = None
    exit: ExitSaid | None = None
    caller: Caller | None = None


@event
class WorkloadExitFailed(Event):
    """A workload exit failed: the call failed with 2266, and the handle no longer has the exit.

    `handle` is '' if the call was not on a handle.
    """

    queue: str
    exit: ExitSaid
    handle: str = ""


@event
class HandleClosed(PrimaryFact):
    """An application closed a handle."""

    handle: str


@event
class AnswerAwaited(Event):
    """A call waits until full repositories have answered for `names`, at most ten seconds.

    `names` are (kind, name). The call is one of these: an MQOPEN (`opened`), an MQPUT or MQPUT1
    (`put`), an MQCLOSE (`closed`), or the MQOPEN of the `channel` that messages of the queue
    manager `sender` arrive on, which is held up meanwhile. A call joins a wait for the same names
    that has begun already.
    """

    names: tuple[tuple[str, str], ...]
    opened: QueueOpened | None = None
    put: PutEntered | None = None
    closed: HandleClosed | None = None
    sender: str = ""
    channel: str = ""


@event
class AnswerWaitEnded(Event):
    """The calls that waited for `names` go on, because the answers have come or the time is over.

    `reason` is the reason code of the first call if its name is still unknown, else 0.
    """

    names: tuple[tuple[str, str], ...]
    reason: int = 0


@event
class MessagesPut(Event):
    """Messages were put: how the destination was chosen, and which routes they took.

    `queue` is the name that was put to; `bind` is the binding, '' if no cluster was involved;
    `version` is the version of the rules that chose.
    """

    queue: str
    shares: tuple[Share, ...]
    bind: str = ""
    handle: str = ""
    fixed: str = ""
    persistent: bool = True
    group: str = ""
    name: str = ""
    profile: str = ""
    version: int = 1
    exit: ExitSaid | None = None
    caller: Caller | None = None


@event
class WorkloadHistoryReset(Event):
    """The weighted counts of all routes were set to zero; the order of use stays."""


@event
class MessagesSent(TransmissionQueueEvent):
    """The first `count` messages for a channel left their transmission queue.

    `channel` is '' for messages without a certain channel. With `fast` they are the first
    nonpersistent ones. `over` is the channel that sent them, if it is another than `channel`.
    """

    count: int
    fast: bool = False
    over: str = ""


@event
class MessagesArrived(Event):
    """Messages arrived over a channel from a queue manager, and were put on a local queue.

    If they could not be put on the queue they were for, `queue` is another one and `reason` is the
    reason code.
    """

    sender: str
    channel: str
    queue: str
    parcels: tuple[Parcel, ...]
    reason: int = 0


@event
class MessagesRedirected(Event):
    """Messages that arrived over a channel were forwarded.

    With a `reason` they could not be put here, and another instance was chosen. Without one, a
    definition here leads further. `fixed` says why they may not be rerouted later, see `Parcel`.
    """

    sender: str
    channel: str
    parcels: tuple[Parcel, ...]
    shares: tuple[Share, ...]
    reason: int = 0
    profile: str = ""
    version: int = 1
    fixed: str = ""


@event
class MessagesCirculated(Event):
    """Messages that arrived over a channel go round in a loop of definitions, and for ever.

    MQ limits no hops: the messages go on until a definition changes. The twin follows them no
    further, so they are on no queue after this. `queue` is the name that they are for.
    """

    understood_since: ClassVar[str] = "0.2.0"

    sender: str
    channel: str
    queue: str
    parcels: tuple[Parcel, ...]


@event
class MessagesReturned(TransmissionQueueEvent):
    """Messages came back to their transmission queue: the receiver could not put them.

    `reason` is the receiver's reason code.
    """

    parcels: tuple[Parcel, ...]
    reason: int


@event
class MessagesReallocated(TransmissionQueueEvent):
    """Waiting messages of a channel that stopped or failed were rerouted.

    `stayed` is the number of messages that were considered and not moved, and `ineligible` that of
    messages that no pass may move: bound, for a named queue manager, in doubt or already sent. If
    the channel was forced to stop meanwhile, which z/OS allows, the pass was `interrupted`: the
    rest was not considered. `later` messages are considered later, in other portions. `exit` is the
    last answer of the workload exit.
    """

    cause: Literal["stop", "retry"]
    moves: tuple[Move, ...]
    stayed: int = 0
    interrupted: bool = False
    profile: str = ""
    version: int = 1
    exit: ExitSaid | None = None
    ineligible: int = 0
    later: int = 0


@event
class MessagesRenewed(TransmissionQueueEvent):
    """Reallocation passes left messages where they were, but set their `at` again.

    Each of the `spans` is the number of messages for the channel before them on the queue, and
    their own number. `at` is the instant of the last of these passes. `passes` is the new value of
    `Parcel.passes`. None means unchanged.
    """

    spans: tuple[tuple[int, int], ...]
    at: Instant | None = None
    passes: Instant | None = None


@event
class MessagesSwitched(ChannelEvent):
    """The first `count` messages for a channel were moved to its new transmission queue."""

    count: int


@event
class MessagesLost(Event):
    """Messages were lost in one of the ways that MQ documents.

    `why` is 'fast' (nonpersistent, sent outside syncpoint when a fast channel failed), 'resolved'
    (an in-doubt batch was resolved COMMIT and had not arrived), 'discarded' (nonpersistent, from
    `sender`, and could be put nowhere), 'cleared' (CLEAR QLOCAL), 'deleted' (with the queue or
    queue manager), 'restarted' (nonpersistent, when the queue manager was restarted).
    """

    queue: str
    count: int
    why: Literal["fast", "resolved", "discarded", "cleared", "deleted", "restarted"]
    channel: str = ""
    sender: str = ""


@event
class GetEntered(PrimaryFact):
    """An application called MQGET until it had `count` messages, or the queue was empty."""

    queue: str
    count: int = 1


@event
class MessagesGot(Event):
    """The first `count` messages of a queue were got.

    On a transmission queue they are messages for `channel`: each of the `spans` is the number of
    messages for it before them, and their own number.
    """

    queue: str
    count: int
    channel: str = ""
    spans: tuple[tuple[int, int], ...] = ()


@event
class DeadLettersHandled(Event):
    """runmqdlq took `count` messages off a dead-letter queue, after the first `place` of them.

    It discarded them, or put them again, as its rules say: `shares` are their destinations, and
    `fixed` says why they may not be rerouted later, see `Parcel`.
    """

    queue: str
    place: int
    count: int
    action: Literal["DISCARD", "RETRY", "FWD"]
    shares: tuple[Share, ...] = ()
    fixed: str = ""
