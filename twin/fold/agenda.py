"""The agenda: every timer of the estate, entered by the fold when a timer starts.

Each kind of timer has a heap of entries, ordered by the instant that the rule counts from. The
rules know how long each kind takes (`twin.rules.repository.lifetimes`). An entry can become void,
because a record was renewed or a queue manager ended; it is dropped when it reaches the top of its
heap. A queue manager that is not running has no timers; they are entered again when it starts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from heapq import heappush
from typing import Any, Final, TypeAlias

from twin.model.instants import Instant


class TimerKind(IntEnum):
    """The kinds of timers, in the order in which they go off at one instant.

    What is over is cleared before anything moves (QUEUED first). News arrives before its absence
    is noted (UNDER_WAY to REQUESTED before HELD to OVERDUE). Each kind says what waits, and the
    instant from which its rule counts.
    """

    QUEUED = 1
    """Repository commands on a transmission queue; the instant they were put there."""
    UNDER_WAY = 2
    """Repository commands on a slow link; their arrival."""
    RETRYING = 3
    """A channel whose next retry will find its partner or move messages; that retry."""
    GIVING_UP = 4
    """A channel that is retrying; its last retry."""
    PUBLISHED = 5
    """A queue manager's own records; their publication."""
    REFERENCED = 6
    """Requests in use; when they were made."""
    REQUESTED = 7
    """Requests not in use; when they were made."""
    HELD = 8
    """An unexpired record of another queue manager; its publication."""
    EXPIRED = 9
    """An expired record of another queue manager; its publication."""
    OVERDUE = 10
    """A record of another queue manager that gets daily warnings when late; its publication, or
    whole days after."""


Key: TypeAlias = tuple[Any, ...]
Entry: TypeAlias = tuple[Instant, str, Key]
"""(the instant counted from, queue manager, key of what waits there).

The key () stands for the earliest timer of that kind there; the queue manager '' for all that hold
what the key names.
"""

UNKNOWN: Final[Key] = ()
REQUESTS: Final[Key] = ("requests",)
"""The key of requests: all that a queue manager made at that instant."""

ANY_HOLDER: Final = ""
"""In place of a queue manager: all that hold something of a publication."""

OF_HELD: Final = (TimerKind.HELD, TimerKind.OVERDUE)
"""The kinds that count from the publication of a held record."""

PART_OF: Final[Mapping[TimerKind, str]] = {
    **dict.fromkeys(TimerKind, "repository"),
    TimerKind.RETRYING: "activity",
    TimerKind.GIVING_UP: "activity",
}
"""The part of a queue manager that has the timers of each kind."""


@dataclass(slots=True)
class Agenda:
    """The timers of all queue managers: one heap for each kind.

    Attributes:
        heaps: the entries of each kind.
        holders: (instant, key) of a publication -> the queue managers that hold records of it.
        last_requests: the entry of requests that was added last, None once an entry was looked at.
            A request of the same kind, instant and queue manager needs no entry of its own.
        nothing_due_before: an instant before which nothing is due, as far as the rules worked out
            since the last entry was added; 0 if they did not.

    All records of one publication count from the same instant, whoever holds them, and nearly all
    are renewed before they are due. So they share one entry of HELD and one of OVERDUE, whose queue
    manager is ''. When one of these reaches the top, each name in `holders` gets entries of its
    own. While (instant, key) is in `holders`, both shared entries are on the heaps. Another holder
    therefore makes nothing due earlier, and `nothing_due_before` stays true.
    """

    heaps: dict[TimerKind, list[Entry]] = field(
        default_factory=lambda: {kind: [] for kind in TimerKind}
    )
    holders: dict[tuple[Instant, Key], list[str]] = field(default_factory=dict)
    last_requests: tuple[TimerKind, Instant, str] | None = None
    nothing_due_before: Instant = field(default=0, compare=False)

    def add(self, kind: TimerKind, since: Instant, qmgr: str, key: Key) -> None:
        """Start a timer."""
        self.nothing_due_before = 0
        heappush(self.heaps[kind], (since, qmgr, key))

    def add_requests(self, kind: TimerKind, made: Instant, qmgr: str) -> None:
        """Start the timer of the requests made at one instant."""
        entry = (kind, made, qmgr)
        if entry != self.last_requests:
            self.add(kind, made, qmgr, REQUESTS)
            self.last_requests = entry

    def add_held(self, since: Instant, qmgr: str, key: Key) -> None:
        """Start the timers of a record of another: its expiry, and warnings that it is late."""
        names = self.holders.get((since, key))
        if names is not None:
            names.append(qmgr)
            return
        self.holders[since, key] = [qmgr]
        for kind in OF_HELD:
            self.add(kind, since, ANY_HOLDER, key)
