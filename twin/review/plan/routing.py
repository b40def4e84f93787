"""The section of a plan about routing: where puts go without the change and with it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

from twin.errors import TwinError
from twin.model.reasons import QMGR_NOT_AVAILABLE, UNKNOWN_ALIAS_BASE, UNKNOWN_OBJECT
from twin.questions.explain import ExplainRequest, Explanation

if TYPE_CHECKING:
    from twin.app.rehearsing import Rehearsal
    from twin.fold.estate import Estate, QueueManager
    from twin.review.plan.pair import RehearsedPair, Sides
    from twin.rules.workload.trace import Trace

_EQUALISING: Final = ("weight", "mruc")
"""Rules that only say whose turn it is."""


ANY_QUEUE: Final = "*"
"""Stands for every queue, where a queue manager itself starts or ends."""

_UNKNOWN: Final = (UNKNOWN_OBJECT, UNKNOWN_ALIAS_BASE)


class PlannedPut(NamedTuple):
    """A put to compare: at a queue manager, to a queue, with a bind option of `explain`."""

    on: str
    queue: str
    bind: str = "asqdef"


class RouteShare(NamedTuple):
    """A destination that takes turns.

    Attributes:
        qmgr: the queue manager.
        channel: the channel to it; '' if it is local.
        share: its share of 100 puts.
        ended: whether the queue manager has ended, so that what goes there waits, or is rerouted
            when its channel fails.
    """

    qmgr: str
    channel: str
    share: int
    ended: bool = False


@dataclass(frozen=True, slots=True)
class Routing:
    """Where a put goes.

    Attributes:
        shares: the destinations that take turns, by name; their shares add up to 100.
        reason: the reason code with which it fails; 0 if it does not.
        waits: what a message that is put now would wait for; '' if nothing.
        removed: queue manager -> the rule that excludes all its routes.
        notes: what it assumes.
    """

    shares: tuple[RouteShare, ...]
    reason: int
    waits: str
    removed: tuple[tuple[str, str], ...] = field(compare=False)
    notes: tuple[str, ...] = field(default=(), compare=False)

    @property
    def is_unknown(self) -> bool:
        """Whether the name is unknown."""
        return self.reason in _UNKNOWN


class UnknownPlannedPut(TwinError, LookupError):
    """A put that was named and resolves neither without the change nor with it."""

    def __init__(self, put: PlannedPut) -> None:
        super().__init__(f"{put.queue} is unknown at {put.on}, with the change and without it")


class RoutingChange(NamedTuple):
    """A put that goes elsewhere, fails otherwise, or waits for something else."""

    put: PlannedPut
    before: Routing
    after: Routing


def routing_changes(pair: RehearsedPair, puts: Iterable[PlannedPut]) -> Iterator[RoutingChange]:
    """Compare the puts that the change can affect, and those that were named.

    Raises:
        UnknownPlannedPut: if one of those resolves neither without the change nor with it.
    """
    named = tuple(dict.fromkeys(puts))
    affected = dict.fromkeys([*named, *sorted(_affected(pair))])
    asked = (pair.base.fork(), pair.changed.fork())
    for put in affected:
        before, after = (_routing(rehearsal, put) for rehearsal in asked)
        if put in named and before.is_unknown and after.is_unknown:
            raise UnknownPlannedPut(put)
        if before != after:
            yield RoutingChange(put, before, after)


def _affected(pair: RehearsedPair) -> set[PlannedPut]:
    """Return the puts to clustered names that the change can affect."""
    owners: dict[str, set[str]] = defaultdict(set)
    names: dict[str, set[str]] = defaultdict(set)
    for sides in pair.touched("repository"):
        _by_records(sides, owners[sides.name], names[sides.name])
    for sides in pair.touched("activity"):
        owners[sides.name] |= _by_channels(sides)
    for sides in pair.touched("definitions"):
        names[sides.name] |= _by_definitions(sides)
    every, ended = _by_attributes(pair)
    for name in pair.changed.estate.qmgrs if ended else ():
        owners[name] |= ended.keys()
    puts = {PlannedPut(name, ANY_QUEUE) for name in ended.values()}
    for name in (owners.keys() | names.keys() | every) - set(ended.values()):
        clustered = set()
        for rehearsal in (pair.base, pair.changed):
            if (qmgr := rehearsal.estate.qmgrs.get(name)) is not None:
                clustered |= _clustered(qmgr, None if name in every else owners[name])
        puts |= {PlannedPut(name, queue) for queue in clustered | names[name]}
    return puts


def _by_attributes(pair: RehearsedPair) -> tuple[set[str], dict[str, str]]:
    """Return who may choose otherwise, and who started or ended: QMID -> name."""
    choose, ended = set(), {}
    for name in pair.base.estate.qmgrs.keys() & pair.changed.estate.qmgrs.keys():
        before, after = pair.base.estate.qmgrs[name], pair.changed.estate.qmgrs[name]
        if before.values != after.values:
            choose.add(name)
        if before.running != after.running:
            ended[after.qmid] = name
    return choose, ended


def _by_records(sides: Sides, owners: set[str], names: set[str]) -> None:
    """Add the owners whose own record differs, and the queues with a record that differs."""
    old = sides.before.repository.beliefs if sides.before else {}
    new = sides.after.repository.beliefs if sides.after else {}
    for key in old.keys() | new.keys():
        was, now = old.get(key, {}), new.get(key, {})
        for owner in was.keys() | now.keys():
            before, after = was.get(owner), now.get(owner)
            if (before and before.values) == (after and after.values):
                continue
            if key[1] == "qmgr":
                owners.add(owner)
            elif key[1] == "queue":
                names.add(key[2])


def _by_channels(sides: Sides) -> set[str]:
    """Return the owners that are reached by a channel whose status differs."""
    if sides.before is None or sides.after is None:
        return set()
    old, new = sides.before.activity.channels, sides.after.activity.channels
    differing = {
        channel
        for channel in old.keys() | new.keys()
        if (old[channel].status if channel in old else "")
        != (new[channel].status if channel in new else "")
    }
    return {
        owner
        for qmgr in (sides.before, sides.after)
        for (_, owner), channels in qmgr.repository.routes.items()
        if differing & channels.keys()
    }


def _by_definitions(sides: Sides) -> set[str]:
    """Return the names of queues whose definition differs."""
    old = sides.before.definitions if sides.before else {}
    new = sides.after.definitions if sides.after else {}
    return {
        key[1]
        for key in old.keys() | new.keys()
        if key[0] == "QUEUE"
        and (key not in old or key not in new or old[key].values != new[key].values)
        and _is_clustered(old.get(key), new.get(key))
    }


def _is_clustered(*definitions: object) -> bool:
    return any(
        getattr(each, "values", {}).get("CLUSTER") or getattr(each, "values", {}).get("CLUSNL")
        for each in definitions
        if each is not None
    )


def _clustered(qmgr: QueueManager, owners: set[str] | None) -> set[str]:
    """Return the queues that a queue manager knows at some owners; None stands for all."""
    if owners is not None and not owners:
        return set()
    return {
        key[2]
        for key, belief in qmgr.repository.of_kind("queue")
        if owners is None or belief.owner in owners
    }


def _routing(rehearsal: Rehearsal, put: PlannedPut) -> Routing:
    qmgr = rehearsal.estate.qmgrs.get(put.on)
    if put.queue == ANY_QUEUE and qmgr is not None and qmgr.running:
        return Routing((), 0, "", ())
    if qmgr is None or not qmgr.running:
        return Routing((), QMGR_NOT_AVAILABLE, "", ())
    explained = rehearsal.explain(put.on, ExplainRequest(queue=put.queue, bind=put.bind))
    waits = str(explained.block) if explained.block is not None else ""
    if explained.trace is None:
        return Routing(_alone(explained), explained.reason, waits, (), explained.notes)
    trace = explained.trace
    shares = _shares(rehearsal.estate, trace) if trace.chosen is not None else ()
    removed = tuple(sorted(_removed(trace).items()))
    return Routing(shares, explained.reason, waits, removed, explained.notes)


def _alone(explained: Explanation) -> tuple[RouteShare, ...]:
    qmgr, channel = explained.alone
    return (RouteShare(qmgr, channel, 100),) if qmgr else ()


def _shares(estate: Estate, trace: Trace) -> tuple[RouteShare, ...]:
    """Return the destinations that take turns, with their shares of 100 puts."""
    routes = trace.finalists or ((trace.chosen,) if trace.chosen else ())
    weights = [1 if trace.context.even else route.weight for route in routes]
    total = sum(weights) or len(weights)
    shares = [
        RouteShare(
            route.qmgr,
            "" if route.local else route.channel,
            round(100 * (weight if sum(weights) else 1) / total),
            _has_ended(estate, route.qmid),
        )
        for route, weight in zip(routes, weights, strict=True)
    ]
    return tuple(sorted(shares))


def _has_ended(estate: Estate, qmid: str) -> bool:
    """Return whether a queue manager in the twin was deleted or does not run."""
    return qmid in estate.names and not estate.owner(qmid).running


def _removed(trace: Trace) -> dict[str, str]:
    """Return the queue managers of which no route is left, with the rule that excluded the last."""
    removed: dict[str, str] = {}
    left = {route.qmgr for route in trace.finalists}
    for route, rule, _ in trace.removals():
        if rule is not None and route.qmgr not in left and rule.name not in _EQUALISING:
            removed[route.qmgr] = rule.name
    return removed
