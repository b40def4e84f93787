"""Put, forward, dead-letter or return messages that arrive over a channel, as `arrival` finds.

Sources: IBM MQ, "Cluster-administration considerations", "What happens if I put-disable a cluster
queue?" (another instance, the dead-letter queue, or back to the sender); 9.4, "Queue manager
aliases and clusters"; USEDLQ and NPMSPEED of "Channel attributes".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from itertools import groupby
from typing import TypeAlias

from twin.events import (
    MessagesArrived,
    MessagesCirculated,
    MessagesLost,
    MessagesRedirected,
    Parcel,
    Share,
)
from twin.fold.parcels import count_of, sent_on, split
from twin.model import reasons
from twin.model.names import COMMAND_QUEUE
from twin.rules.messages import capacity, destinations, put_plan
from twin.rules.messages.arrival import MOST_HOPS, Arrival, CommandQueueReached
from twin.rules.path.resolved import Resolved
from twin.rules.queues.local_queues import depth_left, refusal
from twin.rules.workload.choosing import VERSION
from twin.rules.workload.routes import profile_of

Returned: TypeAlias = tuple[tuple[Parcel, ...], int]
"""Messages that could not be put anywhere, and the reason code."""

Forward: TypeAlias = Callable[[Sequence[Share]], None]
"""A function that sends messages that were just put on transmission queues of the receiver."""


def arrive(arrival: Arrival, coming: Sequence[Parcel], forward: Forward) -> list[Returned]:
    """Put messages that arrived over a channel; return those that could not be put anywhere.

    `forward` is called for forwarded messages before the next ones are handled, so that they make
    space for these.
    """
    returned: list[Returned] = []
    for _, alike in groupby(coming, key=_kind):
        returned += _put_or_forward(arrival, list(alike), forward)
    return returned


def takes(arrival: Arrival, parcel: Parcel) -> bool:
    """Return whether a receiver that returned a message would put or forward it now.

    It is what the arrival itself does, on a copy of the estate, with one message. A receiver that
    would first wait for an answer of its full repositories does more than return it.
    """
    trial = arrival.draft.trial()
    receiver, sender = (trial.qmgr(each.name) for each in (arrival.receiver, arrival.sender))
    again = Arrival(trial, receiver, sender, arrival.channel)
    one, _ = split([parcel], 1)
    return bool(again.asks_for(parcel)) or not arrive(again, one, lambda _shares: None)


def _kind(parcel: Parcel) -> tuple[object, ...]:
    free = not parcel.fixed and not parcel.redirected
    many = parcel.hops >= MOST_HOPS
    return parcel.queue, parcel.named, free, parcel.persistent, many, parcel.caller


def _put_or_forward(arrival: Arrival, waiting: list[Parcel], forward: Forward) -> list[Returned]:
    """Put messages that are handled alike; return those that go back to the sender."""
    first = waiting[0]
    resolver = destinations.Resolver(arrival.draft, arrival.receiver)
    resolved, reason = arrival.resolve(resolver, first)
    if not reason and not resolved.local and first.hops >= MOST_HOPS:
        _note_circulation(arrival, waiting)
        return []
    if not reason and resolved.local:
        waiting = _put_on_queue(arrival, resolved.local, waiting, 0)
        queue = arrival.receiver.definitions["QUEUE", resolved.local]
        reason = refusal(arrival.receiver, queue).reason
    elif not reason:
        waiting, reason = _send_on(arrival, resolved, waiting, 0, forward)
    if waiting and arrival.goes_elsewhere(first, reason):
        instances = resolver.instances(first.queue)
        if reason == reasons.UNKNOWN_OBJECT:
            reason = instances.reason or reason  # 2189 if no full repository has answered
        waiting, _ = _send_on(arrival, instances, waiting, reason, forward)
    return _dead_letter_or_discard(arrival, waiting, reason) if waiting else []


def _note_circulation(arrival: Arrival, waiting: list[Parcel]) -> None:
    """Record that messages go round for ever, instead of forwarding them once more."""
    arrival.draft.emit(
        MessagesCirculated(
            qmgr=arrival.receiver.name,
            sender=arrival.sender.name,
            channel=arrival.channel,
            queue=waiting[0].queue,
            parcels=tuple(waiting),
        )
    )


def _put_on_queue(arrival: Arrival, queue: str, waiting: list[Parcel], reason: int) -> list[Parcel]:
    """Put as many messages as fit on a local queue; return the rest."""
    receiver = arrival.receiver
    fitting, rest = split(waiting, depth_left(receiver, receiver.definitions["QUEUE", queue]))
    if fitting:
        arrival.draft.emit(
            MessagesArrived(
                qmgr=receiver.name,
                sender=arrival.sender.name,
                channel=arrival.channel,
                queue=queue,
                parcels=tuple(fitting),
                reason=reason,
            )
        )
    if fitting and queue == COMMAND_QUEUE:
        arrival.draft.react_later(CommandQueueReached(receiver))
    return rest


def _send_on(
    arrival: Arrival, resolved: Resolved, waiting: list[Parcel], reason: int, forward: Forward
) -> tuple[list[Parcel], int]:
    """Forward messages that are handled alike; with a reason code, to another queue manager.

    Return the messages that have no route or do not fit on a queue, and the reason code.
    """
    if resolved.reason:
        return waiting, resolved.reason
    draft, receiver = arrival.draft, arrival.receiver
    division = _division(arrival, resolved, reason)
    while waiting and not division.reason:
        first, shares = waiting[0], cache(division.shares)

        def placed_parcel(share: Share, first: Parcel = first) -> Parcel:
            return sent_on(first, share, draft.at, reason=reason, fixed=resolved.fixed)

        fitting = capacity.fit(draft, receiver, shares, count_of(waiting), placed_parcel)
        going, waiting = split(waiting, fitting.first)
        direct, aliased = destinations.split_off_aliases(receiver, shares(fitting.first))
        on, by_alias = split(going, sum(share.count for share in direct))
        if direct:
            _redirect(arrival, resolved, on, direct, reason)
            forward(direct)
        for share in aliased:
            part, by_alias = split(by_alias, share.count)
            left, why = _send_on(arrival, _by_alias(arrival, share), part, reason, forward)
            if left:
                return [*left, *by_alias, *waiting], why
        if fitting.first == fitting.total:
            return waiting, fitting.refusal.reason
        division = division.after(fitting.first)
    return waiting, division.reason


def _by_alias(arrival: Arrival, share: Share) -> Resolved:
    """Resolve the alias that was chosen as the local instance, as a put does."""
    receiver = arrival.receiver
    resolver = destinations.Resolver(arrival.draft, receiver)
    resolved = resolver.local(receiver.definitions["QUEUE", share.lies_on])
    return resolved._replace(reason=resolved.refusal)


def _division(arrival: Arrival, resolved: Resolved, reason: int) -> put_plan.Division:
    """Return how forwarded messages divide; with a reason code, none of them stays here."""
    draft, receiver = arrival.draft, arrival.receiver
    if not resolved.clustered:
        return put_plan.to_one_destination(draft, destinations.unclustered(receiver, resolved, 1))
    routes = arrival.candidates(resolved, reason).plan()
    division = put_plan.by_routes(draft, receiver, resolved, routes).at_bases(receiver)
    return division._replace(reason=routes.reason)


def _redirect(
    arrival: Arrival,
    resolved: Resolved,
    going: list[Parcel],
    shares: tuple[Share, ...],
    reason: int,
) -> None:
    """Record where messages are forwarded to."""
    receiver = arrival.receiver
    arrival.draft.emit(
        MessagesRedirected(
            qmgr=receiver.name,
            sender=arrival.sender.name,
            channel=arrival.channel,
            parcels=tuple(going),
            shares=shares,
            reason=reason,
            profile=profile_of(receiver.cmdlevel) if resolved.clustered else "",
            version=VERSION,
            fixed=resolved.fixed,
        )
    )


def _dead_letter_or_discard(arrival: Arrival, waiting: list[Parcel], reason: int) -> list[Returned]:
    """Dead-letter messages that cannot be put, or discard them if allowed; return the rest."""
    if queue := arrival.dead_letter_queue:
        waiting = _put_on_queue(arrival, queue, waiting, reason)
    back: list[Parcel] = []
    for parcel in waiting:
        if parcel.persistent or not arrival.is_fast:
            back.append(parcel)
            continue
        arrival.draft.emit(
            MessagesLost(
                qmgr=arrival.receiver.name,
                queue=parcel.queue,
                count=parcel.count,
                why="discarded",
                channel=arrival.channel,
                sender=arrival.sender.name,
            )
        )
    return [(tuple(back), reason)] if back else []
