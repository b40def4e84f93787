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
from typing import Final, Literal, NamedTuple, TypeAlias

from twin.events import ExitSaid, MessagesPut, Parcel, PutEntered, Share
from twin.fold.estate import QueueManager
from twin.fold.messaging import Handle
from twin.model import reasons
from twin.rules import destinations, dividing, exiting, fitting, forwarding, opening
from twin.rules.destinations import Candidates
from twin.rules.dividing import Division
from twin.rules.draft import Draft
from twin.rules.opening import Opened
from twin.rules.resolution import Resolver
from twin.rules.resolved import NAMED, Resolved, is_inhibited
from twin.rules.workload.choosing import Plan
from twin.rules.workload.rules import VERSION

ON_OPEN: Final = "bind-on-open"
ON_GROUP: Final = "bind-on-group"

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

    @property
    def count(self) -> int:
        """How many messages were put."""
        return sum(share.count for share in self.shares)


class _Way(NamedTuple):
    """How the messages of an act find their way: all along one share, or by a plan."""

    resolved: Resolved
    bind: str = ""
    fixed: str = ""
    bound: Share | None = None
    plan: Plan | None = None
    candidates: Candidates | None = None


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

    def lying(self, way: _Way) -> Callable[[Share], Parcel]:
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
        return _answer(act, opened.reason, "put" if entered.put1 else "open", opened=opened)
    return _by(act, _way(entered, opened), opened)


def _way(entered: PutEntered, opened: Opened) -> _Way:
    """Say how messages go that a queue was opened for."""
    resolved = opened.resolved
    if opened.bound is not None:
        return _Way(resolved, opened.bind, resolved.fixed or ON_OPEN, opened.bound, opened.plan)
    managed = opened.bind == "group" and entered.logical_order
    fixed = resolved.fixed or (ON_GROUP if managed else "")
    return _Way(resolved, opened.bind, fixed, None, opened.plan, opened.candidates)


def _on_handle(draft: Draft, qmgr: QueueManager, entered: PutEntered) -> Put:
    handle = qmgr.messaging.handles.get(entered.handle)
    if handle is None:
        return Put("", entered.count, reason=reasons.BAD_HANDLE, at="put")
    act = _Act(draft, qmgr, entered, handle.queue)
    resolved = Resolver(draft, qmgr).resolve(handle.queue, handle.to)
    if handle.bound is not None:
        return _by(act, _bound(handle, resolved, handle.bound))
    if resolved.reason:
        return _answer(act, _gone(handle, resolved.reason), "put")
    again = handle.bind == "group" and entered.logical_order and bool(entered.group)
    if again and handle.grouped is not None and handle.group == entered.group:
        return _by(act, _Way(resolved, handle.bind, ON_GROUP, handle.grouped))
    opened = opening.opened(
        draft, qmgr, resolved, bind=handle.bind or "notfixed", profile=handle.profile
    )
    return _by(act, _way(entered, opened))


def _bound(handle: Handle, resolved: Resolved, bound: Share) -> _Way:
    """Say how messages go on a handle that was bound as it was opened: it chose then.

    Only a named queue manager is chosen for without being counted.
    """
    named = bool(bound.channel) and bound.after is None
    return _Way(
        resolved, handle.bind, NAMED if named else ON_OPEN, destinations.uncounted(bound, 1)
    )


def _gone(handle: Handle, reason: int) -> int:
    """Say why a put fails whose queue was there when it was opened."""
    if reason in (reasons.UNKNOWN_OBJECT, reasons.NO_ANSWER, reasons.UNKNOWN_ALIAS_BASE):
        return reasons.NO_DESTINATIONS if handle.bind else reasons.QUEUE_DELETED
    return reason


def _by(act: _Act, way: _Way, opened: Opened | None = None) -> Put:
    reason = _put(act, way, act.entered.count, first=True)
    profile = way.plan.context.profile if way.plan is not None else ""
    return _answer(act, reason, "put" if reason else "", way.bind, profile, opened)


def _answer(
    act: _Act,
    reason: int,
    at: At,
    bind: str = "",
    profile: str = "",
    opened: Opened | None = None,
) -> Put:
    return Put(
        act.queue,
        act.entered.count,
        tuple(act.shares),
        reason,
        at,
        bind,
        profile,
        tuple(act.order),
        opened,
        act.said,
    )


