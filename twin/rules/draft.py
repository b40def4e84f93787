"""A decision under way: derived facts are folded into a private estate as they are decided."""

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

Turn: TypeAlias = Literal["ran", "failed", "tried", "retried", "stopped", "forced"]
"""What became of a channel: it runs, or may; it failed; it could not be started, or not by a retry
again; it was stopped, or that by force."""


_IDLE: Final = frozenset(
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
"""What comes again and again, and leaves whatever a choice for messages looks at as it was."""


class Decided(NamedTuple):
    """An event that was decided upon, and its instant."""

    at: Instant
    event: Event


@dataclass(slots=True)
class Draft:
    """What has been decided so far; `at` is the instant of what is decided next.

    Rules read `estate` and call `emit`; a rule that runs later sees what earlier ones decided.
    `position` is the log position that the next event will have, if nobody else appends first;
    `follow` is what is still to be done about events that were emitted; `turned` are channels, by
    queue manager and name, that messages wait for and that ran, stopped or failed; `touched` are
    the queue managers that something happened at while messages waited anywhere; `exits` are the
    workload exits that are loaded, by the name in CLWLEXIT.
    """

    estate: Estate
    at: Instant
    position: int
    events: list[Decided] = field(default_factory=list)
    follow: deque[Callable[[], None]] = field(default_factory=deque)
    following: bool = False
    turned: dict[tuple[str, str], Turn] = field(default_factory=dict)
    touched: dict[str, None] = field(default_factory=dict)
    exits: Mapping[str, Callable[..., Any]] = field(default_factory=dict)

    def emit(self, event: Event) -> None:
        """Decide one event and fold it in."""
        self.events.append(Decided(self.at, event))
        apply(self.estate, event, self.at, self.position)
        self.position += 1
        if (
            self.estate.qmgrs_with_waiting_messages
            and type(event) not in _IDLE
            and not self._leaves_choices(event)
        ):
            self.touched[event.qmgr] = None

    def _leaves_choices(self, event: Event) -> bool:
        """Say whether all that waits stays where it would be chosen for.

        What is put goes where the rules of now send it; only an exit sends it elsewhere, and only
        CLWLMRUC lets turns that were taken count for others.
        """
        if not isinstance(event, events.MessagesPut | events.HandleOpened):
            return False
        return event.exit is None and "CLWLMRUC" not in self.estate.qmgrs[event.qmgr].values

    def follow_up(self) -> None:
        """Do what is still to be done, first things first, until nothing is left.

        Whoever asks for it while it is being done leaves the rest to who began.
        """
        if self.following:
            return
        self.following = True
        try:
            while self.follow:
                self.follow.popleft()()
        finally:
            self.following = False

    def qmgr(self, name: str) -> QueueManager:
        """Return a queue manager by name."""
        return self.estate.qmgr(name)
