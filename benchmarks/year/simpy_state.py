"""The initial state of the SimPy model: the cluster when the year begins, in plain dicts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from benchmarks.year.workload import CLUSTER
from twin.fold.estate import Estate, QueueManager
from twin.model.instants import Instant

Key: TypeAlias = tuple[str, str]
"""(kind, name) of a record."""


class Publication(NamedTuple):
    """The records that an owner sent at one instant."""

    sequence: int
    instant: Instant
    keys: tuple[Key, ...]


@dataclass(slots=True)
class Request:
    """A request of a partial repository, and whether it was used since it was made."""

    made: Instant
    used: bool = False


@dataclass(slots=True, eq=False)
class Member:
    """One queue manager.

    Attributes:
        channel: the channel that leads to it.
        full: whether it is a full repository.
        told_first: the full repositories that it publishes and sends requests to, in order.
        publications: its publications, by sequence number.
        held: owner's QMID -> record -> the publication of the held record; including its own
            records.
        groups: (owner's QMID, sequence) -> the records held of that publication.
        hosts: queue -> the QMIDs of the queue managers that have it, as far as this one knows.
        requests: its requests.
        askers: on a full repository, who asked for a record, by QMID, and when.
        members: on a full repository, the QMIDs of all members that it knows.
        told: QMID of a full repository -> the last own publication sent there.
        running: the names of the queue managers to which its channels are running.
    """

    name: str
    qmid: str
    channel: str
    full: bool
    told_first: list[Member] = field(default_factory=list)
    publications: dict[int, Publication] = field(default_factory=dict)
    held: dict[str, dict[Key, int]] = field(default_factory=dict)
    groups: dict[tuple[str, int], dict[Key, None]] = field(default_factory=dict)
    hosts: dict[Key, dict[str, None]] = field(default_factory=dict)
    requests: dict[Key, Request] = field(default_factory=dict)
    askers: dict[Key, dict[str, Instant]] = field(default_factory=dict)
    members: list[str] = field(default_factory=list)
    told: dict[str, int] = field(default_factory=dict)
    running: set[str] = field(default_factory=set)

    @property
    def sequence(self) -> int:
        """The number of its last publication."""
        return max(self.publications)

    def hold(self, owner: str, sequence: int, key: Key) -> None:
        """Store a record."""
        records = self.held.setdefault(owner, {})
        before = records.get(key)
        records[key] = sequence
        self.hosts.setdefault(key, {})[owner] = None
        if before is not None:
            group = self.groups[owner, before]
            del group[key]
            if not group:
                del self.groups[owner, before]
        self.groups.setdefault((owner, sequence), {})[key] = None

    def drop(self, owner: str, sequence: int) -> None:
        """Delete the records of a publication."""
        for key in self.groups.pop((owner, sequence)):
            del self.held[owner][key]
            del self.hosts[key][owner]


def members_of(estate: Estate) -> dict[str, Member]:
    """Copy a cluster from an estate; by QMID."""
    members = {
        qmgr.qmid: Member(
            qmgr.name,
            qmgr.qmid,
            f"{CLUSTER}.{qmgr.name}",
            full=qmgr.values.get("REPOS") == CLUSTER,
        )
        for qmgr in estate.qmgrs.values()
    }
    for qmgr in estate.qmgrs.values():
        _take_over(members, qmgr)
    return members


def _take_over(members: dict[str, Member], qmgr: QueueManager) -> None:
    member, repository = members[qmgr.qmid], qmgr.repository
    assert not any((repository.subscriptions, repository.deletions, repository.waiting))
    for number, sent in qmgr.published.items():
        member.publications[number] = Publication(number, sent.instant, tuple(sent.records))
    for (cluster, owner), keys in repository.ever_held.items():
        for key in keys:
            member.hold(owner, repository.beliefs[cluster, *key][owner].sequence, key)
    for (_, *name), owners in repository.beliefs.items():
        member.hosts[name[0], name[1]] = dict.fromkeys(owners)
    member.members = [owner for _, owner in repository.routes]
    member.told = {there: sequence for (_, there), sequence in repository.last_sent.items()}
    member.running = {state.partner for state in qmgr.activity.channels.values()}
    manual = {
        definition.name
        for definition in qmgr.definitions.values()
        if definition.type == "CLUSSDR" and definition.values.get("CLUSTER") == CLUSTER
    }
    full = [other for other in members.values() if other.full and other is not member]
    if member.full:
        full = [other for other in full if other.channel in manual]
    member.told_first = sorted(full, key=lambda one: (one.channel not in manual, one.name))
