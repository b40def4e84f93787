"""What lies behind a clustered alias or remote definition: the ways that a message goes on.

A queue that is only reached over a gateway is lost with the gateway, and with what lies behind it.

Source: IBM MQ 9.4, "Queue manager aliases and clusters".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from twin.model.objects import text_of
from twin.questions.hops import way_to

if TYPE_CHECKING:
    from twin.model.objects import Definition
    from twin.questions.rehearsing import Rehearsing
    from twin.questions.resilience.losses import Loss

_ARRIVES: Final = ("delivered", "not-in-twin")
"""The ends of a message that arrives, as far as the twin knows."""


class _Step(NamedTuple):
    """A step behind an instance: from a queue manager to the next one over a channel."""

    sender: str
    owner: str
    channel: str


OnwardWay: TypeAlias = tuple[_Step, ...]
"""The steps of a message behind an instance; () if it stays there."""


def leads_on(definition: Definition) -> bool:
    """Return whether messages that arrive for an object go on to another queue."""
    if definition.type == "QALIAS":
        return text_of(definition, "TARGTYPE") != "TOPIC"
    return definition.type == "QREMOTE" and bool(text_of(definition, "RNAME"))


def onward_ways(rehearsal: Rehearsing, sender: str, queue: str) -> dict[str, list[OnwardWay]]:
    """Return the ways that work behind the instances of a queue, by their owners.

    An owner without a way that works has none; one that gets no message now is left out. Messages
    are not bound: a gateway may not be able to put one that is bound to it.
    """
    hops = rehearsal.follow(sender, queue, "notfixed")
    found: dict[str, list[OnwardWay]] = {}
    for hop in hops:
        first, *behind = way_to(hop, hops)
        if hop.end and first.to:
            ways = found.setdefault(first.to, [])
            if hop.end in _ARRIVES and not any(each.waits for each in behind):
                steps = [_Step(each.on, each.to, each.channel) for each in behind if each.to]
                ways.append(tuple(steps))
    return found


def survives(ways: list[OnwardWay], loss: Loss) -> bool:
    """Return whether a loss leaves one of these ways."""
    return any(not any(loss.parts(*step) for step in way) for way in ways)
