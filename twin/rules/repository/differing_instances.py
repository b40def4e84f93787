"""Warn of instances of one clustered queue whose definitions differ.

Source: z/OS message CSQX407: only DEFPRTY, DEFPSIST, DEFPRESP and DEFBIND are compared; AMQ9407 is
its counterpart on other platforms.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, TypeAlias

from twin.events import ErrorLogged, Item
from twin.events.base import Values
from twin.fold.beliefs import Belief
from twin.fold.estate import QueueManager
from twin.model.attributes import TYPES
from twin.rules.draft import Draft

_DIFFER: Final = "AMQ9407"
_COMPARED: Final = {
    keyword: TYPES["QLOCAL"].by_keyword[keyword].default
    for keyword in ("DEFPRTY", "DEFPSIST", "DEFPRESP", "DEFBIND")
}
"""The attributes that are compared, with their defaults."""

OwnedQueue: TypeAlias = tuple[str, str]
"""An instance of a queue: its owner's QMID, and the name of the queue."""


def changed_by(
    draft: Draft, qmgr: QueueManager, cluster: str, items: Iterable[Item]
) -> list[OwnedQueue]:
    """Return the instances that records will add or change when they are received."""
    beliefs, changed = qmgr.repository.beliefs, []
    for item in items:
        records = draft.estate.owner(item.owner).published[item.sequence].records
        for key in records if item.only is None else item.only:
            record = records.get(key)
            if key[0] != "queue" or record is None:
                continue
            held = beliefs.get((cluster, *key), _NOBODY).get(item.owner)
            if held is None or (held.values is not record.values and held.values != record.values):
                changed.append((item.owner, key[1]))
    return changed


_NOBODY: Final[Mapping[str, Belief]] = {}


def warn(draft: Draft, qmgr: QueueManager, cluster: str, changed: Iterable[OwnedQueue]) -> None:
    """Log each queue of which an instance was added or changed, if it differs from another.

    A queue is logged once.
    """
    beliefs = qmgr.repository.beliefs
    names = (
        name for owner, name in changed if owner in beliefs.get((cluster, "queue", name), _NOBODY)
    )
    for name in dict.fromkeys(names):
        instances = beliefs[cluster, "queue", name].values()
        if len({_compared(belief.values) for belief in instances}) > 1:
            draft.emit(ErrorLogged(qmgr=qmgr.name, id=_DIFFER, inserts=(name,)))


def _compared(values: Values) -> tuple[str, ...]:
    return tuple(str(values.get(keyword, default)) for keyword, default in _COMPARED.items())
