"""Requests for records (subscriptions): a full repository notes and answers them.

A member sends its requests again when it learns of another full repository.

Source: IBM MQ, "How long do the queue manager repositories retain information?": an expired record
answers no new request, and a copy of a record expires with the original.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, Final

from twin.events import Item, SubscriptionMade, SubscriptionReceived, SubscriptionsAssumed
from twin.fold.beliefs import Belief, RecordName
from twin.fold.estate import QueueManager
from twin.model.instants import Instant
from twin.rules import membership
from twin.rules.draft import Draft
from twin.rules.repository import (
    delivery,
    outgoing_items,
    publication,
    receiving,
    recipients,
)
from twin.rules.repository.lifetimes import EXPIRE_AFTER, LAPSE_AFTER, has_expired

EVERYONE: Final = ("repository", "*")
"""The request of a queue manager that no longer knows the full repositories of its cluster."""


def answer(
    draft: Draft,
    full: QueueManager,
    asker: QueueManager,
    cluster: str,
    asks: tuple[tuple[str, str], ...],
) -> None:
    """Note requests at a full repository, and answer them with all records that have not expired.

    Any other queue manager ignores them.
    """
    if not membership.is_full(full, cluster):
        return
    if EVERYONE in asks:
        publication.welcome(draft, full, asker, cluster)
        asks = tuple(ask for ask in asks if ask != EVERYONE)
    _note(draft, full, asker, cluster, asks)
    _tell(draft, full, asker, cluster, asks)


def answer_noted(draft: Draft, full: QueueManager, qmid: str, cluster: str) -> None:
    """Answer the requests that a member, by QMID, made before a full repository could answer it."""
    asker = recipients.live_qmgr(draft, qmid)
    asks = tuple(
        name[1:]
        for name in (asker.repository.subscriptions if asker is not None else ())
        if name[0] == cluster and recipients.is_subscriber(draft, full, name, qmid)
    )
    if asker is not None and asks:
        _tell(draft, full, asker, cluster, asks)


def _note(
    draft: Draft,
    full: QueueManager,
    asker: QueueManager,
    cluster: str,
    asks: tuple[tuple[str, str], ...],
) -> None:
    """Note requests that are new or were made again; emit one event for each instant."""
    new: dict[Instant, list[tuple[str, str]]] = defaultdict(list)
    own, others = asker.repository.subscriptions, full.repository.subscribers
    for ask in asks:
        name = (cluster, *ask)
        made, by_qmid = own.get(name), others.get(name)
        noted = by_qmid.get(asker.qmid) if by_qmid is not None else None
        if made is not None and (noted is None or noted < made.made):
            new[made.made].append(ask)
    for since, same_instant in new.items():
        draft.emit(
            SubscriptionReceived(
                qmgr=full.name,
                subscriber=asker.qmid,
                cluster=cluster,
                asks=tuple(same_instant),
                made=since,
            )
        )


def _tell(
    draft: Draft,
    full: QueueManager,
    asker: QueueManager,
    cluster: str,
    asks: tuple[tuple[str, str], ...],
) -> None:
    """Answer with all unexpired records, and with the deletions of records that the asker holds."""
    answers: dict[tuple[RecordName, str], tuple[RecordName, Belief]] = {}
    deletions: list[Item] = []
    for kind, called in asks:
        if kind == "queue" and _has_all(draft, full, asker, (cluster, kind, called)):
            continue
        for name, belief in _answer(draft, full, cluster, kind, called):
            if not recipients.is_known(asker, name, belief):
                answers[name, belief.owner] = (name, belief)
        stale = asker.repository.beliefs.get((cluster, kind, called))
        if stale and full.repository.deletions:
            deletions += [
                item
                for item in outgoing_items.deletions(full, cluster, (kind, called))
                if item.owner in stale
            ]
    if answers or deletions or asks:
        items = [*outgoing_items.items_of(answers.values()), *deletions]
        delivery.deliver_news(draft, full, asker, cluster, items, answers=asks)


def _has_all(draft: Draft, full: QueueManager, asker: QueueManager, name: RecordName) -> bool:
    """Return whether a queue manager that renews a request holds all current records of a name.

    It nearly always does, and mostly from one publication. So that publication is compared first.
    """
    beliefs, published = full.repository.beliefs, full.repository.by_publication
    routes, publications_held = full.repository.routes, asker.repository.by_publication
    current = beliefs.get(name, _NOTHING)
    if full.repository.deletions and len(asker.repository.beliefs.get(name, ())) > len(current):
        return False
    cluster = name[0]
    for owner, belief in current.items():
        publication = (owner, belief.receipt.sequence)
        same = publications_held.get(publication)
        if same is None or name not in same:
            return False
        for channel in routes.get((cluster, owner), ()):
            route = (cluster, "qmgr", channel)
            if route in same and route in published[publication]:
                continue
            to_owner = beliefs[route][owner]
            if to_owner.published > draft.at - EXPIRE_AFTER and not recipients.is_known(
                asker, route, to_owner
            ):
                return False
    return True


_NOTHING: Final[Mapping[str, Any]] = {}


def _answer(
    draft: Draft, full: QueueManager, cluster: str, kind: str, name: str
) -> list[tuple[RecordName, Belief]]:
    records = [
        each
        for each in of_name(full, cluster, kind, name)
        if not has_expired(each[1].published, at=draft.at)
    ]
    if kind == "qmgr":
        return records
    owners = dict.fromkeys(belief.owner for _, belief in records)
    routes = list(outgoing_items.routes_to(full, cluster, owners, at=draft.at))
    reachable = {belief.owner for _, belief in routes}  # no queue is sent without a channel to it
    return [*(record for record in records if record[1].owner in reachable), *routes]


def of_name(
    full: QueueManager, cluster: str, kind: str, name: str
) -> list[tuple[RecordName, Belief]]:
    """Return the records that a full repository holds of a requested name, also expired ones."""
    if kind == "qmgr":
        members = full.repository.of_kind("qmgr", cluster=cluster)
        return [each for each in members if each[1].owner_name == name]
    key = (cluster, kind, name)
    return [(key, belief) for belief in full.repository.instances(*key).values()]


def ask_again(
    draft: Draft, qmgr: QueueManager, cluster: str, asks: tuple[tuple[str, str], ...]
) -> None:
    """Make requests anew, and send them to the chosen full repositories."""
    for kind, name in asks:
        draft.emit(SubscriptionMade(qmgr=qmgr.name, cluster=cluster, kind=kind, name=name))
    send(draft, qmgr, cluster, asks)


def assume(
    draft: Draft,
    qmgr: QueueManager,
    cluster: str,
    asks: tuple[tuple[str, str], ...],
    *,
    answered: bool = False,
) -> None:
    """Make requests that are assumed, and send them to the chosen full repositories.

    What was seen to be `answered` is only noted there: they have told the queue manager what it was
    seen to hold, and tell it of changes from now on.
    """
    draft.emit(SubscriptionsAssumed(qmgr=qmgr.name, cluster=cluster, asks=asks))
    if not answered:
        send(draft, qmgr, cluster, asks)
        return
    for full, _ in recipients.full_repositories(draft, qmgr, cluster):
        if membership.is_full(full, cluster):
            _note(draft, full, qmgr, cluster, asks)


def send(draft: Draft, qmgr: QueueManager, cluster: str, asks: tuple[tuple[str, str], ...]) -> bool:
    """Send requests to the chosen full repositories; return whether there is one."""
    chosen = recipients.full_repositories(draft, qmgr, cluster) if asks else []
    for target, channel in chosen:
        delivery.send(
            draft,
            delivery.CommandRoute(qmgr, target, channel, cluster),
            receiving.Commands(asks=asks),
        )
    return bool(chosen)


def renew(
    draft: Draft,
    qmgr: QueueManager,
    cluster: str,
    chosen: Iterable[tuple[QueueManager, str]] | None,
) -> None:
    """Send requests to the chosen full repositories that have not received them yet.

    Requests that wait on the transmission queue are not sent again.

    This is called when a full repository becomes known. `chosen` are the full repositories that the
    queue manager uses, if the caller knows them.
    """
    wanted = [name for name in qmgr.repository.subscriptions if name[0] == cluster]
    if chosen is None and wanted:
        chosen = recipients.full_repositories(draft, qmgr, cluster)
    qmid = qmgr.qmid
    for target, channel in chosen if chosen and wanted else ():
        requests, lapsed = target.repository.subscribers, draft.at - LAPSE_AFTER
        waiting = {
            (commands.cluster, *ask)
            for commands in qmgr.repository.waiting.get(channel, ())
            if commands.to == target.qmid
            for ask in commands.asks
        }
        asks = tuple(
            name[1:]
            for name in wanted
            if name not in waiting
            and ((by_qmid := requests.get(name)) is None or by_qmid.get(qmid, lapsed) <= lapsed)
        )
        if asks:
            delivery.send(
                draft,
                delivery.CommandRoute(qmgr, target, channel, cluster),
                receiving.Commands(asks=asks),
            )
