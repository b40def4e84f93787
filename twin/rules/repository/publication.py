"""A queue manager publishes its own records: the changed ones, or all of them again.

A full repository passes records on to other full repositories and to members that need them.

Sources: IBM MQ, "Selecting queue managers to hold full repositories" (two of them get the records;
those that a manual CLUSSDR leads to first); "How long do the queue manager repositories retain
information?".

Sources: IBM MQ, "Selecting queue managers to hold full repositories" (between full repositories,
records travel over manual CLUSSDRs only); "How long do the queue manager repositories retain
information?" (an expired record is sent to no member that does not have it).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from functools import cache, partial
from typing import NamedTuple

from twin.events import (
    InformationPublished,
    InformationRepublished,
    Item,
    RecordPublished,
)
from twin.fold.beliefs import Belief, Publication, RecordName
from twin.fold.estate import QueueManager
from twin.model.cluster_records import is_published_alike
from twin.model.instants import Instant
from twin.model.platforms import renumbers
from twin.rules import membership
from twin.rules.channels import channel_status, command_queue
from twin.rules.draft import Draft
from twin.rules.path import partners
from twin.rules.repository import (
    delivery,
    outgoing_items,
    receiving,
    recipients,
)
from twin.rules.repository.lifetimes import has_expired
from twin.rules.workload import counters


def publish_changes(draft: Draft, qmgr: QueueManager, *, only: tuple[str, str] | None) -> None:
    """Publish the records of a queue manager that differ from those it last published.

    `only` is the (kind, name) of the one object whose records are compared; None compares all.
    """
    repository = qmgr.repository
    wanted = membership.records_of(qmgr, *only) if only else membership.own_records(qmgr)
    key = only and (only[0].lower(), only[1])
    published = [name for name in repository.own_records if key is None or name[1:] == key]
    changes: dict[str, list[RecordPublished]] = defaultdict(list)
    for name, values in wanted.items():
        published_alike = name in repository.own_records and is_published_alike(
            values, _own(qmgr, name).values
        )
        if not published_alike:
            changes[name[0]].append(RecordPublished(kind=name[1], name=name[2], values=values))
    for name in published:
        if name not in wanted:
            changes[name[0]].append(
                RecordPublished(kind=name[1], name=name[2], values={}, deleted=True)
            )
    for cluster in sorted(changes):
        publish(draft, qmgr, cluster, changes[cluster])


def _own(qmgr: QueueManager, name: RecordName) -> Belief:
    return qmgr.repository.beliefs[name][qmgr.qmid]


def publish(
    draft: Draft, qmgr: QueueManager, cluster: str, records: Iterable[RecordPublished]
) -> None:
    """Publish records of a queue manager in a cluster, and send them to its full repositories."""
    was_full, records = _is_believed_full(qmgr, cluster), tuple(records)
    own = qmgr.repository.own_records
    if any((cluster, each.kind, each.name) not in own for each in records if not each.deleted):
        command_queue.demand_storage(draft, qmgr)
    sequence, rank = _next(qmgr, cluster)
    published = InformationPublished(
        qmgr=qmgr.name,
        qmid=qmgr.qmid,
        cluster=cluster,
        sequence=sequence,
        records=records,
        rank=rank,
    )
    with counters.records_change(draft, qmgr, cluster, [qmgr.qmid]):
        draft.emit(published)
    changed = [(qmgr.qmid, record.name) for record in published.records if record.kind == "queue"]
    receiving.warn(draft, qmgr, cluster, changed)
    _announce(draft, qmgr, cluster, sequence, full=was_full or membership.is_full(qmgr, cluster))


def republish(
    draft: Draft, qmgr: QueueManager, cluster: str, names: Iterable[tuple[str, str]]
) -> None:
    """Publish unchanged records of a queue manager again, and send them."""
    names, (sequence, rank) = tuple(names), _next(qmgr, cluster)
    sequences = {_own(qmgr, (cluster, *name)).sequence for name in names}
    draft.emit(
        InformationRepublished(
            qmgr=qmgr.name,
            qmid=qmgr.qmid,
            cluster=cluster,
            sequence=sequence,
            names=names,
            was=sequences.pop() if len(sequences) == 1 else None,
            rank=rank,
        )
    )
    _announce(draft, qmgr, cluster, sequence, full=membership.is_full(qmgr, cluster))


def _next(qmgr: QueueManager, cluster: str) -> tuple[int, int | None]:
    """Return the number of the next publication, and its rank if it differs from the number.

    It does after a restore from a backup: the numbers went back.
    """
    repository = qmgr.repository
    sequence, offset = repository.sequence + 1, repository.rank_offset.get(cluster, 0)
    if renumbers(qmgr.cmdlevel, qmgr.platform):
        return sequence, None
    return sequence, sequence - offset if offset else None


def _announce(draft: Draft, qmgr: QueueManager, cluster: str, sequence: int, *, full: bool) -> None:
    send_unsent_records(draft, qmgr, cluster)
    if full and not channel_status.seems_down(draft.estate, qmgr):
        item = Item(owner=qmgr.qmid, sequence=sequence)
        pass_on(draft, NewsToPassOn(qmgr, cluster, (item,), qmgr.name))
        draft.follow_up()


def republish_all(
    draft: Draft, qmgr: QueueManager, *, cluster: str | None = None, before: Instant | None = None
) -> None:
    """Publish all records of a queue manager again, in one cluster or in all.

    With `before`, publish only records that were last published before that instant.
    """
    by_cluster: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for name in qmgr.repository.own_records:
        recent = before is not None and _own(qmgr, name).published >= before
        if cluster in (None, name[0]) and not recent:
            by_cluster[name[0]].append(name[1:])
    for each_cluster in sorted(by_cluster):
        republish(draft, qmgr, each_cluster, by_cluster[each_cluster])


def _is_believed_full(qmgr: QueueManager, cluster: str) -> bool:
    """Return whether a queue manager last published that it is a full repository."""
    channels = qmgr.repository.routes.get((cluster, qmgr.qmid), ())
    own = (_own(qmgr, (cluster, "qmgr", channel)) for channel in channels)
    return any(belief.values.get("QMTYPE") == "REPOS" for belief in own)


def send_unsent_records(
    draft: Draft, qmgr: QueueManager, cluster: str
) -> list[tuple[QueueManager, str]] | None:
    """Send both chosen full repositories all own records that were not sent to them yet.

    Both get the records from their owner before either of them passes the records on. Return the
    two, or None if events were emitted, because then the choice of the two may have changed. What
    seems to be down sends nothing.
    """
    chosen, position = recipients.full_repositories(draft, qmgr, cluster), draft.position
    if channel_status.seems_down(draft.estate, qmgr):
        return chosen
    for target, channel in chosen:
        items = _own_since(qmgr, cluster, qmgr.repository.last_sent.get((cluster, target.qmid), 0))
        if items:
            delivery.deliver(
                draft,
                delivery.CommandRoute(qmgr, target, channel, cluster),
                receiving.Commands(items),
            )
    draft.follow_up()
    return chosen if draft.position == position else None


def _own_since(qmgr: QueueManager, cluster: str, sequence: int) -> tuple[Item, ...]:
    """Return what a queue manager published after `sequence`, including deletions."""
    items = []
    for publication in reversed(qmgr.published.values()):
        if publication.sequence <= sequence:
            break
        if publication.cluster == cluster and (only := _current(qmgr, publication)):
            whole = len(only) == len(publication.records)
            items.append(
                Item(
                    owner=qmgr.qmid,
                    sequence=publication.sequence,
                    only=None if whole else only,
                )
            )
    return tuple(reversed(items))


def _current(qmgr: QueueManager, publication: Publication) -> tuple[tuple[str, str], ...]:
    """Return the records of a publication that no later publication of its owner has replaced."""
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


def welcome(draft: Draft, full: QueueManager, member: QueueManager, cluster: str) -> None:
    """Send a new member the records of the full repositories and of the cluster's topics."""
    repository = full.repository
    names = [
        (cluster, "qmgr", channel)
        for in_cluster, owner in repository.known_full_repositories
        for channel in repository.routes.get((in_cluster, owner), ())
        if in_cluster == cluster
    ]
    names += [name for name in repository.topics if name[0] == cluster]
    records = [
        (name, belief)
        for name in dict.fromkeys(names)
        for belief in repository.beliefs[name].values()
        if name[1] == "topic" or belief.values.get("QMTYPE") == "REPOS"
        if not has_expired(belief.published, at=draft.at)
    ]
    topic_owners = {belief.owner for name, belief in records if name[1] == "topic"}
    records += list(outgoing_items.routes_to(full, cluster, sorted(topic_owners), at=draft.at))
    delivery.deliver_news(draft, full, member, cluster, outgoing_items.items_of(records))
    if membership.is_full(member, cluster):
        share_all(draft, full, member, cluster)


