"""What a choice depends on: its candidates, and the attributes of the queue manager that chooses.

A route is an instance of a queue and a channel to it. Source: IBM MQ 8.0, "The cluster workload
management algorithm": the candidates are the distinct routes to every queue manager that has a
queue of the name. A queue manager with two CLUSRCVRs in the cluster has two routes.

The candidates and the context of a choice, as one queue manager knows them.

Only its own repository, definitions and channel states count. It never knows queue depths,
consumers or states of other queue managers (IBM MQ 8.0, "The cluster workload management
algorithm"). Records that have expired, but are not removed yet, are still used [memory,
unverified].
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from twin.fold.beliefs import Belief
from twin.fold.estate import QueueManager
from twin.fold.messaging import RouteKey
from twin.model.attributes import LARGEST, Value
from twin.model.objects import Definition
from twin.rules import membership

Profile: TypeAlias = Literal["v8", "v7"]
"""The order of the rules: `v8` for MQ 8.0 and later, `v7` for earlier versions."""

UNLIMITED: Final = LARGEST
"""The default of CLWLMRUC (IBM MQ 9.2, "Cluster workload balancing", queue managers)."""

_NEW_ORDER: Final = 800
"""The first command level at which rank is applied before PUT and before the local instance."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """The attributes that are the same for all candidates of a choice.

    Attributes:
        qmgr: the queue manager that chooses.
        queue: the queue, or the queue manager alias, that the name resolved to.
        profile: the order of the rules.
        queue_useq: CLWLUSEQ of the local queue; '' if there is no local queue of this name.
        qmgr_useq: CLWLUSEQ of the queue manager.
        arrived: whether the message arrived over a cluster channel.
        mruc: CLWLMRUC of the queue manager.
        even: whether every known cluster channel has the default CLWLWGHT. Then only the order of
            use counts, and the factors do not change.
    """

    qmgr: str = ""
    queue: str = ""
    profile: Profile = "v8"
    queue_useq: str = "QMGR"
    qmgr_useq: str = "LOCAL"
    arrived: bool = False
    mruc: int = UNLIMITED
    even: bool = False

    @property
    def useq(self) -> str:
        """The effective CLWLUSEQ: that of the queue, or of the queue manager if it is QMGR."""
        return self.qmgr_useq if self.queue_useq == "QMGR" else self.queue_useq

    @property
    def prefers_local(self) -> bool:
        """Whether a local instance that is not put-disabled is chosen at once, without counting.

        Sources: IBM MQ 7.5 and 6.0, "The cluster workload management algorithm"; IBM MQ 9.0,
        "CLWLUSEQ queue attribute": messages that arrive over a cluster channel stay, with any
        CLWLUSEQ, so that they do not circulate; aliases have no CLWLUSEQ.
        """
        return self.arrived or self.useq == "LOCAL"


def profile_of(cmdlevel: int) -> Profile:
    """Return the order of the rules at a command level.

    Source: IBM MQ 8.0 and 7.5, "The cluster workload management algorithm": it changed at 8.0.
    """
    return "v8" if cmdlevel >= _NEW_ORDER else "v7"


DEFAULT_WEIGHT: Final = 50
"""The default of CLWLWGHT (IBM MQ 8.0, "CLWLWGHT channel attribute")."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """One candidate, with the attributes that the rules depend on.

    Attributes:
        qmgr: the queue manager that it leads to.
        qmid: its QMID.
        channel: the channel; for a local instance, one of the queue manager's own CLUSRCVRs.
        cluster: the cluster of the channel.
        queue: the name of the queue there, '' if only a queue manager was named.
        queue_cluster: the cluster that the queue is shared in; '' if it is that of the channel.
        queue_type: the type of the queue: QLOCAL, QALIAS or QREMOTE; '' without a queue.
        local: whether the instance is at the queue manager that chooses.
        alias: whether it is a queue manager alias.
        member: whether the queue manager that chooses is in the cluster; False if it has left it.
        channel_rank: CLWLRANK of the channel.
        queue_rank: CLWLRANK of the queue.
        put_enabled: whether PUT of the queue is ENABLED.
        suspended: whether the queue manager is suspended in the cluster (SUSPEND QMGR).
        status: status of the channel at the queue manager that chooses, as in DISPLAY CHSTATUS.
        netprty: NETPRTY of the channel.
        channel_priority: CLWLPRTY of the channel.
        queue_priority: CLWLPRTY of the queue.
        weight: CLWLWGHT of the channel.
        evidence: the positions of the events that it is computed from: both records, the status.
    """

    qmgr: str
    qmid: str
    channel: str
    cluster: str
    queue: str = ""
    queue_cluster: str = ""
    queue_type: str = "QLOCAL"
    local: bool = False
    alias: bool = False
    member: bool = True
    channel_rank: int = 0
    queue_rank: int = 0
    put_enabled: bool = True
    suspended: bool = False
    status: str = "INACTIVE"
    netprty: int = 0
    channel_priority: int = 0
    queue_priority: int = 0
    weight: int = DEFAULT_WEIGHT
    evidence: tuple[int, ...] = ()

    @property
    def key(self) -> RouteKey:
        """The key under which its counters are kept."""
        return self.qmid, self.channel

    @property
    def is_queue(self) -> bool:
        """Whether it leads to a queue, not just to a queue manager or a queue manager alias."""
        return bool(self.queue) and not self.alias

    @property
    def place(self) -> tuple[bool, str, str, str]:
        """The sort key among equal routes: local first, then by name."""
        return not self.local, self.qmgr, self.channel, self.qmid


def in_order(routes: Iterable[Route]) -> list[Route]:
    """Sort routes in the order in which they are chosen while none has been used."""
    return sorted(routes, key=lambda route: route.place)


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
                yield _route(
                    qmgr,
                    "" if named else queue,
                    (shared_in, belief),
                    (cluster, channel, repository.beliefs[cluster, "qmgr", channel][belief.owner]),
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
    return Route(
        qmgr=belief.owner_name,
        qmid=belief.owner,
        channel=channel,
        cluster=cluster,
        queue=queue,
        queue_cluster=shared_in,
        queue_type="QREMOTE" if alias else str(values.get("CLUSQT", "")),
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
