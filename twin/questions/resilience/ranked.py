"""The ways to a queue that rank rules out, whatever the status of its channels.

Source: IBM MQ 9.4, "The cluster workload management algorithm": CLWLRANK is compared before the
status of channels, so a lower rank gets no message while a higher one is lost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from twin.rules.workload.gathering import context_of, routes_of
from twin.rules.workload.trace import Trace

if TYPE_CHECKING:
    from collections.abc import Collection

    from twin.fold.beliefs import Belief
    from twin.fold.estate import QueueManager

_RANKS: Final = ("channel-rank", "queue-rank")


def outranked(
    sender: QueueManager, cluster: str, queue: str, beliefs: Collection[Belief]
) -> set[tuple[str, str]]:
    """Return the instances of a queue that a sender does not choose because of rank.

    Each is the name of its owner and the channel to it, '' at the sender itself.
    """
    if len(beliefs) == 1:
        return set()
    routes = routes_of(sender, queue, [(cluster, belief) for belief in beliefs])
    if len({(route.channel_rank, route.queue_rank) for route in routes}) <= 1:
        return set()
    trace = Trace.of(routes, context_of(sender, queue), sender.messaging.workload)
    return {
        (route.qmgr, "" if route.local else route.channel)
        for route, rule, _ in trace.removals()
        if rule is not None and rule.name in _RANKS
    }
