"""MQOPEN for output: what a name resolves to, how messages are bound, and what it is bound to.

Sources: IBM MQ 7.5, "MQOPEN and clusters"; 9.2, "MQOPEN option for cluster queue"; 9.0, "DefBind";
"API reason codes" (2085, 2268). Where DEFBIND of the instances is asked for and they differ, that
of the first route holds, a local one before others, then by queue manager and channel [inferred];
a queue manager that is named has none, and binds on open [inferred].
"""

from __future__ import annotations

from typing import Final, NamedTuple

from twin.events import ExitSaid, HandleOpened, QueueOpened, Share
from twin.fold.beliefs import Instance
from twin.fold.estate import QueueManager
from twin.model.reasons import NO_DESTINATIONS, QMGR_NOT_AVAILABLE, UNKNOWN_OBJECT
from twin.rules.draft import Draft
from twin.rules.messages import destinations, workload_exits
from twin.rules.messages.destinations import Candidates
from twin.rules.messages.resolution import Resolver
from twin.rules.messages.resolved import Resolved, Via
from twin.rules.workload.choosing import Plan, Portion
from twin.rules.workload.exit_structures import REASON_OPEN

_BINDS: Final = {"OPEN": "open", "NOTFIXED": "notfixed", "GROUP": "group"}
"""DEFBIND -> the option it stands for."""


_LATER: Final = frozenset({"notfixed", "group"})
"""How messages are bound where nothing is chosen before one is put."""

_NOWHERE: Final = Resolved(name="")


class Opened(NamedTuple):
    """What an MQOPEN came to: where the name led, the instances, or the reason it failed.

    Attributes:
        queue: the name that was opened.
        via: how it was found.
        instances: what the cluster has of it.
        reason: the reason code, 0 where it works.
        base: what the name resolved to where that is another.
        bind: how messages are bound: 'open', 'notfixed', 'group', '' where no cluster is asked.
        bound: where bind open bound it to.
        bound_to: the name of that queue manager.
        resolved: all of what the name came to.
        candidates: what the choice is made from; None where no cluster is asked, and where it was
            only opened and nothing is chosen before a message is put.
        plan: what the rules left of them.
        exit: what the workload exit of bind open came to.
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
    plan: Plan | None = None
    exit: ExitSaid | None = None


def open_queue(
    draft: Draft,
    qmgr: QueueManager,
    queue: str,
    *,
    to: str = "",
    bind: str = "asqdef",
    profile: str = "",
) -> Opened:
    """Open a queue for output as MQOPEN does, asking full repositories where that is needed.

    What bind open chooses is counted by whoever records it.
    """
    resolver = Resolver(draft, qmgr)
    return opened(draft, qmgr, resolver.resolve(queue, to), bind=bind, profile=profile)


def opened(
    draft: Draft, qmgr: QueueManager, resolved: Resolved, *, bind: str, profile: str
) -> Opened:
    """Decide what an MQOPEN of a resolved name comes to."""
    base = resolved.base
    if resolved.reason or not resolved.clustered:
        found = Opened(resolved.name, resolved.via, (), resolved.reason, base, resolved=resolved)
        return found if resolved.reason or resolved.via != "local" else _at_home(qmgr, found)
    candidates = destinations.candidates(qmgr, resolved, profile=profile)
    plan, how = candidates.plan(), how_bound(resolved, bind, candidates)
    reason, portion, said = 0, None, None
    if how == "open":
        reason, portion, said = _bind(draft, qmgr, resolved, candidates, plan)
    share = destinations.share_of(draft, qmgr, resolved, portion) if portion else None
    return Opened(
        resolved.name,
        "" if reason else resolved.via,
        resolved.instances,
        reason,
        base,
        bind=how,
        bound=share,
        bound_to=draft.estate.names[share.to] if share else "",
        resolved=resolved,
        candidates=candidates,
        plan=plan,
        exit=said,
    )


def _at_home(qmgr: QueueManager, found: Opened) -> Opened:
    return Opened(
        found.queue, found.via, base=found.base, bound_to=qmgr.name, resolved=found.resolved
    )


def how_bound(resolved: Resolved, bind: str, candidates: Candidates) -> str:
    """Say how messages are bound: as asked for, or by DEFBIND."""
    if bind != "asqdef":
        return bind
    defbind = resolved.defbind
    if not defbind and candidates.routes:
        first = candidates.routes[0]
        owners = (belief for _, belief in resolved.instances if belief.owner == first.qmid)
        defbind = next((str(each.values.get("DEFBIND", "")) for each in owners), "")
    return _BINDS.get(defbind, "open")


def _bind(
    draft: Draft, qmgr: QueueManager, resolved: Resolved, candidates: Candidates, plan: Plan
) -> tuple[int, Portion | None, ExitSaid | None]:
    """Choose once for all messages of a handle: the reason code, the route, and what an exit said.

    Source: IBM MQ, "API reason codes", 2268: where every instance is put-disabled the call fails
    unless one of them is local, or an exit chooses one. A known instance with no route to it is an
    unknown name (2085).
    """
    name, exit_ = workload_exits.exit_of(draft, qmgr)
    said = workload_exits.not_loaded(name) if name and not resolved.fixed else None
    if exit_ is not None and not resolved.fixed:
        choices = workload_exits.choose(qmgr, name, exit_, candidates, 1, exit_reason=REASON_OPEN)
        said = choices.said
        if choices.routes:
            (portion,) = workload_exits.portions(qmgr, candidates, choices, 1)
            return 0, portion, said
        if choices.reason != plan.reason:
            return choices.reason, None, said
    if plan.bound is not None:
        return 0, Portion(plan.bound, 1, None, None), said
    if plan.reason:
        return UNKNOWN_OBJECT if plan.reason == NO_DESTINATIONS else plan.reason, None, said
    (portion,) = destinations.take(qmgr, resolved, plan, 1)
    return 0, portion, said


def carry_out(draft: Draft, qmgr: QueueManager, entered: QueueOpened) -> Opened:
    """Open a queue, and record its handle, or what was counted where it is closed at once."""
    if not qmgr.running:
        return Opened(entered.queue, "", reason=QMGR_NOT_AVAILABLE)
    found = _open(draft, qmgr, entered)
    counted = found.bound is not None and found.bound.after is not None
    if not found.reason and (entered.handle or counted):
        draft.emit(
            HandleOpened(
                qmgr=qmgr.name,
                handle=entered.handle,
                queue=entered.queue,
                base=found.base,
                to=entered.to,
                bind=found.bind,
                profile=destinations.order_of(qmgr, entered.profile) if found.bind else "",
                bound=found.bound,
                exit=found.exit,
            )
        )
    return found


def _open(draft: Draft, qmgr: QueueManager, entered: QueueOpened) -> Opened:
    """Open a queue, and choose no more than the handle says: nothing, unless it is bound."""
    bind, resolved = entered.bind, Resolver(draft, qmgr).resolve(entered.queue, entered.to)
    if bind not in _LATER or resolved.reason or not resolved.clustered:
        return opened(draft, qmgr, resolved, bind=bind, profile=entered.profile)
    return Opened(
        resolved.name,
        resolved.via,
        resolved.instances,
        base=resolved.base,
        bind=bind,
        resolved=resolved,
    )
