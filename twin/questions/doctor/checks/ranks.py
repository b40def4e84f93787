"""Checks of CLWLRANK: it decides before SUSPEND and before the status of channels.

The fix moves the preference to CLWLPRTY of the queues and keeps its order. Today instances are
compared by rank of the channel, rank of the queue, priority of the channel and priority of the
queue (rules 3, 4, 11 and 12 of IBM MQ 9.2, "The cluster workload management algorithm"), and a
local instance is taken between rank and priority (rule 6). So the new priorities are counted over
all instances, and an instance that loses to another one by rank no longer takes local puts:
CLWLUSEQ(ANY). Ranks and priorities of channels belong to all queues of a queue manager: where their
order is another one, no priorities of one queue keep the order, and there are no commands. Neither
are there if a queue is in several clusters that need different priorities.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from twin.model.commands import Command
from twin.model.objects import Definition, number_of, text_of
from twin.questions.doctor import fixes, probes
from twin.questions.doctor.finding import Finding, FindingPlace, Probe, some
from twin.questions.doctor.index import Cluster, Index, OwnedObject, Site, sites_of
from twin.rules import membership

_HIGHEST: Final = 9
"""The highest CLWLPRTY."""


class _Order(NamedTuple):
    """What instances are compared by today, in this order."""

    rank: int
    channel_priority: int
    priority: int


def ranks(index: Index) -> Iterator[Finding]:
    """Find ranks that decide between instances: they do not look at the status of channels."""
    for cluster in index.clusters:
        for name, places in cluster.balanced:
            ranked = by_rank(cluster, places)
            if len(ranked) == 1:
                continue
            best = ranked[max(ranked)]
            fix = _in_all_clusters(index, cluster, name, places)
            owners = sorted({*sites_of(places), *(each.on for each in fix)})
            yield Finding(
                subject=cluster.about("QUEUE", name, aspect="CLWLRANK"),
                text=f"CLWLRANK prefers {some(site.name for site, _ in best)}. Messages go there "
                "while it is suspended, too, and wait if no channel leads there: rank is compared "
                "before SUSPEND and before the status of channels, and only CLWLPRTY fails over.",
                evidence=tuple(_evidence(cluster, ranked)),
                on=sites_of(places),
                cluster=cluster.name,
                fix=fix,
                probe=_probe(cluster, name, owners, best),
            )


def _evidence(
    cluster: Cluster, ranked: Mapping[tuple[int, int], Sequence[OwnedObject]]
) -> Iterator[FindingPlace]:
    """Yield what has the ranks, the best first: CLUSRCVRs, if their ranks differ, and queues."""
    places = [place for rank in sorted(ranked, reverse=True) for place in ranked[rank]]
    if len({channel for channel, _ in ranked}) > 1:
        yield from (site.place(each) for site, _ in places for each in cluster.members[site.name])
    yield from (site.place(queue) for site, queue in places)


def by_rank(
    cluster: Cluster, places: Iterable[OwnedObject]
) -> dict[tuple[int, int], list[OwnedObject]]:
    """Group instances by their rank: that of the channel first, then that of the queue."""
    ranked: dict[tuple[int, int], list[OwnedObject]] = defaultdict(list)
    for site, definition in places:
        channel = max(number_of(each, "CLWLRANK") for each in cluster.members[site.name])
        ranked[channel, number_of(definition, "CLWLRANK")].append((site, definition))
    return ranked


def _in_all_clusters(
    index: Index, cluster: Cluster, name: str, places: Sequence[OwnedObject]
) -> tuple[Command, ...]:
    """Return the commands that replace ranks by priorities; () if its clusters need different ones.

    A queue has one rank and one priority for all its clusters.
    """
    made = _prioritised(cluster, places)
    shared = {each for site, queue in places for each in membership.clusters(site.qmgr, queue)}
    for other in map(index.cluster, sorted(shared - {cluster.name})):
        instances = other.shared(other.queues[name])
        there = _prioritised(other, instances)
        both = made.keys() & set(sites_of(instances))
        if (instances and not there) or any(made[each] != there[each] for each in both):
            return ()
        made = made | there if made else made
    return tuple(filter(None, made.values()))


def _prioritised(cluster: Cluster, places: Sequence[OwnedObject]) -> dict[str, Command | None]:
    """Return what replaces ranks by priorities in the same order, by owner; {} if nothing does."""
    channels = [each for site, _ in places for each in cluster.members[site.name]]
    if len({number_of(each, "CLWLRANK") for each in channels}) > 1:
        return {}
    if any(len(_channel_priorities(cluster, site)) > 1 for site, _ in places):
        return {}
    orders = [_order(cluster, *place) for place in places]
    levels = sorted(set(orders))
    by_channel = [each.channel_priority for each in levels]
    if by_channel != sorted(by_channel) or len(levels) > _HIGHEST + 1:
        return {}
    return {
        place[0].name: _moved(
            *place,
            priority=levels.index(order),
            outranked=any(order.rank < other.rank for other in orders),
        )
        for place, order in zip(places, orders, strict=True)
    }


def _moved(site: Site, queue: Definition, *, priority: int, outranked: bool) -> Command | None:
    """Return the command that gives an instance no rank and its place among the priorities."""
    wanted: dict[str, str | int] = {"CLWLRANK": 0, "CLWLPRTY": priority}
    values = {key: value for key, value in wanted.items() if number_of(queue, key) != value}
    if outranked and _stays_local(site, queue):
        values["CLWLUSEQ"] = "ANY"
    return fixes.alter(site, queue, **values) if values else None


def _stays_local(site: Site, queue: Definition) -> bool:
    """Return whether puts at the queue manager of an instance take it; aliases have no CLWLUSEQ."""
    use = text_of(queue, "CLWLUSEQ") if queue.type == "QLOCAL" else ""
    own = site.qmgr.text("CLWLUSEQ")
    return (own if use == "QMGR" else use) == "LOCAL"


def _order(cluster: Cluster, site: Site, queue: Definition) -> _Order:
    (channel,) = _channel_priorities(cluster, site)
    return _Order(number_of(queue, "CLWLRANK"), channel, number_of(queue, "CLWLPRTY"))


def _channel_priorities(cluster: Cluster, site: Site) -> set[int]:
    return {number_of(each, "CLWLPRTY") for each in cluster.members[site.name]}


def _probe(
    cluster: Cluster, name: str, owners: Sequence[str], best: Sequence[OwnedObject]
) -> Probe | None:
    """Return the probe of a failover; without one, the routes where a put may be made now.

    While a preferred instance is suspended, ended or put-disabled, the fix is to change routes.
    """
    probe = probes.failover(cluster, name, sites_of(best))
    usual = all(
        site.qmgr.running and cluster.name not in site.qmgr.suspended and not queue.is_put_inhibited
        for site, queue in best
    )
    return probe and probe._replace(steady=(probe.on, *owners) if usual else ())
