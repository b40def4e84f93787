"""Records on their way: named by the publications they came in, without what is known already.

A record that arrives twice is discarded: normally each comes from two full repositories, and each
item carries a sequence number [IBM MQ 9.4, cluster concepts, "Cluster repositories"].
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final

from twin.events import Item
from twin.fold.beliefs import Belief, Name
from twin.fold.estate import QueueManager
from twin.model.instants import Instant
from twin.rules.draft import Draft
from twin.rules.repository.lifetimes import has_expired


def items_of(records: Iterable[tuple[Name, Belief]]) -> list[Item]:
    """Name records by the publications they came in."""
    grouped: dict[tuple[str, int], list[tuple[str, str]]] = defaultdict(list)
    for (_, kind, name), belief in records:
        grouped[belief.owner, belief.sequence].append((kind, name))
    return [
        Item(owner=owner, sequence=sequence, only=tuple(dict.fromkeys(names)))
        for (owner, sequence), names in grouped.items()
    ]


def news(
    draft: Draft, target: QueueManager, cluster: str, items: Iterable[Item]
) -> tuple[Item, ...]:
    """Keep of each item what the target does not hold yet, or holds in an older state."""
    groups, found = target.repository.by_publication, []
    for item in items:
        if item.owner == target.qmid:
            continue
        owner = draft.estate.owner(item.owner)
        publication = owner.published.get(item.sequence)
        if publication is None:
            continue  # it waited so long that nobody can hold it any more
        published = publication.records
        held: Collection[Name] = groups.get((item.owner, item.sequence), ())
        if len(held) == len(published):
            continue  # held already, all of it
        fresh: Collection[tuple[str, str]] = published if item.only is None else item.only
        if held or not _is_latest(target, owner, item.sequence):
            fresh = _fresh(target, owner, cluster, item.sequence, fresh)
        if len(fresh) == len(published):
            found.append(Item(owner=item.owner, sequence=item.sequence))
        elif item.only is not None and len(fresh) == len(item.only):
            found.append(item)
        elif fresh:
            found.append(Item(owner=item.owner, sequence=item.sequence, only=tuple(fresh)))
    return tuple(found)


def _is_latest(target: QueueManager, owner: QueueManager, sequence: int) -> bool:
    """Say whether all that a target may know of an owner came before a publication.

    That is so at nearly every resend, as an owner numbers its publications upwards for ever, unless
    it was put back.
    """
    repository = target.repository
    if repository.deletions or repository.force_removed or owner.restored or target.restored:
        return False
    return next(reversed(owner.published)) == sequence


def _fresh(
    target: QueueManager,
    owner: QueueManager,
    cluster: str,
    sequence: int,
    keys: Iterable[tuple[str, str]],
) -> list[tuple[str, str]]:
    """Name the records of a publication that the target does not know, or knows as they were."""
    repository = target.repository
    beliefs, gone, removed = repository.beliefs, repository.deletions, repository.force_removed
    restored, qmid = owner.restored, owner.qmid
    if not (gone or removed or restored):  # as nearly always: then the latest is what counts
        return [
            key
            for key in keys
            if (held := beliefs.get((cluster, *key), _NOBODY).get(qmid)) is None
            or held.receipt.sequence < sequence
        ]
    fresh = []
    rank = rank_of(owner, sequence) if restored else sequence
    _, upto, queues = removed.get((cluster, qmid), (0, 0, False))
    for key in keys:
        if sequence <= upto and (queues or key[0] == "qmgr"):
            continue  # it was removed by force since
        name = (cluster, *key)
        owners = beliefs.get(name)
        held = owners.get(qmid) if owners is not None else None
        known = held.receipt.sequence if held is not None else 0
        if gone and (*name, qmid) in gone:
            known = max(known, gone[*name, qmid][0])
        if (rank_of(owner, known) if restored else known) < rank:
            fresh.append(key)
    return fresh


_NOBODY: Final[Mapping[str, Belief]] = {}


def rank_of(owner: QueueManager, sequence: int) -> int:
    """Return how others order a publication of an owner that was put back to an earlier state."""
    publication = owner.published.get(sequence)
    return publication.rank if publication is not None else sequence


def deletions(full: QueueManager, cluster: str, only: tuple[str, str] | None = None) -> list[Item]:
    """Name the deletions that a queue manager knows of in a cluster, or of one (kind, name)."""
    return [
        Item(owner=owner, sequence=sequence, only=((kind, name),))
        for (there, kind, name, owner), (sequence, _) in full.repository.deletions.items()
        if there == cluster and only in (None, (kind, name))
    ]


def mention_full_repository(draft: Draft, cluster: str, items: Iterable[Item]) -> bool:
    """Say whether any of some items has the record of a full repository in it."""
    for item in items:
        publication = draft.estate.owner(item.owner).published[item.sequence]
        records = publication.records
        for key in records if item.only is None else item.only:
            if key[0] == "qmgr" and records[key].values.get("QMTYPE") == "REPOS":
                if publication.cluster == cluster:
                    return True
                break
    return False


def routes_to(
    full: QueueManager, cluster: str, owners: Iterable[str], *, at: Instant
) -> Iterator[tuple[Name, Belief]]:
    """Go through what a full repository knows of the channels that lead to some owners.

    What has expired by `at` is told nobody.
    """
    repository = full.repository
    for owner in owners:
        for channel in repository.routes.get((cluster, owner), ()):
            name = (cluster, "qmgr", channel)
            belief = repository.beliefs[name][owner]
            if not has_expired(belief.published, at=at):
                yield name, belief
