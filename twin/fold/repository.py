"""What one queue manager holds of its clusters: beliefs, requests, and what it told to whom."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from twin.events import Item, RecordPublished
from twin.events.base import Values
from twin.model.instants import Instant

Name: TypeAlias = tuple[str, str, str]
"""(cluster, kind, name): what is asked for."""


class Publication(NamedTuple):
    """What an owner published at one instant, by (kind, name)."""

    cluster: str
    sequence: int
    instant: Instant
    records: dict[tuple[str, str], RecordPublished]
    position: int


class Belief(NamedTuple):
    """One record as one queue manager holds it.

    `published` is the instant the owner sent it, and starts its 30 days; `received` is when it
    came here, from `source` (a queue manager's name).
    """

    owner: str
    owner_name: str
    sequence: int
    published: Instant
    values: Values
    source: str
    received: Instant
    position: int


class Subscription(NamedTuple):
    """A request of a partial repository for everything of a name."""

    made: Instant
    position: int
    referenced: Instant | None = None


class Waiting(NamedTuple):
    """Repository commands on the transmission queue of a channel that cannot run."""

    cluster: str
    to: str
    since: Instant
    position: int
    items: tuple[Item, ...]
    asks: tuple[tuple[str, str], ...]


@dataclass(slots=True)
class Repository:
    """One queue manager's repository, full or partial.

    Attributes:
        beliefs: (cluster, kind, name) -> owner's QMID -> belief; its own records among them.
        gone: (cluster, kind, name, owner) -> the publication that deleted the record.
        told: (cluster, full repository's QMID) -> the last own publication sent there.
        subscriptions: its own requests.
        subscribers: on a full repository, who asked for a name, by QMID.
        waiting: channel -> repository commands that wait for it.
        sequence: of its last publication.
        mine: the names of its own records.
        once_full: (cluster, owner's QMID) of all that ever were full repositories, as far as known.
        routes: (cluster, owner's QMID) -> the channels that lead there; an index of beliefs.
        topics: the names of clustered topics; an index of beliefs.
        ever: (cluster, owner's QMID) -> the (kind, name) that were ever held; an index of beliefs
            and of what is gone.
    """

    beliefs: dict[Name, dict[str, Belief]] = field(default_factory=dict)
    gone: dict[tuple[str, str, str, str], int] = field(default_factory=dict)
    told: dict[tuple[str, str], int] = field(default_factory=dict)
    subscriptions: dict[Name, Subscription] = field(default_factory=dict)
    subscribers: dict[Name, dict[str, None]] = field(default_factory=dict)
    waiting: dict[str, list[Waiting]] = field(default_factory=dict)
    sequence: int = 0
    mine: dict[Name, None] = field(default_factory=dict)
    once_full: dict[tuple[str, str], None] = field(default_factory=dict)
    routes: dict[tuple[str, str], dict[str, None]] = field(default_factory=dict)
    topics: dict[Name, None] = field(default_factory=dict)
    ever: dict[tuple[str, str], dict[tuple[str, str], None]] = field(default_factory=dict)

    def of_kind(self, kind: str, *, cluster: str | None = None) -> Iterator[tuple[Name, Belief]]:
        """Go through the beliefs of a kind, of one cluster or of all."""
        for name, owners in self.beliefs.items():
            if name[1] == kind and cluster in (None, name[0]):
                for belief in owners.values():
                    yield name, belief

    def instances(self, cluster: str, kind: str, name: str) -> dict[str, Belief]:
        """Return the believed instances of a name, by owner's QMID."""
        return self.beliefs.get((cluster, kind, name), {})

    def hold(self, name: Name, belief: Belief) -> None:
        """Take a record in, in place of what was held of the same name and owner."""
        owners = self.beliefs.get(name)
        if owners is None:
            self.beliefs[name] = {belief.owner: belief}
        else:
            owners[belief.owner] = belief
        cluster, kind, called = name
        self.ever.setdefault((cluster, belief.owner), {})[kind, called] = None
        if kind == "qmgr":
            self.routes.setdefault((cluster, belief.owner), {})[called] = None
            if belief.values.get("QMTYPE") == "REPOS":
                self.once_full[cluster, belief.owner] = None
        elif kind == "topic":
            self.topics[name] = None

    def forget(self, name: Name, owner: str) -> None:
        """Let a record go, if it is held."""
        self.ever.setdefault((name[0], owner), {})[name[1:]] = None
        owners = self.beliefs.get(name)
        if owners is None or owners.pop(owner, None) is None:
            return
        if not owners:
            del self.beliefs[name]
            self.topics.pop(name, None)
        if name[1] == "qmgr":
            channels = self.routes[name[0], owner]
            channels.pop(name[2], None)
            if not channels:
                del self.routes[name[0], owner]
                self._release(name[0], owner)

    def _release(self, cluster: str, owner: str) -> None:
        """Drop the requests of a member that has left a cluster."""
        for name, askers in self.subscribers.items():
            if name[0] == cluster:
                askers.pop(owner, None)
