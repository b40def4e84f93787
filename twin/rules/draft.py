"""A decision in progress: derived facts are folded into a private estate as they are decided.

The reply to a command is MQ's messages, and whether the command failed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from twin import events
from twin.events import Event
from twin.fold.estate import Estate, QueueManager
from twin.fold.replay import apply
from twin.fold.seen_before import SeenQmids
from twin.fold.store.pages import private_copy
from twin.model.instants import Instant
from twin.model.messages import NOT_PUT, Message
from twin.model.readings import EQUALS

ChannelOutcome: TypeAlias = Literal[
    "ran", "failed", "tried", "retried", "stopped", "forced", "cut short"
]
"""What happened to a channel.

`ran`: it runs, or may run. `failed`: it ran and failed. `tried`: it could not be started.
`retried`: a retry could not start it. `stopped`: it was stopped. `forced`: it was stopped on z/OS
with another mode than QUIESCE, which interrupts the rerouting of its messages. `cut short`: so it
was stopped while its messages were rerouted.
"""

Reactions: TypeAlias = "Mapping[type, Callable[[Draft, Any], None]]"
"""Type of a happening -> the rule that reacts to it; see `twin.rules.reactions`."""

_ROUTINE: Final = frozenset(
    {
        events.AnswerAwaited,
        events.AnswerWaitEnded,
        events.ClusterCommandsExpired,
        events.ClusterCommandsQueued,
        events.CommandEntered,
        events.DepthsObserved,
        events.ErrorLogged,
        events.EvidenceObserved,
        events.GetEntered,
        events.HandleClosed,
        events.InformationExpired,
        events.InformationRepublished,
        events.IntervalCounted,
        events.MessagesArrived,
        events.MessagesRenewed,
        events.MessagesSent,
        events.ObjectsUnsure,
        events.PortionAwaited,
        events.PutEntered,
        events.QueueManagerReplaced,
        events.QueueOpened,
        events.RecordsDated,
        events.RenewalOverdue,
        events.RenewalOverdueObserved,
        events.SubscriptionMade,
        events.SubscriptionReferenced,
        events.SubscriptionsLapsed,
        events.SubscriptionsRenewed,
        events.WorkloadExitFailed,
        events.ZoneStated,
    }
)
"""Frequent events that change nothing that a workload choice depends on."""


class Decided(NamedTuple):
    """A decided event, and the instant at which it occurs."""

    at: Instant
    event: Event


class Foreseen(NamedTuple):
    """Something derived for an instant from an observation that comes later.

    Attributes:
        at: the instant.
        cause: the id of the observation.
        take: the rule.
    """

    at: Instant
    cause: str
    take: Callable[[Draft], None]


@dataclass(slots=True)
class Draft:
    """The events decided so far, and the private estate that they are folded into.

    Rules read `estate` and call `emit`. A rule that runs later sees what earlier rules decided.

    A rule does not call a rule of a room above its own. It reports what happened as a small frozen
    value (a happening), and `reactions` says which rule reacts. With `react` that rule runs before
    the reporting rule continues. With `react_later` the happening is queued until `follow_up`.

    Attributes:
        estate: the private copy that events are folded into.
        at: the instant of the next decision.
        position: the log position that the next event will have, if no other process appends first.
        events: the decided events, in order.
        reactions: the rule that reacts to each type of happening. A draft without reactions is for
            rules that only read.
        follow_ups: happenings that no rule has reacted to yet, in order.
        following: whether `follow_up` is running.
        channel_outcomes: (queue manager, channel) -> what happened to a channel that messages wait
            for.
        dirty_qmgrs: queue managers at which something happened while messages waited anywhere.
        exits: the workload exits that are loaded, by the name in CLWLEXIT.
        seen_qmids: the QMIDs that were seen of each name at other instants than those that are
            folded into the estate.
        foreseen: what follows from later observations, the latest first.
        causes: the instants at which something foreseen was decided -> its cause.
        folded: whether the event that is emitted next is folded already, with its likes.
        ended: the results of calls that waited for full repositories, by the position of the event
            that says that they wait.
    """

    estate: Estate
    at: Instant
    position: int
    events: list[Decided] = field(default_factory=list)
    reactions: Reactions = field(default_factory=dict)
    follow_ups: deque[object] = field(default_factory=deque)
    following: bool = False
    channel_outcomes: dict[tuple[str, str], ChannelOutcome] = field(default_factory=dict)
    dirty_qmgrs: dict[str, None] = field(default_factory=dict)
    exits: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    seen_qmids: SeenQmids = field(default_factory=dict)
    foreseen: list[Foreseen] = field(default_factory=list)
    causes: dict[Instant, str] = field(default_factory=dict)
    folded: bool = False
    ended: dict[int, object] = field(default_factory=dict)

    def fold_together(self, rows: Sequence[Event]) -> None:
        """Fold observations that share the next position; what follows is derived one by one.

        Before each of them is derived, `folded` must be set.
        """
        for row in rows:
            apply(self.estate, row, self.at, self.position)
        self.position += 1

    def emit(self, event: Event) -> None:
        """Add one event to the decision and fold it into the estate."""
        self.events.append(Decided(self.at, event))
        if self.folded:
            self.folded = False
        else:
            apply(self.estate, event, self.at, self.position)
            self.position += 1
        if (
            self.estate.qmgrs_with_waiting_messages
            and type(event) not in _ROUTINE
            and not self._leaves_choices(event)
        ):
            self.dirty_qmgrs[event.qmgr] = None

    def _leaves_choices(self, event: Event) -> bool:
        """Return whether an event leaves the workload choices for waiting messages unchanged.

        A put or an MQOPEN leaves them unchanged, with four exceptions: a workload exit was called;
        by a reading, waiting messages take turns among equals;
        CLWLMRUC is set, so that the use of a channel by these messages affects other messages; or
        messages were put after others that their receiver gave back, and it may take these.
        """
        if (
            not isinstance(event, events.MessagesPut | events.HandleOpened)
            or event.exit is not None
            or EQUALS in self.estate.readings
        ):
            return False
        qmgr = self.estate.qmgrs[event.qmgr]
        return "CLWLMRUC" not in qmgr.values and not (
            isinstance(event, events.MessagesPut)
            and any(
                (state := qmgr.activity.channels.get(share.channel)) is not None
                and state.reason == NOT_PUT
                for share in event.shares
            )
        )

    def take_foreseen(self) -> None:
        """Decide the next thing that follows from a later observation."""
        at, cause, take = self.foreseen.pop()
        self.at = max(at, self.at)
        self.causes[self.at] = cause
        take(self)

    def react(self, happening: object) -> None:
        """Call the rule that reacts to a happening.

        Raises:
            KeyError: if no rule reacts to a happening of this type.
        """
        self.reactions[type(happening)](self, happening)

    def react_later(self, happening: object) -> None:
        """Queue a happening; `follow_up` calls the rule that reacts to it."""
        self.follow_ups.append(happening)

    def follow_up(self) -> None:
        """React to all happenings in the queue, in order, until the queue is empty.

        A call from within a reaction does nothing: the outer call continues with the queue.
        """
        if self.following:
            return
        self.following = True
        try:
            while self.follow_ups:
                self.react(self.follow_ups.popleft())
        finally:
            self.following = False

    def trial(self) -> Draft:
        """Return a draft on a copy of the estate, in which a rule is tried out; it has no exits."""
        return Draft(private_copy(self.estate), self.at, self.position, reactions=self.reactions)

    def qmgr(self, name: str) -> QueueManager:
        """Return a queue manager by name."""
        return self.estate.qmgr(name)


@dataclass(frozen=True, slots=True)
class Reply:
    """The reply to one command that is not a DISPLAY."""

    messages: tuple[Message, ...]
    failed: bool = False


def done(message_id: str, *inserts: str) -> Reply:
    """Reply that a command was carried out."""
    return Reply((Message(message_id, *inserts),))


def refused(message_id: str, *inserts: str) -> Reply:
    """Reply that a command could not be processed."""
    return Reply((Message(message_id, *inserts),), failed=True)
