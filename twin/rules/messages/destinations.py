"""Destinations of messages whose name is resolved: what the choice gives, as shares of a put.

A local queue, a transmission queue that leads out of the clusters, or what the workload choice
says; and the choice made anew for messages that wait. Source: IBM MQ 8.0, "The cluster workload
management algorithm", for when a choice is made.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

from twin.events import Parcel, Share
from twin.fold.estate import QueueManager
from twin.model.channel_types import UNCLUSTERED
from twin.model.objects import text_of
from twin.model.reasons import NO_DESTINATIONS
from twin.rules.draft import Draft
from twin.rules.messages import resolution
from twin.rules.messages.resolved import Resolved
from twin.rules.queues import transmission_queues
from twin.rules.queues.local_queues import local_queue
from twin.rules.workload.choosing import Plan, Portion
from twin.rules.workload.context import Context, Profile, profile_of
from twin.rules.workload.filters import group_of
from twin.rules.workload.gathering import context_of, routes_of
from twin.rules.workload.routes import Route


@dataclass(frozen=True, slots=True)
class Candidates:
    """What there is to choose from for a name, and what the choice looks at."""

    routes: tuple[Route, ...]
    context: Context

    def plan(self) -> Plan:
        """Apply the rules that do not look at counters."""
        return Plan.of(self.routes, self.context)


def candidates(
    qmgr: QueueManager,
    resolved: Resolved,
    *,
    profile: str = "",
    arrived: bool = False,
    without: Collection[str] = (),
) -> Candidates:
    """Collect what there is to choose from for a name that leads into clusters.

    Args:
        qmgr: where the choice is made.
        resolved: what the name came to.
        profile: 'v8' or 'v7', '' for that of the command level.
        arrived: whether the messages came over a cluster channel.
        without: QMIDs of queue managers that are no candidates.
    """
    asked = resolved.named or resolved.queue
    found = routes_of(qmgr, asked, resolved.instances)
    routes = tuple(route for route in found if route.qmid not in without)
    order = order_of(qmgr, profile)
    return Candidates(routes, context_of(qmgr, asked, arrived=arrived, profile=order))


def order_of(qmgr: QueueManager, profile: str) -> Profile:
    """Say which order of the rules holds: the one that is asked for, or the command level's."""
    return "v8" if profile == "v8" else "v7" if profile == "v7" else profile_of(qmgr.cmdlevel)


def take(qmgr: QueueManager, resolved: Resolved, plan: Plan, count: int) -> tuple[Portion, ...]:
    """Choose for `count` messages; those for a queue manager that was named count for nothing.

    They all go one way: only the rules choose between the channels to it.
    """
    if not resolved.fixed:
        return plan.take(qmgr.messaging.workload, count)
    portion = plan.choose(qmgr.messaging.workload)
    return () if portion is None or not count else (Portion(portion.route, count, None, None),)


def share_of(draft: Draft, qmgr: QueueManager, resolved: Resolved, portion: Portion) -> Share:
    """Say where a portion of the messages goes, and what it lies on here until it leaves.

    A transmission queue of the channel's own is made where there is none yet.
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


def unclustered(qmgr: QueueManager, resolved: Resolved, count: int) -> Share:
    """Say where messages go that no cluster is asked for: a local or a transmission queue."""
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
    """Name the SDR or SVR channel that takes messages off a transmission queue, '' for none.

    Of several it is one that runs, else the one in the best of the groups of states that the
    workload choice knows, and of equal ones the first by name [inferred].
    """
    states = qmgr.activity.channels
    found = (
        name
        for name, channel_type in qmgr.channels.items()
        if channel_type in UNCLUSTERED
        and qmgr.definitions["CHANNEL", name].values.get("XMITQ") == xmitq
    )

    def rank(name: str) -> tuple[bool, int, str]:
        status = states[name].status if name in states else "INACTIVE"
        return status != "RUNNING", group_of(status), name

    return min(found, key=rank, default="")


@dataclass(frozen=True, slots=True)
class Favourites:
    """The best that there is for messages of one name that wait.

    Source: IBM, the article on re-allocation: the choice is made anew, and messages whose
    destination is still among the most favourable stay.

    Attributes:
        resolved: what the name comes to.
        plan: the routes that are left, None where the name leads into no cluster.
        reason: the reason code where nothing can be chosen.
        keys: the routes that take turns.
    """

    resolved: Resolved
    plan: Plan | None = None
    reason: int = 0
    keys: frozenset[tuple[str, str]] = frozenset()

    def keeps(self, parcel: Parcel) -> bool:
        """Say whether messages stay: their own route is among the best, or there is none."""
        return bool(self.reason) or (parcel.to, parcel.channel) in self.keys


def favourites(draft: Draft, qmgr: QueueManager, queue: str, named: str) -> Favourites:
    """Say which routes are the best now for messages that wait; no repository is asked."""
    resolved = resolution.Resolver(draft, qmgr, asks=False).resolve(queue, named)
    if not resolved.clustered:
        return Favourites(resolved, reason=resolved.reason or NO_DESTINATIONS)
    plan = candidates(qmgr, resolved).plan()
    if plan.reason:
        return Favourites(resolved, plan, plan.reason)
    kept = plan.finalists(qmgr.messaging.workload)
    return Favourites(resolved, plan, keys=frozenset(route.key for route in kept))


def shares_of(
    draft: Draft, qmgr: QueueManager, resolved: Resolved, portions: Iterable[Portion]
) -> tuple[Share, ...]:
    """Say where each portion of the messages goes."""
    return tuple(share_of(draft, qmgr, resolved, portion) for portion in portions)


def local_base(qmgr: QueueManager, name: str) -> str:
    """Name the local queue that an alias of it leads to; any other name as it is."""
    alias = qmgr.definitions.get(("QUEUE", name))
    if alias is None or alias.type != "QALIAS":
        return name
    base = local_queue(qmgr, text_of(alias, "TARGET"))
    return name if base is None else base.name


def of_now(draft: Draft, qmgr: QueueManager, share: Share) -> Share:
    """Give a share that was bound earlier with the transmission queue its channel has now."""
    if not share.channel or not share.to:
        return share
    return replace(share, lies_on=transmission_queues.ensure_in_use(draft, qmgr, share.channel))


def uncounted(share: Share, count: int) -> Share:
    """Give a share for messages that follow one that was chosen: these choose nothing."""
    return replace(share, count=count, route="", before=None, after=None)
