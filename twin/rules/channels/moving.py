"""Move the messages of a switch to the new transmission queue, as many as fit, and end the switch.

If the next message cannot be put on the new queue or got from the old one, the switch stops. The
channel then gets from the new queue, new messages are put on the old one, and those that lie there
are not sent. The switch goes on at the next start of the channel, or by runswchl.

Decided here: messages are moved faster than the channel sends them. So a new queue of MAXDEPTH(5)
takes five messages at each start. A switch that has nothing to move ends, even if its queues are
full or disabled. Repository commands that wait on the old queue need space on the new one, too.

Sources: IBM MQ 9.4, "Monitoring transmission queue switching", "Potential issues when switching
transmission queues"; APAR PH00544 (the messages of z/OS, except CSQM551 and CSQM554 [memory,
unverified]). Of the messages of other platforms, only AMQ7341 has a source; TWN ids are ours.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from twin.events import (
    ErrorLogged,
    MessagesSwitched,
    TransmissionQueueSwitched,
    TransmissionQueueSwitchStopped,
)
from twin.fold.estate import QueueManager
from twin.fold.messaging import Switch
from twin.model.attributes import LARGEST
from twin.model.platforms import ZOS
from twin.model.reasons import GET_INHIBITED, UNKNOWN_OBJECT
from twin.rules.draft import Draft
from twin.rules.queues.local_queues import (
    Refusal,
    depth_left,
    is_get_inhibited,
    local_queue,
    refusal,
)


class Stages(NamedTuple):
    """The messages that a platform writes to its error log about a switch."""

    began: tuple[str, ...]
    moving: str
    left: str
    moved: str
    switched: str
    stopped: str
    not_opened: str


_STAGES: Final = Stages(
    ("TWN0006",), "TWN0007", "TWN0008", "TWN0009", "AMQ7341", "TWN0010", "TWN0010"
)
_ZOS_STAGES: Final = Stages(
    ("CSQX293", "CSQM550"), "CSQM553", "TWN0008", "CSQM554", "CSQM551", "CSQM555", "CSQM556"
)


def stages(qmgr: QueueManager) -> Stages:
    """Return the messages that a queue manager writes about a switch."""
    return _ZOS_STAGES if qmgr.platform == ZOS else _STAGES


def say(draft: Draft, qmgr: QueueManager, message: str, *inserts: object) -> None:
    """Write a message to the error log."""
    draft.emit(ErrorLogged(qmgr=qmgr.name, id=message, inserts=tuple(map(str, inserts))))


def count_waiting(qmgr: QueueManager, queue: str, channel: str) -> int:
    """Return how many messages for a channel are on a transmission queue."""
    return sum(parcel.count for parcel in qmgr.messaging.waiting.get(queue, {}).get(channel, ()))


def go_on(draft: Draft, qmgr: QueueManager, channel: str) -> None:
    """Move the messages on the old queue, as many as fit; end the switch if none is left.

    Repository commands move all at once, as the switch ends. Do nothing while the switch is held.
    """
    messaging, said = qmgr.messaging, stages(qmgr)
    if channel in messaging.held_switch:
        return
    switch = messaging.switching[channel]
    waiting = count_waiting(qmgr, switch.queue, channel)
    fitting, why = _fitting(qmgr, switch)
    if waiting:
        say(draft, qmgr, said.moving, channel, waiting, switch.queue, switch.to)
    if count := min(waiting, fitting):
        draft.emit(MessagesSwitched(qmgr=qmgr.name, channel=channel, count=count))
    left = _left(qmgr, switch, channel)
    if left > fitting - count:
        say(draft, qmgr, said.left, channel, left, switch.queue)
        stop(draft, qmgr, channel, why)
        return
    if waiting:
        say(draft, qmgr, said.moved, channel, count, switch.to)
    end(draft, qmgr, channel, switch.to)


def _left(qmgr: QueueManager, switch: Switch, channel: str) -> int:
    """Return how many messages and repository commands are on the old queue of a switch."""
    commands = len(qmgr.repository.waiting.get(channel, ()))
    return commands + count_waiting(qmgr, switch.queue, channel)


def _fitting(qmgr: QueueManager, switch: Switch) -> tuple[int, Refusal]:
    """Return how many messages can be moved, and why the one after them cannot."""
    if is_get_inhibited(qmgr, switch.queue):
        return 0, Refusal(GET_INHIBITED, switch.queue)
    queue = local_queue(qmgr, switch.to)
    if queue is None:  # the definition of a system queue was not observed
        return LARGEST, Refusal()
    return depth_left(qmgr, queue), refusal(queue)


def stop(draft: Draft, qmgr: QueueManager, channel: str, why: Refusal) -> None:
    """Stop a switch; say how many messages and repository commands are still on the old queue."""
    said, switch = stages(qmgr), qmgr.messaging.switching[channel]
    draft.emit(
        TransmissionQueueSwitchStopped(
            qmgr=qmgr.name,
            channel=channel,
            queue=why.queue,
            reason=why.reason,
            left=_left(qmgr, switch, channel),
        )
    )
    message = said.not_opened if why.reason == UNKNOWN_OBJECT else said.stopped
    say(draft, qmgr, message, channel, why.queue, why.reason)


def end(draft: Draft, qmgr: QueueManager, channel: str, queue: str) -> None:
    """End a switch: from now on messages are put on the queue that the channel gets from."""
    draft.emit(TransmissionQueueSwitched(qmgr=qmgr.name, channel=channel, queue=queue))
    say(draft, qmgr, stages(qmgr).switched, channel, queue)


def is_stuck(qmgr: QueueManager, channel: str) -> bool:
    """Return whether a switch has stopped and could neither move a message now nor end.

    Repository commands move all at once.
    """
    switch = qmgr.messaging.switching.get(channel) if qmgr.has_messaging else None
    if switch is None or not switch.stopped:
        return False
    left, (fitting, _) = _left(qmgr, switch, channel), _fitting(qmgr, switch)
    return left > fitting and not (fitting and count_waiting(qmgr, switch.queue, channel))
