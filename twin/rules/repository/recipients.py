"""Who gets records and requests: of a full repository, and of any other queue manager.

A full repository passes records on to the members of a cluster that need them.

A partial repository gets the records of the queues that it requested, of the queue managers that
have them, and of the full repositories. Every member gets the records of clustered topics [memory,
unverified].

Sources: IBM MQ, "Selecting queue managers to hold full repositories"; "Cluster concepts".

A queue manager sends its own records and its requests to two full repositories.

Source: IBM MQ, "Selecting queue managers to hold full repositories": it uses two of them. Those
that a manual CLUSSDR leads to are preferred. If one of the two is not available, another replaces
it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeAlias

from twin.events import Item
from twin.fold.beliefs import Belief, RecordName
from twin.fold.estate import QueueManager
from twin.model.instants import Instant
from twin.rules import membership
from twin.rules.channels import channel_status
from twin.rules.draft import Draft
from twin.rules.path import partners
from twin.rules.repository import outgoing_items
from twin.rules.repository.lifetimes import LAPSE_AFTER, has_lapsed

WantedRecords: TypeAlias = dict[tuple[str, int], list[tuple[str, str]]]
"""(owner's QMID, publication) -> the (kind, name) of each wanted record in it."""

_Asked: TypeAlias = dict[tuple[str, str], Sequence[str]]
"""(kind, name) -> the QMIDs that requested it in the last 30 days. A cache of looked up names."""


def wanted_by_members(
    draft: Draft, full: QueueManager, cluster: str, items: Iterable[Item]
) -> list[tuple[QueueManager, WantedRecords]]:
    """Return the partial repositories that need some of the records in `items`, and which ones.

    Members that already hold all of these records are left out: another full repository has sent
    them. The members are in the order of their QMIDs: the order of records in a repository is
    another one after it was read from a snapshot.
    """
    wanted: dict[str, WantedRecords] = {}
    asked: _Asked = {}
    everyone: Iterable[str] | None = None
    for item in items:
        owner = draft.estate.owner(item.owner)
        publication = (item.owner, item.sequence)
        for key in item.only or owner.published[item.sequence].records:
            takers: Iterable[str] | None
            if key[0] != "queue":
                takers = _askers(draft, full, cluster, key, owner, asked)
            elif (takers := asked.get(key)) is None:
                takers = _subscribers(draft, full, (cluster, *key))
            if takers is None:
                everyone = _everyone(full, cluster) if everyone is None else everyone
                takers = everyone
            for qmid in takers:
                if qmid != item.owner:
                    records = wanted.get(qmid)
                    if records is None:
                        records = wanted[qmid] = {}
                    records.setdefault(publication, []).append(key)
    members = (
        (_partial_member(draft, full, cluster, qmid), wanted[qmid]) for qmid in sorted(wanted)
    )
    return [
        (member, records)
        for member, records in members
        if member is not None and not _has_all(member, cluster, records)
    ]


def _subscribers(draft: Draft, full: QueueManager, name: RecordName) -> Sequence[str]:
    """Return the QMIDs that requested a name from a full repository in the last 30 days."""
    requests, lapsed = full.repository.subscribers.get(name), draft.at - LAPSE_AFTER
    return [qmid for qmid, made in requests.items() if made > lapsed] if requests else ()


def is_subscriber(draft: Draft, full: QueueManager, name: RecordName, qmid: str) -> bool:
    """Return whether a full repository has an unlapsed request of a queue manager for a name."""
    made = full.repository.subscribers.get(name, {}).get(qmid)
    return made is not None and not has_lapsed(made, at=draft.at)


def _askers(
    draft: Draft,
    full: QueueManager,
    cluster: str,
    key: tuple[str, str],
    owner: QueueManager,
    asked: _Asked,
) -> Iterable[str] | None:
    """Return the QMIDs that need a record of a queue manager or topic; None for all members.

    The record of a queue manager goes to those that requested it or a queue that it has or had. It
    goes to all members if the queue manager is or was a full repository, or has topics. The
    subscribers of each queue are added to `asked`, because queues of one owner mostly come in the
    same publication.
    """
    repository = full.repository
    if key[0] == "topic" or (cluster, owner.qmid) in repository.known_full_repositories:
        return None
    askers = dict.fromkeys(_subscribers(draft, full, (cluster, "qmgr", owner.name)))
    requests, lapsed = repository.subscribers, draft.at - LAPSE_AFTER
    for kind, name in repository.ever_held.get((cluster, owner.qmid), ()):
        if kind == "topic":
            return None
        by_qmid = requests.get((cluster, kind, name))
        if by_qmid is None:
            asked[kind, name] = _NOBODY
            continue
        qmids = asked[kind, name] = [qmid for qmid, made in by_qmid.items() if made > lapsed]
        for qmid in qmids:
            askers[qmid] = None
    return askers


_NOBODY: Final[Sequence[str]] = ()


def _everyone(full: QueueManager, cluster: str) -> dict[str, None]:
    return dict.fromkeys(
        sorted(owner for in_cluster, owner in full.repository.routes if in_cluster == cluster)
    )


def _partial_member(
    draft: Draft, full: QueueManager, cluster: str, qmid: str
) -> QueueManager | None:
    """Return the queue manager with a QMID if it is a partial repository known to `full`."""
    member = live_qmgr(draft, qmid)
    if member is None or member is full or (cluster, qmid) not in full.repository.routes:
        return None
    return None if membership.is_full(member, cluster) else member


def live_qmgr(draft: Draft, qmid: str) -> QueueManager | None:
    """Return the queue manager with a QMID; None if it was deleted."""
    member = draft.estate.qmgrs.get(draft.estate.names[qmid])
    return member if member is not None and member.qmid == qmid else None


def route_to(draft: Draft, sender: QueueManager, target: QueueManager, cluster: str) -> str | None:
    """Return the channel from one queue manager to another, a usable one if possible."""
    channels = sender.repository.routes.get((cluster, target.qmid), {})
    if len(channels) == 1:
        return next(iter(channels))
    return min(
        channels,
        key=lambda channel: (not channel_status.is_usable(draft, sender, channel, target), channel),
        default=None,
    )


def is_known(member: QueueManager, name: RecordName, belief: Belief) -> bool:
    """Return whether a member holds the same version of a record as another queue manager.

    On main, one that was seen with a version of its own keeps it: its request had been answered.
    """
    owners = member.repository.beliefs.get(name)
    own = owners.get(belief.owner) if owners is not None else None
    if own is None or own.receipt.sequence == belief.receipt.sequence:
        return own is not None
    return own.receipt.sequence < 0 and member.is_only_observed


def _has_all(member: QueueManager, cluster: str, wanted: WantedRecords) -> bool:
    """Return whether a member already holds all wanted records from the same publications."""
    by_publication = member.repository.by_publication
    for publication, keys in wanted.items():
        names = by_publication.get(publication)
        if names is None:
            return False
        for key in keys:
            if (cluster, *key) not in names:
                return False
    return True


_Record: TypeAlias = tuple[tuple[str, int], tuple[str, str]]
"""A record: its owner's QMID and publication, and its (kind, name)."""


def routes_of(full: QueueManager, cluster: str, at: Instant, owner: str) -> list[_Record]:
    """Return the unexpired records that a full repository holds of the channels to an owner."""
    return [
        ((belief.owner, belief.sequence), (kind, name))
        for (_, kind, name), belief in outgoing_items.routes_to(full, cluster, [owner], at=at)
    ]


def packed(
    wanted: WantedRecords, routes_of_owner: Callable[[str], Iterable[_Record]]
) -> list[Item]:
    """Return wanted records as items, with the channel records of the owners of wanted queues."""
    by_publication = dict(wanted)
    owners = {
        owner: None for (owner, _), keys in wanted.items() for kind, _ in keys if kind != "qmgr"
    }
    for owner in owners:
        for publication, key in routes_of_owner(owner):
            keys = by_publication.get(publication, [])
            if key not in keys:
                by_publication[publication] = [*keys, key]
    return [
        Item(owner=owner, sequence=sequence, only=tuple(keys))
        for (owner, sequence), keys in by_publication.items()
    ]


AT_MOST: Final = 2
"""The maximum number of full repositories that a queue manager sends records and requests to."""


def full_repositories(
    draft: Draft, qmgr: QueueManager, cluster: str
) -> list[tuple[QueueManager, str]]:
    """Return the two full repositories that a queue manager uses, each with the channel to it.

    Reachable ones are preferred, then those that a manual CLUSSDR leads to, then the first by name.
    """
    repository = qmgr.repository
    candidates: dict[str, tuple[bool, bool, str, QueueManager, str]] = {}
    manual: set[str] = set()
    for definition, _ in membership.channels_of(qmgr, "CLUSSDR", cluster):
        manual.add(definition.name)
        other = partners.partner_of(draft.estate, qmgr, definition)
        if other is not None and membership.is_full(other, cluster):
            rank = (
                not channel_status.is_usable(draft, qmgr, definition.name, other),
                False,
                other.name,
            )
            candidates.setdefault(other.name, (*rank, other, definition.name))
    for in_cluster, owner in repository.known_full_repositories:
        if in_cluster != cluster or owner == qmgr.qmid:
            continue
        member = live_qmgr(draft, owner)
        if member is None:
            continue
        name = member.name
        manual_one = candidates.get(name)
        for channel in repository.routes.get((cluster, owner), ()):
            if manual_one is not None and manual_one[4] == channel:
                continue  # the manual CLUSSDR of this name was ranked above
            belief = repository.beliefs[cluster, "qmgr", channel][owner]
            if belief.values.get("QMTYPE") == "REPOS":
                unusable = not channel_status.is_usable(draft, qmgr, channel, member)
                candidate = (unusable, channel not in manual, name, member, channel)
                candidates[name] = min(candidates.get(name, candidate), candidate, key=_rank)
    ranked = sorted(candidates.values(), key=_rank)
    return [(other, channel) for *_, other, channel in ranked[:AT_MOST]]


def _rank(candidate: tuple[bool, bool, str, QueueManager, str]) -> tuple[bool, bool, str, str]:
    return (*candidate[:3], candidate[4])
