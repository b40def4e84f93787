"""MQPUT and MQPUT1: messages are bound, chosen for, laid on queues, and sent where they can be.

Sources: IBM MQ 9.2, "MQOPEN option for cluster queue"; 7.5, "MQOPEN and clusters"; "API reason
codes"; "When does re-allocation occur?" for what is bound. One act is many calls at one instant:
all its messages are chosen for before the first of them leaves [inferred], and where one of them
fails those before it stand. Where more would lie on a transmission queue than it can hold, and
their receiver might give them back, they are put in portions, each chosen for behind the last.

Bind on group keeps a group together that the queue manager manages (MQPMO_LOGICAL_ORDER); a group
id of an application's own does not: each message is chosen for, as with bind not fixed. A managed
group without a name is one act [inferred].
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Final, Literal, TypeAlias

from twin.events import ExitSaid, MessagesPut, Parcel, PutEntered, Share
from twin.fold.estate import QueueManager
from twin.fold.messaging import Handle, Workload
from twin.model import reasons
from twin.rules.draft import Draft
from twin.rules.messages import capacity, opening, outbound, put_plan
from twin.rules.messages.opening import Opened
from twin.rules.messages.put_plan import ON_GROUP, Way
from twin.rules.messages.resolution import Resolver
from twin.rules.queues.local_queues import Refusal
from twin.rules.workload.rules import VERSION

SHOWN: Final = 1000
"""So many of the first messages of a put say in their order where they went."""

At: TypeAlias = Literal["", "open", "put"]


@dataclass(frozen=True, slots=True)
class Put:
    """What a put came to.

    Attributes:
        queue: the name that was put to.
        wanted: how many messages there were.
        shares: where they went.
        reason: the reason code of the call that failed, 0 where all were put.
        at: which call that was.
        bind: how they were bound, '' where no cluster was asked.
        profile: the order of the rules of the choice, '' where there was none.
        order: the queue managers that the first of them were chosen for, one by one.
        opened: what the MQOPEN came to, of a put without a handle.
        exit: what a workload exit came to.
        refused_by: the queue of this queue manager for which the call failed, '' for none.
        positions: where in the log it is recorded that they were put.
        counted: what was counted, before them, of the routes there were to choose from.
    """

    queue: str
    wanted: int
    shares: tuple[Share, ...] = ()
    reason: int = 0
    at: At = ""
    bind: str = ""
    profile: str = ""
    order: tuple[str, ...] = ()
    opened: Opened | None = None
    exit: ExitSaid | None = None
    refused_by: str = ""
    positions: tuple[int, ...] = ()
    counted: Workload = field(default_factory=Workload)

    @property
    def count(self) -> int:
        """How many messages were put."""
        return sum(share.count for share in self.shares)


@dataclass(slots=True)
class _Act:
    """A put under way."""

    draft: Draft
    qmgr: QueueManager
    entered: PutEntered
    queue: str
    shares: list[Share] = field(default_factory=list)
    order: list[str] = field(default_factory=list)
    said: ExitSaid | None = None
    positions: list[int] = field(default_factory=list)

    def lying(self, way: Way) -> Callable[[Share], Parcel]:
        """Say how messages will lie that go by a share."""
        return lambda share: Parcel(
            put=self.draft.position,
            count=share.count,
            queue=share.queue,
            at=self.draft.at,
            by=self.qmgr.name,
            to=share.to,
            channel=share.channel,
            fixed=way.fixed,
            persistent=self.entered.persistent,
            named=share.named,
        )


def put(draft: Draft, qmgr: QueueManager, entered: PutEntered) -> Put:
    """Put messages on a handle, or on a queue that is opened for them and closed again."""
    if not qmgr.running:
        at: At = "put" if entered.handle or entered.put1 else "open"
        return Put(entered.queue, entered.count, reason=reasons.QMGR_NOT_AVAILABLE, at=at)
    if entered.handle:
        return _on_handle(draft, qmgr, entered)
    bind = "notfixed" if entered.put1 else entered.bind
    opened = opening.open_queue(
        draft, qmgr, entered.queue, to=entered.to, bind=bind, profile=entered.profile
    )
    act = _Act(draft, qmgr, entered, entered.queue, said=opened.exit)
    if opened.reason:
        at = "put" if entered.put1 else "open"
        return _answer(act, Refusal(opened.reason), at, opened=opened)
    return _by(act, put_plan.of_opened(entered, opened), opened)


def _on_handle(draft: Draft, qmgr: QueueManager, entered: PutEntered) -> Put:
    handle = qmgr.messaging.handles.get(entered.handle)
    if handle is None:
        return Put("", entered.count, reason=reasons.BAD_HANDLE, at="put")
    act = _Act(draft, qmgr, entered, handle.queue)
    resolved = Resolver(draft, qmgr).resolve(handle.queue, handle.to)
    if handle.bound is not None:
        return _by(act, put_plan.of_bound(handle, resolved, handle.bound))
    if resolved.reason:
        return _answer(act, Refusal(_gone(handle, resolved.reason)), "put")
    again = handle.bind == "group" and entered.logical_order and bool(entered.group)
    if again and handle.grouped is not None and handle.group == entered.group:
        return _by(act, Way(resolved, handle.bind, ON_GROUP, handle.grouped))
    opened = opening.opened(
        draft, qmgr, resolved, bind=handle.bind or "notfixed", profile=handle.profile
    )
    return _by(act, put_plan.of_opened(entered, opened))


def _gone(handle: Handle, reason: int) -> int:
    """Say why a put fails whose queue was there when it was opened."""
    if reason in (reasons.UNKNOWN_OBJECT, reasons.NO_ANSWER, reasons.UNKNOWN_ALIAS_BASE):
        return reasons.NO_DESTINATIONS if handle.bind else reasons.QUEUE_DELETED
    return reason


def _by(act: _Act, way: Way, opened: Opened | None = None) -> Put:
    counted = _counted(act.qmgr, opened)
    refusal = _put(act, way, act.entered.count, first=True)
    profile = way.plan.context.profile if way.plan is not None else ""
    at: At = "put" if refusal.reason else ""
    done = _answer(act, refusal, at, way.bind, profile, opened)
    return replace(done, counted=counted)


def _counted(qmgr: QueueManager, opened: Opened | None) -> Workload:
    """Keep what is counted now of the routes there are to choose from."""
    workload = qmgr.messaging.workload if qmgr.has_messaging else Workload()
    found = opened.candidates.routes if opened is not None and opened.candidates else ()
    uses = {route.key: workload.uses[route.key] for route in found if route.key in workload.uses}
    return Workload(uses, workload.last)


def _answer(
    act: _Act,
    refusal: Refusal,
    at: At,
    bind: str = "",
    profile: str = "",
    opened: Opened | None = None,
) -> Put:
    return Put(
        act.queue,
        act.entered.count,
        tuple(act.shares),
        refusal.reason,
        at,
        bind,
        profile,
        tuple(act.order),
        opened,
        act.said,
        refusal.queue,
        tuple(act.positions),
    )


def _put(act: _Act, way: Way, count: int, *, first: bool = False) -> Refusal:
    """Put messages and record it; say why the call failed that did, if any.

    The order in which they go is that of the `first` choice, not of those an alias leads on to.
    """
    refusal = put_plan.refusal(act.qmgr, way)
    if refusal.reason:
        return refusal
    division = put_plan.division(act.draft, act.qmgr, way, count)
    act.said = division.said or act.said
    while True:
        chosen = count if division.most is None else min(count, division.most)
        shares = cache(division.shares)
        laid, fits, full = capacity.portion(act.draft, act.qmgr, shares, chosen, act.lying(way))
        if first:
            act.order += division.order(min(laid, SHOWN - len(act.order)))
        refusal = _lay(act, way, shares(laid))
        if refusal.reason:
            return refusal
        if laid == fits:
            return full if full.reason or chosen == count else _unchosen(way, division.reason)
        division, count = division.behind(laid), count - laid


def _unchosen(way: Way, reason: int) -> Refusal:
    """Say why the choice fails; it is the local queue that is put-disabled where that is 2051."""
    return Refusal(reason, way.resolved.queue if reason == reasons.PUT_INHIBITED else "")


def _lay(act: _Act, way: Way, shares: tuple[Share, ...]) -> Refusal:
    """Record what was put, and let it leave; what led to an alias here goes on from there."""
    draft, qmgr, entered = act.draft, act.qmgr, act.entered
    leading = [share for share in shares if _leads_on(qmgr, share)]
    laid = tuple(replace(each, count=0) if each in leading else each for each in shares)
    if any(share.count or share.after for share in laid):
        act.positions.append(draft.position)
        draft.emit(
            MessagesPut(
                qmgr=qmgr.name,
                queue=act.queue,
                shares=laid,
                bind=way.bind,
                handle=entered.handle,
                fixed=way.fixed,
                persistent=entered.persistent,
                group=entered.group,
                name=entered.name,
                profile=way.plan.context.profile if way.plan is not None else "",
                version=VERSION,
                exit=act.said,
            )
        )
    act.shares += [share for share in laid if share.count]
    for channel, to in dict.fromkeys((share.channel, share.to) for share in laid):
        if channel:
            outbound.forward(draft, qmgr, channel, to)
    refusal = Refusal()
    for share in leading:
        refusal = refusal if refusal.reason else _lead_on(act, way, share)
    return refusal


def _leads_on(qmgr: QueueManager, share: Share) -> bool:
    """Say whether a local instance is no queue that messages could lie on, but an alias."""
    local = qmgr.definitions.get(("QUEUE", share.lies_on))
    return not share.channel and local is not None and local.type != "QLOCAL"


def _lead_on(act: _Act, way: Way, share: Share) -> Refusal:
    """Put messages where an alias leads that was chosen as the local instance."""
    resolved = Resolver(act.draft, act.qmgr).local(act.qmgr.definitions["QUEUE", share.lies_on])
    if resolved.reason:
        return Refusal(resolved.reason)
    opened = opening.opened(
        act.draft, act.qmgr, resolved, bind=way.bind, profile=act.entered.profile
    )
    if opened.reason:
        return Refusal(opened.reason)
    return _put(act, put_plan.of_opened(act.entered, opened), share.count)
