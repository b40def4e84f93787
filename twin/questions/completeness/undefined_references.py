"""References of observed queue managers to objects that are not defined.

A reference may lead into a cluster. Then it is undefined if no queue manager in the twin shares or
holds a record of that name; the target of an alias has to be in a cluster of its queue manager.

Sources: IBM MQ, "DEFINE QALIAS" (TARGET), "DEFINE QREMOTE" (RQMNAME, XMITQ), "DEFINE QLOCAL"
(PROCESS, INITQ), "DEFINE CHANNEL" (XMITQ), "ALTER QMGR" (DEADQ, DEFXMITQ, REPOSNL).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cached_property
from typing import Final

from twin.fold.estate import Estate, QueueManager
from twin.model.objects import Definition, text_of
from twin.questions.completeness.gap import UNDEFINED, Gap
from twin.rules.membership import clusters, clusters_joined

_SYSTEM: Final = "SYSTEM."


class _Shared:
    """The names that clusters know, each kind read when it is first asked for."""

    def __init__(self, estate: Estate) -> None:
        self._estate = estate

    @cached_property
    def qmgrs(self) -> frozenset[str]:
        """The names of all queue managers, also of deleted ones."""
        return frozenset(self._estate.qmgrs).union(self._estate.names.values())

    @cached_property
    def topics(self) -> frozenset[str]:
        """The names of topics that are shared, or of which somebody holds a record."""
        return frozenset(name for kind, name, _ in self._names() if kind == "TOPIC")

    @cached_property
    def queues(self) -> Mapping[str, Collection[str]]:
        """The queues that are shared, or of which somebody holds a record: name -> clusters.

        A cluster is '' if it is not known.
        """
        found: dict[str, set[str]] = defaultdict(set)
        for kind, name, shared_in in self._names():
            if kind == "QUEUE":
                found[name].update(shared_in)
        return found

    def _names(self) -> Iterator[tuple[str, str, Collection[str]]]:
        """Yield (kind of object, name, clusters) of each queue and topic that is known."""
        for qmgr in self._estate.qmgrs.values():
            for (kind, name), definition in qmgr.definitions.items():
                values = definition.values
                if kind in {"QUEUE", "TOPIC"} and (values.get("CLUSTER") or values.get("CLUSNL")):
                    yield kind, name, clusters(qmgr, definition) or ("",)
            for cluster, kind, name in qmgr.repository.beliefs:
                yield kind.upper(), name, (cluster,)


_Knows = Callable[[_Shared, QueueManager, Definition, str], bool]


def undefined_references(
    estate: Estate, qmgrs: Collection[QueueManager] | None = None
) -> Iterator[Gap]:
    """Yield a gap for each name in a definition that leads nowhere.

    `qmgrs` are the queue managers to look at, by default the observed ones.
    """
    if qmgrs is None:
        qmgrs = [qmgr for _, qmgr in sorted(estate.qmgrs.items()) if qmgr.observed]
    shared = _Shared(estate)
    for qmgr in qmgrs:
        yield from _of_qmgr(qmgr)
        referring = [
            each
            for each in qmgr.definitions.items()
            if each[1].values and each[1].type in _REFERENCES and not each[0][1].startswith(_SYSTEM)
        ]
        for (_, name), definition in sorted(referring):
            for keyword, kind, knows in _REFERENCES.get(definition.type, ()):
                named = str(definition.values.get(keyword) or "")
                if named and not knows(shared, qmgr, definition, named):
                    yield Gap(
                        UNDEFINED,
                        named,
                        qmgr.name,
                        f"{definition.type} {name}",
                        f"{keyword}: no {kind} of this name",
                        definition.position,
                        keyword,
                        definition,
                    )


def _of_qmgr(qmgr: QueueManager) -> Iterator[Gap]:
    for keyword, kind in _OF_QMGR:
        named = str(qmgr.values.get(keyword) or "")
        key = "NAMELIST" if kind == "namelist" else "QUEUE"
        if named and not named.startswith(_SYSTEM) and (key, named) not in qmgr.definitions:
            why = f"{keyword}: no {kind} of this name"
            yield Gap(UNDEFINED, named, qmgr.name, "QMGR", why, qmgr.position, keyword)


def _is(kind: str) -> _Knows:
    """Return a check that the queue manager has an object of a kind."""
    return lambda _shared, qmgr, _definition, name: (kind, name) in qmgr.definitions


def _transmits(_: _Shared, qmgr: QueueManager, __: Definition, name: str) -> bool:
    queue = qmgr.definitions.get(("QUEUE", name))
    return queue is not None and (
        name.startswith(_SYSTEM) or queue.is_transmission_queue or queue.type == "QMODEL"
    )


def _target(shared: _Shared, qmgr: QueueManager, alias: Definition, name: str) -> bool:
    if text_of(alias, "TARGTYPE") == "TOPIC":
        return ("TOPIC", name) in qmgr.definitions or name in shared.topics
    return ("QUEUE", name) in qmgr.definitions or _is_reachable(shared, qmgr, name)


def _is_reachable(shared: _Shared, qmgr: QueueManager, name: str) -> bool:
    """Return whether a queue is shared in a cluster of a queue manager, or it holds a record.

    Of a queue manager without a CLUSRCVR, any cluster counts: its channels may not be imported.
    """
    joined = clusters_joined(qmgr)
    known = shared.queues.get(name, ())
    return bool(
        (known and not joined)
        or "" in known
        or not {*joined}.isdisjoint(known)
        or any((cluster, "queue", name) in qmgr.repository.beliefs for cluster in known)
    )


def _remote(shared: _Shared, qmgr: QueueManager, remote: Definition, name: str) -> bool:
    """Return whether messages for a queue manager have a way: see "DEFINE QREMOTE", RQMNAME.

    Without XMITQ a queue here that has the name must be a transmission queue, or an alias of a
    queue manager (IBM MQ, "API reason codes", 2091 and 2092).
    """
    queue = qmgr.definitions.get(("QUEUE", name))
    if queue is not None and queue.type != "QREMOTE" and not remote.values.get("XMITQ"):
        return queue.is_transmission_queue
    return bool(
        name in shared.qmgrs
        or name in shared.queues
        or queue is not None
        or remote.values.get("XMITQ")
        or qmgr.values.get("DEFXMITQ")
    )


_LISTED: Final = ("CLUSNL", "namelist", _is("NAMELIST"))
_SENDS_FROM: Final = ("XMITQ", "transmission queue", _transmits)
_STARTS: Final = (
    ("PROCESS", "process", _is("PROCESS")),
    ("INITQ", "initiation queue", _is("QUEUE")),
)

_REFERENCES: Final[dict[str, tuple[tuple[str, str, _Knows], ...]]] = {
    "QALIAS": (("TARGET", "queue or topic", _target), _LISTED),
    "QREMOTE": (("RQMNAME", "queue manager", _remote), _SENDS_FROM, _LISTED),
    "QLOCAL": (*_STARTS, _LISTED),
    "SDR": (_SENDS_FROM,),
    "SVR": (_SENDS_FROM,),
    "CLUSRCVR": (_LISTED,),
    "CLUSSDR": (_LISTED,),
}
"""Type of an object -> its attributes that name others, the kind of these, and a check of each."""

_OF_QMGR: Final = (
    ("DEADQ", "queue"),
    ("DEFXMITQ", "queue"),
    ("REPOSNL", "namelist"),
)
