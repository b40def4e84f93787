"""Messages as they lie on queues: laid there, divided, and taken off, first things first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from twin.events import Parcel
from twin.fold.messaging import Messaging


def split(parcels: Iterable[Parcel], count: int) -> tuple[list[Parcel], list[Parcel]]:
    """Divide messages into the first `count` and the rest."""
    first: list[Parcel] = []
    rest: list[Parcel] = []
    for parcel in parcels:
        taken = min(count, parcel.count)
        count -= taken
        if taken:
            first.append(parcel if taken == parcel.count else replace(parcel, count=taken))
        if taken < parcel.count:
            rest.append(replace(parcel, count=parcel.count - taken) if taken else parcel)
    return first, rest


def lay(messaging: Messaging, queue: str, parcel: Parcel) -> None:
    """Lay messages on a local queue, or on a transmission queue for their channel."""
    if parcel.channel:
        messaging.waiting.setdefault(queue, {}).setdefault(parcel.channel, []).append(parcel)
    else:
        messaging.local.setdefault(queue, []).append(parcel)


def take(
    messaging: Messaging, queue: str, channel: str, count: int, *, fast: bool = False
) -> list[Parcel]:
    """Take the first messages for a channel off a queue; of `fast` ones the non-persistent."""
    lying = messaging.waiting.get(queue, {}).get(channel, [])
    taken, left = (_split_fast if fast else split)(lying, count)
    leave(messaging, queue, channel, left)
    return taken


def _split_fast(parcels: Iterable[Parcel], count: int) -> tuple[list[Parcel], list[Parcel]]:
    """Divide messages into the first `count` non-persistent ones and all others."""
    taken: list[Parcel] = []
    left: list[Parcel] = []
    for parcel in parcels:
        gone, kept = split([parcel], 0 if parcel.persistent else count)
        count -= sum(each.count for each in gone)
        taken += gone
        left += kept
    return taken, left


def cut_out(
    parcels: Iterable[Parcel], spans: Iterable[tuple[int, int]]
) -> tuple[list[Parcel], list[Parcel]]:
    """Divide messages into those of some spans, each so many behind the first, and all others."""
    left = list(parcels)
    taken: list[Parcel] = []
    kept: list[Parcel] = []
    gone = 0
    for place, count in spans:
        before, left = split(left, place - gone)
        span, left = split(left, count)
        gone = place + count
        kept += before
        taken += span
    return taken, [*kept, *left]


def take_local(messaging: Messaging, queue: str, count: int, *, fast: bool = False) -> None:
    """Take the first messages off a local queue; of `fast` ones the non-persistent."""
    _, left = (_split_fast if fast else split)(messaging.local.get(queue, []), count)
    if left:
        messaging.local[queue] = left
    else:
        messaging.local.pop(queue, None)


def leave(messaging: Messaging, queue: str, channel: str, left: list[Parcel]) -> None:
    """Leave nothing but some messages for a channel on a transmission queue."""
    channels = messaging.waiting.get(queue, {})
    if left:
        channels[channel] = left
        return
    channels.pop(channel, None)
    if not channels:
        messaging.waiting.pop(queue, None)
