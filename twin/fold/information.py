"""Fold what repositories publish, receive, ask for and hold back."""

from __future__ import annotations

from twin import events
from twin.fold.estate import Estate
from twin.fold.repository import Belief, Publication, Repository, Subscription, Waiting
from twin.model.instants import Instant


def published(
    estate: Estate, event: events.InformationPublished, at: Instant, position: int
) -> None:
    """Keep a publication, and the owner's own belief in it."""
    qmgr = estate.qmgrs[event.qmgr]
    publication = Publication(
        event.cluster,
        event.sequence,
        at,
        {(record.kind, record.name): record for record in event.records},
        position,
    )
    qmgr.published[event.sequence] = publication
    repository = qmgr.repository
    repository.sequence = event.sequence
    _believe(repository, publication, event.qmid, event.qmgr, None, event.qmgr, at, position)
    for record in event.records:
        name = (event.cluster, record.kind, record.name)
        if record.deleted:
            repository.mine.pop(name, None)
        else:
            repository.mine[name] = None
    qmgr.changed.add("published")
    qmgr.changed.add("repository")


def received(estate: Estate, event: events.InformationReceived, at: Instant, position: int) -> None:
    """Take over the records a queue manager was told."""
    qmgr = estate.qmgrs[event.qmgr]
    repository = qmgr.repository
    sender = estate.qmgrs.get(event.sender)
    for item in event.items:
        owner = estate.owner(item.owner)
        publication = owner.published[item.sequence]
        _believe(
            repository,
            publication,
            item.owner,
            owner.name,
            item.only,
            event.sender,
            at,
            position,
        )
        if sender is owner:
            _tell(estate, event.sender, event.cluster, qmgr.qmid, item.sequence)
    qmgr.changed.add("repository")


def _believe(
    repository: Repository,
    publication: Publication,
    owner: str,
    owner_name: str,
    only: tuple[tuple[str, str], ...] | None,
    source: str,
    at: Instant,
    position: int,
) -> None:
    cluster, sequence, instant, records, _ = publication
    for key in records if only is None else only:
        record = records[key]
        name = (cluster, *key)
        if record.deleted:
            repository.forget(name, owner)
            repository.gone[(*name, owner)] = sequence
        else:
            belief = Belief(
                owner, owner_name, sequence, instant, record.values, source, at, position
            )
            repository.hold(name, belief)


def _tell(estate: Estate, teller: str, cluster: str, told: str, sequence: int) -> None:
    qmgr = estate.qmgrs[teller]
    ledger = qmgr.repository.told
    key = (cluster, told)
    if ledger.get(key, 0) < sequence:
        ledger[key] = sequence
        qmgr.changed.add("repository")


def subscription_made(
    estate: Estate, event: events.SubscriptionMade, at: Instant, position: int
) -> None:
    """Keep a request that a partial repository made."""
    qmgr = estate.qmgrs[event.qmgr]
    name = (event.cluster, event.kind, event.name)
    qmgr.repository.subscriptions[name] = Subscription(at, position)
    qmgr.changed.add("repository")


def subscription_referenced(
    estate: Estate, event: events.SubscriptionReferenced, at: Instant, position: int
) -> None:
    """Note that a request is in use."""
    qmgr = estate.qmgrs[event.qmgr]
    name = (event.cluster, event.kind, event.name)
    made = qmgr.repository.subscriptions[name]
    qmgr.repository.subscriptions[name] = Subscription(made.made, position, at)
    qmgr.changed.add("repository")


def subscription_received(
    estate: Estate, event: events.SubscriptionReceived, at: Instant, position: int
) -> None:
    """Note on a full repository who wants to hear of a name."""
    del at, position
    qmgr = estate.qmgrs[event.qmgr]
    name = (event.cluster, event.kind, event.name)
    qmgr.repository.subscribers.setdefault(name, {})[event.subscriber] = None
    qmgr.changed.add("repository")


def queued(estate: Estate, event: events.ClusterCommandsQueued, at: Instant, position: int) -> None:
    """Keep repository commands that wait for a channel."""
    qmgr = estate.qmgrs[event.qmgr]
    repository = qmgr.repository
    waiting = Waiting(event.cluster, event.to, at, position, event.items, event.asks)
    repository.waiting.setdefault(event.channel, []).append(waiting)
    for item in event.items:
        if item.owner == qmgr.qmid:
            _tell(estate, event.qmgr, event.cluster, event.to, item.sequence)
    qmgr.changed.add("repository")


def sent(estate: Estate, event: events.ClusterCommandsSent, at: Instant, position: int) -> None:
    """Clear what waited for a channel."""
    del at, position
    qmgr = estate.qmgrs[event.qmgr]
    qmgr.repository.waiting.pop(event.channel, None)
    qmgr.changed.add("repository")
