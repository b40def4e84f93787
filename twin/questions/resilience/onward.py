"""What lies behind a clustered alias or remote definition: the ways that a message goes on.

A queue that is only reached over a gateway is lost with the gateway, and with what lies behind it.

Source: IBM MQ 9.4, "Queue manager aliases and clusters".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from twin.questions.hops import way_to
from twin.rules.path.graph import PathPlace, lead_of

if TYPE_CHECKING:
    from twin.model.objects import Definition
    from twin.questions.rehearsing import Rehearsing
    from twin.questions.resilience.losses import Loss
    from twin.rules.path.graph import PathGraph

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
    lead = lead_of(definition)
    return lead is not None and bool(lead.queue)


class Onward(NamedTuple):
    """The ways on from one instance: those that work, and those on which messages fail or wait."""

    work: list[OnwardWay]
    fail: list[OnwardWay]


def onward_ways(rehearsal: Rehearsing, sender: str, queue: str) -> dict[str, Onward]:
    """Return the ways on from the instances of a queue, by their owners.

    An owner that gets no message now is left out. Messages are not bound: a gateway may not be able
    to put one that is bound to it.
    """
    hops = rehearsal.follow(sender, queue, "notfixed")
    found: dict[str, Onward] = {}
    for hop in hops:
        first, *behind = way_to(hop, hops)
        if hop.end and first.to:
            onward = found.setdefault(first.reaches[0], Onward([], []))
            works = hop.end in _ARRIVES and not any(each.waits for each in behind)
            ways = onward.work if works else onward.fail
            ways.append(tuple(_Step(each.on, *each.reaches) for each in behind if each.to))
    return found


def ways_toward(graph: PathGraph, on: str, definition: Definition) -> list[OnwardWay]:
    """Return the ways from an alias or remote definition to the owners of what it names.

    It does not matter whether messages go there now. A local queue and a queue manager alias have
    none.
    """
    if not leads_on(definition):
        return []
    return [(_Step(on, owner, ""),) for owner in graph.next_qmgrs(PathPlace(on, definition.name))]


def survives(ways: list[OnwardWay], loss: Loss) -> bool:
    """Return whether a loss leaves one of these ways."""
    return not all(breaks(way, loss) for way in ways)


def breaks(way: OnwardWay, loss: Loss) -> bool:
    """Return whether a loss parts two queue managers of a way."""
    return any(loss.parts(*step) for step in way)
