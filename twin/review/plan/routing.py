"""The section of a plan about routing: where puts go without the change and with it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from twin import events
from twin.errors import TwinError
from twin.model.reasons import (
    NO_ANSWER,
    QMGR_NOT_AVAILABLE,
    UNKNOWN_ALIAS_BASE,
    UNKNOWN_OBJECT,
)
from twin.questions.explanation import ExplainRequest, Explanation
from twin.review.plan.affected import (
    ANY_QUEUE,
    NOT_OPENED,
    PlannedPut,
    affected_puts,
    names_no_queue,
)
from twin.review.plan.alike import asked_in
from twin.review.plan.asking_members import (
    NO_SUCH_NAME,
    asking_members,
    cut_off,
    unused_name,
    with_other_answers,
)
from twin.review.plan.gateways import with_forwarded
from twin.review.plan.onward import RouteEnd, ends_of, leads_on
from twin.review.plan.shares import RouteShare, share_alone, shares_of
from twin.rules.membership import full_repository_of

if TYPE_CHECKING:
    from twin.app.rehearsing import Rehearsal
    from twin.review.plan.pair import RehearsedPair
    from twin.rules.workload.choosing import Trace

_EQUALISING: Final = "weight"
"""The rule that only says whose turn it is."""

_UNKNOWN: Final = (UNKNOWN_OBJECT, UNKNOWN_ALIAS_BASE)


PlanProgress: TypeAlias = Callable[[float, float, str], object]
"""Notes how much is done of a total, and the name of the step."""


class RouteRemoval(NamedTuple):
    """A queue manager of which a rule excludes all routes.

    Attributes:
        qmgr, qmid: the queue manager.
        rule: the name of the rule.
    """

    qmgr: str
    qmid: str
    rule: str


@dataclass(frozen=True, slots=True)
class Routing:
    """Where a put goes.

    Attributes:
        shares: the destinations that take turns, by name; their shares add up to 100.
        reason: the reason code with which it fails; 0 if it does not.
        waits: what a message that is put now would wait for; '' if nothing.
        removed: the queue managers of which a rule excludes all routes.
        notes: what it assumes.
        ends: where it ends if a gateway or an alias sends it on, or if it does not stay where it
            arrives.
    """

    shares: tuple[RouteShare, ...]
    reason: int
    waits: str
    removed: tuple[RouteRemoval, ...] = field(compare=False)
    notes: tuple[str, ...] = field(default=(), compare=False)
    ends: tuple[RouteEnd, ...] = ()

    @property
    def staying(self) -> frozenset[str]:
        """The queue managers of which a message waits until their channel works."""
        return frozenset(share.qmgr for share in self.shares if share.stays)

    @property
    def is_unknown(self) -> bool:
        """Whether the name is unknown."""
        return self.reason in _UNKNOWN


class UnknownPlannedPut(TwinError, LookupError):
    """A put that was named and resolves neither without the change nor with it."""

    def __init__(self, put: PlannedPut) -> None:
        super().__init__(f"{put.queue} is unknown at {put.on}, with the change and without it")


class RoutingChange(NamedTuple):
    """A put that goes elsewhere, fails otherwise, or waits for something else.

    Attributes:
        put: the put.
        before, after: where it goes without the change and with it.
        alike: the other queue managers that do not hold a record of the queue either: all of them
            ask a full repository, so the same is said of them.
        cluster: if the queue of the put is `NOT_OPENED`, the cluster of these queues; else ''.
            With `NO_SUCH_NAME`, the put is to a name that nobody has in any of its clusters.
    """

    put: PlannedPut
    before: Routing
    after: Routing
    alike: tuple[str, ...] = ()
    cluster: str = ""

    @property
    def is_worse(self) -> bool:
        """Whether the put fails, waits or ends badly, and otherwise than without the change."""
        failure = (self.after.reason, self.after.waits)
        ended = {end.way: end.share for end in self.before.ends}
        bad = any(end.is_bad and end.share > ended.get(end.way, 0) for end in self.after.ends)
        bad |= bool(self.after.staying - self.before.staying)
        return bad or failure not in ((0, ""), (self.before.reason, self.before.waits))


def routing_changes(
    pair: RehearsedPair,
    puts: Iterable[PlannedPut],
    progress: PlanProgress | None = None,
    *,
    checked: bool = False,
) -> Iterator[RoutingChange]:
    """Compare the puts that the change can affect, and those that were named.

    `progress` is called with how many are compared, and of how many. Those that were named may be
    unknown if they were `checked` at another instant.

    Raises:
        UnknownPlannedPut: if one of those resolves neither without the change nor with it.
    """
    named = tuple(dict.fromkeys(puts))
    affected, reached, sending = affected_puts(pair)
    whom = asked_in(pair)
    silenced = cut_off(pair, whom)
    over = {each.on for each in affected if each.queue == ANY_QUEUE}
    affected = {
        each
        for each in with_forwarded(pair, affected | {*named}, reached, sending, silenced)
        if (each.on not in over or each.queue == ANY_QUEUE) and not names_no_queue(pair, each)
    }
    asking = list(asking_members(pair, affected | {*named}, silenced, whom))
    nobody = unused_name(pair)
    wanted = [_Asked(put) for put in dict.fromkeys([*named, *sorted(affected)])]
    wanted += [
        _Asked(PlannedPut(first, queue), tuple(others), cluster, NOT_OPENED if cluster else "")
        for queue, (first, *others), cluster in asking
    ]
    wanted += [
        _Asked(PlannedPut(first, nobody), tuple(others), any_queue=NO_SUCH_NAME)
        for first, *others in with_other_answers(pair, silenced, whom)
    ]
    for done, (each, forks) in enumerate(zip(wanted, _forks(pair), strict=False)):
        if progress is not None:
            progress(done, len(wanted), "comparing")
        put = each.put
        before, after = (_routing(rehearsal, put) for rehearsal in forks)
        if not checked and put in named and before.is_unknown and after.is_unknown:
            raise UnknownPlannedPut(put)
        if each.any_queue:
            put = PlannedPut(put.on, each.any_queue)
            before, after = map(_of_any_queue, (before, after))
        if before != after:
            yield RoutingChange(put, before, after, each.others, each.cluster)


class _Asked(NamedTuple):
    """A put to compare, the others that are alike, and which queues it stands for."""

    put: PlannedPut
    others: tuple[str, ...] = ()
    cluster: str = ""
    any_queue: str = ""


def _forks(pair: RehearsedPair) -> Iterator[tuple[Rehearsal, Rehearsal]]:
    """Yield the two rehearsals for each put, which may ask full repositories for names.

    What one put asks for stays known to the next: nobody else feels that. But if a channel failed
    or time passed as it asked, one put would stand in another one's way, and so it would where the
    queues or the storage of a full repository are limited, or commands take time. Then the next one
    gets new forks.
    """
    originals = pair.base, pair.changed
    alone = any(
        any(link.latency for link in each.estate.links.values())
        or any(
            qmgr.cluster_queues_changed and full_repository_of(qmgr)
            for qmgr in each.estate.qmgrs.values()
        )
        for each in originals
    )
    while True:
        forks = pair.base.fork(), pair.changed.fork()
        known = [len(each.decided) for each in forks]
        yield forks
        while not alone and not any(map(_is_disturbed, forks, originals, known)):
            known = [len(each.decided) for each in forks]
            yield forks


def _is_disturbed(fork: Rehearsal, original: Rehearsal, known: int) -> bool:
    """Return whether time passed or a channel failed in a fork after its first events."""
    return fork.estate.instant > original.now() or any(
        isinstance(event, events.ChannelStatusChanged) and event.status != "RUNNING"
        for _, event in fork.decided[known:]
    )


def _of_any_queue(routing: Routing) -> Routing:
    """Return what is said of all queues that have to be asked for, from the put to one of them."""
    is_unknown = routing.is_unknown or routing.reason == NO_ANSWER
    return Routing((), routing.reason if is_unknown else 0, "", ())


def _routing(rehearsal: Rehearsal, put: PlannedPut) -> Routing:
    """Return where a put goes; what it requests stays in the rehearsal, which is made for it."""
    qmgr = rehearsal.estate.qmgrs.get(put.on)
    if put.queue == ANY_QUEUE and qmgr is not None and qmgr.running:
        return Routing((), 0, "", ())
    if qmgr is None or not qmgr.running:
        return Routing((), QMGR_NOT_AVAILABLE, "", ())
    request = ExplainRequest(queue=put.queue, bind=put.bind)
    explained = rehearsal.explain(put.on, request, keeps=True, brief=True)
    waits = str(explained.block) if explained.block is not None else ""
    trace = explained.trace
    shares, removed = share_alone(rehearsal, explained), list[RouteRemoval]()
    if trace is not None:
        shares = shares_of(rehearsal, explained, trace) if trace.chosen is not None else ()
        removed = _removed(trace)
    return Routing(
        shares,
        explained.reason,
        waits,
        tuple(sorted(removed)),
        explained.assumptions,
        _ends(rehearsal, put, explained, shares),
    )


def _ends(
    rehearsal: Rehearsal, put: PlannedPut, explained: Explanation, shares: Iterable[RouteShare]
) -> tuple[RouteEnd, ...]:
    """Follow a message that does not stay where it goes first."""
    estate, queue = rehearsal.estate, explained.resolved.queue or put.queue
    sent = (share for share in shares if share.channel or not explained.reason)
    if not any(leads_on(estate, share.qmgr, queue) for share in sent):
        return ()
    return ends_of(rehearsal.estate, rehearsal.follow(put.on, put.queue, put.bind))


def _removed(trace: Trace) -> list[RouteRemoval]:
    """Return the queue managers of which no route is left, with the rule that excluded the last."""
    left = {route.qmid for route in trace.finalists}
    removed = {  # the steps are in the order of the rules, so the last one of a QMID stays
        fall.route.qmid: RouteRemoval(fall.route.qmgr, fall.route.qmid, step.rule.name)
        for step in trace.steps
        for fall in step.falls
    }
    return [each for qmid, each in removed.items() if qmid not in left and each.rule != _EQUALISING]
