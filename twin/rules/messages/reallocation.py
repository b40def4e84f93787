"""Waiting messages are rerouted when their channel stops, fails, or fails a retry.

Sources: IBM, "When does re-allocation occur?" (when a cluster-sender channel stops, and again at
each retry that fails; messages that are bound stay, and so do messages whose destination is still
among the best); IBM MQ 9.4, "Example of a cluster with more than one instance of a queue" (messages
in doubt stay; on z/OS a forced stop interrupts a pass); "Working with cluster transmission queues
and cluster-sender channels" (the other route may have another transmission queue).

An interrupted pass handles the first half of the messages that it could move [inferred]. Messages
of several puts are routed together, destination by destination; MQ does not keep their order
either. A message whose new queue is full or put-disabled stays, and its choice is not counted,
because the messages after it would be routed the same way.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import Literal, TypeAlias

from twin.events import ExitSaid, MessagesReallocated, Move, Parcel, Share
from twin.fold import parcels
from twin.fold.estate import QueueManager
from twin.fold.messaging import RouteKey
from twin.model.reasons import NO_DESTINATIONS
from twin.rules.draft import Draft
from twin.rules.messages import capacity, destinations, outbound, put_plan, workload_exits
from twin.rules.messages.resolution import Resolver
from twin.rules.messages.resolved import Resolved
from twin.rules.queues import put_times, transmission_queues
from twin.rules.queues.local_queues import depth_left, local_queue
from twin.rules.queues.put_times import NamedQueue, Reallocatable, eligible
from twin.rules.workload.choosing import RoutePlan
from twin.rules.workload.rules import VERSION

PassCause: TypeAlias = Literal["stop", "retry"]


@dataclass(frozen=True, slots=True)
class BestRoutes:
    """The best routes for waiting messages of one name.

    Source: IBM, the article on re-allocation: the choice is made again, and messages whose
    destination is still among the most favourable stay.

    Attributes:
        resolved: the resolved name.
        plan: the routes that the rules left; None if the name does not lead into a cluster.
        candidates: the routes that the choice is made from; None without a cluster.
        reason: the reason code if no route can be chosen, else 0.
        keys: the routes that take turns.
    """

    resolved: Resolved
    plan: RoutePlan | None = None
    reason: int = 0
    keys: frozenset[RouteKey] = frozenset()
    candidates: destinations.Candidates | None = None

    @classmethod
    def now(cls, draft: Draft, qmgr: QueueManager, queue: str, named: str) -> BestRoutes:
        """Find the best routes as they are now, without requesting records.

        An alias here that leads nowhere is not among them, as where messages arrive.
        """
        resolved = Resolver(draft, qmgr, asks=False).resolve(queue, named)
        if not resolved.clustered:
            return cls(resolved, reason=resolved.reason or NO_DESTINATIONS)
        dead = (
            destinations.is_further(qmgr, resolved.queue)
            and cls.by_alias(draft, qmgr, resolved.queue).reason
        )
        without = {qmgr.qmid} if dead else set()
        candidates = destinations.candidates(qmgr, resolved, without=without)
        plan = candidates.plan()
        finalists = () if plan.reason else plan.finalists(qmgr.messaging.workload)
        keys = frozenset(route.key for route in finalists)
        return cls(resolved, plan, plan.reason, keys, candidates)

    @classmethod
    def by_alias(cls, draft: Draft, qmgr: QueueManager, alias: str) -> BestRoutes:
        """Find the best routes of an alias here that was chosen, as a put resolves it."""
        resolver = Resolver(draft, qmgr, asks=False)
        resolved = resolver.local(qmgr.definitions["QUEUE", alias])
        if resolved.refusal or not resolved.clustered:
            return cls(resolved, reason=resolved.refusal)
        candidates = destinations.candidates(qmgr, resolved)
        plan = candidates.plan()
        return cls(resolved, plan, plan.reason, candidates=candidates)

    def keeps(self, parcel: Parcel) -> bool:
        """Return whether messages stay, because their route is among the best or none is known."""
        return bool(self.reason) or (parcel.to, parcel.channel) in self.keys

    def division(self, draft: Draft, qmgr: QueueManager) -> put_plan.Division:
        """Return how messages divide among the best routes."""
        if self.plan is None:
            return put_plan.along(draft, destinations.unclustered(qmgr, self.resolved, 1))
        return put_plan.by_routes(draft, qmgr, self.resolved, self.plan).at_bases(qmgr)

    def next_queue(self, draft: Draft, qmgr: QueueManager) -> str:
        """Return the queue that the next message would be put on; '' if there is none."""
        if self.reason:
            return ""
        if self.plan is None:
            return destinations.unclustered(qmgr, self.resolved, 1).lies_on
        portion = self.plan.choose(qmgr.messaging.workload)
        if portion is None:
            return ""
        if not portion.route.local:
            return transmission_queues.in_use(qmgr, portion.route.channel)
        name = destinations.local_base(qmgr, self.resolved.queue)
        if destinations.is_further(qmgr, name):
            return BestRoutes.by_alias(draft, qmgr, name).next_queue(draft, qmgr)
        return name


def run(
    draft: Draft,
    qmgr: QueueManager,
    channel: str,
    cause: PassCause,
    *,
    interrupted: bool = False,
    quiet: bool = False,
) -> None:
    """Run a reallocation pass: reroute all eligible messages, and send them at once.

    A message that does not fit on its new queue stays, and so do all messages after it. A `quiet`
    pass that moves nothing is not recorded, because it follows from the retries of the channel.
    """
    waiting_here = list(eligible(qmgr, channel))
    movable = _first_half(waiting_here) if interrupted else waiting_here
    beyond = _count(waiting_here) - _count(movable)
    this = _Pass(draft, qmgr, channel, cause, interrupted=interrupted)
    stayed: dict[str, int] = {}
    failed: dict[NamedQueue, bool] = {}
    for (queue, *_), waiting in _alike(movable).items():
        first = waiting[0]
        best = BestRoutes.now(draft, qmgr, first.queue, first.named)
        moving, division = this.choose(waiting, best)
        unfit = this.move(queue, moving, best, division) if division else []
        failed[first.queue, first.named] = bool(best.reason or unfit)
        count = parcels.count_of(waiting) - parcels.count_of(moving) + parcels.count_of(unfit)
        if count:
            stayed[queue] = stayed.get(queue, 0) + count
    for queue, count in stayed.items() if this.moved or not quiet else ():
        this.record(queue, (), stayed=count)
    put_times.record_pass(draft, qmgr, channel, failed, beyond=beyond)
    this.forward()


@dataclass(slots=True)
class _Pass:
    """A pass in progress.

    `going` has the shares of rerouted messages that were not sent yet. `exit_said` is the last
    answer of the workload exit; it is not called again if `exit_over`.
    """

    draft: Draft
    qmgr: QueueManager
    channel: str
    cause: PassCause
    interrupted: bool
    moved: bool = False
    going: list[Share] = field(default_factory=list)
    exit_said: ExitSaid | None = None
    exit_over: bool = False

    def choose(
        self, waiting: list[Parcel], best: BestRoutes
    ) -> tuple[list[Parcel], put_plan.Division | None]:
        """Return which of some messages leave their route, and how these divide, if any do.

        All leave it or none, unless a workload exit chooses: it is called for each message.
        """
        draft, qmgr, first = self.draft, self.qmgr, waiting[0]
        name, exit_ = workload_exits.exit_of(draft, qmgr)
        if exit_ is None or self.exit_over or best.candidates is None or best.resolved.fixed:
            return ([], None) if best.keeps(first) else (waiting, best.division(draft, qmgr))
        choices = workload_exits.choose_again(
            qmgr,
            name,
            exit_,
            best.candidates,
            parcels.count_of(waiting),
            current=(first.to, first.channel),
        )
        self.exit_said, self.exit_over = choices.exit_said, choices.over
        workload_exits.note_failure(draft, qmgr, self.exit_said, first.queue)
        moving, _ = parcels.split(waiting, len(choices.routes))
        if not moving:
            return [], None
        division = put_plan.by_choices(draft, qmgr, best.resolved, best.candidates, choices)
        return moving, division.at_bases(qmgr)

    def move(
        self, queue: str, waiting: list[Parcel], best: BestRoutes, division: put_plan.Division
    ) -> list[Parcel]:
        """Move messages from a queue to the best routes; return those that do not fit there.

        If space is short, they are moved in parts: messages that are sent make space for the next.
        """
        draft, qmgr = self.draft, self.qmgr
        while waiting:
            first, shares = waiting[0], cache(division.shares)

            def laying(share: Share, first: Parcel = first) -> Parcel:
                return parcels.readdressed(first, share, draft.at)

            count = parcels.count_of(waiting)
            fit = capacity.fit(draft, qmgr, shares, count, laying, already=queue)
            if fit.first < count and self.going:
                self.forward()
                continue
            moving, waiting = parcels.split(waiting, fit.first)
            if staying := self._move_together(queue, moving, shares(fit.first), best.plan):
                return [*staying, *waiting]
            if fit.first == fit.total:
                break
            division = division.after(fit.first)
        return waiting

    def _move_together(
        self,
        queue: str,
        moving: list[Parcel],
        shares: Iterable[Share],
        plan: RoutePlan | None,
    ) -> list[Parcel]:
        """Move messages that fit, those for an alias here by the alias; return those that stay.

        The choice of an alias that leads to a full queue is not counted.
        """
        draft, qmgr = self.draft, self.qmgr
        direct, aliased = destinations.apart(qmgr, shares)
        leading = {
            share.lies_on: BestRoutes.by_alias(draft, qmgr, share.lies_on) for share in aliased
        }
        dead = {
            name
            for name, best in leading.items()
            if not _has_room(qmgr, best.next_queue(draft, qmgr), queue)
        }
        counted = (share for share in direct if share.count or share.lies_on not in dead)
        _, rest = parcels.split(moving, sum(share.count for share in direct))
        if moves := tuple(_moves(moving, counted)):
            self.record(queue, moves, profile=plan.context.profile if plan else "")
        for share in aliased:
            if share.lies_on in dead:
                return rest
            part, rest = parcels.split(rest, share.count)
            best = leading[share.lies_on]
            if staying := self.move(queue, part, best, best.division(draft, qmgr)):
                return [*staying, *rest]
        return []

    def record(
        self, queue: str, moves: tuple[Move, ...], *, stayed: int = 0, profile: str = ""
    ) -> None:
        """Record that messages were moved from a queue, or stayed on it."""
        self.draft.emit(
            MessagesReallocated(
                qmgr=self.qmgr.name,
                channel=self.channel,
                queue=queue,
                cause=self.cause,
                moves=moves,
                stayed=stayed,
                interrupted=self.interrupted,
                profile=profile,
                version=VERSION,
                exit=self.exit_said,
            )
        )
        self.moved = self.moved or bool(moves)
        self.going += (move.share for move in moves if move.share.channel)

    def forward(self) -> None:
        """Send the messages that were moved."""
        going, self.going = self.going, []
        outbound.forward_shares(self.draft, self.qmgr, going)


class Prospects:
    """The effects that a pass would have now at a queue manager.

    The routes of each name are computed once.
    """

    def __init__(self, draft: Draft, qmgr: QueueManager) -> None:
        """Prepare; routes are computed when they are needed."""
        self._qmgr = qmgr
        self._asks_exit = workload_exits.exit_of(draft, qmgr)[1] is not None
        self._best = cache(partial(BestRoutes.now, draft, qmgr))
        self._next_queue = cache(lambda *name: self._best(*name).next_queue(draft, qmgr))

    def move(self, channel: str) -> bool:
        """Return whether any message that waits for a channel would be moved.

        A workload exit might move any of them.
        """
        return any(
            self._asks_exit
            or (
                not self._of(waiting.parcel).keeps(waiting.parcel)
                and not self._finds_no_room(waiting.parcel)
            )
            for waiting in eligible(self._qmgr, channel)
        )

    def fail(self, parcel: Parcel) -> bool:
        """Return whether the choice for messages would fail, or lead to a queue without space."""
        best = self._of(parcel)
        return bool(best.reason) or (not best.keeps(parcel) and self._finds_no_room(parcel))

    def _of(self, parcel: Parcel) -> BestRoutes:
        return self._best(parcel.queue, parcel.named)

    def _finds_no_room(self, parcel: Parcel) -> bool:
        """Return whether a message would move to another queue that has no space."""
        already = transmission_queues.in_use(self._qmgr, parcel.channel)
        return not _has_room(self._qmgr, self._next_queue(parcel.queue, parcel.named), already)


def _has_room(qmgr: QueueManager, name: str, already: str) -> bool:
    """Return whether a queue has space for a message; it needs none if it is `already` there.

    '' stands for a choice that fails. A queue that is only created by the move has space.
    """
    queue = local_queue(qmgr, name)
    return bool(name) and (queue is None or name == already or bool(depth_left(qmgr, queue)))


_Kind: TypeAlias = tuple[str, str, str, str]
"""(queue that messages are on, queue and queue manager they were put to, current destination)."""


def _alike(movable: Iterable[Reallocatable]) -> dict[_Kind, list[Parcel]]:
    """Group messages for which the choice is the same, in their order."""
    groups: dict[_Kind, list[Parcel]] = {}
    for queue, parcel, _ in movable:
        groups.setdefault((queue, parcel.queue, parcel.named, parcel.to), []).append(parcel)
    return groups


def _count(movable: Iterable[Reallocatable]) -> int:
    return sum(waiting.parcel.count for waiting in movable)


def _first_half(movable: list[Reallocatable]) -> list[Reallocatable]:
    rest = _count(movable) // 2
    half: list[Reallocatable] = []
    for waiting in movable:
        taken = min(waiting.parcel.count, rest)
        rest -= taken
        if taken:
            half.append(waiting._replace(parcel=replace(waiting.parcel, count=taken)))
    return half


def _moves(moving: Iterable[Parcel], shares: Iterable[Share]) -> Iterator[Move]:
    """Divide shares among the puts of the messages; each share is counted once."""
    coming = iter(moving)
    put, remaining = 0, 0
    for share in shares:
        rest = share
        if not share.count:  # the choice of an alias
            yield Move(put=put, share=share)
        while rest.count:
            if not remaining:
                parcel = next(coming)
                put, remaining = parcel.put, parcel.count
            taken = min(remaining, rest.count)
            yield Move(put=put, share=replace(rest, count=taken))
            remaining -= taken
            rest = destinations.uncounted(rest, rest.count - taken)
