"""Measures of repositories: records by state, the oldest one, requests, and differences.

A record whose dates are assumed has the state `unknown`, and one that is only assumed to be held is
not counted.

Measures of clusters: the membership of each queue manager, and how many members there are.

Source: ibm-messaging/mq-golang, package mqmetric (cluster status: a queue manager's record of
itself, as INQUIRE CLUSTER QMGR answers).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from twin.fold.estate import NEVER_CONFIRMED, Estate, QueueManager
from twin.model.basis import Basis
from twin.model.instants import AsOf, Instant
from twin.questions import belief
from twin.questions.basis import basis_of_record
from twin.questions.divergence import divergence
from twin.questions.measures.channels import INACTIVE, known_arrivals
from twin.questions.measures.queue_managers import is_available
from twin.questions.subscriptions import subscriptions
from twin.rules import membership, standing
from twin.rules.repository.lifetimes import expires, removal

UNKNOWN: Final = "unknown"
_STATES: Final[Mapping[str, str]] = {belief.ACTIVE: "fresh"}


class RecordCount(NamedTuple):
    """How many records of a kind a queue manager holds in one state."""

    observer: str
    cluster: str
    kind: str
    state: str
    number: int


class RecordHolding(NamedTuple):
    """The records that a queue manager holds of one cluster.

    Attributes:
        observer, cluster: the names.
        oldest: when the record was published that was not renewed for the longest time; None if
            all dates are assumed.
        diverging: how many records differ from what their owners define now.
    """

    observer: str
    cluster: str
    oldest: Instant | None
    diverging: int

    @property
    def republish_due(self) -> Instant | None:
        """When that record was due to be published again."""
        return None if self.oldest is None else belief.republish_due(self.oldest)

    @property
    def expires(self) -> Instant | None:
        """When the first record expires."""
        return None if self.oldest is None else expires(self.oldest)

    @property
    def removal(self) -> Instant | None:
        """When the first record is removed."""
        return None if self.oldest is None else removal(self.oldest)


class RequestCount(NamedTuple):
    """How many requests a queue manager has in one state."""

    observer: str
    cluster: str
    state: str
    number: int


def records(estate: Estate, as_of: AsOf) -> tuple[list[RecordCount], list[RecordHolding]]:
    """Count the records that queue managers hold, and say how old and how true they are."""
    counts: list[RecordCount] = []
    holdings: list[RecordHolding] = []
    diverging = _diverging(estate, as_of)
    known = (*estate.qmgrs.values(), *estate.departed.values())
    simulated = not any(qmgr.observed for qmgr in known)  # then no date is assumed
    for name in sorted(estate.qmgrs):
        states: Counter[tuple[str, str, str]] = Counter()
        oldest: dict[str, Instant | None] = {}
        for cluster, kind, published in _dated(estate, estate.qmgrs[name], simulated=simulated):
            states[cluster, kind, _state(published, as_of.valid)] += 1
            oldest[cluster] = _earlier(oldest.get(cluster), published)
        counts += (RecordCount(name, *key, count) for key, count in sorted(states.items()))
        holdings += (
            RecordHolding(name, cluster, first, diverging[name, cluster])
            for cluster, first in sorted(oldest.items())
        )
    return counts, holdings


def _dated(
    estate: Estate, observer: QueueManager, *, simulated: bool
) -> Iterator[tuple[str, str, Instant | None]]:
    """Yield cluster, kind and instant of publication of each record, None if that is assumed."""
    for key, owners in observer.repository.beliefs.items():
        for held in owners.values():
            if simulated:
                yield key[0], key[1], held.published
                continue
            basis = basis_of_record(estate, observer, key, held)
            if basis.content is not Basis.ASSUMED:
                dated = basis.dates is not Basis.ASSUMED
                yield key[0], key[1], held.published if dated else None


def _diverging(estate: Estate, as_of: AsOf) -> Counter[tuple[str, str]]:
    """Count the records that differ from the owners' definitions, by observer and cluster."""
    columns = ("observer", "cluster", "kind", "name", "qmid", "channel")
    rows = divergence(estate, as_of, basis=Basis.DERIVED).rows
    different = {tuple(str(row[column]) for column in columns) for row in rows}
    return Counter((each[0], each[1]) for each in different)


