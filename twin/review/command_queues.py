"""Command queues that are disabled, commands that lie at their target, and what mends that.

Sources: IBM MQ, "What happens when a repository fails?" (the repository manager does nothing while
its command queue is GET(DISABLED)); "DEFINE CHANNEL", MRRTY (a command that cannot be put on it
goes to the dead-letter queue); IBM MQ 9.1, "The DLQ handler rules table".
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from twin.model.names import COMMAND_QUEUE
from twin.model.objects import text_of
from twin.questions.sender_channels import messaging_of
from twin.rules.queues.local_queues import local_queue

if TYPE_CHECKING:
    from twin.events import RepositoryCommand
    from twin.fold.estate import QueueManager

_ATTRIBUTES = ("GET", "PUT")


class ArrivedCommand(NamedTuple):
    """A repository command on a local queue of its target, and the position of its event.

    The queue is the command queue, or a dead-letter queue.
    """

    queue: str
    command: RepositoryCommand
    position: int


def disabled(qmgr: QueueManager, attributes: tuple[str, ...] = _ATTRIBUTES) -> tuple[str, ...]:
    """Return which of GET and PUT are DISABLED at the command queue of a queue manager."""
    queue = local_queue(qmgr, COMMAND_QUEUE)
    if queue is None:
        return ()
    return tuple(each for each in attributes if text_of(queue, each) == "DISABLED")


def enabling(qmgr: QueueManager, attributes: tuple[str, ...] = _ATTRIBUTES) -> str:
    """Return how a disabled command queue is enabled; '' if it is enabled."""
    values = " ".join(f"{each}(ENABLED)" for each in disabled(qmgr, attributes))
    if not values:
        return ""
    return f"enable the queue: ALTER QLOCAL({COMMAND_QUEUE}) {values} at {qmgr.name}"


def arrived(qmgr: QueueManager) -> Iterator[ArrivedCommand]:
    """Go through the repository commands that lie on local queues of a queue manager."""
    for queue, parcels in sorted(messaging_of(qmgr).local.items()):
        for parcel in parcels:
            if parcel.command is not None:
                yield ArrivedCommand(queue, parcel.command, parcel.put)


def processing(qmgr: QueueManager, queue: str) -> str:
    """Return how the commands are processed that lie on a local queue of a queue manager."""
    if queue == COMMAND_QUEUE:
        return going_on(qmgr)
    retry = (
        f"put the commands on {queue} of {qmgr.name} again: runmqdlq, with DESTQ({COMMAND_QUEUE}) "
        "ACTION(RETRY)"
    )
    enable = enabling(qmgr)
    return f"{enable}; then {retry}" if enable else retry


def going_on(qmgr: QueueManager) -> str:
    """Return how a repository manager that does nothing is made to go on."""
    if not qmgr.running:
        return f"start {qmgr.name}"
    return enabling(qmgr) or f"repair the repository manager of {qmgr.name} (AMQ9511, AMQ9448)"
