"""What was observed of queue managers of which nothing was defined yet.

The fold keeps the latest observation of each state. When the queue manager becomes known, this is
what was last seen of it, and what follows is derived at that instant: so its state does not depend
on whether a log or its definitions begin earlier.

The QMIDs that were seen of queue managers, by name.

A script does not say the QMID of its queue manager. It is the one that the queue manager said at
another time, or else the only one that others hold records of under this name. If others hold two,
it is not known which of them is meant.

Source: design law 19; IBM MQ 9.4, "Queue manager attributes" (QMID identifies a queue manager).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, MutableMapping
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple, TypeAlias

from twin import events
from twin.events import BeliefsObserved, Event, ObjectsObserved
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


SeenQmids: TypeAlias = dict[str, dict[str, Instant | None]]
"""Name -> QMID -> when the queue manager itself showed it first; None if only others did."""


def note(known: SeenQmids, event: Event, at: Instant) -> None:
    """Note the QMIDs in an observation of an instant; other events say none."""
    if not isinstance(event, ObjectsObserved | BeliefsObserved):
        return
    if event.qmid is not None:
        shown = known.setdefault(event.qmgr, {})
        before = shown.get(event.qmid)
        shown[event.qmid] = at if before is None else min(at, before)
    for said in event.said if isinstance(event, BeliefsObserved) else ():
        if said.owner and said.owner_name != event.qmgr:
            known.setdefault(said.owner_name, {}).setdefault(said.owner, None)


def qmid_shown(
    name: str,
    at: Instant,
    *sources: Mapping[str, Mapping[str, Instant | None]],
    gone: Collection[str] = (),
) -> str | None:
    """Return the QMID of a queue manager that was first seen at an instant without one.

    Of several that it showed itself, it is the next one. None if it is not known. `gone` are the
    QMIDs of deleted queue managers.
    """
    seen: dict[str, Instant | None] = {}
    for source in sources:
        for qmid, said in source.get(name, {}).items():
            before = seen.get(qmid)
            seen[qmid] = min((each for each in (said, before) if each is not None), default=None)
    seen = {qmid: said for qmid, said in seen.items() if qmid not in gone}
    own = sorted(
        (said < at, abs(said - at), qmid) for qmid, said in seen.items() if said is not None
    )
    if own:
        return own[0][-1]
    return next(iter(seen)) if len(seen) == 1 else None
