"""Fold the removal of records: by expiry, REFRESH CLUSTER or RESET CLUSTER."""

from __future__ import annotations

from twin import events
from twin.fold.agenda import TimerKind
from twin.fold.estate import Estate
from twin.fold.repository import Repository
from twin.model.instants import Instant


def expired(estate: Estate, event: events.InformationExpired, at: Instant, position: int) -> None:
    """Mark the held records of some publications as expired."""
    qmgr = estate.changing(event.qmgr, "repository")
    repository = qmgr.repository
    for item in event.items:
        key = (item.owner, item.sequence)
        instants = repository.instants_of(*key)
        if instants:
            repository.expired[key] = None
        for since in instants:
            estate.agenda.add(TimerKind.EXPIRED, since, qmgr.name, key)


def removed(estate: Estate, event: events.InformationRemoved, at: Instant, position: int) -> None:
    """Remove the held records of some publications."""
    repository = estate.changing(event.qmgr, "repository").repository
    for item in event.items:
        names = list(repository.by_publication.get((item.owner, item.sequence), ()))
        drop(repository, event.cluster, (item,))
        ever = repository.ever_held[event.cluster, item.owner]
        for name in names:
            ever.pop(name[1:], None)
        if not ever:
            del repository.ever_held[event.cluster, item.owner]


def drop(repository: Repository, cluster: str, items: tuple[events.Item, ...]) -> None:
    """Let a repository forget the records of some items."""
    for item in items:
        every = repository.by_publication.get((item.owner, item.sequence), ())
        for name in list(every) if item.only is None else ((cluster, *key) for key in item.only):
            repository.forget(name, item.owner)


def refreshed(
    estate: Estate, event: events.RepositoryRefreshed, at: Instant, position: int
) -> None:
    """Drop records of others, requests, and the notes of what was sent to full repositories."""
    repository = estate.changing(event.qmgr, "repository").repository
    cluster = event.cluster
    drop(repository, cluster, event.dropped)
    repository.refreshed[cluster] = at
    repository.rank_offset.pop(cluster, None)
    if event.renumbered:
        repository.rank_offset[cluster] = repository.sequence
        estate.qmgrs[event.qmgr].restored = True
    for ledger in (
        repository.deletions,
        repository.last_sent,
        repository.subscriptions,
        repository.ever_held,
    ):
        for key in [key for key in ledger if key[0] == cluster]:
            del ledger[key]  # type: ignore[arg-type]
    for key in [key for key in repository.known_full_repositories if key not in repository.routes]:
        if key[0] == cluster:
            del repository.known_full_repositories[key]
    for name, owners in repository.beliefs.items():
        for owner in owners if name[0] == cluster else ():
            repository.ever_held.setdefault((cluster, owner), {})[name[1:]] = None


def member_removed(
    estate: Estate, event: events.MemberForceRemoved, at: Instant, position: int
) -> None:
    """Remove the records of a member that was removed by force, with or without its queues."""
    repository = estate.changing(event.qmgr, "repository").repository
    owner = (event.cluster, event.member)
    for key in list(repository.ever_held.get(owner, ())):
        if key[0] == "qmgr" or event.queues:
            repository.forget((event.cluster, *key), event.member)
    repository.force_removed[owner] = (at, event.upto, event.queues)
