"""What a map can show: its nodes, which are queue managers, and its edges, which are channels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from twin.model.instants import DAY, Instant
from twin.web.pages.backlog import Backlog
from twin.web.pages.rendering import UNKNOWN

HEALTHY: Final = frozenset({"RUNNING", "INACTIVE"})
"""The statuses of channels that deliver."""

_RANK: Final = {"STOPPED": 0, "RETRYING": 1, "RUNNING": 3, "INACTIVE": 4}
_PASSING: Final = 2
"""The rank of statuses that a channel passes through."""


class MapEdge(NamedTuple):
    """A channel from one queue manager to another.

    Attributes:
        on: the queue manager of the sending end.
        to: the queue manager of the receiving end.
        channel: its name.
        clusters: the clusters that it is used for.
        status: its status at the sending end.
        since: when the status began; None if that is unknown.
        next_retry: when it is tried again; None if it is not.
        waiting: what waits for it.
        basis: what the status rests on.
        position: the event it rests on; 0 for none.
    """

    on: str
    to: str
    channel: str
    clusters: tuple[str, ...]
    status: str
    since: Instant | None
    next_retry: Instant | None
    waiting: Backlog
    basis: str
    position: int

    @property
    def key(self) -> tuple[str, str]:
        """The queue manager of the sending end, and the name of the channel."""
        return self.on, self.channel

    @property
    def healthy(self) -> bool:
        """Whether it delivers as far as is known, and nothing waits for it."""
        return self.status in {*HEALTHY, UNKNOWN} and not self.waiting

    @property
    def rank(self) -> int:
        """Its place among others of its pair: the worst status comes first."""
        return rank_of(self.status)


@dataclass(frozen=True, slots=True, kw_only=True)
class MapNode:
    """A queue manager on the map.

    Attributes:
        name: its name.
        clusters: its clusters.
        full: the clusters of which it holds a full repository.
        suspended: the clusters in which it is suspended.
        running: whether it runs; None if nobody knows.
        in_twin: whether the twin has it.
        known: whether the observer knows it; True without an observer.
        removal: when the observer removes its expired record; None if it has not expired.
        basis: what this rests on.
        differs: where the observer's beliefs about it differ, in words.
        changed: how it differs from the reference of a comparison: added, changed or ''.
        channels: its own channels that do not deliver.
        qmids: its QMIDs; more than one if it was rebuilt under its name.
    """

    name: str
    clusters: tuple[str, ...] = ()
    full: tuple[str, ...] = ()
    suspended: tuple[str, ...] = ()
    running: bool | None = None
    in_twin: bool = True
    known: bool = True
    removal: Instant | None = None
    basis: str = ""
    differs: tuple[str, ...] = ()
    changed: str = ""
    channels: int = 0
    qmids: tuple[str, ...] = ()

    @property
    def state(self) -> str:
        """What is most important about it, in one word; '' if it is as it should be."""
        states = {
            "unknown": not self.known,
            "expired": self.removal is not None,
            "absent": not self.in_twin,
            "down": self.running is False,
            "suspended": bool(self.suspended),
        }
        return next((name for name, applies in states.items() if applies), "")

    @property
    def troubled(self) -> bool:
        """Whether it should be drawn even if most nodes are not."""
        expected = self.state in ("", "unknown") and not self.changed
        return bool(not expected or self.differs or self.channels)

    def says(self, at: Instant) -> str:
        """Return the line below its name."""
        if self.removal is not None and self.known:
            return f"removed in {-((at - self.removal) // DAY)} d"
        texts = {
            "unknown": "not known",
            "absent": "not in the twin",
            "down": "not running",
            "suspended": "suspended",
        }
        return texts.get(self.state, "full repository" if self.full else "")


@dataclass(frozen=True, slots=True)
class MapContent:
    """Everything that a map could draw.

    Attributes:
        nodes: the queue managers by name.
        edges: the channels, sorted by their ends and names.
    """

    nodes: Mapping[str, MapNode] = field(default_factory=dict)
    edges: Sequence[MapEdge] = ()


def rank_of(status: str) -> int:
    """Return the place of a status among others: the worst comes first."""
    return _RANK.get(status, _PASSING)
