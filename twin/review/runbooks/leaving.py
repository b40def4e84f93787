"""The runbook `leave`: a queue manager leaves a cluster, until nobody holds a record of it.

Sources: IBM MQ 9.4, "Restoring a queue manager to its pre-cluster state" and "Removing a queue
manager from a cluster" (the order of the steps); "RESET CLUSTER" (a queue manager that was deleted
without leaving).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from twin.model.amounts import counted
from twin.questions.doctor import fixes
from twin.questions.doctor.finding import some
from twin.review.runbooks import checks, parting
from twin.review.runbooks.step import (
    FORGOTTEN_WITHIN,
    Checked,
    RunbookStep,
    StepCommand,
    blocked,
    done,
    missing,
    unknown,
)
from twin.rules import membership

if TYPE_CHECKING:
    from twin.app.rehearsing import Rehearsal
    from twin.fold.estate import QueueManager
    from twin.model.objects import Definition
    from twin.review.runbooks.scene import Scene

_LEAVING: Final = "IBM MQ 9.4, Restoring a queue manager to its pre-cluster state"
_REMOVING: Final = "IBM MQ, Removing a queue manager from a cluster"
RETENTION: Final = (
    "IBM MQ 9.4, How long do the queue manager repositories retain information?; RESET CLUSTER"
)


def _is_no_repository(scene: Scene, qmgr: QueueManager) -> Checked:
    for cluster in scene.clusters:
        if membership.is_full(qmgr, cluster):
            return _hands_over(scene, cluster)
    late = [
        record
        for record in checks.records_at_repositories(scene, ("qmgr",))
        if record.belief.values.get("QMTYPE") == "REPOS"
    ]
    if late:
        why = checks.why_late(scene, late[0].observer)
        return missing(
            f"{checks.holding(late)} {scene.name} as a full repository{why}",
            *checks.positions(late),
        )
    return done(f"{scene.name} is no full repository of {some(scene.clusters)}", qmgr.position)


def _hands_over(scene: Scene, cluster: str) -> Checked:
    repositories = scene.repositories(cluster)
    running = [qmgr.name for qmgr in repositories if qmgr.running]
    has_members = any(cluster in membership.clusters_joined(each) for each in scene.others())
    if has_members and not running:
        ended = some(qmgr.name for qmgr in repositories)
        why = f"{ended} has ended" if repositories else "there is no other one"
        return blocked(
            f"{scene.name} is the only running full repository of {cluster}: {why}; first run "
            f"twin runbook move-full-repository {scene.name} --to QM"
        )
    return missing(f"{scene.name} is a full repository of {cluster}")


def _hand_over(scene: Scene) -> Iterator[StepCommand]:
    if scene.qmgr is not None:
        yield from parting.hand_over(scene.qmgr, scene.clusters)


def _is_suspended(scene: Scene, qmgr: QueueManager) -> Checked:
    joined = _joined(scene, qmgr)
    if not joined:
        return done(f"{scene.name} is no member of {some(scene.clusters)}")
    active = [cluster for cluster in joined if cluster not in qmgr.suspended]
    if active:
        return missing(f"{scene.name} is not suspended in {some(active)}")
    return suspension_heard(scene, "YES")


def suspension_heard(scene: Scene, value: str) -> Checked:
    """Check that running full repositories hold the subject with a value of SUSPEND."""
    records = checks.records_at_repositories(scene, ("qmgr",))
    late = [each for each in records if each.belief.values.get("SUSPEND", "NO") != value]
    if late:
        return missing(
            f"{checks.holding(late)} {scene.name} without SUSPEND({value})"
            f"{checks.why_late(scene, late[0].observer)}",
            *checks.positions(late),
        )
    if not records:
        return done(f"no running full repository holds a record of {scene.name}")
    return done(f"{checks.holding(records)} SUSPEND({value})", *checks.positions(records))


def suspend(scene: Scene) -> Iterator[StepCommand]:
    """Yield the commands that suspend the subject in its clusters."""
    qmgr = scene.qmgr
    for cluster in _joined(scene, qmgr) if qmgr is not None else ():
        if qmgr is not None and cluster not in qmgr.suspended:
            command = f"SUSPEND QMGR CLUSTER({fixes.value(cluster)})"
            yield StepCommand(scene.name, command)


def _joined(scene: Scene, qmgr: QueueManager) -> list[str]:
    return [each for each in membership.clusters_joined(qmgr) if each in scene.clusters]


def _shares_nothing(scene: Scene, qmgr: QueueManager) -> Checked:
    shared = checks.shared_objects(qmgr, scene.clusters)
    if shared:
        text = (
            f"{counted(len(shared), 'object')} still shared: {some(each.name for each in shared)}"
        )
        last = last_instances(scene, shared)
        if last:
            text += f"; the last instance of {some(last)}: opens of it fail afterwards"
        return missing(text, *(each.position for each in shared if each.position))
    late = checks.records_at_repositories(scene, ("queue", "topic"))
    if late:
        why = checks.why_late(scene, late[0].observer)
        return missing(
            f"{checks.holding(late)} {late[0].key[2]} of {scene.name}{why}",
            *checks.positions(late),
        )
    return done(f"{scene.name} shares no queue and no topic in {some(scene.clusters)}")


def last_instances(scene: Scene, shared: list[Definition]) -> list[str]:
    """Return the queues of which no other member has an instance."""
    last = []
    for definition in shared:
        elsewhere = any(
            other is not None and not {*scene.clusters}.isdisjoint(membership.clusters(qmgr, other))
            for qmgr in scene.others()
            for other in [qmgr.definitions.get((definition.kind, definition.name))]
        )
        if definition.kind == "QUEUE" and not elsewhere:
            last.append(definition.name)
    return last


def _withdraw_objects(scene: Scene) -> Iterator[StepCommand]:
    if scene.qmgr is not None:
        for definition in checks.shared_objects(scene.qmgr, scene.clusters):
            yield from parting.withdraw(scene.qmgr, definition, scene.clusters)


def _nothing_comes(scene: Scene) -> Checked:
    """Check that no message and no handle elsewhere is for the subject."""
    waiting, bound = checks.messages_for(scene), checks.handles_bound(scene)
    if waiting and scene.qmgr is None:
        where = ", ".join(f"{counted(count)} at {name}" for name, count in waiting[:5])
        return unknown(
            f"{where} for {scene.subject.qmid}, which is gone: get them with a program, and put "
            "them again"
        )
    if waiting:
        where = ", ".join(f"{counted(count)} at {name}" for name, count in waiting[:5])
        return missing(f"messages for {scene.name} wait: {where}")
    if bound:
        where = some(f"{name} ({handle})" for name, handle in bound)
        return missing(f"handles are bound to {scene.name}: {where}")
    members = checks.members(scene)
    if unseen := checks.unseen_messages(members):
        return unknown(unseen)
    if hidden := [qmgr.name for qmgr in members if qmgr.observed]:
        return done(
            f"no messages wait for {scene.name}; the handles of applications cannot be seen at "
            f"{some(hidden)}"
        )
    return done(f"no messages wait for {scene.name}, and no handle is bound to it")


def _close_handles(rehearsal: Rehearsal, scene: Scene) -> None:
    for name, handle in checks.handles_bound(scene):
        rehearsal.close_handle(name, handle)


def _nothing_goes(scene: Scene, qmgr: QueueManager) -> Checked:
    """Check that nothing waits at the subject to be sent."""
    messages, commands = checks.waiting_at(scene, qmgr)
    if messages or commands:
        what = [counted(messages)] if messages else []
        what += [counted(commands, "repository command")] if commands else []
        return missing(f"{' and '.join(what)} to send at {scene.name}")
    if unseen := checks.unseen_messages([qmgr]):
        return unknown(unseen)
    return done(f"nothing waits at {scene.name}")


def _is_no_member(scene: Scene, qmgr: QueueManager) -> Checked:
    joined = _joined(scene, qmgr)
    if joined:
        return missing(f"{scene.name} is a member of {some(joined)}")
    return done(f"{scene.name} is no member of {some(scene.clusters)}")


def _withdraw_receivers(scene: Scene) -> Iterator[StepCommand]:
    if scene.qmgr is not None:
        for definition, names in list(membership.channels_of(scene.qmgr, "CLUSRCVR")):
            if not {*names}.isdisjoint(scene.clusters):
                yield from parting.withdraw(scene.qmgr, definition, scene.clusters)


def _is_gone_from_repositories(scene: Scene) -> Checked:
    records = checks.records_at_repositories(scene, ("qmgr", "queue", "topic"))
    if records:
        why = checks.why_late(scene, records[0].observer)
        return missing(
            f"{checks.holding(records)} {counted(len(records), 'record')} of {scene.name}{why}",
            *checks.positions(records),
        )
    return done(f"no running full repository holds a record of {scene.name}")


def remove_by_force(scene: Scene) -> Iterator[StepCommand]:
    """Yield the command that removes a queue manager that cannot leave itself.

    One full repository of each cluster is enough: it tells the others (IBM MQ, RESET CLUSTER).
    """
    if scene.qmgr is not None:
        return
    for cluster in scene.clusters:
        for qmgr in checks.running_repositories(scene, cluster):
            if any(record.key[0] == cluster for record in checks.held_records(scene, qmgr)):
                yield StepCommand(
                    qmgr.name,
                    f"RESET CLUSTER({fixes.value(cluster)}) ACTION(FORCEREMOVE) "
                    f"QMID({fixes.value(scene.subject.qmid)}) QUEUES(YES)",
                )
                break


def _is_disconnected(scene: Scene, qmgr: QueueManager) -> Checked:
    channels = _channels_left(scene, qmgr)
    if channels:
        names = some(definition.name for definition in channels)
        return missing(f"cluster channels are still defined: {names}")
    return done(f"{scene.name} has no channel of {some(scene.clusters)}")


def _channels_left(scene: Scene, qmgr: QueueManager) -> list[Definition]:
    """Return the CLUSSDRs of the clusters, and the CLUSRCVRs that are in no cluster any more."""
    senders = [
        definition
        for definition, names in membership.channels_of(qmgr, "CLUSSDR")
        if not {*names}.isdisjoint(scene.clusters)
    ]
    receivers = [
        definition
        for name in sorted(name for name, kind in qmgr.channels.items() if kind == "CLUSRCVR")
        for definition in [qmgr.definitions["CHANNEL", name]]
        if not name.startswith("SYSTEM.") and not membership.clusters(qmgr, definition)
    ]
    return [*senders, *receivers]


def _disconnect(scene: Scene) -> Iterator[StepCommand]:
    qmgr = scene.qmgr
    if qmgr is None:
        return
    channels = _channels_left(scene, qmgr)
    alone = [each for each in channels if _left_after(scene, qmgr, each) == 0]
    for definition in channels:
        if definition not in alone:
            yield from parting.withdraw(qmgr, definition, scene.clusters)
    for verb in ("STOP", "DELETE"):
        for definition in alone:
            yield StepCommand(qmgr.name, f"{verb} CHANNEL({fixes.value(definition.name)})")


def _left_after(scene: Scene, qmgr: QueueManager, definition: Definition) -> int:
    return len({*membership.clusters(qmgr, definition)}.difference(scene.clusters))


def _has_forgotten(scene: Scene, qmgr: QueueManager) -> Checked:
    held = sorted(
        (key, owner)
        for key, owners in qmgr.repository.beliefs.items()
        if key[0] in scene.clusters
        for owner in owners
    )
    if held:
        names = some(key[2] for key, _ in held)
        return missing(
            f"{scene.name} still holds {counted(len(held), 'record')}: {names}; its applications "
            "can put to them, and nothing is sent"
        )
    return done(f"{scene.name} holds no record of {some(scene.clusters)}")


def _forget(scene: Scene) -> Iterator[StepCommand]:
    if scene.qmgr is not None:
        known = {key[0] for key in scene.qmgr.repository.beliefs}
        for cluster in scene.clusters:
            if cluster in known:
                command = f"REFRESH CLUSTER({fixes.value(cluster)}) REPOS(YES)"
                yield StepCommand(scene.name, command)


def is_forgotten(scene: Scene) -> Checked:
    """Check that no queue manager holds a record of the subject."""
    held = checks.holders(scene)
    if held:
        records = [each for some_ in held.values() for each in some_]
        first = records[0].observer
        return missing(
            f"{checks.holding(records)} {counted(len(records), 'record')} of {scene.subject.qmid}"
            f"{checks.why_late(scene, first)}",
            *checks.positions(records),
        )
    return done(f"nobody holds a record of {scene.subject.qmid}")


HAND_OVER: Final = RunbookStep(
    id="hand-over",
    text="Make sure that {name} is no full repository of {clusters}.",
    done_when="REPOS and REPOSNL of {name} do not name {clusters}, and the full repositories "
    "hold QMTYPE(NORMAL) of it.",
    check=checks.needs_it(_is_no_repository),
    commands=_hand_over,
    source=_LEAVING,
)
SUSPEND: Final = RunbookStep(
    id="suspend",
    text="Suspend {name} in {clusters}, so that others avoid it.",
    done_when="The running full repositories hold SUSPEND(YES) of {name}.",
    check=checks.needs_it(_is_suspended),
    commands=suspend,
    source=_LEAVING,
)
WITHDRAW_OBJECTS: Final = RunbookStep(
    id="withdraw-objects",
    text="Take the queues and topics of {name} out of {clusters}.",
    done_when="No queue or topic of {name} names {clusters}, and no running full repository "
    "holds a record of one.",
    check=checks.needs_it(_shares_nothing),
    commands=_withdraw_objects,
    source=_REMOVING,
)
DRAIN: Final = RunbookStep(
    id="drain",
    text="Let the messages for {name} arrive, and close the handles that are bound to it.",
    done_when="No transmission queue elsewhere has messages for {name}, and no open handle is "
    "bound to it.",
    check=_nothing_comes,
    plays=_close_handles,
    lasts=False,
    source=_REMOVING,
)
SEND: Final = RunbookStep(
    id="send",
    text="Let the messages and repository commands that wait at {name} leave.",
    done_when="No transmission queue of {name} has messages or commands for {clusters}.",
    check=checks.needs_it(_nothing_goes),
    lasts=False,
    source=_REMOVING,
)
WITHDRAW_RECEIVERS: Final = RunbookStep(
    id="leave",
    text="Take the CLUSRCVR of {name} out of {clusters}.",
    done_when="{name} has no CLUSRCVR in {clusters}.",
    check=checks.needs_it(_is_no_member),
    commands=_withdraw_receivers,
    source=_LEAVING,
)
GONE_FROM_REPOSITORIES: Final = RunbookStep(
    id="repositories-forget",
    text="Wait until the full repositories have removed {name}; only then stop its channels.",
    done_when="No running full repository holds a record of {name}.",
    check=_is_gone_from_repositories,
    commands=remove_by_force,
    destructive=True,
    lasts=False,
    source=f"{_LEAVING}; RESET CLUSTER",
)
_DISCONNECT: Final = RunbookStep(
    id="disconnect",
    text="Stop and delete the cluster channels of {name}.",
    done_when="{name} has no CLUSSDR in {clusters}, and no CLUSRCVR that is in no cluster.",
    check=checks.needs_it(_is_disconnected),
    commands=_disconnect,
    destructive=True,
    source=_LEAVING,
)
_FORGET: Final = RunbookStep(
    id="forget",
    text="Let {name} forget {clusters}; else it does so after 90 days.",
    done_when="{name} holds no record of {clusters}.",
    check=checks.needs_it(_has_forgotten),
    commands=_forget,
    destructive=True,
    source=f"{_REMOVING}; REFRESH CLUSTER",
)
FORGOTTEN: Final = RunbookStep(
    id="forgotten",
    text="Wait until nobody remembers {name}.",
    done_when="No queue manager holds a record of {qmid}.",
    check=is_forgotten,
    source=RETENTION,
    patience=FORGOTTEN_WITHIN,
    lasts=False,
)

STEPS: Final = (
    HAND_OVER,
    SUSPEND,
    WITHDRAW_OBJECTS,
    DRAIN,
    SEND,
    WITHDRAW_RECEIVERS,
    GONE_FROM_REPOSITORIES,
    _DISCONNECT,
    _FORGET,
    FORGOTTEN,
)
