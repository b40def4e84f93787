"""Which QMID an observed queue manager has of which nothing at its first sight said one.

A QMID that the twin made yields to one that was seen, whenever that was: what is known of the other
observations of a branch decides, not only what came before.

Source: design laws 17 and 19.
"""

from __future__ import annotations

from collections.abc import Iterable

from twin.events import QueueManagerIdentified
from twin.fold import seen_before
from twin.fold.estate import Estate, QueueManager
from twin.fold.seen_before import SeenQmids
from twin.model.instants import Instant
from twin.rules.draft import Draft


def identify(draft: Draft, names: Iterable[str]) -> None:
    """Give the queue managers among some that are first seen now the QMIDs that were seen."""
    for name in dict.fromkeys(names):
        qmgr = draft.estate.qmgrs.get(name)
        if qmgr is None or not qmgr.made_qmid or qmgr.created != draft.at:
            continue
        qmid = known_qmid(draft.estate, qmgr, draft.seen_qmids)
        if qmid is not None:
            draft.emit(QueueManagerIdentified(qmgr=name, qmid=qmid))


def known_qmid(estate: Estate, qmgr: QueueManager, beside: SeenQmids) -> str | None:
    """Return the QMID that was seen of a queue manager whose first sight had none."""
    gone = estate.departed.keys() - {qmgr.qmid}
    return seen_before.qmid_shown(qmgr.name, qmgr.created, estate.seen_qmids, beside, gone=gone)


def first_affected(estate: Estate, beside: SeenQmids) -> Instant | None:
    """Return since when further QMIDs make a queue manager another one than was derived.

    None if they do not.
    """
    known = (*estate.qmgrs.values(), *estate.departed.values())
    since = [
        qmgr.created
        for qmgr in known
        if qmgr.name in beside
        and (qmgr.made_qmid or qmgr.identified)
        and known_qmid(estate, qmgr, beside) != (None if qmgr.made_qmid else qmgr.qmid)
    ]
    return min(since, default=None)


def first_concluded(estate: Estate) -> Instant | None:
    """Return when the first queue manager was first seen without a QMID; None if none was."""
    known = (*estate.qmgrs.values(), *estate.departed.values())
    since = (qmgr.created for qmgr in known if qmgr.made_qmid or qmgr.identified)
    return min(since, default=None)
