"""A walk with a message over gateways and aliases, by the rules that put it and take it in.

Only routes that take turns are followed, not those that a rule excluded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Final, NamedTuple, TypeAlias

from twin.events import Parcel, PutEntered, Share
from twin.fold import parcels
from twin.fold.estate import QueueManager
from twin.model import reasons
from twin.questions.blocked import block_of
from twin.questions.hops import Hop
from twin.questions.name_words import path_texts
from twin.questions.namesakes import namesakes
from twin.questions.reachability import failing_now, is_known, obstacle, rerouting, target_of
from twin.rules import lifecycle
from twin.rules.draft import Draft
from twin.rules.messages import destinations, opening, put_plan
from twin.rules.messages.arrival import Arrival
from twin.rules.messages.destinations import Candidates, Resolver
from twin.rules.path import partners
from twin.rules.path.resolved import Resolved
from twin.rules.queues.local_queues import depth_left, refusal
from twin.rules.workload.choosing import Trace
from twin.rules.workload.routes import Route

MOST_STEPS: Final = 100
"""The largest number of steps of a walk."""

MessagePlace: TypeAlias = tuple[str, str, str, str, bool]
"""Where a message is, and all on which its way from there depends."""


class _Way(NamedTuple):
    """How a message came to where it is.

    Attributes:
        before: the places where it arrived before, the last one included; () where it is put.
        arrival: the delivery by which it came; None where it is put.
        parcel: the message as it arrived; None where it is put.
        reason: the reason code with which it could not stay here and goes to another instance; 0 if
            that was not tried.
    """

    before: tuple[MessagePlace, ...] = ()
    arrival: Arrival | None = None
    parcel: Parcel | None = None
    reason: int = 0


def _share(resolved: Resolved, route: Route) -> Share:
    """Return the share of one message that takes a route over a channel."""
    return Share(
        count=1,
        to=route.qmid,
        channel=route.channel,
        lies_on="",
        queue=resolved.queue,
        cluster=route.cluster,
        named=resolved.named,
    )


@dataclass(slots=True)
class MessageWalk:
    """A walk along the routes of a message, and how many of a choice; the draft is private."""

    draft: Draft
    most: int
    hops: list[Hop] = field(default_factory=list)
    _named: tuple[tuple[str, str], ...] | None = None

    @property
    def _qmids(self) -> tuple[tuple[str, str], ...]:
        """The names and QMIDs of queue managers that are not the only ones of their name."""
        if self._named is None:
            named, qmgrs = namesakes(self.draft.estate), self.draft.estate.qmgrs.items()
            self._named = tuple((name, each.qmid) for name, each in qmgrs if each.qmid in named)
        return self._named

    def put(self, entered: PutEntered) -> None:
        """Follow a message from its put."""
        draft, qmgr = self.draft, self.draft.estate.qmgr(entered.qmgr)
        at = Hop("1", qmgr.name, entered.queue)
        if not qmgr.running:
            self._end(at, "fails", reasons.QMGR_NOT_AVAILABLE)
            return
        target = opening.target_of(draft, qmgr, entered)
        if target.awaited:
            lifecycle.play_until_answered(draft, qmgr, target.awaited)
            target = opening.target_of(draft, qmgr, entered, asks=False)
        resolved = target.resolved
        at = at._replace(path=path_texts(resolved))
        # The first queue manager puts the message; only the others count as having forwarded it.
        parcel = Parcel(
            put=0,
            count=1,
            queue=entered.queue,
            at=draft.at,
            by=qmgr.name,
            hops=-1,
            caller=entered.caller,
        )
        refusal = put_plan.refusal(qmgr, put_plan.PutPlan(resolved))
        if resolved.reason or refusal.reason:
            self._end(at, "fails", resolved.reason or refusal.reason)
        elif not resolved.clustered:
            self._unclustered(at, qmgr, resolved, parcel, _Way())
        else:
            candidates = destinations.candidates(qmgr, resolved, profile=target.profile)
            how = opening.how_bound(resolved, target.bind, candidates)
            fixed = resolved.fixed or (put_plan.ON_OPEN if how == "open" else "")
            parcel = replace(parcel, fixed=fixed)
            self._choose(at, qmgr, resolved, candidates, parcel, _Way())

    def _end(self, at: Hop, end: str, reason: int = 0) -> None:
        self._add(at._replace(end=end, reason=reason))

    def _add(self, hop: Hop) -> None:
        """Add a step; it also rests on the definition of the name."""
        qmgr = self.draft.estate.qmgrs.get(hop.on)
        local = None if qmgr is None else qmgr.definitions.get(("QUEUE", hop.queue))
        known = () if local is None else (local.position,)
        evidence = tuple(dict.fromkeys((*hop.evidence, *known)))
        self.hops.append(hop._replace(evidence=evidence, qmids=self._qmids))

    def _unclustered(
        self,
        at: Hop,
        qmgr: QueueManager,
        resolved: Resolved,
        parcel: Parcel,
        way: _Way,
    ) -> None:
        """Follow a message that needs no choice: to a local queue, or by another channel."""
        share = destinations.unclustered(qmgr, resolved, 1)
        refusal = put_plan.refusal_of_share(qmgr, resolved, share)
        if refusal.reason:
            self._fail(at, refusal.reason, way)
        elif share.to:
            self._end(at, "delivered")
        elif not share.channel:
            self._end(at, "waits")
        else:
            partner = partners.leads_to(self.draft.estate, qmgr, share.channel)
            sent = self._forwarded(parcel, share, reason=way.reason)
            self._go(at, qmgr, share, partner, sent, way)

    def _choose(
        self,
        at: Hop,
        qmgr: QueueManager,
        resolved: Resolved,
        candidates: Candidates,
        parcel: Parcel,
        way: _Way,
    ) -> None:
        """Follow a message on each route that takes turns."""
        plan = candidates.plan()
        if plan.reason:
            bound = not way.before and plan.bound is None and parcel.fixed == put_plan.ON_OPEN
            failed = opening.AT_OPEN.get(plan.reason, plan.reason) if bound else plan.reason
            self._fail(at, failed, way)
            return
        finalists = plan.finalists(qmgr.messaging.workload)
        turns = len(finalists)
        # What took a turn of several, and divides again here, is counted below its step.
        above = at.step if at.turns > 1 else at.step.rpartition(".")[0]
        parts = parts_of(finalists, even=plan.context.even)
        ways = list(zip(finalists, parts, strict=True))[: self.most]
        for number, (chosen, part) in enumerate(ways, start=1):
            step = f"{above}.{number}".lstrip(".") if turns > 1 else at.step
            evidence = (*at.evidence, *chosen.evidence)
            here = at._replace(step=step, turns=turns, share=at.share * part, evidence=evidence)
            refused = self._refused(qmgr, resolved, chosen)
            if refused:
                self._fail(here, refused, way)
            elif chosen.local:
                self._at_home(here, qmgr, resolved, parcel, way)
            else:
                self._send(here, qmgr, resolved, candidates, chosen, parcel, way)

    def _send(
        self,
        at: Hop,
        qmgr: QueueManager,
        resolved: Resolved,
        candidates: Candidates,
        chosen: Route,
        parcel: Parcel,
        way: _Way,
    ) -> None:
        """Follow a message on a route over a channel, or to where it goes if that fails."""
        share = _share(resolved, chosen)
        sent = self._forwarded(parcel, share, reason=way.reason, fixed=resolved.fixed)
        fails = "" if sent.fixed else failing_now(self.draft, qmgr, chosen)
        then = self._rerouted(qmgr, candidates, chosen) if fails else None
        if then is None or self._refused(qmgr, resolved, then) or len(self.hops) >= MOST_STEPS:
            self._go(at, qmgr, share, target_of(self.draft, chosen), sent, way)
            return
        evidence = tuple(dict.fromkeys((*at.evidence, *then.evidence)))
        to = target_of(self.draft, chosen)
        over = at._replace(to=to, channel=chosen.channel, fails=fails, evidence=evidence)
        if then.local:
            self._add(over._replace(then=qmgr.name))
            here = Hop(f"{at.step}.1", qmgr.name, resolved.queue, share=at.share)
            self._at_home(here, qmgr, resolved, parcel, way)
        else:
            share = _share(resolved, then)
            sent = self._forwarded(parcel, share, reason=way.reason)
            after = target_of(self.draft, then)
            over = over._replace(then=after, then_channel=then.channel)
            self._reach(over, qmgr, share, after, sent, way)

    def _rerouted(self, qmgr: QueueManager, candidates: Candidates, chosen: Route) -> Route | None:
        """Return where a reallocation pass routes a message when its channel fails.

        Source: IBM, "When does re-allocation occur?": when a channel stops or fails, and again at
        each failed retry; so a message for a channel that has failed already waits until then.
        """
        workload = qmgr.messaging.workload
        trace = Trace.of(candidates.routes, candidates.context, workload)
        return rerouting(self.draft, qmgr, trace, workload, chosen, movable=True).then

    def _refused(self, qmgr: QueueManager, resolved: Resolved, chosen: Route) -> int:
        """Return why a message could not be put on a route; 0 if it could, or if it leads on."""
        base = destinations.local_base(qmgr, resolved.queue)
        if chosen.local and destinations.leads_further(qmgr, base):
            return 0
        return put_plan.refusal_of_route(self.draft, qmgr, resolved, chosen).reason

    def _forwarded(
        self, parcel: Parcel, share: Share, *, reason: int = 0, fixed: str = ""
    ) -> Parcel:
        return parcels.sent_on(parcel, share, self.draft.at, reason=reason, fixed=fixed)

    def _at_home(
        self,
        at: Hop,
        qmgr: QueueManager,
        resolved: Resolved,
        parcel: Parcel,
        way: _Way,
    ) -> None:
        """Follow a message to the local instance, which may be an alias."""
        name = destinations.local_base(qmgr, resolved.queue)
        if not destinations.leads_further(qmgr, name):
            self._end(at, "delivered")
            return
        further = Resolver(self.draft, qmgr).local(qmgr.definitions["QUEUE", name])
        at = at._replace(path=(*at.path, *path_texts(further)), home=True)
        if further.refusal:
            self._fail(at, further.refusal, way)
        elif not further.clustered:
            self._unclustered(at, qmgr, further, parcel, way)
        else:
            self._choose(at, qmgr, further, destinations.candidates(qmgr, further), parcel, way)

    def _go(
        self,
        at: Hop,
        qmgr: QueueManager,
        share: Share,
        partner: str,
        parcel: Parcel,
        way: _Way,
    ) -> None:
        """Follow a message over a channel."""
        block = block_of(qmgr, share.channel, self.draft.at)
        why = obstacle(self.draft, qmgr, share.channel, partner) if partner else ""
        receiver = self.draft.estate.qmgrs.get(partner)
        known = is_known(self.draft, partner)
        waits = "; ".join(filter(None, (str(block) if block else "", why if known else "")))
        if len(self.hops) >= MOST_STEPS:
            self._end(at, "more")
            return
        over = at._replace(to=partner, channel=share.channel, waits=waits)
        if receiver is None and known:
            self._end(over, "waits")
        else:
            self._reach(over, qmgr, share, partner, parcel, way)

    def _reach(
        self,
        over: Hop,
        qmgr: QueueManager,
        share: Share,
        partner: str,
        parcel: Parcel,
        way: _Way,
    ) -> None:
        """Follow a message to the other end of a channel."""
        receiver = self.draft.estate.qmgrs.get(partner)
        self._add(over)
        there = Hop(f"{over.step}.1", partner or share.named, parcel.queue, came=share.channel)
        there = there._replace(sender=qmgr.name, share=over.share)
        place = (there.on, parcel.queue, parcel.named, parcel.fixed, parcel.redirected)
        if receiver is None:
            self._end(there, "not-in-twin")
        elif place in way.before:
            self._end(there, "loop")
        else:
            arrival = Arrival(self.draft, receiver, qmgr, share.channel)
            self._arrive(there, arrival, parcel, _Way((*way.before, place), arrival, parcel))

    def _arrive(self, at: Hop, arrival: Arrival, parcel: Parcel, way: _Way) -> None:
        """Follow a message from its arrival, as its receiver takes it in."""
        draft, receiver = self.draft, arrival.receiver
        if receiver.running and (names := arrival.asks_for(parcel)):
            lifecycle.play_until_answered(draft, receiver, names)
        resolved, reason = arrival.resolve(Resolver(draft, receiver), parcel)
        at = at._replace(path=path_texts(resolved))
        if reason:
            self._fail(at, reason, way)
        elif resolved.local:
            if depth_left(receiver, receiver.definitions["QUEUE", resolved.local]):
                self._end(at, "delivered")
            else:
                queue = receiver.definitions["QUEUE", resolved.local]
                self._fail(at, refusal(receiver, queue).reason, way)
        elif not resolved.clustered:
            self._unclustered(at, receiver, resolved, parcel, way)
        else:
            self._choose(at, receiver, resolved, arrival.candidates(resolved, 0), parcel, way)

    def _fail(self, at: Hop, reason: int, way: _Way) -> None:
        """Follow a message that cannot be put: to another instance if it may, or to its end.

        Where it is put, its call fails. Where it arrives, it goes to the dead-letter queue, or else
        its channel ends.
        """
        arrival, parcel = way.arrival, way.parcel
        if arrival is None or parcel is None:
            self._end(at, "fails", reason)
            return
        if not way.reason and arrival.goes_elsewhere(parcel, reason):
            instances = Resolver(self.draft, arrival.receiver).instances(parcel.queue)
            if reason == reasons.UNKNOWN_OBJECT:
                reason = instances.reason or reason
            others = None if instances.reason else arrival.candidates(instances, reason)
            if others is not None and not others.plan().reason:
                path = (*at.path, *path_texts(instances))
                here = at._replace(path=path, reason=reason, home=False)
                way = way._replace(reason=reason)
                self._choose(here, arrival.receiver, instances, others, parcel, way)
                return
        receiver, dead = arrival.receiver, arrival.dead_letter_queue
        room = bool(dead) and depth_left(receiver, receiver.definitions["QUEUE", dead])
        at = at._replace(discards=arrival.is_fast)
        self._end(at, "dead-lettered" if room else "returned", way.reason or reason)


def parts_of(routes: Sequence[Route], *, even: bool) -> list[Fraction]:
    """Return the part of the puts that each of some routes takes in the long run.

    They divide by CLWLWGHT; evenly if every channel has the default (`even`). Source: IBM MQ 8.0,
    "CLWLWGHT channel attribute".
    """
    weights = [1 if even else route.weight for route in routes]
    total = sum(weights)
    if not total:
        return [Fraction(1, len(routes))] * len(routes)
    return [Fraction(weight, total) for weight in weights]
