"""What a queue manager needs to take over as a full repository: checks, and their commands.

Sources: see `twin.review.runbooks.moving`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from twin.model.amounts import counted
from twin.model.instants import DAY
from twin.model.periods import RESEND_AFTER
from twin.questions.doctor import fixes
from twin.questions.doctor.checks.disagreeing_repositories import records_lacking
from twin.questions.doctor.finding import some
from twin.review.runbooks import checks, departing, parting
from twin.review.runbooks.step import Checked, StepCommand, blocked, done, missing, unknown
from twin.rules import membership
from twin.rules.channels import channel_status

if TYPE_CHECKING:
    from twin.fold.estate import QueueManager
    from twin.model.objects import Definition
    from twin.questions.doctor.index import Site
    from twin.review.runbooks.scene import Scene

_USED: Final = 2
"""The number of full repositories that a member publishes to."""


def _cluster(scene: Scene) -> str:
    return scene.clusters[0]


def _taker(scene: Scene) -> QueueManager | None:
    return scene.estate.qmgrs.get(scene.subject.to)


def _repositories(scene: Scene) -> list[QueueManager]:
    """Return the running full repositories of the cluster besides the old one, by name."""
    return checks.running_repositories(scene, _cluster(scene))


def _members(scene: Scene) -> list[QueueManager]:
    """Return the running members of the cluster, by name, without those that are lost."""
    present = [*scene.others(), *([scene.qmgr] if scene.qmgr is not None else [])]
    return sorted(
        (
            qmgr
            for qmgr in present
            if qmgr.running and _cluster(scene) in membership.clusters_joined(qmgr)
        ),
        key=lambda qmgr: qmgr.name,
    )


def is_ready(scene: Scene) -> Checked:
    """Check that the queue manager that takes over is a running member."""
    taker, cluster, to = _taker(scene), _cluster(scene), scene.subject.to
    if taker is None:
        return blocked(f"{to} does not exist")
    if cluster not in membership.clusters_joined(taker):
        return blocked(
            f"{to} is no member of {cluster}: define its CLUSRCVR, and a CLUSSDR to a full "
            "repository"
        )
    if not taker.running:
        return blocked(f"{to} has ended")
    if not [each for each in _repositories(scene) if each.qmid != taker.qmid]:
        return done(
            f"{to} is a running member of {cluster}; it will be the only full repository, and two "
            "are recommended",
            taker.position,
        )
    newer = [each.name for each in _members(scene) if each.cmdlevel > taker.cmdlevel]
    if newer:
        return done(
            f"{to} has command level {taker.cmdlevel}; {some(newer)} has a higher one, and {to} "
            "cannot store the newest attributes"
        )
    return done(f"{to} is a running member of {cluster}", taker.position)


def is_promoted(scene: Scene) -> Checked:
    """Check that the queue manager that takes over is defined as a full repository."""
    taker, cluster = _taker(scene), _cluster(scene)
    if taker is None or not membership.is_full(taker, cluster):
        return missing(f"{scene.subject.to} is no full repository of {cluster}")
    return done(f"{taker.name} is a full repository of {cluster}", taker.position)


def promote(scene: Scene) -> Iterator[StepCommand]:
    """Yield the command that makes it a full repository."""
    taker = _taker(scene)
    if taker is not None:
        full = membership.full_repository_of(taker)
        yield from parting.set_repositories(taker, [*full, _cluster(scene)])


def _unconnected(scene: Scene) -> list[tuple[Site, Site]]:
    """Return the pairs of full repositories of which the first has no CLUSSDR to the second.

    One of each pair is the one that takes over. The old one counts while it has the role.
    """
    peers = _repositories(scene)
    old, cluster = scene.qmgr, _cluster(scene)
    if old is not None and old.running and membership.is_full(old, cluster):
        peers = [*peers, old]
    names = [qmgr.name for qmgr in peers if qmgr.name != scene.subject.to]
    pairs = [
        pair for name in names for pair in ((scene.subject.to, name), (name, scene.subject.to))
    ]
    return [
        (scene.index.sites[one], scene.index.sites[other])
        for one, other in pairs
        if not _leads(scene, one, other)
    ]


def _receivers(scene: Scene, name: str) -> list[Definition]:
    return scene.index.cluster(_cluster(scene)).members.get(name, [])


def _senders(scene: Scene, name: str) -> list[Definition]:
    return scene.index.cluster(_cluster(scene)).senders_of(name)


def _leads(scene: Scene, one: str, other: str) -> bool:
    """Return whether a queue manager has a manual CLUSSDR to another one."""
    there = {receiver.name for receiver in _receivers(scene, other)}
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


def _sender_to(scene: Scene, one: Site, other: Site) -> tuple[StepCommand, ...]:
    cluster = _cluster(scene)
    for receiver in _receivers(scene, other.name):
        made = fixes.sender_to(one, (other, receiver), cluster)
        if made:
            return tuple(StepCommand(on, mqsc) for on, mqsc in made)
    return ()


def connect(scene: Scene) -> Iterator[StepCommand]:
    """Yield the commands that define these CLUSSDRs."""
    for pair in _unconnected(scene):
        yield from _sender_to(scene, *pair)


def is_complete(scene: Scene) -> Checked:
    """Check that the one that takes over holds what the other full repositories hold."""
    taker, cluster = _taker(scene), _cluster(scene)
    old = scene.qmgr
    others = [*_repositories(scene)]
    if old is not None and old.running and membership.is_full(old, cluster):
        others.append(old)
    if taker is not None:
        for other in others:
            lacking = list(records_lacking(other, taker, cluster, by=scene.at))
            if lacking and other.qmid != taker.qmid:
                return missing(
                    f"{taker.name} lacks {counted(len(lacking), 'record')} that {other.name} "
                    f"holds: {some(each.name for each in lacking)}",
                    *(each.position for each in lacking[:20]),
                )
    return done(f"{scene.subject.to} holds all records of {cluster}")


def _misled(scene: Scene) -> list[str]:
    """Return the members whose manual CLUSSDRs lead to no full repository that stays."""
    staying = {qmgr.name for qmgr in _repositories(scene)} | {scene.subject.to}
    return [
        qmgr.name
        for qmgr in _members(scene)
        if _senders(scene, qmgr.name)
        and (others := staying - {qmgr.name})
        and not any(_leads(scene, qmgr.name, other) for other in others)
    ]


def is_led(scene: Scene) -> Checked:
    """Check that each member has a manual CLUSSDR to a full repository that stays."""
    misled = _misled(scene)
    if misled:
        return missing(f"all CLUSSDRs of {some(misled)} lead to {scene.name}")
    unseen = [qmgr.name for qmgr in _members(scene) if checks.unseen_kinds(qmgr, "CHANNEL")]
    if unseen:
        return unknown(f"not all channels of {some(unseen)} were observed")
    return done("each member has a CLUSSDR to a full repository that stays")


def lead(scene: Scene) -> Iterator[StepCommand]:
    """Yield the commands that define such a CLUSSDR where there is none."""
    for name in _misled(scene):
        sites = scene.index.sites
        yield from _sender_to(scene, sites[name], sites[scene.subject.to])


def _leading_to_old(scene: Scene) -> list[tuple[QueueManager, Definition]]:
    """Return the manual CLUSSDRs of members that lead to the old full repository."""
    there = {receiver.name for receiver in _receivers(scene, scene.name)}
    return [
        (qmgr, sender)
        for qmgr in _members(scene)
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


def remove_senders(scene: Scene) -> Iterator[StepCommand]:
    """Yield the commands that remove these CLUSSDRs.

    STATUS(INACTIVE), because the auto-defined CLUSSDR of the same name that is left inherits the
    status: one that is STOPPED must be started by hand (IBM MQ 8.0, "STOP CHANNEL").
    """
    for qmgr, sender in _leading_to_old(scene):
        if {*membership.clusters(qmgr, sender)} == {_cluster(scene)}:
            channel = f"CHANNEL({fixes.value(sender.name)})"
            yield StepCommand(qmgr.name, f"STOP {channel} STATUS(INACTIVE)")
            yield StepCommand(qmgr.name, f"DELETE {channel}")
        else:
            yield from parting.withdraw(qmgr, sender, scene.clusters)


def _stopped_to_old(scene: Scene) -> list[tuple[QueueManager, str]]:
    """Return the channels of members to the old full repository that are STOPPED.

    It stays a member, so messages and repository commands wait for them. For one that is lost, or
    has left, they do not matter.
    """
    if scene.qmgr is None:
        return []
    return [
        (qmgr, receiver.name)
        for qmgr in _members(scene)
        for receiver in _receivers(scene, scene.name)
        if qmgr.qmid != scene.subject.qmid
        and channel_status.status_of(qmgr, receiver.name, scene.at) == "STOPPED"
    ]


def start_channels(scene: Scene) -> Iterator[StepCommand]:
    """Yield the commands that start these channels."""
    for qmgr, channel in _stopped_to_old(scene):
        yield StepCommand(qmgr.name, f"START CHANNEL({fixes.value(channel)})")


def is_removed_if_lost(scene: Scene) -> Checked:
    """Check that full repositories no longer hold one that cannot give up its role itself.

    Otherwise they hold it as a full repository for up to 90 days, and members send records there.
    """
    if scene.qmgr is not None:
        return done(f"{scene.name} gives up its role itself")
    if not is_promoted(scene).done:
        return is_promoted(scene)
    return departing.is_gone_from_repositories(scene)


def is_known(scene: Scene) -> Checked:
    """Check that all members know which full repositories there are now."""
    taker, cluster = _taker(scene), _cluster(scene)
    late = []
    for qmgr in _members(scene) if taker is not None else ():
        roles = {
            belief.owner: belief.values.get("QMTYPE", "NORMAL")
            for _, belief in qmgr.repository.of_kind("qmgr", cluster=cluster)
        }
        is_new = taker is not None and roles.get(taker.qmid) == "REPOS"
        if not is_new or roles.get(scene.subject.qmid) == "REPOS":
            late.append(qmgr.name)
    if late:
        verb = "does" if len(late) == 1 else "do"
        return missing(f"{some(late)} {verb} not know yet that {scene.subject.to} took over")
    return done(f"all running members hold {scene.subject.to} as a full repository")


def is_published(scene: Scene) -> Checked:
    """Check that each member has sent its newest records to the full repositories it uses.

    Before that, check that it can send to the old one: nothing but START CHANNEL starts a channel
    that is STOPPED (IBM MQ 8.0, "STOP CHANNEL").
    """
    cluster, full = _cluster(scene), _repositories(scene)
    if not is_promoted(scene).done:
        return is_promoted(scene)
    if stopped := _stopped_to_old(scene):
        names = some(f"{channel} at {qmgr.name}" for qmgr, channel in stopped)
        return missing(f"channels to {scene.name} are STOPPED: {names}")
    if len(full) > _USED:
        names = some(qmgr.name for qmgr in full)
        return done(f"each member uses two of {names}")
    late = [
        f"{qmgr.name} to {other.name}"
        for qmgr in _members(scene)
        for other in full
        if other.qmid != qmgr.qmid
        and qmgr.repository.last_sent.get((cluster, other.qmid), 0) < _newest(qmgr, cluster)
    ]
    if late:
        return missing(f"not sent yet: {some(late)}{_meanwhile(scene)}")
    return done("each member has sent its records to both full repositories")


def _meanwhile(scene: Scene) -> str:
    """Say that no record is at risk until it is sent, if the one that took over holds them all.

    Owners publish again by themselves after 27 days, and records last for 30 (IBM MQ 9.4, "How long
    do the queue manager repositories retain information?").
    """
    if not is_complete(scene).done:
        return ""
    days = RESEND_AFTER // DAY
    return (
        f". Nothing is at risk meanwhile: {scene.subject.to} holds these records already. Each "
        f"member sends them by itself when it publishes again, after {days} days at most"
    )


def _newest(qmgr: QueueManager, cluster: str) -> int:
    repository = qmgr.repository
    return max(
        (
            repository.beliefs[name][qmgr.qmid].sequence
            for name in repository.own_records
            if name[0] == cluster
        ),
        default=0,
    )