def request_counts(estate: Estate, as_of: AsOf) -> Iterator[RequestCount]:
    """Count the requests of queue managers, by cluster and state."""
    rows = subscriptions(estate, as_of, basis=Basis.DERIVED).rows
    counts = Counter((row["observer"], row["cluster"], row["state"]) for row in rows)
    for (observer, cluster, state), count in sorted(counts.items(), key=str):
        yield RequestCount(str(observer), str(cluster), str(state or "unknown"), count)


def _state(published: Instant | None, at: Instant) -> str:
    if published is None:
        return UNKNOWN
    state = belief.state_of(published, at=at)
    return _STATES.get(state, state)


def _earlier(one: Instant | None, other: Instant | None) -> Instant | None:
    if one is None or other is None:
        return other if one is None else one
    return min(one, other)


class Membership(NamedTuple):
    """A queue manager as a member of one cluster; None for what is not known.

    Attributes:
        qmgr, cluster: the queue manager, and the name of the cluster.
        full: whether it is a full repository of the cluster.
        status: the status of its own CLUSRCVR.
        suspended: whether it is suspended.
    """

    qmgr: QueueManager
    cluster: str
    full: bool
    status: str | None
    suspended: bool | None


class ClusterSize(NamedTuple):
    """A cluster: how many members and full repositories are known, and names with several QMIDs."""

    cluster: str
    members: int
    full_repositories: int
    duplicates: int


def memberships(estate: Estate, at: Instant, *, observed: bool) -> Iterator[Membership]:
    """Go through the queue managers that run and are in clusters, by name.

    Those that are only observed are passed over unless `observed`.
    """
    running = {(each.receiver, each.channel) for each in known_arrivals(estate, at)}
    for name in sorted(estate.qmgrs):
        qmgr = estate.qmgrs[name]
        if not is_available(qmgr, observed=observed):
            continue
        receivers = {
            cluster: definition.name
            for definition, clusters in membership.channels_of(qmgr, "CLUSRCVR")
            for cluster in clusters
        }
        for cluster, channel in sorted(receivers.items()):
            yield Membership(
                qmgr,
                cluster,
                full=membership.is_full(qmgr, cluster),
                status=_status(qmgr, channel, runs=(name, channel) in running),
                suspended=_suspended(qmgr, cluster),
            )


def _status(qmgr: QueueManager, channel: str, *, runs: bool) -> str | None:
    if qmgr.is_only_observed:
        seen = standing.seen_status(qmgr, channel)
        return None if seen is None else seen.status
    own = qmgr.activity.channels.get(channel)
    if own is not None:
        return own.status
    return "RUNNING" if runs else INACTIVE


def _suspended(qmgr: QueueManager, cluster: str) -> bool | None:
    """Return whether a queue manager is suspended; None if that was never observed."""
    if cluster in qmgr.suspended:
        return True
    if not qmgr.is_only_observed:
        return False
    complete = qmgr.confirmed.get("qmgr", NEVER_CONFIRMED).complete
    shown = any(
        name[:2] == (cluster, "qmgr") and owner == qmgr.qmid
        for name, owner in qmgr.repository.shown
    )
    return False if complete or shown else None


def cluster_sizes(estate: Estate, as_of: AsOf) -> Iterator[ClusterSize]:
    """Go through the clusters that any queue manager knows, by name."""
    known: dict[str, list[tuple[str, bool]]] = defaultdict(list)
    for row in belief.members(estate, as_of, basis=Basis.DERIVED).rows:
        known[str(row["cluster"])].append((str(row["qmgr"]), row["qmtype"] == "REPOS"))
    for cluster, names in sorted(known.items()):
        qmids = Counter(name for name, _ in names)
        yield ClusterSize(
            cluster,
            len(names),
            sum(full for _, full in names),
            sum(count > 1 for count in qmids.values()),
        )