def share_all(draft: Draft, full: QueueManager, other: QueueManager, cluster: str) -> None:
    """Send another full repository all records and deletions, over a manual CLUSSDR."""
    for definition, _ in membership.channels_of(full, "CLUSSDR", cluster):
        if partners.partner_of(draft.estate, full, definition) is not other:
            continue
        unexpired = outgoing_items.items_of(
            (name, belief)
            for name, owners in full.repository.beliefs.items()
            if name[0] == cluster
            for belief in owners.values()
            if not has_expired(belief.published, at=draft.at)
        )
        items = [*unexpired, *outgoing_items.deletions(full, cluster)]
        news = outgoing_items.news(draft, other, cluster, items)
        if news:
            delivery.send(
                draft,
                delivery.CommandRoute(full, other, definition.name, cluster),
                receiving.Commands(news),
            )
        return


class NewsToPassOn(NamedTuple):
    """A happening: a full repository has new records to pass on.

    Attributes:
        full: the full repository.
        cluster: the cluster that the records belong to.
        items: the records.
        sender: the queue manager that sent them; it does not get them back.
    """

    full: QueueManager
    cluster: str
    items: tuple[Item, ...]
    sender: str


def pass_on(draft: Draft, news_to_pass_on: NewsToPassOn) -> None:
    """Pass records on: over manual CLUSSDRs to full repositories, and to members that need them."""
    full, cluster, items, sender = news_to_pass_on
    owners = {item.owner for item in items}
    for definition, _ in membership.channels_of(full, "CLUSSDR", cluster):
        other = partners.partner_of(draft.estate, full, definition)
        if other is None or other.name == sender or not membership.is_full(other, cluster):
            continue
        news = outgoing_items.news(draft, other, cluster, items)
        if news and owners != {other.qmid}:
            delivery.deliver(
                draft,
                delivery.CommandRoute(full, other, definition.name, cluster),
                receiving.Commands(news),
            )
    routes_of = cache(partial(recipients.routes_of, full, cluster, draft.at))
    for member, wanted in recipients.wanted_by_members(draft, full, cluster, items):
        delivery.deliver_news(draft, full, member, cluster, recipients.packed(wanted, routes_of))
