"""The repository of one queue manager: records of its clusters, requests, sent publications."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from twin.fold.beliefs import (
    MANY,
    Belief,
    CommandsInTransit,
    HeldRecords,
    LastSeen,
    PublicationKey,
    QueuedCommands,
    Receipt,
    RecordName,
    Records,
    StoredRecords,
    Subscription,
    Trouble,
    Warned,
)
from twin.model.instants import Instant


@dataclass(slots=True)
class Repository:
    """One queue manager's repository, full or partial.

    Its stored records are read when `beliefs`, `ever_held` or `by_publication` is first used. Until
    then queries are answered from their page.

    Attributes:
        beliefs: (cluster, kind, name) -> owner's QMID -> record, including its own records.
        deletions: (cluster, kind, name, owner) -> the publication that deleted the record, and the
            instant at which that was received.
        last_sent: (cluster, full repository's QMID) -> the last of its own publications sent there.
        subscriptions: its own requests.
        lapsed: its own requests that lapsed, the latest last.
        subscribers: on a full repository: name -> QMID of the requester -> when the request was
            made.
        waiting: channel -> repository commands on its transmission queue.
        under_way: channel -> repository commands in transit on a link with a delay.
        kept: (channel, commands) that the repository manager could not put on a transmission queue.
        trouble: its operation that failed and was not yet run again with success.
        exhausted: whether it ran out of storage since the queue manager started.
        expired: (owner's QMID, sequence) of the publications that were not renewed in time.
        force_removed: (cluster, QMID) -> when the member was removed by force, its last publication
            at that time, and whether its queues were removed too.
        sequence: the number of its last publication.
        rank_offset: cluster -> its sequence number minus the rank of its publications there; set
            when it is restored.
        refreshed: cluster -> when REFRESH CLUSTER was last run here.
        shown: (name, owner's QMID) -> when it was last seen that this record is held here. It stays
            when the rules remove the record: then nobody saw that it is missing.
        warned: (name, owner's QMID) -> the last warning that the owner did not renew this record.
        own_records: the names of its own records.
        known_full_repositories: (cluster, owner's QMID) of all current or former full repositories.
        routes: (cluster, owner's QMID) -> its cluster-receiver channels; an index of `beliefs`.
        clusters: cluster -> how many owners have routes in it; an index of `routes`.
        topics: the names of clustered topics; an index of `beliefs`.
        ever_held: (cluster, owner's QMID) -> the (kind, name) of records that are or were held.
        by_publication: (owner's QMID, sequence) -> the names held of that publication; an index of
            `beliefs`.
        held: `beliefs` with these two indexes, for queries.
        unread: the stored records, until they are read into `held`.
        records_changed: whether a record was added, changed or removed since this was last set to
            False; a renewal with the same values does not count.
    """

    beliefs: dict[RecordName, dict[str, Belief]] = field(init=False)
    deletions: dict[tuple[str, str, str, str], tuple[int, Instant]] = field(default_factory=dict)
    last_sent: dict[tuple[str, str], int] = field(default_factory=dict)
    subscriptions: dict[RecordName, Subscription] = field(default_factory=dict)
    lapsed: list[tuple[RecordName, Subscription]] = field(default_factory=list)
    subscribers: dict[RecordName, dict[str, Instant]] = field(default_factory=dict)
    waiting: dict[str, list[QueuedCommands]] = field(default_factory=dict)
    under_way: dict[str, list[CommandsInTransit]] = field(default_factory=dict)
    kept: list[tuple[str, QueuedCommands]] = field(default_factory=list)
    trouble: Trouble | None = None
    exhausted: bool = False
    expired: dict[tuple[str, int], None] = field(default_factory=dict)
    force_removed: dict[tuple[str, str], tuple[Instant, int, bool]] = field(default_factory=dict)
    sequence: int = 0
    rank_offset: dict[str, int] = field(default_factory=dict)
    refreshed: dict[str, Instant] = field(default_factory=dict)
    shown: dict[tuple[RecordName, str], LastSeen] = field(default_factory=dict)
    warned: dict[tuple[RecordName, str], Warned] = field(default_factory=dict)
    own_records: dict[RecordName, None] = field(default_factory=dict)
    known_full_repositories: dict[tuple[str, str], None] = field(default_factory=dict)
    routes: dict[tuple[str, str], dict[str, None]] = field(default_factory=dict)
    clusters: dict[str, int] = field(default_factory=dict)
    topics: dict[RecordName, None] = field(default_factory=dict)
    ever_held: dict[tuple[str, str], dict[tuple[str, str], None]] = field(init=False)
    by_publication: dict[PublicationKey, dict[RecordName, None]] = field(init=False)
    held: HeldRecords = field(init=False)
    unread: StoredRecords | None = None
    records_changed: bool = True

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Read all records when one of their indexes is first used."""
            if name not in ("held", "beliefs", "ever_held", "by_publication"):
                raise AttributeError(name)
            held = self.held = self.unread.read() if self.unread is not None else HeldRecords()
            self.beliefs, self.ever_held = held.beliefs, held.ever_held
            self.by_publication, self.unread = held.by_publication, None
            return getattr(self, name)

    def _records(self, kind: str = "") -> Records:
        """Return the records to query for a kind: those in memory, or those in their page."""
        return self.held if self.unread is None or kind == MANY else self.unread

    def of_kind(
        self, kind: str, *, cluster: str | None = None
    ) -> Iterator[tuple[RecordName, Belief]]:
        """Iterate over the records of a kind, of one cluster or of all."""
        return self._records(kind).of_kind(kind, cluster)

    def instances(self, cluster: str, kind: str, name: str) -> dict[str, Belief]:
        """Return the records of a name, by owner's QMID."""
        return self._records(kind).instances((cluster, kind, name))

    def queues_called(self, called: str) -> Iterator[tuple[RecordName, Belief]]:
        """Iterate over the records of queues of one name, in any cluster and any order."""
        return self._records().queues_called(called)

    def holds(self, owner: str, sequence: int) -> bool:
        """Return whether any record of a publication is held."""
        return self._records().holds((owner, sequence))

    def publications(self) -> Iterable[tuple[PublicationKey, Instant]]:
        """Iterate over the publications with held records, each with its instant."""
        return self._records().publications()

    def instants_of(self, owner: str, sequence: int) -> set[Instant]:
        """Return when the held records of a publication were published, usually one instant."""
        return self.held.instants((owner, sequence))

    def hold(self, name: RecordName, belief: Belief) -> None:
        """Add a record; it replaces one of the same name and owner."""
        owner = belief.owner
        owners = self.beliefs.setdefault(name, {})
        before = owners.get(owner)
        owners[owner] = belief
        belief.receipt.record_count += 1
        if before is not None:
            before.receipt.record_count -= 1
            if before.sequence != belief.sequence:
                self._ungroup(owner, before.sequence, name)
        if before is None or before.sequence != belief.sequence:
            self.by_publication.setdefault((owner, belief.sequence), {})[name] = None
        if before is not None and before.values is belief.values:
            return  # a renewal changes nothing else
        self.records_changed = True
        self.ever_held.setdefault((name[0], owner), {})[name[1:]] = None
        self.index_by_kind(name, belief)

    def index_by_kind(self, name: RecordName, belief: Belief) -> None:
        """Enter a record into the indexes of channels, full repositories and topics."""
        cluster, kind, called = name
        if kind == "qmgr":
            channels = self.routes.get((cluster, belief.owner))
            if channels is None:
                channels = self.routes[cluster, belief.owner] = {}
                self.clusters[cluster] = self.clusters.get(cluster, 0) + 1
            channels[called] = None
            if belief.values.get("QMTYPE") == "REPOS":
                self.known_full_repositories[cluster, belief.owner] = None
        elif kind == "topic":
            self.topics[name] = None

    def renew_whole(
        self,
        cluster: str,
        owner: str,
        was: int,
        keys: Collection[tuple[str, str]],
        receipt: Receipt,
    ) -> bool:
        """Renew all held records of publication `was`, if they are exactly `keys`.

        Return whether they are; if not, nothing changes.
        """
        if self.renew_unread(cluster, owner, was, keys, receipt):
            return True
        group = self.by_publication.get((owner, was))
        if (
            group is None
            or len(group) != len(keys)
            or (owner, receipt.sequence) in self.by_publication
            or not all((cluster, *key) in group for key in keys)
        ):
            return False
        self.renew(owner, was, receipt)
        return True

    def renew_unread(
        self,
        cluster: str,
        owner: str,
        was: int,
        keys: Collection[tuple[str, str]],
        receipt: Receipt,
    ) -> bool:
        """Do the same without reading the records, if no other record of the owner is held."""
        if self.unread is None or not self.unread.renew(cluster, owner, was, keys, receipt):
            return False
        self.expired.pop((owner, was), None)
        return True

    def renew(self, owner: str, before: int, again: Receipt) -> None:
        """Note that a later publication has sent all held records of `before` again, unchanged.

        Records that share one receipt continue to share it.
        """
        key = (owner, before)
        self.expired.pop(key, None)
        group = self.by_publication[owner, again.sequence] = self.by_publication.pop(key)
        receipt = self.beliefs[next(iter(group))][owner].receipt
        if receipt.record_count == len(group):
            receipt.sequence, receipt.published = again.sequence, again.published
            receipt.source, receipt.received, receipt.position = (
                again.source,
                again.received,
                again.position,
            )
            return
        again.record_count = len(group)
        for name in group:
            owners = self.beliefs[name]
            owners[owner] = owners[owner]._replace(receipt=again)

    def _ungroup(self, owner: str, sequence: int, name: RecordName) -> None:
        key = (owner, sequence)
        group = self.by_publication[key]
        del group[name]
        if not group:
            del self.by_publication[key]
            self.expired.pop(key, None)

    def was_seen(self, name: RecordName, belief: Belief) -> bool:
        """Return whether a held record was seen since it has its values."""
        seen = self.shown.get((name, belief.owner))
        return seen is not None and seen.at >= belief.since

    def forget(self, name: RecordName, owner: str) -> None:
        """Remove a record, if it is held."""
        self.ever_held.setdefault((name[0], owner), {})[name[1:]] = None
        owners = self.beliefs.get(name)
        if owners is None or (before := owners.pop(owner, None)) is None:
            return
        self.records_changed = True
        before.receipt.record_count -= 1
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
                for (cluster, _, _), askers in self.subscribers.items():
                    if cluster == name[0]:
                        askers.pop(owner, None)  # the member left the cluster
