"""Switch a channel to another transmission queue when it starts, if the definitions select one.

While a channel is being switched, new messages are still put on the old queue, messages are moved
to the new queue in order, and the channel sends from the new queue. The switch ends when the old
queue has no more messages for the channel; the error log says so (AMQ7341).

Messages are moved in portions. Each is a unit of work of its own, and between two the switch waits
(the readings `switch-portion` and `switch-wait`). What is put meanwhile is moved, too. Without a
wait, what fits on the new queue at one instant is one portion, so that a switch whose new queue has
room ends as it begins. STOP CHANNEL or the end of the queue manager interrupts a switch between two
portions; the next start goes on with it (decision 75).

A new queue that is full is no obstacle while anything leaves it: the switch tries again after its
wait. If it cannot move a message then, it stops (2053), and goes on as soon as there is space and
the channel is started. If its queues are disabled (2051, 2016), it stops at once, and goes on at
the next start of the channel, or by runswchl. Meanwhile the channel gets from the new queue, new
messages are put on the old one, and those that lie there are not sent.

Source: IBM MQ 9.4, "Working with cluster transmission queues and cluster-sender channels" and
"Monitoring transmission queue switching".

Decided here: a switch that has nothing to move ends, even if its queues are full or disabled.
Repository commands that wait on the old queue need space on the new one, too. runswchl moves all
messages before it ends, and does not wait.

Sources: IBM MQ 9.4, "Monitoring transmission queue switching", "Potential issues when switching
transmission queues"; APAR PH00544 (the messages of z/OS, except CSQM551 and CSQM554 [memory,
unverified]). Of the messages of other platforms, only AMQ7341 has a source; TWN ids are ours.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from twin.events import (
    ErrorLogged,
    MessagesSwitched,
    Portion,
    TransmissionQueueAssigned,
    TransmissionQueueSwitchBegan,
    TransmissionQueueSwitched,
    TransmissionQueueSwitchStopped,
)
from twin.fold.estate import QueueManager
from twin.fold.messaging import Switch
from twin.model.attributes import LARGEST
from twin.model.instants import Instant
from twin.model.names import generic
from twin.model.platforms import ZOS
from twin.model.readings import pace_of
from twin.model.reasons import GET_INHIBITED, QUEUE_FULL, UNKNOWN_OBJECT
from twin.rules.channels import channel_status
from twin.rules.draft import Draft
from twin.rules.queues import put_times, transmission_queues
from twin.rules.queues.local_queues import (
    Refusal,
    depth_left,
    is_get_inhibited,
    local_queue,
    refusal,
)


def check(draft: Draft, qmgr: QueueManager, channel: str) -> None:
    """Switch the transmission queue of a cluster-sender channel that starts, if it has to change.

    It does not matter whether the channel will find its partner. If the definitions select several
    queues equally, the channel keeps its queue if it is one of them, else the first by name is used
    [inferred: IBM says that the choice is arbitrary].
    """
    if channel in qmgr.messaging.switching and not awaited(qmgr, channel):
        resume(draft, qmgr, channel)
    if channel in qmgr.messaging.switching:
        return
    wanted = transmission_queues.select(qmgr, channel)
    assigned = qmgr.messaging.assigned.get(channel)
    queue = transmission_queues.in_use(qmgr, channel)
    if assigned not in (None, queue):  # the assigned queue was deleted while it was empty
        _assign(draft, qmgr, channel, queue)
        _log(draft, qmgr, channel, queue)
    elif assigned is None and queue != transmission_queues.DEFAULT_QUEUE:
        _assign(draft, qmgr, channel, queue)
    if queue not in wanted.candidates:
        _begin(draft, qmgr, channel, queue, wanted.queue)


def _assign(draft: Draft, qmgr: QueueManager, channel: str, queue: str) -> None:
    transmission_queues.create_own_queue(draft, qmgr, channel, queue)
    draft.emit(TransmissionQueueAssigned(qmgr=qmgr.name, channel=channel, queue=queue))


def _begin(
    draft: Draft, qmgr: QueueManager, channel: str, queue: str, to: str, *, waits: bool = True
) -> None:
    transmission_queues.create_own_queue(draft, qmgr, channel, to)
    draft.emit(TransmissionQueueSwitchBegan(qmgr=qmgr.name, channel=channel, queue=queue, to=to))
    for message in stages(qmgr).began:
        say(draft, qmgr, message, channel, queue, to)
    go_on(draft, qmgr, channel, waits=waits)


def resume(draft: Draft, qmgr: QueueManager, channel: str, *, waits: bool = True) -> None:
    """Go on with a switch that was interrupted or has stopped, unless it is held.

    `waits` is as for `go_on`. If its new queue was deleted, or a restore took it away, the
    channel's own queue is made again; instead of another, the switch starts over with the one that
    the definitions select now [inferred].
    """
    switch = qmgr.messaging.switching[channel]
    if channel in qmgr.messaging.held_switch:
        return
    transmission_queues.create_own_queue(draft, qmgr, channel, switch.to)
    if switch.to == transmission_queues.DEFAULT_QUEUE or local_queue(qmgr, switch.to) is not None:
        go_on(draft, qmgr, channel, waits=waits)
        return
    stop(draft, qmgr, channel, Refusal(UNKNOWN_OBJECT, switch.to))
    wanted = transmission_queues.select(qmgr, channel)
    queue = transmission_queues.in_use(qmgr, channel)
    if queue in wanted.candidates:
        end(draft, qmgr, channel, queue)
    else:
        _begin(draft, qmgr, channel, queue, wanted.queue, waits=waits)


def pending_queue(qmgr: QueueManager, channel: str) -> str:
    """Return the queue that a channel will switch to when it starts; '' if it will not switch."""
    if qmgr.has_messaging and channel in qmgr.messaging.switching:
        return qmgr.messaging.switching[channel].to
    wanted = transmission_queues.select(qmgr, channel)
    return "" if transmission_queues.in_use(qmgr, channel) in wanted.candidates else wanted.queue


def keeps_back(draft: Draft, qmgr: QueueManager, channel: str, count: int) -> bool:
    """Return whether messages that start a channel stay for a while, because it is switched then.

    That takes time if the switch waits between portions, or if they do not fit on the new queue.
    """
    to = pending_queue(qmgr, channel)
    queue = local_queue(qmgr, to) if to else None
    waits = bool(to) and bool(pace_of(draft.estate.readings, "switch").wait)
    return waits or (queue is not None and depth_left(qmgr, queue) < count)


class Switching(NamedTuple):
    """The report of runswchl about one channel.

    Attributes:
        channel: a cluster-sender channel that has another queue than the definitions select.
        status: its status.
        xmitq: the transmission queue that it has.
        pending_xmitq: the transmission queue that the definitions select.
        messages: how many messages for the channel are on `xmitq`, at least; None: not known.
        switched: whether it was switched; a channel that was started cannot be.
        stranded: how many messages were left on the old queue with -n.
        moved: how many messages were moved to the new queue.
        reason: the reason code for which the switch has stopped; 0 if it has not.
        at_most: how many messages there are at most; None: not known.
        next_portion: when a switch that goes on moves the next messages; None if it does not.
    """

    channel: str
    status: str
    xmitq: str
    pending_xmitq: str
    messages: int | None
    switched: bool = False
    stranded: int = 0
    moved: int = 0
    reason: int = 0
    at_most: int | None = None
    next_portion: Instant | None = None


def pending_switches(qmgr: QueueManager, pattern: str, at: Instant) -> list[Switching]:
    """Return the cluster-sender channels that will switch to another transmission queue.

    `pattern` is a name, a name with an asterisk at its end, or an asterisk alone (runswchl -c).
    """
    switches = []
    for channel in cluster_senders(qmgr):
        if not generic(pattern, channel):
            continue
        state = channel_status.current_state(qmgr, channel, at)
        queue = transmission_queues.in_use(qmgr, channel)
        if to := pending_queue(qmgr, channel):
            status = state.status if state is not None else "INACTIVE"
            count = count_waiting(qmgr, queue, channel)
            reason, going = stopped(qmgr, channel), awaited(qmgr, channel)
            switches.append(
                Switching(
                    channel,
                    status,
                    queue,
                    to,
                    count,
                    reason=reason,
                    at_most=count,
                    next_portion=going.at if going is not None else None,
                )
            )
    return switches


def stopped(qmgr: QueueManager, channel: str) -> int:
    """Return the reason code for which a channel's switch has stopped; 0 if it has not."""
    switch = qmgr.messaging.switching.get(channel) if qmgr.has_messaging else None
    return switch.stopped if switch is not None else 0


