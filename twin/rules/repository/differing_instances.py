"""Warn of instances of one clustered queue whose definitions differ.

Source: z/OS message CSQX407: only DEFPRTY, DEFPSIST, DEFPRESP and DEFBIND are compared; AMQ9407 is
its counterpart on other platforms.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Final, TypeAlias

from twin.events import ErrorLogged
from twin.events.base import Values
from twin.fold.estate import QueueManager
from twin.model.attributes import TYPES
from twin.rules.draft import Draft

_DIFFER: Final = "AMQ9407"
_COMPARED: Final = {
    keyword: TYPES["QLOCAL"].by_keyword[keyword].default
    for keyword in ("DEFPRTY", "DEFPSIST", "DEFPRESP", "DEFBIND")
}
"""The attributes that are compared, with their defaults."""

OwnersRecords: TypeAlias = tuple[str, Collection[tuple[str, str]]]
"""Records of an owner: its QMID, and the (kind, name) of each."""


def warn(draft: Draft, qmgr: QueueManager, cluster: str, learned: Iterable[OwnersRecords]) -> None:
    """Log each queue among records that were received, or published here, just now.

    A queue is logged once if an instance is new or changed and differs from another.
    """
    names = (name for records in learned for name in _differing(draft, qmgr, cluster, *records))
    for name in dict.fromkeys(names):
        draft.emit(ErrorLogged(qmgr=qmgr.name, id=_DIFFER, inserts=(name,)))


def _differing(
    draft: Draft,
    qmgr: QueueManager,
    cluster: str,
    owner: str,
    records: Collection[tuple[str, str]],
) -> Iterator[str]:
    """Yield the queues that differ from another instance; none if the records are not new.

    Records that are sent together are nearly always all new or changed, or all unchanged. So this
    is checked for the first only.
    """
    beliefs = qmgr.repository.beliefs
    key = next(iter(records), None)
    first = key and beliefs.get((cluster, *key), {}).get(owner)
    if not first or first.since != draft.at:
        return
    for kind, name in records:
        owners = beliefs.get((cluster, kind, name), {})
        if kind != "queue" or owner not in owners or len(owners) == 1:
            continue
        own = _compared(owners[owner].values)
        if any(_compared(belief.values) != own for belief in owners.values()):
            yield name


def _compared(values: Values) -> tuple[str, ...]:
    return tuple(str(values.get(keyword, default)) for keyword, default in _COMPARED.items())
