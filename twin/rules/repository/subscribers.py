"""Who is to hear of what: the members of a cluster that a full repository passes news on to.

Sources: IBM MQ, "Selecting queue managers to hold full repositories"; "Cluster concepts". A partial
repository hears of the queues it asked for, of the queue managers that have them, and of the full
repositories. Clustered topics are told to every member [memory, unverified].
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, TypeAlias

from twin.events import Item
from twin.fold.beliefs import Belief, Name
from twin.fold.estate import QueueManager
from twin.model.instants import Instant
from twin.rules import membership
from twin.rules.channels import channel_status
from twin.rules.draft import Draft
from twin.rules.repository import outgoing_items
from twin.rules.repository.lifetimes import LAPSE_AFTER, has_lapsed

Wanted: TypeAlias = dict[tuple[str, int], list[tuple[str, str]]]
"""The (kind, name) of records, by their owner's QMID and publication."""

_Asked: TypeAlias = dict[tuple[str, str], Sequence[str]]
"""Who asked for a (kind, name) in the last 30 days, by QMID, as far as it was looked up."""


def wanted_by_members(
    draft: Draft, full: QueueManager, cluster: str, items: Iterable[Item]
) -> list[tuple[QueueManager, Wanted]]:
    """Work out which partial repositories are to hear which of some records.

    Those are left out that hold all of it already, as whom another full repository has told.
    """
    wanted: dict[str, Wanted] = {}
    asked: _Asked = {}
    everyone: Iterable[str] | None = None
    for item in items:
        owner = draft.estate.owner(item.owner)
        publication = (item.owner, item.sequence)
        for key in item.only or owner.published[item.sequence].records:
            hears: Iterable[str] | None
            if key[0] != "queue":
                hears = _askers(draft, full, cluster, key, owner, asked)
            elif (hears := asked.get(key)) is None:
                hears = _subscribers(draft, full, (cluster, *key))
            if hears is None:
                everyone = _everyone(full, cluster) if everyone is None else everyone
                hears = everyone
            for qmid in hears:
                if qmid != item.owner:
                    found = wanted.get(qmid)
                    if found is None:
                        found = wanted[qmid] = {}
                    found.setdefault(publication, []).append(key)
    members = ((_partial_member(draft, full, cluster, qmid), each) for qmid, each in wanted.items())
    return [
        (member, each)
        for member, each in members
        if member is not None and not _has_all(member, cluster, each)
    ]


def _subscribers(draft: Draft, full: QueueManager, name: Name) -> Sequence[str]:
    """Name who asked a full repository for a name in the last 30 days, by QMID."""
    noted, lapsed = full.repository.subscribers.get(name), draft.at - LAPSE_AFTER
    return [qmid for qmid, made in noted.items() if made > lapsed] if noted else ()


def is_subscriber(draft: Draft, full: QueueManager, name: Name, qmid: str) -> bool:
    """Say whether a full repository still knows a request of a queue manager."""
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
    """Name who is to hear of a record, by QMID; None is every member.

    The record of a queue manager goes to those who asked for it or for a queue it has or had, and
    to all if it is or was a full repository, or has topics. Who asked for each queue is kept in
    `asked`, as the queues mostly come with it.
    """
    repository = full.repository
    if key[0] == "topic" or (cluster, owner.qmid) in repository.known_full_repositories:
        return None
    askers = dict.fromkeys(_subscribers(draft, full, (cluster, "qmgr", owner.name)))
    noted, lapsed = repository.subscribers, draft.at - LAPSE_AFTER
    for kind, name in repository.ever_held.get((cluster, owner.qmid), ()):
        if kind == "topic":
            return None
        there = noted.get((cluster, kind, name))
        if there is None:
            asked[kind, name] = _NOBODY
            continue
        found = asked[kind, name] = [qmid for qmid, made in there.items() if made > lapsed]
        for qmid in found:
            askers[qmid] = None
    return askers


_NOBODY: Final[Sequence[str]] = ()


def _everyone(full: QueueManager, cluster: str) -> dict[str, None]:
    return dict.fromkeys(
        sorted(owner for there, owner in full.repository.routes if there == cluster)
    )


def _partial_member(
    draft: Draft, full: QueueManager, cluster: str, qmid: str
) -> QueueManager | None:
    """Return a live member that a full repository knows and that is none itself, by QMID."""
    member = live_qmgr(draft, qmid)
    if member is None or member is full or (cluster, qmid) not in full.repository.routes:
        return None
    return None if membership.is_full(member, cluster) else member


def live_qmgr(draft: Draft, qmid: str) -> QueueManager | None:
    """Return the queue manager with this QMID, unless it was deleted."""
    member = draft.estate.qmgrs.get(draft.estate.names[qmid])
    return member if member is not None and member.qmid == qmid else None


def route_to(draft: Draft, sender: QueueManager, target: QueueManager, cluster: str) -> str | None:
    """Return the channel that leads from one queue manager to another, the most able one."""
    known = sender.repository.routes.get((cluster, target.qmid), {})
    if len(known) == 1:
        return next(iter(known))
    return min(
        known,
        key=lambda channel: (not channel_status.is_usable(draft, sender, channel, target), channel),
        default=None,
    )


def is_known(member: QueueManager, name: Name, belief: Belief) -> bool:
    """Say whether a member holds a record as it is in a belief of another queue manager."""
    owners = member.repository.beliefs.get(name)
    held = owners.get(belief.owner) if owners is not None else None
    return held is not None and held.receipt.sequence == belief.receipt.sequence


def _has_all(member: QueueManager, cluster: str, wanted: Wanted) -> bool:
    """Say whether a member holds all of some records already, by the very same publications."""
    groups = member.repository.by_publication
    for publication, keys in wanted.items():
        held = groups.get(publication)
        if held is None:
            return False
        for key in keys:
            if (cluster, *key) not in held:
                return False
    return True


class Routes:
    """What a full repository knows of the channels that lead to owners, looked up once for each."""

    def __init__(self, full: QueueManager, cluster: str, *, at: Instant) -> None:
        """Look into the repository of a full repository, at an instant."""
        self._at = at
        self._full = full
        self._cluster = cluster
        self._found: dict[str, list[tuple[tuple[str, int], tuple[str, str]]]] = {}

    def packed(self, wanted: Wanted) -> list[Item]:
        """Name wanted records by publication, with those of the queue managers that own them."""
        grouped = dict(wanted)
        owners: dict[str, None] = {}
        for (owner, _), keys in wanted.items():
            for kind, _ in keys:
                if kind != "qmgr":
                    owners[owner] = None
                    break
        for owner in owners:
            for publication, key in self._to(owner):
                keys = grouped.get(publication, [])
                if key not in keys:
                    grouped[publication] = [*keys, key]
        return [
            Item(owner=owner, sequence=sequence, only=tuple(keys))
            for (owner, sequence), keys in grouped.items()
        ]

    def _to(self, owner: str) -> list[tuple[tuple[str, int], tuple[str, str]]]:
        found = self._found.get(owner)
        if found is None:
            found = self._found[owner] = [
                ((belief.owner, belief.sequence), (kind, name))
                for (_, kind, name), belief in outgoing_items.routes_to(
                    self._full, self._cluster, [owner], at=self._at
                )
            ]
        return found
