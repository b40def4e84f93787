"""What a choice depends on: its candidates, and the attributes of the queue manager that chooses.

A route is an instance of a queue and a channel to it. Source: IBM MQ 8.0, "The cluster workload
management algorithm": the candidates are the distinct routes to every queue manager that has a
queue of the name. A queue manager with two CLUSRCVRs in the cluster has two routes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from twin.fold.messaging import RouteKey
from twin.model.attributes import LARGEST

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
