"""What records in repositories rest on: whether they were seen, follow, or are assumed.

A queue manager that was created in the twin acts by the rules, so everything about it is derived.
Of one that was first seen in a feed, definitions are known, but not when they were published last:
the dates of its records follow from CLUSDATE, or begin with the import, so they are assumed. A
record that was seen in an answer to DISPLAY is observed. CLUSDATE and CLUSTIME show when it was
received; it is unknown whether a renewal moves them, so what rests on them alone is assumed. So is
a record that is held only because of a subscription that is assumed.

Source: design decisions 34, 38 and 42.

What channels, routes and choices rest on: whether they were seen, follow, or are assumed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from twin.fold.beliefs import Belief, LastSeen, RecordName
from twin.fold.estate import Estate, QueueManager
from twin.fold.messaging import RouteKey
from twin.model.basis import Basis, weakest
from twin.model.cluster_records import OBJECT_KINDS
from twin.model.instants import Instant
from twin.questions.assumed import assumed_uses
from twin.questions.sights import fresh
from twin.rules import standing
from twin.rules.channels import channel_status
from twin.rules.workload.choosing import Trace
from twin.rules.workload.routes import Route

ALWAYS: Final = 1 << 62
"""Later than every instant: until when something simulated is known."""


class RecordBasis(NamedTuple):
    """What a record, as one queue manager holds it, rests on.

    Attributes:
        content: that it is held, and its values.
        received: when it was received.
        dates: when it was published, and so when it expires and is removed.
    """

    content: Basis
    received: Basis
    dates: Basis


def basis_of_record(
    estate: Estate, observer: QueueManager, key: RecordName, belief: Belief
) -> RecordBasis:
    """Return what a record rests on."""
    content = basis_of_content(observer, key, belief)
    if content is Basis.ASSUMED:
        return RecordBasis(content, content, content)
    dates = _basis_of_dates(estate, key, belief)
    seen = last_seen(observer, key, belief)
    if seen is None or seen.received is None:
        return RecordBasis(content, dates, dates)
    doubtful = dates if belief.owner == observer.qmid else Basis.ASSUMED
    return RecordBasis(content, doubtful if seen.assumes_utc else Basis.OBSERVED, dates)


def basis_of_content(observer: QueueManager, key: RecordName, belief: Belief) -> Basis:
    """Return what it rests on that a queue manager holds a record, and the values of that.

    On a branch, one that was seen may be held only as it is assumed that it was asked for again.
    """
    if observer.may_be_rebuilt:
        return Basis.ASSUMED
    if belief.owner == observer.qmid:
        return basis_of_object(observer, key)
    seen = last_seen(observer, key, belief) is not None
    if (observer.simulated or not seen) and assumed_uses(observer, key, belief):
        return Basis.ASSUMED
    return Basis.OBSERVED if seen else Basis.DERIVED


def last_seen(observer: QueueManager, key: RecordName, belief: Belief) -> LastSeen | None:
    """Return when a queue manager was last seen to hold a record with these values, if ever."""
    seen = observer.repository.shown.get((key, belief.owner))
    return seen if seen is not None and seen.at >= belief.since else None


def received(observer: QueueManager, key: RecordName, belief: Belief) -> Instant:
    """Return when a record was received: as it was seen, or else as the rules say."""
    seen = last_seen(observer, key, belief)
    return belief.received if seen is None or seen.received is None else seen.received


def suspension_known_until(owner: QueueManager, key: RecordName) -> Instant:
    """Return until when it is known whether the owner of a record is suspended; 0 if it is not.

    A dump does not show it, but the row of the queue manager itself in DISPLAY CLUSQMGR does.
    """
    if not owner.observed or (owner.simulated and key[0] in owner.suspended):
        return ALWAYS
    seen = owner.repository.shown.get((key, owner.qmid))
    return 0 if seen is None else seen.at


def role_known(owner: QueueManager, key: RecordName) -> bool:
    """Return whether it is known of which clusters a queue manager is a full repository.

    Its own attributes say it, and so does its row in DISPLAY CLUSQMGR; a script that sets neither
    REPOS nor REPOSNL does not.
    """
    is_set = not {"REPOS", "REPOSNL"}.isdisjoint(owner.values)
    return owner.shows_all or is_set or (key, owner.qmid) in owner.repository.shown


def basis_of_object(owner: QueueManager, key: RecordName) -> Basis:
    """Return what the object of a record, as its owner defines it, rests on."""
    if not owner.observed or acted(owner, key):
        return Basis.DERIVED
    kind = OBJECT_KINDS[key[1]]
    defined = owner.definitions.get((kind, key[2]))
    seen = defined is None or owner.was_seen(kind, key[2], defined.type)
    return Basis.OBSERVED if seen else Basis.ASSUMED


def _basis_of_dates(estate: Estate, key: RecordName, belief: Belief) -> Basis:
    owner = estate.owner(belief.owner)
    if belief.sequence < 0 or (owner.observed and not acted(owner, key)):
        return Basis.ASSUMED
    return Basis.DERIVED


def acted(owner: QueueManager, key: RecordName) -> bool:
    """Return whether the last change of an object was a command, such as one on a branch."""
    definition = owner.definitions.get((OBJECT_KINDS[key[1]], key[2]))
    if definition is None or not owner.confirmed:
        return False
    return definition.position > max(seen.position for seen in owner.confirmed.values())


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
    saw running.
    """
    basis = basis_of_status(qmgr, channel, at)
    seen = qmgr.activity.seen.of_channel(channel) if basis is Basis.OBSERVED else None
    if seen is not None and at - seen.at <= fresh(estate, qmgr):
        return basis
    old = seen is not None and qmgr.is_only_observed
    guessed = old or (qmgr.simulated and _assumes_a_way(qmgr, channel, at))
    return Basis.ASSUMED if guessed else weakest((Basis.DERIVED, basis))


def _assumes_a_way(qmgr: QueueManager, channel: str, at: Instant) -> bool:
    """Return whether a channel is held for usable, and nobody saw it running: its link may be cut.

    A channel that is INACTIVE shows nothing of its way. Nor does its STATUS in CLUSQMGR.
    """
    seen = qmgr.activity.seen.of_channel(channel)
    state = channel_status.current_state(qmgr, channel, at)
    usable = state is None or state.status in standing.CARRIES
    return usable and qmgr.observed and (seen is None or seen.status != "RUNNING")


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
    return {"status": status, **dict.fromkeys(OF_THE_WAY, weakest((status, guessed)))}


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
