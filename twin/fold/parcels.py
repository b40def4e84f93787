"""The arithmetic of parcels: put, readdress, forward, renew and split them.

A parcel is a number of identical messages with the same route. The fold uses these functions for
recorded events; the rules use them for events that they are about to emit. So a rule knows exactly
what the messages on the queues will be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from twin.events import MessagesPut, MessagesRenewed, Parcel, Share
from twin.model.instants import Instant


def put(event: MessagesPut, share: Share, *, position: int, at: Instant) -> Parcel:
    """Return the messages that a put adds to the queue of one of its shares.

    Args:
        event: the put.
        share: the part of the put that goes to one destination.
        position: the log position of the put, which identifies its messages.
        at: the instant of the put.
    """
    return Parcel(
        put=position,
        count=share.count,
        queue=share.queue,
        at=at,
        by=event.qmgr,
        to=share.to,
        channel=share.channel,
        cluster=share.cluster,
        fixed=event.fixed,
        persistent=event.persistent,
        group=event.group,
        name=event.name,
        named=share.named,
        caller=event.caller,
    )


def readdressed(parcel: Parcel, share: Share, at: Instant) -> Parcel:
    """Return messages on the new route that was chosen for them; `at` is their new put time."""
    return replace(
        parcel,
        queue=share.queue,
        to=share.to,
        channel=share.channel,
        cluster=share.cluster,
        named=share.named,
        at=at,
        passes=0,
    )


def sent_on(parcel: Parcel, share: Share, at: Instant, *, reason: int, fixed: str) -> Parcel:
    """Return messages that a receiving queue manager forwards.

    Args:
        parcel: the messages as they arrived.
        share: the destination that they are forwarded to.
        at: the instant of the forwarding.
        reason: the reason code for which they cannot stay; 0 if a definition forwards them.
        fixed: why they may not be rerouted from here; '' if they may.
    """
    return replace(
        readdressed(parcel, share, at),
        redirected=parcel.redirected or bool(reason),
        hops=parcel.hops + 1,
        fixed=parcel.fixed or fixed,
    )


def put_again(parcel: Parcel, share: Share, at: Instant, *, fixed: str) -> Parcel:
    """Return messages from a dead-letter queue that are put again, as a put puts new messages."""
    return replace(readdressed(parcel, share, at), fixed=fixed, redirected=False, hops=0, reason=0)


def renewed(parcel: Parcel, event: MessagesRenewed) -> Parcel:
    """Return messages with the put time and the `passes` that an event gives them."""
    return replace(
        parcel,
        at=parcel.at if event.at is None else event.at,
        passes=parcel.passes if event.passes is None else event.passes,
    )


def split(
    parcels: Iterable[Parcel], count: int, *, nonpersistent: bool = False
) -> tuple[list[Parcel], list[Parcel]]:
    """Divide messages into the first `count` and the rest; both keep their order.

    With `nonpersistent`, the first ones are taken only from the nonpersistent messages.
    """
    first: list[Parcel] = []
    rest: list[Parcel] = []
    for parcel in parcels:
        taken = 0 if nonpersistent and parcel.persistent else min(count, parcel.count)
        count -= taken
        if taken:
            first.append(parcel if taken == parcel.count else replace(parcel, count=taken))
        if taken < parcel.count:
            rest.append(replace(parcel, count=parcel.count - taken) if taken else parcel)
    return first, rest


def cut_out(
    parcels: Iterable[Parcel],
    spans: Iterable[tuple[int, int]],
    change: Callable[[Parcel], Parcel] | None = None,
) -> list[Parcel]:
    """Return messages without those in some spans, or with those in the spans changed.

    Args:
        parcels: the messages, in order.
        spans: for each span, how many messages are before it and how many it has; in order.
        change: returns the new parcel for each parcel in a span; without it, they are left out.
    """
    rest = list(parcels)
    result: list[Parcel] = []
    done = 0
    for place, count in spans:
        before, rest = split(rest, place - done)
        span, rest = split(rest, count)
        done = place + count
        result += before
        result += map(change, span) if change else ()
    return [*result, *rest]


def count_of(parcels: Iterable[Parcel]) -> int:
    """Return the total number of messages in some parcels."""
    return sum(parcel.count for parcel in parcels)
