"""What one queue manager holds of its clusters: beliefs, requests, and what it told to whom."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from twin.fold.beliefs import Belief, Came, Name, Subscription, UnderWay, Waiting
from twin.model.instants import Instant

if TYPE_CHECKING:
    from twin.fold.store.lazy_records import Unread

MANY: Final = "queue"
"""The kind of record of which there may be very many."""


@dataclass(slots=True)
class Repository:
    """One queue manager's repository, full or partial.

    Of a stored one, `beliefs`, `ever` and `groups` are put together when one of them is touched.

    Attributes:
        beliefs: (cluster, kind, name) -> owner's QMID -> belief; its own records among them.
        gone: (cluster, kind, name, owner) -> the publication that deleted the record, and when that
            was learnt.
        told: (cluster, full repository's QMID) -> the last own publication sent there.
        subscriptions: its own requests.
        lapsed: its own requests that came to their end, the latest last.
        subscribers: on a full repository, who asked for a name, by QMID, and when that was made.
        waiting: channel -> repository commands that wait for it.
        under_way: channel -> repository commands that have left and not arrived.
        expired: (owner's QMID, sequence) of the publications that were not renewed in time.
        removed: (cluster, QMID) -> when a member was removed by force, its last publication of
            then, and whether its queues were.
        sequence: of its last publication.
        behind: cluster -> how far its publications rank behind their number, once it was restored.
        mine: the names of its own records.
        once_full: (cluster, owner's QMID) of all that ever were full repositories, as far as known.
        routes: (cluster, owner's QMID) -> the channels that lead there; an index of beliefs.
        clusters: cluster -> how many owners there are routes to in it; an index of these.
        topics: the names of clustered topics; an index of beliefs.
        ever: (cluster, owner's QMID) -> the (kind, name) that were ever held; an index of beliefs
            and of what is gone.
        groups: (owner's QMID, sequence) -> the names held of that publication; an index of beliefs.
        unread: what is held, as long as it was not put together.
        restated: whether anything else has come or gone than what was only sent again, since this
            was last set to False.
    """

    beliefs: dict[Name, dict[str, Belief]] = field(init=False)
    gone: dict[tuple[str, str, str, str], tuple[int, Instant]] = field(default_factory=dict)
    told: dict[tuple[str, str], int] = field(default_factory=dict)
    subscriptions: dict[Name, Subscription] = field(default_factory=dict)
    lapsed: list[tuple[Name, Subscription]] = field(default_factory=list)
    subscribers: dict[Name, dict[str, Instant]] = field(default_factory=dict)
    waiting: dict[str, list[Waiting]] = field(default_factory=dict)
    under_way: dict[str, list[UnderWay]] = field(default_factory=dict)
    expired: dict[tuple[str, int], None] = field(default_factory=dict)
    removed: dict[tuple[str, str], tuple[Instant, int, bool]] = field(default_factory=dict)
    sequence: int = 0
    behind: dict[str, int] = field(default_factory=dict)
    mine: dict[Name, None] = field(default_factory=dict)
    once_full: dict[tuple[str, str], None] = field(default_factory=dict)
    routes: dict[tuple[str, str], dict[str, None]] = field(default_factory=dict)
    clusters: dict[str, int] = field(default_factory=dict)
    topics: dict[Name, None] = field(default_factory=dict)
    ever: dict[tuple[str, str], dict[tuple[str, str], None]] = field(init=False)
    groups: dict[tuple[str, int], dict[Name, None]] = field(init=False)
    unread: Unread | None = None
    restated: bool = True

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Put together what is held at the first touch of it."""
            if name not in ("beliefs", "ever", "groups"):
                raise AttributeError(name)
            self.beliefs, self.ever, self.groups = {}, {}, {}
            if self.unread is not None:
                self.unread.read_into(self)
                self.unread = None
            return getattr(self, name)

    def of_kind(self, kind: str, *, cluster: str | None = None) -> Iterator[tuple[Name, Belief]]:
        """Go through the beliefs of a kind, of one cluster or of all."""
        unread = self.unread if kind != MANY else None
        for name, owners in unread.few() if unread else self.beliefs.items():
            if name[1] == kind and cluster in (None, name[0]):
                for belief in owners.values():
                    yield name, belief

    def instances(self, cluster: str, kind: str, name: str) -> dict[str, Belief]:
        """Return the believed instances of a name, by owner's QMID."""
        if self.unread is not None and kind != MANY:
            return self.unread.instances((cluster, kind, name))
        return self.beliefs.get((cluster, kind, name), {})

    def queues_called(self, called: str) -> Iterator[tuple[Name, Belief]]:
        """Go through the beliefs in queues of one name, in any cluster and any order."""
        if self.unread is not None:
            yield from self.unread.queues_called(called)
            return
        for name, owners in self.beliefs.items():
            if name[2] == called and name[1] == MANY:
                for belief in owners.values():
                    yield name, belief

    def holds(self, owner: str, sequence: int) -> bool:
        """Say whether anything of a publication is held."""
        if self.unread is not None:
            return (owner, sequence) in self.unread.publications()
        return (owner, sequence) in self.groups

    def publications(self) -> Iterator[tuple[tuple[str, int], Instant]]:
        """Go through what is held by (owner's QMID, sequence), with the instant of publication."""
        if self.unread is not None:
            yield from self.unread.publications().items()
            return
        beliefs = self.beliefs
        for key, names in self.groups.items():
            yield key, beliefs[next(iter(names))][key[0]].came.published

    def hold(self, name: Name, belief: Belief) -> None:
        """Take a record in, in place of what was held of the same name and owner."""
        owner, cluster = belief.owner, name[0]
        owners = self.beliefs.get(name)
        belief.came.held += 1
        if owners is None:
            self.beliefs[name] = {owner: belief}
        else:
            before = owners.get(owner)
            owners[owner] = belief
            if before is not None:
                before.came.held -= 1
                if before.sequence != belief.sequence:
                    self._ungroup(owner, before.sequence, name)
                    self._group(owner, belief.sequence, name)
                if before.values is belief.values:
                    return  # sent again as it was: nothing else changes
                self.restated = True
                self.index(name, belief, cluster)
                return
        self.restated = True
        self._group(owner, belief.sequence, name)
        self.index(name, belief, cluster)

    def index(self, name: Name, belief: Belief, cluster: str) -> None:
        """Enter a record that is held into the indexes of what is."""
        self.ever.setdefault((cluster, belief.owner), {})[name[1:]] = None
        self.lead(name, belief, cluster)

    def lead(self, name: Name, belief: Belief, cluster: str) -> None:
        """Enter a record that is held into the indexes of what is no queue."""
        _, kind, called = name
        if kind == "qmgr":
            channels = self.routes.get((cluster, belief.owner))
            if channels is None:
                channels = self.routes[cluster, belief.owner] = {}
                self.clusters[cluster] = self.clusters.get(cluster, 0) + 1
            channels[called] = None
            if belief.values.get("QMTYPE") == "REPOS":
                self.once_full[cluster, belief.owner] = None
        elif kind == "topic":
            self.topics[name] = None

    def renew_whole(
        self, cluster: str, owner: str, was: int, keys: Collection[tuple[str, str]], came: Came
    ) -> bool:
        """Renew all that is held of a publication, if it is just what has come again as it was."""
        if self.renew_unread(cluster, owner, was, keys, came):
            return True
        group = self.groups.get((owner, was))
        if group is None or len(group) != len(keys) or (owner, came.sequence) in self.groups:
            return False
        if not all((cluster, *key) in group for key in keys):
            return False
        self.renew(owner, was, came)
        return True

    def renew_unread(
        self, cluster: str, owner: str, was: int, keys: Collection[tuple[str, str]], came: Came
    ) -> bool:
        """Do so where it lies unread, and all that is held of its owner has come again."""
        if self.unread is None or not self.unread.renew(cluster, owner, was, keys, came):
            return False
        self.expired.pop((owner, was), None)
        return True

    def renew(self, owner: str, before: int, again: Came) -> None:
        """Note that all that is held of one publication was sent again, as it was, by a later one.

        What of it came at once is one in how it came, and stays so.
        """
        key = (owner, before)
        self.expired.pop(key, None)
        group = self.groups[owner, again.sequence] = self.groups.pop(key)
        came = self.beliefs[next(iter(group))][owner].came
        if came.held == len(group):
            came.sequence, came.published = again.sequence, again.published
            came.source, came.received, came.position = again.source, again.received, again.position
            return
        again.held = len(group)
        for name in group:
            owners = self.beliefs[name]
            owners[owner] = owners[owner]._replace(came=again)

    def _group(self, owner: str, sequence: int, name: Name) -> None:
        group = self.groups.get((owner, sequence))
        if group is None:
            self.groups[owner, sequence] = {name: None}
        else:
            group[name] = None

    def _ungroup(self, owner: str, sequence: int, name: Name) -> None:
        key = (owner, sequence)
        group = self.groups[key]
        del group[name]
        if not group:
            del self.groups[key]
            self.expired.pop(key, None)

    def forget(self, name: Name, owner: str) -> None:
        """Let a record go, if it is held."""
        self.ever.setdefault((name[0], owner), {})[name[1:]] = None
        owners = self.beliefs.get(name)
        if owners is None or (before := owners.pop(owner, None)) is None:
            return
        self.restated = True
        before.came.held -= 1
        self._ungroup(owner, before.sequence, name)
        if not owners:
            del self.beliefs[name]
            self.topics.pop(name, None)
        if name[1] == "qmgr":
            channels = self.routes[name[0], owner]
            channels.pop(name[2], None)
            if not channels:
                del self.routes[name[0], owner]
                self.clusters[name[0]] -= 1
                if not self.clusters[name[0]]:
                    del self.clusters[name[0]]
                self._release(name[0], owner)

    def _release(self, cluster: str, owner: str) -> None:
        """Drop the requests of a member that has left a cluster."""
        for name, askers in self.subscribers.items():
            if name[0] == cluster:
                askers.pop(owner, None)
