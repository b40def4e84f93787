"""The repository manager goes on: after a failed operation, or once its command queue is enabled.

Decided here: while a failed operation waits, the repository manager does nothing else, as it does
with GET(DISABLED); what it would send is kept, and sent in order at the next success. If its
command queue is GET(DISABLED), the operation is not run again, and that time does not count for the
five days. At GET(ENABLED) the operation runs again at once.

Sources: IBM MQ 9.4, "Changes to cluster error recovery on servers on Multiplatforms"; "What happens
when a repository fails"; the text of AMQ9448 [memory, unverified].
"""

from __future__ import annotations

from typing import Final, NamedTuple

from twin.events import (
    ClusterCommandsResumed,
    ClusterCommandsTaken,
    ErrorLogged,
    MessagesGot,
    QueueManagerEnded,
    RepositoryManagerPostponed,
    RepositoryManagerRestarted,
)
from twin.fold.beliefs import Trouble
from twin.fold.estate import QueueManager
from twin.model.instants import COMMANDS_EXPIRE_AFTER
from twin.model.messages import NOT_PUT
from twin.model.names import COMMAND_QUEUE
from twin.model.readings import FAILED, RESTARTED, reading_of
from twin.rules import reachability, standing
from twin.rules.channels import command_queue, retrying
from twin.rules.draft import Draft
from twin.rules.messages.arrival import CommandQueueReached
from twin.rules.queues import put_times
from twin.rules.queues.local_queues import Refusal, is_get_inhibited
from twin.rules.repository import delivery, receiving, recipients


class QueueManagerFailed(NamedTuple):
    """A happening: a queue manager has failed, and what watches it starts it again."""

    qmgr: QueueManager


_UNRECOGNISED: Final = "AMQ9434"
_CANNOT_PUT: Final = "AMQ9511"
_NO_STORAGE: Final = "TWN0011"


def attend(draft: Draft, name: str) -> None:
    """Let a repository manager react to a fact about its queue manager, if its queues changed.

    It stops or goes on with its command queue. Channels whose command it could not take are woken
    if it can take it now.
    """
    qmgr = draft.estate.qmgrs.get(name)
    if qmgr is None or not qmgr.running or not qmgr.cluster_queues_changed:
        return
    trouble = qmgr.repository.trouble
    if is_get_inhibited(qmgr, COMMAND_QUEUE):
        if trouble is not None and trouble.retry is not None:
            draft.emit(RepositoryManagerPostponed(qmgr=name))
    elif trouble is None or trouble.retry is None:
        resume(draft, qmgr)
        return
    _wake_senders(draft, qmgr)


def resume(draft: Draft, qmgr: QueueManager) -> None:
    """Run a failed operation again, send what was kept, and read the command queue.

    If the operation fails again after its five days, the queue manager ends.
    """
    trouble = qmgr.repository.trouble
    if trouble is not None and trouble.storage:
        _fail_again(draft, qmgr, command_queue.NO_STORAGE, trouble)
        return
    if trouble is not None and trouble.seen and not _may_work(draft, qmgr, trouble):
        if trouble.ends is not None:
            _fail_again(draft, qmgr, Refusal(trouble.reason, trouble.queue), trouble)
        return
    while qmgr.repository.kept and qmgr.repository.trouble is trouble:
        channel, commands = qmgr.repository.kept[0]
        refused = command_queue.refusal_of_sending(qmgr, channel)
        if refused.reason:
            _fail_again(draft, qmgr, refused, trouble)
            return
        if trouble is not None:
            draft.emit(RepositoryManagerRestarted(qmgr=qmgr.name))
            trouble = None
        draft.emit(ClusterCommandsResumed(qmgr=qmgr.name))
        target = recipients.live_qmgr(draft, commands.to)
        if target is not None:
            content = receiving.Commands.of(commands)
            delivery.carry(
                draft, delivery.CommandRoute(qmgr, target, channel, commands.cluster), content
            )
            draft.follow_up()
    if trouble is not None:
        draft.emit(RepositoryManagerRestarted(qmgr=qmgr.name))
    _read(draft, qmgr)
    _wake_senders(draft, qmgr)


def work_again(draft: Draft, qmgr: QueueManager) -> None:
    """Let a repository manager that failed work again, because that was seen."""
    if qmgr.repository.trouble is not None:
        draft.emit(RepositoryManagerRestarted(qmgr=qmgr.name))
        resume(draft, qmgr)