def cluster_senders(qmgr: QueueManager) -> list[str]:
    """Return the cluster-sender channels of a queue manager, defined or known from a cluster."""
    defined = {name for name, channel_type in qmgr.channels.items() if channel_type == "CLUSSDR"}
    of_others = (
        name[2] for name, belief in qmgr.repository.of_kind("qmgr") if belief.owner != qmgr.qmid
    )
    waited_for = qmgr.messaging.channels() if qmgr.has_messaging else ()
    others = qmgr.channels.keys() - defined
    return sorted(defined.union(of_others, qmgr.activity.channels, waited_for) - others)


def switch_channels(
    draft: Draft, qmgr: QueueManager, pattern: str, *, move: bool
) -> tuple[Switching, ...]:
    """Switch the stopped or inactive channels that have another queue than selected (runswchl).

    Without `move` (-n), the messages stay on the old queue. They are stranded there until the
    channel uses that queue again. A channel that was started, or is RETRYING, is not switched.
    Source: IBM MQ 9.4, "runswchl".
    """
    results = []
    for switch in pending_switches(qmgr, pattern, draft.at):
        if switch.status not in _SWITCHABLE:
            results.append(switch)
        elif move:
            results.append(_switch(draft, qmgr, switch))
        else:
            queue, stranded = switch.pending_xmitq, switch.messages or 0
            transmission_queues.create_own_queue(draft, qmgr, switch.channel, queue)
            with put_times.eligibility_changing(draft, qmgr, switch.channel):
                draft.emit(
                    TransmissionQueueSwitched(
                        qmgr=qmgr.name, channel=switch.channel, queue=queue, stranded=stranded
                    )
                )
            _log(draft, qmgr, switch.channel, queue)
            results.append(switch._replace(switched=True, stranded=stranded))
    return tuple(results)


