"""Fold the requests of partial repositories, at the requester and at the full repository."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from twin import events
from twin.fold.agenda import TimerKind
from twin.fold.beliefs import RecordName, Subscription
from twin.fold.estate import Estate
from twin.fold.handlers import repository_removal
from twin.model.instants import LAPSE_AFTER, REMOVE_AFTER, Instant

LISTED_FOR: Final = LAPSE_AFTER + REMOVE_AFTER
"""How long a lapsed request is listed, in microseconds: as long as its records can be held.

Records for a request arrive until day 30, and are held for up to 90 more days.
"""


def made(estate: Estate, event: events.SubscriptionMade, at: Instant, position: int) -> None:
    """Add a request of a partial repository; an older one of the same name lapses."""
    repository = estate.qmgrs[event.qmgr].repository
    name = (event.cluster, event.kind, event.name)
    before = repository.subscriptions.get(name)
    if before is not None:
        repository.lapsed.append((name, before))
    _make(estate, event.qmgr, [name], at, position)


def _make(
    estate: Estate, qmgr: str, names: Iterable[RecordName], at: Instant, position: int
) -> None:
    subscriptions = estate.changing(qmgr, "repository").repository.subscriptions
    subscriptions.update(dict.fromkeys(names, Subscription(at, position)))
    estate.agenda.add_requests(TimerKind.REQUESTED, at, qmgr)


def assumed(estate: Estate, event: events.SubscriptionsAssumed, at: Instant, position: int) -> None:
    """Add requests that a partial repository is assumed to have made."""
    _assume(estate, event.qmgr, [(event.cluster, *ask) for ask in event.asks], at, position)


def _assume(
    estate: Estate, qmgr: str, names: Iterable[RecordName], at: Instant, position: int
) -> None:
    estate.changing(qmgr, "repository").repository.subscriptions.update(
        dict.fromkeys(names, Subscription(at, position, referenced=at, assumed=True))
    )
    estate.agenda.add_requests(TimerKind.REFERENCED, at, qmgr)


def assumption_ended(
    estate: Estate, event: events.AssumptionEnded, at: Instant, position: int
) -> None:
    """End assumed requests, and drop the records that were held for no other reason."""
    qmgr = estate.changing(event.qmgr, "repository")
    repository = qmgr.repository
    names = [(event.cluster, *ask) for ask in event.asks]
    if qmgr.qmid == event.subscriber:
        for name in names:
            repository.subscriptions.pop(name, None)
        repository_removal.drop(repository, event.cluster, event.dropped)
        return
    for name in names:
        askers = repository.subscribers.get(name)
        if askers is not None and askers.pop(event.subscriber, None) is not None and not askers:
            del repository.subscribers[name]


def referenced(
    estate: Estate, event: events.SubscriptionReferenced, at: Instant, position: int
) -> None:
    """Record that a request is used."""
    subscriptions = estate.changing(event.qmgr, "repository").repository.subscriptions
    name = (event.cluster, event.kind, event.name)
    made = subscriptions[name].made
    subscriptions[name] = subscriptions[name]._replace(position=position, referenced=at)
    estate.agenda.add_requests(TimerKind.REFERENCED, made, event.qmgr)


def renewed(estate: Estate, event: events.SubscriptionsRenewed, at: Instant, position: int) -> None:
    """Make requests again; they count as not used since, unless they are assumed."""
    subscriptions = estate.qmgrs[event.qmgr].repository.subscriptions
    names = [(event.cluster, *ask) for ask in event.asks]
    usual = [name for name in names if not subscriptions[name].assumed]
    if usual:
        _make(estate, event.qmgr, usual, at, position)
    if len(usual) < len(names):
        still = [name for name in names if subscriptions[name].assumed]
        _assume(estate, event.qmgr, still, at, position)


def lapsed(estate: Estate, event: events.SubscriptionsLapsed, at: Instant, position: int) -> None:
    """End requests."""
    repository = estate.changing(event.qmgr, "repository").repository
    repository.lapsed = [each for each in repository.lapsed if each[1].made > at - LISTED_FOR]
    for ask in event.asks:
        name = (event.cluster, *ask)
        repository.lapsed.append((name, repository.subscriptions.pop(name)))


def received(
    estate: Estate, event: events.SubscriptionReceived, at: Instant, position: int
) -> None:
    """Record at a full repository which queue manager requested names, and when."""
    subscribers = estate.changing(event.qmgr, "repository").repository.subscribers
    since = at if event.made is None else event.made
    for ask in event.asks:
        name = (event.cluster, *ask)
        askers = subscribers.pop(name, {})  # added again below, as the last
        askers[event.subscriber] = since
        subscribers[name] = askers
    while subscribers and _is_over(subscribers[oldest := next(iter(subscribers))], at):
        del subscribers[oldest]


def _is_over(askers: Mapping[str, Instant], at: Instant) -> bool:
    return all(made <= at - LAPSE_AFTER for made in askers.values())
