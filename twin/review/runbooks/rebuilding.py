"""The runbook `rebuild`: a queue manager leaves its clusters, is deleted, made again, and joins.

The new queue manager has another QMID. Others would hold records of both, and RESET CLUSTER by name
is refused then. So the old one leaves first; one that is lost is removed by its QMID.

Sources: IBM MQ 9.4, "Restoring a queue manager to its pre-cluster state", "RESET CLUSTER" (two
queue managers of one name); "Components of a cluster" (what a member needs).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from twin.app.rehearsing import Rehearsal
from twin.fold.estate import QueueManager
from twin.model.amounts import verb
from twin.model.commands import Command
from twin.model.instants import format_instant
from twin.questions.doctor.finding import some
from twin.questions.sender_channels import messaging_of
from twin.review.plan.planned import perform
from twin.review.runbooks import checks, departing, leaving, saving
from twin.review.runbooks.control_commands import (
    NO_CREATION,
    NO_DELETION,
    ON_ZOS,
    configuration_of,
    control,
    create,
    files_of,
    is_on_zos,
    run_script,
)
from twin.review.runbooks.scene import (
    CannotRehearse,
    Checked,
    RunbookStep,
    Scene,
    UnusableScript,
    blocked,
    clusters_that_remember,
    done,
    missing,
    unknown,
)
from twin.rules import membership

_RESET: Final = "IBM MQ 9.2, RESET CLUSTER"


def _is_in_no_other_cluster(scene: Scene) -> Checked:
    """Check that no other cluster loses the queue manager: dltmqm deletes it as a whole."""
    known = scene.estate.qmgrs.get(scene.name)
    if known is None or known.qmid != scene.subject.qmid:
        return done(f"{scene.subject.qmid} no longer exists")
    joined = {*membership.clusters_joined(known), *membership.full_repository_of(known)}
    others = sorted(joined.difference(scene.clusters))
    if others:
        return blocked(
            f"{scene.name} is also in {some(others)}, and is deleted for all clusters: "
            "leave out --cluster, so that it leaves all of them and joins them again"
        )
    return done(f"{scene.name} is in no cluster but {some(scene.clusters)}")


def _is_forgotten(scene: Scene) -> Checked:
    """Check that no queue manager holds a record of the old one, in any cluster."""
    clusters = clusters_that_remember(scene.estate, scene.subject.qmid)
    everywhere = replace(scene.subject, clusters=clusters)
    return departing.is_forgotten(Scene(scene.estate, scene.at, everywhere))


def _is_empty(scene: Scene, qmgr: QueueManager) -> Checked:
    """Check that no message is on its local queues."""
    full = _messages(scene)
    if full:
        names = some(f"{queue} ({depth})" for queue, depth in full)
        return missing(f"messages are on queues of {scene.name}: {names}")
    if qmgr.observed:
        seen = qmgr.activity.seen.depths
        never = [name for name in _local_queues(qmgr) if name not in seen]
        deep = [name for name in _local_queues(qmgr) if name in seen and seen[name].depth]
        if deep:
            return unknown(f"messages were last seen on {some(deep)}")
        if never:
            return unknown(f"the depth was never observed of {some(never)}")
    return done(f"no messages are on the queues of {scene.name}")


def _local_queues(qmgr: QueueManager) -> list[str]:
    return sorted(
        definition.name
        for definition in qmgr.definitions.values()
        if definition.type == "QLOCAL" and not definition.name.startswith("SYSTEM.")
    )


def _messages(scene: Scene) -> list[tuple[str, int]]:
    """Return (queue, depth) of the local queues that have messages."""
    qmgr = scene.qmgr
    if qmgr is None:
        return []
    messaging = messaging_of(qmgr)
    depths = [(name, messaging.depth(name)) for name in _local_queues(qmgr)]
    return [(name, depth) for name, depth in depths if depth]


def _get_all(rehearsal: Rehearsal, scene: Scene) -> None:
    for queue, depth in _messages(scene):
        rehearsal.get(scene.name, queue, count=depth)


def _is_deleted(scene: Scene) -> Checked:
    if scene.estate.qmgrs.get(scene.name) is None or scene.successor is not None:
        return done(f"{scene.subject.qmid} no longer exists")
    if scene.subject.lost:
        return missing(f"twin still has {scene.subject.qmid}; delete it there")
    how = f"; {NO_DELETION}" if is_on_zos(scene) else ""
    return missing(f"{scene.subject.qmid} exists{how}")


def _delete(scene: Scene) -> Iterator[Command]:
    qmgr = scene.estate.qmgrs.get(scene.name)
    if qmgr is not None and qmgr.qmid == scene.subject.qmid:
        if qmgr.running:
            yield from control(scene, "end")
        yield from control(scene, "delete")


def _play_deletion(rehearsal: Rehearsal, scene: Scene) -> None:
    """Delete it in a rehearsal where no command does: on z/OS."""
    qmgr = rehearsal.estate.qmgrs.get(scene.name)
    if is_on_zos(scene) and qmgr is not None and qmgr.qmid == scene.subject.qmid:
        rehearsal.dltmqm(scene.name)


def _is_created(scene: Scene) -> Checked:
    successor = scene.successor
    if successor is None:
        how = f"; {NO_CREATION}" if is_on_zos(scene) else ""
        given = configuration_of(scene)
        if given is not None:
            how += f"; every strmqm applies its automatic configuration ({files_of(given)}): give "
            how += "crtmqm the same files"
        return missing(f"the new {scene.name} does not exist yet{how}")
    if not successor.running:
        return missing(f"{successor.qmid} is not started")
    return done(f"{successor.qmid} runs", successor.position)


def _create(scene: Scene) -> Iterator[Command]:
    if scene.successor is None:
        yield from create(scene)
    elif not scene.successor.running:
        yield from control(scene, "start")


def _is_defined(scene: Scene) -> Checked:
    """Check that the new one is a member, and has the CLUSSDRs that it needs."""
    successor = scene.successor
    if successor is None:
        return missing(f"the new {scene.name} does not exist yet")
    joined = membership.clusters_joined(successor)
    lacking = [cluster for cluster in scene.clusters if cluster not in joined]
    if lacking:
        return missing(f"{successor.qmid} has no CLUSRCVR in {some(lacking)}")
    alone = [
        cluster
        for cluster in scene.clusters
        if not list(membership.channels_of(successor, "CLUSSDR", cluster))
        and any(each.qmid != successor.qmid for each in scene.repositories(cluster))
    ]
    if alone:
        return missing(f"{successor.qmid} has no CLUSSDR in {some(alone)}")
    return done(f"{successor.qmid} is a member of {some(scene.clusters)}")


def _run_saved(scene: Scene) -> Iterator[Command]:
    """Yield the commands that write the saved definitions, and run them at the new one."""
    subject, successor = scene.subject, scene.successor
    if successor is not None and _is_defined(scene).done:
        return
    if subject.script is not None and subject.script.file:
        file = subject.script.file
    elif subject.saved is not None:
        file = f"{scene.name.replace('/', '.')}.mqsc"
        at = format_instant(subject.saved)
        yield Command.program(scene.name, "twin dmpmqcfg", ("--as-of", at), (">", file))
    else:
        return
    if file != "-":
        yield run_script(scene, file)


def _define(rehearsal: Rehearsal, scene: Scene) -> None:
    script = scene.subject.script
    if script is None:
        raise CannotRehearse
    commands = perform(rehearsal, (script,)).commands
    if not commands or not all(each.accepted for each in commands):
        raise UnusableScript(script.file, commands)


def _has_joined(scene: Scene) -> Checked:
    """Check that the running full repositories hold the new one, and it holds one of them."""
    successor = scene.successor
    if successor is None:
        return missing(f"the new {scene.name} does not exist yet")
    for cluster in scene.clusters:
        others = [
            qmgr
            for qmgr in checks.running_repositories(scene, cluster)
            if qmgr.qmid != successor.qmid
        ]
        late = [qmgr for qmgr in others if (cluster, successor.qmid) not in qmgr.repository.routes]
        if late:
            do = verb(len(late), "do")
            names = some(qmgr.name for qmgr in late)
            return missing(f"{names} {do} not hold {successor.qmid} yet")
        if others and not any(
            (cluster, qmgr.qmid) in successor.repository.routes for qmgr in others
        ):
            return missing(f"{successor.qmid} holds no full repository of {cluster} yet")
    return done(f"the running full repositories hold {successor.qmid}")


STEPS: Final = (
    saving.SAVE,
    RunbookStep(
        id="no-other-cluster",
        text="Make sure that {name} is in no cluster but {clusters}: it is deleted for all.",
        done_when="{name} is no member and no full repository of another cluster.",
        check=_is_in_no_other_cluster,
        source="IBM MQ, dltmqm (delete queue manager)",
    ),
    leaving.HAND_OVER,
    leaving.SUSPEND,
    leaving.WITHDRAW_OBJECTS,
    leaving.DRAIN,
    leaving.SEND,
    leaving.WITHDRAW_RECEIVERS,
    leaving.GONE_FROM_REPOSITORIES,
    RunbookStep(
        id="empty",
        text="Let the applications get the messages that are on the queues of {name}.",
        done_when="No local queue of {name} has messages, system queues aside.",
        check=checks.needs_it(_is_empty),
        plays=_get_all,
        lasts=False,
        source="IBM MQ, Removing a queue manager from a cluster",
    ),
    RunbookStep(
        id="delete",
        text="End and delete {name}.",
        done_when="{qmid} no longer exists.",
        check=_is_deleted,
        commands=_delete,
        plays=_play_deletion,
        destructive=True,
        source=f"{_RESET}; {ON_ZOS}",
    ),
    RunbookStep(
        id="create",
        text="Make {name} again, and start it.",
        done_when="A queue manager {name} with another QMID runs.",
        check=_is_created,
        commands=_create,
        lasts=False,
        source=f"{_RESET}; {ON_ZOS}",
    ),
    RunbookStep(
        id="define",
        text="Run the saved definitions at {name}; its CLUSRCVR and CLUSSDR are among them.",
        done_when="The new {name} has a CLUSRCVR and a CLUSSDR in {clusters}.",
        check=_is_defined,
        commands=_run_saved,
        plays=_define,
        is_elsewhere=True,
        lasts=False,
        source="IBM MQ, Components of a cluster",
    ),
    RunbookStep(
        id="joined",
        text="Wait until the full repositories know the new {name}.",
        done_when="The running full repositories hold the new QMID, and {name} holds one of them.",
        check=_has_joined,
        lasts=False,
        source="IBM MQ 9.1, DISPLAY CLUSQMGR; RESET CLUSTER",
    ),
    replace(leaving.FORGOTTEN, check=_is_forgotten),
)
