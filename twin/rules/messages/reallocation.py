"""Waiting messages are rerouted when their channel stops, fails, or fails a retry.

Sources: IBM, "When does re-allocation occur?" (when a cluster-sender channel stops, and again at
each retry that fails; messages that are bound stay, and so do messages whose destination is still
among the best); IBM MQ 9.4, "Example of a cluster with more than one instance of a queue" (messages
in doubt stay; on z/OS a forced stop interrupts a pass); "Working with cluster transmission queues
and cluster-sender channels" (the other route may have another transmission queue).

A pass looks at its messages in portions, with a wait between two (the readings `pass-portion` and
`pass-wait`). Without a wait it is done at once. What is put meanwhile waits for the next pass. A
pass ends where it stands as its channel starts: then the channel sends the rest, and its switch
moves it. On z/OS the channel is STOPPING until the pass is done (decision 75).

A pass without waits that is interrupted handles the first half of the messages that it could move
[inferred]. Messages
of several puts are routed together, destination by destination; MQ does not keep their order
either. A message whose new queue is full or put-disabled stays, and its choice is not counted,
because the messages after it would be routed the same way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Literal, TypeAlias

from twin.events import ExitSaid, MessagesReallocated, Move, Parcel, Portion, Share
from twin.fold import parcels
from twin.fold.estate import QueueManager
from twin.model.readings import pace_of
from twin.rules.channels import channel_status, retrying, starting
from twin.rules.draft import Draft
from twin.rules.messages import capacity, destinations, outbound, put_plan, workload_exits
from twin.rules.messages.best_routes import BestRoutes, has_room
from twin.rules.queues import put_times, transmission_queues
from twin.rules.queues.put_times import NamedQueue, Reallocatable, eligible
from twin.rules.workload.choosing import VERSION, RoutePlan

PassCause: TypeAlias = Literal["stop", "retry"]


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

    A message that does not fit on its new queue stays, and so do all messages after it. A pass is
    recorded if messages waited, also if it may move none of them. A `quiet` pass that moves nothing
    is not recorded, because it follows from the retries of the channel, unless it asked an exit.

    What a wait separates is left to `go_on`.
    """
    going = Portion(at=draft.at, left=_count(eligible(qmgr, channel)), cause=cause)
    pace = pace_of(draft.estate.readings, "pass")
    size = _first_half(going.left) if interrupted else pace.portion if pace.wait else going.left
    _look_at(draft, qmgr, channel, going, size, interrupted=interrupted, quiet=quiet)


def go_on(draft: Draft, qmgr: QueueManager, channel: str) -> None:
    """Let a pass look at its next portion of messages; on z/OS, stop its channel after the last."""
    going = qmgr.activity.portions[channel, "pass"]
    _look_at(draft, qmgr, channel, going, pace_of(draft.estate.readings, "pass").portion)


def cut_short(draft: Draft, qmgr: QueueManager, channel: str) -> None:
    """Record that a forced stop ended a pass where it stood: what it had not looked at stays."""
    this = _Pass(draft, qmgr, channel, "stop", interrupted=True)
    for queue, count in _by_queue(eligible(qmgr, channel)).items():
        this.record(queue, (), stayed=count)


