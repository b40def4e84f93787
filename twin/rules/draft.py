"""A decision under way: derived facts are folded into a private estate as they are decided."""

from __future__ import annotations

from dataclasses import dataclass, field

from twin.events import Event
from twin.fold.estate import Estate, QueueManager
from twin.fold.replay import apply
from twin.model.instants import Instant


@dataclass(slots=True)
class Draft:
    """What has been decided so far at one instant.

    Rules read `estate` and call `emit`; a rule that runs later sees what earlier ones decided.
    `position` is the log position that the next event will have, if nobody else appends first.
    """

    estate: Estate
    at: Instant
    position: int
    events: list[Event] = field(default_factory=list)

    def emit(self, event: Event) -> None:
        """Decide one event and fold it in."""
        self.events.append(event)
        apply(self.estate, event, self.at, self.position)
        self.position += 1

    def qmgr(self, name: str) -> QueueManager:
        """Return a queue manager by name."""
        return self.estate.qmgr(name)
