"""Queue managers that a set of files no longer has, and the names they may have now."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from twin.fold.estate import NEVER_CONFIRMED, Estate, QueueManager
from twin.rules import membership


class Absent(NamedTuple):
    """An observed queue manager that files do not have.

    Attributes:
        name: its name.
        renamed: the queue manager of the files that has its connection name; '' if none has.
        held: whether a queue manager of the files was seen to hold a record of it.
        gone: whether none was, and a full repository of the files showed all that it holds. That
            one is not among the files shows nothing: most imports are of some hosts.
    """

    name: str
    renamed: str
    held: bool
    gone: bool


def absent(estate: Estate, imported: Collection[str]) -> Iterator[Absent]:
    """Yield the observed queue managers that are not among those imported, by name.

    One that was built again under another name is recognised by the CONNAME of its CLUSRCVR.
    """
    at_address = {
        address: name
        for name in sorted(imported, reverse=True)
        if name in estate.qmgrs
        for address in _addresses(estate.qmgrs[name])
    }
    of_files = [estate.qmgrs[name] for name in sorted(imported) if name in estate.qmgrs]
    held = {
        estate.names.get(owner)
        for each in of_files
        for (_, kind, _), owner in each.repository.shown
        if kind == "qmgr"
    }
    whole = {each.name: membership.full_repository_of(each) for each in of_files if _is_whole(each)}
    for name, qmgr in sorted(estate.qmgrs.items()):
        if qmgr.observed and name not in imported:
            found = (at_address[each] for each in _addresses(qmgr) if each in at_address)
            gone = name not in held and bool(_lacks(estate, name, whole))
            yield Absent(name, next(found, ""), name in held, gone)


def _lacks(estate: Estate, name: str, whole: Mapping[str, Collection[str]]) -> list[str]:
    """Return the full repositories whose whole answer is about a cluster that had a member."""
    clusters = set(membership.clusters_joined(estate.qmgrs[name]))
    return [each for each, of in whole.items() if not clusters.isdisjoint(of)]


def _is_whole(qmgr: QueueManager) -> bool:
    """Return whether a queue manager showed all members that it knows, when it was last seen."""
    shown = qmgr.confirmed.get("qmgr", NEVER_CONFIRMED)
    return shown.complete > 0 and shown.at == max(qmgr.activity.seen.collected, default=None)


def _addresses(qmgr: QueueManager) -> list[tuple[str, str]]:
    """Return cluster and CONNAME of each CLUSRCVR."""
    return [
        (cluster, str(definition.values.get("CONNAME", "")).lower())
        for definition, clusters in membership.channels_of(qmgr, "CLUSRCVR")
        for cluster in clusters
        if definition.values.get("CONNAME")
    ]
