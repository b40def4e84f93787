"""The index of an estate: made once for a run of the doctor, so that no rule searches the estate.

Names are compared within one cluster only: two clusters may use the same name for different things.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from operator import attrgetter
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from twin.fold.beliefs import Belief, RecordName
from twin.fold.estate import PARTS, Estate, QueueManager
from twin.model.basis import Basis
from twin.model.instants import MINUTE, Instant
from twin.model.names import CLUSTER_TRANSMISSION_QUEUE, connection
from twin.model.objects import Definition, Subject, text_of
from twin.questions.answer import FoldedFact
from twin.questions.completeness import Gap, deleted_partners
from twin.questions.completeness.undefined_references import undefined_references
from twin.questions.doctor.finding import FindingPlace
from twin.questions.doctor.recorder import ReadAttribute, Recorder
from twin.questions.known_holdings import (
    is_automatic,
    is_defined_still,
    is_defined_whole,
    seen_since,
)
from twin.questions.namesakes import namesakes
from twin.questions.proofs_of_death import ProofOfDeath, proof_of
from twin.questions.renewals import Published, Renewals
from twin.rules import membership
from twin.rules.channels import channel_status
from twin.rules.path.graph import PathGraph

SYSTEM: Final = "SYSTEM."
_MOST: Final = 20
"""How many positions of one kind a finding has at most."""

_TEMPLATES: Final = ("SYSTEM.DEF.", "SYSTEM.DEFAULT.")
"""How the names of default objects begin."""

STARTING_STATES: Final = frozenset({"BINDING", "INITIALIZING", "REQUESTING", "STARTING"})
"""The statuses of a channel that has begun to start, and has not connected yet."""

STUCK_AFTER: Final = 5 * MINUTE
"""How long messages may wait for a channel that does not run, by default."""

_STARTING: Final = "starting"
_DOWN: Final = frozenset({"RETRYING", "STOPPED", _STARTING})
_TOO_LONG: Final = 10 * MINUTE
"""How long a channel may start: an attempt over a silent path takes two minutes at most."""

_STANDARD: Final = frozenset({CLUSTER_TRANSMISSION_QUEUE})
_CHANNEL_TYPES: Final = frozenset({"CLUSSDR", "CLUSRCVR", "SDR", "SVR", "SVRCONN"})

OwnedObject: TypeAlias = tuple["Site", Definition]
"""A definition, and the queue manager that has it."""


@dataclass(slots=True, eq=False)
class Site:
    """The definitions of one queue manager that rules look at.

    Attributes:
        qmgr: the queue manager.
        senders: its manual CLUSSDRs, with their clusters.
        receivers: its CLUSRCVRs, with their clusters.
        queues: its queues that are no system objects.
        transmission: its transmission queues, without SYSTEM.CLUSTER.TRANSMIT.QUEUE.
        clustered: those of its queues and topics that name a cluster or a namelist of clusters,
            with their clusters.
        listeners: its listeners, without a default one that nobody set up.
        clients: its SVRCONN channels.
        templates: default objects that name a cluster or a namelist of clusters.
    """

    qmgr: QueueManager
    senders: list[tuple[Definition, tuple[str, ...]]] = field(default_factory=list)
    receivers: list[tuple[Definition, tuple[str, ...]]] = field(default_factory=list)
    clients: list[Definition] = field(default_factory=list)
    queues: list[Definition] = field(default_factory=list)
    transmission: list[Definition] = field(default_factory=list)
    clustered: list[tuple[Definition, tuple[str, ...]]] = field(default_factory=list)
    listeners: list[Definition] = field(default_factory=list)
    templates: list[Definition] = field(default_factory=list)

    def __eq__(self, other: object) -> bool:
        """Compare by name: what rules read of two sites is compared on its own."""
        return isinstance(other, Site) and self.name == other.name

    def __hash__(self) -> int:
        """Hash by name."""
        return hash(self.name)

    @property
    def name(self) -> str:
        """The name of the queue manager."""
        return self.qmgr.name

    def place(self, definition: Definition | None = None) -> FindingPlace:
        """Return a definition as evidence, or its queue manager."""
        if definition is None:
            return FindingPlace(self.qmgr.position, self.name)
        position = definition.position or self.qmgr.position
        return FindingPlace(position, self.name, definition.kind, definition.name)

    def about(
        self, kind: str = "", name: str = "", *, cluster: str = "", aspect: str = ""
    ) -> Subject:
        """Return a subject at the queue manager."""
        return Subject(self.name, kind, name, cluster, aspect)

    def called(self, definition: Definition) -> Subject:
        """Return an object as the subject of a finding."""
        return Subject(self.name, definition.kind, definition.name)

    @property
    def sending(self) -> list[str]:
        """The clusters of its manual CLUSSDRs, in the order in which these were defined."""
        defined = self.qmgr.definitions.values()
        channels = [each.name for each in defined if each.kind == "CHANNEL"]
        senders = sorted(self.senders, key=lambda pair: channels.index(pair[0].name))
        return list(dict.fromkeys(name for _, clusters in senders for name in clusters))

    def queue(self, name: str) -> Definition | None:
        """Return a queue by name; None if there is none."""
        return self.qmgr.definitions.get(("QUEUE", name))

    def down(self, at: Instant) -> set[str]:
        """Return the channels that send nothing now, and nothing was seen to start them."""
        channels = self.qmgr.activity.channels if self.qmgr.running else ()
        return {name for name in channels if self.status(name, at) in _DOWN}

    def status(self, channel: str, at: Instant) -> str:
        """Return the status of a channel; `starting` if it was seen to start for ten minutes."""
        state = channel_status.current_state(self.qmgr, channel, at)
        seen = self.qmgr.activity.seen.of_channel(channel)
        if state is None or seen is None or state.status not in STARTING_STATES:
            return "" if state is None else state.status
        lasts = seen.status == state.status and seen.at - state.since >= _TOO_LONG
        return _STARTING if lasts else state.status

    def says(self, kind: str) -> bool:
        """Return whether anything is known of a kind of its objects."""
        return not self.qmgr.observed or kind in self.qmgr.confirmed

    def knows_all(self, kind: str) -> bool:
        """Return whether all its objects of a kind are known, and not only some."""
        return is_defined_whole(self.qmgr, kind)


@dataclass
class Cluster:
    """One cluster: its members, their channels, and what they share.

    Attributes:
        name: its name.
        members: the queue managers with a CLUSRCVR in it, by name, with these channels.
        full: the names of the queue managers that are set to be a full repository of it.
        senders: the manual CLUSSDRs in it.
        receivers: the CLUSRCVRs in it, by channel name.
        queues: the queues that name it, by name; also of queue managers that are no members.
        topics: the topics that name it, by name.
    """

    name: str
    members: dict[str, list[Definition]] = field(default_factory=lambda: defaultdict(list))
    full: list[str] = field(default_factory=list)
    senders: list[OwnedObject] = field(default_factory=list)
    receivers: dict[str, list[OwnedObject]] = field(default_factory=lambda: defaultdict(list))
    queues: dict[str, list[OwnedObject]] = field(default_factory=lambda: defaultdict(list))
    topics: dict[str, list[OwnedObject]] = field(default_factory=lambda: defaultdict(list))

    def about(self, kind: str = "", name: str = "", *, qmgr: str = "", aspect: str = "") -> Subject:
        """Return a subject in the cluster."""
        return Subject(qmgr, kind, name, self.name, aspect)

    def among(self, names: Iterable[str]) -> list[str]:
        """Return those of some queue managers that are members, by name."""
        return sorted(name for name in names if name in self.members)

    def senders_of(self, name: str) -> list[Definition]:
        """Return the manual CLUSSDRs of a queue manager in this cluster."""
        return [definition for site, definition in self.senders if site.name == name]

    def shared(self, places: Iterable[OwnedObject]) -> list[OwnedObject]:
        """Return the places at members: elsewhere an object is not shared."""
        return [place for place in places if place[0].name in self.members]

    @cached_property
    def serving(self) -> list[str]:
        """The full repositories with a CLUSRCVR in it: those that run first, then by name."""
        running = {
            site.name: site.qmgr.running for places in self.receivers.values() for site, _ in places
        }
        return sorted(self.among(self.full), key=lambda name: (not running[name], name))

    @cached_property
    def shared_queues(self) -> list[tuple[str, list[OwnedObject]]]:
        """The queues that name it, by name, with their places at members."""
        return [(name, self.shared(places)) for name, places in sorted(self.queues.items())]

    @cached_property
    def balanced(self) -> list[tuple[str, list[OwnedObject]]]:
        """The queues with several instances at members, by name."""
        return [(name, places) for name, places in self.shared_queues if len(places) > 1]


def sites_of(places: Iterable[OwnedObject]) -> tuple[str, ...]:
    """Return the names of the queue managers of some objects, sorted."""
    return tuple(sorted({site.name for site, _ in places}))


class Index:
    """The estate at one instant, with what its queue managers define, by cluster."""

    def __init__(
        self,
        estate: Estate,
        at: Instant,
        facts: Sequence[FoldedFact] = (),
        *,
        read: Mapping[str, Site] = MappingProxyType({}),
        stuck_after: int = STUCK_AFTER,
    ) -> None:
        """Read all definitions once; those of queue managers in `read` were read already.

        Messages that wait for `stuck_after` microseconds are stuck.
        """
        self.stuck_after = stuck_after
        self.estate = estate
        self.at = at
        self.facts = facts
        self.missed: set[str] = set()
        self.sites = {
            name: replace(read[name], qmgr=qmgr) if name in read else _site(qmgr)
            for name, qmgr in sorted(estate.qmgrs.items())
        }
        self._clusters: dict[str, Cluster] = {}
        self._cluster: type[Cluster] = Cluster
        for site in self.sites.values():
            self._enter(site)
        self._reads = Recorder()
        self._note()

    def _note(self) -> None:
        """Let everything that rules read be noted when they ask for it.

        A queue manager and its noting copy have the same attributes, so that a part that one of
        them loads is there for both.
        """
        noting = self._reads.noting
        qmgr_class, site_class = noting(QueueManager, _OF_QMGR), noting(Site, _OF_SITE)
        estate_class = noting(Estate, _OF_ESTATE)
        self._cluster = noting(Cluster, _OF_CLUSTER)
        for site in self.sites.values():
            noted = object.__new__(qmgr_class)
            noted.__dict__ = site.qmgr.__dict__
            site.qmgr = noted
            site.__class__ = site_class
        for cluster in self._clusters.values():
            cluster.__class__ = self._cluster
        qmgrs = {name: site.qmgr for name, site in self.sites.items()}
        self.estate = replace(self.estate, qmgrs=qmgrs)
        self.estate.__class__ = estate_class
        self.__class__ = noting(Index, _OF_INDEX)

    def asked(self) -> frozenset[ReadAttribute]:
        """Return what was asked of it since the last time."""
        return self._reads.taken()

    def differs(self, other: Index, asked: ReadAttribute, touched: Container[str]) -> bool:
        """Return whether another index gives another answer to what was asked.

        `touched` are the parts of queue managers that may differ.
        """
        owner, name = asked
        if name in PARTS:
            return name in touched
        if self.sites.keys() != other.sites.keys() or self.at != other.at:
            return True
        return any(
            one is not two and one != two
            for one, two in zip(
                self._all(owner, name, other), other._all(owner, name, self), strict=True
            )
        )

    def _all(self, owner: str, name: str, other: Index) -> Iterable[Any]:
        """Return an attribute of all objects of a class, also of clusters that only another has."""
        if owner == "Estate":
            return [getattr(self.estate, name)]
        if owner == "Cluster":
            names = sorted(self._clusters.keys() | other._clusters.keys())
            return [getattr(self.cluster(each), name) for each in names]
        if owner == "Index" and name == "clusters":
            return [[each.name for each in self.clusters]]
        if owner == "Index":
            return [getattr(self, name)]
        sites = self.sites.values()
        return map(attrgetter(name if owner == "Site" else f"qmgr.{name}"), sites)

    def __iter__(self) -> Iterator[Site]:
        """Iterate over the queue managers, by name."""
        return iter(self.sites.values())

    @cached_property
    def path(self) -> PathGraph:
        """Where messages can go on from the objects of the estate."""
        return PathGraph(self.estate)

    def is_only_named(self, qmid: str) -> bool:
        """Return whether nothing is known of a queue manager but records that others hold of it.

        A rule that would need more is then not checked for it.
        """
        if qmid in self.estate.named:
            self.missed.add(self.estate.names[qmid])
            return True
        return False

    def grounds(self, *known: tuple[Site, str]) -> Basis | None:
        """Return what a conclusion from definitions rests on; None if some may be missing or old.

        `known` are the queue managers with the kinds of objects that must be known whole.
        """
        if not all(is_defined_still(site.qmgr, kind, self._seen_since) for site, kind in known):
            return None
        return self.known_at(site.name for site, _ in known)

    @cached_property
    def _seen_since(self) -> dict[str, Instant]:
        return seen_since(self.estate)

    def known_at(self, names: Iterable[str]) -> Basis:
        """Return what facts that are known of queue managers rest on: seen, or simulated."""
        seen = any(self.sites[name].qmgr.observed for name in names if name in self.sites)
        return Basis.OBSERVED if seen else Basis.DERIVED

    def is_elsewhere(self, cluster: Cluster, queue: str) -> bool:
        """Return whether a queue manager that is only named has an instance of a queue, or may.

        What is so of all instances is then not checked. A full repository that was seen to hold all
        its records shows which queue managers have one; without that, any may.
        """
        owners = {
            qmid
            for holder in cluster.members
            for qmid in self.sites[holder].qmgr.repository.instances(cluster.name, "queue", queue)
        }
        if not any(is_defined_whole(self.sites[name].qmgr, "queue") for name in cluster.full):
            owners |= {qmid for name, qmid in self.member_records if name == cluster.name}
        return any(self.is_only_named(qmid) for qmid in sorted(owners))

    def proof_of_death(self, qmid: str) -> ProofOfDeath | None:
        """Return what proves that a queue manager no longer exists; None if nothing does."""
        return proof_of(self.estate, qmid)

    @cached_property
    def namesakes(self) -> frozenset[str]:
        """The QMIDs of queue managers that share their name with another one."""
        return namesakes(self.estate)

    @property
    def clusters(self) -> list[Cluster]:
        """The clusters, by name."""
        return [cluster for _, cluster in sorted(self._clusters.items())]

    def cluster(self, name: str) -> Cluster:
        """Return a cluster by name; an empty one if nothing names it."""
        found = self._clusters.get(name)
        if found is None:
            found = Cluster(name)
            found.__class__ = self._cluster
        return found

    @cached_property
    def member_records(
        self,
    ) -> dict[tuple[str, str], list[tuple[Site, RecordName, Belief]]]:
        """The records of queue managers that others hold, by cluster and QMID of the owner."""
        found: dict[tuple[str, str], list[tuple[Site, RecordName, Belief]]] = defaultdict(list)
        for site in self.sites.values():
            for key, belief in site.qmgr.repository.of_kind("qmgr"):
                if belief.owner != site.qmgr.qmid:
                    found[key[0], belief.owner].append((site, key, belief))
        return found

    @cached_property
    def member_dates(self) -> dict[tuple[str, str], list[Published]]:
        """When each of `member_records` was published last, in the same order."""
        renewals = Renewals(self.estate, self.at)
        return {
            about: [renewals.of(site.qmgr, key, belief) for site, key, belief in held]
            for about, held in self.member_records.items()
        }

    @cached_property
    def cut_off(self) -> dict[tuple[str, str], list[str]]:
        """(queue manager, channel) -> the clusters in which it has no way to a full repository.

        The channel is one of the ways that are known there, and none of them works. A partial
        repository asks full repositories for names, and publishes to them, over channels of its own
        (IBM MQ, "How cluster repositories work").
        """
        found: dict[tuple[str, str], list[str]] = defaultdict(list)
        down = {name: each for name, site in self.sites.items() if (each := site.down(self.at))}
        for cluster in self.clusters if down else ():
            full = cluster.among(cluster.full)
            ways = {each.name for name in full for each in cluster.members[name]}
            for name in cluster.members.keys() & down.keys() - set(full):
                site = self.sites[name]
                records = site.qmgr.repository.of_kind("qmgr", cluster=cluster.name)
                known = {key[2] for key, each in records if each.values.get("QMTYPE") == "REPOS"}
                known |= ways | {each.name for each in cluster.senders_of(name)}
                if known and known <= down[name]:
                    for channel in known:
                        found[name, channel].append(cluster.name)
        return dict(found)

    @cached_property
    def undefined(self) -> list[Gap]:
        """The references of all queue managers that lead nowhere."""
        return list(undefined_references(self.estate, self.estate.qmgrs.values()))

    @cached_property
    def by_address(self) -> dict[str, dict[tuple[str, int], list[OwnedObject]]]:
        """The CLUSRCVRs of each cluster, by each host and port of their CONNAME."""
        found: dict[str, dict[tuple[str, int], list[OwnedObject]]] = {}
        for cluster in self.clusters:
            places = found[cluster.name] = defaultdict(list)
            for site, definition in (each for some in cluster.receivers.values() for each in some):
                for address in connection(text_of(definition, "CONNAME")):
                    places[address].append((site, definition))
        return found

    def senders(self) -> Iterator[tuple[Cluster, Site, Definition]]:
        """Iterate over the manual CLUSSDRs, once for each of their clusters."""
        for cluster in self.clusters:
            yield from ((cluster, site, sender) for site, sender in cluster.senders)

    def receivers(self) -> Iterator[OwnedObject]:
        """Iterate over the CLUSRCVRs that are in a cluster."""
        for site in self:
            yield from ((site, definition) for definition, clusters in site.receivers if clusters)

    def receiver_of(self, cluster: Cluster, name: str) -> OwnedObject:
        """Return the first CLUSRCVR of a member in a cluster."""
        return self.sites[name], cluster.members[name][0]

    def evidence_of(self, cluster: Cluster, names: Iterable[str]) -> tuple[FindingPlace, ...]:
        """Return the CLUSRCVRs of some members as evidence, of many only the first."""
        places = [self.receiver_of(cluster, name) for name in sorted(names)[:_MOST]]
        return tuple(site.place(definition) for site, definition in places)

    def leads_outside(self, site: Site, channel: str) -> bool:
        """Return whether the target of a channel is not in the twin, as far as it is known."""
        return site.qmgr.observed and not self.estate.ends.get((channel, "CLUSRCVR"))

    def may_have_target(self, site: Site, channel: str) -> bool:
        """Return whether a manual CLUSSDR may lead to a queue manager outside the twin.

        One that was deleted is known to be gone.
        """
        gone = deleted_partners(self.estate, channel, "CLUSSDR")
        return self.leads_outside(site, channel) and not gone

    @cached_property
    def in_part(self) -> frozenset[str]:
        """The clusters with a manual CLUSSDR that may lead to a member outside the twin."""
        return frozenset(
            cluster.name
            for cluster in self.clusters
            if any(self.may_have_target(site, sender.name) for site, sender in cluster.senders)
        )

    def _enter(self, site: Site) -> None:
        for definition, names in site.receivers:
            for name in names:
                cluster = self._made(name)
                cluster.members[site.name].append(definition)
                cluster.receivers[definition.name].append((site, definition))
        for definition, names in site.senders:
            for name in names:
                self._made(name).senders.append((site, definition))
        for definition, names in site.clustered:
            for name in names:
                cluster = self._made(name)
                objects = cluster.topics if definition.kind == "TOPIC" else cluster.queues
                objects[definition.name].append((site, definition))
        for name in membership.full_repository_of(site.qmgr):
            self._made(name).full.append(site.name)

    def _made(self, name: str) -> Cluster:
        return self._clusters.setdefault(name, Cluster(name))


def _site(qmgr: QueueManager) -> Site:
    site = Site(qmgr)
    for (kind, name), definition in qmgr.definitions.items():
        take = _TAKES.get(kind)
        if take is not None and not (name.startswith(SYSTEM) and not definition.values):
            take(site, definition)
    for each in (site.senders, site.receivers, site.clustered):
        each.sort(key=lambda pair: pair[0].name)
    site.queues.sort(key=lambda definition: definition.name)
    return site


def _take_channel(site: Site, definition: Definition) -> None:
    if definition.type not in _CHANNEL_TYPES or definition.name.startswith(SYSTEM):
        _take_template(site, definition)
        return
    clusters = membership.clusters(site.qmgr, definition)
    if definition.type == "CLUSSDR":
        if not clusters or not all(is_automatic(site.qmgr, each, definition) for each in clusters):
            site.senders.append((definition, clusters))
    elif definition.type == "CLUSRCVR":
        site.receivers.append((definition, clusters))
    elif definition.type == "SVRCONN":
        site.clients.append(definition)


def _take_template(site: Site, definition: Definition) -> None:
    """Enter a default object that names a cluster."""
    values = definition.values
    if definition.name.startswith(_TEMPLATES) and (values.get("CLUSTER") or values.get("CLUSNL")):
        site.templates.append(definition)


def _take_queue(site: Site, definition: Definition) -> None:
    is_local = definition.type == "QLOCAL"
    if is_local and definition.is_transmission_queue and definition.name not in _STANDARD:
        site.transmission.append(definition)
    if definition.name.startswith(SYSTEM):
        _take_template(site, definition)
    else:
        site.queues.append(definition)
        _take_shared(site, definition)


def _take_shared(site: Site, definition: Definition) -> None:
    values = definition.values
    if (values.get("CLUSTER") or values.get("CLUSNL")) and not definition.name.startswith(SYSTEM):
        site.clustered.append((definition, membership.clusters(site.qmgr, definition)))


def _take_listener(site: Site, definition: Definition) -> None:
    is_default = definition.name.startswith("SYSTEM.DEFAULT.")
    if not is_default or definition.values.keys() & {"CONTROL", "PORT"}:
        site.listeners.append(definition)


_TAKES: Final = {
    "CHANNEL": _take_channel,
    "QUEUE": _take_queue,
    "TOPIC": _take_shared,
    "LISTENER": _take_listener,
}
"""Kind of an object -> the function that enters it."""


_OF_QMGR: Final = (
    {each.name for each in fields(QueueManager)}
    - {"changed", "contents", "load", "name", "page", "position"}
) | {*PARTS}
"""What is noted of queue managers: all but how they are kept."""

_OF_ESTATE: Final = {each.name for each in fields(Estate)} - {"position", "qmgrs"}
_OF_SITE: Final = {each.name for each in fields(Site)} - {"qmgr"}
_OF_CLUSTER: Final = ({each.name for each in fields(Cluster)} - {"name"}) | {
    name for name, each in vars(Cluster).items() if isinstance(each, cached_property)
}
_OF_INDEX: Final = {"clusters", "facts"} | {
    name for name, each in vars(Index).items() if isinstance(each, cached_property)
}
