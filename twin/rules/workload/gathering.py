"""The candidates and the context of a choice, as one queue manager knows them.

Only its own repository, definitions and channel states count. It never knows queue depths,
consumers or states of other queue managers (IBM MQ 8.0, "The cluster workload management
algorithm"). Records that have expired, but are not removed yet, are still used [memory,
unverified].
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from twin.fold.beliefs import Belief
from twin.fold.estate import QueueManager
from twin.fold.messaging import RouteKey
from twin.model.attributes import Value
from twin.model.objects import Definition
from twin.rules import membership
from twin.rules.workload.routes import DEFAULT_WEIGHT, Context, Profile, Route, in_order, profile_of


def routes_of(
    qmgr: QueueManager, queue: str, instances: Iterable[tuple[str, Belief]]
) -> tuple[Route, ...]:
    """Return the candidates for the instances of a queue that MQOPEN found.

    There is one route for each channel that leads to the owner of an instance. Channels in other
    clusters than the queue's are candidates too; the rule `cluster` removes them. The routes of the
    local instance are the CLUSRCVRs of the queue's cluster. An instance without a known channel has
    no route. A channel in several clusters is one route. Its cluster is one in which its queue
    manager is not suspended, if possible; of several such clusters the first by name [inferred].
    """
    joined = membership.clusters_joined(qmgr)
    best: dict[RouteKey, Route] = {}
    for route in _all_routes(qmgr, queue, list(instances), joined):
        before = best.get(route.key)
        if before is None or _quality(route) < _quality(before):
            best[route.key] = route
    return tuple(in_order(best.values()))


def context_of(
    qmgr: QueueManager, queue: str, *, arrived: bool = False, profile: Profile | None = None
) -> Context:
    """Return what the choice depends on besides the routes.

    Args:
        qmgr: the queue manager that chooses.
        queue: the queue that the name resolved to.
        arrived: whether the messages arrived over a cluster channel.
        profile: the order of the rules; None for the order that fits the command level.
    """
    here = qmgr.definitions.get(("QUEUE", queue))
    useq = ""
    if here is not None and here.type == "QLOCAL":
        useq = str(here.values.get("CLWLUSEQ", "QMGR"))
    return Context(
        qmgr=qmgr.name,
        queue=queue,
        profile=profile or profile_of(qmgr.cmdlevel),
        queue_useq=useq,
        qmgr_useq=qmgr.text("CLWLUSEQ"),
        arrived=arrived,
        mruc=qmgr.number("CLWLMRUC"),
        even=is_even(qmgr),
    )


def is_even(qmgr: QueueManager) -> bool:
    """Return whether every cluster channel that a queue manager knows has the default weight.

    Source: IBM MQ 8.0, "CLWLWGHT channel attribute": if any channel has another weight, the factors
    count for all queues.
    """
    repository = qmgr.repository
    return all(
        _number(
            repository.beliefs[cluster, "qmgr", channel][owner].values, "CLWLWGHT", DEFAULT_WEIGHT
        )
        == DEFAULT_WEIGHT
        for (cluster, owner), channels in repository.routes.items()
        for channel in channels
    )


def _all_routes(
    qmgr: QueueManager,
    queue: str,
    instances: Collection[tuple[str, Belief]],
    joined: Collection[str],
) -> Iterator[Route]:
    repository = qmgr.repository
    elsewhere: dict[str, list[str]] = {}
    owners = {belief.owner for _, belief in instances}
    for cluster, owner in repository.routes:
        if owner in owners:
            elsewhere.setdefault(owner, []).append(cluster)
    for shared_in, belief in instances:
        named = "CLUSQT" not in belief.values  # only the queue manager was named
        one = named or belief.owner == qmgr.qmid
        for cluster in [shared_in] if one else elsewhere.get(belief.owner, ()):
            for channel in repository.routes.get((cluster, belief.owner), ()):
                to = repository.beliefs[cluster, "qmgr", channel][belief.owner]
                yield _route(
                    qmgr,
                    "" if named else queue,
                    (shared_in, belief),
                    (cluster, channel, to),
                    member=cluster in joined,
                )


def _route(
    qmgr: QueueManager,
    queue: str,
    instance: tuple[str, Belief],
    way: tuple[str, str, Belief],
    *,
    member: bool,
) -> Route:
    (shared_in, belief), (cluster, channel, to) = instance, way
    local = belief.owner == qmgr.qmid
    definition = qmgr.definitions.get(("QUEUE", queue)) if local and queue else None
    values = _queue_values(belief, definition) if queue else {}
    state = qmgr.activity.channels.get(channel)
    alias = values.get("CLUSQT") == "QMGR"
    kind = "QREMOTE" if alias else str(values.get("CLUSQT", ""))
    return Route(
        qmgr=belief.owner_name,
        qmid=belief.owner,
        channel=channel,
        cluster=cluster,
        queue=queue,
        queue_cluster=shared_in,
        queue_type=kind,
        local=local,
        alias=alias,
        member=member,
        channel_rank=_number(to.values, "CLWLRANK", 0),
        queue_rank=_number(values, "CLWLRANK", 0),
        put_enabled=values.get("PUT", "ENABLED") == "ENABLED",
        suspended=to.values.get("SUSPEND") == "YES",
        status=state.status if state else "RUNNING" if local else "INACTIVE",
        netprty=_number(to.values, "NETPRTY", 0),
        channel_priority=_number(to.values, "CLWLPRTY", 0),
        queue_priority=_number(values, "CLWLPRTY", 0),
        weight=_number(to.values, "CLWLWGHT", DEFAULT_WEIGHT),
        evidence=(belief.position, to.position, *((state.position,) if state else ())),
    )


def _queue_values(belief: Belief, definition: Definition | None) -> Mapping[str, Value]:
    """Return the attributes of a queue; for a local instance, those of its definition."""
    if definition is None:
        return belief.values
    return {**definition.values, "CLUSQT": belief.values["CLUSQT"]}


def _quality(route: Route) -> tuple[bool, bool, bool, str]:
    right = route.cluster == route.queue_cluster
    return not right, not route.member, route.suspended, route.cluster


def _number(values: Mapping[str, Value], keyword: str, default: int) -> int:
    value = values.get(keyword, default)
    return value if isinstance(value, int) else default
