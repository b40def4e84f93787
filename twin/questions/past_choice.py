"""A recorded choice, explained from the estate just before it.

The record contains the order of the rules, the shares and their counters; the trace is computed
again. If today's rules choose differently, the record shows what happened.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final, TypeAlias

from twin.errors import SubjectError
from twin.events import Event, HandleOpened, MessagesPut, MessagesRedirected, Share
from twin.fold.estate import Estate, QueueManager
from twin.fold.messaging import RouteKey
from twin.model.amounts import counted
from twin.model.instants import Instant
from twin.model.reasons import reason_name
from twin.questions.explain import block_of_choice, explained
from twin.questions.explanation import ExplainRequest, Explanation
from twin.rules.draft import Draft
from twin.rules.messages.arrival import Arrival
from twin.rules.messages.destinations import Resolver
from twin.rules.path.resolved import NAMED
from twin.rules.workload.choosing import Trace
from twin.rules.workload.exits import applied
from twin.rules.workload.trace_text import trace_lines

RecordedChoice: TypeAlias = MessagesPut | HandleOpened | MessagesRedirected
"""An event that records a choice."""

CHOICES: Final = (MessagesPut, HandleOpened, MessagesRedirected)
"""The events of `Choice`, as classes."""


class NoChoice(
    SubjectError,
    LookupError,
    message=(
        "no choice is recorded at position {}; expected that of a MessagesPut, HandleOpened or "
        "MessagesRedirected event (see twin log show --type MessagesPut)"
    ),
):
    """No choice is recorded at a position of the log."""


def choice_of(event: Event, position: int) -> RecordedChoice:
    """Return an event as a recorded choice.

    Raises:
        NoChoice: if it records no choice.
    """
    if isinstance(event, MessagesPut | MessagesRedirected) and event.shares:
        return event
    if isinstance(event, HandleOpened) and event.bound is not None:
        return event
    raise NoChoice(position)


def explained_again(
    estate: Estate, choice: RecordedChoice, *, at: Instant, position: int
) -> Explanation:
    """Explain a choice that was recorded at a position, from the estate just before it."""
    qmgr = estate.qmgr(choice.qmgr)
    if isinstance(choice, MessagesRedirected):
        explanation, exit_outcome = _redirected(estate, qmgr, choice, at), None
    else:
        explanation = explained(estate, qmgr, _asked(estate, qmgr, choice), at=at, asks=False)
        exit_outcome = choice.exit
    shares = _shares(choice)
    head = _head(estate, choice, position)
    if explanation.trace is None:
        return replace(explanation, reason=0, lines=(*head, *explanation.lines))
    trace = (
        applied(explanation.trace, exit_outcome) if exit_outcome is not None else explanation.trace
    )
    taken = {(share.to, share.channel or share.route) for share in shares}
    agrees = _agrees(trace, taken)
    recorded = trace if agrees else _as_recorded(trace, taken)
    block = block_of_choice(qmgr, recorded, at)
    waits = f"It waits: {block}." if block is not None else ""
    lines = [*head, *trace_lines(trace, beside=[waits] if waits and agrees else [])]
    if not agrees:
        names = sorted({f"{estate.names[to]} by {channel}" for to, channel in taken if to})
        lines.append(
            f"Recorded: {', '.join(names)}. Today's rules choose otherwise. {waits}".rstrip()
        )
    return replace(explanation, trace=recorded, block=block, lines=tuple(lines))


def retracted(explanation: Explanation, *, requested: int, standing: int | None) -> Explanation:
    """Add to an explanation that the requested record was withdrawn.

    The explanation is that of the record that replaced it, or of the record itself if none did.
    """
    by = "nothing replaces it" if standing is None else f"position {standing} replaces it"
    line = f"Position {requested} was withdrawn after a late fact or a retraction; {by}."
    return replace(explanation, lines=(line, *explanation.lines))


def _head(estate: Estate, choice: RecordedChoice, position: int) -> list[str]:
    """Return lines that name the choice; for redirected messages also why, and all destinations."""
    many = f", {counted(sum(share.count for share in _shares(choice)))}"
    if isinstance(choice, HandleOpened):
        return [f"The MQOPEN recorded at position {position}: its first choice."]
    if isinstance(choice, MessagesPut):
        return [f"The MQPUT recorded at position {position}{many}: its first choice."]
    ways = ", ".join(
        f"{share.count} to {estate.names.get(share.to, share.named)}" for share in choice.shares
    )
    why = f" ({choice.reason} {reason_name(choice.reason)} of {choice.parcels[0].queue})"
    where = f"{choice.qmgr} at position {position}{many}{why if choice.reason else ''}"
    return [
        f"Redirected by {where}: the first choice.",
        f"They came from {choice.sender} by {choice.channel} and went on: {ways}.",
    ]


def _redirected(
    estate: Estate, qmgr: QueueManager, choice: MessagesRedirected, at: Instant
) -> Explanation:
    """Explain where a receiving queue manager sent messages on."""
    draft = Draft(estate, at, estate.position + 1)
    came = Arrival(draft, qmgr, estate.qmgr(choice.sender), choice.channel)
    resolver, first = Resolver(draft, qmgr, asks=False), choice.parcels[0]
    if choice.reason:
        resolved = resolver.instances(first.queue)
    else:
        resolved, _ = came.resolve(resolver, first)
    explanation = Explanation(qmgr.name, first.queue, resolved)
    if not resolved.clustered:
        share = choice.shares[0]
        return replace(explanation, alone=(estate.names.get(share.to, share.named), share.channel))
    candidates = came.candidates(resolved, choice.reason)
    workload = qmgr.messaging.workload
    return replace(explanation, trace=Trace.of(candidates.routes, candidates.context, workload))


def _shares(choice: RecordedChoice) -> tuple[Share, ...]:
    if isinstance(choice, HandleOpened):
        return (choice.bound,) if choice.bound is not None else ()
    return choice.shares


def _asked(
    estate: Estate, qmgr: QueueManager, choice: MessagesPut | HandleOpened
) -> ExplainRequest:
    """Return the request that a choice answered."""
    if isinstance(choice, HandleOpened):
        return ExplainRequest(queue=choice.queue, to=choice.to, bind="open", profile=choice.profile)
    bind = choice.bind or "asqdef"
    handle = qmgr.messaging.handles.get(choice.handle) if choice.handle else None
    if handle is not None:
        return ExplainRequest(queue=handle.queue, to=handle.to, bind=bind, profile=choice.profile)
    return ExplainRequest(
        queue=choice.queue, to=_named(estate, qmgr, choice), bind=bind, profile=choice.profile
    )


def _named(estate: Estate, qmgr: QueueManager, choice: MessagesPut) -> str:
    """Return the ObjectQMgrName of a put; '' if a definition here names the destination."""
    first = choice.shares[0]
    fixed = NAMED if choice.fixed == NAMED else ""
    to = first.named or (estate.names[first.to] if fixed else "")
    if not to:
        return ""
    draft = Draft(estate, estate.instant, estate.position + 1)
    plain = Resolver(draft, qmgr, asks=False).resolve(choice.queue)
    by_itself = not plain.reason and (plain.named, plain.fixed) == (first.named, fixed)
    return "" if by_itself else to


def _agrees(trace: Trace, taken: set[RouteKey]) -> bool:
    """Return whether today's rules choose one of the recorded routes."""
    return trace.chosen is not None and (
        trace.chosen.key in taken or any(to == trace.chosen.qmid and not by for to, by in taken)
    )


def _as_recorded(trace: Trace, taken: set[RouteKey]) -> Trace:
    """Return a trace that shows the recorded route as chosen."""
    recorded = next((route for route in trace.routes if route.key in taken), None)
    steps = tuple(
        step._replace(falls=[fall for fall in step.falls if fall.route is not recorded])
        for step in trace.steps
    )
    return replace(trace, steps=steps, chosen=recorded)
