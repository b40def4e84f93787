"""How information travels: from its owner to two full repositories, between them, to who asked.

Sources: IBM MQ, "Selecting queue managers to hold full repositories" (two of them are told; those
named in a manual CLUSSDR first; between full repositories only manual CLUSSDRs carry it on);
"How long do the queue manager repositories retain information?" (an expired record answers no new
request, and a copy keeps the expiry of its publication). A record that arrives twice is discarded.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from functools import partial
from typing import Final

from twin.events import (
    ClusterCommandsArrived,
    ClusterCommandsQueued,
    ClusterCommandsSent,
    ClusterCommandsUnderWay,
    InformationPublished,
    InformationReceived,
    InformationRepublished,
    Item,
    MemberForceRemoved,
    RecordPublished,
    Removal,
    SubscriptionReceived,
)
from twin.events.base import Values
from twin.fold.estate import QueueManager
from twin.fold.repository import Belief, Name, Publication
from twin.model.instants import Instant
from twin.rules import channels, full_repositories, interest, membership, parcels
from twin.rules.draft import Draft
from twin.rules.lifetimes import REJOIN_AFTER, has_expired

EVERYONE: Final = ("repository", "*")
"""What a queue manager asks for that has forgotten who the full repositories are."""


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
    was_full = _is_believed_full(qmgr, cluster)
    sequence, rank = _next(qmgr)
    draft.emit(
        InformationPublished(
            qmgr=qmgr.name,
            qmid=qmgr.qmid,
            cluster=cluster,
            sequence=sequence,
            records=tuple(records),
            rank=rank,
        )
    )
    _announce(draft, qmgr, cluster, sequence, full=was_full or membership.is_full(qmgr, cluster))


def republish(
    draft: Draft, qmgr: QueueManager, cluster: str, names: Iterable[tuple[str, str]]
) -> None:
    """Send records of a queue manager again as they are, to whoever is to be told."""
    sequence, rank = _next(qmgr)
    draft.emit(
        InformationRepublished(
            qmgr=qmgr.name,
            qmid=qmgr.qmid,
            cluster=cluster,
            sequence=sequence,
            names=tuple(names),
            rank=rank,
        )
    )
    _announce(draft, qmgr, cluster, sequence, full=membership.is_full(qmgr, cluster))


def _next(qmgr: QueueManager) -> tuple[int, int | None]:
    """Give the next publication its number, and its rank where that is not the same."""
    repository = qmgr.repository
    behind = repository.rank != repository.sequence
    return repository.sequence + 1, repository.rank + 1 if behind else None


def _announce(draft: Draft, qmgr: QueueManager, cluster: str, sequence: int, *, full: bool) -> None:
    introduce(draft, qmgr, cluster)
    if full:
        item = Item(owner=qmgr.qmid, sequence=sequence)
        _spread(draft, qmgr, cluster, [item], sender=qmgr.name)


def republish_all(
    draft: Draft, qmgr: QueueManager, *, cluster: str | None = None, before: Instant | None = None
) -> None:
    """Send all that a queue manager has told, in a cluster or in all, again.

    With `before`, only what was last published before that instant.
    """
    found: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for name in qmgr.repository.mine:
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


def introduce(draft: Draft, qmgr: QueueManager, cluster: str) -> None:
    """Tell the full repositories chosen what they have not been told: all of it, or the latest.

    Both hear it from the owner, at once, before either of them passes it on.
    """
    for target, channel in full_repositories.chosen(draft, qmgr, cluster):
        told = qmgr.repository.told.get((cluster, target.qmid), 0)
        items = _own_since(qmgr, cluster, told)
        if items:
            _dispatch(draft, qmgr, target, channel, cluster, items)
    draft.follow_up()


def _own_since(qmgr: QueueManager, cluster: str, sequence: int) -> list[Item]:
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
    return found[::-1]


def _current(qmgr: QueueManager, publication: Publication) -> tuple[tuple[str, str], ...]:
    """Name the records of a publication that no later one of the same owner replaced."""
    repository = qmgr.repository
    names = ((publication.cluster, *key) for key in publication.records)
    return tuple(
        name[1:]
        for name in names
        if publication.sequence
        == (
            _own(qmgr, name).sequence
            if name in repository.mine
            else repository.gone.get((*name, qmgr.qmid), (0, 0))[0]
        )
    )


def send(
    draft: Draft,
    sender: QueueManager,
    target: QueueManager,
    channel: str,
    cluster: str,
    items: Iterable[Item] = (),
    asks: Iterable[tuple[str, str]] = (),
    removals: Iterable[Removal] = (),
) -> None:
    """Send repository commands over a channel, and let the receiver act on them.

    Where the channel cannot run they wait for it.
    """
    _dispatch(draft, sender, target, channel, cluster, items, asks, removals)
    draft.follow_up()


def _dispatch(
    draft: Draft,
    sender: QueueManager,
    target: QueueManager,
    channel: str,
    cluster: str,
    items: Iterable[Item],
    asks: Iterable[tuple[str, str]] = (),
    removals: Iterable[Removal] = (),
) -> None:
    items, asks, removals = tuple(items), tuple(asks), tuple(removals)
    if not channels.ensure_running(draft, sender, channel, target.name):
        draft.emit(
            ClusterCommandsQueued(
                qmgr=sender.name,
                channel=channel,
                to=target.qmid,
                cluster=cluster,
                items=items,
                asks=asks,
                removals=removals,
            )
        )
        return
    deliver_waiting(draft, sender, channel)
    latency = draft.estate.links and draft.estate.link(sender.name, target.name).latency
    if latency:
        draft.emit(
            ClusterCommandsUnderWay(
                qmgr=sender.name,
                channel=channel,
                to=target.qmid,
                cluster=cluster,
                arrives=draft.at + latency,
                items=items,
                asks=asks,
                removals=removals,
            )
        )
        return
    _take_in(draft, sender, target, cluster, items, asks, removals)


def _take_in(
    draft: Draft,
    sender: QueueManager,
    target: QueueManager,
    cluster: str,
    items: tuple[Item, ...],
    asks: tuple[tuple[str, str], ...],
    removals: tuple[Removal, ...],
) -> None:
    if items:
        _receive(draft, target, sender, cluster, items)
    if asks:
        _note_subscriptions(draft, target, sender, cluster, asks)
    for removal in removals:
        remove_member(draft, target, cluster, removal, source=sender)


def deliver_waiting(draft: Draft, qmgr: QueueManager, channel: str) -> None:
    """Send what waited for a channel, in order; what was for a deleted queue manager is lost."""
    waiting = qmgr.repository.waiting.get(channel, [])
    if not waiting:
        return
    draft.emit(ClusterCommandsSent(qmgr=qmgr.name, channel=channel))
    for parcel in waiting:
        target = interest.live(draft, parcel.to)
        if target is not None:
            send(
                draft,
                qmgr,
                target,
                channel,
                parcel.cluster,
                parcel.items,
                parcel.asks,
                parcel.removals,
            )


def arrive(draft: Draft, sender: QueueManager, channel: str) -> None:
    """Let repository commands arrive that were under way on a channel until now.

    Where their way broke meanwhile, they are back on the transmission queue.
    """
    moving = sender.repository.under_way[channel]
    draft.emit(ClusterCommandsArrived(qmgr=sender.name, channel=channel))
    for parcel in moving:
        target = interest.live(draft, parcel.to)
        if parcel.arrives > draft.at or target is None:
            continue
        if not channels.can_reach(draft, sender, channel, target.name):
            _dispatch(
                draft,
                sender,
                target,
                channel,
                parcel.cluster,
                parcel.items,
                parcel.asks,
                parcel.removals,
            )
            continue
        _take_in(draft, sender, target, parcel.cluster, parcel.items, parcel.asks, parcel.removals)
        draft.follow_up()


def _receive(
    draft: Draft,
    target: QueueManager,
    sender: QueueManager,
    cluster: str,
    items: tuple[Item, ...],
) -> None:
    if fresh := tuple(parcels.news(draft, target, cluster, items)):
        _accept(draft, target, sender, cluster, fresh)


def _accept(
    draft: Draft,
    target: QueueManager,
    sender: QueueManager,
    cluster: str,
    fresh: tuple[Item, ...],
) -> None:
    """Take in what is news, unless it is of somebody who was removed by force just now."""
    if target.repository.removed:
        fresh = tuple(item for item in fresh if not _is_barred(draft, target, cluster, item.owner))
    if not fresh:
        return
    full = membership.is_full(target, cluster)
    first = full and (cluster, sender.qmid) not in target.repository.routes
    draft.emit(
        InformationReceived(qmgr=target.name, sender=sender.name, cluster=cluster, items=fresh)
    )
    draft.follow.append(
        partial(_act_on, draft, target, sender, cluster, fresh, first=first, full=full)
    )


def _is_barred(draft: Draft, qmgr: QueueManager, cluster: str, owner: str) -> bool:
    """Say whether an owner was removed by force less than ten seconds ago.

    Source: IBM MQ 9.4, "RESET CLUSTER": attempts to join again within 10 seconds are ignored.
    """
    removed = qmgr.repository.removed.get((cluster, owner))
    return removed is not None and draft.at < removed + REJOIN_AFTER


def _act_on(
    draft: Draft,
    target: QueueManager,
    sender: QueueManager,
    cluster: str,
    fresh: tuple[Item, ...],
    *,
    first: bool,
    full: bool,
) -> None:
    """Let a queue manager act on news: welcome a new member, pass it on, introduce itself."""
    if full:
        if first and (cluster, sender.qmid) in target.repository.routes:
            _welcome(draft, target, sender, cluster)
        _spread(draft, target, cluster, fresh, sender=sender.name)
    elif any(parcels.tells_of_full_repository(draft, cluster, item) for item in fresh):
        introduce(draft, target, cluster)
        renew_requests(draft, target, cluster)


def _welcome(draft: Draft, full: QueueManager, member: QueueManager, cluster: str) -> None:
    """Tell a new member which full repositories there are, and the cluster's topics."""
    repository = full.repository
    names = [
        (cluster, "qmgr", channel)
        for there, owner in repository.once_full
        for channel in repository.routes.get((there, owner), ())
        if there == cluster
    ]
    names += [name for name in repository.topics if name[0] == cluster]
    told = [
        (name, belief)
        for name in dict.fromkeys(names)
        for belief in repository.beliefs[name].values()
        if name[1] == "topic" or belief.values.get("QMTYPE") == "REPOS"
        if not has_expired(belief.published, at=draft.at)
    ]
    topic_owners = {belief.owner for name, belief in told if name[1] == "topic"}
    told += list(parcels.routes_to(full, cluster, sorted(topic_owners)))
    tell(draft, full, member, cluster, parcels.items_of(told))
    if membership.is_full(member, cluster):
        share_all(draft, full, member, cluster)


