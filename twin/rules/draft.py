"""A decision under way: derived facts are folded into a private estate as they are decided."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from twin.events import Event
from twin.fold.estate import Estate, QueueManager
from twin.fold.replay import apply
from twin.model.instants import Instant


class Decided(NamedTuple):
    """An event that was decided upon, and its instant."""

    at: Instant
    event: Event


@dataclass(slots=True)
class Draft:
    """What has been decided so far; `at` is the instant of what is decided next.

    Rules read `estate` and call `emit`; a rule that runs later sees what earlier ones decided.
    `position` is the log position that the next event will have, if nobody else appends first;
    `follow` is what is still to be done about events that were emitted.
    """

    estate: Estate
    at: Instant
    position: int
    events: list[Decided] = field(default_factory=list)
    follow: deque[Callable[[], None]] = field(default_factory=deque)
    following: bool = False

    def emit(self, event: Event) -> None:
        """Decide one event and fold it in."""
        self.events.append(Decided(self.at, event))
        apply(self.estate, event, self.at, self.position)
        self.position += 1

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
