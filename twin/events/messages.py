"""Messages: put, sent, arrived, taken, and moved between transmission queues and destinations.

Messages that were put alike travel as one parcel with a count. Instants are in microseconds.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from twin.events.base import Event, Position, PrimaryFact, event, value
from twin.model.instants import Instant

Bind: TypeAlias = Literal["open", "notfixed", "group", "asqdef"]

Use: TypeAlias = tuple[int, int]
"""DestSeqNumber and DestSeqFactor of a route: when it was used last, and by what weight so far."""


@value
class Parcel:
    """Messages that were put alike, where they lie or on their way.

    Attributes:
        put: the position of the event that put them; with it they are told apart.
        count: how many they are.
        queue: the name of the queue they are for, at their destination.
        at: when they were put, or last chosen a destination for.
        by: the queue manager they were put at.
        to: the QMID of their destination, '' where a channel leads out of the clusters.
        channel: the cluster-sender channel they are for, '' on a queue that is not for
            transmission.
        cluster: the cluster they go through.
        fixed: why they may not go elsewhere ('bind-on-open', 'bind-on-group', 'named-qmgr'), ''
            where they may.
        persistent: whether they survive a fast channel's failure.
        group: the group they belong to.
        name: what a story calls them.
        redirected: whether a receiving queue manager has sent them to another instance once.
        named: the queue manager in their transmission header, where that is not the destination's
            own name: an alias of one, or one behind it.
        hops: how many queue managers have sent them on.
        passes: only reallocation passes behind this instant date them anew; -1 where none does,
            as the choice for them fails.
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


@value
class Share:
    """The part of a put, or of a move, that goes one way.

    Attributes:
        count: how many messages; 0 where a choice was counted, and led to an alias that led on.
        to: the QMID of the destination, '' where a channel leads out of the clusters.
        channel: the cluster-sender channel, '' for a local queue; of a local queue that stood in
            the choice by a CLUSRCVR it is in `route`.
        lies_on: the local queue or transmission queue they were put on.
        queue: the name of the queue at the destination.
        cluster: the cluster they go through.
        named: see `Parcel`.
        route: the channel by which the route is counted; '' where nothing was counted.
        before: what was counted of the route before, None where nothing was counted.
        after: what is counted of it now.
    """

    count: int
    to: str
    channel: str
    lies_on: str
    queue: str
    cluster: str = ""
    named: str = ""
    route: str = ""
    before: Use | None = None
    after: Use | None = None


@value
class ExitSaid:
    """What a workload exit came to: the route it chose, or a reason code and what went wrong."""

    name: str
    to: str = ""
    channel: str = ""
    reason: int = 0
    problem: str = ""


@value
class Move:
    """Messages of one put that were chosen a new route for: the first `share.count` of them."""

    put: Position
    share: Share


@event
class PutEntered(PrimaryFact):
    """An application called MQPUT `count` times on a handle, or on a queue it opened for it.

    `to` is the ObjectQMgrName; with `put1` it was MQPUT1; `profile` names the workload algorithm
    ('v8', 'v7'), '' for that of the queue manager's command level.
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


@event
class HandleOpened(Event):
    """An MQOPEN gave a handle: which binding holds, and with bind open, where it is bound to.

    `base` is what the name resolved to where that is another; `bind` is '' where no cluster is
    asked.
    """

    handle: str
    queue: str
    base: str = ""
    to: str = ""
    bind: str = ""
    profile: str = ""
    bound: Share | None = None
    exit: ExitSaid | None = None


@event
class HandleClosed(PrimaryFact):
    """An application closed a handle."""

    handle: str


@event
class MessagesPut(Event):
    """Messages were put: how the choice was made, and where they went.

    `queue` is the name that was put to; `bind` how it was bound, '' where no cluster was asked;
    `handle` and `group` where there was one; `version` is that of the rules that chose.
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


@event
class WorkloadHistoryReset(Event):
    """What was counted by weight of each route began again at zero; the order of use stays."""


@event
class MessagesSent(Event):
    """The first `count` messages for a channel left their transmission queue.

    Those that lie there for no channel in particular are for ''. With `fast` they are the first
    non-persistent ones. `over` is the channel that took them, where that is another than they lie
    there for.
    """

    channel: str
    queue: str
    count: int
    fast: bool = False
    over: str = ""


@event
class MessagesArrived(Event):
    """Messages came over a channel, from a queue manager named `sender`, and were put on a queue.

    `queue` is the local queue they lie on now: the one they were for, or another where that was
    not to be had: then `reason` is the reason code for it.
    """

    sender: str
    channel: str
    queue: str
    parcels: tuple[Parcel, ...]
    reason: int = 0


@event
class MessagesRedirected(Event):
    """Messages that came over a channel go on from here.

    With a `reason` they could not be put, and another instance was chosen for them; without, what
    is defined here leads them on. `fixed` says why they may go nowhere else from now on, see
    `Parcel`.
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
class MessagesReturned(Event):
    """A receiver could put messages nowhere: they are back on the queue they were sent from.

    `reason` is the receiver's reason code.
    """

    channel: str
    queue: str
    parcels: tuple[Parcel, ...]
    reason: int


@event
class MessagesReallocated(Event):
    """Messages waiting for a channel were chosen another route for, as it stopped or failed.

    `stayed` is how many were looked at and stay. Where the channel was forced to stop half way,
    which z/OS allows, it was `interrupted`: the rest was not looked at.
    """

    channel: str
    queue: str
    cause: Literal["stop", "retry"]
    moves: tuple[Move, ...]
    stayed: int = 0
    interrupted: bool = False
    profile: str = ""
    version: int = 1


@event
class MessagesRenewed(Event):
    """Reallocation passes left messages for a channel where they are, and dated them anew.

    Each of the `spans` is how many for the channel lie before them on the queue, and how many they
    are; `at` is the last of these passes. `passes` says which will do so again: those behind that
    instant, or with -1 none, as the choice for them fails. What is left out stays as it was.
    """

    channel: str
    queue: str
    spans: tuple[tuple[int, int], ...]
    at: Instant | None = None
    passes: Instant | None = None


@event
class MessagesSwitched(Event):
    """The first `count` messages for a channel were moved to the queue it is switched to."""

    channel: str
    count: int


@event
class MessagesLost(Event):
    """Messages are gone in one of the ways that MQ documents.

    `why` is 'fast' (non-persistent and sent outside syncpoint when a fast channel failed),
    'resolved' (an in-doubt batch was resolved COMMIT and had not arrived), 'discarded' (nowhere to
    put a non-persistent one, which came from the queue manager `sender`), 'cleared' (CLEAR QLOCAL),
    'deleted' (with the queue or the queue manager), 'restarted' (non-persistent ones, with their
    queue manager).
    """

    queue: str
    count: int
    why: Literal["fast", "resolved", "discarded", "cleared", "deleted", "restarted"]
    channel: str = ""
    sender: str = ""


@event
class GetEntered(PrimaryFact):
    """An application called MQGET until it had `count` messages of a queue, or none were left."""

    queue: str
    count: int = 1


@event
class MessagesGot(Event):
    """The first `count` messages of a queue were taken.

    On a transmission queue they are those for a `channel`: each of the `spans` is how many for it
    lie before them there, and how many they are.
    """

    queue: str
    count: int
    channel: str = ""
    spans: tuple[tuple[int, int], ...] = ()
