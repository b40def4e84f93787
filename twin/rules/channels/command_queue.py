"""The command queue and the transmission queues of a repository manager, in trouble.

- A receiving channel that cannot put a repository command on SYSTEM.CLUSTER.COMMAND.QUEUE, because
  the queue is full or PUT(DISABLED), tries again MRRTY times, every MRTMR. Then it puts the command
  on the dead-letter queue (AMQ9544). Without one it ends, and its batch is backed out: the sender
  is RETRYING, and messages wait after the command.
- While the command queue is GET(DISABLED), or a failed operation waits to be run again, the
  repository manager does nothing. Commands that arrive lie on the command queue. Its own are kept
  [memory, unverified: the text of AMQ9448].
- A put on a transmission queue that is full, PUT(DISABLED) or not USAGE(XMITQ) is a failed
  operation (AMQ9511, AMQ9448). On z/OS, MQ then sets the command queue to GET(DISABLED).
- An operation that needs storage fails in the same way, if the repository has none [decided here].

Sources: IBM MQ, "What happens when a repository fails"; 9.4, "Changes to cluster error recovery on
servers on Multiplatforms"; IBM IT39744 (2092); "DEFINE CHANNEL", MRRTY and MRTMR.
"""

from __future__ import annotations

from typing import Final

from twin.events import (
    ClusterCommandsKept,
    ClusterCommandsPut,
    ClusterCommandsSent,
    MessageRetryAwaited,
    ObjectAltered,
    RepositoryCommand,
    RepositoryManagerFailed,
)
from twin.fold.beliefs import Trouble
from twin.fold.estate import QueueManager
from twin.model import reasons
from twin.model.attributes import LARGEST
from twin.model.instants import END_AFTER, RERUN_AFTER, SECOND, Instant
from twin.model.messages import NOT_PUT
from twin.model.names import COMMAND_QUEUE
from twin.model.objects import number_of
from twin.model.platforms import ZOS
from twin.rules.channels import channel_status, retrying, starting
from twin.rules.draft import Draft
from twin.rules.queues import transmission_queues
from twin.rules.queues.local_queues import (
    Refusal,
    dead_letter_queue,
    depth_left,
    is_get_inhibited,
    is_page_set_full,
    local_queue,
    refusal,
)

NO_STORAGE: Final = Refusal(reasons.STORAGE_NOT_AVAILABLE)
"""Why an operation fails that needs storage which the repository does not have."""


def is_waiting(qmgr: QueueManager) -> bool:
    """Return whether a repository manager waits, and processes no command."""
    return qmgr.repository.trouble is not None or (
        qmgr.cluster_queues_changed and is_get_inhibited(qmgr, COMMAND_QUEUE)
    )


def refusal_of_put(qmgr: QueueManager) -> int:
    """Return the reason code with which a put on the command queue fails; 0 if it works."""
    queue = local_queue(qmgr, COMMAND_QUEUE) if qmgr.cluster_queues_changed else None
    return 0 if queue is None or depth_left(qmgr, queue) else refusal(qmgr, queue).reason


def refusal_of_sending(qmgr: QueueManager, channel: str) -> Refusal:
    """Return why a command cannot be put on the transmission queue of a channel.

    The reason is 0 if it can, and for a queue that is only created by the put.
    """
    if not qmgr.cluster_queues_changed:
        return Refusal()
    queue = local_queue(qmgr, transmission_queues.in_use(qmgr, channel))
    if queue is None:
        return Refusal()
    if not queue.is_transmission_queue:
        return Refusal(reasons.XMITQ_USAGE_ERROR, queue.name)
    # A queue with the largest MAXDEPTH is never full in the twin.
    deep = number_of(queue, "MAXDEPTH") >= LARGEST and not queue.is_put_inhibited
    deep = deep and not is_page_set_full(qmgr, queue)
    return Refusal() if deep or depth_left(qmgr, queue) else refusal(qmgr, queue)


def may_intervene(sender: QueueManager, target: QueueManager) -> bool:
    """Return whether queues in trouble may hold up commands from a sender to a target."""
    return bool(
        sender.cluster_queues_changed
        or target.cluster_queues_changed
        or sender.repository.trouble
        or sender.repository.kept
        or target.repository.trouble
    )


def keep(draft: Draft, sender: QueueManager, kept: ClusterCommandsKept) -> bool:
    """Keep commands that a repository manager cannot send now; return whether it keeps them.

    It keeps them while it waits, after others that it keeps, and if it cannot put them on their
    transmission queue. The last is a failed operation.
    """
    if is_waiting(sender) or sender.repository.kept:
        draft.emit(kept)
        return True
    refused = refusal_of_sending(sender, kept.channel)
    if not refused.reason:
        return False
    draft.emit(kept)
    fail(draft, sender, refused)
    return True


