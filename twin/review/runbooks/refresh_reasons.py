"""What could call for REFRESH CLUSTER, and whether the estate has it: most of it calls for less.

Sources: "Cluster-administration considerations" (after a point-in-time backup, and seldom else);
IBM MQ 9.2, "REFRESH CLUSTER" and "RESET CLUSTER"; 9.4, "How long do the queue manager repositories
retain information?".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple, TypeAlias

from twin.fold.estate import QueueManager
from twin.model.amounts import counted, verb
from twin.model.instants import format_instant
from twin.model.names import COMMAND_QUEUE
from twin.questions.doctor.finding import some
from twin.review import hearing
from twin.review.runbooks import checks, refresh_checks
from twin.review.runbooks.refresh_checks import Judgement
from twin.review.runbooks.scene import Scene


class _Waiting(NamedTuple):
    """A repository command that waits: where, what lets it go on, and where it comes from."""

    place: str
    cure: str
    position: int


def is_stuck(scene: Scene, qmgr: QueueManager) -> Judgement:
    """Check whether repository commands to it or from it wait."""
    stuck = sorted({*_to_be_sent(scene, qmgr), *_arrived(scene, qmgr)})
    if not stuck:
        unseen = checks.unseen_messages([qmgr])
        seen = "no repository command to it or from it waits"
        return Judgement(found=False, seen=unseen or seen, unknown=bool(unseen))
    places = some(dict.fromkeys(each.place for each in stuck))
    number = len(stuck)
    return Judgement(
        found=True,
        seen=f"{counted(number, 'repository command')} {verb(number, 'wait')} on {places}",
        instead="; ".join(dict.fromkeys(each.cure for each in stuck)),
        evidence=tuple(each.position for each in stuck[:20]),
    )


def _to_be_sent(scene: Scene, qmgr: QueueManager) -> Iterator[_Waiting]:
    """Yield the commands that wait for a channel, or that a repository manager keeps."""
    for sender in scene.estate.qmgrs.values():
        repository = sender.repository
        for channel, queued in repository.waiting.items():
            for commands in queued:
                if commands.cluster == scene.cluster and qmgr.qmid in (sender.qmid, commands.to):
                    target = scene.estate.owner(commands.to)
                    cure = "repair the channel: they are sent when it runs"
                    cure = hearing.enabling(target) or cure
                    yield _Waiting(f"{channel} of {sender.name}", cure, commands.position)
        for _, commands in repository.kept:
            if commands.cluster == scene.cluster and qmgr.qmid in (sender.qmid, commands.to):
                cure = hearing.going_on(sender)
                place = f"the repository manager of {sender.name}"
                yield _Waiting(place, cure, commands.position)


def _arrived(scene: Scene, qmgr: QueueManager) -> Iterator[_Waiting]:
    """Yield the commands that lie on the command queue or a dead-letter queue of their target."""
    for target in scene.estate.qmgrs.values():
        for queue, command, position in hearing.arrived(target):
            if command.cluster == scene.cluster and qmgr.qmid in (target.qmid, command.sender):
                cure = hearing.processing(target, queue)
                yield _Waiting(f"{queue} of {target.name}", cure, position)


def fails(scene: Scene, qmgr: QueueManager) -> Judgement:
    """Check whether its repository manager fails, or can do nothing with its command queue."""
    enabling = hearing.enabling(qmgr)
    trouble = qmgr.repository.trouble
    if trouble is not None:
        instead = f"repair {trouble.queue or 'the queue that AMQ9511 names'}"
        since = f" since {format_instant(trouble.since)}" if trouble.since else ""
        return Judgement(
            found=True,
            seen=f"its repository manager has failed{since} (AMQ9511, AMQ9448)",
            instead=f"{instead}; then {enabling}" if enabling else instead,
            evidence=(trouble.position or qmgr.position,),
        )
    if enabling:
        closed = " ".join(f"{each}(DISABLED)" for each in hearing.disabled(qmgr))
        return Judgement(
            found=True,
            seen=f"{COMMAND_QUEUE} is {closed}: it processes no commands of others",
            instead=enabling,
            evidence=(qmgr.definitions["QUEUE", COMMAND_QUEUE].position,),
        )
    hidden = f"no observation shows whether the repository manager of {qmgr.name} works"
    return Judgement(
        found=False, seen=hidden if qmgr.observed else "it works", unknown=bool(qmgr.observed)
    )


ReasonCheck: TypeAlias = "Callable[[Scene, QueueManager], Judgement]"


class RefreshReason(NamedTuple):
    """A reason for which people run REFRESH CLUSTER.

    Attributes:
        id: its name in kebab case.
        text: the reason, in one sentence.
        check: the function that looks for it.
        source: the document that says what mends it.
    """

    id: str
    text: str
    check: ReasonCheck
    source: str


_ADMINISTERING: Final = "Cluster-administration considerations"
_RETAIN: Final = "IBM MQ 9.4, How long do the queue manager repositories retain information?"
_REFRESH: Final = "IBM MQ 9.2, REFRESH CLUSTER"
_RESET: Final = "IBM MQ 9.2, RESET CLUSTER"

REASONS: Final = (
    RefreshReason(
        "restored",
        "It was restored from a point-in-time backup.",
        refresh_checks.is_restored,
        f"{_ADMINISTERING}, Recovering a queue manager",
    ),
    RefreshReason(
        "removed-by-force",
        "It was removed by RESET CLUSTER, and is to stay a member.",
        refresh_checks.is_removed,
        _RESET,
    ),
    RefreshReason(
        "left",
        "It left the cluster, and is to forget it at once (REPOS(YES)).",
        refresh_checks.has_left,
        "IBM MQ, Removing a queue manager from a cluster",
    ),
    RefreshReason(
        "not-heard",
        "Full repositories hold other values of its records, and no update is on its way.",
        refresh_checks.is_misunderstood,
        _REFRESH,
    ),
    RefreshReason(
        "wrong-records",
        "It holds other values than the full repositories, and no update is on its way.",
        refresh_checks.is_wrong,
        f"{_ADMINISTERING}, Refreshing a queue manager",
    ),
    RefreshReason("expired", "It holds expired records.", refresh_checks.holds_expired, _RETAIN),
    RefreshReason(
        "stuck",
        "Repository commands wait.",
        is_stuck,
        f"{_ADMINISTERING}, What happens when a repository fails?",
    ),
    RefreshReason(
        "two-qmids", "It holds two QMIDs of one queue manager.", refresh_checks.sees_double, _RESET
    ),
    RefreshReason(
        "lapsed",
        "Its request for a queue lapsed, so it no longer knows the queue.",
        refresh_checks.has_lapsed,
        _RETAIN,
    ),
    RefreshReason(
        "repository-fails",
        "Its repository manager fails.",
        fails,
        f"{_ADMINISTERING}, What happens when a repository fails?",
    ),
)
"""Every reason that is looked for, those that a refresh mends first."""
