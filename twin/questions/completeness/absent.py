"""Queue managers that a set of files no longer has, and the names they may have now."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

from twin.fold.estate import Estate, QueueManager
from twin.rules import membership


class Absent(NamedTuple):
    """An observed queue manager that files do not have.

    Attributes:
        name: its name.
        renamed: the queue manager of the files that has its connection name; '' if none has.
    """

    name: str
    renamed: str


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
    for name, qmgr in sorted(estate.qmgrs.items()):
        if qmgr.observed and name not in imported:
            found = (at_address[each] for each in _addresses(qmgr) if each in at_address)
            yield Absent(name, next(found, ""))


def _addresses(qmgr: QueueManager) -> list[tuple[str, str]]:
    """Return cluster and CONNAME of each CLUSRCVR."""
    return [
        (cluster, str(definition.values.get("CONNAME", "")).lower())
        for definition, clusters in membership.channels_of(qmgr, "CLUSRCVR")
        for cluster in clusters
        if definition.values.get("CONNAME")
    ]
