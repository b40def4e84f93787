"""Reset the weight factors (DestSeqFactor) of all routes to zero; the order of use stays.

Source: IBM MQ 9.2, "Fields in MQWDR", and "The cluster workload management algorithm": factors are
reset when a workload attribute of an available destination changes, or when a destination becomes
available [memory, unverified]. A channel that goes from INACTIVE to RUNNING was available before. A
manual CLUSSDR has no attributes of its destination, and attributes of queues are not attributes of
a destination [inferred].
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Final, TypeAlias

from twin.events import WorkloadHistoryReset
from twin.fold.estate import QueueManager
from twin.model.attributes import Value, attribute_of
from twin.rules.draft import Draft
from twin.rules.workload.filters import group_of

_ATTRIBUTES: Final = {
    keyword: attribute_of("CLUSRCVR", keyword).default
    for keyword in ("CLWLPRTY", "CLWLRANK", "CLWLWGHT", "NETPRTY")
}
"""Workload attribute of a destination -> its default, which counts if a record does not have it."""

_Attributes: TypeAlias = dict[tuple[str, str], tuple[Value | None, ...]]
"""(owner's QMID, channel) -> the workload attributes of a destination."""


def status_changes(draft: Draft, qmgr: QueueManager, channel: str, status: str) -> None:
    """Reset the factors if a channel that is not available is about to become available."""
    if not group_of(status) and not _is_available(qmgr, channel) and _counts(qmgr):
        draft.emit(WorkloadHistoryReset(qmgr=qmgr.name))


def records_change(
    draft: Draft, qmgr: QueueManager, cluster: str, owners: Iterable[str]
) -> AbstractContextManager[None]:
    """Reset the factors if records that arrive inside the context change or add destinations.

    `owners` are the QMIDs of the owners of these records.
    """
    return _compared(draft, qmgr, cluster, owners) if _counts(qmgr) else _UNCOUNTED


_UNCOUNTED: Final = nullcontext()
"""The context if all factors are zero: nothing is compared."""


@contextmanager
def _compared(
    draft: Draft, qmgr: QueueManager, cluster: str, owners: Iterable[str]
) -> Iterator[None]:
    whose = dict.fromkeys(owners)
    before = _destinations(qmgr, cluster, whose)
    yield
    for (owner, channel), attributes in _destinations(qmgr, cluster, whose).items():
        previous = before.get((owner, channel))
        if previous is None or (previous != attributes and _is_available(qmgr, channel)):
            draft.emit(WorkloadHistoryReset(qmgr=qmgr.name))
            return


def _is_available(qmgr: QueueManager, channel: str) -> bool:
    state = qmgr.activity.channels.get(channel)
    return state is None or not group_of(state.status)


def _counts(qmgr: QueueManager) -> bool:
    """Return whether any factor is above zero."""
    return qmgr.has_messaging and any(use.factor for use in qmgr.messaging.workload.uses.values())


def _destinations(qmgr: QueueManager, cluster: str, owners: Iterable[str]) -> _Attributes:
    repository = qmgr.repository
    return {
        (owner, channel): tuple(
            repository.beliefs[cluster, "qmgr", channel][owner].values.get(keyword, default)
            for keyword, default in _ATTRIBUTES.items()
        )
        for owner in owners
        for channel in repository.routes.get((cluster, owner), ())
    }
