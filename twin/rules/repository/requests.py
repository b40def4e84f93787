"""Requests at a full repository: taken note of, answered, and asked again where they are unknown.

Source: IBM MQ, "How long do the queue manager repositories retain information?": an expired record
answers no new request, and a copy keeps the expiry of its publication.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, Final

from twin.events import Item, SubscriptionReceived
from twin.fold.beliefs import Belief, Name
from twin.fold.estate import QueueManager
from twin.model.instants import Instant
from twin.rules import membership
from twin.rules.draft import Draft
from twin.rules.repository import (
    delivery,
    distribution,
    full_repositories,
    outgoing_items,
    subscribers,
)
from twin.rules.repository.delivery import Commands, RequestsArrived
from twin.rules.repository.lifetimes import EXPIRE_AFTER, LAPSE_AFTER, has_expired

EVERYONE: Final = ("repository", "*")
"""What a queue manager asks for that has forgotten who the full repositories are."""


def answer(draft: Draft, arrived: RequestsArrived) -> None:
    """Note requests at a full repository, and answer them with all records that have not expired.

    Any other queue manager ignores them.
    """
    full, asker, cluster, asks = arrived
    if not membership.is_full(full, cluster):
        return
    if EVERYONE in asks:
        distribution.welcome(draft, full, asker, cluster)
        asks = tuple(ask for ask in asks if ask != EVERYONE)
    _note(draft, full, asker, cluster, asks)
    _tell_held(draft, full, asker, cluster, asks)


def _note(
    draft: Draft,
    full: QueueManager,
    asker: QueueManager,
    cluster: str,
    asks: tuple[tuple[str, str], ...],
) -> None:
    """Note what was not known of, or was made again; all that was made at one instant at once."""
    wanted: dict[Instant, list[tuple[str, str]]] = defaultdict(list)
    own, others = asker.repository.subscriptions, full.repository.subscribers
    for ask in asks:
        name = (cluster, *ask)
        made, by = own.get(name), others.get(name)
        noted = by.get(asker.qmid) if by is not None else None
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


def _tell_held(
    draft: Draft,
    full: QueueManager,
    asker: QueueManager,
    cluster: str,
    asks: tuple[tuple[str, str], ...],
) -> None:
    """Answer with every record that has not expired, and with what is gone that the asker holds."""
    held: dict[tuple[Name, str], tuple[Name, Belief]] = {}
    gone: list[Item] = []
    for kind, called in asks:
        if kind == "queue" and _has_all(draft, full, asker, (cluster, kind, called)):
            continue
        for name, belief in _answer(draft, full, cluster, kind, called):
            if not subscribers.is_known(asker, name, belief):
                held[name, belief.owner] = (name, belief)
        stale = asker.repository.beliefs.get((cluster, kind, called))
        if stale and full.repository.deletions:
            gone += [
                item
                for item in outgoing_items.deletions(full, cluster, (kind, called))
                if item.owner in stale
            ]
    if held or gone:
        items = [*outgoing_items.items_of(held.values()), *gone]
        delivery.deliver_news(draft, full, asker, cluster, items)


def _has_all(draft: Draft, full: QueueManager, asker: QueueManager, name: Name) -> bool:
    """Say whether somebody who renews a request holds all there is of a name as it is.

    That is so of nearly every renewal, and mostly by one publication: what is held of one lies
    together, so that it is looked there first.
    """
    known, theirs, routes = (
        full.repository.beliefs,
        full.repository.by_publication,
        full.repository.routes,
    )
    there, mine = known.get(name, _NOTHING), asker.repository.by_publication
    if full.repository.deletions and len(asker.repository.beliefs.get(name, ())) > len(there):
        return False
    cluster = name[0]
    for owner, belief in there.items():
        publication = (owner, belief.receipt.sequence)
        group = mine.get(publication)
        if group is None or name not in group:
            return False
        for channel in routes.get((cluster, owner), ()):
            route = (cluster, "qmgr", channel)
            if route in group and route in theirs[publication]:
                continue
            way = known[route][owner]
            if way.published > draft.at - EXPIRE_AFTER and not subscribers.is_known(
                asker, route, way
            ):
                return False
    return True


_NOTHING: Final[Mapping[str, Any]] = {}


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
    routes = list(outgoing_items.routes_to(full, cluster, owners, at=draft.at))
    reachable = {belief.owner for _, belief in routes}  # nobody is told of a queue without a way
    return [*(each for each in found if each[1].owner in reachable), *routes]


def renew(
    draft: Draft,
    qmgr: QueueManager,
    cluster: str,
    chosen: Iterable[tuple[QueueManager, str]] | None,
) -> None:
    """Send the requests a full repository has not seen, as when one becomes known.

    `chosen` are those that are asked, where somebody has just found out.
    """
    wanted = [name for name in qmgr.repository.subscriptions if name[0] == cluster]
    if chosen is None and wanted:
        chosen = full_repositories.chosen(draft, qmgr, cluster)
    qmid = qmgr.qmid
    for target, channel in chosen if chosen and wanted else ():
        noted, lapsed = target.repository.subscribers, draft.at - LAPSE_AFTER
        asks = tuple(
            name[1:]
            for name in wanted
            if (by := noted.get(name)) is None or by.get(qmid, lapsed) <= lapsed
        )
        if asks:
            delivery.send(draft, qmgr, target, channel, cluster, Commands(asks=asks))
