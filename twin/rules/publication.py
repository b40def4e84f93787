"""How information travels: from its owner to two full repositories, between them, to who asked.

Sources: IBM MQ, "Selecting queue managers to hold full repositories" (two of them are told; those
named in a manual CLUSSDR first; between full repositories only manual CLUSSDRs carry it on);
"How long do the queue manager repositories retain information?" (an expired record answers no new
request, and a copy keeps the expiry of its publication). A record that arrives twice is discarded.
Clustered topics are told to every member of the cluster [memory, unverified].
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from twin.events import (
    ClusterCommandsQueued,
    InformationPublished,
    InformationReceived,
    Item,
    RecordPublished,
    SubscriptionReceived,
)
from twin.events.base import Values
from twin.fold.estate import QueueManager
from twin.fold.repository import Belief, Name
from twin.rules import channels, full_repositories, membership, parcels
from twin.rules.draft import Draft
from twin.rules.lifetimes import has_expired


def publish_changes(draft: Draft, qmgr: QueueManager, *, only: tuple[str, str] | None) -> None:
    """Publish what a queue manager has to tell that differs from what it last told.

    `only` limits the comparison to one object, (kind, name); None compares everything.
    """
    repository = qmgr.repository
    wanted = membership.records_of(qmgr, *only) if only else membership.own_records(qmgr)
    key = only and (only[0].lower(), only[1])
    mine = [name for name in repository.mine if key is None or name[1:] == key]
    changes: dict[str, list[RecordPublished]] = defaultdict(list)
    for name, values in wanted.items():
        if name not in repository.mine or _own(qmgr, name).values != values:
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
    sequence = qmgr.repository.sequence + 1
    draft.emit(
        InformationPublished(
            qmgr=qmgr.name,
            qmid=qmgr.qmid,
            cluster=cluster,
            sequence=sequence,
            records=tuple(records),
        )
    )
    item = Item(owner=qmgr.qmid, sequence=sequence)
    for target, channel in full_repositories.chosen(draft, qmgr, cluster):
        if (cluster, target.name) in qmgr.repository.told:
            send(draft, qmgr, target, channel, cluster, [item])
    introduce(draft, qmgr, cluster)
    if membership.is_full(qmgr, cluster):
        _spread(draft, qmgr, cluster, [item], sender=qmgr.name)


def introduce(draft: Draft, qmgr: QueueManager, cluster: str) -> None:
    """Send everything a member says of itself to the full repositories it has not told yet."""
    if not any(name[0] == cluster for name in qmgr.repository.mine):
        return
    for target, channel in full_repositories.chosen(draft, qmgr, cluster):
        if (cluster, target.name) not in qmgr.repository.told:
            mine = (name for name in qmgr.repository.mine if name[0] == cluster)
            items = parcels.items_of((name, _own(qmgr, name)) for name in mine)
            send(draft, qmgr, target, channel, cluster, items)


def send(
    draft: Draft,
    sender: QueueManager,
    target: QueueManager,
    channel: str,
    cluster: str,
    items: Iterable[Item],
    asks: Iterable[tuple[str, str]] = (),
) -> None:
    """Send repository commands over a channel; where it cannot run they wait for it."""
    items, asks = tuple(items), tuple(asks)
    if not channels.ensure_running(draft, sender, channel, target.name):
        draft.emit(
            ClusterCommandsQueued(
                qmgr=sender.name,
                channel=channel,
                to=target.name,
                cluster=cluster,
                items=items,
                asks=asks,
            )
        )
        return
    if items:
        _receive(draft, target, sender, cluster, items)
    for kind, name in asks:
        _note_subscription(draft, target, sender, cluster, kind, name)


def _receive(
    draft: Draft,
    target: QueueManager,
    sender: QueueManager,
    cluster: str,
    items: tuple[Item, ...],
) -> None:
    full = membership.is_full(target, cluster)
    if not (full or membership.is_full(sender, cluster)):
        return
    fresh = tuple(parcels.news(draft, target, cluster, items))
    first = full and (cluster, sender.qmid) not in target.repository.routes
    if not fresh:
        return
    draft.emit(
        InformationReceived(qmgr=target.name, sender=sender.name, cluster=cluster, items=fresh)
    )
    if full:
        if first and (cluster, sender.qmid) in target.repository.routes:
            _welcome(draft, target, sender, cluster)
        _spread(draft, target, cluster, fresh, sender=sender.name)
    elif any(parcels.tells_of_full_repository(draft, cluster, item) for item in fresh):
        introduce(draft, target, cluster)
        renew_requests(draft, target, cluster)


def _welcome(draft: Draft, full: QueueManager, member: QueueManager, cluster: str) -> None:
    """Tell a new member which full repositories there are, and the cluster's topics."""
    held = full.repository.beliefs.items()
    told = [
        (name, belief)
        for name, owners in held
        if name[0] == cluster and name[1] != "queue"
        for belief in owners.values()
        if name[1] == "topic" or belief.values.get("QMTYPE") == "REPOS"
        if not has_expired(belief.published, at=draft.at)
    ]
    topic_owners = {belief.owner for name, belief in told if name[1] == "topic"}
    told += list(parcels.routes_to(full, cluster, topic_owners))
    tell(draft, full, member, cluster, told)
    if membership.is_full(member, cluster):
        share_all(draft, full, member, cluster)


