"""Routes: the candidates of a choice, each an instance of a queue and a channel that leads to it.

Source: IBM MQ 8.0, "The cluster workload management algorithm": the candidates are the distinct
routes to every queue manager that has a queue of the name, so that a queue manager with two
CLUSRCVRs in the cluster is two of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from twin.fold.messaging import RouteKey

DEFAULT_WEIGHT: Final = 50
"""CLWLWGHT where none is given (IBM MQ 8.0, "CLWLWGHT channel attribute")."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """One candidate, with what the rules look at.

    Attributes:
        qmgr: the queue manager that it leads to.
        qmid: its QMID.
        channel: the channel; of a local instance, one of the queue manager's own CLUSRCVRs.
        cluster: the cluster of the channel.
        queue: the name of the queue there, '' where only a queue manager was named.
        queue_cluster: the cluster that the queue is shared in, '' for that of the channel.
        queue_type: what was defined there: QLOCAL, QALIAS or QREMOTE, '' without a queue.
        local: whether it is at the queue manager that chooses.
        alias: whether it is a queue manager alias.
        member: whether the queue manager that chooses is in the cluster (or has left it).
        channel_rank: CLWLRANK of the channel.
        queue_rank: CLWLRANK of the queue.
        put_enabled: whether PUT of the queue is ENABLED.
        suspended: whether the queue manager asked to be avoided in the cluster.
        status: of the channel at the queue manager that chooses, in MQSC's words.
        netprty: NETPRTY of the channel.
        channel_priority: CLWLPRTY of the channel.
        queue_priority: CLWLPRTY of the queue.
        weight: CLWLWGHT of the channel.
        evidence: the positions of the events behind it: of both records and of the status.
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
        """What it is counted under."""
        return self.qmid, self.channel

    @property
    def is_queue(self) -> bool:
        """Whether it leads to a queue, and not only to a queue manager or by an alias of one."""
        return bool(self.queue) and not self.alias

    @property
    def place(self) -> tuple[bool, str, str, str]:
        """Where it stands among routes that are equal otherwise: local first, then by name."""
        return not self.local, self.qmgr, self.channel, self.qmid


def in_order(routes: Iterable[Route]) -> list[Route]:
    """Put routes in the order in which those that were never used are chosen."""
    return sorted(routes, key=lambda route: route.place)