def fail(
    draft: Draft, qmgr: QueueManager, refused: Refusal, *, after: Trouble | None = None
) -> None:
    """Let an operation of a repository manager fail; `after` is its earlier failure, if any."""
    on_zos = qmgr.platform == ZOS
    left = END_AFTER if after is None else time_left(draft, after)
    draft.emit(
        RepositoryManagerFailed(
            qmgr=qmgr.name,
            queue=refused.queue,
            reason=refused.reason,
            after=None if on_zos else min(RERUN_AFTER, left),
            left=None if on_zos else left,
        )
    )
    if on_zos:
        draft.emit(
            ObjectAltered(
                qmgr=qmgr.name, kind="QUEUE", name=COMMAND_QUEUE, values={"GET": "DISABLED"}
            )
        )


def demand_storage(draft: Draft, qmgr: QueueManager) -> None:
    """Let an operation fail that adds a record or a subscription, if there is no storage for it."""
    if qmgr.repository.exhausted and not is_waiting(qmgr):
        fail(draft, qmgr, NO_STORAGE)


def time_left(draft: Draft, trouble: Trouble) -> int:
    """Return the time until a failed operation ends its queue manager; on z/OS it never does."""
    if trouble.ends is None:
        return END_AFTER
    return trouble.ends if trouble.retry is None else trouble.ends - draft.at


def is_held_up(qmgr: QueueManager, channel: str) -> bool:
    """Return whether the partner of a channel retries to put a message."""
    state = qmgr.activity.channels.get(channel)
    return state is not None and state.message_retry is not None


def hold_up(draft: Draft, sender: QueueManager, target: QueueManager, channel: str) -> None:
    """Let the receiving channel retry to put the first waiting command, if it retries at all.

    A disconnected channel starts for it.
    """
    if channel_status.current_state(sender, channel, draft.at) is None and not starting.start(
        draft, sender, channel, target.name
    ):
        return
    count, interval = _message_retries(target, channel)
    if not count * interval:
        give_up(draft, sender, target, channel)
        return
    last = draft.at + count * interval
    draft.emit(MessageRetryAwaited(qmgr=sender.name, channel=channel, at=last, last=last))


def _message_retries(target: QueueManager, channel: str) -> tuple[int, Instant]:
    """Return how often a receiving channel retries to put a message, and after what time."""
    receiving = target.definitions.get(("CHANNEL", channel))
    if receiving is None:
        return 0, 0
    return number_of(receiving, "MRRTY"), number_of(receiving, "MRTMR") * SECOND // 1000


def hasten(draft: Draft, sender: QueueManager, target: QueueManager, channel: str) -> None:
    """Put the next retry of the receiving channel on the agenda, because it may now succeed."""
    retry = sender.activity.channels[channel].message_retry
    if retry is None:
        return
    _, interval = _message_retries(target, channel)
    last = retry[1]
    following = last - (last - draft.at - 1) // interval * interval if interval else last
    if draft.at < following < retry[0]:
        draft.emit(MessageRetryAwaited(qmgr=sender.name, channel=channel, at=following, last=last))


def give_up(draft: Draft, sender: QueueManager, target: QueueManager, channel: str) -> None:
    """Put the first waiting command on the dead-letter queue of its target, or end the channel."""
    first = sender.repository.waiting[channel][0]
    reason = refusal_of_put(target)
    dead = takes_dead_letters(target, channel)
    if not dead:
        retrying.fail(draft, sender, channel, reason=NOT_PUT)
        return
    draft.emit(ClusterCommandsSent(qmgr=sender.name, channel=channel, count=1))
    command = RepositoryCommand(
        sender=sender.qmid,
        cluster=first.cluster,
        since=first.since,
        items=first.items,
        asks=first.asks,
        removals=first.removals,
        answers=first.answers,
    )
    draft.emit(
        ClusterCommandsPut(
            qmgr=target.name, channel=channel, queue=dead, command=command, reason=reason
        )
    )


def takes_dead_letters(target: QueueManager, channel: str) -> str:
    """Return the dead-letter queue on which a receiving channel can put a message; '' if none."""
    name = dead_letter_queue(target, target.definitions.get(("CHANNEL", channel)))
    return name if name and depth_left(target, target.definitions["QUEUE", name]) else ""
