"""Enter the timers of a queue manager in the agenda, and find the next timer of a kind.

A queue manager's timers are entered when it starts or when a part of it is loaded. An entry becomes
void when, for example, its record is renewed, its request is used, its channel no longer retries,
or its queue manager ends. Void entries are dropped when the next timer is searched.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from heapq import heappop, heappush
from typing import Any, Final, TypeAlias

from twin.fold.agenda import (
    ANY_HOLDER,
    OF_HELD,
    PART_OF,
    REQUESTS,
    RERUN,
    UNKNOWN,
    Entry,
    TimerKey,
    TimerKind,
)
from twin.fold.estate import Estate, QueueManager, Running
from twin.fold.repository import Repository
from twin.fold.seen_retries import retries_of
from twin.model.instants import DAY, Instant

_Timer: TypeAlias = tuple[TimerKind, Instant, TimerKey]
"""(kind, the instant at which the timer started, key)."""


def enlist(estate: Estate, qmgr: QueueManager) -> None:
    """Start all timers of a queue manager.

    A part that is not loaded gets one entry for each kind, at its earliest instant; loading the
    part enters the others.
    """
    loaded = vars(qmgr)
    for part in filter(loaded.__contains__, _TIMERS_IN):
        enlist_part(estate, qmgr, part, loaded[part])
    for kind, since in qmgr.earliest_timers.items():
        if PART_OF[kind] not in loaded:
            estate.agenda.add(kind, since, qmgr.name, UNKNOWN)


def enlist_part(estate: Estate, qmgr: QueueManager, name: str, part: Any) -> None:
    """Start the timers that a part of a queue manager has, if any."""
    if name in _TIMERS_IN:
        for kind, since, key in _TIMERS_IN[name](qmgr, part):
            estate.agenda.add(kind, since, qmgr.name, key)


def timers_of(qmgr: QueueManager) -> set[_Timer]:
    """Return every timer that a queue manager has while it runs."""
    return {
        timer
        for part, timers_in in _TIMERS_IN.items()
        for timer in timers_in(qmgr, getattr(qmgr, part))
    }


def earliest(qmgr: QueueManager) -> dict[TimerKind, Instant]:
    """Return the earliest instant of each kind of timer of a queue manager.

    A part that is not loaded has not changed since `earliest_timers` was noted.
    """
    loaded = vars(qmgr)
    instants = {
        kind: since for kind, since in qmgr.earliest_timers.items() if PART_OF[kind] not in loaded
    }
    for part in filter(loaded.__contains__, _TIMERS_IN):
        for kind, since, _ in _TIMERS_IN[part](qmgr, loaded[part]):
            instants[kind] = min(since, instants.get(kind, since))
    return instants


def _of_repository(qmgr: QueueManager, repository: Repository) -> Iterator[_Timer]:
    for channel, queued in repository.waiting.items():
        yield from ((TimerKind.QUEUED, commands.since, (channel,)) for commands in queued)
    for channel, moving in repository.under_way.items():
        yield from ((TimerKind.UNDER_WAY, commands.arrives, (channel,)) for commands in moving)
    if repository.trouble is not None and repository.trouble.retry is not None:
        yield TimerKind.RERUN, repository.trouble.retry, RERUN
    for in_use, made in {
        (request.referenced is not None, request.made)
        for request in repository.subscriptions.values()
    }:
        yield TimerKind.REFERENCED if in_use else TimerKind.REQUESTED, made, REQUESTS
    for key, published in repository.publications():
        if key[0] == qmgr.qmid:
            yield TimerKind.PUBLISHED, published, (key[1],)
            continue
        yield TimerKind.EXPIRED if key in repository.expired else TimerKind.HELD, published, key
        yield TimerKind.OVERDUE, published, key


def _of_activity(qmgr: QueueManager, activity: Running) -> Iterator[_Timer]:
    for channel, state in activity.channels.items():
        for kind, instant in (
            (TimerKind.RETRYING, state.retry),
            (TimerKind.GIVING_UP, state.gives_up),
        ):
            if state.status == "RETRYING" and instant is not None:
                yield kind, instant, (channel,)
        if state.message_retry is not None:
            yield TimerKind.MESSAGE_RETRY, state.message_retry[0], (channel,)
        if state.silence is not None and state.silence.notices is not None:
            yield TimerKind.SILENT, state.silence.notices, (channel,)
    for key, silence in activity.silent.items():
        if silence.notices is not None and not silence.ended:
            yield TimerKind.SILENT, silence.notices, key
    for names, wait in activity.waits.items():
        yield TimerKind.AWAITED, wait.since, names
    for key, portion in activity.portions.items():
        yield TimerKind.PORTION, portion.at, key


_TIMERS_IN: Final[Mapping[str, Callable[[QueueManager, Any], Iterator[_Timer]]]] = {
    "repository": _of_repository,
    "activity": _of_activity,
}
"""The parts of a queue manager that have timers -> the function that lists them."""

TIMED_PARTS: Final = frozenset(_TIMERS_IN)
"""The parts of a queue manager that have timers."""


def first(estate: Estate, kind: TimerKind) -> Entry | None:
    """Return the valid timer of a kind that started first; None if there is none."""
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
                getattr(qmgr, PART_OF[kind])  # loading it enters its timers
                continue
            if is_valid(qmgr, since, key):
                return entry
        heappop(heap)
    return None


def _enlist_holders(estate: Estate, since: Instant, key: TimerKey) -> None:
    """Enter the timers of each queue manager that still holds records of a publication."""
    for name in estate.agenda.holders.pop((since, key), ()):
        qmgr = estate.qmgrs.get(name)
        if qmgr is not None and qmgr.running and key in qmgr.repository.by_publication:
            for kind in OF_HELD:
                heappush(estate.agenda.heaps[kind], (since, name, key))


def take(estate: Estate, kind: TimerKind) -> Entry:
    """Remove the timer that `first` returned from the agenda, and return it."""
    heap, estate.agenda.last_requests = estate.agenda.heaps[kind], None
    entry = heappop(heap)
    while heap and heap[0] == entry:  # after a restart the queue manager has it twice
        heappop(heap)
    return entry


def _retries(qmgr: QueueManager, key: TimerKey) -> tuple[Instant | None, Instant | None]:
    """Return the next and the last retry of a channel; (None, None) if it is not retrying."""
    state = qmgr.activity.channels.get(key[0])
    if state is None or state.status != "RETRYING":
        return None, None
    return state.retry, state.gives_up


def _is_retry(qmgr: QueueManager, at: Instant, key: TimerKey) -> bool:
    """Return whether a channel retries at an instant, after the retry that is on record."""
    state = qmgr.activity.channels[key[0]]
    return retries_of(qmgr, key[0], state).next_after(state.since, at - 1) == at


def _notices(qmgr: QueueManager, key: TimerKey) -> Instant | None:
    """Return when an end notices that its partner is silent: (channel,), or (channel, partner)."""
    if len(key) == 1:
        state = qmgr.activity.channels.get(key[0])
        return state.silence.notices if state is not None and state.silence else None
    silence = qmgr.activity.silent.get((key[0], key[1]))
    return silence.notices if silence is not None and not silence.ended else None


def _is_held(qmgr: QueueManager, since: Instant, key: TimerKey, *, expired: bool) -> bool:
    repository = qmgr.repository
    return (key in repository.expired) == expired and since in repository.instants_of(*key)


def warns_of(published: Instant, since: Instant) -> bool:
    """Return whether a timer of warnings that started at `since` is that of a publication.

    It starts at the publication, or a whole number of days later.
    """
    return since >= published and (since - published) % DAY == 0


def _has_requests(qmgr: QueueManager, since: Instant, *, in_use: bool) -> bool:
    return any(
        request.made == since and (request.referenced is not None) == in_use
        for request in qmgr.repository.subscriptions.values()
    )


_IS_VALID: Final[Mapping[TimerKind, Callable[[QueueManager, Instant, TimerKey], bool]]] = {
    TimerKind.SILENT: lambda qmgr, since, key: _notices(qmgr, key) == since,
    TimerKind.QUEUED: lambda qmgr, since, key: any(
        commands.since == since for commands in qmgr.repository.waiting.get(key[0], ())
    ),
    TimerKind.UNDER_WAY: lambda qmgr, since, key: any(
        commands.arrives == since for commands in qmgr.repository.under_way.get(key[0], ())
    ),
    TimerKind.RETRYING: lambda qmgr, since, key: (
        (retry := _retries(qmgr, key)[0]) == since
        or (retry is not None and retry < since and _is_retry(qmgr, since, key))
    ),
    TimerKind.GIVING_UP: lambda qmgr, since, key: _retries(qmgr, key)[1] == since,
    TimerKind.PUBLISHED: lambda qmgr, since, key: (
        since in qmgr.repository.instants_of(qmgr.qmid, key[0])
    ),
    TimerKind.REFERENCED: lambda qmgr, since, _: _has_requests(qmgr, since, in_use=True),
    TimerKind.REQUESTED: lambda qmgr, since, _: _has_requests(qmgr, since, in_use=False),
    TimerKind.HELD: partial(_is_held, expired=False),
    TimerKind.EXPIRED: partial(_is_held, expired=True),
    TimerKind.OVERDUE: lambda qmgr, since, key: any(
        warns_of(each, since) for each in qmgr.repository.instants_of(*key)
    ),
    TimerKind.MESSAGE_RETRY: lambda qmgr, since, key: (
        key[0] in qmgr.activity.channels
        and (qmgr.activity.channels[key[0]].message_retry or (None,))[0] == since
    ),
    TimerKind.RERUN: lambda qmgr, since, _: (
        qmgr.repository.trouble is not None and qmgr.repository.trouble.retry == since
    ),
    TimerKind.AWAITED: lambda qmgr, since, key: (
        key in qmgr.activity.waits and qmgr.activity.waits[key].since == since
    ),
    TimerKind.PORTION: lambda qmgr, since, key: (
        key in qmgr.activity.portions and qmgr.activity.portions[key].at == since
    ),
}
"""Kind of timer -> whether an entry (queue manager, since, key) is still valid."""