def _put(act: _Act, way: _Way, count: int, *, first: bool = False) -> int:
    """Put messages and record it; return the reason code of the call that failed, 0 for none.

    The order in which they go is that of the `first` choice, not of those an alias leads on to.
    """
    if reason := _refusal(act.qmgr, way):
        return reason
    division = _division(act, way, count)
    act.said = division.said or act.said
    while True:
        chosen = count if division.most is None else min(count, division.most)
        shares = cache(division.shares)
        fit = fitting.fitting(act.draft, act.qmgr, shares, chosen)
        laid = fitting.together(act.draft, act.qmgr, shares, fit.number, act.lying(way))
        if first:
            act.order += division.order(min(laid, SHOWN - len(act.order)))
        if reason := _lay(act, way, shares(laid)):
            return reason
        if laid == fit.number:
            return fit.reason or (division.reason if chosen < count else 0)
        division, count = division.behind(laid), count - laid


def _refusal(qmgr: QueueManager, way: _Way) -> int:
    """Say why nothing at all can be put, 0 where something can."""
    resolved, bound = way.resolved, way.bound
    if resolved.via == "model":
        return reasons.QUEUE_TYPE_ERROR
    if resolved.inhibited:
        return reasons.PUT_INHIBITED
    if bound is not None:
        return _refusal_of_bound(qmgr, bound)
    return 0


def _refusal_of_bound(qmgr: QueueManager, bound: Share) -> int:
    """Say why nothing can be put where a handle is bound to.

    PUT is looked at of a local queue only, beside that of the transmission queue. Once the
    repository has nothing of the queue manager any more, the handle is of no use (IBM PH34265,
    reason code 2041).
    """
    if bound.channel:
        known = qmgr.repository.routes.get((bound.cluster, bound.to), {})
        return 0 if bound.channel in known else reasons.OBJECT_CHANGED
    local = qmgr.definitions.get(("QUEUE", bound.lies_on))
    if local is None:
        return reasons.QUEUE_DELETED
    return reasons.PUT_INHIBITED if is_inhibited(local) else 0


def _division(act: _Act, way: _Way, count: int) -> Division:
    """Say how so many messages divide."""
    draft, qmgr, resolved, plan = act.draft, act.qmgr, way.resolved, way.plan
    if way.bound is not None:
        return dividing.along(draft, destinations.of_now(draft, qmgr, way.bound))
    if plan is None:
        return dividing.along(draft, destinations.unclustered(qmgr, resolved, 1))
    chosen: Division | None = None
    if way.candidates is not None and not resolved.fixed:
        wanted = 1 if way.fixed else count
        chosen = dividing.by_exit(draft, qmgr, resolved, way.candidates, wanted)
    if chosen is None:
        name, _ = exiting.exit_of(draft, qmgr)
        chosen = dividing.by_plan(draft, qmgr, resolved, plan)._replace(
            most=0 if plan.reason else None,
            reason=plan.reason,
            said=exiting.not_loaded(name) if name and not resolved.fixed else None,
        )
    if way.fixed and chosen.most != 0:  # a group, or a queue manager that is named: one choice
        (share,) = chosen.shares(1)
        return dividing.along(draft, share)._replace(said=chosen.said)
    return chosen


def _lay(act: _Act, way: _Way, shares: tuple[Share, ...]) -> int:
    """Record what was put, and let it leave; what led to an alias here goes on from there."""
    draft, qmgr, entered = act.draft, act.qmgr, act.entered
    leading = [share for share in shares if _leads_on(qmgr, share)]
    laid = tuple(replace(each, count=0) if each in leading else each for each in shares)
    if any(share.count or share.after for share in laid):
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
            forwarding.forward(draft, qmgr, channel, to)
    reason = 0
    for share in leading:
        reason = reason or _lead_on(act, way, share)
    return reason


def _leads_on(qmgr: QueueManager, share: Share) -> bool:
    """Say whether a local instance is no queue that messages could lie on, but an alias."""
    local = qmgr.definitions.get(("QUEUE", share.lies_on))
    return not share.channel and local is not None and local.type != "QLOCAL"


def _lead_on(act: _Act, way: _Way, share: Share) -> int:
    """Put messages where an alias leads that was chosen as the local instance."""
    resolved = Resolver(act.draft, act.qmgr).local(act.qmgr.definitions["QUEUE", share.lies_on])
    if resolved.reason:
        return resolved.reason
    opened = opening.opened(
        act.draft, act.qmgr, resolved, bind=way.bind, profile=act.entered.profile
    )
    if opened.reason:
        return opened.reason
    return _put(act, _way(act.entered, opened), share.count)
