"""What follows in the cluster from observations of objects.

Several observations of one instant are folded before anything follows from any of them. So no
queue manager publishes, and no channel starts, because one file was read before another.

Source: design decision 32; what follows is that of a command (`definitions`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from twin import events
from twin.fold.estate import QueueManager
from twin.fold.handlers.objects import first_seen, is_rebuilt
from twin.model.attributes import Value
from twin.model.objects import Definition, ObjectKey
from twin.model.system_objects import system_objects
from twin.rules import assumptions, reachability
from twin.rules.commands import definitions, losses
from twin.rules.draft import Draft

_KINDS: Final = {"CHANNEL": ("CHANNEL", "CLNTCONN")}
"""The kinds of objects that an observation of a kind may change, where there are several."""


@dataclass(slots=True)
class Taken:
    """What one observation changed.

    Attributes:
        qmgr: the queue manager.
        first_seen: the event that says that it was unknown; None if it was known.
        was: the objects that changed as they were before the observations of this instant; None
            for unknown ones.
        keywords: the attributes of the queue manager itself that changed.
    """

    qmgr: str
    first_seen: events.QueueManagerFirstSeen | None
    was: dict[ObjectKey, Definition | None]
    keywords: set[str]


def take_in(draft: Draft, observations: Sequence[events.ObjectsObserved]) -> list[Taken]:
    """Emit observations of one instant; return what each of them changed.

    If several change one object, it counts for the first of them.
    """
    changed: dict[str, set[ObjectKey]] = {}
    result = []
    for observation in observations:
        observed = _take_in(draft, observation)
        before = changed.setdefault(observed.qmgr, set())
        observed.was = {key: was for key, was in observed.was.items() if key not in before}
        before.update(observed.was)
        result.append(observed)
    return result


def _take_in(draft: Draft, observation: events.ObjectsObserved) -> Taken:
    estate, name = draft.estate, observation.qmgr
    known = estate.qmgrs.get(name)
    if known is not None and is_rebuilt(known, observation.qmid):
        known = None
    seen = first_seen(estate, observation, draft.at) if known is None else None
    before = dict(known.definitions) if known is not None else {}
    values: Mapping[str, Value] = {} if known is None else known.values
    draft.emit(observation)
    qmgr = draft.qmgr(name)
    if known is None:
        before = dict(system_objects(qmgr.cmdlevel))
    return _changed(qmgr, observation.kind, before, values, seen)


def take_dated(draft: Draft, qmgr: QueueManager, event: events.ObjectsDated) -> None:
    """Emit how objects are since they were altered, and derive what follows from it."""
    before, values = dict(qmgr.definitions), qmgr.values
    draft.emit(event)
    follow(draft, _changed(qmgr, event.kind, before, values, None))


def _changed(
    qmgr: QueueManager,
    kind: str,
    before: Mapping[ObjectKey, Definition],
    values: Mapping[str, Value],
    seen: events.QueueManagerFirstSeen | None,
) -> Taken:
    """Return what changed of a queue manager, which had these objects and attributes before."""
    now = qmgr.definitions
    kinds = _KINDS.get(kind, (kind,))
    keys = sorted(key for key in {**before, **now} if key[0] in kinds)
    was = {key: before.get(key) for key in keys if differs(before.get(key), now.get(key))}
    keywords = {each for each, value in qmgr.values.items() if values.get(each) != value}
    return Taken(qmgr.name, seen, was, keywords)


def differs(before: Definition | None, now: Definition | None) -> bool:
    """Return whether a rule may read a change of an object; when it was created, none reads."""
    if before is None or now is None or before.values != now.values:
        return before is not now
    altered = before.altered is not None and before.altered != now.altered
    return altered or before.type != now.type or before.position != now.position


def follow(draft: Draft, observed: Taken) -> None:
    """Derive what follows from an observation, as it follows from a command.

    Messages that the twin had on a local queue that is gone are gone with it.
    """
    qmgr = draft.qmgr(observed.qmgr)
    if observed.first_seen is not None:
        draft.emit(replace(observed.first_seen, qmid=qmgr.qmid))
        reachability.wake_partners(draft, qmgr)
    if observed.keywords:
        definitions.attributes_changed(draft, qmgr, observed.keywords)
    if any(was is not None and was.type == "QLOCAL" for was in observed.was.values()):
        losses.lose_with_queues(draft, qmgr)
    for key, before in observed.was.items():
        definitions.object_changed(draft, qmgr, key, was=before)


_READ_BY_NOBODY: Final = frozenset(
    {"AUTHREC", "CHLAUTH", "POLICY", "AUTHINFO", "COMMINFO", "CLNTCONN"}
)
"""Kinds of objects that no rule reads."""

_READ_IN_CLUSTERS: Final = frozenset({"QUEUE", "TOPIC", "SUB"})
"""Kinds of objects that rules read if they are in a cluster, carry its messages, or lead there."""


def reads(kind: str, name: str, values: Mapping[str, Value]) -> bool:
    """Return whether a rule may read an object while no application puts or gets messages.

    Rules read channels, namelists, the queue manager, transmission queues, what is published in a
    cluster, and what names another object (`assumptions`). The objects of the product (SYSTEM.*)
    count as read, because others start from them.
    """
    if kind in _READ_BY_NOBODY:
        return False
    if kind not in _READ_IN_CLUSTERS or name.startswith("SYSTEM."):
        return True
    return (
        values.get("USAGE") == "XMITQ"
        or any(values.get(each) for each in ("CLUSTER", "CLUSNL", "CLCHNAME"))
        or bool(assumptions.pointed_to(values))
    )