def share_all(draft: Draft, full: QueueManager, other: QueueManager, cluster: str) -> None:
    """Tell another full repository all one holds, and what is gone, over a manual CLUSSDR."""
    for definition, _ in membership.channels_of(full, "CLUSSDR", cluster):
        if channels.partner_of(draft, full, definition) is not other:
            continue
        held = parcels.items_of(
            (name, belief)
            for name, owners in full.repository.beliefs.items()
            if name[0] == cluster
            for belief in owners.values()
            if not has_expired(belief.published, at=draft.at)
        )
        items = [*held, *parcels.deletions(full, cluster)]
        news = tuple(parcels.news(draft, other, cluster, items))
        if news:
            send(draft, full, other, definition.name, cluster, news)
        return


def tell(
    draft: Draft, full: QueueManager, member: QueueManager, cluster: str, items: Iterable[Item]
) -> None:
    """Send what is news to a member, over a channel that the member published."""
    news = tuple(parcels.news(draft, member, cluster, items))
    if news:
        _send_news(draft, full, member, cluster, news)


def _send_news(
    draft: Draft, full: QueueManager, member: QueueManager, cluster: str, news: tuple[Item, ...]
) -> None:
    """Send what was found to be news just now."""
    route = interest.route_to(draft, full, member, cluster)
    if route is None:
        return
    latency = draft.estate.links and draft.estate.link(full.name, member.name).latency
    if route in full.repository.waiting or latency:
        send(draft, full, member, route, cluster, news)
    elif channels.ensure_running(draft, full, route, member.name):
        _accept(draft, member, full, cluster, news)
        draft.follow_up()
    else:
        send(draft, full, member, route, cluster, news)


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
    routes = interest.Routes(full, cluster)
    for qmid, wanted in interest.wanted_by_members(draft, full, cluster, items).items():
        member = interest.live(draft, qmid)
        if member is not None and not interest.has_all(member, cluster, wanted):
            tell(draft, full, member, cluster, routes.packed(wanted))


