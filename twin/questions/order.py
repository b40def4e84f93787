"""Where the order of messages can be lost, and that groups keep it.

Sources: IBM MQ 9.4, "Working with cluster transmission queues and cluster-sender channels" (put
messages into groups; on rare occasions messages get out of order; persistent messages are committed
off the one queue and onto the other); "Example of a cluster with more than one instance of a
queue" (reallocation; one instance for a sequence of messages).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from twin.events import Event, MessagesReallocated, TransmissionQueueSwitchBegan
from twin.questions.sender_channels import SenderChannels
from twin.rules.workload.choosing import Trace

GROUPS: Final = "messages of a group stay in order"

OF_SWITCH: Final = (
    "a switch moves messages in their order, and on rare occasions some get out of order: "
    f"{GROUPS}. Each persistent message is logged twice more, so switch while few messages arrive"
)
"""What is said of each switch of a transmission queue."""


def order_of_put(senders: SenderChannels, trace: Trace, how: str) -> str:
    """Say where messages that are put one after the other lose their order; '' if nowhere.

    `how` they are bound: a destination that is fixed, or that of a group, has one route, which only
    a switch can disturb.
    """
    free, chosen = how == "notfixed", trace.chosen
    found = []
    if free and chosen is not None and len(trace.finalists) > 1 and not trace.outright:
        found.append(f"{len(trace.finalists)} routes take turns")
    if free and chosen is not None and len(trace.routes) > 1:
        found.append("what waits is rerouted as its channel stops or fails")
    if chosen is not None and not chosen.local:
        pending = senders.association(chosen.channel).pending
        found += [f"{chosen.channel} is switched to {pending}"] if pending else []
    return f"order can be lost: {', '.join(found)}; {GROUPS}" if found else ""


def order_after(events: Iterable[Event]) -> tuple[str, ...]:
    """Say where order can be lost because of what happened: messages moved, channels switched."""
    happened = list(events)
    moved = {
        each.channel for each in happened if isinstance(each, MessagesReallocated) if each.moves
    }
    switched = {e.channel for e in happened if isinstance(e, TransmissionQueueSwitchBegan)}
    notes = [f"{OF_SWITCH} ({', '.join(sorted(switched))})"] if switched else []
    if moved:
        of = ", ".join(sorted(moved))
        notes.append(f"messages for {of} are rerouted and can lose their order: {GROUPS}")
    return tuple(notes)
