"""What a queue manager does that leaves a cluster: the checks and commands of its steps."""

from __future__ import annotations

from collections.abc import Iterator

from twin.app.rehearsing import Rehearsal
from twin.fold.estate import QueueManager
from twin.model.amounts import counted, verb
from twin.model.commands import Command
from twin.model.objects import Definition
from twin.questions.doctor.finding import some
from twin.review.runbooks import checks, parting
from twin.review.runbooks.scene import (
    Checked,
    Scene,
    blocked,
    done,
    missing,
    unknown,
)
from twin.rules import membership
from twin.rules.messages.destinations import leading_into


def is_no_repository(scene: Scene, qmgr: QueueManager) -> Checked:
    """Check that it is no full repository, and that the others hold it as none."""
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
            f"{checks.holding(late)} {scene.named} as a full repository{why}",
            *checks.positions(late),
        )
    return done(f"{scene.name} is no full repository of {some(scene.clusters)}", qmgr.position)


def _hands_over(scene: Scene, cluster: str) -> Checked:
    if alone := no_other_repository(scene, cluster):
        return blocked(f"{alone}; first run twin runbook move-full-repository {scene.name} --to QM")
    return missing(f"{scene.name} is a full repository of {cluster}")


def no_other_repository(scene: Scene, cluster: str) -> str:
    """Say that members of a cluster are left with no running full repository; '' if they are not.

    The queue manager is a full repository of the cluster.
    """
    repositories = scene.repositories(cluster)
    has_members = any(cluster in membership.clusters_joined(each) for each in scene.others())
    if not has_members or any(each.running for each in repositories):
        return ""
    ended = f"{some(each.name for each in repositories)} {verb(len(repositories), 'have')} ended"
    why = ended if repositories else "there is no other one"
    return f"{scene.name} is the only running full repository of {cluster}: {why}"


def hand_over(scene: Scene) -> Iterator[Command]:
    """Yield the commands after which it is no full repository of the clusters."""
    if scene.qmgr is not None:
        yield from parting.hand_over(scene.qmgr, scene.clusters)


def is_suspended(scene: Scene, qmgr: QueueManager) -> Checked:
    """Check that it is suspended, or no member, and that full repositories know."""
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
            f"{checks.holding(late)} {scene.named} without SUSPEND({value})"
            f"{checks.why_late(scene, late[0].observer)}",
            *checks.positions(late),
        )
    if not records:
        return done(f"no running full repository holds a record of {scene.named}")
    return done(f"{checks.holding(records)} SUSPEND({value})", *checks.positions(records))


def suspend(scene: Scene) -> Iterator[Command]:
    """Yield the commands that suspend the subject in its clusters."""
    qmgr = scene.qmgr
    if qmgr is not None:
        for cluster in _joined(scene, qmgr):
            if cluster not in qmgr.suspended:
                yield Command.of(scene.name, "SUSPEND", "QMGR", CLUSTER=cluster)


def _joined(scene: Scene, qmgr: QueueManager) -> list[str]:
    return [each for each in membership.clusters_joined(qmgr) if each in scene.clusters]