def _switch(draft: Draft, qmgr: QueueManager, switch: Switching) -> Switching:
    if switch.channel in qmgr.messaging.switching:
        resume(draft, qmgr, switch.channel, waits=False)
    else:
        _begin(draft, qmgr, switch.channel, switch.xmitq, switch.pending_xmitq, waits=False)
    return switch._replace(
        switched=switch.channel not in qmgr.messaging.switching,
        moved=(switch.messages or 0) - count_waiting(qmgr, switch.xmitq, switch.channel),
        reason=stopped(qmgr, switch.channel),
    )


_SWITCHABLE: Final = frozenset({"INACTIVE", "STOPPED"})


def _log(draft: Draft, qmgr: QueueManager, channel: str, queue: str) -> None:
    say(draft, qmgr, stages(qmgr).switched, channel, queue)


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


def go_on(draft: Draft, qmgr: QueueManager, channel: str, *, waits: bool = True) -> None:
    """Move the next portion of the messages on the old queue; end the switch if none is left.

    Repository commands move all at once, as the switch ends. A held switch moves nothing. Without
    `waits`, all that fit are moved, and the switch stops if any are left.
    """
    messaging, said = qmgr.messaging, stages(qmgr)
    before, pace = awaited(qmgr, channel), pace_of(draft.estate.readings, "switch")
    if channel in messaging.held_switch:
        if before is not None:
            channel_status.await_portion(draft, qmgr, channel, "switch", None)
        return
    switch, done = messaging.switching[channel], before.done if before is not None else 0
    waiting = count_waiting(qmgr, switch.queue, channel)
    fitting, why = _fitting(qmgr, switch)
    if waiting and not done:
        say(draft, qmgr, said.moving, channel, waiting, switch.queue, switch.to)
    count = min(waiting, fitting, pace.portion if waits and pace.wait else waiting)
    if count:
        draft.emit(MessagesSwitched(qmgr=qmgr.name, channel=channel, count=count))
    done, left = done + count, _left(qmgr, switch, channel)
    if count == waiting and left <= fitting - count:
        if done:
            say(draft, qmgr, said.moved, channel, done, switch.to)
        end(draft, qmgr, channel, switch.to)
        return
    if count or before is None:
        say(draft, qmgr, said.left, channel, left, switch.queue)
    if waits and (count or (before is None and why.reason == QUEUE_FULL)):
        portion = Portion(at=draft.at + pace.wait, done=done, left=left)
        channel_status.await_portion(draft, qmgr, channel, "switch", portion)
    else:
        stop(draft, qmgr, channel, why)


def awaited(qmgr: QueueManager, channel: str) -> Portion | None:
    """Return the next portion of a channel's switch; None if the switch does not go on by itself.

    That is so if it has ended, was interrupted, or has stopped.
    """
    return qmgr.activity.portions.get((channel, "switch"))


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
    return depth_left(qmgr, queue), refusal(qmgr, queue)


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
