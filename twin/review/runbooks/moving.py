"""The runbook `move-full-repository`: another queue manager takes over the role of one.

Sources: IBM MQ, "Selecting queue managers to hold full repositories" (two of them, connected by
manual CLUSSDRs; each member publishes to two); 9.1, "Queue manager definition commands" (REPOS,
REPOSNL); 9.2, "RESET CLUSTER" (one that is lost); 9.4, "Restoring a queue manager to its
pre-cluster state" (giving up the role); 8.0, "STOP CHANNEL" (what is STOPPED must be started).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from twin.fold.estate import QueueManager
from twin.model.amounts import verb
from twin.model.commands import Command
from twin.model.instants import DAY, RESEND_AFTER
from twin.questions.doctor.finding import some
from twin.review.runbooks import (
    automatic_configurations,
    checks,
    departing,
    leaving,
    new_full_repository,
)
from twin.review.runbooks.scene import FORGOTTEN_WITHIN, Checked, RunbookStep, Scene, done, missing
from twin.rules.channels import channel_status

_USED: Final = 2
"""The number of full repositories that a member publishes to."""


def is_removed_if_lost(scene: Scene) -> Checked:
    """Check that full repositories no longer hold one that cannot give up its role itself.

    Otherwise they hold it as a full repository for up to 90 days, and members send records there.
    """
    if scene.qmgr is not None:
        return done(f"{scene.name} gives up its role itself")
    promoted = new_full_repository.is_promoted(scene)
    if not promoted.done:
        return promoted
    return departing.is_gone_from_repositories(scene)


def is_known(scene: Scene) -> Checked:
    """Check that all members know which full repositories there are now."""
    taker = new_full_repository.taker_of(scene)
    if taker is None:
        return missing(f"{scene.subject.to} does not exist")
    late = []
    for qmgr in checks.running_members(scene):
        roles = {
            belief.owner: belief.values.get("QMTYPE", "NORMAL")
            for _, belief in qmgr.repository.of_kind("qmgr", cluster=scene.cluster)
        }
        if roles.get(taker.qmid) != "REPOS" or roles.get(scene.subject.qmid) == "REPOS":
            late.append(qmgr.name)
    if late:
        do = verb(len(late), "do")
        return missing(f"{some(late)} {do} not know yet that {scene.subject.to} took over")
    return done(f"all running members hold {scene.subject.to} as a full repository")


def _stopped_to_old(scene: Scene) -> list[tuple[QueueManager, str]]:
    """Return the channels of members to the old full repository that are STOPPED.

    It stays a member, so messages and repository commands wait for them. For one that is lost, or
    has left, they do not matter.
    """
    if scene.qmgr is None:
        return []
    return [
        (qmgr, receiver.name)
        for qmgr in checks.running_members(scene)
        for receiver in new_full_repository.receivers_of(scene, scene.name)
        if qmgr.qmid != scene.subject.qmid
        and channel_status.status_of(qmgr, receiver.name, scene.at) == "STOPPED"
    ]


def start_channels(scene: Scene) -> Iterator[Command]:
    """Yield the commands that start the STOPPED channels to the old full repository."""
    for qmgr, channel in _stopped_to_old(scene):
        yield Command.of(qmgr.name, "START", "CHANNEL", channel)


def is_published(scene: Scene) -> Checked:
    """Check that each member has sent its newest records to the full repositories it uses.

    Before that, check that it can send to the old one: nothing but START CHANNEL starts a channel
    that is STOPPED (IBM MQ 8.0, "STOP CHANNEL").
    """
    cluster, full = scene.cluster, checks.running_repositories(scene, scene.cluster)
    promoted = new_full_repository.is_promoted(scene)
    if not promoted.done:
        return promoted
    if stopped := _stopped_to_old(scene):
        names = some(f"{channel} at {qmgr.name}" for qmgr, channel in stopped)
        return missing(f"channels to {scene.name} are STOPPED: {names}")
    if len(full) > _USED:
        names = some(qmgr.name for qmgr in full)
        return done(f"each member uses two of {names}")
    late = [
        f"{qmgr.name} to {other.name}"
        for qmgr in checks.running_members(scene)
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
    if not new_full_repository.is_complete(scene).done:
        return ""
    days = RESEND_AFTER // DAY
    return (
        f". Nothing is at risk meanwhile: {scene.subject.to} holds these records already. Each "
        f"member sends them by itself when it publishes again, after {days} days at most"
    )


def _newest(qmgr: QueueManager, cluster: str) -> int:
    """Return the number of the newest publication of a member; 0 if it published nothing."""
    repository = qmgr.repository
    return max(
        (
            repository.beliefs[name][qmgr.qmid].sequence
            for name in repository.own_records
            if name[0] == cluster
        ),
        default=0,
    )


_SELECTING: Final = "IBM MQ, Selecting queue managers to hold full repositories"
_RETAIN: Final = "IBM MQ 9.4, How long do the queue manager repositories retain information?"

STEPS: Final = (
    RunbookStep(
        id="ready",
        text="Make sure that {to} is a running member of {clusters}.",
        done_when="{to} runs and has a CLUSRCVR in {clusters}.",
        check=new_full_repository.is_ready,
        source=f"{_SELECTING}; Migrating queue managers in a cluster",
    ),
    automatic_configurations.MOVE_FOR_GOOD,
    RunbookStep(
        id="promote",
        text="Make {to} a full repository of {clusters}.",
        done_when="REPOS or REPOSNL of {to} names {clusters}.",
        check=new_full_repository.is_promoted,
        commands=new_full_repository.promote,
        source="IBM MQ 9.1, Queue manager definition commands (REPOS)",
    ),
    RunbookStep(
        id="connect",
        text="Connect {to} with each other full repository by manual CLUSSDRs, both ways.",
        done_when="{to} has a manual CLUSSDR to each full repository, and each of them to {to}.",
        check=new_full_repository.is_connected,
        commands=new_full_repository.connect,
        source=_SELECTING,
    ),
    RunbookStep(
        id="complete",
        text="Wait until {to} holds all records of {clusters}; only then go on.",
        done_when="{to} holds every record that another running full repository holds.",
        check=new_full_repository.is_complete,
        lasts=False,
        source=_SELECTING,
    ),
    RunbookStep(
        id="lead",
        text="Give a CLUSSDR to {to} to each member whose CLUSSDRs all lead to {name}.",
        done_when="Each running member has a manual CLUSSDR to a full repository that stays.",
        check=new_full_repository.is_led,
        commands=new_full_repository.lead,
        source=_SELECTING,
    ),
    replace(
        leaving.HAND_OVER,
        id="demote",
        text="Take the role of full repository of {clusters} from {name}.",
    ),
    RunbookStep(
        id="remove",
        text="Remove {name} by force if it never comes back: others hold it as a full repository.",
        done_when="No running full repository holds a record of {name}, unless it comes back.",
        check=is_removed_if_lost,
        commands=departing.remove_by_force,
        destructive=True,
        source="IBM MQ 9.2, RESET CLUSTER",
    ),
    RunbookStep(
        id="known",
        text="Wait until all members know that {to} took over.",
        done_when="Every running member holds {to} as REPOS, and {name} not as REPOS.",
        check=is_known,
        lasts=False,
        source=_SELECTING,
    ),
    RunbookStep(
        id="remove-senders",
        text="Delete the manual CLUSSDRs to {name}: new members must not copy them.",
        done_when="No running member has a manual CLUSSDR to {name}.",
        check=new_full_repository.is_left_alone,
        commands=new_full_repository.remove_senders,
        destructive=True,
        source=_SELECTING,
    ),
    RunbookStep(
        id="published",
        text="Wait until each member has sent its records to the full repositories; each does so "
        "by itself.",
        done_when="Each running member has sent its newest publication to both full repositories, "
        "and no channel to {name} is STOPPED.",
        check=is_published,
        commands=start_channels,
        patience=FORGOTTEN_WITHIN,
        lasts=False,
        source=f"{_SELECTING}; {_RETAIN}; STOP CHANNEL",
    ),
)