def share_all(draft: Draft, full: QueueManager, other: QueueManager, cluster: str) -> None:
    """Tell another full repository all one holds, if a manual CLUSSDR leads there."""
    for definition, _ in membership.channels_of(full, "CLUSSDR", cluster):
        if channels.partner_of(draft, full, definition) is other:
            held = [
                (name, belief)
                for name, owners in full.repository.beliefs.items()
                if name[0] == cluster
                for belief in owners.values()
                if not has_expired(belief.published, at=draft.at)
            ]
            send(draft, full, other, definition.name, cluster, parcels.items_of(held))
            return


def tell(
    draft: Draft,
    full: QueueManager,
    member: QueueManager,
    cluster: str,
    records: Iterable[tuple[Name, Belief]],
) -> None:
    """Send records from a full repository to a member, over the channel the member published."""
    items = tuple(parcels.news(draft, member, cluster, parcels.items_of(records)))
    route = next(iter(full.repository.routes.get((cluster, member.qmid), ())), None)
    if items and route is not None:
        send(draft, full, member, route, cluster, items)


def _spread(
    draft: Draft, full: QueueManager, cluster: str, items: Iterable[Item], *, sender: str
) -> None:
    """Pass news on: over manual CLUSSDRs to full repositories, and to members that want it."""
    items = tuple(items)
    owners = {item.owner for item in items}
    for definition, _ in membership.channels_of(full, "CLUSSDR", cluster):
        other = channels.partner_of(draft, full, definition)
        if other is None or other.name == sender or not membership.is_full(other, cluster):
            continue
        news = tuple(parcels.news(draft, other, cluster, items))
        if news and owners != {other.qmid}:
            send(draft, full, other, definition.name, cluster, news)
    for member, wanted in _wanted_by_members(draft, full, cluster, items).items():
        other = draft.estate.qmgrs[member]
        _pass_on(draft, full, other, cluster, wanted)


