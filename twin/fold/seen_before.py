"""What was observed of queue managers of which nothing was defined yet.

The fold keeps the latest observation of each state. When the queue manager becomes known, this is
what was last seen of it, and what follows is derived at that instant: so its state does not depend
on whether a log or its definitions begin earlier.
"""

from __future__ import annotations

from collections.abc import MutableMapping
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple, TypeAlias

from twin import events
from twin.events.catalogue import encode
from twin.fold.seen_states import SeenStates
from twin.model.instants import Instant

StateFact: TypeAlias = (
    events.ListenersObserved
    | events.QueueManagerStatusObserved
    | events.RepositoryManagerObserved
    | events.SuspensionObserved
    | events.TransmissionQueueObserved
)
"""An observation of a state that `SeenStates` does not have."""

STATE_FACTS: Final = (
    events.ListenersObserved,
    events.QueueManagerStatusObserved,
    events.RepositoryManagerObserved,
    events.SuspensionObserved,
    events.TransmissionQueueObserved,
)


class SeenState(NamedTuple):
    """The latest observation of one state, and its instant."""

    at: Instant
    event: StateFact


@dataclass(slots=True)
class SeenBefore:
    """What was observed of one queue manager before it was known.

    Attributes:
        seen: the statuses and depths that were last seen.
        facts: the latest observation of each other state.
    """

    seen: SeenStates = field(default_factory=SeenStates)
    facts: dict[str, SeenState] = field(default_factory=dict)

    def in_order(self) -> list[SeenState]:
        """Return the other observations in their order."""
        return sorted(self.facts.values(), key=_order)


def keep_latest(facts: MutableMapping[str, SeenState], event: StateFact, at: Instant) -> None:
    """Keep an observation if it is the latest of its state.

    Of two different ones of one instant the greater counts, so that their order decides nothing.
    """
    found, state = SeenState(at, replace(event, origin=None, claimed=None)), _state(event)
    if state not in facts or _order(facts[state]) < _order(found):
        facts[state] = found


def _state(event: StateFact) -> str:
    """Return which state an observation is about."""
    if isinstance(event, events.SuspensionObserved):
        about = event.cluster
    elif isinstance(event, events.TransmissionQueueObserved):
        about = event.channel
    elif isinstance(event, events.ListenersObserved):
        about = " ".join(event.running) if event.complete is None else f"= {event.complete}"
    else:
        about = ""
    return f"{type(event).__name__} {about}"


def _order(fact: SeenState) -> tuple[Instant, str]:
    return fact.at, encode(fact.event)
