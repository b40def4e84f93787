"""What steps look at: who holds which records, and which messages wait."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from typing import NamedTuple

from twin.fold.beliefs import Belief, RecordName
from twin.fold.estate import NEVER_CONFIRMED, QueueManager
from twin.model.amounts import counted
from twin.model.instants import format_instant
from twin.model.names import CLUSTER_TRANSMISSION_QUEUE
from twin.model.objects import Definition
from twin.questions.blocked import block_of
from twin.questions.doctor.finding import some
from twin.questions.seen_messages import bounds_to
from twin.questions.sender_channels import messaging_of
from twin.review.bound_handles import handles_bound_to
from twin.review.hearing import why_not_heard
from twin.review.runbooks.control_commands import control
from twin.review.runbooks.scene import Checked, Scene, StepCheck, blocked, done
from twin.rules import membership

_SHARED_TYPES = frozenset({"QLOCAL", "QALIAS", "QREMOTE", "TOPIC"})


class HeldRecord(NamedTuple):
    """A record of the subject that another queue manager holds."""

    observer: QueueManager
    key: RecordName
    belief: Belief


def needs_it(
    check: Callable[[Scene, QueueManager], Checked],
) -> StepCheck:
    """Make a check of a step that commands the queue manager itself.

    The step is done if the queue manager was deleted or is lost, and blocked while it has ended. It
    is also blocked if a queue manager that was given as lost runs.
    """

    @wraps(check)
    def checked(scene: Scene) -> Checked:
        qmgr = scene.qmgr
        if still_runs(scene):
            end = next(control(scene, "end")).text
            return blocked(
                f"{scene.name} runs, and publishes again after each FORCEREMOVE: end it first "
                f"({end}), or leave out --lost"
            )
        if qmgr is None:
            why = "never comes back" if scene.subject.lost else "no longer exists"
            return done(f"{scene.name} {why}")
        progress = check(scene, qmgr)
        if not progress.done and not qmgr.running:
            return blocked(f"{scene.name} has ended; if it never comes back, say --lost")
        return progress

    return checked


def still_runs(scene: Scene) -> bool:
    """Return whether a queue manager that was given as lost runs in the twin.

    A running one publishes again after it was removed by force (IBM MQ 9.2, "RESET CLUSTER"). Of an
    imported one nobody knows whether it still runs, so what was said counts.
    """
    known, subject = scene.estate.qmgrs.get(scene.name), scene.subject
    return (
        subject.lost
        and known is not None
        and known.qmid == subject.qmid
        and known.running
        and not known.observed
    )


def is_shared(definition: Definition) -> bool:
    """Return whether an object is of a type that clusters share."""
    return definition.type in _SHARED_TYPES


def shared_objects(qmgr: QueueManager, clusters: tuple[str, ...]) -> list[Definition]:
    """Return the queues and topics of a queue manager that name one of some clusters, by name."""
    return sorted(
        (
            definition
            for definition in qmgr.definitions.values()
            if definition.type in _SHARED_TYPES
            and not {*clusters}.isdisjoint(membership.clusters(qmgr, definition))
        ),
        key=lambda definition: (definition.kind, definition.name),
    )


def held_records(scene: Scene, observer: QueueManager) -> Iterator[HeldRecord]:
    """Go through the records of the subject that a queue manager holds."""
    qmid, repository = scene.subject.qmid, observer.repository
    for cluster in scene.clusters:
        for kind, name in repository.ever_held.get((cluster, qmid), ()):
            belief = repository.instances(cluster, kind, name).get(qmid)
            if belief is not None:
                yield HeldRecord(observer, (cluster, kind, name), belief)


def holders(scene: Scene) -> dict[str, list[HeldRecord]]:
    """Return the records of the subject that others hold, by the name of the holder."""
    held = {qmgr.name: list(held_records(scene, qmgr)) for qmgr in scene.others()}
    return {name: records for name, records in held.items() if records}


def running_repositories(scene: Scene, cluster: str) -> list[QueueManager]:
    """Return the other full repositories of a cluster that run, by name."""
    return [qmgr for qmgr in scene.repositories(cluster) if qmgr.running]


def records_at_repositories(scene: Scene, kinds: tuple[str, ...]) -> list[HeldRecord]:
    """Return the records of the subject that running full repositories hold."""
    names = {
        qmgr.name: qmgr
        for cluster in scene.clusters
        for qmgr in running_repositories(scene, cluster)
    }
    return [
        record
        for _, qmgr in sorted(names.items())
        for record in held_records(scene, qmgr)
        if record.key[1] in kinds
    ]


def why_late(scene: Scene, observer: QueueManager) -> str:
    """Return in brackets what keeps an observer from hearing of the subject; '' if nothing does."""
    why = why_not_heard(scene.estate, observer, scene.subject.qmid, at=scene.at)
    return f" ({why})" if why else ""


def holding(records: list[HeldRecord]) -> str:
    """Return the holders of records in words, with the verb: `FR1, FR2 hold`."""
    names = {record.observer.name for record in records}
    return f"{some(names)} {'holds' if len(names) == 1 else 'hold'}"


def positions(records: list[HeldRecord]) -> tuple[int, ...]:
    """Return the positions of the events by which records came; at most 20."""
    return tuple(sorted({record.belief.position for record in records}))[:20]


def messages_for(scene: Scene) -> list[tuple[str, int, str]]:
    """Return (queue manager, number, why) of the messages that wait for the subject elsewhere."""
    counts = []
    for name in sorted(scene.estate.qmgrs_with_waiting_messages):
        qmgr = scene.estate.qmgrs.get(name)
        if qmgr is None or qmgr.qmid == scene.subject.qmid:
            continue
        messaging = messaging_of(qmgr)
        parcels = [
            parcel
            for queue in messaging.waiting
            for parcel in messaging.on(queue)
            if parcel.to == scene.subject.qmid and parcel.cluster in ("", *scene.clusters)
        ]
        if parcels:
            channels = sorted({parcel.channel for parcel in parcels})
            blocks = [block_of(qmgr, channel, scene.at) for channel in channels]
            why = "; ".join(str(each._replace(next_retry=None)) for each in blocks if each)
            counts.append((name, sum(each.count for each in parcels), why))
    return counts


def where_messages_wait(waiting: list[tuple[str, int, str]]) -> str:
    """Return in words where messages wait, how many, and why; of many places only the first."""
    shown = (
        f"{counted(count)} at {name}{f' ({why})' if why else ''}" for name, count, why in waiting
    )
    return ", ".join(list(shown)[:5])


def handles_bound(scene: Scene) -> list[tuple[str, str]]:
    """Return (queue manager, handle) of the open handles that are bound to the subject."""
    return [
        (handle.on, handle.name)
        for handle in handles_bound_to(scene.others(), {scene.subject.qmid})
    ]


def waiting_at(scene: Scene, qmgr: QueueManager) -> tuple[int, int]:
    """Return how many messages and repository commands wait at the subject to be sent."""
    messaging = messaging_of(qmgr)
    messages = sum(
        parcel.count
        for queue in messaging.waiting
        for parcel in messaging.on(queue)
        if parcel.cluster in ("", *scene.clusters)
    )
    commands = sum(
        1
        for queued in qmgr.repository.waiting.values()
        for each in queued
        if each.cluster in scene.clusters
    )
    return messages, commands


def unseen_messages(qmgrs: Iterable[QueueManager], to: str = "") -> str:
    """Return which observed queue managers may have messages that nobody saw; '' if none may.

    With `to`, only messages for that queue manager count. What was seen counts until it is seen
    again.
    """
    unseen, full = [], []
    for qmgr in qmgrs:
        seen = qmgr.activity.seen.depths.get(CLUSTER_TRANSMISSION_QUEUE)
        bounds = list(bounds_to(qmgr, lambda owner, _: owner == to)) if to else []
        known = sum(least for least, most in bounds if least is not None and least == most)
        is_known = bool(bounds) and all(
            most is not None and most == least for least, most in bounds
        )
        if not qmgr.observed or (is_known and not known):
            continue
        whose = f" for {to}" if is_known else ""
        if seen is None:
            unseen.append(qmgr.name)
        elif is_known or seen.depth:
            at = format_instant(seen.at)
            full.append(
                f"{counted(known if is_known else seen.depth)}{whose} lay on "
                f"{CLUSTER_TRANSMISSION_QUEUE} of {qmgr.name} at {at}"
            )
    if unseen:
        queue = CLUSTER_TRANSMISSION_QUEUE
        full.append(f"the depth of {queue} was never observed at {some(unseen)}")
    return "; ".join(full)


def members(scene: Scene) -> list[QueueManager]:
    """Return the other members of the clusters, by name."""
    clusters = {*scene.clusters}
    return [
        qmgr for qmgr in scene.others() if not clusters.isdisjoint(membership.clusters_joined(qmgr))
    ]


def running_members(scene: Scene) -> list[QueueManager]:
    """Return the running members of the cluster, by name, with the subject unless it is lost."""
    present = [*scene.others(), *([scene.qmgr] if scene.qmgr is not None else [])]
    return sorted(
        (
            qmgr
            for qmgr in present
            if qmgr.running and scene.cluster in membership.clusters_joined(qmgr)
        ),
        key=lambda qmgr: qmgr.name,
    )


def unseen_kinds(qmgr: QueueManager, *kinds: str) -> list[str]:
    """Return the kinds of objects of which an observed queue manager may have unseen ones."""
    if not qmgr.observed:
        return []
    return [kind for kind in kinds if not qmgr.confirmed.get(kind, NEVER_CONFIRMED).complete]


def has_started_again(scene: Scene, qmgr: QueueManager) -> bool:
    """Return whether a queue manager was started since the maintenance began."""
    since = scene.subject.since
    return qmgr.running and since is not None and qmgr.started is not None and qmgr.started > since


def is_past(scene: Scene) -> Checked | None:
    """Return that the queue manager has ended or started again since; None if it has not."""
    qmgr = scene.qmgr
    if qmgr is None or not qmgr.running:
        return done(f"{scene.name} has ended")
    if has_started_again(scene, qmgr) and qmgr.started is not None:
        return done(f"{scene.name} was started again at {format_instant(qmgr.started)}")
    return None