def _may_work(draft: Draft, qmgr: QueueManager, trouble: Trouble) -> bool:
    """Return whether a repository manager that was seen to fail may work at its next rerun.

    On main, only an error log says so. On a branch, what was broken at the fork stays broken until
    the queue on which its put failed is altered (on z/OS its command queue, which MQ has
    get-disabled), or until the end that was announced has passed at the fork: nobody saw it.
    """
    if qmgr.is_only_observed:
        return False
    over = trouble.retry is not None and trouble.ends is not None and trouble.ends < draft.at
    name = trouble.queue if trouble.ends is not None else COMMAND_QUEUE
    queue = qmgr.definitions.get(("QUEUE", name))
    return over or (queue is not None and (queue.altered or 0) > trouble.since)


def _fail_again(
    draft: Draft, qmgr: QueueManager, refused: Refusal, trouble: Trouble | None
) -> None:
    """Let an operation fail, or end the queue manager if its five days are over.

    The last failure is logged as the others are, without AMQ9448: no rerun follows [decided here].
    """
    if trouble is not None and not command_queue.time_left(draft, trouble):
        if qmgr.is_only_observed:
            return  # whether it ended is observed
        inserts = (refused.queue, str(refused.reason)) if refused.queue else ()
        id_ = _CANNOT_PUT if inserts else _NO_STORAGE
        draft.emit(ErrorLogged(qmgr=qmgr.name, id=id_, inserts=inserts))
        end(draft, qmgr, failed=True)
    else:
        command_queue.fail(draft, qmgr, refused, after=trouble)


def read_reached(draft: Draft, reached: CommandQueueReached) -> None:
    """Read messages that have arrived on the command queue as messages of an application."""
    if reached.receiver.running:
        _read(draft, reached.receiver)


def _read(draft: Draft, qmgr: QueueManager) -> None:
    """Process the commands on the command queue, unless the repository manager waits.

    Expired commands are discarded, and so are messages that are no commands (AMQ9434).
    """
    while not command_queue.is_waiting(qmgr) and (
        parcels := qmgr.messaging.local.get(COMMAND_QUEUE) if qmgr.has_messaging else None
    ):
        first = parcels[0]
        command = first.command
        if command is None:
            draft.emit(MessagesGot(qmgr=qmgr.name, queue=COMMAND_QUEUE, count=first.count))
            draft.emit(ErrorLogged(qmgr=qmgr.name, id=_UNRECOGNISED))
            continue
        expired = draft.at >= command.since + COMMANDS_EXPIRE_AFTER
        sender = None if expired else recipients.live_qmgr(draft, command.sender)
        content = receiving.Commands.of(command)
        if sender and receiving.lacks_storage(draft, sender, qmgr, command.cluster, content):
            command_queue.demand_storage(draft, qmgr)
            return
        draft.emit(
            ClusterCommandsTaken(qmgr=qmgr.name, queue=COMMAND_QUEUE, place=0, expired=expired)
        )
        if sender:
            receiving.receive(draft, sender, qmgr, command.cluster, content)
            draft.follow_up()


def _wake_senders(draft: Draft, qmgr: QueueManager) -> None:
    """Put the retries of channels whose repository command can now be taken on the agenda."""
    reachability.send_over_standing(draft, qmgr)
    for sender, channel, state in reachability.channels_to(draft, qmgr):
        if channel not in sender.repository.waiting or not sender.running:
            continue
        if standing.stands(sender, channel):
            continue
        takes = not command_queue.refusal_of_put(qmgr)
        if state.message_retry is not None and takes:
            command_queue.hasten(draft, sender, qmgr, channel)
        elif (state.status, state.reason) == ("RETRYING", NOT_PUT) and (
            takes or command_queue.takes_dead_letters(qmgr, channel)
        ):
            retrying.await_retry(draft, sender, channel, state)


def end(draft: Draft, qmgr: QueueManager, *, failed: bool = False) -> None:
    """End a queue manager: endmqm, or, with `failed`, its repository manager does."""
    for channel in qmgr.messaging.channels() if qmgr.has_messaging else ():
        put_times.record(draft, qmgr, channel, upto=draft.at)
    # Only a listener with CONTROL(QMGR) is stopped with it: IBM MQ 9.4, "DEFINE LISTENER".
    listeners = tuple(
        name
        for name in qmgr.activity.listeners
        if (defined := qmgr.definitions.get(("LISTENER", name)))
        and defined.values.get("CONTROL") != "QMGR"
    )
    draft.emit(QueueManagerEnded(qmgr=qmgr.name, failed=failed, listeners=listeners))
    if failed and reading_of(draft.estate.readings, FAILED) == RESTARTED:
        draft.react(QueueManagerFailed(qmgr))
    reachability.fail_channels_to(draft, qmgr)