def _look_at(
    draft: Draft,
    qmgr: QueueManager,
    channel: str,
    going: Portion,
    size: int,
    *,
    interrupted: bool = False,
    quiet: bool = False,
) -> None:
    """Reroute the next `size` messages of a pass; say when the next portion follows, if any does.

    The first `kept` messages were looked at and stayed.
    """
    waiting_here = list(eligible(qmgr, channel))
    left = min(going.left, _count(waiting_here) - going.kept)
    movable = _window(waiting_here, going.kept, min(size, left))
    looked_at = _count(movable)
    left, beyond = left - looked_at, _count(waiting_here) - going.kept - looked_at
    ineligible = {} if going.done else _ineligible(qmgr, channel, waiting_here)
    later = 0 if interrupted else left
    this = _Pass(draft, qmgr, channel, going.cause, interrupted=interrupted, later=later)
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
    for queue in {**stayed, **ineligible} if this.tells or not quiet else ():
        this.record(queue, (), stayed=stayed.get(queue, 0), ineligible=ineligible.get(queue, 0))
    put_times.record_pass(draft, qmgr, channel, failed, before=going.kept, beyond=beyond)
    if later:
        portion = replace(
            going,
            at=draft.at + pace_of(draft.estate.readings, "pass").wait,
            done=going.done + looked_at,
            left=later,
            kept=going.kept + sum(stayed.values()),
        )
        channel_status.await_portion(draft, qmgr, channel, "pass", portion)
    elif channel_status.is_rerouting(qmgr, channel):
        put_times.keep(draft, qmgr, channel)
        retrying.stopped_at_last(draft, qmgr, channel, going.then)
        starting.start_for_waiting(draft, qmgr, channel)
    elif (channel, "pass") in qmgr.activity.portions:
        channel_status.await_portion(draft, qmgr, channel, "pass", None)
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
    later: int = 0
    moved: bool = False
    going: list[Share] = field(default_factory=list)
    exit_said: ExitSaid | None = None
    exit_over: bool = False

    @property
    def tells(self) -> bool:
        """Whether the pass did what does not follow from the retries of its channel."""
        return self.moved or self.exit_said is not None

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

            def placed_parcel(share: Share, first: Parcel = first) -> Parcel:
                return parcels.readdressed(first, share, draft.at)

            count = parcels.count_of(waiting)
            fit = capacity.fit(draft, qmgr, shares, count, placed_parcel, already=queue)
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
        direct, aliased = destinations.split_off_aliases(qmgr, shares)
        leading = {
            share.lies_on: BestRoutes.by_alias(draft, qmgr, share.lies_on) for share in aliased
        }
        dead = {
            name
            for name, best in leading.items()
            if not has_room(qmgr, best.next_queue(draft, qmgr), queue)
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
        self,
        queue: str,
        moves: tuple[Move, ...],
        *,
        stayed: int = 0,
        ineligible: int = 0,
        profile: str = "",
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
                later=self.later,
                profile=profile,
                version=VERSION,
                exit=self.exit_said,
                ineligible=ineligible,
            )
        )
        self.moved = self.moved or bool(moves)
        self.going += (move.share for move in moves if move.share.channel)

    def forward(self) -> None:
        """Send the messages that were moved."""
        going, self.going = self.going, []
        outbound.forward_shares(self.draft, self.qmgr, going)


_Kind: TypeAlias = tuple[str, str, str, str]
"""(queue that messages are on, queue and queue manager they were put to, current destination)."""


def _alike(movable: Iterable[Reallocatable]) -> dict[_Kind, list[Parcel]]:
    """Group messages for which the choice is the same, in their order."""
    groups: dict[_Kind, list[Parcel]] = {}
    for queue, parcel, _ in movable:
        groups.setdefault((queue, parcel.queue, parcel.named, parcel.to), []).append(parcel)
    return groups


def _ineligible(
    qmgr: QueueManager, channel: str, movable: Iterable[Reallocatable]
) -> dict[str, int]:
    """Count the messages for a channel that no pass may move, by the queue that they are on."""
    waiting = transmission_queues.waiting(qmgr, channel)
    all_of_clusters = (Reallocatable(*each) for each in waiting if each[1].to)
    return {**(_by_queue(all_of_clusters) - _by_queue(movable))}


def _count(movable: Iterable[Reallocatable]) -> int:
    return sum(waiting.parcel.count for waiting in movable)


def _by_queue(waiting: Iterable[Reallocatable]) -> Counter[str]:
    return sum((Counter({each.queue: each.parcel.count}) for each in waiting), Counter[str]())


def _first_half(count: int) -> int:
    """Return how many of the messages of a pass an interrupted one looks at [inferred]."""
    return count // 2


def _window(movable: Iterable[Reallocatable], skipped: int, size: int) -> list[Reallocatable]:
    """Return `size` messages after the first `skipped` ones."""
    window: list[Reallocatable] = []
    for waiting in movable:
        passed = min(waiting.parcel.count, skipped)
        taken = min(waiting.parcel.count - passed, size)
        skipped, size = skipped - passed, size - taken
        if taken:
            window.append(waiting._replace(parcel=replace(waiting.parcel, count=taken)))
    return window


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
