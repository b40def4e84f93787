"""Find which records have to be sent: those that the receiver does not hold already.

Records are identified by their publications. A record that arrives twice is discarded: normally
each record comes from two full repositories, and has a sequence number (IBM MQ 9.4, cluster
concepts, "Cluster repositories").
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final

from twin.events import Item
from twin.fold.beliefs import Belief, Publication, RecordName
from twin.fold.estate import NEVER_CONFIRMED, QueueManager
from twin.model.cluster_records import ALTERED, SUSPEND, unshown_in
from twin.model.instants import SECOND, Instant, from_clock
from twin.rules import membership
from twin.rules.draft import Draft
from twin.rules.repository.lifetimes import has_expired


def items_of(records: Iterable[tuple[RecordName, Belief]]) -> list[Item]:
    """Return records as items, one for each publication."""
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
    """Return the parts of items that the target does not hold yet, or holds in an older version."""
    by_publication, news_items = target.repository.by_publication, []
    for item in items:
        if item.owner == target.qmid:
            continue
        owner = draft.estate.owner(item.owner)
        publication = owner.published.get(item.sequence)
        if publication is None:
            continue  # it waited so long that it has expired and was removed everywhere
        published = publication.records
        held_names: Collection[RecordName] = by_publication.get((item.owner, item.sequence), ())
        if len(held_names) == len(published):
            continue  # all of it is held already
        fresh: Collection[tuple[str, str]] = published if item.only is None else item.only
        if held_names or not _is_latest(target, owner, item.sequence):
            fresh = _fresh(target, owner, cluster, item.sequence, fresh)
        if owner.is_only_observed:
            fresh = [key for key in fresh if not _was_seen(target, owner, publication, key)]
        if len(fresh) == len(published):
            news_items.append(Item(owner=item.owner, sequence=item.sequence))
        elif item.only is not None and len(fresh) == len(item.only):
            news_items.append(item)
        elif fresh:
            news_items.append(Item(owner=item.owner, sequence=item.sequence, only=tuple(fresh)))
    return tuple(news_items)


def _was_seen(
    target: QueueManager, owner: QueueManager, publication: Publication, key: tuple[str, str]
) -> bool:
    """Return whether a target was seen to hold, or to lack, what an owner published before.

    When a queue manager is first seen, or one of its objects, it publishes in the twin. It did so
    earlier: when it altered the object last, or at an unknown time. Of whoever was seen since then,
    that changes nothing. [Decided here; design law 15: what was seen wins.] Nor does a suspension
    change what was seen at its instant: it was a sight, too.
    """
    name, repository = (publication.cluster, *key), target.repository
    seen, missing = repository.shown.get((name, owner.qmid)), 0
    if membership.is_full(target, name[0]):
        missing = target.confirmed.get(key[0], NEVER_CONFIRMED).at
    if seen is None and not missing:
        return False
    record, held = publication.records[key], repository.beliefs.get(name, {}).get(owner.qmid)
    if held is not None and seen is not None and seen.at >= publication.instant:
        one, other = held.values.get(SUSPEND), record.values.get(SUSPEND)
        if one != other and SUSPEND not in unshown_in(held.values):
            return True
    if any(
        0 <= each.sequence < publication.sequence
        and each.cluster == publication.cluster
        and key in each.records
        for each in owner.published.values()
    ):
        return False
    altered = record.values.get(ALTERED)
    since = publication.instant
    if isinstance(altered, int):
        since = from_clock(altered, owner.zone)
    if record.deleted or since >= publication.instant:
        return not record.deleted
    if seen is not None and seen.altered is not None:
        return since // SECOND <= from_clock(seen.altered, owner.zone) // SECOND
    return since <= max(missing, seen.at if seen is not None else 0)


def _is_latest(target: QueueManager, owner: QueueManager, sequence: int) -> bool:
    """Return whether a publication is later than all that a target may hold of the owner.

    This quick check holds for nearly every republication, because an owner numbers its publications
    upwards. It is not used if the owner or the target was restored from a backup, or if the target
    holds deletions or forced removals.
    """
    repository = target.repository
    if repository.deletions or repository.force_removed or owner.restored or target.restored:
        return False
    return sequence > 0 and next(reversed(owner.published)) == sequence


def _fresh(
    target: QueueManager,
    owner: QueueManager,
    cluster: str,
    sequence: int,
    keys: Iterable[tuple[str, str]],
) -> list[tuple[str, str]]:
    """Return the records of a publication that a target lacks, or holds in an older version."""
    repository = target.repository
    beliefs, deleted = repository.beliefs, repository.deletions
    removed = repository.force_removed
    restored, qmid = owner.restored, owner.qmid
    if not (deleted or removed or restored):  # usual case: the highest number is the latest
        return [
            key
            for key in keys
            if (belief := beliefs.get((cluster, *key), _NOBODY).get(qmid)) is None
            or belief.receipt.sequence < sequence
        ]
    fresh = []
    rank = rank_of(owner, sequence) if restored else sequence
    _, upto, queues = removed.get((cluster, qmid), (0, _BEFORE_ALL, False))
    for key in keys:
        if sequence <= upto and (queues or key[0] == "qmgr"):
            continue  # the owner was removed by force later
        name = (cluster, *key)
        owners = beliefs.get(name)
        belief = owners.get(qmid) if owners is not None else None
        latest = belief.receipt.sequence if belief is not None else _BEFORE_ALL
        if deleted and (*name, qmid) in deleted:
            latest = max(latest, deleted[*name, qmid][0])
        if (rank_of(owner, latest) if restored else latest) < rank:
            fresh.append(key)
    return fresh


_NOBODY: Final[Mapping[str, Belief]] = {}

_BEFORE_ALL: Final = -(1 << 62)
"""Before every publication; those that were only seen at a receiver are numbered below zero."""


def rank_of(owner: QueueManager, sequence: int) -> int:
    """Return the rank of a publication: its order among those of an owner that was restored."""
    publication = owner.published.get(sequence)
    return publication.rank if publication is not None else sequence


def deletions(full: QueueManager, cluster: str, only: tuple[str, str] | None = None) -> list[Item]:
    """Return the deleted records of a cluster as items; with `only`, those of one (kind, name).

    One that it holds again, or was seen to hold since, is not deleted.
    """
    repository = full.repository
    return [
        Item(owner=owner, sequence=sequence, only=((kind, name),))
        for (in_cluster, kind, name, owner), (sequence, _) in repository.deletions.items()
        if in_cluster == cluster and only in (None, (kind, name))
        if owner not in repository.instances(cluster, kind, name)
    ]


def mention_full_repository(draft: Draft, cluster: str, items: Iterable[Item]) -> bool:
    """Return whether the record of a full repository is among some items."""
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
) -> Iterator[tuple[RecordName, Belief]]:
    """Yield the records of channels to some owners that a full repository holds.

    Records that have expired by `at` are left out.
    """
    repository = full.repository
    for owner in owners:
        for channel in repository.routes.get((cluster, owner), ()):
            name = (cluster, "qmgr", channel)
            belief = repository.beliefs[name][owner]
            if not has_expired(belief.published, at=at):
                yield name, belief