def _note_subscriptions(
    draft: Draft,
    full: QueueManager,
    asker: QueueManager,
    cluster: str,
    asks: tuple[tuple[str, str], ...],
) -> None:
    """Take subscriptions in and answer them with every record that has not expired."""
    if not membership.is_full(full, cluster):
        return
    if EVERYONE in asks:
        _welcome(draft, full, asker, cluster)
        asks = tuple(ask for ask in asks if ask != EVERYONE)
    wanted: dict[Instant, list[tuple[str, str]]] = defaultdict(list)
    for ask in asks:
        name = (cluster, *ask)
        made = asker.repository.subscriptions.get(name)
        noted = full.repository.subscribers.get(name, {}).get(asker.qmid)
        if made is not None and (noted is None or noted < made.made):
            wanted[made.made].append(ask)
    for since, alike in wanted.items():
        draft.emit(
            SubscriptionReceived(
                qmgr=full.name,
                subscriber=asker.qmid,
                cluster=cluster,
                asks=tuple(alike),
                made=since,
            )
        )
    held: dict[tuple[Name, str], tuple[Name, Belief]] = {}
    gone: list[Item] = []
    for kind, called in asks:
        for name, belief in _answer(draft, full, cluster, kind, called):
            if not interest.is_known(asker, name, belief):
                held[name, belief.owner] = (name, belief)
        stale = asker.repository.beliefs.get((cluster, kind, called))
        if stale and full.repository.gone:
            gone += [
                item
                for item in parcels.deletions(full, cluster, (kind, called))
                if item.owner in stale
            ]
    if held or gone:
        tell(draft, full, asker, cluster, [*parcels.items_of(held.values()), *gone])


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
    found = [each for each in found if not has_expired(each[1].published, at=draft.at)]
    owners = dict.fromkeys(belief.owner for _, belief in found)
    return found + list(parcels.routes_to(full, cluster, owners))


