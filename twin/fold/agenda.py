"""The agenda: every timer of the estate, entered by the fold when a timer starts.

Each kind of timer has a heap of entries, ordered by the instant that the rule counts from. The
rules know how long each kind takes (`twin.rules.repository.lifetimes`). An entry can become void,
because a record was renewed or a queue manager ended; it is dropped when it reaches the top of its
heap. A queue manager that is not running has no timers; they are entered again when it starts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from heapq import heappop, heappush
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from twin.model.instants import Instant

if TYPE_CHECKING:
    from twin.fold.estate import Estate, QueueManager


class TimerKind(IntEnum):
    """The kinds of waiting, in the order in which they are served at one instant.

    What is over is cleared away before anything moves (QUEUED); news arrives before its absence is
    noted (UNDER_WAY to REQUESTED before HELD to OVERDUE).
    """

    QUEUED = 1
    """Repository commands on a transmission queue; since."""
    UNDER_WAY = 2
    """Repository commands on a slow link; their arrival."""
    RETRYING = 3
    """A channel whose partner can be reached again, or that will move messages; its next retry."""
    GIVING_UP = 4
    """A channel whose retries come to an end; the last of them."""
    PUBLISHED = 5
    """A queue manager's own records; their publication."""
    REFERENCED = 6
    """Requests in use; their making."""
    REQUESTED = 7
    """Requests not in use; their making."""
    HELD = 8
    """A record of another that has not expired; its publication."""
    EXPIRED = 9
    """A record of another that has expired; its publication."""
    OVERDUE = 10
    """A record of another, whose lateness is warned of day by day; its publication, or days on."""


Key: TypeAlias = tuple[Any, ...]
Entry: TypeAlias = tuple[Instant, str, Key]
"""(the instant counted from, queue manager, what waits there).

() is whatever waits there first; '' in place of a queue manager is whoever holds what is named.
"""

UNKNOWN: Final[Key] = ()
REQUESTS: Final[Key] = ("requests",)
"""What waits where requests do: all that a queue manager made at that instant."""


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
        """Let something wait."""
        self.nothing_due_before = 0
        heappush(self.heaps[kind], (since, qmgr, key))

    def add_requests(self, kind: TimerKind, made: Instant, qmgr: str) -> None:
        """Let requests wait that were made at one instant."""
        entry = (kind, made, qmgr)
        if entry != self.last_requests:
            self.add(kind, made, qmgr, REQUESTS)
            self.last_requests = entry

    def add_held(self, since: Instant, qmgr: str, key: Key) -> None:
        """Let a record of another wait for its expiry, and for warnings of its lateness."""
        names = self.holders.get((since, key))
        if names is not None:
            names.append(qmgr)
            return
        self.holders[since, key] = [qmgr]
        for kind in _OF_HELD:
            self.add(kind, since, _WHOEVER, key)


_WHOEVER: Final = ""
"""In place of the queue manager: whoever holds something of a publication."""

_OF_HELD: Final = (TimerKind.HELD, TimerKind.OVERDUE)


def first(estate: Estate, kind: TimerKind) -> Entry | None:
    """Return what has waited longest of a kind, if anything waits."""
    heap, stands = estate.agenda.heaps[kind], _STANDS[kind]
    estate.agenda.last_requests = None
    while heap:
        entry = heap[0]
        since, name, key = entry
        if name == _WHOEVER:
            heappop(heap)
            _enlist_holders(estate, since, key)
            continue
        qmgr = estate.qmgrs.get(name)
        if qmgr is not None and qmgr.running:
            if not key:
                heappop(heap)
                _load(qmgr, kind)  # which enlists what waits there
                continue
            if stands(qmgr, since, key):
                return entry
        heappop(heap)
    return None


def _enlist_holders(estate: Estate, since: Instant, key: Key) -> None:
    """Let those wait who hold something of a publication still."""
    for name in estate.agenda.holders.pop((since, key), ()):
        qmgr = estate.qmgrs.get(name)
        if qmgr is not None and qmgr.running and key in qmgr.repository.by_publication:
            for kind in _OF_HELD:
                heappush(estate.agenda.heaps[kind], (since, name, key))


def take(estate: Estate, kind: TimerKind) -> Entry:
    """Take what `first` returned off the agenda."""
    heap, estate.agenda.last_requests = estate.agenda.heaps[kind], None
    entry = heappop(heap)
    while heap and heap[0] == entry:  # a queue manager that started again was enlisted twice
        heappop(heap)
    return entry


def _load(qmgr: QueueManager, kind: TimerKind) -> None:
    getattr(qmgr, part_of(kind))


def part_of(kind: TimerKind) -> str:
    """Name the part of a queue manager in which something of a kind waits."""
    return "activity" if kind in _OF_CHANNELS else "repository"


_OF_CHANNELS: Final = frozenset({TimerKind.RETRYING, TimerKind.GIVING_UP})


def _queued(qmgr: QueueManager, since: Instant, key: Key) -> bool:
    waiting = qmgr.repository.waiting.get(key[0], ())
    return any(parcel.since == since for parcel in waiting)


def _under_way(qmgr: QueueManager, since: Instant, key: Key) -> bool:
    moving = qmgr.repository.under_way.get(key[0], ())
    return any(parcel.arrives == since for parcel in moving)


def _retrying(qmgr: QueueManager, since: Instant, key: Key) -> bool:
    state = qmgr.activity.channels.get(key[0])
    return state is not None and state.status == "RETRYING" and state.retry == since


def _giving_up(qmgr: QueueManager, since: Instant, key: Key) -> bool:
    state = qmgr.activity.channels.get(key[0])
    return state is not None and state.status == "RETRYING" and state.gives_up == since


def _published(qmgr: QueueManager, since: Instant, key: Key) -> bool:
    names = qmgr.repository.by_publication.get((qmgr.qmid, key[0]))
    if not names:
        return False
    return qmgr.repository.beliefs[next(iter(names))][qmgr.qmid].published == since


def _referenced(qmgr: QueueManager, since: Instant, key: Key) -> bool:
    del key
    return any(
        made.made == since and made.referenced is not None
        for made in qmgr.repository.subscriptions.values()
    )


def _requested(qmgr: QueueManager, since: Instant, key: Key) -> bool:
    del key
    return any(
        made.made == since and made.referenced is None
        for made in qmgr.repository.subscriptions.values()
    )


def _held(qmgr: QueueManager, since: Instant, key: Key) -> bool:
    del since
    return key in qmgr.repository.by_publication and key not in qmgr.repository.expired


def _expired(qmgr: QueueManager, since: Instant, key: Key) -> bool:
    del since
    return key in qmgr.repository.by_publication and key in qmgr.repository.expired


def _overdue(qmgr: QueueManager, since: Instant, key: Key) -> bool:
    del since
    return key in qmgr.repository.by_publication


_STANDS: Final[Mapping[TimerKind, Callable[[QueueManager, Instant, Key], bool]]] = {
    TimerKind.QUEUED: _queued,
    TimerKind.UNDER_WAY: _under_way,
    TimerKind.RETRYING: _retrying,
    TimerKind.GIVING_UP: _giving_up,
    TimerKind.PUBLISHED: _published,
    TimerKind.REFERENCED: _referenced,
    TimerKind.REQUESTED: _requested,
    TimerKind.HELD: _held,
    TimerKind.EXPIRED: _expired,
    TimerKind.OVERDUE: _overdue,
}
