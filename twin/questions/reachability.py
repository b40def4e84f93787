"""Whether a message would reach its next queue manager; if not, why, and what happens to it then.

Why a channel is RETRYING with AMQ9544: its partner cannot put the first message that it brings.

It is derived from the definitions of now at the partner, as its receiving end would decide again.
What a partner did with the message is not observed there, so of an imported partner only what its
definitions and its observed depths say is named.

Sources: IBM MQ, "What happens when a queue manager fails?"; IBM MQ 9.1, "Short retry interval";
IBM's article on re-allocation (messages that are not bound are routed again as the channel fails).

Sources: IBM MQ, "AMQ9544" (messages not put to destination queue); "Cluster-administration
considerations", "What happens if I put-disable a cluster queue?"; USEDLQ of "Channel attributes".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final, NamedTuple

from twin.events import Parcel
from twin.events.logged import FailureKind
from twin.fold.estate import QueueManager
from twin.fold.messaging import Workload
from twin.model import reasons
from twin.model.instants import Instant, format_instant
from twin.model.messages import NOT_PUT
from twin.model.objects import PARTNERS, Definition, number_of
from twin.model.retries import Retries
from twin.questions.blocked import ChannelBlock, block_of
from twin.questions.display import Depths
from twin.questions.namesakes import namesakes, shown_qmgr
from twin.rules import logged, reactions, standing
from twin.rules.channels import channel_status
from twin.rules.draft import Draft
from twin.rules.messages import destinations, inbound
from twin.rules.messages.arrival import Arrival
from twin.rules.queues.local_queues import NO_ROOM, local_queue, refusal
from twin.rules.workload.choosing import Trace
from twin.rules.workload.routes import Route


class NotPut(NamedTuple):
    """What keeps a partner from putting a message.

    Attributes:
        partner: the queue manager that cannot put it.
        queue: the queue that the message is for.
        reason: the reason code of the put.
        base: the queue of the partner that the reason is about; '' if it is about none.
        dead_letters: what is the matter with the dead-letter queue; '' if that is not known.
    """

    partner: str
    queue: str
    reason: int
    base: str = ""
    dead_letters: str = ""

    def __str__(self) -> str:
        """Return it as the part of a sentence."""
        code = f"{self.reason} {reasons.reason_name(self.reason)}"
        also = f", and {self.dead_letters}" if self.dead_letters else ""
        return f"{self.partner} cannot put messages for {self.queue} ({code}){also}"


def not_put(draft: Draft, qmgr: QueueManager, channel: str) -> NotPut | None:
    """Return what keeps the partner of a RETRYING channel from putting; None if nothing is known.

    Nothing is, if the channel failed for another reason or does not reach its partner now, if no
    message waits, or if the partner could put the first one now. No records are requested.
    """
    state = channel_status.current_state(qmgr, channel, draft.at)
    if state is None or (state.status, state.reason) != ("RETRYING", NOT_PUT):
        return None
    partner = draft.estate.qmgrs.get(state.partner)
    if partner is None or channel_status.obstacle(draft, qmgr, channel, partner.name):
        return None
    waiting = channel_status.waiting_messages(qmgr, channel) if qmgr.has_messaging else iter(())
    first = next(waiting, None)
    if first is None:
        return None
    acting = Draft(draft.estate, draft.at, draft.position, reactions=reactions.REACTIONS)
    arrival = Arrival(acting, partner, qmgr, channel)
    return None if inbound.takes(arrival, first) else _refusal(arrival, first)


def _refusal(arrival: Arrival, first: Parcel) -> NotPut | None:
    """Return what keeps a receiver from putting a message; None if it could put it."""
    draft, partner = arrival.draft, arrival.receiver
    resolved, reason = arrival.resolve(destinations.Resolver(draft, partner, asks=False), first)
    base = resolved.local
    if not reason and base and _is_full(partner, partner.definitions["QUEUE", base], draft.at):
        reason = refusal(partner, partner.definitions["QUEUE", base]).reason
    if not reason:
        return None
    about = _refusing(partner, (first.queue, base), reason)
    return NotPut(partner.name, first.queue, reason, about, _dead_letters(arrival, draft.at))


def _refusing(partner: QueueManager, names: Iterable[str], reason: int) -> str:
    """Return the queue that a reason code is about; '' if it is about none of the names."""
    for name in names:
        definition = partner.definitions.get(("QUEUE", name))
        if definition is None:
            continue
        if reason == reasons.PUT_INHIBITED and definition.is_put_inhibited:
            return name
        if reason in NO_ROOM and definition.type == "QLOCAL":
            return name
    return ""


def _dead_letters(arrival: Arrival, at: Instant) -> str:
    """Return why a message does not go to the dead-letter queue; '' if no cause is known."""
    receiver, receiving = arrival.receiver, arrival.receiving
    name = receiver.text("DEADQ")
    queue = local_queue(receiver, name)
    if receiving is not None and receiving.values.get("USEDLQ") == "NO":
        return f"{arrival.channel} may not use its dead-letter queue (USEDLQ(NO))"
    if not name:
        known = "DEADQ" in receiver.values or not receiver.observed
        return "it has no dead-letter queue" if known else ""
    if queue is None:
        return f"its dead-letter queue {name} does not exist" if not receiver.observed else ""
    if queue.is_put_inhibited:
        return f"its dead-letter queue {name} is PUT(DISABLED)"
    return f"its dead-letter queue {name} is full" if _is_full(receiver, queue, at) else ""


def _is_full(qmgr: QueueManager, queue: Definition, at: Instant) -> bool:
    """Return whether a queue is known to have MAXDEPTH messages."""
    depth = Depths.of(qmgr, at).values(queue)["CURDEPTH"]
    return isinstance(depth, int) and depth >= number_of(queue, "MAXDEPTH")


_MAY_FAIL: Final = ("INACTIVE", "STARTING", "BINDING", "INITIALIZING", "RUNNING")
_NOT_KNOWN: Final = "is not in the twin, so nothing is known of it"


class Prospect(NamedTuple):
    """What happens to a message after a choice.

    Attributes:
        block: what would keep it on its transmission queue; None if nothing would.
        line: what a reader should know about it, in a sentence; '' if it just arrives.
    """

    block: ChannelBlock | None = None
    line: str = ""


class Rerouting(NamedTuple):
    """What becomes of a message whose channel fails.

    Attributes:
        then: the route by which it goes on; None if it waits.
        stays: why it waits; '' if it goes on.
    """

    then: Route | None = None
    stays: str = ""


def obstacle(draft: Draft, sender: QueueManager, channel: str, target: str) -> str:
    """Return in words why a channel would not bring its messages to its partner; '' if it would.

    It does not reach the partner, or the partner cannot put what it brings (AMQ9544).
    """
    other = draft.estate.qmgrs.get(target)
    if other is None:
        return f"{target} {'was deleted' if is_known(draft, target) else _NOT_KNOWN}"
    if (refused := not_put(draft, sender, channel)) and refused.partner == target:
        return str(refused)
    if not channel_status.obstacle(draft, sender, channel, target):
        return ""
    return next(_obstacles(draft, sender, channel, other))


def target_of(draft: Draft, route: Route) -> str:
    """Return what is at the other end of a route: the name of a queue manager, or a QMID.

    The name is also that of another queue manager if the twin has only that one, and it does not
    receive over the channel of the route. Then the QMID stands for the one that is meant.
    """
    other = draft.estate.qmgrs.get(route.qmgr)
    if other is None or other.qmid == route.qmid:
        return route.qmgr
    return route.qmgr if other.channels.get(route.channel) == "CLUSRCVR" else route.qmid


def failing(draft: Draft, qmgr: QueueManager, channel: str, partner: str) -> str:
    """Return why a channel that nothing blocks would fail; '' if it would not.

    One that is INACTIVE and cannot reach its partner fails as the message starts it. One that is
    RUNNING sends nothing either, and fails when it notices that. Of a partner that is only named,
    nothing is known.
    """
    why = obstacle(draft, qmgr, channel, partner) if partner and is_known(draft, partner) else ""
    if not why:
        return ""
    if channel_status.status_of(qmgr, channel, draft.at) == "RUNNING":
        return f"{why}, and {channel} has not noticed it yet"
    return f"{channel} would not start, as {why}"


def is_known(draft: Draft, target: str) -> bool:
    """Return whether a queue manager is, or was, in the twin, not just named by a record."""
    estate = draft.estate
    gone = any(target in {qmgr.name, qmid} for qmid, qmgr in estate.departed.items())
    return target in estate.qmgrs or gone


def _obstacles(
    draft: Draft, sender: QueueManager, channel: str, other: QueueManager
) -> Iterator[str]:
    """Yield what keeps a channel from its partner, in the order in which the rules look at it."""
    estate, name = draft.estate, other.name
    receiving = PARTNERS.get(sender.channels.get(channel, ""), PARTNERS["CLUSSDR"])
    if not other.running:
        yield f"{name} has ended"
    if other.channels.get(channel) not in receiving:
        yield f"{name} has no receiving end of {channel}"
    if estate.links and estate.link(sender.name, name).cut:
        yield f"the link to {name} is cut"
    if (cause := logged.cause_of(sender, channel, other)) is not None:
        ends = {sender.name, name} - {cause.on}
        yield f"{said(cause, min(ends, default=name))} ({cause.record.id})"
    if channel_status.is_assumed_cut(estate, sender, channel, other):
        yield f"the link to {name} is assumed to be cut"
    state = other.activity.channels.get(channel)
    if state is not None and state.status == "STOPPED":
        yield f"{channel} is STOPPED at {name}"
    if other.suspended and channel_status.is_forced(other, channel):
        yield f"{name} is suspended with MODE(FORCE)"
    yield f"an old instance of {channel} is still active at {name}"


def failing_now(draft: Draft, qmgr: QueueManager, route: Route) -> str:
    """Return why the channel of a route would fail because of a message; '' if it would not.

    One that is STOPPED, or waits for its next retry, does not fail because of it.
    """
    blocked = block_of(qmgr, route.channel, draft.at) is not None
    return "" if blocked else failing(draft, qmgr, route.channel, target_of(draft, route))


def observed_note(draft: Draft, target: str) -> str:
    """Return what is known of an observed queue manager's state; '' for one that is simulated.

    It has its QMID beside its name if another one has the same name.
    """
    other = draft.estate.qmgrs.get(target)
    if other is None or not other.is_only_observed:
        return ""
    seen = other.activity.seen.qmgr.get(target)
    shown = shown_qmgr(target, other.qmid, namesakes(draft.estate))
    if seen is None:
        at = standing.answered(other)
        known = "nothing says whether it runs" if at is None else f"it ran at {format_instant(at)}"
        return f"{shown} is observed: {known}"
    return f"{shown} is observed: it was last seen {seen.status} at {format_instant(seen.at)}"


def prospect(
    draft: Draft, qmgr: QueueManager, trace: Trace, workload: Workload, *, movable: bool
) -> Prospect:
    """Return what happens to a message on the route that a trace chose.

    `movable` says whether it is routed again if its channel fails.
    """
    route = trace.chosen
    if route is None or route.local:
        return Prospect()
    block = block_of(qmgr, route.channel, draft.at)
    target = target_of(draft, route)
    why = obstacle(draft, qmgr, route.channel, target)
    if block is not None:
        return Prospect(block, f"It waits: {block}.{f' {_sentence(why)}.' if why else ''}")
    if not why:
        return Prospect()
    if not is_known(draft, target):
        line = f"{_sentence(why)}: whether {route.channel} reaches it cannot be said."
        return Prospect(None, line)
    if channel_status.status_of(qmgr, route.channel, draft.at) == "RUNNING":
        line = f"{_sentence(why)}; {route.channel} is RUNNING and has not noticed it yet."
        return Prospect(None, line)
    return _failing_start(draft, qmgr, trace, workload, why, movable=movable)


def _sentence(why: str) -> str:
    """Return an obstacle as the beginning of a sentence; a name keeps its case."""
    return f"{why[0].upper()}{why[1:]}" if why.startswith(("the ", "an ")) else why


def _failing_start(
    draft: Draft,
    qmgr: QueueManager,
    trace: Trace,
    workload: Workload,
    why: str,
    *,
    movable: bool,
) -> Prospect:
    """Return what happens if the message starts a channel that then fails."""
    route = trace.chosen
    assert route is not None  # noqa: S101 - the caller checked it
    cannot = f"{_sentence(why)}: {route.channel} would not start"
    then, _ = rerouting(draft, qmgr, trace, workload, route, movable=movable)
    if then is not None:
        where = f"stay at {then.qmgr}" if then.local else f"go to {then.qmgr} by {then.channel}"
        return Prospect(None, f"{cannot}, and the message would {where} instead.")
    retries = Retries.of(channel_status.attributes_of(draft, qmgr, route.channel, route.qmgr))
    retry = retries.next_after(draft.at, draft.at)
    status = channel_status.status_of(qmgr, route.channel, draft.at)
    block = ChannelBlock(route.channel, status, retry, f"would not start, as {why}")
    again = f"; next retry {format_instant(retry)}" if retry is not None else ""
    return Prospect(block, f"{cannot}, and the message would wait{again}.")


def rerouting(
    draft: Draft,
    qmgr: QueueManager,
    trace: Trace,
    workload: Workload,
    route: Route,
    *,
    movable: bool,
) -> Rerouting:
    """Return what becomes of a message on a route of a trace when the channel of that fails.

    It is routed again if it is `movable`, and once more for each further channel that fails, until
    the rules choose a channel that works, or one that has failed already.
    """
    if not movable:
        return Rerouting(stays=f"it is bound to {route.qmgr}")
    failed: set[str] = set()
    routes, again = trace.routes, trace
    chosen: Route | None = route
    while chosen is not None and chosen.channel not in failed:
        if chosen is not route and (chosen.local or _works(draft, qmgr, chosen)):
            return Rerouting(chosen)
        failed.add(chosen.channel)
        routes = tuple(
            replace(each, status="RETRYING")
            if each.channel in failed and each.status in _MAY_FAIL
            else each
            for each in routes
        )
        again = Trace.of(routes, trace.context, workload)
        chosen = again.chosen
    return Rerouting(stays=_why_none(draft, qmgr, again, failed))


def _works(draft: Draft, qmgr: QueueManager, route: Route) -> bool:
    """Return whether the channel of a route would bring a message to its destination."""
    if block_of(qmgr, route.channel, draft.at) is not None:
        return False
    target = target_of(draft, route)
    return not is_known(draft, target) or not obstacle(draft, qmgr, route.channel, target)


def _why_none(draft: Draft, qmgr: QueueManager, trace: Trace, failed: set[str]) -> str:
    """Return why no further destination is chosen after the channels to some have failed."""
    if len({(route.local, route.channel) for route in trace.routes}) == 1:
        return "no other instance is known"
    fell = {  # the steps are in the order of the rules, so the last one of a QMID stays
        fall.route.qmid: step.rule.name
        for step in trace.steps
        for fall in step.falls
        if fall.route.channel not in failed
        and (fall.route.local or _works(draft, qmgr, fall.route))
    }
    excluded = [
        f"{route.qmgr} is excluded by {fell[route.qmid]}"
        for route in trace.routes
        if route.qmid in fell
    ]
    return ", ".join(dict.fromkeys(excluded)) or "no other instance can be reached"


_SAYS: Final[Mapping[FailureKind, str]] = MappingProxyType(
    {
        FailureKind.SEQUENCE: "the ends disagree about the next sequence number",
        FailureKind.BLOCKED: "{on} blocks it by channel authentication",
        FailureKind.TLS: "the ends do not agree on TLS",
        FailureKind.LIMIT: "{on} runs as many channels as it may",
        FailureKind.IN_USE: "{on} takes an old instance of the channel for alive",
        FailureKind.STOPPED: "the other end lets nobody in: most often it is STOPPED there",
    }
)
"""What a record says, by its kind; of messages that could not be put, the location does."""


def said(cause: logged.LoggedCause, other: str) -> str:
    """Return what a record says; `other` is the queue manager that did not write it.

    Location 1 of AMQ9544 is the dead-letter queue of the writer, 2 that of its partner (the text of
    7.x, and logs of 9.1 with ArithInsert1).
    """
    if (says := _SAYS.get(cause.kind)) is not None:
        return says.format(on=cause.on)
    at = {1: cause.on, 2: other}.get(cause.location)
    went = f", and went to the dead-letter queue of {at}" if at else ""
    return f"messages could not be put on their queue{went}"
