"""Where messages to a queue name go: the name is resolved, and gives the shares of a put.

A name is resolved by the records that a queue manager holds or requests, as MQOPEN does. A
destination is a local queue, a transmission queue that leads out of the clusters, or the result
of the workload choice. Source for when a choice is made: IBM MQ 8.0, "The cluster workload
management algorithm".
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from twin.events import Share
from twin.fold.beliefs import Names
from twin.fold.estate import Estate, QueueManager
from twin.model import reasons
from twin.model.instants import Instant
from twin.model.objects import Definition, text_of
from twin.rules.draft import Draft
from twin.rules.path.graph import LEADING
from twin.rules.path.resolution import Resolution
from twin.rules.path.resolved import Resolved
from twin.rules.queues import local_queues, transmission_queues
from twin.rules.repository.answers import NameLookup
from twin.rules.workload.choosing import RoutePlan, RoutePortion
from twin.rules.workload.filters import group_of
from twin.rules.workload.routes import Context, Profile, Route, context_of, profile_of, routes_of

UNRESOLVED: Final = frozenset(
    {
        reasons.UNKNOWN_OBJECT,
        reasons.NO_ANSWER,
        reasons.UNKNOWN_ALIAS_BASE,
        reasons.UNKNOWN_REMOTE_QMGR,
    }
)
"""The reason codes of a name that may still become known while an MQOPEN waits."""


class Resolver(NameLookup, Resolution):
    """Resolve queue names at one queue manager.

    With `asks`, unknown names are requested from full repositories, as MQOPEN does. Without it,
    nothing is emitted, and `unasked` says whether a request would have been necessary.
    """

    def needs(self, resolved: Resolved) -> Names:
        """Return the names for which an MQOPEN waits that resolved so; () if it does not wait.

        It does not wait for a name that is defined here, nor for a queue manager that it knows in
        one cluster while another cluster has not answered [inferred].
        """
        failed = resolved.reason in UNRESOLVED
        names, definitions = self.awaited(failed=failed), self._qmgr.definitions
        known = (
            ("QUEUE", name) in definitions or (kind == "qmgr" and not failed)
            for kind, name in names
        )
        return () if all(known) else names


def leading_into(
    estate: Estate, at: Instant, qmgr: QueueManager, clusters: Collection[str]
) -> Iterator[Definition]:
    """Yield the aliases and remote definitions that resolve in these clusters only, by name.

    Only what the queue manager knows counts: nothing is asked of full repositories. For a queue
    manager alias, whom it stands for is resolved.
    """
    resolver = Resolver(Draft(estate, at, estate.position + 1), qmgr, asks=False)
    for (kind, name), definition in sorted(qmgr.definitions.items()):
        if kind == "QUEUE" and definition.type in LEADING and not name.startswith("SYSTEM."):
            known = {cluster for cluster, _ in resolver.beyond(definition, name).instances}
            if known and known.issubset(clusters):
                yield definition


@dataclass(frozen=True, slots=True)
class Candidates:
    """The routes to choose from for a name, and the other attributes that the choice depends on."""

    routes: tuple[Route, ...]
    context: Context

    def plan(self) -> RoutePlan:
        """Apply the rules that do not use counters."""
        return RoutePlan.of(self.routes, self.context)


def candidates(
    qmgr: QueueManager,
    resolved: Resolved,
    *,
    profile: str = "",
    arrived: bool = False,
    without: Collection[str] = (),
) -> Candidates:
    """Return the candidates for a name that resolved to instances in clusters.

    Args:
        qmgr: the queue manager that chooses.
        resolved: the resolved name.
        profile: 'v8' or 'v7'; '' for the one that fits the command level.
        arrived: whether the messages arrived over a cluster channel.
        without: QMIDs of queue managers to leave out.
    """
    name = resolved.named or resolved.queue
    routes = routes_of(qmgr, name, resolved.instances)
    if without:
        routes = tuple(route for route in routes if route.qmid not in without)
    order = order_of(qmgr, profile)
    return Candidates(routes, context_of(qmgr, name, arrived=arrived, profile=order))


def order_of(qmgr: QueueManager, profile: str) -> Profile:
    """Return the order of the rules: `profile`, or the one that fits the command level if ''."""
    return "v8" if profile == "v8" else "v7" if profile == "v7" else profile_of(qmgr.cmdlevel)


def choose_routes(
    qmgr: QueueManager, resolved: Resolved, plan: RoutePlan, count: int
) -> tuple[RoutePortion, ...]:
    """Choose for `count` messages.

    If a queue manager was named, all messages take one route and nothing is counted: the rules
    choose only among the channels to it.
    """
    if not resolved.fixed:
        return plan.take(qmgr.messaging.workload, count)
    portion = plan.choose(qmgr.messaging.workload)
    return () if portion is None or not count else (RoutePortion(portion.route, count, None, None),)


def share_of(draft: Draft, qmgr: QueueManager, resolved: Resolved, portion: RoutePortion) -> Share:
    """Return the share of a portion: its destination, and the local or transmission queue.

    The channel's own transmission queue is created if it does not exist yet.
    """
    route = portion.route
    channel = "" if route.local else route.channel
    lies_on = transmission_queues.ensure_in_use(draft, qmgr, channel) if channel else resolved.queue
    return Share(
        count=portion.count,
        to=route.qmid,
        channel=channel,
        lies_on=lies_on,
        queue=resolved.queue,
        cluster=route.cluster,
        named=resolved.named,
        route=route.channel if portion.after is not None else "",
        before=portion.before,
        after=portion.after,
    )


def shares_of(
    draft: Draft, qmgr: QueueManager, resolved: Resolved, portions: Iterable[RoutePortion]
) -> tuple[Share, ...]:
    """Return the share of each portion."""
    return tuple(share_of(draft, qmgr, resolved, portion) for portion in portions)


def unclustered(qmgr: QueueManager, resolved: Resolved, count: int) -> Share:
    """Return the share of messages that need no choice, on a local or transmission queue."""
    if resolved.local:
        return Share(
            count=count, to=qmgr.qmid, channel="", lies_on=resolved.local, queue=resolved.local
        )
    return Share(
        count=count,
        to="",
        channel=server_of(qmgr, resolved.xmitq),
        lies_on=resolved.xmitq,
        queue=resolved.queue,
        named=resolved.named,
    )


def server_of(qmgr: QueueManager, xmitq: str) -> str:
    """Return the SDR or SVR channel that serves a transmission queue; '' if there is none.

    If there are several, one that runs on the queue is used, else the one that a trigger starts,
    else the one with the best status by the groups of the workload choice; if these are equal, the
    first by name [inferred].
    """
    states = qmgr.activity.channels

    def rank(name: str) -> tuple[bool, bool, int, str]:
        status = states[name].status if name in states else "INACTIVE"
        runs = status == "RUNNING" and transmission_queues.queue_of(qmgr, name) == xmitq
        triggered = status == "INACTIVE" and transmission_queues.is_triggered(qmgr, name)
        return not runs, not triggered, group_of(status), name

    return min(transmission_queues.servers(qmgr, xmitq), key=rank, default="")


def local_base(qmgr: QueueManager, name: str) -> str:
    """Return the target of an alias of a local queue; return any other name unchanged."""
    alias = qmgr.definitions.get(("QUEUE", name))
    if alias is None or alias.type != "QALIAS":
        return name
    base = local_queues.local_queue(qmgr, text_of(alias, "TARGET"))
    return name if base is None else base.name


def share_leads_further(qmgr: QueueManager, share: Share) -> bool:
    """Return whether the local instance of a share is an alias, which cannot hold messages."""
    return not share.channel and leads_further(qmgr, share.lies_on)


def leads_further(qmgr: QueueManager, name: str) -> bool:
    """Return whether a name here is defined, but not as a local queue."""
    local = qmgr.definitions.get(("QUEUE", name))
    return local is not None and local.type != "QLOCAL"


def split_off_aliases(
    qmgr: QueueManager, shares: Iterable[Share]
) -> tuple[tuple[Share, ...], list[Share]]:
    """Divide shares into those of queues, and those of aliases here, which lead further.

    The former include the counted choice of each alias, without messages.
    """
    all_shares = tuple(shares)
    aliased = [share for share in all_shares if share_leads_further(qmgr, share)]
    direct = (replace(share, count=0) if share in aliased else share for share in all_shares)
    return tuple(share for share in direct if share.count or share.after), aliased


def on_current_queue(draft: Draft, qmgr: QueueManager, share: Share) -> Share:
    """Return a bound share with the current transmission queue of its channel."""
    if not share.channel or not share.to:
        return share
    return replace(share, lies_on=transmission_queues.ensure_in_use(draft, qmgr, share.channel))


def uncounted(share: Share, count: int) -> Share:
    """Return a share of `count` messages to the same destination, without another choice."""
    return replace(share, count=count, route="", before=None, after=None)
