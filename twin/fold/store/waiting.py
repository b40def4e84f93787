"""What of one queue manager waits for the clock, put on the agenda as it starts or is loaded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from twin.fold.agenda import REQUESTS, UNKNOWN, Key, TimerKind, part_of
from twin.model.instants import Instant

if TYPE_CHECKING:
    from twin.fold.estate import Estate, QueueManager, Running
    from twin.fold.repository import Repository


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


def enlist_unloaded(estate: Estate, qmgr: QueueManager, waits: Mapping[TimerKind, Instant]) -> None:
    """Let a queue manager wait whose parts are not loaded, by the earliest instant of each kind."""
    for kind, since in waits.items():
        estate.agenda.add(kind, since, qmgr.name, UNKNOWN)


def waiting_in(
    qmgr: QueueManager, repository: Repository
) -> Iterator[tuple[TimerKind, Instant, Key]]:
    """Go through all that waits in a repository: kind, the instant counted from, and key."""
    for channel, parcels in repository.waiting.items():
        for parcel in parcels:
            yield TimerKind.QUEUED, parcel.since, (channel,)
    for channel, moving in repository.under_way.items():
        for underway in moving:
            yield TimerKind.UNDER_WAY, underway.arrives, (channel,)
    for used, since in {
        (made.referenced is not None, made.made) for made in repository.subscriptions.values()
    }:
        yield TimerKind.REFERENCED if used else TimerKind.REQUESTED, since, REQUESTS
    for key, since in repository.publications():
        if key[0] == qmgr.qmid:
            yield TimerKind.PUBLISHED, since, (key[1],)
            continue
        yield TimerKind.EXPIRED if key in repository.expired else TimerKind.HELD, since, key
        yield TimerKind.OVERDUE, since, key


def retrying_in(activity: Running) -> Iterator[tuple[TimerKind, Instant, Key]]:
    """Go through the channels that will retry."""
    for channel, state in activity.channels.items():
        if state.status != "RETRYING":
            continue
        if state.retry is not None:
            yield TimerKind.RETRYING, state.retry, (channel,)
        if state.gives_up is not None:
            yield TimerKind.GIVING_UP, state.gives_up, (channel,)


def earliest(qmgr: QueueManager) -> dict[TimerKind, Instant]:
    """Return the earliest instant of each kind that a queue manager has to wait for.

    What is not loaded is as it was when it was stored.
    """
    loaded = vars(qmgr)
    found = {
        kind: since for kind, since in qmgr.earliest_timers.items() if part_of(kind) not in loaded
    }
    if "repository" in loaded:
        _keep_earliest(found, waiting_in(qmgr, qmgr.repository))
    if "activity" in loaded:
        _keep_earliest(found, retrying_in(qmgr.activity))
    return found


def _keep_earliest(
    found: dict[TimerKind, Instant], waiting: Iterator[tuple[TimerKind, Instant, Key]]
) -> None:
    for kind, since, _ in waiting:
        before = found.get(kind)
        if before is None or since < before:
            found[kind] = since
