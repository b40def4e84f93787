"""What a queue manager needs to take over as a full repository: the role, and all records.

Sources: see `twin.review.runbooks.moving`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from twin.model.amounts import counted, verb
from twin.model.commands import Command
from twin.questions.doctor.checks.disagreeing_repositories import records_lacking
from twin.questions.doctor.finding import some
from twin.review.runbooks import checks, parting
from twin.review.runbooks.step import Checked, blocked, done, missing
from twin.rules import membership

if TYPE_CHECKING:
    from twin.fold.estate import QueueManager
    from twin.review.runbooks.scene import Scene


def taker_of(scene: Scene) -> QueueManager | None:
    """Return the queue manager that takes over; None if it does not exist."""
    return scene.estate.qmgrs.get(scene.subject.to)


def repositories_with_old(scene: Scene) -> list[QueueManager]:
    """Return the running full repositories of the cluster, with the old one while it is one."""
    full, old = checks.running_repositories(scene, scene.cluster), scene.qmgr
    if old is not None and old.running and membership.is_full(old, scene.cluster):
        full.append(old)
    return full


def is_ready(scene: Scene) -> Checked:
    """Check that the queue manager that takes over is a running member."""
    taker, cluster, to = taker_of(scene), scene.cluster, scene.subject.to
    if taker is None:
        return blocked(f"{to} does not exist")
    if cluster not in membership.clusters_joined(taker):
        return blocked(
            f"{to} is no member of {cluster}: define its CLUSRCVR, and a CLUSSDR to a full "
            "repository"
        )
    if not taker.running:
        return blocked(f"{to} has ended")
    full = checks.running_repositories(scene, cluster)
    if not [each for each in full if each.qmid != taker.qmid]:
        return done(
            f"{to} is a running member of {cluster}; it will be the only full repository, and two "
            "are recommended",
            taker.position,
        )
    members = checks.running_members(scene)
    newer = [each.name for each in members if each.cmdlevel > taker.cmdlevel]
    if newer:
        return done(
            f"{to} has command level {taker.cmdlevel}; {some(newer)} "
            f"{verb(len(newer), 'have')} a higher one, and {to} cannot store the newest attributes"
        )
    return done(f"{to} is a running member of {cluster}", taker.position)


def is_promoted(scene: Scene) -> Checked:
    """Check that the queue manager that takes over is defined as a full repository."""
    taker, cluster = taker_of(scene), scene.cluster
    if taker is None or not membership.is_full(taker, cluster):
        return missing(f"{scene.subject.to} is no full repository of {cluster}")
    return done(f"{taker.name} is a full repository of {cluster}", taker.position)


def promote(scene: Scene) -> Iterator[Command]:
    """Yield the command that makes it a full repository."""
    taker = taker_of(scene)
    if taker is not None:
        full = membership.full_repository_of(taker)
        yield from parting.set_repositories(taker, [*full, scene.cluster])


def is_complete(scene: Scene) -> Checked:
    """Check that the one that takes over holds what the other full repositories hold."""
    taker, cluster = taker_of(scene), scene.cluster
    if taker is None:
        return missing(f"{scene.subject.to} does not exist")
    for other in repositories_with_old(scene):
        lacking = list(
            records_lacking(scene.estate, other, taker, cluster, at=scene.at, surely=False)
        )
        if lacking and other.qmid != taker.qmid:
            return missing(
                f"{taker.name} lacks {counted(len(lacking), 'record')} that {other.name} "
                f"holds: {some(each.name for each in lacking)}",
                *(each.position for each in lacking[:20]),
            )
    return done(f"{taker.name} holds all records of {cluster}")
