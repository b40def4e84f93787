"""Look for repository commands that wait, and for repository managers that do nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from twin.model.amounts import counted, verb
from twin.model.names import COMMAND_QUEUE
from twin.questions.doctor.finding import some
from twin.review import command_queues
from twin.review.runbooks import checks
from twin.review.runbooks.judgement import Judgement

if TYPE_CHECKING:
    from twin.fold.estate import QueueManager
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
                    cure = command_queues.enabling(target) or cure
                    yield _Waiting(f"{channel} of {sender.name}", cure, commands.position)
        for _, commands in repository.kept:
            if commands.cluster == scene.cluster and qmgr.qmid in (sender.qmid, commands.to):
                cure = command_queues.going_on(sender)
                place = f"the repository manager of {sender.name}"
                yield _Waiting(place, cure, commands.position)


def _arrived(scene: Scene, qmgr: QueueManager) -> Iterator[_Waiting]:
    """Yield the commands that lie on the command queue or a dead-letter queue of their target."""
    for target in scene.estate.qmgrs.values():
        for queue, command, position in command_queues.arrived(target):
            if command.cluster == scene.cluster and qmgr.qmid in (target.qmid, command.sender):
                cure = command_queues.processing(target, queue)
                yield _Waiting(f"{queue} of {target.name}", cure, position)


def fails(scene: Scene, qmgr: QueueManager) -> Judgement:
    """Check whether its repository manager fails, or can do nothing with its command queue."""
    del scene
    enabling, evidence = command_queues.enabling(qmgr), (qmgr.position,)
    if qmgr.repository.trouble is not None:
        instead = "repair the queue that AMQ9511 names"
        return Judgement(
            found=True,
            seen="its repository manager fails (AMQ9511, AMQ9448)",
            instead=f"{instead}; then {enabling}" if enabling else instead,
            evidence=evidence,
        )
    if enabling:
        closed = " ".join(f"{each}(DISABLED)" for each in command_queues.disabled(qmgr))
        queue = qmgr.definitions["QUEUE", COMMAND_QUEUE]
        return Judgement(
            found=True,
            seen=f"{COMMAND_QUEUE} is {closed}: it processes no commands of others",
            instead=enabling,
            evidence=(queue.position,),
        )
    hidden = f"no observation shows whether the repository manager of {qmgr.name} works"
    return Judgement(
        found=False, seen=hidden if qmgr.observed else "it works", unknown=bool(qmgr.observed)
    )
