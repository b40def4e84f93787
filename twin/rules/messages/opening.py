"""MQOPEN for output: resolve the name, and with bind open choose a destination.

`target_of` also resolves the name for each later put on the handle.

If the DEFBIND of the instances differs, that of the first route counts: a local route first, then
by queue manager and channel [inferred]. If a queue manager is named, there is no DEFBIND, and
messages for it are bound on open [inferred].

Sources: IBM MQ 7.5, "MQOPEN and clusters"; 9.2, "MQOPEN option for cluster queue"; 9.0, "DefBind";
"API reason codes" (2085, 2268).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final, NamedTuple

from twin.events import ExitSaid, HandleOpened, PutEntered, QueueOpened, Share
from twin.fold.beliefs import Instance, Names
from twin.fold.estate import QueueManager
from twin.fold.messaging import Handle
from twin.model import reasons
from twin.rules.draft import Draft
from twin.rules.messages import authority, destinations, workload_exits
from twin.rules.messages.destinations import Candidates, Resolver
from twin.rules.path.resolved import Resolved, Via
from twin.rules.repository import answers
from twin.rules.workload.choosing import RoutePlan, RoutePortion
from twin.rules.workload.exits import REASON_OPEN

_BINDS: Final = {"OPEN": "open", "NOTFIXED": "notfixed", "GROUP": "group"}
"""DEFBIND -> the MQOPEN option with the same meaning."""

_LATER: Final = frozenset({"notfixed", "group"})
"""The bindings with which MQOPEN chooses no destination: MQPUT does."""

AT_OPEN: Final = {
    reasons.NO_DESTINATIONS: reasons.UNKNOWN_OBJECT,
    reasons.PUT_INHIBITED: reasons.CLUSTER_PUT_INHIBITED,
}
"""Reason code of a choice that fails -> the reason code of an MQOPEN that makes this choice."""

_NOWHERE: Final = Resolved(name="")


class Opened(NamedTuple):
    """The result of an MQOPEN.

    Attributes:
        queue: the name that was opened.
        via: the kind of object through which the name was resolved.
        instances: the instances in the cluster.
        reason: the reason code; 0 if the call succeeded.
        base: the name that it resolved to, if that name differs.
        bind: how messages are bound: 'open', 'notfixed' or 'group'; '' without a cluster.
        bound: the destination that bind open fixed.
        bound_to: the name of the queue manager of that destination.
        resolved: the full result of the resolution.
        candidates: the candidates of the choice; None without a cluster, or if the destination is
            only chosen when a message is put.
        plan: the candidates that the rules left.
        exit: the answer of the workload exit for bind open.
        pending: the position of the event that says that the call waits for full repositories; 0 if
            it does not. The rest is then the result that is expected.
        waited: how long it waited, in microseconds.
    """

    queue: str
    via: Via
    instances: tuple[Instance, ...] = ()
    reason: int = 0
    base: str = ""
    bind: str = ""
    bound: Share | None = None
    bound_to: str = ""
    resolved: Resolved = _NOWHERE
    candidates: Candidates | None = None
    plan: RoutePlan | None = None
    exit: ExitSaid | None = None
    pending: int = 0
    waited: int = 0


class PutTarget(NamedTuple):
    """The queue of a put, and how its messages are bound.

    Attributes:
        queue: the name that is or was opened; '' if there is no such handle.
        resolved: the result of the resolution; its reason is that of the put.
        bind: the bind option.
        profile: the order of the workload rules.
        bound: the destination that MQOPEN or the first put of the group chose; None if none did.
        in_group: whether the put continues a group that the queue manager manages.
        awaited: the names for which the call waits before it goes on; () if it does not wait.
    """

    queue: str
    resolved: Resolved
    bind: str = ""
    profile: str = ""
    bound: Share | None = None
    in_group: bool = False
    awaited: Names = ()


def target_of(
    draft: Draft, qmgr: QueueManager, entered: PutEntered, *, asks: bool = True
) -> PutTarget:
    """Return what a put is to, with its handle or without. `asks` is that of the resolver."""
    resolver = Resolver(draft, qmgr, asks=asks)
    if not entered.handle:
        resolved = resolver.resolve(entered.queue, entered.to)
        bind = "notfixed" if entered.put1 else entered.bind
        awaited = resolver.needs(resolved) if asks else ()
        if entered.caller is not None:
            resolved = authority.checked(qmgr, resolved, entered.caller)
        return PutTarget(entered.queue, resolved, bind, entered.profile, awaited=awaited)
    handle = qmgr.messaging.handles.get(entered.handle)
    if handle is None:
        awaited = answers.opening_of(qmgr, entered.handle)
        return PutTarget("", Resolved("", reason=reasons.BAD_HANDLE), awaited=awaited)
    resolved = resolver.resolve(handle.queue, handle.to)
    if handle.bound is None and resolved.reason:
        resolved = resolved._replace(reason=_reason_on_handle(handle, resolved.reason))
    managed = handle.bind == "group" and entered.logical_order and bool(entered.group)
    in_group = managed and handle.group == entered.group and not resolved.reason
    return PutTarget(
        handle.queue,
        resolved,
        handle.bind or "notfixed",
        handle.profile,
        handle.grouped if in_group else handle.bound,
        in_group,
    )


def _reason_on_handle(handle: Handle, reason: int) -> int:
    """Return the reason code of a put on a handle whose queue can no longer be resolved."""
    if reason in (reasons.UNKNOWN_OBJECT, reasons.NO_ANSWER, reasons.UNKNOWN_ALIAS_BASE):
        return reasons.NO_DESTINATIONS if handle.bind else reasons.QUEUE_DELETED
    return reason


def carry_out(
    draft: Draft, qmgr: QueueManager, entered: QueueOpened, *, waited: bool = False
) -> Opened:
    """Open a queue, and record its handle; without a handle, record only the changed counters.

    If full repositories must answer first, record that the call waits. A call that has `waited`
    does not ask again.
    """
    if not qmgr.running:
        return Opened(entered.queue, "", reason=reasons.QMGR_NOT_AVAILABLE)
    resolver = Resolver(draft, qmgr, asks=not waited)
    resolved = resolver.resolve(entered.queue, entered.to)
    names = () if waited else resolver.needs(resolved)
    if entered.caller is not None:
        resolved = authority.checked(qmgr, resolved, entered.caller)
    if names:
        pending = answers.begin(draft, qmgr, names, opened=replace(entered, origin=None))
        return Opened(entered.queue, "", reason=resolved.reason, pending=pending)
    result = _open(draft, qmgr, entered, resolved)
    workload_exits.note_failure(draft, qmgr, result.exit, entered.queue)
    counted = result.bound is not None and result.bound.after is not None
    if not result.reason and (entered.handle or counted):
        draft.emit(
            HandleOpened(
                qmgr=qmgr.name,
                handle=entered.handle,
                queue=entered.queue,
                base=result.base,
                to=entered.to,
                bind=result.bind,
                profile=destinations.order_of(qmgr, entered.profile) if result.bind else "",
                bound=result.bound,
                exit=result.exit,
                caller=entered.caller,
            )
        )
    return result


def _open(draft: Draft, qmgr: QueueManager, entered: QueueOpened, resolved: Resolved) -> Opened:
    """Open a queue, and choose a destination only if the handle is bound to it."""
    if entered.bind not in _LATER or resolved.reason or not resolved.clustered:
        return open_resolved(draft, qmgr, resolved, bind=entered.bind, profile=entered.profile)
    return Opened(
        resolved.name,
        resolved.via,
        resolved.instances,
        base=resolved.base,
        bind=entered.bind,
        resolved=resolved,
    )


def open_resolved(
    draft: Draft, qmgr: QueueManager, resolved: Resolved, *, bind: str, profile: str
) -> Opened:
    """Return the result of an MQOPEN of a resolved name.

    With bind open, a route is chosen. The caller records the changed counters.
    """
    if resolved.reason or not resolved.clustered:
        return Opened(
            resolved.name,
            resolved.via,
            reason=resolved.reason,
            base=resolved.base,
            bound_to=qmgr.name if resolved.via == "local" and not resolved.reason else "",
            resolved=resolved,
        )
    candidates = destinations.candidates(qmgr, resolved, profile=profile)
    plan, how = candidates.plan(), how_bound(resolved, bind, candidates)
    reason, portion, exit_said = 0, None, None
    if how == "open":
        reason, portion, exit_said = _bind(draft, qmgr, resolved, candidates, plan)
    share = destinations.share_of(draft, qmgr, resolved, portion) if portion else None
    return Opened(
        resolved.name,
        "" if reason else resolved.via,
        resolved.instances,
        reason,
        resolved.base,
        bind=how,
        bound=share,
        bound_to=draft.estate.names[share.to] if share else "",
        resolved=resolved,
        candidates=candidates,
        plan=plan,
        exit=exit_said,
    )


def how_bound(resolved: Resolved, bind: str, candidates: Candidates) -> str:
    """Return how messages are bound: as the application requested, or else by DEFBIND."""
    if bind != "asqdef":
        return bind
    defbind = resolved.defbind
    if not defbind and candidates.routes:
        first = candidates.routes[0]
        records = (belief for _, belief in resolved.instances if belief.owner == first.qmid)
        defbind = next((str(belief.values.get("DEFBIND", "")) for belief in records), "")
    return _BINDS.get(defbind, "open")


def _bind(
    draft: Draft, qmgr: QueueManager, resolved: Resolved, candidates: Candidates, plan: RoutePlan
) -> tuple[int, RoutePortion | None, ExitSaid | None]:
    """Choose once for all messages of a handle; return reason code, route and the exit's answer.

    Source: IBM MQ, "API reason codes", 2268: if every instance is put-disabled the call fails,
    unless one of them is local or an exit chooses one. If no route leads to any instance, the name
    is unknown (2085).
    """
    name, exit_ = workload_exits.exit_of(draft, qmgr)
    exit_said = workload_exits.not_loaded(name) if name and not resolved.fixed else None
    if exit_ is not None and not resolved.fixed:
        choices = workload_exits.choose(qmgr, name, exit_, candidates, 1, exit_reason=REASON_OPEN)
        exit_said = choices.exit_said
        if choices.routes:
            (portion,) = workload_exits.portions(qmgr, candidates, choices, 1)
            return 0, portion, exit_said
        if choices.reason != plan.reason:
            return choices.reason, None, exit_said
    if plan.bound is not None:
        return 0, RoutePortion(plan.bound, 1, None, None), exit_said
    if plan.reason:
        return AT_OPEN.get(plan.reason, plan.reason), None, exit_said
    (portion,) = destinations.choose_routes(qmgr, resolved, plan, 1)
    return 0, portion, exit_said
