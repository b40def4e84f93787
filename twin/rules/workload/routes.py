"""Routes: the candidates of a choice. A route is an instance of a queue and a channel to it.

Source: IBM MQ 8.0, "The cluster workload management algorithm": the candidates are the distinct
routes to every queue manager that has a queue of the name. A queue manager with two CLUSRCVRs in
the cluster has two routes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from twin.fold.messaging import RouteKey

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