def shares_nothing(scene: Scene, qmgr: QueueManager) -> Checked:
    """Check that it shares no queue and no topic, and that full repositories know."""
    shared = checks.shared_objects(qmgr, scene.clusters)
    if shared:
        text = (
            f"{counted(len(shared), 'object')} {verb(len(shared), 'are')} still shared: "
            f"{some(each.name for each in shared)}"
        )
        last = last_instances(scene, shared)
        if last:
            those = "it" if len(last) == 1 else "them"
            text += f"; nobody else has {some(last)}: opens of {those} fail afterwards"
        return missing(text, *(each.position for each in shared if each.position))
    late = checks.records_at_repositories(scene, ("queue", "topic"))
    if late:
        why = checks.why_late(scene, late[0].observer)
        return missing(
            f"{checks.holding(late)} {late[0].key[2]} of {scene.named}{why}",
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


def withdraw_objects(scene: Scene) -> Iterator[Command]:
    """Yield the commands that take its queues and topics out of the clusters."""
    if scene.qmgr is not None:
        for definition in checks.shared_objects(scene.qmgr, scene.clusters):
            yield from parting.withdraw(scene.qmgr, definition, scene.clusters)


def nothing_comes(scene: Scene) -> Checked:
    """Check that no message and no handle elsewhere is for the subject."""
    waiting, bound = checks.messages_for(scene), checks.handles_bound(scene)
    if waiting and scene.qmgr is None:
        return unknown(
            f"whether somebody takes care of the messages that wait for {scene.subject.qmid}, "
            f"which is gone: {checks.where_messages_wait(waiting)}. Get them with a program, and "
            "put them again"
        )
    if waiting:
        return missing(f"messages for {scene.name} wait: {checks.where_messages_wait(waiting)}")
    if bound:
        where = some(f"{name} ({handle})" for name, handle in bound)
        return missing(f"handles are bound to {scene.name}: {where}")
    members = checks.members(scene)
    if unseen := checks.unseen_messages(members, scene.name):
        return unknown(unseen)
    if hidden := [qmgr.name for qmgr in members if qmgr.observed]:
        return done(
            f"no messages wait for {scene.name}; the handles of applications cannot be seen at "
            f"{some(hidden)}"
        )
    return done(f"no messages wait for {scene.name}, and no handle is bound to it")


def close_handles(rehearsal: Rehearsal, scene: Scene) -> None:
    """Close the handles that are bound to it, in a rehearsal."""
    for name, handle in checks.handles_bound(scene):
        rehearsal.close_handle(name, handle)


def nothing_goes(scene: Scene, qmgr: QueueManager) -> Checked:
    """Check that nothing waits at the subject to be sent."""
    messages, commands = checks.waiting_at(scene, qmgr)
    if messages or commands:
        what = [counted(messages)] if messages else []
        what += [counted(commands, "repository command")] if commands else []
        return missing(f"{' and '.join(what)} to send at {scene.name}")
    if unseen := checks.unseen_messages([qmgr]):
        return unknown(unseen)
    return done(f"nothing waits at {scene.name}")


def is_no_member(scene: Scene, qmgr: QueueManager) -> Checked:
    """Check that it has no CLUSRCVR in the clusters."""
    joined = _joined(scene, qmgr)
    if joined:
        leading = [each.name for each in leading_into(scene.estate, scene.at, qmgr, scene.clusters)]
        beside = (
            f"; {some(leading)} at {scene.name} {verb(len(leading), 'lead')} into it, for all who "
            "put there: afterwards messages wait, and fail when it has forgotten the cluster"
            if leading
            else ""
        )
        return missing(f"{scene.name} is a member of {some(joined)}{beside}")
    return done(f"{scene.name} is no member of {some(scene.clusters)}")


def withdraw_receivers(scene: Scene) -> Iterator[Command]:
    """Yield the commands that take its CLUSRCVRs out of the clusters."""
    if scene.qmgr is not None:
        for definition, names in list(membership.channels_of(scene.qmgr, "CLUSRCVR")):
            if not {*names}.isdisjoint(scene.clusters):
                yield from parting.withdraw(scene.qmgr, definition, scene.clusters)


def is_gone_from_repositories(scene: Scene) -> Checked:
    """Check that no running full repository holds a record of it."""
    records = checks.records_at_repositories(scene, ("qmgr", "queue", "topic"))
    if records:
        why = checks.why_late(scene, records[0].observer)
        return missing(
            f"{checks.holding(records)} {counted(len(records), 'record')} of {scene.named}{why}",
            *checks.positions(records),
        )
    return done(f"no running full repository holds a record of {scene.named}")


def remove_by_force(scene: Scene) -> Iterator[Command]:
    """Yield the command that removes a queue manager that cannot leave itself.

    One full repository of each cluster is enough: it tells the others (IBM MQ, RESET CLUSTER).
    """
    if scene.qmgr is not None:
        return
    for cluster in scene.clusters:
        for qmgr in checks.running_repositories(scene, cluster):
            if any(record.key[0] == cluster for record in checks.held_records(scene, qmgr)):
                yield parting.force_removal(scene, qmgr.name, cluster, scene.subject.qmid)
                break


def is_disconnected(scene: Scene, qmgr: QueueManager) -> Checked:
    """Check that it has no channel of the clusters."""
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


def disconnect(scene: Scene) -> Iterator[Command]:
    """Yield the commands that stop and delete its cluster channels.

    IBM's procedure stops both kinds with STOP CHANNEL alone. A CLUSRCVR stays STOPPED so, and no
    partner starts it again before it is deleted. A CLUSSDR is stopped with STATUS(INACTIVE): until
    it forgets the cluster, an auto-defined CLUSSDR of the same name is left, which inherits the
    status. If it joins again before, one that is STOPPED must be started by hand.

    Sources: IBM MQ, "Removing a queue manager from a cluster"; 8.0, "STOP CHANNEL".
    """
    qmgr = scene.qmgr
    if qmgr is None:
        return
    channels = _channels_left(scene, qmgr)
    alone = [each for each in channels if {*membership.clusters(qmgr, each)} <= {*scene.clusters}]
    for definition in channels:
        if definition not in alone:
            yield from parting.withdraw(qmgr, definition, scene.clusters)
    for definition in alone:
        inactive = {"STATUS": "INACTIVE"} if definition.type == "CLUSSDR" else {}
        yield Command.about(qmgr.name, "STOP", definition, **inactive)
    yield from (Command.about(qmgr.name, "DELETE", definition) for definition in alone)


def has_forgotten(scene: Scene, qmgr: QueueManager) -> Checked:
    """Check that it holds no record of the clusters."""
    held = sorted(
        (key, owner)
        for key, owners in qmgr.repository.beliefs.items()
        if key[0] in scene.clusters
        for owner in owners
    )
    if held:
        names = some(key[2] for key, _ in held)
        beside = (
            ""
            if _joined(scene, qmgr)
            else "; its applications can put to them, and nothing is sent"
        )
        return missing(f"{scene.name} still holds {counted(len(held), 'record')}: {names}{beside}")
    return done(f"{scene.name} holds no record of {some(scene.clusters)}")


def forget(scene: Scene) -> Iterator[Command]:
    """Yield the commands that let it forget the clusters."""
    if scene.qmgr is not None:
        known = {key[0] for key in scene.qmgr.repository.beliefs}
        for cluster in scene.clusters:
            if cluster in known:
                yield Command.of(scene.name, "REFRESH", "CLUSTER", cluster, REPOS="YES")


def is_forgotten(scene: Scene) -> Checked:
    """Check that no queue manager holds a record of the subject."""
    held = checks.holders(scene)
    if held:
        records = [record for of_one in held.values() for record in of_one]
        first = records[0].observer
        return missing(
            f"{checks.holding(records)} {counted(len(records), 'record')} of {scene.subject.qmid}"
            f"{checks.why_late(scene, first)}",
            *checks.positions(records),
        )
    return done(f"nobody holds a record of {scene.subject.qmid}")
