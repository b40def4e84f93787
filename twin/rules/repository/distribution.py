"""A full repository passes records on to other full repositories and to members that need them.

Sources: IBM MQ, "Selecting queue managers to hold full repositories" (between full repositories,
records travel over manual CLUSSDRs only); "How long do the queue manager repositories retain
information?" (an expired record is sent to no member that does not have it).
"""

from __future__ import annotations

from functools import cache, partial
from typing import NamedTuple

from twin.events import Item
from twin.fold.estate import QueueManager
from twin.rules import membership
from twin.rules.draft import Draft
from twin.rules.path import partners
from twin.rules.repository import delivery, outgoing_items, receiving, subscribers
from twin.rules.repository.lifetimes import has_expired


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
    routes_of = cache(partial(subscribers.routes_of, full, cluster, draft.at))
    for member, wanted in subscribers.wanted_by_members(draft, full, cluster, items):
        delivery.deliver_news(draft, full, member, cluster, subscribers.packed(wanted, routes_of))
