"""The agenda: what waits for the clock, kept by the fold as things come to wait.

For every kind of waiting there is a heap of the instants from which a rule counts its days; the
rules know how long each takes (`twin.rules.repository.lifetimes`). An entry that no longer stands,
because a record was renewed or a queue manager ended, is dropped when it comes to the top. A queue
manager that is not running waits for nothing: it is enlisted again when it starts.
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


class Waits(IntEnum):
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
    """What waits, by kind; each a heap.

    `asked` is the last entry of requests, until anything is taken off: what is used or made with it
    waits with it. `quiet` is an instant before which nothing is due, as far as the rules found out
    since something was last added; 0 where they did not.

    What is held of one publication waits since the same instant wherever it is held, and has mostly
    been sent again before anything is due: so it is one entry of HELD and one of OVERDUE, for
    whoever holds it, and `holders` are put on both heaps when one of these comes to the top. As
    long as there are holders of an instant and key, both entries are there; so who joins them, or
    is put on the heaps in their place, brings nothing forward, and `quiet` holds.
    """

    heaps: dict[Waits, list[Entry]] = field(default_factory=lambda: {kind: [] for kind in Waits})
    holders: dict[tuple[Instant, Key], list[str]] = field(default_factory=dict)
    asked: tuple[Waits, Instant, str] | None = None
    quiet: Instant = field(default=0, compare=False)

    def add(self, kind: Waits, since: Instant, qmgr: str, key: Key) -> None:
        """Let something wait."""
        self.quiet = 0
        heappush(self.heaps[kind], (since, qmgr, key))

    def add_requests(self, kind: Waits, made: Instant, qmgr: str) -> None:
        """Let requests wait that were made at one instant."""
        entry = (kind, made, qmgr)
        if entry != self.asked:
            self.add(kind, made, qmgr, REQUESTS)
            self.asked = entry

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

_OF_HELD: Final = (Waits.HELD, Waits.OVERDUE)


def first(estate: Estate, kind: Waits) -> Entry | None:
    """Return what has waited longest of a kind, if anything waits."""
    heap, stands = estate.agenda.heaps[kind], _STANDS[kind]
    estate.agenda.asked = None
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
        if qmgr is not None and qmgr.running and key in qmgr.repository.groups:
            for kind in _OF_HELD:
                heappush(estate.agenda.heaps[kind], (since, name, key))


def take(estate: Estate, kind: Waits) -> Entry:
    """Take what `first` returned off the agenda."""
    heap, estate.agenda.asked = estate.agenda.heaps[kind], None
    entry = heappop(heap)
    while heap and heap[0] == entry:  # a queue manager that started again was enlisted twice
        heappop(heap)
    return entry


def _load(qmgr: QueueManager, kind: Waits) -> None:
    getattr(qmgr, part_of(kind))


def part_of(kind: Waits) -> str:
    """Name the part of a queue manager in which something of a kind waits."""
    return "activity" if kind in _OF_CHANNELS else "repository"


_OF_CHANNELS: Final = frozenset({Waits.RETRYING, Waits.GIVING_UP})


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
    names = qmgr.repository.groups.get((qmgr.qmid, key[0]))
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
    return key in qmgr.repository.groups and key not in qmgr.repository.expired


def _expired(qmgr: QueueManager, since: Instant, key: Key) -> bool:
    del since
    return key in qmgr.repository.groups and key in qmgr.repository.expired


def _overdue(qmgr: QueueManager, since: Instant, key: Key) -> bool:
    del since
    return key in qmgr.repository.groups


_STANDS: Final[Mapping[Waits, Callable[[QueueManager, Instant, Key], bool]]] = {
    Waits.QUEUED: _queued,
    Waits.UNDER_WAY: _under_way,
    Waits.RETRYING: _retrying,
    Waits.GIVING_UP: _giving_up,
    Waits.PUBLISHED: _published,
    Waits.REFERENCED: _referenced,
    Waits.REQUESTED: _requested,
    Waits.HELD: _held,
    Waits.EXPIRED: _expired,
    Waits.OVERDUE: _overdue,
}
