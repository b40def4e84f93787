"""The names that a question can be narrowed to, and whether those in its filters are known."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from twin.fold.estate import Estate, QueueManager
from twin.model.attributes import TYPES
from twin.model.names import generic
from twin.questions.catalogue import INGEST_KINDS
from twin.rules import membership
from twin.rules.queues.transmission_queues import own_queue


def unknown(estate: Estate, filters: Mapping[str, str]) -> tuple[str, ...]:
    """Return, in words, the filters that name something unknown to all queue managers."""
    return tuple(
        f"{word} {name}"
        for filter_, name in filters.items()
        for word, knows in (_KINDS.get(filter_, _ANYTHING),)
        if not knows(estate, name)
    )


def _cluster(estate: Estate, name: str) -> bool:
    return any(
        name in membership.clusters_joined(qmgr)
        or name in membership.full_repository_of(qmgr)
        or any(record[0] == name for record in qmgr.repository.beliefs)
        for qmgr in estate.qmgrs.values()
    )


def _queue_manager(estate: Estate, name: str) -> bool:
    return name in estate.undefined or name in estate.names.values()


def _channel(estate: Estate, name: str) -> bool:
    return any(
        name in qmgr.activity.channels
        or ("CHANNEL", name) in qmgr.definitions
        or _has_record(qmgr, "qmgr", name)
        for qmgr in estate.qmgrs.values()
    )


def _queue(estate: Estate, name: str) -> bool:
    return any(
        ("QUEUE", name) in qmgr.definitions or _has_record(qmgr, "queue", name)
        for qmgr in estate.qmgrs.values()
    )


def _transmission_queue(estate: Estate, name: str) -> bool:
    channel = name.removeprefix(own_queue(""))
    return _queue(estate, name) or (channel != name and _channel(estate, channel))


def _record(estate: Estate, name: str) -> bool:
    return any(
        _queue_manager(estate, name)
        or any(generic(name, known) for _, known in qmgr.definitions)
        or any(generic(name, known) for _, _, known in qmgr.repository.beliefs)
        for qmgr in estate.qmgrs.values()
    )


def _has_record(qmgr: QueueManager, kind: str, name: str) -> bool:
    return any(record[1:] == (kind, name) for record in qmgr.repository.beliefs)


def _kind(_estate: Estate, name: str) -> bool:
    kinds = {"belief", "rules", *(type_.kind.lower() for type_ in TYPES.values()), *INGEST_KINDS}
    return name.partition(":")[0].lower() in kinds


_Knows = Callable[[Estate, str], bool]

_ANYTHING: Final[tuple[str, _Knows]] = ("", lambda *_: True)

_KINDS: Final[Mapping[str, tuple[str, _Knows]]] = MappingProxyType(
    {
        "on": ("queue manager", _queue_manager),
        "owner": ("queue manager", _queue_manager),
        "cluster": ("cluster", _cluster),
        "channel": ("channel", _channel),
        "queue": ("queue", _queue),
        "xmitq": ("transmission queue", _transmission_queue),
        "name": ("object", _record),
        "kind": ("kind", _kind),
    }
)
"""The filters that name something: the word for it, and the function that knows it."""


class EstateNames(NamedTuple):
    """The names in an estate, sorted."""

    clusters: tuple[str, ...]
    qmgrs: tuple[str, ...]


def names_of(estate: Estate) -> EstateNames:
    """Return the clusters of all queue managers that are in the twin, and their names."""
    clusters = {
        cluster for qmgr in estate.qmgrs.values() for cluster in membership.clusters_joined(qmgr)
    }
    return EstateNames(tuple(sorted(clusters)), tuple(sorted(estate.qmgrs)))
