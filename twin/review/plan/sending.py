"""Which queue managers may send in another way: by their channels and transmission queues."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from twin.model.objects import PARTNERS, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from twin.model.objects import Definition
    from twin.review.plan.pair import RehearsedPair, Sides

_STOPPED: Final = "STOPPED"


def differing_channels(sides: Sides) -> set[str]:
    """Return the channels of a queue manager whose status differs."""
    if sides.before is None or sides.after is None:
        return set()
    old, new = sides.before.activity.channels, sides.after.activity.channels
    return {
        channel
        for channel in old.keys() | new.keys()
        if (old[channel].status if channel in old else "")
        != (new[channel].status if channel in new else "")
    }


def with_other_senders(pair: RehearsedPair) -> set[str]:
    """Return the queue managers with a channel whose status differs, or a sender that differs."""
    by_status = {each.name for each in pair.touched("activity") if differing_channels(each)}
    return by_status | {
        sides.name
        for sides in pair.touched("definitions")
        for each in _differing(sides, "CHANNEL")
        if each.type in PARTNERS
    }


def with_other_transmission_queues(pair: RehearsedPair) -> set[str]:
    """Return the queue managers with a transmission queue that differs: all they send may fail."""
    return {
        sides.name
        for sides in pair.touched("definitions")
        for each in _differing(sides, "QUEUE")
        if text_of(each, "USAGE") == "XMITQ"
    }


def with_other_receivers(pair: RehearsedPair) -> set[str]:
    """Return the QMIDs of those with a receiving channel that is STOPPED on one side only.

    A channel that is INACTIVE at its sender does not start then, and nothing differs at the sender.
    """
    return {
        sides.after.qmid
        for sides in pair.touched("activity")
        if sides.after is not None
        for channel in differing_channels(sides)
        if sides.after.channels.get(channel) not in PARTNERS and _is_stopped_once(sides, channel)
    }


def _is_stopped_once(sides: Sides, channel: str) -> bool:
    """Return whether a channel is STOPPED on one side only."""
    states = [qmgr.activity.channels.get(channel) for qmgr in (sides.before, sides.after) if qmgr]
    return len({state is not None and state.status == _STOPPED for state in states}) > 1


def _differing(sides: Sides, kind: str) -> Iterator[Definition]:
    """Yield the objects of a kind that differ, as they are on each side."""
    old, new = sides.definitions()
    for key in old.keys() | new.keys():
        was, now = old.get(key), new.get(key)
        if key[0] == kind and (was and was.values) != (now and now.values):
            yield from (each for each in (was, now) if each is not None)
