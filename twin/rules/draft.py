"""A decision in progress: derived facts are folded into a private estate as they are decided."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from twin import events
from twin.events import Event
from twin.fold.estate import Estate, QueueManager
from twin.fold.replay import apply
from twin.model.instants import Instant

ChannelOutcome: TypeAlias = Literal["ran", "failed", "tried", "retried", "stopped", "forced"]
"""What became of a channel.

`ran`: it runs, or may run. `failed`: it ran and failed. `tried`: it could not be started.
`retried`: a retry could not start it. `stopped`: it was stopped. `forced`: it was stopped by force.
"""

Reactions: TypeAlias = "Mapping[type, Callable[[Draft, Any], None]]"
"""Type of a happening -> the rule that reacts to it; see `twin.rules.reactions`."""

_ROUTINE: Final = frozenset(
    {
        events.ClusterCommandsExpired,
        events.ClusterCommandsQueued,
        events.CommandEntered,
        events.ErrorLogged,
        events.GetEntered,
        events.HandleClosed,
        events.InformationExpired,
        events.InformationRepublished,
        events.MessagesArrived,
        events.MessagesRenewed,
        events.MessagesSent,
        events.PutEntered,
        events.QueueOpened,
        events.RenewalOverdue,
        events.SubscriptionMade,
        events.SubscriptionReferenced,
        events.SubscriptionsLapsed,
        events.SubscriptionsRenewed,
    }
)
"""Frequent events that change nothing which a choice for messages looks at."""


class Decided(NamedTuple):
    """An event that was decided upon, and its instant."""

    at: Instant
    event: Event


@dataclass(slots=True)
class Draft:
    """What has been decided so far, on a private estate.

    Rules read `estate` and call `emit`; a rule that runs later sees what earlier ones decided.

    A rule may be followed by one that belongs to a room above its own. Then it reports what
    happened, as a small frozen value (a happening), and `reactions` says which rule reacts:
    `react` lets it react before the reporting rule goes on, `react_later` puts the happening in a
    queue that `follow_up` works off.

    Attributes:
        estate: the private copy that events are folded into.
        at: the instant of what is decided next.
        position: the log position that the next event will have, if nobody else appends first.
        events: what was decided, in order.
        reactions: the rule that reacts to each type of happening. A draft without reactions is for
            rules that only read.
        follow_ups: happenings that nobody has reacted to yet, in order.
        following: whether `follow_up` is at work.
        channel_outcomes: (queue manager, channel) -> what became of a channel that messages wait
            for.
        dirty_qmgrs: queue managers at which something happened while messages waited anywhere.
        exits: the workload exits that are loaded, by the name in CLWLEXIT.
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

    def emit(self, event: Event) -> None:
        """Decide one event and fold it into the estate."""
        self.events.append(Decided(self.at, event))
        apply(self.estate, event, self.at, self.position)
        self.position += 1
        if (
            self.estate.qmgrs_with_waiting_messages
            and type(event) not in _ROUTINE
            and not self._leaves_choices(event)
        ):
            self.dirty_qmgrs[event.qmgr] = None

    def _leaves_choices(self, event: Event) -> bool:
        """Say whether all waiting messages would still be sent the same way after an event.

        New messages go where the rules of now send them. Only a workload exit sends them elsewhere,
        and only CLWLMRUC lets the use of a channel by some messages count for others.
        """
        return (
            isinstance(event, events.MessagesPut | events.HandleOpened)
            and event.exit is None
            and "CLWLMRUC" not in self.estate.qmgrs[event.qmgr].values
        )

    def react(self, happening: object) -> None:
        """Let the rule that a happening concerns react now.

        Raises:
            KeyError: if no rule reacts to a happening of this type.
        """
        self.reactions[type(happening)](self, happening)

    def react_later(self, happening: object) -> None:
        """Let the rule that a happening concerns react at the next `follow_up`."""
        self.follow_ups.append(happening)

    def follow_up(self) -> None:
        """React to all happenings in the queue, in order, until none is left.

        A call from within a reaction does nothing: the first call goes on with the queue.
        """
        if self.following:
            return
        self.following = True
        try:
            while self.follow_ups:
                self.react(self.follow_ups.popleft())
        finally:
            self.following = False

    def qmgr(self, name: str) -> QueueManager:
        """Return a queue manager by name."""
        return self.estate.qmgr(name)
