"""Queue managers of one name, such as one that was rebuilt and the one before: which is meant."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection

from twin.fold.estate import Estate


def namesakes(*estates: Estate) -> frozenset[str]:
    """Return the QMIDs of queue managers that share their name with another one.

    Queue managers count that exist in one of the estates, or of which one there holds a record.
    """
    if len(estates) == 1 and len(estates[0].names) == len(estates[0].qmgrs):
        return frozenset()  # each has a name of its own: no other was ever known
    names = {qmid: name for estate in estates for qmid, name in estate.names.items()}
    if len(set(names.values())) == len(names):  # so it is nearly always
        return frozenset()
    by_name: dict[str, set[str]] = defaultdict(set)
    for qmid, name in names.items():
        by_name[name].add(qmid)
    shared = [qmids for qmids in by_name.values() if len(qmids) > 1]
    qmgrs = [qmgr for estate in estates for qmgr in estate.qmgrs.values()]
    known = {qmgr.qmid for qmgr in qmgrs}
    known |= {owner for qmgr in qmgrs for _, owner in qmgr.repository.routes}
    return frozenset(qmid for qmids in shared if len(qmids & known) > 1 for qmid in qmids & known)


def shown_qmgr(name: str, qmid: str, among: Collection[str]) -> str:
    """Write the name of a queue manager, with its QMID if that is `among` those of namesakes."""
    return f"{name} ({qmid})" if qmid in among else name