def _pass_on(
    draft: Draft,
    full: QueueManager,
    member: QueueManager,
    cluster: str,
    wanted: list[tuple[str, int, tuple[str, str]]],
) -> None:
    grouped: dict[tuple[str, int], list[tuple[str, str]]] = defaultdict(list)
    for owner, sequence, key in wanted:
        grouped[owner, sequence].append(key)
    owners = {owner for owner, _, (kind, _) in wanted if kind != "qmgr"}
    for (_, kind, name), belief in parcels.routes_to(full, cluster, owners):
        keys = grouped[belief.owner, belief.sequence]
        if (kind, name) not in keys:
            keys.append((kind, name))
    items = [
        Item(owner=owner, sequence=sequence, only=tuple(keys))
        for (owner, sequence), keys in grouped.items()
    ]
    news = tuple(parcels.news(draft, member, cluster, items))
    route = next(iter(full.repository.routes.get((cluster, member.qmid), ())), None)
    if news and route is not None:
        send(draft, full, member, route, cluster, news)


def _wanted_by_members(
    draft: Draft, full: QueueManager, cluster: str, items: Iterable[Item]
) -> dict[str, list[tuple[str, int, tuple[str, str]]]]:
    """Work out which partial repositories of a cluster are to hear which records."""
    subscribers = full.repository.subscribers
    wanted: dict[str, list[tuple[str, int, tuple[str, str]]]] = defaultdict(list)
    partial = list(_partial_members(draft, full, cluster))
    for item in items:
        owner = draft.estate.owner(item.owner)
        records = owner.published[item.sequence].records
        for key in item.only or records:
            asked = subscribers.get((cluster, *key), {})
            if key[0] == "qmgr":
                asked = asked | subscribers.get((cluster, "qmgr", owner.name), {})
            everyone = key[0] == "topic" or records[key].values.get("QMTYPE") == "REPOS"
            for member in partial:
                holds = member.repository.beliefs.get((cluster, *key), {})
                if (everyone or member.name in asked or item.owner in holds) and (
                    member is not owner
                ):
                    wanted[member.name].append((item.owner, item.sequence, key))
    return wanted


def _partial_members(draft: Draft, full: QueueManager, cluster: str) -> Iterator[QueueManager]:
    for there, owner in full.repository.routes:
        if there == cluster and owner != full.qmid:
            member = draft.estate.qmgrs.get(draft.estate.names[owner])
            if member is None or member.qmid != owner:
                continue
            if not membership.is_full(member, cluster):
                yield member


def _note_subscription(
    draft: Draft, full: QueueManager, asker: QueueManager, cluster: str, kind: str, name: str
) -> None:
    """Take a subscription in and answer it with every record that has not expired."""
    if not membership.is_full(full, cluster):
        return
    if asker.name not in full.repository.subscribers.get((cluster, kind, name), {}):
        draft.emit(
            SubscriptionReceived(
                qmgr=full.name, subscriber=asker.name, cluster=cluster, kind=kind, name=name
            )
        )
    tell(draft, full, asker, cluster, _answer(draft, full, cluster, kind, name))


def _answer(
    draft: Draft, full: QueueManager, cluster: str, kind: str, name: str
) -> list[tuple[Name, Belief]]:
    if kind == "qmgr":
        found = [
            (key, belief)
            for key, belief in full.repository.of_kind("qmgr", cluster=cluster)
            if belief.owner_name == name
        ]
        return [each for each in found if not has_expired(each[1].published, at=draft.at)]
    instances = full.repository.instances(cluster, kind, name)
    found = [((cluster, kind, name), belief) for belief in instances.values()]
    found = [
        (key, belief) for key, belief in found if not has_expired(belief.published, at=draft.at)
    ]
    return found + list(parcels.routes_to(full, cluster, {belief.owner for _, belief in found}))


def renew_requests(draft: Draft, qmgr: QueueManager, cluster: str) -> None:
    """Send the requests a full repository has not seen, as when one becomes known."""
    wanted = [name for name in qmgr.repository.subscriptions if name[0] == cluster]
    for target, channel in full_repositories.chosen(draft, qmgr, cluster):
        asks = [
            name[1:]
            for name in wanted
            if qmgr.name not in target.repository.subscribers.get(name, {})
        ]
        if asks:
            send(draft, qmgr, target, channel, cluster, (), asks)
