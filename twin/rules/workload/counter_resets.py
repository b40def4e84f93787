"""When what was counted of routes by weight begins again at zero; the order of use stays.

Source: IBM MQ 9.2, "Fields in MQWDR", and "The cluster workload management algorithm": a workload
attribute of an available destination changes, or a destination becomes available [memory,
unverified]. From INACTIVE to RUNNING nothing becomes available, and a manual CLUSSDR says nothing
of its destination. Attributes of queues are none of a destination [inferred].
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Final, TypeAlias

from twin.events import WorkloadHistoryReset
from twin.events.base import Value
from twin.fold.estate import QueueManager
from twin.model.attributes import attribute_of
from twin.rules.draft import Draft
from twin.rules.workload.filters import group_of

_ATTRIBUTES: Final = {
    keyword: attribute_of("CLUSRCVR", keyword).default
    for keyword in ("CLWLPRTY", "CLWLRANK", "CLWLWGHT", "NETPRTY")
}
"""The workload attributes of a destination, and what they are where a record does not say: a
default that is restated changes nothing."""

_Attributes: TypeAlias = dict[tuple[str, str], tuple[Value | None, ...]]
"""(owner's QMID, channel) -> the workload attributes of a destination."""


def status_changes(draft: Draft, qmgr: QueueManager, channel: str, status: str) -> None:
    """Begin to count anew where a channel that is not available is about to become so."""
    if not group_of(status) and not _is_available(qmgr, channel) and _counts(qmgr):
        _reset(draft, qmgr)


def records_change(
    draft: Draft, qmgr: QueueManager, cluster: str, owners: Iterable[str]
) -> AbstractContextManager[None]:
    """Begin to count anew where records that come in here change destinations, or bring new ones.

    `owners` are the QMIDs of those whose records they are.
    """
    return _compared(draft, qmgr, cluster, owners) if _counts(qmgr) else _UNCOUNTED


_UNCOUNTED: Final = nullcontext()
"""Where nothing was counted nothing is compared."""


@contextmanager
def _compared(
    draft: Draft, qmgr: QueueManager, cluster: str, owners: Iterable[str]
) -> Iterator[None]:
    whose = dict.fromkeys(owners)
    before = _destinations(qmgr, cluster, whose)
    yield
    for (owner, channel), attributes in _destinations(qmgr, cluster, whose).items():
        known = before.get((owner, channel))
        if known is None or (known != attributes and _is_available(qmgr, channel)):
            _reset(draft, qmgr)
            return


def _is_available(qmgr: QueueManager, channel: str) -> bool:
    state = qmgr.activity.channels.get(channel)
    return state is None or not group_of(state.status)


def _counts(qmgr: QueueManager) -> bool:
    """Say whether anything was counted by weight that could begin again."""
    return qmgr.has_messaging and any(use.factor for use in qmgr.messaging.workload.uses.values())


def _reset(draft: Draft, qmgr: QueueManager) -> None:
    draft.emit(WorkloadHistoryReset(qmgr=qmgr.name))


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
