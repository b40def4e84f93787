"""What a queue manager needs to take over as a full repository: the role, records and channels.

Manual CLUSSDRs connect the full repositories, and lead members to them.

Sources: see `twin.review.runbooks.moving`.
"""

from __future__ import annotations

from collections.abc import Iterator

from twin.fold.estate import QueueManager
from twin.model.amounts import counted, verb
from twin.model.commands import Command
from twin.model.objects import Definition
from twin.questions.doctor import fixes
from twin.questions.doctor.checks.disagreeing_repositories import records_lacking
from twin.questions.doctor.finding import some
from twin.questions.doctor.index import Site
from twin.review.runbooks import checks, parting
from twin.review.runbooks.scene import Checked, Scene, blocked, done, missing, unknown
from twin.rules import membership


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


def _unconnected(scene: Scene) -> list[tuple[Site, Site]]:
    """Return the pairs of full repositories of which the first has no CLUSSDR to the second.

    One of each pair is the one that takes over. The old one counts while it has the role.
    """
    to = scene.subject.to
    names = [full.name for full in repositories_with_old(scene) if full.name != to]
    pairs = [pair for name in names for pair in ((to, name), (name, to))]
    return [
        (scene.index.sites[one], scene.index.sites[other])
        for one, other in pairs
        if not _leads(scene, one, other)
    ]


def receivers_of(scene: Scene, name: str) -> list[Definition]:
    """Return the CLUSRCVRs of a member, in the cluster that the runbook is about."""
    return scene.index.cluster(scene.cluster).members.get(name, [])


def _senders(scene: Scene, name: str) -> list[Definition]:
    """Return the manual CLUSSDRs of a queue manager in this cluster."""
    return scene.index.cluster(scene.cluster).senders_of(name)


def _leads(scene: Scene, one: str, other: str) -> bool:
    """Return whether a queue manager has a manual CLUSSDR to another one."""
    there = {receiver.name for receiver in receivers_of(scene, other)}
    return any(sender.name in there for sender in _senders(scene, one))


def is_connected(scene: Scene) -> Checked:
    """Check that manual CLUSSDRs connect it with each other full repository."""
    pairs = _unconnected(scene)
    if pairs:
        names = some(f"{one.name} to {other.name}" for one, other in pairs)
        if not all(_sender_to(scene, *pair) for pair in pairs):
            return blocked(f"no address is known for a CLUSSDR from {names}")
        return missing(f"no manual CLUSSDR leads from {names}")
    return done("manual CLUSSDRs connect the full repositories")


def _sender_to(scene: Scene, one: Site, other: Site) -> tuple[Command, ...]:
    cluster = scene.cluster
    for receiver in receivers_of(scene, other.name):
        made = fixes.sender_to(one, (other, receiver), cluster)
        if made:
            return made
    return ()


def connect(scene: Scene) -> Iterator[Command]:
    """Yield the commands that define these CLUSSDRs."""
    for pair in _unconnected(scene):
        yield from _sender_to(scene, *pair)


def _misled(scene: Scene) -> list[str]:
    """Return the members whose manual CLUSSDRs lead to no full repository that stays."""
    full = checks.running_repositories(scene, scene.cluster)
    staying = {scene.subject.to, *(qmgr.name for qmgr in full)}
    return [
        qmgr.name
        for qmgr in checks.running_members(scene)
        if _senders(scene, qmgr.name)
        and (others := staying - {qmgr.name})
        and not any(_leads(scene, qmgr.name, other) for other in others)
    ]


def is_led(scene: Scene) -> Checked:
    """Check that each member has a manual CLUSSDR to a full repository that stays."""
    misled = _misled(scene)
    if misled:
        return missing(f"all CLUSSDRs of {some(misled)} lead to {scene.name}")
    members = checks.running_members(scene)
    unseen = [qmgr.name for qmgr in members if checks.unseen_kinds(qmgr, "CHANNEL")]
    if unseen:
        return unknown(f"not all channels of {some(unseen)} were observed")
    return done("each member has a CLUSSDR to a full repository that stays")


def lead(scene: Scene) -> Iterator[Command]:
    """Yield the commands that define such a CLUSSDR where there is none."""
    for name in _misled(scene):
        sites = scene.index.sites
        yield from _sender_to(scene, sites[name], sites[scene.subject.to])


def _leading_to_old(scene: Scene) -> list[tuple[QueueManager, Definition]]:
    """Return the manual CLUSSDRs of members that lead to the old full repository."""
    there = {receiver.name for receiver in receivers_of(scene, scene.name)}
    return [
        (qmgr, sender)
        for qmgr in checks.running_members(scene)
        for sender in _senders(scene, qmgr.name)
        if sender.name in there and qmgr.qmid != scene.subject.qmid
    ]


def is_left_alone(scene: Scene) -> Checked:
    """Check that no manual CLUSSDR leads to the old full repository."""
    leading = _leading_to_old(scene)
    if leading:
        names = some(qmgr.name for qmgr, _ in leading)
        return missing(f"manual CLUSSDRs lead to {scene.name} from {names}")
    return done(f"no manual CLUSSDR leads to {scene.name}")


def remove_senders(scene: Scene) -> Iterator[Command]:
    """Yield the commands that remove these CLUSSDRs.

    STATUS(INACTIVE), because the auto-defined CLUSSDR of the same name that is left inherits the
    status: one that is STOPPED must be started by hand (IBM MQ 8.0, "STOP CHANNEL").
    """
    for qmgr, sender in _leading_to_old(scene):
        if {*membership.clusters(qmgr, sender)} == {scene.cluster}:
            yield Command.about(qmgr.name, "STOP", sender, STATUS="INACTIVE")
            yield Command.about(qmgr.name, "DELETE", sender)
        else:
            yield from parting.withdraw(qmgr, sender, scene.clusters)
