"""Who is to hear of what: the members of a cluster that a full repository passes news on to.

Sources: IBM MQ, "Selecting queue managers to hold full repositories"; "Cluster concepts". A partial
repository hears of the queues it asked for, of the queue managers that have them, and of the full
repositories. Clustered topics are told to every member [memory, unverified].
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from twin.events import Item
from twin.fold.estate import QueueManager
from twin.fold.repository import Belief, Name
from twin.model.instants import Instant
from twin.rules import channels, membership, parcels
from twin.rules.draft import Draft
from twin.rules.lifetimes import LAPSE_AFTER, has_lapsed

Wanted = list[tuple[str, int, tuple[str, str]]]
"""Records by (owner's QMID, publication, (kind, name))."""


def wanted_by_members(
    draft: Draft, full: QueueManager, cluster: str, items: Iterable[Item]
) -> list[tuple[QueueManager, Wanted]]:
    """Work out which partial repositories are to hear which of some records."""
    wanted: dict[str, Wanted] = {}
    members: dict[str, QueueManager | None] = {}
    everyone: Iterable[str] | None = None
    for item in items:
        owner = draft.estate.owner(item.owner)
        for key in item.only or owner.published[item.sequence].records:
            asked: Iterable[str] | None
            if key[0] == "queue":
                asked = subscribers(draft, full, (cluster, *key))
            else:
                asked = _askers(draft, full, cluster, key, owner)
            if asked is None:
                everyone = _everyone(full, cluster) if everyone is None else everyone
                asked = everyone
            for qmid in asked:
                if qmid == item.owner:
                    continue
                if qmid not in wanted:
                    members[qmid] = partial_member(draft, full, cluster, qmid)
                    wanted[qmid] = []
                wanted[qmid].append((item.owner, item.sequence, key))
    return [(member, wanted[qmid]) for qmid, member in members.items() if member is not None]


def subscribers(draft: Draft, full: QueueManager, name: Name) -> Sequence[str]:
    """Name who asked a full repository for a name in the last 30 days, by QMID."""
    noted, lapsed = full.repository.subscribers.get(name), draft.at - LAPSE_AFTER
    return [qmid for qmid, made in noted.items() if made > lapsed] if noted else ()


def is_subscriber(draft: Draft, full: QueueManager, name: Name, qmid: str) -> bool:
    """Say whether a full repository still knows a request of a queue manager."""
    made = full.repository.subscribers.get(name, {}).get(qmid)
    return made is not None and not has_lapsed(made, at=draft.at)


def _askers(
    draft: Draft, full: QueueManager, cluster: str, key: tuple[str, str], owner: QueueManager
) -> Iterable[str] | None:
    """Name who is to hear of a record, by QMID; None is every member.

    The record of a queue manager goes to those who asked for it or for a queue it has or had, and
    to all if it is or was a full repository, or has topics.
    """
    repository = full.repository
    if key[0] == "topic" or (cluster, owner.qmid) in repository.once_full:
        return None
    askers = dict.fromkeys(subscribers(draft, full, (cluster, "qmgr", owner.name)))
    noted, lapsed = repository.subscribers, draft.at - LAPSE_AFTER
    for name in repository.ever.get((cluster, owner.qmid), ()):
        if name[0] == "topic":
            return None
        for qmid, made in noted.get((cluster, *name), _NOBODY).items():
            if made > lapsed:
                askers[qmid] = None
    return askers


_NOBODY: Final[Mapping[str, Instant]] = {}


def _everyone(full: QueueManager, cluster: str) -> dict[str, None]:
    return dict.fromkeys(
        sorted(owner for there, owner in full.repository.routes if there == cluster)
    )


def partial_member(
    draft: Draft, full: QueueManager, cluster: str, qmid: str
) -> QueueManager | None:
    """Return a live member that a full repository knows and that is none itself, by QMID."""
    member = live(draft, qmid)
    if member is None or member is full or (cluster, qmid) not in full.repository.routes:
        return None
    return None if membership.is_full(member, cluster) else member


def live(draft: Draft, qmid: str) -> QueueManager | None:
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
        key=lambda channel: (not channels.usable(draft, sender, channel, target), channel),
        default=None,
    )


def is_known(member: QueueManager, name: Name, belief: Belief) -> bool:
    """Say whether a member holds a record as it is in a belief of another queue manager."""
    owners = member.repository.beliefs.get(name)
    held = owners.get(belief.owner) if owners is not None else None
    return held is not None and held.came.sequence == belief.came.sequence


def has_all(member: QueueManager, cluster: str, wanted: Wanted) -> bool:
    """Say whether a member holds all of some records already, by the very same publications."""
    groups = member.repository.groups
    for owner, sequence, key in wanted:
        if (cluster, *key) not in groups.get((owner, sequence), ()):
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
        grouped: dict[tuple[str, int], list[tuple[str, str]]] = defaultdict(list)
        owners: dict[str, None] = {}
        for owner, sequence, key in wanted:
            grouped[owner, sequence].append(key)
            if key[0] != "qmgr":
                owners[owner] = None
        for owner in owners:
            for publication, key in self._to(owner):
                keys = grouped[publication]
                if key not in keys:
                    keys.append(key)
        return [
            Item(owner=owner, sequence=sequence, only=tuple(keys))
            for (owner, sequence), keys in grouped.items()
        ]

    def _to(self, owner: str) -> list[tuple[tuple[str, int], tuple[str, str]]]:
        found = self._found.get(owner)
        if found is None:
            found = self._found[owner] = [
                ((belief.owner, belief.sequence), (kind, name))
                for (_, kind, name), belief in parcels.routes_to(
                    self._full, self._cluster, [owner], at=self._at
                )
            ]
        return found
