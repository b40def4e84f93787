"""The runbook `maintain`: a queue manager is suspended, maintained, started and resumed.

After the last step the estate looks as before the first one. So each step but the first ones asks
whether the queue manager has started again since the maintenance began (`since`).

Sources: "Cluster-administration considerations" (maintaining a queue manager); IBM MQ 9.2, "SUSPEND
QMGR, RESUME QMGR and clusters"; "The cluster workload management algorithm" (rank comes first).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from twin.fold.estate import QueueManager
from twin.model.amounts import counted, verb
from twin.model.commands import Command
from twin.model.instants import format_instant
from twin.model.objects import Definition, text_of
from twin.questions.doctor.finding import some
from twin.questions.sender_channels import RETRYING, SenderChannels, messaging_of
from twin.review.runbooks import checks, departing, leaving, ranking
from twin.review.runbooks.checks import has_started_again, is_past
from twin.review.runbooks.control_commands import ON_ZOS, control
from twin.review.runbooks.scene import (
    Checked,
    RunbookStep,
    Scene,
    blocked,
    done,
    missing,
)
from twin.rules import membership
from twin.rules.channels import channel_status

_MAINTAINING: Final = "Cluster-administration considerations, Maintaining a queue manager"
_FAILING: Final = "Cluster-administration considerations, What happens when a queue manager fails?"


def _others_carry_on(scene: Scene) -> Checked:
    """Check that another full repository runs, and that others have its queues until it ends."""
    qmgr = scene.qmgr
    for cluster in scene.clusters:
        if qmgr is not None and membership.is_full(qmgr, cluster) and qmgr.running:
            alone = departing.no_other_repository(scene, cluster)
            if alone:
                return blocked(alone)
    if qmgr is None or (past := is_past(scene)) is not None:
        return past or done(f"{scene.name} no longer exists")
    shared = checks.shared_objects(qmgr, scene.clusters)
    last = departing.last_instances(scene, shared)
    unused = sorted(set(_without_taker(scene, shared)).difference(last))
    reasons = [f"nobody else has {some(last)}"] if last else []
    if unused:
        reasons.append(f"no other instance of {some(unused)} runs with PUT(ENABLED)")
    if reasons:
        those = "it" if len(last) + len(unused) == 1 else "them"
        return blocked(
            f"{'; '.join(reasons)}: messages for {those} wait until {scene.name} is back"
        )
    return done(f"others have all that {scene.name} shares")


def _without_taker(scene: Scene, shared: list[Definition]) -> Iterator[str]:
    """Yield the queues of which no other member that runs has an instance that takes messages."""
    members = [each for each in checks.members(scene) if each.running]
    for definition in shared:
        others = [
            other
            for member in members
            for other in [member.definitions.get((definition.kind, definition.name))]
            if other is not None
            and not {*scene.clusters}.isdisjoint(membership.clusters(member, other))
        ]
        if definition.kind == "QUEUE" and all(text_of(each, "PUT") != "ENABLED" for each in others):
            yield definition.name


def _is_suspended(scene: Scene) -> Checked:
    return is_past(scene) or leaving.SUSPEND.check(scene)


def _suspend(scene: Scene) -> Iterator[Command]:
    if is_past(scene) is None:
        yield from departing.suspend(scene)


def _is_quiet(scene: Scene) -> Checked:
    """Check that nothing waits at it, and that no batch to or from it is in doubt."""
    if (past := is_past(scene)) is not None:
        return past
    doubts = _in_doubt(scene)
    if doubts:
        return missing(f"a batch is in doubt: {some(doubts)}")
    checked = leaving.SEND.check(scene)
    depth = _depth(scene)
    if checked.done and depth:
        return checked._replace(
            detail=f"{checked.detail}; {counted(depth)} on its shared queues "
            f"{verb(depth, 'stay')} there meanwhile"
        )
    return checked


def _in_doubt(scene: Scene) -> list[str]:
    """Return the channels with a batch in doubt, at the queue manager and to it."""
    named = []
    for name in sorted(scene.estate.qmgrs_holding_channels):
        qmgr = scene.estate.qmgrs.get(name)
        if qmgr is not None:
            for channel in messaging_of(qmgr).in_doubt:
                state = qmgr.activity.channels.get(channel)
                if scene.name in (name, state.partner if state else ""):
                    named.append(f"{name} {channel}")
    return named


def _depth(scene: Scene) -> int:
    """Return how many messages are known to be on the shared queues."""
    qmgr = scene.qmgr
    if qmgr is None:
        return 0
    messaging = messaging_of(qmgr)
    shared = checks.shared_objects(qmgr, scene.clusters)
    return sum(messaging.depth(each.name) for each in shared if each.type == "QLOCAL")


def _has_ended(scene: Scene) -> Checked:
    return is_past(scene) or missing(f"{scene.name} runs")


def _end(scene: Scene) -> Iterator[Command]:
    if is_past(scene) is None:
        yield from control(scene, "end")


def _is_back(scene: Scene) -> Checked:
    qmgr = scene.qmgr
    if qmgr is not None and has_started_again(scene, qmgr):
        return is_past(scene) or done(f"{scene.name} runs")
    if qmgr is not None and qmgr.running:
        return missing(f"{scene.name} has not been restarted yet")
    return missing(f"{scene.name} has ended")


def _start(scene: Scene) -> Iterator[Command]:
    qmgr = scene.qmgr
    if qmgr is not None and not qmgr.running:
        yield from control(scene, "start")


def _is_resumed(scene: Scene) -> Checked:
    qmgr = scene.qmgr
    if qmgr is None or not has_started_again(scene, qmgr):
        return missing(f"{scene.name} has not been restarted yet")
    suspended = [cluster for cluster in scene.clusters if cluster in qmgr.suspended]
    if suspended:
        return missing(f"{scene.name} is suspended in {some(suspended)}; a restart does not resume")
    return departing.suspension_heard(scene, "NO")


def _resume(scene: Scene) -> Iterator[Command]:
    suspended = scene.qmgr.suspended if scene.qmgr is not None else ()
    for cluster in scene.clusters:
        if cluster in suspended:
            yield Command.of(scene.name, "RESUME", "QMGR", CLUSTER=cluster)


def _is_reached(scene: Scene) -> Checked:
    """Check that no channel to it or from it waits for its next retry."""
    qmgr = scene.qmgr
    if qmgr is None or not has_started_again(scene, qmgr):
        return missing(f"{scene.name} has not been restarted yet")
    statuses = {
        (sender.name, channel): (sender, channel_status.status_of(sender, channel, scene.at))
        for sender, channel in _channels_between(scene, qmgr)
    }
    late = [
        f"{name} {channel}, next retry {_next_retry(sender, channel, scene.at)}"
        for (name, channel), (sender, status) in statuses.items()
        if status == RETRYING
    ]
    if late:
        return missing(f"RETRYING: {some(late)}")
    stopped = [
        f"{name} {channel}"
        for (name, channel), (_, status) in statuses.items()
        if status == "STOPPED"
    ]
    if stopped:
        return done(
            f"no channel waits for a retry; STOPPED until somebody starts it: {some(stopped)}"
        )
    return done("no channel to or from it waits for a retry")


def _next_retry(sender: QueueManager, channel: str, at: int) -> str:
    retry = SenderChannels(sender).next_retry(channel, at)
    return format_instant(retry) if retry is not None else "none"


def _channels_between(scene: Scene, qmgr: QueueManager) -> Iterator[tuple[QueueManager, str]]:
    """Go through the channels of others to it, and its own channels to others that run."""
    for other in scene.others():
        if other.running:
            for cluster in scene.clusters:
                for channel in other.repository.routes.get((cluster, qmgr.qmid), ()):
                    yield other, channel
                for channel in qmgr.repository.routes.get((cluster, other.qmid), ()):
                    yield qmgr, channel


STEPS: Final = (
    RunbookStep(
        id="others",
        text="Make sure that others can do without {name}, or accept with --done others that "
        "messages wait; maintain one full repository at a time.",
        done_when="Another full repository of {clusters} runs if {name} is one, and another member "
        "that runs has each queue that {name} shares, with PUT(ENABLED).",
        check=_others_carry_on,
        source=f"{_MAINTAINING}; Selecting queue managers to hold full repositories",
    ),
    RunbookStep(
        id="suspend",
        text="Suspend {name} in {clusters}, so that others avoid it. What is put before and after "
        "takes different routes: only messages of a group stay in order.",
        done_when="The running full repositories hold SUSPEND(YES) of {name}.",
        check=_is_suspended,
        commands=_suspend,
        source=_MAINTAINING,
    ),
    ranking.LOWER,
    RunbookStep(
        id="quiet",
        text="Let what waits at {name} leave, and batches be confirmed.",
        done_when="No transmission queue of {name} has messages or commands for {clusters}, and no "
        "batch to or from it is in doubt.",
        check=_is_quiet,
        lasts=False,
        source=_FAILING,
    ),
    RunbookStep(
        id="end",
        text="End {name}. As channels to it fail, waiting messages that others can take are "
        "rerouted, and can lose their order; messages of a group stay in order.",
        done_when="{name} has ended since the maintenance began.",
        check=_has_ended,
        commands=_end,
        source=f"{_MAINTAINING}; {ON_ZOS}",
    ),
    RunbookStep(
        id="start",
        text="Maintain {name}, and start it again.",
        done_when="{name} was started since the maintenance began.",
        check=_is_back,
        commands=_start,
        works_first=True,
        lasts=False,
        source=f"{_MAINTAINING}; {ON_ZOS}",
    ),
    RunbookStep(
        id="resume",
        text="Resume {name} in {clusters}: a restart does not.",
        done_when="The running full repositories hold SUSPEND(NO) of {name}.",
        check=_is_resumed,
        commands=_resume,
        lasts=False,
        source="IBM MQ 9.2, SUSPEND QMGR, RESUME QMGR and clusters",
    ),
    ranking.GIVE_BACK,
    RunbookStep(
        id="reached",
        text="Wait until the channels to {name} and from it run again.",
        done_when="No channel between {name} and a running queue manager is RETRYING.",
        check=_is_reached,
        lasts=False,
        source="IBM MQ 9.1, Short retry interval",
    ),
)
