"""The QMIDs that were seen of queue managers, by name.

A script does not say the QMID of its queue manager. It is the one that the queue manager said at
another time, or else the only one that others hold records of under this name. If others hold two,
it is not known which of them is meant.

Source: design law 19; IBM MQ 9.4, "Queue manager attributes" (QMID identifies a queue manager).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TypeAlias

from twin.events import BeliefsObserved, Event, ObjectsObserved
from twin.model.instants import Instant

SeenQmids: TypeAlias = dict[str, dict[str, Instant | None]]
"""Name -> QMID -> when the queue manager itself showed it first; None if only others did."""


def note(known: SeenQmids, event: Event, at: Instant) -> None:
    """Note the QMIDs in an observation of an instant; other events say none."""
    if not isinstance(event, ObjectsObserved | BeliefsObserved):
        return
    if event.qmid is not None:
        shown = known.setdefault(event.qmgr, {})
        before = shown.get(event.qmid)
        shown[event.qmid] = at if before is None else min(at, before)
    for said in event.said if isinstance(event, BeliefsObserved) else ():
        if said.owner and said.owner_name != event.qmgr:
            known.setdefault(said.owner_name, {}).setdefault(said.owner, None)


def qmid_shown(
    name: str,
    at: Instant,
    *sources: Mapping[str, Mapping[str, Instant | None]],
    gone: Collection[str] = (),
) -> str | None:
    """Return the QMID of a queue manager that was first seen at an instant without one.

    Of several that it showed itself, it is the next one. None if it is not known. `gone` are the
    QMIDs of deleted queue managers.
    """
    seen: dict[str, Instant | None] = {}
    for source in sources:
        for qmid, said in source.get(name, {}).items():
            before = seen.get(qmid)
            seen[qmid] = min((each for each in (said, before) if each is not None), default=None)
    seen = {qmid: said for qmid, said in seen.items() if qmid not in gone}
    own = sorted(
        (said < at, abs(said - at), qmid) for qmid, said in seen.items() if said is not None
    )
    if own:
        return own[0][-1]
    return next(iter(seen)) if len(seen) == 1 else None
