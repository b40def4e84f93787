"""The best routes for waiting messages, as a reallocation pass would choose them now.

Source: IBM, "When does re-allocation occur?": the choice is made again, and messages whose
destination is still among the best stay.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, partial
from typing import Final

from twin.events import Parcel
from twin.fold.estate import QueueManager
from twin.fold.messaging import RouteKey
from twin.model.readings import EQUALS, TURN, reading_of
from twin.model.reasons import NO_DESTINATIONS
from twin.rules.draft import Draft
from twin.rules.messages import destinations, put_plan, workload_exits
from twin.rules.path.resolved import Resolved
from twin.rules.queues import put_times, transmission_queues
from twin.rules.queues.local_queues import depth_left, local_queue
from twin.rules.workload.choosing import RoutePlan

NO_BETTER_ROUTE: Final = "no-better-route"
NO_DESTINATION: Final = "no-destination"
NO_ROOM: Final = "no-room"
"""Why a pass leaves messages where they are: their route is among the best, the choice fails, or
the queue that they would move to is full.
"""


@dataclass(frozen=True, slots=True)
class BestRoutes:
    """The best routes for waiting messages of one name.

    Attributes:
        resolved: the resolved name.
        plan: the routes that the rules left; None if the name does not lead into a cluster.
        candidates: the routes that the choice is made from; None without a cluster.
        reason: the reason code if no route can be chosen, else 0.
        keys: the routes that take turns.
        turns: whether waiting messages take turns, too (the reading `equals=turn`).
    """

    resolved: Resolved
    plan: RoutePlan | None = None
    reason: int = 0
    keys: frozenset[RouteKey] = frozenset()
    candidates: destinations.Candidates | None = None
    turns: bool = False

    @classmethod
    def now(cls, draft: Draft, qmgr: QueueManager, queue: str, named: str) -> BestRoutes:
        """Find the best routes as they are now, without requesting records.

        An alias here that leads nowhere is not among them, as where messages arrive.
        """
        resolved = destinations.Resolver(draft, qmgr, asks=False).resolve(queue, named)
        if not resolved.clustered:
            return cls(resolved, reason=resolved.reason or NO_DESTINATIONS)
        dead = (
            destinations.leads_further(qmgr, resolved.queue)
            and cls.by_alias(draft, qmgr, resolved.queue).reason
        )
        without = {qmgr.qmid} if dead else set()
        candidates = destinations.candidates(qmgr, resolved, without=without)
        plan = candidates.plan()
        finalists = () if plan.reason else plan.finalists(qmgr.messaging.workload)
        keys = frozenset(route.key for route in finalists)
        turns = reading_of(draft.estate.readings, EQUALS) == TURN
        return cls(resolved, plan, plan.reason, keys, candidates, turns)

    @classmethod
    def by_alias(cls, draft: Draft, qmgr: QueueManager, alias: str) -> BestRoutes:
        """Find the best routes of an alias here that was chosen, as a put resolves it."""
        resolver = destinations.Resolver(draft, qmgr, asks=False)
        resolved = resolver.local(qmgr.definitions["QUEUE", alias])
        if resolved.refusal or not resolved.clustered:
            return cls(resolved, reason=resolved.refusal)
        candidates = destinations.candidates(qmgr, resolved)
        plan = candidates.plan()
        return cls(resolved, plan, plan.reason, candidates=candidates)

    def keeps(self, parcel: Parcel) -> bool:
        """Return whether messages stay, because their route is among the best or none is known.

        IBM's article gives "still most favourable destination" as a reason to stay, and lists no
        step that chooses among equals: so nothing moves among them, unless a reading says so.
        """
        is_best = (parcel.to, parcel.channel) in self.keys
        return bool(self.reason) or (is_best and not (self.turns and len(self.keys) > 1))

    def division(self, draft: Draft, qmgr: QueueManager) -> put_plan.Division:
        """Return how messages divide among the best routes."""
        if self.plan is None:
            return put_plan.to_one_destination(
                draft, destinations.unclustered(qmgr, self.resolved, 1)
            )
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
        if destinations.leads_further(qmgr, name):
            return BestRoutes.by_alias(draft, qmgr, name).next_queue(draft, qmgr)
        return name


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
            for waiting in put_times.eligible(self._qmgr, channel)
        )

    def ties(self, parcel: Parcel) -> bool:
        """Return whether messages stay on their route although others are as good."""
        best = self._of(parcel)
        return not best.reason and len(best.keys) > 1 and best.keeps(parcel)

    def fail(self, parcel: Parcel) -> bool:
        """Return whether the choice for messages would fail, or lead to a queue without space."""
        return self.why(parcel) in (NO_DESTINATION, NO_ROOM)

    def why(self, parcel: Parcel) -> str:
        """Return why a pass would leave messages where they are; '' if it would move them."""
        best = self._of(parcel)
        if best.reason:
            return NO_DESTINATION
        if best.keeps(parcel):
            return NO_BETTER_ROUTE
        return NO_ROOM if self._finds_no_room(parcel) else ""

    def _of(self, parcel: Parcel) -> BestRoutes:
        return self._best(parcel.queue, parcel.named)

    def _finds_no_room(self, parcel: Parcel) -> bool:
        """Return whether a message would move to another queue that has no space."""
        already = transmission_queues.in_use(self._qmgr, parcel.channel)
        return not has_room(self._qmgr, self._next_queue(parcel.queue, parcel.named), already)


def has_room(qmgr: QueueManager, name: str, already: str) -> bool:
    """Return whether a queue has space for a message; it needs none if it is `already` there.

    '' stands for a choice that fails. A queue that is only created by the move has space.
    """
    queue = local_queue(qmgr, name)
    return bool(name) and (queue is None or name == already or bool(depth_left(qmgr, queue)))
