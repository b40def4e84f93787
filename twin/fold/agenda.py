"""The agenda: what waits for the clock, kept by the fold as things come to wait.

For every kind of waiting there is a heap of the instants from which a rule counts its days; the
rules know how long each takes (`twin.rules.lifetimes`). An entry that no longer stands, because a
record was renewed or a queue manager ended, is dropped when it comes to the top. A queue manager
that is not running waits for nothing: it is enlisted again when it starts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from heapq import heappop, heappush
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from twin.model.instants import Instant

if TYPE_CHECKING:
    from twin.fold.estate import Estate, QueueManager, Running
    from twin.fold.repository import Repository


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
"""(the instant counted from, queue manager, what waits there); () is whatever waits there first."""

_UNKNOWN: Final[Key] = ()
_REQUESTS: Final[Key] = ("requests",)
"""What waits where requests do: all that a queue manager made at that instant."""


@dataclass(slots=True)
class Agenda:
    """What waits, by kind; each a heap.

    `asked` is the last entry of requests, until anything is taken off: what is used or made with it
    waits with it. `quiet` is an instant before which nothing is due, as far as the rules found out
    since something was last added; 0 where they did not.

    What is held of one publication waits since the same instant wherever it is held, and has mostly
    been sent again before anything is due: so it is one entry of each heap, with no queue manager,
    and `holders` are put on the heaps when that comes to the top.
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
            self.add(kind, made, qmgr, _REQUESTS)
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
    getattr(qmgr, _part(kind))


def enlist(estate: Estate, qmgr: QueueManager) -> None:
    """Let everything wait that a queue manager has to wait for."""
    enlist_repository(estate, qmgr, qmgr.repository)
    enlist_activity(estate, qmgr, qmgr.activity)


def enlist_repository(estate: Estate, qmgr: QueueManager, repository: Repository) -> None:
    """Let everything wait that lies in a repository."""
    for kind, since, key in waiting_in(qmgr, repository):
        estate.agenda.add(kind, since, qmgr.name, key)


def enlist_activity(estate: Estate, qmgr: QueueManager, activity: Running) -> None:
    """Let the channels wait that will retry."""
    for kind, since, key in retrying_in(activity):
        estate.agenda.add(kind, since, qmgr.name, key)


def enlist_unloaded(estate: Estate, qmgr: QueueManager, waits: Mapping[Waits, Instant]) -> None:
    """Let a queue manager wait whose parts are not loaded, by the earliest instant of each kind."""
    for kind, since in waits.items():
        estate.agenda.add(kind, since, qmgr.name, _UNKNOWN)


def waiting_in(qmgr: QueueManager, repository: Repository) -> Iterator[tuple[Waits, Instant, Key]]:
    """Go through all that waits in a repository: kind, the instant counted from, and key."""
    for channel, parcels in repository.waiting.items():
        for parcel in parcels:
            yield Waits.QUEUED, parcel.since, (channel,)
    for channel, moving in repository.under_way.items():
        for underway in moving:
            yield Waits.UNDER_WAY, underway.arrives, (channel,)
    for used, since in {
        (made.referenced is not None, made.made) for made in repository.subscriptions.values()
    }:
        yield Waits.REFERENCED if used else Waits.REQUESTED, since, _REQUESTS
    for key, since in repository.publications():
        if key[0] == qmgr.qmid:
            yield Waits.PUBLISHED, since, (key[1],)
            continue
        yield Waits.EXPIRED if key in repository.expired else Waits.HELD, since, key
        yield Waits.OVERDUE, since, key


def retrying_in(activity: Running) -> Iterator[tuple[Waits, Instant, Key]]:
    """Go through the channels that will retry."""
    for channel, state in activity.channels.items():
        if state.status != "RETRYING":
            continue
        if state.retry is not None:
            yield Waits.RETRYING, state.retry, (channel,)
        if state.gives_up is not None:
            yield Waits.GIVING_UP, state.gives_up, (channel,)


def earliest(qmgr: QueueManager) -> dict[Waits, Instant]:
    """Return the earliest instant of each kind that a queue manager has to wait for.

    What is not loaded is as it was when it was stored.
    """
    loaded = vars(qmgr)
    found = {kind: since for kind, since in qmgr.waits.items() if _part(kind) not in loaded}
    if "repository" in loaded:
        _keep_earliest(found, waiting_in(qmgr, qmgr.repository))
    if "activity" in loaded:
        _keep_earliest(found, retrying_in(qmgr.activity))
    return found


def _part(kind: Waits) -> str:
    return "activity" if kind in _OF_CHANNELS else "repository"


_OF_CHANNELS: Final = frozenset({Waits.RETRYING, Waits.GIVING_UP})


def _keep_earliest(
    found: dict[Waits, Instant], waiting: Iterator[tuple[Waits, Instant, Key]]
) -> None:
    for kind, since, _ in waiting:
        before = found.get(kind)
        if before is None or since < before:
            found[kind] = since


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
