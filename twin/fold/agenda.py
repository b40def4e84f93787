"""The agenda: every timer of the estate; the fold enters a timer when it starts.

Each kind of timer has a heap of entries, ordered by the instant at which the timer started. The
rules know how long each kind takes (`twin.rules.due_timers`). An entry becomes void if,
for example, its record was renewed or its queue manager ended. A void entry is dropped when it
reaches the top of its heap. A queue manager that is not running has no timers; they are entered
again when it starts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from heapq import heappush
from typing import Any, Final, TypeAlias

from twin.model.instants import Instant


class TimerKind(IntEnum):
    """The kinds of timers, in the order in which those of the same instant are served.

    An end that gives up does so before its channel is retried (SILENT first). Expired commands are
    removed before anything is sent (QUEUED). Records arrive before missing ones expire (UNDER_WAY
    to REQUESTED before HELD to OVERDUE), and before calls stop waiting for them (AWAITED). The
    docstring of each kind says what has the timer, and the instant at which the timer starts.
    """

    SILENT = 0
    """An end of a channel that hears nothing from its partner; the instant at which it notices."""
    QUEUED = 1
    """Repository commands on a transmission queue; the instant they were put there."""
    UNDER_WAY = 2
    """Repository commands in transit on a link with a delay; their arrival."""
    RETRYING = 3
    """A channel whose next retry will change something; that retry."""
    GIVING_UP = 4
    """A RETRYING channel; its last retry."""
    PUBLISHED = 5
    """A queue manager's own records; their publication."""
    REFERENCED = 6
    """Requests that were used since they were made; when they were made."""
    REQUESTED = 7
    """Requests that were not used since they were made; when they were made."""
    HELD = 8
    """An unexpired record of another queue manager; its publication."""
    EXPIRED = 9
    """An expired record of another queue manager; its publication."""
    OVERDUE = 10
    """A record of another queue manager that will get daily warnings if it is not renewed.

    Its publication, or a whole number of days later.
    """
    MESSAGE_RETRY = 11
    """A channel whose partner retries to put a message; its next attempt."""
    RERUN = 12
    """A failed operation of a repository manager; when it runs again."""
    AWAITED = 13
    """Calls that wait for an answer of full repositories; the first call."""
    PORTION = 14
    """A switch or a reallocation pass that goes on; its next portion."""


TimerKey: TypeAlias = tuple[Any, ...]
Entry: TypeAlias = tuple[Instant, str, TimerKey]
"""(instant at which the timer started, queue manager, key of what has the timer).

The key () means the earliest timer of that kind at the queue manager. The queue manager '' means
all queue managers that hold records of the publication in the key.
"""

UNKNOWN: Final[TimerKey] = ()
REQUESTS: Final[TimerKey] = ("requests",)
"""The key of all requests that a queue manager made at one instant."""

RERUN: Final[TimerKey] = ("rerun",)
"""The key of the failed operation of a repository manager."""

ANY_HOLDER: Final = ""
"""Used instead of a queue manager: all queue managers that hold records of a publication."""

OF_HELD: Final = (TimerKind.HELD, TimerKind.OVERDUE)
"""The kinds of timers that start at the publication of a held record."""

PART_OF: Final[Mapping[TimerKind, str]] = {
    **dict.fromkeys(TimerKind, "repository"),
    TimerKind.SILENT: "activity",
    TimerKind.RETRYING: "activity",
    TimerKind.GIVING_UP: "activity",
    TimerKind.MESSAGE_RETRY: "activity",
    TimerKind.AWAITED: "activity",
    TimerKind.PORTION: "activity",
}
"""The part of a queue manager that has the timers of each kind."""


@dataclass(slots=True)
class Agenda:
    """The timers of all queue managers: one heap for each kind.

    Attributes:
        heaps: the entries of each kind.
        holders: (instant, key) of a publication -> the queue managers that hold records of it.
        last_requests: the entry of requests that was added last; None after an entry was read. A
            request of the same kind, instant and queue manager needs no entry of its own.
        nothing_due_before: an instant before which nothing is due, if the rules have computed one
            since the last entry was added; else 0.

    The timers of all records of one publication start at the same instant at every holder, and
    nearly all these records are renewed before they are due. So they share one entry of HELD and
    one of OVERDUE, with '' as queue manager. When one of these reaches the top, each name in
    `holders` gets entries of its own. While (instant, key) is in `holders`, both shared entries are
    on the heaps. So a new holder makes nothing due earlier, and `nothing_due_before` stays valid.
    """

    heaps: dict[TimerKind, list[Entry]] = field(
        default_factory=lambda: {kind: [] for kind in TimerKind}
    )
    holders: dict[tuple[Instant, TimerKey], list[str]] = field(default_factory=dict)
    last_requests: tuple[TimerKind, Instant, str] | None = None
    nothing_due_before: Instant = field(default=0, compare=False)

    def add(self, kind: TimerKind, since: Instant, qmgr: str, key: TimerKey) -> None:
        """Start a timer."""
        self.nothing_due_before = 0
        heappush(self.heaps[kind], (since, qmgr, key))

    def add_requests(self, kind: TimerKind, made: Instant, qmgr: str) -> None:
        """Start the timer of the requests made at one instant."""
        entry = (kind, made, qmgr)
        if entry != self.last_requests:
            self.add(kind, made, qmgr, REQUESTS)
            self.last_requests = entry

    def add_held(self, since: Instant, qmgr: str, key: TimerKey) -> None:
        """Start the timers of a record of another queue manager: expiry, and overdue warnings."""
        names = self.holders.get((since, key))
        if names is not None:
            names.append(qmgr)
            return
        self.holders[since, key] = [qmgr]
        for kind in OF_HELD:
            self.add(kind, since, ANY_HOLDER, key)
