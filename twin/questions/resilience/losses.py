"""The losses that are rehearsed: a queue manager, full repositories, a link, a channel, a pair."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from twin.errors import TwinError
from twin.model.commands import Command
from twin.rules.membership import clusters_joined, full_repository_of

if TYPE_CHECKING:
    from twin.fold.estate import Estate, QueueManager
    from twin.questions.rehearsing import Rehearsing

LossKind: TypeAlias = Literal[
    "qmgr", "repository", "repositories", "link", "channel", "pair", "several"
]

_KIND_OF_SEVERAL: Final[Mapping[int, LossKind]] = {1: "qmgr", 2: "pair"}
"""How many queue managers are lost -> what their loss is; more are several."""


class LossRefused(TwinError, RuntimeError, message="the loss of {} cannot be rehearsed: {}"):
    """A loss that cannot be rehearsed, because a command that makes it happen fails."""


@dataclass(frozen=True, slots=True)
class Loss:
    """One failure.

    Attributes:
        kind: what is lost.
        name: what it is called in an answer.
        qmgrs: the names of the queue managers that end.
        link: the two queue managers between which the network is cut; () if it is not.
        channel: the queue manager and the name of the channel that is stopped; () if none is.
        partners: the queue managers that the channel leads to.
        clusters: the clusters that it is about.
    """

    kind: LossKind
    name: str
    qmgrs: frozenset[str] = frozenset()
    link: tuple[str, str] | tuple[()] = ()
    channel: tuple[str, str] | tuple[()] = ()
    partners: frozenset[str] = frozenset()
    clusters: tuple[str, ...] = ()

    def involves(self, name: str) -> bool:
        """Return whether a queue manager is lost, or is an end of the link or channel that is."""
        return name in (*self.qmgrs, *self.link, *self.channel[:1], *self.partners)

    def kind_in(self, repositories: set[str]) -> LossKind:
        """Return what it is for a cluster with these full repositories.

        The loss of a full repository of another cluster is that of a queue manager like others.
        """
        if self.kind not in ("repository", "repositories") or self.qmgrs <= repositories:
            return self.kind
        return _KIND_OF_SEVERAL.get(len(self.qmgrs), "several")

    def befall(self, rehearsal: Rehearsing) -> None:
        """Let it happen in a rehearsal.

        Raises:
            LossRefused: if a command that makes it happen fails.
        """
        for name in sorted(self.qmgrs):
            if rehearsal.estate.qmgrs[name].running:
                rehearsal.endmqm(name)
        if self.link:
            rehearsal.link("cut", *self.link)
        if self.channel:
            self._stop(rehearsal, *self.channel)

    def _stop(self, rehearsal: Rehearsing, on: str, channel: str) -> None:
        state = rehearsal.estate.qmgrs[on].activity.channels.get(channel)
        if state is None or state.status != "STOPPED":
            stopped = rehearsal.runmqsc(on, Command.of(on, "STOP", "CHANNEL", channel).text)
            if stopped.problem:
                raise LossRefused(self.name, stopped.problem)

    def parts(self, sender: str, owner: str, channel: str) -> bool:
        """Return whether it keeps a sender from reaching an owner over a channel."""
        return (
            bool({sender, owner} & self.qmgrs)
            or {sender, owner} == set(self.link)
            or (sender, channel) == self.channel
        )

    def is_awaited(self, sender: str, owner: str, channel: str) -> bool:
        """Return whether messages of a sender for an owner wait for what is lost.

        Those that are lost with their sender do not: they may have waited for another reason.
        """
        return owner in self.qmgrs or (
            sender not in self.qmgrs and self.parts(sender, owner, channel)
        )


def losses(
    estate: Estate, *, links: bool = False, channels: bool = False, pairs: bool = False
) -> Iterator[Loss]:
    """Go through every single loss of an estate: of running queue managers, then the others.

    Args:
        estate: the estate.
        links: whether to add each link over which a queue manager knows a channel to another.
        channels: whether to add each cluster-sender channel.
        pairs: whether to add each pair of queue managers.
    """
    running = {name: qmgr for name, qmgr in sorted(estate.qmgrs.items()) if qmgr.running}
    joined = {name: clusters_joined(qmgr) for name, qmgr in running.items()}
    full: dict[str, list[str]] = {}
    for name, qmgr in running.items():
        for cluster in full_repository_of(qmgr):
            full.setdefault(cluster, []).append(name)
    for name, clusters in joined.items():
        kind: LossKind = "repository" if any(name in each for each in full.values()) else "qmgr"
        yield Loss(kind, name, frozenset([name]), clusters=clusters)
    for cluster, names in sorted(full.items()):
        if len(names) > 1:
            yield Loss("repositories", " ".join(names), frozenset(names), clusters=(cluster,))
    if links:
        yield from _links(estate, running)
    if channels:
        yield from _channels(estate, running)
    if pairs:
        for one, other in combinations(running, 2):
            both = tuple(dict.fromkeys((*joined[one], *joined[other])))
            yield Loss("pair", f"{one} {other}", frozenset([one, other]), clusters=both)


def together(estate: Estate, names: Sequence[str]) -> Loss:
    """Return the loss of some queue managers at once."""
    clusters = chain.from_iterable(clusters_joined(estate.qmgr(name)) for name in names)
    kind: LossKind = _KIND_OF_SEVERAL.get(len(names), "several")
    return Loss(kind, " ".join(names), frozenset(names), clusters=tuple(dict.fromkeys(clusters)))


def _routes(
    estate: Estate, running: dict[str, QueueManager]
) -> Iterator[tuple[str, str, str, str]]:
    """Go through (sender, owner, channel, cluster) of all routes between queue managers."""
    for name, qmgr in running.items():
        for (cluster, owner), channels in sorted(qmgr.repository.routes.items()):
            to = estate.names.get(owner, "")
            if to in running and to != name:
                yield from ((name, to, channel, cluster) for channel in channels)


def _links(estate: Estate, running: dict[str, QueueManager]) -> Iterator[Loss]:
    clusters: dict[tuple[str, str], dict[str, None]] = {}
    for sender, owner, _, cluster in _routes(estate, running):
        ends = (min(sender, owner), max(sender, owner))
        clusters.setdefault(ends, {})[cluster] = None
    for ends, names in sorted(clusters.items()):
        yield Loss("link", f"{ends[0]} - {ends[1]}", link=ends, clusters=tuple(names))


def _channels(estate: Estate, running: dict[str, QueueManager]) -> Iterator[Loss]:
    clusters: dict[tuple[str, str], dict[str, None]] = {}
    partners: dict[tuple[str, str], set[str]] = {}
    for sender, owner, channel, cluster in _routes(estate, running):
        clusters.setdefault((sender, channel), {})[cluster] = None
        partners.setdefault((sender, channel), set()).add(owner)
    for (on, name), names in sorted(clusters.items()):
        yield Loss(
            "channel",
            f"{on} {name}",
            channel=(on, name),
            partners=frozenset(partners[on, name]),
            clusters=tuple(names),
        )
