"""The next timer of a kind: found in the agenda, with void entries dropped on the way.

An entry is void once what it stands for has changed: a record was renewed, a request was used, a
channel no longer retries, or the queue manager has ended.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from heapq import heappop, heappush
from itertools import islice
from typing import Final

from twin.fold.agenda import ANY_HOLDER, OF_HELD, Entry, Key, TimerKind, part_of
from twin.fold.estate import ChannelState, Estate, QueueManager
from twin.model.instants import Instant


def first(estate: Estate, kind: TimerKind) -> Entry | None:
    """Return the timer of a kind that counts from the earliest instant; None if there is none."""
    heap, is_valid = estate.agenda.heaps[kind], _IS_VALID[kind]
    estate.agenda.last_requests = None
    while heap:
        entry = heap[0]
        since, name, key = entry
        if name == ANY_HOLDER:
            heappop(heap)
            _enlist_holders(estate, since, key)
            continue
        qmgr = estate.qmgrs.get(name)
        if qmgr is not None and qmgr.running:
            if not key:
                heappop(heap)
                getattr(qmgr, part_of(kind))  # loading it enters its timers
                continue
            if is_valid(qmgr, since, key):
                return entry
        heappop(heap)
    return None


def _enlist_holders(estate: Estate, since: Instant, key: Key) -> None:
    """Enter the timers of each queue manager that still holds something of a publication."""
    for name in estate.agenda.holders.pop((since, key), ()):
        qmgr = estate.qmgrs.get(name)
        if qmgr is not None and qmgr.running and key in qmgr.repository.by_publication:
            for kind in OF_HELD:
                heappush(estate.agenda.heaps[kind], (since, name, key))


def take(estate: Estate, kind: TimerKind) -> Entry:
    """Take the timer that `first` returned off the agenda, and return it."""
    heap, estate.agenda.last_requests = estate.agenda.heaps[kind], None
    entry = heappop(heap)
    while heap and heap[0] == entry:  # a queue manager that started again has it twice
        heappop(heap)
    return entry


def _retrying(qmgr: QueueManager, key: Key) -> ChannelState | None:
    state = qmgr.activity.channels.get(key[0])
    return state if state is not None and state.status == "RETRYING" else None


def _retries_at(qmgr: QueueManager, since: Instant, key: Key) -> bool:
    return (state := _retrying(qmgr, key)) is not None and state.retry == since


def _gives_up_at(qmgr: QueueManager, since: Instant, key: Key) -> bool:
    return (state := _retrying(qmgr, key)) is not None and state.gives_up == since


def _published_at(qmgr: QueueManager, since: Instant, key: Key) -> bool:
    repository = qmgr.repository
    names = repository.by_publication.get((qmgr.qmid, key[0]), ())
    return any(repository.beliefs[name][qmgr.qmid].published == since for name in islice(names, 1))


def _has_requests(qmgr: QueueManager, since: Instant, *, in_use: bool) -> bool:
    return any(
        request.made == since and (request.referenced is not None) == in_use
        for request in qmgr.repository.subscriptions.values()
    )


_IS_VALID: Final[Mapping[TimerKind, Callable[[QueueManager, Instant, Key], bool]]] = {
    TimerKind.QUEUED: lambda qmgr, since, key: any(
        commands.since == since for commands in qmgr.repository.waiting.get(key[0], ())
    ),
    TimerKind.UNDER_WAY: lambda qmgr, since, key: any(
        commands.arrives == since for commands in qmgr.repository.under_way.get(key[0], ())
    ),
    TimerKind.RETRYING: _retries_at,
    TimerKind.GIVING_UP: _gives_up_at,
    TimerKind.PUBLISHED: _published_at,
    TimerKind.REFERENCED: lambda qmgr, since, _: _has_requests(qmgr, since, in_use=True),
    TimerKind.REQUESTED: lambda qmgr, since, _: _has_requests(qmgr, since, in_use=False),
    TimerKind.HELD: lambda qmgr, _, key: (
        key in qmgr.repository.by_publication and key not in qmgr.repository.expired
    ),
    TimerKind.EXPIRED: lambda qmgr, _, key: (
        key in qmgr.repository.by_publication and key in qmgr.repository.expired
    ),
    TimerKind.OVERDUE: lambda qmgr, _, key: key in qmgr.repository.by_publication,
}
"""Whether an entry of each kind still stands for something: (queue manager, since, key)."""
