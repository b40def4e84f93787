"""Checks of addresses that have moved, and that others still hold as they were.

A link is broken by an address only if something says that the address no longer leads there: a
channel to it was seen to fail. Two texts that differ are not two hosts, and a CONNAME may be a list
of which one address answers.

Sources: IBM MQ, "Moving a queue manager to another host"; "Two full repositories moved at the same
time"; "DEFINE CHANNEL" (CONNAME).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from twin.fold.beliefs import Belief, RecordName
from twin.model.cluster_records import ALTERED
from twin.model.instants import Instant, format_instant
from twin.model.names import connection
from twin.model.objects import Subject, text_of
from twin.questions.doctor.checks.channel_ways import cut_off_by
from twin.questions.doctor.finding import Finding, some
from twin.questions.doctor.index import Index, Site
from twin.questions.known_holdings import is_surely_held


class ToldAddress(NamedTuple):
    """An address of a queue manager, since when it has it, and what says so.

    Attributes:
        at: when the owner changed it, or another one received it; None if that is not known.
        address: the CONNAME.
        position: what says it.
    """

    at: Instant | None
    address: str
    position: int


class StaleAddress(NamedTuple):
    """An address that a queue manager holds, and that its owner has changed since.

    Attributes:
        holder: who holds it, with a channel that fails.
        owner: whose address it is.
        cluster: the cluster.
        channel: the channel.
        belief: the record.
        old: the address that is held.
        told: the address that the owner has, or that another one has been told.
    """

    holder: Site
    owner: str
    cluster: str
    channel: str
    belief: Belief
    old: str
    told: ToldAddress

    @property
    def subject(self) -> Subject:
        """The subject of its finding."""
        return self.holder.about("CHANNEL", self.channel, cluster=self.cluster, aspect="address")


def subjects(index: Index, site: Site, channel: str) -> Iterator[Subject]:
    """Yield the findings about the address that a channel has."""
    yield from (each.subject for each in _of_channel(index, site, channel))


def _all(index: Index) -> Iterator[StaleAddress]:
    for site in index:
        yield from _at(index, site)


def _at(index: Index, site: Site) -> Iterator[StaleAddress]:
    for channel in sorted(site.down(index.at)):
        yield from _of_channel(index, site, channel)


def _of_channel(index: Index, holder: Site, channel: str) -> Iterator[StaleAddress]:
    """Yield the records of a channel that was seen to fail whose address is out of date."""
    if holder.status(channel, index.at) != "RETRYING":
        return
    for cluster in holder.qmgr.repository.clusters:
        for qmid, belief in holder.qmgr.repository.instances(cluster, "qmgr", channel).items():
            key = (cluster, "qmgr", channel)
            address = set(connection(str(belief.values.get("CONNAME") or "")))
            if not address or not is_surely_held(index.estate, holder.qmgr, key, belief):
                continue
            held = index.member_records.get((cluster, qmid), [])
            others = [each for each in held if each[1] == key and each[0] is not holder]
            told = _defined(index, belief, channel) or _told(index, others, belief)
            if told is not None and address.isdisjoint(connection(told.address)):
                old, name = str(belief.values["CONNAME"]), belief.owner_name
                yield StaleAddress(holder, name, cluster, channel, belief, old, told)


def _defined(index: Index, belief: Belief, channel: str) -> ToldAddress | None:
    """Return the address that the definition of the owner has; None if that is not known."""
    owner = index.sites.get(belief.owner_name)
    if owner is None or owner.qmgr.qmid != belief.owner:
        return None
    defined = owner.qmgr.definitions.get(("CHANNEL", channel))
    if not defined or defined.type != "CLUSRCVR" or not text_of(defined, "CONNAME"):
        return None
    return ToldAddress(defined.alter_date, text_of(defined, "CONNAME"), defined.position)


def _told(
    index: Index, held: Iterable[tuple[Site, RecordName, Belief]], than: Belief
) -> ToldAddress | None:
    """Return the newer address that others hold; None if nobody was seen to hold one."""
    newer = [
        ToldAddress(each.since, str(each.values.get("CONNAME") or ""), each.position)
        for site, key, each in held
        if _is_newer(each, than) and is_surely_held(index.estate, site.qmgr, key, each)
    ]
    return max((each for each in newer if each.address), default=None)


def _is_newer(one: Belief, other: Belief) -> bool:
    """Return whether a record is newer: ALTDATE and ALTTIME are times of its owner in both."""
    altered = (one.values.get(ALTERED), other.values.get(ALTERED))
    if all(isinstance(each, int) for each in altered):
        return altered[0] > altered[1]  # type: ignore[operator]
    return one.since > other.since


def stale(index: Index) -> Iterator[Finding]:
    """Find addresses that their owner has changed, where the channel to the old one fails."""
    for each in _all(index):
        holder, moved = each.holder, tuple(moved_subjects(index, each))
        cut = () if moved else (*cut_off_by(index, holder), *_not_told(index, each))
        since = f" since {format_instant(each.told.at)}" if each.told.at else ""
        yield Finding(
            subject=each.subject,
            text=f"{holder.name} holds the old address {each.old} of {each.owner}, which has "
            f"{each.told.address}{since}."
            + (
                f" {holder.name} does not hear of it: repair "
                f"{some(f'{one.name} of {one.qmgr}' for one in cut)}."
                if cut
                else ""
            ),
            evidence=(each.belief.position, each.told.position),
            on=(holder.name, *((each.owner,) if each.owner in index.sites else ())),
            named=(holder.name, each.owner),
            cluster=each.cluster,
            because=(*cut, *moved),
        )


def _not_told(index: Index, each: StaleAddress) -> Iterator[Subject]:
    """Yield the channels by which full repositories would tell the new address, and that fail."""
    holder = each.holder
    own = index.cluster(each.cluster).members.get(holder.name, ())
    for name in index.cluster(each.cluster).serving:
        down = index.sites[name].down(index.at) if name != holder.name else set()
        yield from (
            index.sites[name].about("CHANNEL", receiver.name)
            for receiver in own
            if receiver.name in down
        )


def moved_subjects(index: Index, each: StaleAddress) -> Iterator[Subject]:
    """Yield the finding about two full repositories that moved together."""
    if _counterpart(index, each) is not None:
        yield _moved(each)


def _counterpart(index: Index, one: StaleAddress) -> StaleAddress | None:
    """Return the old address that a full repository holds of another one that holds its own."""
    if not {one.holder.name, one.owner} <= {*index.cluster(one.cluster).full}:
        return None
    back = (one.owner, one.holder.name, one.cluster)
    others = _at(index, index.sites[one.owner]) if one.owner in index.sites else ()
    return next(
        (each for each in others if (each.holder.name, each.owner, each.cluster) == back), None
    )


def _moved(one: StaleAddress) -> Subject:
    names = " ".join(sorted((one.owner, one.holder.name)))
    return Subject(cluster=one.cluster, aspect=f"moved {names}")


def moved_together(index: Index) -> Iterator[Finding]:
    """Find full repositories that cannot reach each other because both have moved.

    The manual CLUSSDR of one must have the new address of the other before it is refreshed: without
    a record, the channel takes its address from there.
    """
    for one in _all(index):
        other = _counterpart(index, one)
        if other is None or one.holder.name > other.holder.name:
            continue
        old = [
            f"{sender.name} of {each.holder.name}"
            for each in (one, other)
            for sender in index.cluster(each.cluster).senders_of(each.holder.name)
            if sender.name == each.channel
            and set(connection(text_of(sender, "CONNAME"))).isdisjoint(
                connection(each.told.address)
            )
        ]
        enough = f" {some(old)} has the old address: ALTER CHANNEL CONNAME there first."
        yield Finding(
            subject=_moved(one),
            text=f"{one.owner} and {other.owner} are full repositories, and each holds the old "
            f"address of the other: {one.old} of {one.owner}, {other.old} of {other.owner}. "
            "Neither can tell the other its new one." + (enough if old else ""),
            evidence=(one.belief.position, other.belief.position),
            on=(one.holder.name, other.holder.name),
            cluster=one.cluster,
        )


def is_told_apart(index: Index, cluster: str, qmid: str, channel: str) -> bool:
    """Return whether two addresses of a QMID are an old one, which fails, and a new one."""
    return any(
        belief.owner == qmid and each.cluster == cluster
        for site, (_, _, name), belief in index.member_records.get((cluster, qmid), ())
        if name == channel
        for each in _of_channel(index, site, channel)
    )
