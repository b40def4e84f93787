"""Loops of definitions, and what becomes of messages in them: it depends on how they are bound.

A message that is not bound is put anew by each queue manager where it arrives, and goes round for
ever. One that is bound on open names the queue manager of the alias that it was put to, and ends
there with 2082 if the target of that alias is elsewhere. How it is bound says the application, or
else DEFBIND of the alias.

Sources: IBM MQ, "Queue manager aliases and clusters"; "Messages put to a cluster alias queue go to
SYSTEM.DEAD.LETTER.QUEUE"; DEFBIND of "DEFINE queues".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from twin.fold.estate import Estate, QueueManager
from twin.model.objects import Definition, text_of
from twin.model.reasons import UNKNOWN_ALIAS_BASE
from twin.rules import membership
from twin.rules.path.graph import PathGraph, PathPlace, lead_of


class BoundEnd(NamedTuple):
    """Where messages end in a loop that are bound on open.

    Attributes:
        place: the alias that they were put to.
        channels: the channels that bring them, and that end if they cannot be put anywhere.
        by_default: whether DEFBIND(OPEN) of the alias binds them.
    """

    place: PathPlace
    channels: tuple[str, ...]
    by_default: bool


class Loop(NamedTuple):
    """Definitions that lead to each other, and nowhere else.

    Attributes:
        places: the definitions in their order, the least first.
        ends: where messages that are bound on open end.
    """

    places: tuple[PathPlace, ...]
    ends: tuple[BoundEnd, ...]

    @property
    def is_bound(self) -> bool:
        """Whether messages end in it unless an application says that they are not bound."""
        return bool(self.ends) and all(end.by_default for end in self.ends)

    @property
    def is_in_one_place(self) -> bool:
        """Whether it is at one queue manager: MQOPEN fails there."""
        return len({place.on for place in self.places}) == 1

    def __str__(self) -> str:
        """Write the definitions in their order."""
        return " -> ".join(f"{each.name} at {each.on}" for each in (*self.places, self.places[0]))


def loops(estate: Estate, ways: Mapping[PathPlace, tuple[PathPlace, ...]]) -> Iterator[Loop]:
    """Yield the loops among ways that lead round for ever; each once."""
    done, found = set[PathPlace](), set[frozenset[tuple[str, str]]]()
    for start in sorted(ways):
        path: dict[PathPlace, None] = {}
        node = start
        while node not in path and node not in done:
            path[node] = None
            node = min(ways[node])
        if node in path:
            places = list(path)[list(path).index(node) :]
            names = frozenset((each.on, each.name) for each in places)
            if names not in found:
                found.add(names)
                yield _loop(estate, places)
        done.update(path)


def loop_of(graph: PathGraph, estate: Estate, on: str, queue: str) -> Loop | None:
    """Return the loop into which a definition leads; None if one way leads out of it."""
    return next(loops(estate, circling(graph, [PathPlace(on, queue)])), None)


def _loop(estate: Estate, places: list[PathPlace]) -> Loop:
    first = places.index(min(places, key=lambda each: (each.on, each.name)))
    places = places[first:] + places[:first]
    ends = (_bound_end(estate, each) for each in places)
    return Loop(tuple(places), tuple(filter(None, ends)))


def _bound_end(estate: Estate, place: PathPlace) -> BoundEnd | None:
    """Return where messages end that are bound to a queue manager by its shared alias."""
    qmgr = estate.qmgrs[place.on]
    definition = qmgr.definitions.get(("QUEUE", place.name))
    clusters = membership.clusters(qmgr, definition) if definition is not None else ()
    if definition is None or not clusters or not ends_bound(PathGraph(estate), qmgr, definition):
        return None
    channels = (
        receiver.name
        for receiver, joined in membership.channels_of(qmgr, "CLUSRCVR")
        if {*joined}.intersection(clusters)
    )
    return BoundEnd(place, tuple(channels), is_bound_by_default(definition))


def is_bound_by_default(definition: Definition) -> bool:
    """Return whether messages for a queue are bound on open unless an application says more."""
    return text_of(definition, "DEFBIND") == "OPEN"


def ends_bound(graph: PathGraph, qmgr: QueueManager, definition: Definition) -> bool:
    """Return whether a message that is bound to the queue manager of an alias ends there."""
    if definition.type != "QALIAS" or lead_of(definition) is None:
        return False
    arrived = graph.at(qmgr).arrived(definition.name, bound=True)
    return arrived.reason == UNKNOWN_ALIAS_BASE


def circling(
    graph: PathGraph, starts: Collection[PathPlace]
) -> dict[PathPlace, tuple[PathPlace, ...]]:
    """Return the places from which every way leads round for ever, with their ways on.

    If one way leads out of a loop, messages leave it after some rounds.
    """
    ways: dict[PathPlace, tuple[PathPlace, ...]] = {}
    back: dict[PathPlace, list[PathPlace]] = defaultdict(list)
    new = list(starts)
    while new:
        if (place := new.pop()) not in ways:
            ways[place] = graph.onward(place)
            new += ways[place]
            for each in ways[place]:
                back[each].append(place)
    ends = [place for place, on in ways.items() if not on]
    leaving = set(ends)
    while ends:
        further = {*back.get(ends.pop(), ())} - leaving
        leaving |= further
        ends += further
    return {place: on for place, on in ways.items() if place not in leaving}
