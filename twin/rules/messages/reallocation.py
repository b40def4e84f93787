"""Messages that wait for a channel are chosen another route for, as it stops or fails.

Sources: IBM, "When does re-allocation occur?" (when a cluster-sender channel stops, and again at
each retry that fails; what is bound stays, and so does what still has the best destination); IBM MQ
9.4, "Example of a cluster with more than one instance of a queue" (what is in doubt stays; on z/OS
a forced stop interrupts a pass); "Working with cluster transmission queues and cluster-sender
channels" (the other route may have another transmission queue).

A pass that is interrupted looks at the first half of what it could [inferred]. Messages of several
puts that are chosen for together go one destination after the other, first things first: their
order is not kept by MQ either. A message whose new queue is full or put-disabled stays, and counts
no turn: those behind it would be chosen the same way.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import Literal, TypeAlias

from twin.events import MessagesReallocated, Move, Parcel, Share
from twin.fold.estate import QueueManager
from twin.fold.queue_contents import split
from twin.rules.draft import Draft
from twin.rules.messages import capacity, destinations, dividing, outbound
from twin.rules.messages.destinations import Favourites
from twin.rules.queues import put_times, transmission_queues
from twin.rules.queues.local_queues import depth_left, local_queue
from twin.rules.queues.put_times import NamedQueue, Reallocatable, eligible
from twin.rules.workload.rules import VERSION

Cause: TypeAlias = Literal["stop", "retry"]


def run(
    draft: Draft,
    qmgr: QueueManager,
    channel: str,
    cause: Cause,
    *,
    interrupted: bool = False,
    quiet: bool = False,
) -> None:
    """Make a pass: choose for all that may go another way, and let what does go at once.

    What finds no room where it would go stays, as does all behind it. A `quiet` pass that moves
    nothing is not recorded: it can be told from the channel's retries.
    """
    found = list(eligible(qmgr, channel))
    beyond = 0
    if interrupted:
        there = _count(found)
        found = _first_half(found)
        beyond = there - _count(found)
    this = _Pass(draft, qmgr, channel, cause, interrupted=interrupted)
    stayed: dict[str, int] = {}
    failed: dict[NamedQueue, bool] = {}
    for (queue, *_), parcels in _alike(found).items():
        first = parcels[0]
        best = destinations.favourites(draft, qmgr, first.queue, first.named)
        left = parcels if best.keeps(first) else this.move(queue, parcels, best)
        failed[first.queue, first.named] = bool(best.reason or (left and not best.keeps(first)))
        if left:
            stayed[queue] = stayed.get(queue, 0) + sum(parcel.count for parcel in left)
    for queue, count in stayed.items() if this.moved or not quiet else ():
        this.record(queue, (), stayed=count)
    put_times.record_pass(draft, qmgr, channel, failed, beyond=beyond)
    this.forward()


@dataclass(slots=True)
class _Pass:
    """A pass under way: `going` are the channels, and where they lead, that messages went to."""

    draft: Draft
    qmgr: QueueManager
    channel: str
    cause: Cause
    interrupted: bool
    moved: bool = False
    going: dict[tuple[str, str], None] = field(default_factory=dict)

    def move(self, queue: str, parcels: list[Parcel], best: Favourites) -> list[Parcel]:
        """Move messages that lie on a queue to the best there is; return those without room there.

        Where room is short they go in portions, and what leaves makes room for the next.
        """
        draft, qmgr, plan = self.draft, self.qmgr, best.plan
        if plan is None:
            return parcels
        division = dividing.by_plan(draft, qmgr, best.resolved, plan).at_bases(qmgr)
        while parcels:
            shares = cache(division.shares)
            count = sum(parcel.count for parcel in parcels)
            lying = partial(capacity.as_laid, parcels[0])
            laid, fits, _ = capacity.portion(draft, qmgr, shares, count, lying, already=queue)
            if laid < count and self.going:
                self.forward()
                continue
            moving, parcels = split(parcels, laid)
            if moving:
                moves = tuple(_moves(moving, shares(laid)))
                self.record(queue, moves, profile=plan.context.profile)
            if laid == fits:
                break
            division = division.behind(laid)
        return parcels

    def record(
        self, queue: str, moves: tuple[Move, ...], *, stayed: int = 0, profile: str = ""
    ) -> None:
        """Record that messages on a queue were moved, or stayed there."""
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
            )
        )
        self.moved = self.moved or bool(moves)
        for share in (move.share for move in moves):
            if share.channel:
                self.going[share.channel, share.to] = None

    def forward(self) -> None:
        """Let what was moved leave."""
        going, self.going = self.going, {}
        for channel, to in going:
            outbound.forward(self.draft, self.qmgr, channel, to)


class Prospects:
    """What a pass of now would do at a queue manager; each name is chosen for once."""

    def __init__(self, draft: Draft, qmgr: QueueManager) -> None:
        """Look at nothing yet."""
        self._draft = draft
        self._qmgr = qmgr
        self._best: dict[NamedQueue, Favourites] = {}
        self._next: dict[NamedQueue, str] = {}

    def move(self, channel: str) -> bool:
        """Say whether anything that waits for a channel would be moved to another route."""
        return any(
            not self._of(each.parcel).keeps(each.parcel) and not self._finds_no_room(each.parcel)
            for each in eligible(self._qmgr, channel)
        )

    def fail(self, parcel: Parcel) -> bool:
        """Say whether the choice for messages would fail, or find no room where it leads."""
        best = self._of(parcel)
        return bool(best.reason) or (not best.keeps(parcel) and self._finds_no_room(parcel))

    def _of(self, parcel: Parcel) -> Favourites:
        queue, named = parcel.queue, parcel.named
        found = self._best.get((queue, named))
        if found is None:
            found = destinations.favourites(self._draft, self._qmgr, queue, named)
            self._best[queue, named] = found
        return found

    def _finds_no_room(self, parcel: Parcel) -> bool:
        """Say whether the queue that a message would go on is another, and has no room."""
        name = parcel.queue, parcel.named
        if name not in self._next:
            self._next[name] = _next_queue(self._qmgr, self._of(parcel))
        queue = local_queue(self._qmgr, self._next[name])
        if queue is None or queue.name == transmission_queues.in_use(self._qmgr, parcel.channel):
            return False
        return not depth_left(self._qmgr, queue)


def _next_queue(qmgr: QueueManager, best: Favourites) -> str:
    """Name the queue that the next message would go on, '' where there is none."""
    portion = best.plan.choose(qmgr.messaging.workload) if best.plan is not None else None
    if portion is None:
        return ""
    route = portion.route
    if route.local:
        return destinations.local_base(qmgr, best.resolved.queue)
    return transmission_queues.in_use(qmgr, route.channel)


_Kind: TypeAlias = tuple[str, str, str, str]
"""What messages lie on, the queue and queue manager they are for, and their destination."""


def _alike(found: Iterable[Reallocatable]) -> dict[_Kind, list[Parcel]]:
    """Group messages for which the choice is the same, in the order in which they come."""
    groups: dict[_Kind, list[Parcel]] = {}
    for queue, parcel, _ in found:
        groups.setdefault((queue, parcel.queue, parcel.named, parcel.to), []).append(parcel)
    return groups


def _count(found: Iterable[Reallocatable]) -> int:
    return sum(each.parcel.count for each in found)


def _first_half(found: list[Reallocatable]) -> list[Reallocatable]:
    left = _count(found) // 2
    half: list[Reallocatable] = []
    for each in found:
        taken = min(each.parcel.count, left)
        left -= taken
        if taken:
            half.append(each._replace(parcel=replace(each.parcel, count=taken)))
    return half


def _moves(parcels: Iterable[Parcel], shares: Iterable[Share]) -> Iterator[Move]:
    """Divide shares between the puts that the messages came from; each is counted once."""
    coming = iter(parcels)
    put, left = 0, 0
    for share in shares:
        rest = share
        while rest.count:
            if not left:
                parcel = next(coming)
                put, left = parcel.put, parcel.count
            taken = min(left, rest.count)
            yield Move(put=put, share=replace(rest, count=taken))
            left -= taken
            rest = destinations.uncounted(rest, rest.count - taken)
