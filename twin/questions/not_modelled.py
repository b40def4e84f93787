"""Notes about definitions of which the twin does not model what they do to others.

Sources: IBM MQ 9.4, "Direct routing in publish/subscribe clusters" (with the first topic that is
routed directly, full repositories tell each member of all others); "Shared queues and queue-sharing
groups" (the queue managers of a group have one queue together).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from twin.fold.estate import Estate, QueueManager
from twin.model.amounts import verb
from twin.model.objects import Definition, text_of
from twin.model.platforms import ZOS
from twin.rules import membership

_SHOWN: Final = 5


def directly_routed(qmgr: QueueManager, definition: Definition) -> tuple[str, ...]:
    """Return the clusters in which a definition is a topic with CLROUTE(DIRECT); () if in none.

    Before MQ 8.0 there was no CLROUTE, and all topics were routed directly.
    """
    if definition.kind != "TOPIC" or text_of(definition, "CLROUTE") not in ("", "DIRECT"):
        return ()
    joined = membership.clusters_joined(qmgr)
    return tuple(name for name in membership.clusters(qmgr, definition) if name in joined)


def notes_of_direct_topics(
    found: Iterable[tuple[QueueManager, Definition]], *, only: str | None = None
) -> tuple[str, ...]:
    """Return a line for each cluster with a topic that is routed directly, of these definitions."""
    topics: dict[str, list[str]] = {}
    for qmgr, definition in found:
        for cluster in directly_routed(qmgr, definition):
            if only in (None, cluster):
                topics.setdefault(cluster, []).append(f"{definition.name} at {qmgr.name}")
    return tuple(
        f"not modelled: {_some(names)} {verb(len(names), 'have')} CLROUTE(DIRECT), so full "
        f"repositories tell every member of {cluster} of every other one; the channels and records "
        "here are too few"
        for cluster, names in sorted(topics.items())
    )


def topics_of(estate: Estate) -> Iterator[tuple[QueueManager, Definition]]:
    """Go through the topics of all queue managers, by name."""
    for _, qmgr in sorted(estate.qmgrs.items()):
        for key in sorted(each for each in qmgr.definitions if each[0] == "TOPIC"):
            yield qmgr, qmgr.definitions[key]


def notes_of_shared_queues(estate: Estate) -> tuple[str, ...]:
    """Return a line about the shared queues of queue-sharing groups; () without one."""
    places = [
        f"{definition.name} at {qmgr.name}"
        for _, qmgr in sorted(estate.qmgrs.items())
        if qmgr.platform == ZOS
        for _, definition in sorted(qmgr.definitions.items())
        if _is_shared(definition)
    ]
    return (_line(places),) if places else ()


def note_of_shared_queue(estate: Estate, queue: str, owners: Iterable[str]) -> tuple[str, ...]:
    """Return the same line about one queue, at those of some queue managers that share it."""
    places = []
    for name in sorted({*owners}):
        qmgr = estate.qmgrs.get(name)
        if qmgr is not None and qmgr.platform == ZOS:
            definition = qmgr.definitions.get(("QUEUE", queue))
            if definition is not None and _is_shared(definition):
                places.append(f"{queue} at {name}")
    return (_line(places),) if places else ()


def _is_shared(definition: Definition) -> bool:
    return definition.kind == "QUEUE" and definition.values.get("QSGDISP") == "SHARED"


def _line(places: list[str]) -> str:
    return (
        f"not modelled: {_some(places)} {verb(len(places), 'are')} QSGDISP(SHARED); the queue of a "
        "queue-sharing group counts as a queue of its own at each queue manager"
    )


def _some(names: list[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"{', '.join(names[:_SHOWN])}{more}"
