"""Commands that take objects, channels and the role of full repository out of one cluster.

A namelist is never altered, because other objects may use it: an object that is shared in several
clusters gets the one that is left, or a namelist of those that are left.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from itertools import count
from typing import TYPE_CHECKING, Final

from twin.model.commands import quote_if_needed
from twin.model.names import NAME_LENGTH
from twin.questions.doctor import fixes
from twin.review.runbooks.step import StepCommand
from twin.rules import membership

if TYPE_CHECKING:
    from twin.fold.estate import QueueManager
    from twin.model.objects import Definition
    from twin.review.runbooks.scene import Scene

_BLANK: Final = "' '"

_DIGITS: Final = 8
"""How many digits of a digest a shortened name has."""


def withdraw(
    qmgr: QueueManager, definition: Definition, clusters: tuple[str, ...]
) -> Iterator[StepCommand]:
    """Yield the commands that take an object or a channel out of clusters."""
    word, values = definition.type, f"({quote_if_needed(definition.name)})"
    if definition.kind == "CHANNEL":
        word, values = "CHANNEL", f"{values} CHLTYPE({definition.type})"
    elif definition.kind == "TOPIC":
        word = "TOPIC"
    old = str(definition.values.get("CLUSNL", ""))
    if not old:
        yield StepCommand(qmgr.name, f"ALTER {word}{values} CLUSTER({_BLANK})")
        return
    left = [name for name in membership.namelist(qmgr, old) if name not in clusters]
    yield from _namelist(qmgr, old, left)
    attributes = f"CLUSNL({_BLANK})"
    if len(left) == 1:
        attributes += f" CLUSTER({quote_if_needed(left[0])})"
    elif left:
        attributes = f"CLUSNL({quote_if_needed(_name_of_rest(qmgr, old, left))})"
    yield StepCommand(qmgr.name, f"ALTER {word}{values} {attributes}")


def force_removal(scene: Scene, full: str, cluster: str, qmid: str) -> StepCommand:
    """Return the command by which a full repository removes a queue manager from a cluster.

    If the twin made the QMID, or nothing says that its queue manager is gone, it is the command
    that shows what is known of it. Whoever says that it is lost says that it is gone.
    """
    owner, lost = scene.estate.owner(qmid), scene.subject.lost and qmid == scene.subject.qmid
    if owner.made_qmid or not (owner.deleted or lost or not owner.observed):
        return StepCommand(
            full, f"DISPLAY CLUSQMGR({quote_if_needed(owner.name)}) QMID CONNAME STATUS"
        )
    return StepCommand(full, fixes.force_removal(full, cluster, qmid).text)


def hand_over(qmgr: QueueManager, clusters: tuple[str, ...]) -> Iterator[StepCommand]:
    """Yield the commands after which a queue manager is no full repository of clusters."""
    full = membership.full_repository_of(qmgr)
    if {*full}.isdisjoint(clusters):
        return
    if qmgr.values.get("REPOS"):
        yield StepCommand(qmgr.name, f"ALTER QMGR REPOS({_BLANK})")
        return
    yield from set_repositories(qmgr, [name for name in full if name not in clusters])


def set_repositories(qmgr: QueueManager, clusters: list[str]) -> Iterator[StepCommand]:
    """Yield the commands after which a queue manager is a full repository of these clusters."""
    old = str(qmgr.values.get("REPOSNL", ""))
    named = quote_if_needed(clusters[0]) if len(clusters) == 1 else _BLANK
    listed = _BLANK
    if len(clusters) > 1:
        yield from _namelist(qmgr, old or "REPOSITORY", clusters)
        listed = quote_if_needed(_name_of_rest(qmgr, old or "REPOSITORY", clusters))
    attributes = [f"REPOS({named})"] if named != _BLANK or qmgr.values.get("REPOS") else []
    if listed != _BLANK or old:
        attributes.append(f"REPOSNL({listed})")
    attributes.sort(key=lambda attribute: _BLANK not in attribute)
    yield StepCommand(qmgr.name, f"ALTER QMGR {' '.join(attributes)}")


def _namelist(qmgr: QueueManager, old: str, clusters: list[str]) -> Iterator[StepCommand]:
    """Yield the command that makes a namelist of several clusters, if it is not there."""
    name = _name_of_rest(qmgr, old, clusters)
    if len(clusters) > 1 and membership.namelist(qmgr, name) != tuple(clusters):
        names = ", ".join(map(quote_if_needed, clusters))
        yield StepCommand(qmgr.name, f"DEFINE NAMELIST({quote_if_needed(name)}) NAMES({names})")


def _name_of_rest(qmgr: QueueManager, old: str, clusters: list[str]) -> str:
    """Return the name of a namelist of clusters: one that has just these, or a free name."""
    whole = f"{old}.{'.'.join(clusters)}"
    return next(
        name
        for name in _names(whole)
        if ("NAMELIST", name) not in qmgr.definitions
        or membership.namelist(qmgr, name) == tuple(clusters)
    )


def _names(whole: str) -> Iterator[str]:
    """Yield a name if it is short enough, and then shortened ones that end in a digest of it."""
    if len(whole) <= NAME_LENGTH:
        yield whole
    for number in count():
        digest = sha256(f"{whole} {number}".encode()).hexdigest()[:_DIGITS].upper()
        yield f"{whole[: NAME_LENGTH - _DIGITS - 1]}.{digest}"
