"""Commands that take objects, channels and the role of full repository out of one cluster.

A namelist is never altered, because other objects may use it: an object that is shared in several
clusters gets the one that is left, or a namelist of those that are left.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from itertools import count
from typing import Final

from twin.fold.estate import QueueManager
from twin.model.commands import Command
from twin.model.names import NAME_LENGTH
from twin.model.objects import Definition
from twin.questions.doctor import fixes
from twin.review.runbooks.scene import Scene
from twin.rules import membership

_DIGITS: Final = 8
"""How many digits of a digest a shortened name has."""


def withdraw(
    qmgr: QueueManager, definition: Definition, clusters: tuple[str, ...]
) -> Iterator[Command]:
    """Yield the commands that take an object or a channel out of clusters."""
    old = str(definition.values.get("CLUSNL", ""))
    if not old:
        yield Command.about(qmgr.name, "ALTER", definition, CLUSTER="")
        return
    left = [name for name in membership.namelist(qmgr, old) if name not in clusters]
    yield from _namelist(qmgr, old, left)
    values = {"CLUSNL": ""}
    if len(left) == 1:
        values["CLUSTER"] = left[0]
    elif left:
        values["CLUSNL"] = _name_of_rest(qmgr, old, left)
    yield Command.about(qmgr.name, "ALTER", definition, **values)


def force_removal(scene: Scene, full: str, cluster: str, qmid: str) -> Command:
    """Return the command by which a full repository removes a queue manager from a cluster.

    If the twin made the QMID, or nothing says that its queue manager is gone, it is the command
    that shows what is known of it. Whoever says that it is lost says that it is gone.
    """
    owner, lost = scene.estate.owner(qmid), scene.subject.lost and qmid == scene.subject.qmid
    if owner.made_qmid or not (owner.deleted or lost or not owner.observed):
        shown = dict.fromkeys(("QMID", "CONNAME", "STATUS"))
        return Command.of(full, "DISPLAY", "CLUSQMGR", owner.name, **shown)
    return fixes.force_removal(full, cluster, qmid)


def hand_over(qmgr: QueueManager, clusters: tuple[str, ...]) -> Iterator[Command]:
    """Yield the commands after which a queue manager is no full repository of clusters."""
    full = membership.full_repository_of(qmgr)
    if {*full}.isdisjoint(clusters):
        return
    if qmgr.values.get("REPOS"):
        yield Command.of(qmgr.name, "ALTER", "QMGR", REPOS="")
        return
    yield from set_repositories(qmgr, [name for name in full if name not in clusters])


def set_repositories(qmgr: QueueManager, clusters: list[str]) -> Iterator[Command]:
    """Yield the commands after which a queue manager is a full repository of these clusters."""
    old = qmgr.text("REPOSNL")
    named, listed = clusters[0] if len(clusters) == 1 else "", ""
    if len(clusters) > 1:
        yield from _namelist(qmgr, old or "REPOSITORY", clusters)
        listed = _name_of_rest(qmgr, old or "REPOSITORY", clusters)
    values = {"REPOS": named} if named or qmgr.values.get("REPOS") else {}
    if listed or old:
        values["REPOSNL"] = listed
    blank_first = dict(sorted(values.items(), key=lambda item: bool(item[1])))
    yield Command.of(qmgr.name, "ALTER", "QMGR", **blank_first)


def _namelist(qmgr: QueueManager, old: str, clusters: list[str]) -> Iterator[Command]:
    """Yield the command that makes a namelist of several clusters, if it is not there."""
    name = _name_of_rest(qmgr, old, clusters)
    if len(clusters) > 1 and membership.namelist(qmgr, name) != tuple(clusters):
        yield Command.of(qmgr.name, "DEFINE", "NAMELIST", name, NAMES=tuple(clusters))


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
