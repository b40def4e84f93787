"""Why a message goes where it goes: every candidate route, and the rule that excluded it.

Nothing is put and no counter changes. If full repositories must be asked for a name (`must_ask`),
the explanation needs an estate of its own.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Final

from twin.errors import TwinError
from twin.events import Caller, PutEntered, Share
from twin.fold.estate import Estate, QueueManager
from twin.fold.messaging import Workload
from twin.model.amounts import counted
from twin.model.instants import Instant
from twin.model.reasons import (
    NO_ANSWER,
    QMGR_NOT_AVAILABLE,
    UNKNOWN_ALIAS_BASE,
    UNKNOWN_OBJECT,
    UNKNOWN_REMOTE_QMGR,
    reason_name,
)
from twin.questions.access import arrival_lines, lines_of
from twin.questions.assumed import notes_of_put
from twin.questions.blocked import ChannelBlock, block_of
from twin.questions.explanation import ExplainRequest, Explanation
from twin.questions.name_words import bind_line, path_line
from twin.questions.namesakes import namesakes, shown_qmgr
from twin.questions.not_modelled import note_of_shared_queue
from twin.questions.order import order_of_put
from twin.questions.proofs_of_death import proof_of
from twin.questions.reachability import Prospect, observed_note, obstacle, prospect, target_of
from twin.questions.route_basis import bases_of_routes
from twin.questions.sender_channels import SenderChannels
from twin.questions.unresolved import missing_name, why_missing
from twin.questions.unsure import doubts, otherwise
from twin.rules import lifecycle, standing
from twin.rules.channels import channel_status
from twin.rules.draft import Decided, Draft
from twin.rules.messages import destinations, opening, put_plan
from twin.rules.path.resolved import Resolved
from twin.rules.queues.local_queues import Refusal
from twin.rules.reactions import REACTIONS
from twin.rules.workload.choosing import Trace
from twin.rules.workload.counterfactuals import alternatives
from twin.rules.workload.routes import Route
from twin.rules.workload.trace_text import outcome, trace_lines, wrapped

_UNKNOWN: Final = (UNKNOWN_OBJECT, UNKNOWN_ALIAS_BASE, UNKNOWN_REMOTE_QMGR, NO_ANSWER)
"""The reason codes whose explanation needs to know what other queue managers know."""


class Incomplete(TwinError, ValueError):
    """The queue manager or the queue of an explanation is missing."""

    def __init__(self) -> None:
        super().__init__("explain needs on (a queue manager) and queue (the name to put to)")


class PositionAlone(TwinError, ValueError):
    """A recorded choice is named together with options of a put, or with an instant."""

    def __init__(self) -> None:
        super().__init__(
            "explain takes position alone: a recorded choice has its own queue, options and instant"
        )


def must_ask(estate: Estate, qmgr: QueueManager, request: ExplainRequest) -> bool:
    """Return whether an explanation needs the whole estate, to ask full repositories for a name.

    This is also so if the full repositories do not know the name: then the reason is with them.
    """
    if request.handle or not qmgr.running:
        return False
    resolver = destinations.Resolver(
        Draft(estate, estate.instant, estate.position + 1), qmgr, asks=False
    )
    resolved = resolver.resolve(request.queue, request.to)
    if resolved.clustered and not request.to:
        own = qmgr.definitions.get(("QUEUE", resolved.queue))
        if own is not None and own.type != "QLOCAL":  # the instance here leads on
            resolver.local(own)
    return resolver.unasked or resolved.reason in _UNKNOWN


def explained(
    estate: Estate,
    qmgr: QueueManager,
    request: ExplainRequest,
    *,
    at: Instant,
    asks: bool,
    brief: bool = False,
    events: list[Decided] | None = None,
) -> Explanation:
    """Explain where a message goes that is put at an instant.

    With `asks` full repositories are asked as an MQOPEN does, and time passes until they answer,
    which changes the estate: it must be the caller's own. What happens then is added to `events`.
    A `brief` explanation says what happens and what it assumes, but has no words, and neither bases
    nor notes.
    """
    found = _explained(estate, qmgr, request, at=at, asks=asks, brief=brief, events=events)
    if brief or request.caller is None:
        return found
    return _authority(estate, qmgr, found, request.caller, at)


def _explained(
    estate: Estate,
    qmgr: QueueManager,
    request: ExplainRequest,
    *,
    at: Instant,
    asks: bool,
    brief: bool,
    events: list[Decided] | None,
) -> Explanation:
    happened: list[Decided] = [] if events is None else events
    known = estate.position
    draft = Draft(estate, at, estate.position + 1, events=happened, reactions=REACTIONS)
    if not qmgr.running:
        return _failed(qmgr, request.queue, QMGR_NOT_AVAILABLE)
    entered = PutEntered(qmgr=qmgr.name, **asdict(request))
    target = opening.target_of(draft, qmgr, entered, asks=asks)
    if asks and target.awaited:
        lifecycle.play_until_answered(draft, qmgr, target.awaited)
        target = opening.target_of(draft, qmgr, entered, asks=False)
    if target.bound is not None:
        return _bound(draft, qmgr, target, target.bound)
    resolved = target.resolved
    if resolved.reason:
        failed = _failed(qmgr, target.queue, resolved.reason, resolved)
        missing = missing_name(resolved, request.to) if asks and not brief else None
        if missing is None:
            return failed
        why = why_missing(draft, qmgr, missing, to=request.to, since=at)
        return replace(failed, notes=tuple(why))
    if not resolved.clustered:
        return _alone(draft, qmgr, resolved)
    chosen = _chosen(draft, qmgr, target, asks=asks)
    return chosen if brief else _in_words(draft, qmgr, target, chosen, known, put1=request.put1)


def _authority(
    estate: Estate, qmgr: QueueManager, explanation: Explanation, caller: Caller, at: Instant
) -> Explanation:
    """Add to an explanation whether a user may put, here and where the message arrives."""
    resolved, trace = explanation.resolved, explanation.trace
    said = lines_of(qmgr, resolved, caller) if resolved.path else ()
    if trace is not None and trace.chosen is not None:
        draft = Draft(estate, at, estate.position + 1)
        said = (*said, *arrival_lines(draft, resolved, trace.chosen, caller))
    return replace(explanation, notes=(*explanation.notes, *said))


def explained_for_all(
    explanation: Explanation, estate: Estate, request: ExplainRequest, *, at: Instant
) -> Explanation:
    """Add to an explanation what happens if definitions were altered already.

    Where it is the same, nothing is added. The estate is the whole one of the explanation.
    """
    lines, others = [], []
    for changed, other in otherwise(estate, at):
        qmgr = other.qmgrs[explanation.qmgr]
        asks = must_ask(other, qmgr, request)
        also = explained(other, qmgr, request, at=other.instant, asks=asks)
        if _decided(also) != _decided(explanation):
            others.append(also)
            altered = " and ".join(each.changed for each in changed)
            lines.append(f"If it was already {altered}: {also.outcome}")
    if not others:
        return explanation
    why = "; ".join(str(doubt) for doubt in doubts(estate))
    first = f"Between two sights it is not known which is so: {why}. As it was last seen:"
    return replace(
        explanation,
        lines=(
            *(part for line in (first, explanation.outcome, *lines) for part in wrapped(line)),
            "",
            *explanation.lines,
        ),
        others=tuple(others),
    )


def _decided(explanation: Explanation) -> tuple[object, ...]:
    """Return what an explanation says of the destination, without words."""
    trace = explanation.trace
    rows = (
        ()
        if trace is None
        else tuple((r["qmgr"], r["channel"], r["removed_by"]) for r in trace.rows())
    )
    return explanation.reason, explanation.alone, rows, explanation.block is None


def _chosen(
    draft: Draft, qmgr: QueueManager, target: opening.PutTarget, *, asks: bool
) -> Explanation:
    resolved, bind = target.resolved, target.bind
    candidates = destinations.candidates(qmgr, resolved, profile=target.profile)
    workload = qmgr.messaging.workload
    routes = [_with_status(route, qmgr, draft.at) for route in candidates.routes]
    trace = Trace.of(routes, candidates.context, workload)
    how = opening.how_bound(resolved, bind, candidates)
    if how == "open" and trace.bound is None:  # the call that fails is MQOPEN
        trace = replace(trace, reason=opening.AT_OPEN.get(trace.reason, trace.reason))
    refusal = Refusal(trace.reason)
    if trace.chosen is not None:
        refusal = put_plan.refusal_of_route(draft, qmgr, resolved, trace.chosen, asks=asks)
    goes = Prospect()
    if not refusal.reason:
        movable = how == "notfixed" and not resolved.fixed
        goes = prospect(draft, qmgr, trace, workload, movable=movable)
    return Explanation(
        qmgr.name,
        resolved.name,
        resolved,
        how,
        refusal.reason,
        trace,
        block=goes.block,
        lines=(goes.line,) if goes.line else (),
        refused_by=refusal.queue,
        assumptions=notes_of_put(draft, qmgr, resolved),
    )


def _with_status(route: Route, qmgr: QueueManager, at: Instant) -> Route:
    """Return a route as DISPLAY CHSTATUS shows it: a channel that has disconnected is INACTIVE.

    So is one that nobody saw, which is all that can be assumed. The rules treat INACTIVE and
    RUNNING alike, so the choice is the same.
    """
    if route.local or route.status != "RUNNING":
        return route
    if standing.is_unseen(qmgr, route.channel):
        return replace(route, status="INACTIVE")
    return replace(route, status=channel_status.status_of(qmgr, route.channel, at))


def _in_words(
    draft: Draft,
    qmgr: QueueManager,
    target: opening.PutTarget,
    chosen: Explanation,
    known: int,
    *,
    put1: bool,
) -> Explanation:
    """Add to an explanation its words, and what it rests on: on records up to a position."""
    resolved, trace, workload = chosen.resolved, chosen.trace, qmgr.messaging.workload
    assert trace is not None  # noqa: S101 - a choice was made
    targets = {route.key: target_of(draft, route) for route in trace.routes}

    def not_reached(route: Route) -> str:
        return obstacle(draft, qmgr, route.channel, targets[route.key])

    shown = _with_qmids(draft.estate, trace, workload)
    candidates = destinations.Candidates(tuple(trace.routes), trace.context)
    found_otherwise = alternatives(trace, workload, obstacle=not_reached)
    in_words = found_otherwise
    if shown is not trace:
        in_words = alternatives(shown, workload, obstacle=not_reached)
    refusal = Refusal(chosen.reason, chosen.refused_by)
    refused = refusal_line(qmgr, refusal) if trace.chosen is not None else ""
    bound = bind_line(target, chosen.bind, candidates, put1=put1, on=qmgr.name)
    beside = [*filter(None, (refused or "".join(chosen.lines), path_line(resolved)))]
    return replace(
        chosen,
        lines=tuple(trace_lines(shown, in_words, beside=[*beside, bound], name=resolved.name)),
        goes=" ".join([outcome(shown, resolved.name), *beside]),
        bound=bound,
        bases=bases_of_routes(draft.estate, qmgr, trace, draft.at, known),
        notes=(
            *chosen.assumptions,
            *_notes_of(draft, qmgr, resolved, trace),
            *filter(None, [order_of_put(SenderChannels(qmgr), trace, chosen.bind)]),
        ),
        alternatives=found_otherwise,
    )


def _notes_of(
    draft: Draft, qmgr: QueueManager, resolved: Resolved, trace: Trace
) -> tuple[str, ...]:
    """Return what is not known of the destination."""
    chosen = trace.chosen
    if not trace.routes:
        named = namesakes(draft.estate)
        owners = ", ".join(
            sorted(
                {
                    shown_qmgr(belief.owner_name, belief.owner, named)
                    for _, belief in resolved.instances
                }
            )
        )
        return (f"{qmgr.name} knows of an instance at {owners}, but no channel to it",)
    sent = chosen is not None and not chosen.local
    seen = observed_note(draft, target_of(draft, chosen)) if chosen and sent else ""
    dead = _chosen_dead(draft.estate, trace) if sent else ""
    shared_by = [route.qmgr for route in trace.routes]
    shared = note_of_shared_queue(draft.estate, resolved.queue, shared_by)
    return (*filter(None, (dead, seen)), *shared)


def _chosen_dead(estate: Estate, trace: Trace) -> str:
    """Say that MQ chooses a queue manager that is proved to be dead; '' if it does not.

    MQ does not know that it is dead while somebody holds its records.
    """
    dead = {
        route.key: proof.why
        for route in trace.finalists
        if not route.local and (proof := proof_of(estate, route.qmid)) is not None
    }
    if not dead:
        return ""
    words = [f"{qmid} by {channel}, which {why}" for (qmid, channel), why in dead.items()]
    count = f"{len(dead)} of {counted(len(trace.finalists), 'route')} in turn"
    return f"MQ chooses {' and '.join(words)}: messages wait there ({count})"


def _with_qmids(estate: Estate, trace: Trace, workload: Workload) -> Trace:
    """Return a trace to be written: queue managers of one name have their QMIDs beside it."""
    named = namesakes(estate)
    if not any(route.qmid in named for route in trace.routes):
        return trace
    routes = [
        replace(route, qmgr=shown_qmgr(route.qmgr, route.qmid, named)) for route in trace.routes
    ]
    return replace(Trace.of(routes, trace.context, workload), reason=trace.reason)


def block_of_choice(qmgr: QueueManager, trace: Trace, at: Instant) -> ChannelBlock | None:
    """Return what would block a message on the route that a trace chose; None if nothing would."""
    chosen = trace.chosen
    return block_of(qmgr, chosen.channel, at) if chosen is not None and not chosen.local else None


def _alone(draft: Draft, qmgr: QueueManager, resolved: Resolved) -> Explanation:
    """Explain a put to a name that is not in a cluster."""
    share = destinations.unclustered(qmgr, resolved, 1)
    to = qmgr.name if share.to else share.named
    where = f"is put on {share.lies_on} at {qmgr.name}"
    further = f", for queue manager {share.named}" if share.named else ""
    line = f"{resolved.name} on {qmgr.name}: no cluster is involved; a message {where}{further}"
    path = path_line(resolved)
    refusal = put_plan.refusal_of_share(qmgr, resolved, share)
    block = block_of(qmgr, share.channel, draft.at) if share.channel else None
    explanation = Explanation(
        qmgr.name,
        resolved.name,
        resolved,
        alone=(to, share.channel),
        lines=(line, *([path] if path else [])),
    )
    return _with_end(explanation, qmgr, refusal, block)


def _with_end(
    explanation: Explanation, qmgr: QueueManager, refusal: Refusal, block: ChannelBlock | None
) -> Explanation:
    """Add to an explanation that the put fails, or that the message waits."""
    block = None if refusal.reason else block
    beside = f"It waits: {block}." if block is not None else refusal_line(qmgr, refusal)
    return replace(
        explanation,
        reason=refusal.reason,
        refused_by=refusal.queue,
        block=block,
        lines=(*explanation.lines, *([beside] if beside else [])),
    )


def refusal_line(qmgr: QueueManager, refusal: Refusal) -> str:
    """Return a line that says that the put fails; '' if it does not."""
    if not refusal.reason:
        return ""
    by = f" (queue {refusal.queue} of {qmgr.name})" if refusal.queue else ""
    return f"The put ends in {refusal.reason} {reason_name(refusal.reason)}{by}."


def _bound(
    draft: Draft, qmgr: QueueManager, target: opening.PutTarget, bound: Share
) -> Explanation:
    """Explain a put with a bound handle, whose destination an earlier call chose."""
    to = draft.estate.names[bound.to]
    block = block_of(qmgr, bound.channel, draft.at) if bound.channel else None
    by = f" by {bound.channel}" if bound.channel else ""
    since = "the first put of its group" if target.in_group else "MQOPEN"
    line = f"{target.queue} on {qmgr.name}: bound to {to}{by} since {since}"
    alone = (to, bound.channel)
    explanation = Explanation(
        qmgr.name, target.queue, target.resolved, target.bind, alone=alone, lines=(line,)
    )
    return _with_end(explanation, qmgr, put_plan.refusal_of_handle(qmgr, target, bound), block)


def _failed(
    qmgr: QueueManager, queue: str, reason: int, resolved: Resolved | None = None
) -> Explanation:
    line = f"{queue} on {qmgr.name}: {reason} {reason_name(reason)}"
    resolved = resolved or Resolved(name=queue, reason=reason)
    path = path_line(resolved)
    lines = (line, *([path] if path else []))
    return Explanation(qmgr.name, queue, resolved, reason=reason, lines=lines)
