"""What channels, routes and choices rest on: whether they were seen, follow, or are assumed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from twin.fold.estate import Estate, QueueManager
from twin.fold.messaging import RouteKey
from twin.model.basis import Basis, weakest
from twin.model.instants import Instant
from twin.questions.basis import basis_of_content
from twin.questions.sights import fresh
from twin.rules import standing
from twin.rules.channels import channel_status
from twin.rules.workload.choosing import Trace
from twin.rules.workload.routes import Route

_BY_WEIGHT: Final = "weight"

COUNTERS: Final = ("factor", "last_use")
"""The columns of `explain` with the counters of a route: a row rests on them by `chosen` only."""

OF_THE_WAY: Final = ("waits", "next_retry")
"""The columns of `explain` that rest on whether the channel of a route can start and send."""


def basis_of_status(qmgr: QueueManager, channel: str, at: Instant) -> Basis:
    """Return what the status of a channel rests on.

    It was observed if it has not changed since it was last seen; else it follows from the rules.
    If nobody saw it at an observed queue manager, or not since that last started, it is what would
    usually be: on main it is assumed, while on a branch the rules decide.
    """
    unseen = Basis.ASSUMED if qmgr.is_only_observed else Basis.DERIVED
    if qmgr.is_only_observed and qmgr.running and not standing.stands(qmgr, channel):
        return unseen
    seen = qmgr.activity.seen.of_channel(channel)
    if seen is None or seen.at > at or qmgr.may_be_rebuilt:
        return unseen
    state = channel_status.current_state(qmgr, channel, at)
    status = state.status if state is not None else "INACTIVE"
    stands = qmgr.is_only_observed  # also if the channel became known after it was seen
    same = seen.status == status and (stands or state is None or state.since <= seen.at)
    return Basis.OBSERVED if same else Basis.DERIVED


def basis_of_shown_status(estate: Estate, qmgr: QueueManager, channel: str, at: Instant) -> Basis:
    """Return what the status of a channel rests on as an answer shows it.

    It was observed if a capture shows it that is still fresh. An older sight still stands, but that
    nothing has changed since is assumed. So is, on a branch, that a channel can start which nobody
    saw running, and that the link of one that was seen RETRYING stays as it was.
    """
    basis = basis_of_status(qmgr, channel, at)
    seen = qmgr.activity.seen.of_channel(channel) if basis is Basis.OBSERVED else None
    if seen is not None and at - seen.at <= fresh(estate, qmgr):
        return basis
    old = seen is not None and qmgr.is_only_observed
    guessed = old or (
        qmgr.simulated
        and (_assumes_a_way(qmgr, channel, at) or _assumes_a_cut(estate, qmgr, channel, at))
    )
    return Basis.ASSUMED if guessed else weakest((Basis.DERIVED, basis))


def _assumes_a_way(qmgr: QueueManager, channel: str, at: Instant) -> bool:
    """Return whether a channel is held for usable, and nobody saw it running: its link may be cut.

    A channel that is INACTIVE shows nothing of its way. Nor does its STATUS in CLUSQMGR.
    """
    if not qmgr.observed:
        return False
    seen = qmgr.activity.seen.of_channel(channel)
    state = channel_status.current_state(qmgr, channel, at)
    usable = state is None or state.status in standing.CARRIES
    return usable and (seen is None or seen.status != "RUNNING")


def _assumes_a_cut(estate: Estate, qmgr: QueueManager, channel: str, at: Instant) -> bool:
    """Return whether a channel retries because the link to its partner is assumed to be cut."""
    state = channel_status.current_state(qmgr, channel, at)
    if state is None or state.status != "RETRYING":
        return False
    target = estate.qmgrs.get(state.partner)
    return (
        target is not None
        and target.running
        and channel_status.is_assumed_cut(estate, qmgr, channel, target)
    )


def bases_of_routes(
    estate: Estate, qmgr: QueueManager, trace: Trace, at: Instant, known: int
) -> dict[RouteKey, Mapping[str, Basis]]:
    """Return for each route of a choice what its columns rest on.

    Which of several equal routes is next depends on what was sent before. Of an observed queue
    manager that is not known: its counters (`COUNTERS`) are assumed to be zero. A choice is never
    observed: it follows from what was. That it would be told what it has no record of is assumed,
    too: `known` is the position after which the full repositories answered.
    """
    counted = Basis.ASSUMED if qmgr.observed else Basis.DERIVED
    records = {
        route.key: weakest([Basis.DERIVED, *_records(qmgr, route, known)]) for route in trace.routes
    }
    guessed = qmgr.observed and any(row["removed_by"] == _BY_WEIGHT for row in trace.rows())
    chosen = Basis.ASSUMED if guessed else weakest(records.values())
    return {
        route.key: {
            "qmgr": records[route.key],
            **_bases_of_use(estate, qmgr, route, at),
            "chosen": chosen,
            **dict.fromkeys(COUNTERS, counted),
        }
        for route in trace.routes
    }


def _bases_of_use(
    estate: Estate, qmgr: QueueManager, route: Route, at: Instant
) -> Mapping[str, Basis]:
    """Return what it rests on that a route can be used; no channel leads to a local queue.

    None leads to a namesake either whose CLUSRCVR has the name of the one here.
    """
    if route.qmid == qmgr.qmid or qmgr.channels.get(route.channel) == "CLUSRCVR":
        return {"status": Basis.DERIVED}
    status = basis_of_shown_status(estate, qmgr, route.channel, at)
    guessed = Basis.ASSUMED if _assumes_a_way(qmgr, route.channel, at) else Basis.DERIVED
    way = status if status.rank > guessed.rank else guessed
    return {"status": status, **dict.fromkeys(OF_THE_WAY, way)}


def _records(qmgr: QueueManager, route: Route, known: int) -> Iterator[Basis]:
    """Yield what the records of a route rest on: of its queue manager, and of its queue.

    That a queue manager sends at all is assumed if it is not known whether it runs.
    """
    beliefs = qmgr.repository.beliefs
    if standing.runs(qmgr) is None:
        yield Basis.ASSUMED
    for name in (
        (route.cluster, "qmgr", route.channel),
        (route.queue_cluster or route.cluster, "queue", route.queue),
    ):
        belief = beliefs.get(name, {}).get(route.qmid)
        if belief is not None:
            told = qmgr.observed and belief.position > known
            yield Basis.ASSUMED if told else basis_of_content(qmgr, name, belief)
