"""What a queue manager tells of itself, anew or again, and whom it tells first.

Sources: IBM MQ, "Selecting queue managers to hold full repositories" (two of them are told; those
named in a manual CLUSSDR first); "How long do the queue manager repositories retain information?".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from twin.events import InformationPublished, InformationRepublished, Item, RecordPublished
from twin.events.base import Values
from twin.fold.beliefs import Belief, Name, Publication
from twin.fold.estate import QueueManager
from twin.model.instants import Instant
from twin.rules import membership
from twin.rules.draft import Draft
from twin.rules.repository import delivery, distribution, full_repositories
from twin.rules.repository.delivery import Commands
from twin.rules.repository.distribution import NewsToPassOn
from twin.rules.workload import counter_resets


def publish_changes(draft: Draft, qmgr: QueueManager, *, only: tuple[str, str] | None) -> None:
    """Publish what a queue manager has to tell that differs from what it last told.

    `only` limits the comparison to one object, (kind, name); None compares everything.
    """
    repository = qmgr.repository
    wanted = membership.records_of(qmgr, *only) if only else membership.own_records(qmgr)
    key = only and (only[0].lower(), only[1])
    mine = [name for name in repository.own_records if key is None or name[1:] == key]
    changes: dict[str, list[RecordPublished]] = defaultdict(list)
    for name, values in wanted.items():
        if name not in repository.own_records or _own(qmgr, name).values != values:
            changes[name[0]].append(_record(name, values))
    for name in mine:
        if name not in wanted:
            changes[name[0]].append(_record(name, {}, deleted=True))
    for cluster in sorted(changes):
        publish(draft, qmgr, cluster, changes[cluster])


def _own(qmgr: QueueManager, name: Name) -> Belief:
    return qmgr.repository.beliefs[name][qmgr.qmid]


def _record(name: Name, values: Values, *, deleted: bool = False) -> RecordPublished:
    return RecordPublished(kind=name[1], name=name[2], values=values, deleted=deleted)


def publish(
    draft: Draft, qmgr: QueueManager, cluster: str, records: Iterable[RecordPublished]
) -> None:
    """Publish records of a queue manager in a cluster, and tell whoever is to be told."""
    was_full = _is_believed_full(qmgr, cluster)
    sequence, rank = _next(qmgr, cluster)
    published = InformationPublished(
        qmgr=qmgr.name,
        qmid=qmgr.qmid,
        cluster=cluster,
        sequence=sequence,
        records=tuple(records),
        rank=rank,
    )
    with counter_resets.records_change(draft, qmgr, cluster, [qmgr.qmid]):
        draft.emit(published)
    _announce(draft, qmgr, cluster, sequence, full=was_full or membership.is_full(qmgr, cluster))


def republish(
    draft: Draft, qmgr: QueueManager, cluster: str, names: Iterable[tuple[str, str]]
) -> None:
    """Send records of a queue manager again as they are, to whoever is to be told."""
    names, (sequence, rank) = tuple(names), _next(qmgr, cluster)
    before = {_own(qmgr, (cluster, *name)).sequence for name in names}
    draft.emit(
        InformationRepublished(
            qmgr=qmgr.name,
            qmid=qmgr.qmid,
            cluster=cluster,
            sequence=sequence,
            names=names,
            was=before.pop() if len(before) == 1 else None,
            rank=rank,
        )
    )
    _announce(draft, qmgr, cluster, sequence, full=membership.is_full(qmgr, cluster))


def _next(qmgr: QueueManager, cluster: str) -> tuple[int, int | None]:
    """Give the next publication its number, and its rank where that is not the same."""
    repository = qmgr.repository
    sequence, behind = repository.sequence + 1, repository.rank_offset.get(cluster, 0)
    return sequence, sequence - behind if behind else None


def _announce(draft: Draft, qmgr: QueueManager, cluster: str, sequence: int, *, full: bool) -> None:
    introduce(draft, qmgr, cluster)
    if full:
        item = Item(owner=qmgr.qmid, sequence=sequence)
        distribution.pass_on(draft, NewsToPassOn(qmgr, cluster, (item,), qmgr.name))
        draft.follow_up()


def republish_all(
    draft: Draft, qmgr: QueueManager, *, cluster: str | None = None, before: Instant | None = None
) -> None:
    """Send all that a queue manager has told, in a cluster or in all, again.

    With `before`, only what was last published before that instant.
    """
    found: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for name in qmgr.repository.own_records:
        recent = before is not None and _own(qmgr, name).published >= before
        if cluster in (None, name[0]) and not recent:
            found[name[0]].append(name[1:])
    for there in sorted(found):
        republish(draft, qmgr, there, found[there])


def _is_believed_full(qmgr: QueueManager, cluster: str) -> bool:
    """Say whether a queue manager last told others that it is a full repository."""
    channels_there = qmgr.repository.routes.get((cluster, qmgr.qmid), ())
    own = (_own(qmgr, (cluster, "qmgr", channel)) for channel in channels_there)
    return any(belief.values.get("QMTYPE") == "REPOS" for belief in own)


def introduce(
    draft: Draft, qmgr: QueueManager, cluster: str
) -> list[tuple[QueueManager, str]] | None:
    """Tell the full repositories chosen what they have not been told: all of it, or the latest.

    Both hear it from the owner, at once, before either of them passes it on. Returns those chosen,
    or None where anything happened, so that it might be others now.
    """
    chosen, position = full_repositories.chosen(draft, qmgr, cluster), draft.position
    for target, channel in chosen:
        told = qmgr.repository.last_sent.get((cluster, target.qmid), 0)
        items = _own_since(qmgr, cluster, told)
        if items:
            delivery.deliver(draft, qmgr, target, channel, cluster, Commands(items))
    draft.follow_up()
    return chosen if draft.position == position else None


def _own_since(qmgr: QueueManager, cluster: str, sequence: int) -> tuple[Item, ...]:
    """Name what a queue manager published behind one of its publications, deletions included."""
    found = []
    for publication in reversed(qmgr.published.values()):
        if publication.sequence <= sequence:
            break
        if publication.cluster == cluster and (only := _current(qmgr, publication)):
            whole = len(only) == len(publication.records)
            found.append(
                Item(
                    owner=qmgr.qmid,
                    sequence=publication.sequence,
                    only=None if whole else only,
                )
            )
    return tuple(reversed(found))


def _current(qmgr: QueueManager, publication: Publication) -> tuple[tuple[str, str], ...]:
    """Name the records of a publication that no later one of the same owner replaced."""
    repository = qmgr.repository
    if len(repository.by_publication.get((qmgr.qmid, publication.sequence), ())) == len(
        publication.records
    ):
        return tuple(publication.records)
    names = ((publication.cluster, *key) for key in publication.records)
    return tuple(
        name[1:]
        for name in names
        if publication.sequence
        == (
            _own(qmgr, name).sequence
            if name in repository.own_records
            else repository.deletions.get((*name, qmgr.qmid), (0, 0))[0]
        )
    )
