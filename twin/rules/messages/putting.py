"""MQPUT and MQPUT1: messages are bound or routed, put on queues, and sent as far as possible.

One put of the twin is any number of calls at one instant. All its messages are routed before the
first of them leaves [inferred]. If one call fails, the messages before it remain on their queues.
If a transmission queue cannot hold all messages, and their receiver might return some, they are put
in parts: each part is routed after the previous part was sent.

Bind on group keeps a group together if the queue manager manages it (MQPMO_LOGICAL_ORDER). If the
application sets the group id itself, each message is routed separately, as with bind not fixed. A
managed group without a name is one put [inferred].

Sources: IBM MQ 9.2, "MQOPEN option for cluster queue"; 7.5, "MQOPEN and clusters"; "API reason
codes"; "When does re-allocation occur?" for messages that are bound.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache
from typing import Final, Literal, TypeAlias

from twin.events import Caller, ExitSaid, MessagesPut, Parcel, PutEntered, Share
from twin.fold import parcels
from twin.fold.estate import QueueManager
from twin.fold.messaging import Workload
from twin.model import reasons
from twin.rules.draft import Draft
from twin.rules.messages import (
    capacity,
    destinations,
    opening,
    outbound,
    put_plan,
    workload_exits,
)
from twin.rules.messages.opening import Opened, PutTarget
from twin.rules.messages.put_plan import PutPlan
from twin.rules.queues.local_queues import Refusal
from twin.rules.repository import answers
from twin.rules.workload.choosing import VERSION

SHOWN: Final = 1000
"""The maximum number of messages whose queue managers `Put.order` lists."""

PutCall: TypeAlias = Literal["", "open", "put"]


@dataclass(frozen=True, slots=True)
class Put:
    """The result of a put.

    Attributes:
        queue: the name that messages were put to.
        wanted: how many messages were to be put.
        shares: the destinations of those that were put.
        reason: the reason code of the call that failed; 0 if all were put.
        at: the call that failed.
        bind: how the messages were bound; '' without a cluster.
        profile: the order of the rules of the choice; '' if there was no choice.
        order: the queue managers that the first messages were routed to, one by one.
        opened: the result of the MQOPEN, if the put had no handle.
        exit: the answer of a workload exit.
        refused_by: the queue of this queue manager that made the call fail; '' for none.
        positions: the log positions of the events of the put.
        counted: the counters of the candidate routes before the put.
        pending: the position of the event that says that the call waits for full repositories; 0 if
            it does not. The rest is then the result that is expected.
        waited: how long it waited, in microseconds.
    """

    queue: str
    wanted: int
    shares: tuple[Share, ...] = ()
    reason: int = 0
    at: PutCall = ""
    bind: str = ""
    profile: str = ""
    order: tuple[str, ...] = ()
    opened: Opened | None = None
    exit: ExitSaid | None = None
    refused_by: str = ""
    positions: tuple[int, ...] = ()
    counted: Workload = field(default_factory=Workload)
    pending: int = 0
    waited: int = 0

    @property
    def count(self) -> int:
        """How many messages were put."""
        return sum(share.count for share in self.shares)


@dataclass(slots=True)
class _Act:
    """A put in progress: the messages put so far, and their destinations."""

    draft: Draft
    qmgr: QueueManager
    entered: PutEntered
    queue: str
    shares: list[Share] = field(default_factory=list)
    order: list[str] = field(default_factory=list)
    exit_said: ExitSaid | None = None
    positions: list[int] = field(default_factory=list)

    @property
    def caller(self) -> Caller | None:
        """The user that the messages are of: for a handle, the one that opened it."""
        handle = self.qmgr.messaging.handles.get(self.entered.handle)
        return self.entered.caller if handle is None else handle.caller

    def event(self, plan: PutPlan, shares: tuple[Share, ...]) -> MessagesPut:
        """Return the event for messages that are put with these shares."""
        return MessagesPut(
            qmgr=self.qmgr.name,
            queue=self.queue,
            shares=shares,
            bind=plan.bind,
            handle=self.entered.handle,
            fixed=plan.fixed,
            persistent=self.entered.persistent,
            group=self.entered.group,
            name=self.entered.name,
            profile=plan.profile,
            version=VERSION,
            exit=self.exit_said,
            caller=self.caller,
        )

    def result(self, refusal: Refusal, at: PutCall = "put") -> Put:
        """Return the result of the put."""
        return Put(
            self.queue,
            self.entered.count,
            tuple(self.shares),
            refusal.reason,
            at,
            order=tuple(self.order),
            exit=self.exit_said,
            refused_by=refusal.queue,
            positions=tuple(self.positions),
        )


def put(draft: Draft, qmgr: QueueManager, entered: PutEntered, *, waited: bool = False) -> Put:
    """Put messages with a handle, or on a queue that is opened and closed for this put.

    If full repositories must answer first, record that the call waits. A call that has `waited`
    does not ask again. If a workload exit fails, this is recorded, so that later calls on the
    handle go without it.
    """
    result = _carry_out(draft, qmgr, entered, waited=waited)
    workload_exits.note_failure(draft, qmgr, result.exit, result.queue, handle=entered.handle)
    return result


def _carry_out(draft: Draft, qmgr: QueueManager, entered: PutEntered, *, waited: bool) -> Put:
    call: PutCall = "put" if entered.handle or entered.put1 else "open"
    if not qmgr.running:
        return Put(entered.queue, entered.count, reason=reasons.QMGR_NOT_AVAILABLE, at=call)
    target = opening.target_of(draft, qmgr, entered, asks=not waited)
    if target.awaited and not waited:
        pending = answers.begin(draft, qmgr, target.awaited, put=replace(entered, origin=None))
        reason, queue = target.resolved.reason, target.queue or entered.queue
        return Put(queue, entered.count, reason=reason, at=call, pending=pending)
    return _put_to(_Act(draft, qmgr, entered, target.queue), target, call)


def _put_to(act: _Act, target: PutTarget, call: PutCall) -> Put:
    """Put messages to a resolved queue."""
    draft, qmgr, entered = act.draft, act.qmgr, act.entered
    resolved, bound = target.resolved, target.bound
    if bound is not None:
        return _put_by_plan(act, put_plan.of_bound(target, bound))
    if entered.handle and resolved.reason:
        return act.result(Refusal(resolved.reason))
    opened = opening.open_resolved(draft, qmgr, resolved, bind=target.bind, profile=target.profile)
    plan = put_plan.of_opened(entered, opened)
    if entered.handle:
        return _put_by_plan(act, plan)
    act.exit_said = opened.exit
    if opened.reason:
        return replace(act.result(Refusal(opened.reason), call), opened=opened)
    return _put_by_plan(act, plan, opened)


def _put_by_plan(act: _Act, plan: PutPlan, opened: Opened | None = None) -> Put:
    """Put all messages according to a plan, and return the result."""
    counted = _counted(act.qmgr, opened)
    refusal = _put(act, plan, act.entered.count, first=True)
    return replace(
        act.result(refusal, "put" if refusal.reason else ""),
        bind=plan.bind,
        profile=plan.profile,
        opened=opened,
        counted=counted,
    )


def _counted(qmgr: QueueManager, opened: Opened | None) -> Workload:
    """Return the counters of the candidate routes as they are now."""
    workload = qmgr.messaging.workload if qmgr.has_messaging else Workload()
    routes = opened.candidates.routes if opened is not None and opened.candidates else ()
    uses = {route.key: workload.uses[route.key] for route in routes if route.key in workload.uses}
    return Workload(uses, workload.last)


def _put(act: _Act, plan: PutPlan, count: int, *, first: bool = False) -> Refusal:
    """Put messages and record it; return why a call failed, or reason 0.

    If aliases lead to further choices, only the `first` choice gives the order of the messages.
    """
    draft, qmgr = act.draft, act.qmgr
    refusal = put_plan.refusal(qmgr, plan)
    if refusal.reason:
        return refusal
    handle = qmgr.messaging.handles.get(act.entered.handle)
    exitless = handle is not None and handle.exit_failed
    division = put_plan.division(draft, qmgr, plan, count, exitless=exitless)
    act.exit_said = division.exit_said or act.exit_said

    def placed_parcel(share: Share) -> Parcel:
        return parcels.put(act.event(plan, ()), share, position=draft.position, at=draft.at)

    while True:
        chosen = count if division.most is None else min(count, division.most)
        shares = cache(division.shares)
        fit = capacity.fit(draft, qmgr, shares, chosen, placed_parcel)
        if first:
            act.order += division.order(min(fit.first, SHOWN - len(act.order)))
        refusal = _record_and_send(act, plan, shares(fit.first))
        if refusal.reason:
            return refusal
        if fit.first == fit.total:
            complete = fit.refusal.reason or chosen == count
            return fit.refusal if complete else _refused_choice(plan, division.reason)
        division, count = division.after(fit.first), count - fit.first


def _refused_choice(plan: PutPlan, reason: int) -> Refusal:
    """Return why a choice failed; with 2051 it names the local queue, which is put-disabled."""
    return Refusal(reason, plan.resolved.queue if reason == reasons.PUT_INHIBITED else "")


def _record_and_send(act: _Act, plan: PutPlan, shares: tuple[Share, ...]) -> Refusal:
    """Record messages that are put, and send them; put messages for an alias here by the alias."""
    direct, aliased = destinations.split_off_aliases(act.qmgr, shares)
    if direct:
        act.positions.append(act.draft.position)
        act.draft.emit(act.event(plan, direct))
    act.shares += [share for share in direct if share.count]
    outbound.forward_shares(act.draft, act.qmgr, direct)
    refusal = Refusal()
    for share in aliased:
        refusal = refusal if refusal.reason else _put_by_alias(act, plan, share)
    return refusal


def _put_by_alias(act: _Act, plan: PutPlan, share: Share) -> Refusal:
    """Put messages to the target of an alias that was chosen as the local instance."""
    draft, qmgr, profile = act.draft, act.qmgr, act.entered.profile
    resolved = destinations.Resolver(draft, qmgr).local(qmgr.definitions["QUEUE", share.lies_on])
    if resolved.reason:
        return Refusal(resolved.reason)
    opened = opening.open_resolved(draft, qmgr, resolved, bind=plan.bind, profile=profile)
    if opened.reason:
        return Refusal(opened.reason)
    return _put(act, put_plan.of_opened(act.entered, opened), share.count)
