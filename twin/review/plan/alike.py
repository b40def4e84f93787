"""Members of clusters whose puts depend on the same things: one of them stands for all.

There may be very many that have not opened a queue, and explaining a put takes time. So they are
grouped first, by all that a put to some partners depends on.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Hashable, Iterator
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from twin.questions.blocked import channel_block
from twin.rules.channels import channel_status, command_queue
from twin.rules.draft import Draft
from twin.rules.membership import clusters_joined, full_repository_of, is_full
from twin.rules.repository import recipients
from twin.rules.workload.routes import is_even

if TYPE_CHECKING:
    from twin.app.rehearsing import Rehearsal
    from twin.fold.estate import Estate, QueueManager
    from twin.model.instants import Instant
    from twin.review.plan.pair import RehearsedPair

_OF_CHOICE: Final = ("CLWLUSEQ", "CLWLMRUC", "CLWLEXIT", "CLWLDATA", "CLWLLEN")
"""The attributes of a queue manager on which its choices depend."""


class _Partners(NamedTuple):
    """Whom a put may go to, or ask: QMID -> name, and the channels to them."""

    owners: frozenset[tuple[str, str]]
    channels: frozenset[str]


class Member(NamedTuple):
    """A running member: without the change and with it, the same object if nothing differs."""

    name: str
    before: QueueManager | None
    after: QueueManager
    clusters: tuple[str, ...]

    def sides(self) -> Collection[QueueManager]:
        """Return it without the change and with it, once if nothing differs."""
        return {id(each): each for each in (self.before, self.after) if each is not None}.values()

    def has_own(self, queue: str) -> bool:
        """Return whether it has an object of its own of this name, on either side."""
        return any(("QUEUE", queue) in each.definitions for each in self.sides())

    def has_asked(self, cluster: str, queue: str) -> bool:
        """Return whether it has asked a full repository for a queue, on either side."""
        key = (cluster, "queue", queue)
        return any(key in each.repository.subscriptions for each in self.sides())


def members_of(pair: RehearsedPair) -> dict[str, Member]:
    """Return the queue managers that run with the change and are in a cluster, by name."""
    unlike = pair.unlike()
    members = {}
    for name, before, after in pair.qmgrs:
        if after is not None and after.running:
            one = after if before is None or name in unlike else before
            if clusters := clusters_joined(one):
                members[name] = Member(name, before, one, clusters)
    return members


class AskedRepositories:
    """The full repositories that members would ask on one side of a pair, looked up once."""

    def __init__(self, rehearsal: Rehearsal) -> None:
        """Look at a rehearsal, which does not go on."""
        estate = rehearsal.estate
        self._draft = Draft(estate, rehearsal.now(), estate.position + 1)
        self._found: dict[str, tuple[tuple[str, str, bool], ...]] = {}

    def by(
        self, qmgr: QueueManager, clusters: tuple[str, ...]
    ) -> tuple[tuple[str, str, bool], ...]:
        """Return (cluster, full repository, whether it answers) for each, in order."""
        found = self._found.get(qmgr.name)
        if found is None:
            found = self._found[qmgr.name] = tuple(sorted(_asked_by(self._draft, qmgr, clusters)))
        return found


AskedOnBothSides: TypeAlias = tuple[AskedRepositories, AskedRepositories]
"""Those without the change, and those with it."""


def asked_in(pair: RehearsedPair) -> AskedOnBothSides:
    """Return what looks up whom members would ask on both sides."""
    return AskedRepositories(pair.base), AskedRepositories(pair.changed)


class Groups:
    """Who is alike, by the partners of a queue: most queues have the same ones.

    Attributes:
        full: the full repositories with the change, each with its clusters.
    """

    def __init__(self, pair: RehearsedPair, asked: AskedOnBothSides) -> None:
        self._pair = pair
        self._asked = asked
        qmgrs = pair.changed.estate.qmgrs.items()
        self.full = {name: its for name, qmgr in qmgrs if (its := full_repository_of(qmgr))}
        self._sides: dict[_Partners, tuple[_Side, _Side]] = {}
        self._keys: dict[tuple[_Partners, str], Hashable] = {}

    def of(self, queue: str, members: Collection[Member]) -> Iterator[tuple[str, ...]]:
        """Yield the names of those that are alike for a queue; '' for no particular one."""
        partners = self._partners(queue)
        alike: dict[Hashable, list[str]] = defaultdict(list)
        for member in members:
            key = partners, member.name
            if key not in self._keys:
                self._keys[key] = (*self._depends(partners, member),)
            alike[self._keys[key]].append(member.name)
        yield from map(tuple, alike.values())

    def _depends(self, partners: _Partners, member: Member) -> Iterator[Hashable]:
        """Yield what a put of a member depends on, with the change and without it."""
        if partners not in self._sides:
            base, changed = (
                _Side(each.estate, each.now(), its, partners)
                for each, its in zip(
                    (self._pair.base, self._pair.changed), self._asked, strict=True
                )
            )
            self._sides[partners] = base, changed
        base, changed = self._sides[partners]
        yield changed.own(member.after)
        yield changed.others(member.after, member.clusters)
        if member.before is not None:
            if member.before is not member.after:
                yield base.own(member.before)
            yield base.others(member.before, member.clusters)

    def _partners(self, queue: str) -> _Partners:
        """Return the full repositories, and the owners of a queue that they know of."""
        owners: dict[str, str] = {}
        channels: set[str] = set()
        for rehearsal in (self._pair.base, self._pair.changed):
            estate = rehearsal.estate
            for name in self.full.keys() & estate.qmgrs.keys():
                repository = estate.qmgrs[name].repository
                found = [(key[0], each.owner) for key, each in repository.queues_called(queue)]
                for cluster, owner in found:
                    channels |= repository.routes.get((cluster, owner), {}).keys()
                    owners[owner] = estate.names.get(owner, "")
                owners[estate.qmgrs[name].qmid] = name
        return _Partners(frozenset(owners.items()), frozenset(channels))


class _Side:
    """One of the two rehearsals, as far as puts to some partners depend on it."""

    def __init__(
        self, estate: Estate, at: Instant, asked: AskedRepositories, partners: _Partners
    ) -> None:
        self.at = at
        self.asked = asked
        self.partners = partners
        self._qmids = {qmid for qmid, _ in partners.owners}
        names = {name for _, name in partners.owners}
        self._links: dict[str, list[Hashable]] = defaultdict(list)
        for (one, other), link in estate.links.items():
            for sender, partner in ((one, other), (other, one)):
                if partner in names:
                    self._links[sender].append((partner, link))
        self._refused = {
            sender
            for name in names & estate.qmgrs.keys()
            for channel, sender in estate.qmgrs[name].activity.silent
            if channel_status.is_active(estate.qmgrs[name], channel, sender)
        }

    def others(self, qmgr: QueueManager, clusters: tuple[str, ...]) -> Hashable:
        """Return what a put depends on between a queue manager and its partners."""
        name = qmgr.name
        return (
            self.asked.by(qmgr, clusters),
            tuple(self._links.get(name, ())),
            name in self._refused and name,
        )

    def own(self, qmgr: QueueManager) -> Hashable:
        """Return what a put depends on at the queue manager itself."""
        repository = qmgr.repository
        held = [
            (
                cluster,
                owner,
                channel,
                repository.instances(cluster, "qmgr", channel)[owner].sequence,
            )
            for (cluster, owner), its in repository.routes.items()
            if owner in self._qmids
            for channel in its
        ]
        channels = self.partners.channels.union(channel for _, _, channel, _ in held)
        alone = (
            qmgr.cluster_queues_changed
            or bool(repository.trouble or repository.kept)
            or any(channel in channels for channel in qmgr.activity.seen.channels)
        )
        return (
            qmgr.cmdlevel,
            tuple(str(qmgr.values.get(each, "")) for each in _OF_CHOICE),
            is_even(qmgr),
            tuple(sorted(held)),
            tuple(self._channels(qmgr, channels)),
            qmgr.name if alone else "",
        )

    def _channels(self, qmgr: QueueManager, channels: frozenset[str]) -> Iterator[Hashable]:
        """Yield the states of channels to partners, and how often they were used."""
        states = qmgr.activity.channels
        if not qmgr.has_messaging:
            channels &= states.keys()
        for channel in sorted(channels):
            status = states[channel].status if channel in states else ""
            yield channel, status, channel_block(qmgr, channel, self.at)
        if qmgr.has_messaging:
            for (owner, channel), use in qmgr.messaging.workload.uses.items():
                if owner in self._qmids:
                    yield owner, channel, use


def _asked_by(
    draft: Draft, qmgr: QueueManager, clusters: tuple[str, ...]
) -> Iterator[tuple[str, str, bool]]:
    """Yield (cluster, full repository, whether it answers) for those that it would ask."""
    for cluster in clusters:
        if not is_full(qmgr, cluster):
            for target, channel in recipients.full_repositories(draft, qmgr, cluster):
                usable = _carries(draft, qmgr, channel, target)
                yield cluster, target.name, usable and _answers(draft, qmgr, target, cluster)


def _carries(draft: Draft, sender: QueueManager, channel: str, target: QueueManager) -> bool:
    """Return whether a command can be put for a channel, and be sent over it."""
    refused = command_queue.refusal_of_sending(sender, channel).reason
    return not refused and channel_status.is_usable(draft, sender, channel, target)


def _answers(draft: Draft, qmgr: QueueManager, full: QueueManager, cluster: str) -> bool:
    """Return whether a full repository can answer: a channel leads back, and both work.

    Neither repository manager may wait for a queue. Without a record of the member, as after
    RESET CLUSTER ACTION(FORCEREMOVE), the full repository has no channel to it.
    """
    waits = command_queue.is_waiting(qmgr) or command_queue.is_waiting(full)
    if waits or command_queue.refusal_of_put(full):
        return False
    back = full.repository.routes.get((cluster, qmgr.qmid), ())
    return any(_carries(draft, full, channel, qmgr) for channel in back)
