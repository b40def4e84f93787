"""Where messages can go on from the objects of an estate: the ways that all its definitions open.

Each step is found by the rule that resolves names for a put (`resolution`), but what is known of
the clusters is what their members share, not what one queue manager has asked for. It does not
matter which instance the workload choice prefers, whether channels run, or whether a queue is full.
A definition names the queue, the queue manager and the transmission queue of its messages.

Loops of definitions, and what becomes of messages in them: it depends on how they are bound.

A message that is not bound is put anew by each queue manager where it arrives, and goes round for
ever. One that is bound on open names the queue manager of the alias that it was put to, and ends
there with 2082 if the target of that alias is elsewhere. How it is bound says the application, or
else DEFBIND of the alias.

Sources: IBM MQ 9.4, "DEFINE QALIAS" (TARGET, TARGTYPE), "DEFINE QREMOTE" (RNAME, RQMNAME, XMITQ);
IBM MQ, "MQOPEN and clusters" (a name that is not defined here is looked for in the
clusters; the MCA opens the queue again where the message arrives); 9.4, "Queue manager aliases and
clusters".

Sources: IBM MQ, "Queue manager aliases and clusters"; "Messages put to a cluster alias queue go to
SYSTEM.DEAD.LETTER.QUEUE"; DEFBIND of "DEFINE queues".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from functools import cached_property
from operator import attrgetter
from types import MappingProxyType
from typing import Final, NamedTuple

from twin.fold.beliefs import Belief, Instance, Receipt
from twin.fold.estate import Estate, QueueManager
from twin.model.objects import Definition, text_of
from twin.model.reasons import UNKNOWN_ALIAS_BASE
from twin.rules import membership
from twin.rules.path.partners import partner_of
from twin.rules.path.resolution import Resolution
from twin.rules.path.resolved import NAMED, Resolved
from twin.rules.queues import transmission_queues

LEADING: Final = frozenset({"QALIAS", "QREMOTE"})
"""The types of objects that lead to others."""


class Lead(NamedTuple):
    """Where an alias or a remote definition leads, as its attributes say.

    Attributes:
        queue: the queue that it stands for; '' if it is a queue manager alias.
        qmgr: the queue manager that it names; '' if it names none.
        xmitq: the transmission queue that it names; '' if it names none.
    """

    queue: str
    qmgr: str = ""
    xmitq: str = ""


def lead_of(definition: Definition) -> Lead | None:
    """Return where a definition leads; None if messages for it stay, or are for a topic."""
    if definition.type == "QREMOTE":
        return Lead(*(text_of(definition, each) for each in ("RNAME", "RQMNAME", "XMITQ")))
    if definition.type == "QALIAS" and text_of(definition, "TARGTYPE") != "TOPIC":
        return Lead(text_of(definition, "TARGET"))
    return None


_NAME: Final = attrgetter("name")
_UNSENT: Final = Receipt(sequence=0, published=0, source="", received=0, position=0)


class PathPlace(NamedTuple):
    """An object at a queue manager.

    Attributes:
        on: the queue manager.
        name: the name of the object.
        queue: if it is a queue manager alias, the queue that messages are for; '' for any queue.
        bound: whether messages come there because the queue manager was named.
    """

    on: str
    name: str
    queue: str = ""
    bound: bool = False


class _Shared(Resolution):
    """Resolve names by what the members of clusters share."""

    def __init__(self, graph: PathGraph, qmgr: QueueManager) -> None:
        self._graph = graph
        self._qmgr = qmgr
        self._joined = graph.clusters(qmgr)

    def queues(self, name: str) -> tuple[Instance, ...]:
        return self._of(self._graph.queues, name)

    def members(self, name: str) -> tuple[Instance, ...]:
        return self._of(self._graph.members, name)

    def _of(self, known: Mapping[str, list[Instance]], name: str) -> tuple[Instance, ...]:
        return tuple(each for each in known.get(name, ()) if each[0] in self._joined)

    def is_answered(self, queue: str) -> bool:
        del queue
        return True


class PathGraph:
    """The ways from the objects of an estate; each is found when it is first asked for.

    `left` are the clusters that a queue manager is taken to have left, by its name. The estate does
    not change while the graph is used.
    """

    def __init__(
        self, estate: Estate, left: Mapping[str, Collection[str]] = MappingProxyType({})
    ) -> None:
        """Prepare; nothing is read yet."""
        self._estate = estate
        self._left = left
        self._onward: dict[PathPlace, tuple[PathPlace, ...]] = {}

    def clusters(self, qmgr: QueueManager) -> set[str]:
        """Return the clusters of which a queue manager is a member."""
        return {*membership.clusters_joined(qmgr)}.difference(self._left.get(qmgr.name, ()))

    @cached_property
    def queues(self) -> Mapping[str, list[Instance]]:
        """The queues and queue manager aliases that members share, by name."""
        found: dict[str, list[Instance]] = defaultdict(list)
        for qmgr in self._estate.qmgrs.values():
            joined = self.clusters(qmgr)
            for (kind, name), each in qmgr.definitions.items() if joined else ():
                if kind == "QUEUE" and (
                    shared := joined.intersection(membership.clusters(qmgr, each))
                ):
                    type_ = "QMGR" if each.is_qmgr_alias else each.type
                    belief = Belief(qmgr.qmid, qmgr.name, {"CLUSQT": type_}, 0, _UNSENT)
                    found[name] += [(cluster, belief) for cluster in sorted(shared)]
        return found

    @cached_property
    def members(self) -> Mapping[str, list[Instance]]:
        """The clusters of each queue manager, by its name."""
        return {
            name: [
                (cluster, Belief(qmgr.qmid, name, {}, 0, _UNSENT))
                for cluster in sorted(self.clusters(qmgr))
            ]
            for name, qmgr in self._estate.qmgrs.items()
        }

    def at(self, qmgr: QueueManager) -> Resolution:
        """Return what resolves names at a queue manager."""
        return _Shared(self, qmgr)

    def definition(self, place: PathPlace) -> Definition | None:
        """Return the object at a place; None if there is none."""
        qmgr = self._estate.qmgrs.get(place.on)
        return None if qmgr is None else qmgr.definitions.get(("QUEUE", place.name))

    def onward(self, place: PathPlace) -> tuple[PathPlace, ...]:
        """Return where messages that are not bound go on from an object; () if nowhere known.

        An object that leads to another one here has one way. So it is if MQOPEN refuses that,
        because the object names itself, or an alias names another alias.
        """
        if place not in self._onward:
            self._onward[place] = tuple(dict.fromkeys(self._found(place)))
        return self._onward[place]

    def next_qmgrs(self, place: PathPlace) -> list[str]:
        """Return the queue managers to which messages go next from an object, by name.

        They also go to another instance of it, if they cannot be put or that has a higher rank.
        """
        here, found, new = {place}, set[str](), [place]
        while new:
            for each in self.onward(new.pop()):
                if each.on != place.on:
                    found.add(each.on)
                elif each not in here:
                    here.add(each)
                    new.append(each)
        instances = self.at(self._estate.qmgrs[place.on]).queues(place.name)
        found |= {belief.owner_name for _, belief in instances}
        return sorted(found - {place.on})

    def partners(self, qmgr: QueueManager, xmitq: str) -> list[QueueManager]:
        """Return the queue managers to which the channels of a transmission queue lead, by name.

        A queue without a channel leads to the queue manager that it is named after.
        """
        channels = transmission_queues.servers(qmgr, xmitq)
        ends = (qmgr.definitions["CHANNEL", each] for each in channels)
        found = [partner_of(self._estate, qmgr, each) for each in ends]
        if not channels:
            found.append(self._estate.qmgrs.get(xmitq))
        return sorted({each.name: each for each in found if each}.values(), key=_NAME)

    def _found(self, place: PathPlace) -> Iterator[PathPlace]:
        definition = self.definition(place)
        if definition is not None and definition.type in LEADING:
            qmgr = self._estate.qmgrs[place.on]
            resolution = self.at(qmgr)
            resolved = resolution.arrived(place.name, bound=place.bound)
            if definition.is_qmgr_alias:
                resolved = resolution.beyond(definition, place.queue)
            yield from self._beyond(qmgr, resolved, frozenset())

    def _beyond(
        self, qmgr: QueueManager, resolved: Resolved, passed: frozenset[str]
    ) -> Iterator[PathPlace]:
        """Go through where messages go on whose name resolved so at a queue manager.

        `passed` are the queue managers that they have passed by transmission queues alone.
        """
        first, *path = resolved.path or (None,)
        if path and path[0].is_defined and not passed:
            yield PathPlace(qmgr.name, path[0].name)
        elif resolved.reason and first is not None:
            yield from self._refused(qmgr, resolved)
        elif resolved.xmitq:
            yield from self._by_channel(qmgr, resolved, passed)
        elif resolved.fixed == NAMED:
            yield from self._named(resolved.base, resolved.queue)
        else:
            for _, belief in resolved.instances:
                yield PathPlace(belief.owner_name, *_object(resolved))

    def _refused(self, qmgr: QueueManager, resolved: Resolved) -> Iterator[PathPlace]:
        """Go through what a definition names, although MQOPEN fails."""
        last = resolved.path[-1]
        to = qmgr.name if last.kind == "alias" else last.qmgr
        if to != qmgr.name:
            yield from self._named(to, last.queue)
        elif ("QUEUE", last.queue) in qmgr.definitions:
            yield PathPlace(to, last.queue)

    def _named(self, to: str, queue: str) -> Iterator[PathPlace]:
        """Go to a queue manager that was named."""
        if queue and to in self._estate.qmgrs:
            yield PathPlace(to, queue, bound=True)

    def _by_channel(
        self, qmgr: QueueManager, resolved: Resolved, passed: frozenset[str]
    ) -> Iterator[PathPlace]:
        """Go over the channels that serve a transmission queue.

        If nobody has the other end of one, go to the queue manager that the messages are for.
        """
        named = [self._estate.qmgrs[each] for each in {resolved.named} & self._estate.qmgrs.keys()]
        for partner in self.partners(qmgr, resolved.xmitq) or named:
            if resolved.named in ("", partner.name):
                if resolved.queue:
                    yield PathPlace(partner.name, resolved.queue)
            elif (alias := PathPlace(partner.name, resolved.named, resolved.queue)) and (
                (defined := self.definition(alias)) is not None and defined.is_qmgr_alias
            ):
                yield alias
            elif partner.name not in passed:
                further = self.at(partner).resolve(resolved.queue, resolved.named)
                yield from self._beyond(partner, further, passed | {partner.name})


def _object(resolved: Resolved) -> tuple[str, str]:
    """Return the name and the queue of the object that messages come to at an instance."""
    named = resolved.named
    return (named, resolved.queue) if named else (resolved.queue, "")


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
    return graph.at(qmgr).arrived(definition.name, bound=True).reason == UNKNOWN_ALIAS_BASE


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
