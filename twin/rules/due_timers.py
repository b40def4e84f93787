"""Timers: how long each kind takes, its source, and which timer is due next.

Timers that are due at the same instant are served in the order of `TimerKind`, then by queue
manager and key.

Sources: IBM IT28022 (repository commands expire after about 30 days);
`twin.rules.repository.lifetimes` for records and requests.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from twin.fold import seen_retries, timers
from twin.fold.agenda import Entry, TimerKind
from twin.fold.estate import Estate
from twin.model.instants import (
    ANSWER_WITHIN,
    CHECK_AFTER,
    COMMANDS_EXPIRE_AFTER,
    EXPIRE_AFTER,
    LAPSE_AFTER,
    REMOVE_AFTER,
    RESEND_AFTER,
    Instant,
)
from twin.rules import standing
from twin.rules.repository.lifetimes import WARN_AFTER, WARN_EVERY


@dataclass(frozen=True, slots=True)
class Lifetime:
    """One kind of timer.

    Attributes:
        name: its name in answers.
        after: how long it takes, in microseconds.
        says: the event that happens when a timer of this kind is due.
        source: the page that gives this time.
    """

    name: str
    after: int
    says: str
    source: str


_RETENTION: Final = 'IBM MQ 9.4, "How long do the queue manager repositories retain information?"'

LIFETIMES: Final[Mapping[TimerKind, Lifetime]] = {
    TimerKind.SILENT: Lifetime(
        "silence",
        0,
        "an end of a channel notices that its partner is silent",
        'IBM MQ 9.2, "Checking that the other end of the channel is still available"',
    ),
    TimerKind.QUEUED: Lifetime(
        "commands-expire", COMMANDS_EXPIRE_AFTER, "waiting repository commands expire", "IT28022"
    ),
    TimerKind.UNDER_WAY: Lifetime("arrival", 0, "repository commands arrive", "the link's latency"),
    TimerKind.RETRYING: Lifetime(
        "retry", 0, "a retry of a channel succeeds", 'IBM MQ 9.4, "Short retry interval"'
    ),
    TimerKind.GIVING_UP: Lifetime(
        "giving-up", 0, "a channel stops retrying", 'IBM MQ 9.1, "Long retry interval"'
    ),
    TimerKind.PUBLISHED: Lifetime(
        "resend", RESEND_AFTER, "an owner republishes its records", _RETENTION
    ),
    TimerKind.REFERENCED: Lifetime(
        "renewal", CHECK_AFTER, "a subscription in use is renewed", _RETENTION
    ),
    TimerKind.REQUESTED: Lifetime(
        "lapse", LAPSE_AFTER, "an unused subscription lapses", _RETENTION
    ),
    TimerKind.HELD: Lifetime(
        "expiry", EXPIRE_AFTER, "a record that was not republished expires", _RETENTION
    ),
    TimerKind.EXPIRED: Lifetime(
        "removal", REMOVE_AFTER, "an expired record is removed", _RETENTION
    ),
    TimerKind.OVERDUE: Lifetime(
        "warning", WARN_AFTER, "a warning says that a record was not republished", "PH34265"
    ),
    TimerKind.MESSAGE_RETRY: Lifetime(
        "message-retry", 0, "a channel tries to put a message again", 'IBM MQ 9.4, "MRTMR"'
    ),
    TimerKind.RERUN: Lifetime(
        "rerun",
        0,
        "a repository manager runs a failed operation again",
        'IBM MQ 9.4, "Changes to cluster error recovery on servers on Multiplatforms"',
    ),
    TimerKind.AWAITED: Lifetime(
        "answer",
        ANSWER_WITHIN,
        "calls stop waiting for full repositories",
        'IBM, "2189 (088D) (RC2189): MQRC_CLUSTER_RESOLUTION_ERROR"',
    ),
    TimerKind.PORTION: Lifetime(
        "portion",
        0,
        "a switch or a reallocation pass moves its next messages",
        'IBM MQ 9.4, "Working with cluster transmission queues and cluster-sender channels"',
    ),
}
"""Every kind of timer, in the order in which timers of the same instant are served."""


_AFTER: Final = tuple((kind, lifetime.after) for kind, lifetime in LIFETIMES.items())


class Due(NamedTuple):
    """A timer that is due: its instant, its kind, and its entry on the agenda."""

    instant: Instant
    kind: TimerKind
    entry: Entry


def next_of(estate: Estate, kind: TimerKind, *, played: Instant) -> Due | None:
    """Return the next timer of one kind, if all timers due up to `played` have been served.

    Timers that expired while their queue manager was down are due at the estate's instant. Warnings
    that it missed meanwhile, or that predate the record, are skipped. So is a retry before that
    instant: it has been made, and changed nothing that its channel's status shows. On main, nothing
    is due of a channel whose status stands as it was seen; where that does not stand any more, as
    on a branch, its next retry is due.
    """
    while (entry := timers.first(estate, kind)) is not None:
        due = entry[0] + LIFETIMES[kind].after
        if _is_without_effect(estate, kind, entry):
            timers.take(estate, kind)
            continue
        if kind is TimerKind.RETRYING and due < estate.instant:
            timers.take(estate, kind)
            if (retry := _next_retry(estate, entry)) is not None:
                estate.agenda.add(kind, retry, *entry[1:])
            continue
        if kind is not TimerKind.OVERDUE or (due > played and due >= estate.instant):
            return Due(max(due, estate.instant), kind, entry)
        put_off(estate, entry, until=max(played, estate.instant - 1))
    return None


def _is_without_effect(estate: Estate, kind: TimerKind, entry: Entry) -> bool:
    """Return whether a timer changes nothing, because only observations change what it is about."""
    since, name, key = entry
    qmgr = estate.qmgrs[name]
    if not qmgr.is_only_observed:
        return False
    if kind in {TimerKind.RETRYING, TimerKind.GIVING_UP}:
        return standing.stands(qmgr, str(key[0]))
    trouble = qmgr.repository.trouble if kind is TimerKind.RERUN else None
    return trouble is not None and (trouble.seen or since >= (trouble.ends or since + 1))


def _next_retry(estate: Estate, entry: Entry) -> Instant | None:
    """Return the next retry of a channel whose retries were not made while its status stood."""
    qmgr, channel = estate.qmgrs[entry[1]], str(entry[2][0])
    state = qmgr.activity.channels[channel]
    if not qmgr.observed or not state.observed:
        return None
    return seen_retries.retries_of(qmgr, channel, state).next_after(state.since, estate.instant)


def due_of(kind: TimerKind, since: Instant, *, played: Instant) -> Instant:
    """Return when a timer that started at `since` is due, if all timers up to `played` were served.

    A timer that expired while its queue manager was down is due at `played`. Of missed warnings,
    only the next one after `played` is due.
    """
    due = since + LIFETIMES[kind].after
    if kind is TimerKind.OVERDUE and due <= played:
        return due + ((played - due) // WARN_EVERY + 1) * WARN_EVERY
    return max(due, played)


def put_off(estate: Estate, entry: Entry, *, until: Instant) -> None:
    """Postpone a warning by whole days, to its first day after the instant `until`."""
    timers.take(estate, TimerKind.OVERDUE)
    since, name, key = entry
    days = max(until - (since + WARN_AFTER), 0) // WARN_EVERY + 1
    estate.agenda.add(TimerKind.OVERDUE, since + days * WARN_EVERY, name, key)


def by_kind(estate: Estate, *, played: Instant | None = None) -> dict[TimerKind, Due]:
    """Return the next timer of each kind that has any."""
    upto = estate.instant if played is None else played
    timers = ((kind, next_of(estate, kind, played=upto)) for kind in TimerKind)
    return {kind: due for kind, due in timers if due is not None}


def wakes(estate: Estate) -> dict[TimerKind, Instant]:
    """Return for each kind of timer when to check it next: cheaper than `by_kind`, never too late.

    The earliest of these instants is exact: a timer of its kind is due then. The others are lower
    bounds: no timer of their kind is due earlier, and perhaps none is due at that instant.
    """
    first = due(estate)
    if first is None:
        return {}
    heaps = estate.agenda.heaps
    instants = {
        kind: max(heaps[kind][0][0] + after, first.instant + (kind < first.kind))
        for kind, after in _AFTER
        if heaps[kind]
    }
    return {**instants, first.kind: first.instant}


def due(
    estate: Estate, *, played: Instant | None = None, upto: Instant | None = None
) -> Due | None:
    """Return the timer that is due next, if all timers due up to `played` have been served.

    `played` is the estate's instant by default. Return None if nothing is due, or nothing up to
    `upto`. To save time, kinds whose timers are all later than one found already are skipped, and
    the agenda is not searched if it is known that nothing is due up to `upto`.
    """
    if upto is not None and upto < estate.agenda.nothing_due_before:
        return None
    before = estate.instant if played is None else played
    earliest: Due | None = None
    for kind, after in _AFTER:
        heap = estate.agenda.heaps[kind]
        if not heap or (upto is not None and heap[0][0] + after > upto):
            continue
        if earliest is not None and heap[0][0] + after >= earliest.instant:
            continue
        following = next_of(estate, kind, played=before)
        if following is not None and (earliest is None or following < earliest):
            earliest = following
    if earliest is None and upto is not None:
        heaps = estate.agenda.heaps
        begins = (heaps[kind][0][0] + after for kind, after in _AFTER if heaps[kind])
        estate.agenda.nothing_due_before = min(begins, default=upto + 1)
    return earliest if upto is None or earliest is None or earliest.instant <= upto else None