def renew_requests(draft: Draft, qmgr: QueueManager, cluster: str) -> None:
    """Send the requests a full repository has not seen, as when one becomes known."""
    wanted = [name for name in qmgr.repository.subscriptions if name[0] == cluster]
    for target, channel in full_repositories.chosen(draft, qmgr, cluster) if wanted else ():
        asks = [
            name[1:]
            for name in wanted
            if not interest.is_subscriber(draft, target, name, qmgr.qmid)
        ]
        if asks:
            send(draft, qmgr, target, channel, cluster, (), asks)


def remove_member(
    draft: Draft, qmgr: QueueManager, cluster: str, removal: Removal, *, source: QueueManager
) -> None:
    """Let a member go that was removed by force, and tell others who may know it.

    Source: IBM MQ 9.4, "RESET CLUSTER". What is no news is not passed on, so that it ends.
    """
    repository = qmgr.repository
    if removal.member == qmgr.qmid:
        return
    known = any(
        (cluster, *key) in repository.beliefs
        and removal.member in repository.beliefs[cluster, *key]
        and (key[0] == "qmgr" or removal.queues)
        for key in repository.ever.get((cluster, removal.member), ())
    )
    if not known and qmgr is not source:
        return
    lost = tuple(repository.routes.get((cluster, removal.member), ()))
    draft.emit(
        MemberForceRemoved(
            qmgr=qmgr.name,
            cluster=cluster,
            member=removal.member,
            queues=removal.queues,
            source=source.name,
        )
    )
    for channel in lost:
        channels.release(draft, qmgr, channel)
    if membership.is_full(qmgr, cluster):
        for there, owner in list(repository.routes):
            other = interest.live(draft, owner)
            if there != cluster or other is None or other.name in (qmgr.name, source.name):
                continue
            route = interest.route_to(draft, qmgr, other, cluster)
            if route is not None and owner != removal.member:
                send(draft, qmgr, other, route, cluster, removals=[removal])
