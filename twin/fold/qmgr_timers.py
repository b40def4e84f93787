"""The timers of one queue manager, entered in the agenda when it starts or is loaded."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, TypeAlias

from twin.fold.agenda import REQUESTS, UNKNOWN, Key, TimerKind, part_of
from twin.fold.estate import Estate, QueueManager, Running
from twin.fold.repository import Repository
from twin.model.instants import Instant

_Timer: TypeAlias = tuple[TimerKind, Instant, Key]
"""(kind, the instant counted from, key)."""


def enlist(estate: Estate, qmgr: QueueManager) -> None:
    """Start all timers of a queue manager.

    A part that is not loaded has one entry for each kind, at its earliest instant; loading the part
    enters the others.
    """
    loaded = vars(qmgr)
    for part in filter(loaded.__contains__, _TIMERS_IN):
        enlist_part(estate, qmgr, part, loaded[part])
    for kind, since in qmgr.earliest_timers.items():
        if part_of(kind) not in loaded:
            estate.agenda.add(kind, since, qmgr.name, UNKNOWN)


def enlist_part(estate: Estate, qmgr: QueueManager, name: str, part: Any) -> None:
    """Start the timers that a part of a queue manager has, if any."""
    if name in _TIMERS_IN:
        for kind, since, key in _TIMERS_IN[name](qmgr, part):
            estate.agenda.add(kind, since, qmgr.name, key)


def timers(qmgr: QueueManager) -> set[_Timer]:
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
    found = {
        kind: since for kind, since in qmgr.earliest_timers.items() if part_of(kind) not in loaded
    }
    for part in filter(loaded.__contains__, _TIMERS_IN):
        for kind, since, _ in _TIMERS_IN[part](qmgr, loaded[part]):
            found[kind] = min(since, found.get(kind, since))
    return found


def _of_repository(qmgr: QueueManager, repository: Repository) -> Iterator[_Timer]:
    for channel, queued in repository.waiting.items():
        yield from ((TimerKind.QUEUED, commands.since, (channel,)) for commands in queued)
    for channel, moving in repository.under_way.items():
        yield from ((TimerKind.UNDER_WAY, commands.arrives, (channel,)) for commands in moving)
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
    del qmgr
    for channel, state in activity.channels.items():
        for kind, instant in (
            (TimerKind.RETRYING, state.retry),
            (TimerKind.GIVING_UP, state.gives_up),
        ):
            if state.status == "RETRYING" and instant is not None:
                yield kind, instant, (channel,)


_TIMERS_IN: Final[Mapping[str, Callable[[QueueManager, Any], Iterator[_Timer]]]] = {
    "repository": _of_repository,
    "activity": _of_activity,
}
"""The parts of a queue manager that have timers, with what lists them."""

TIMED_PARTS: Final = frozenset(_TIMERS_IN)
"""The parts of a queue manager that have timers."""
