"""Deliver repository commands: send them over a channel, or queue them until it runs.

`receiving` adds them to the receiver's repository, unless its command queue is in trouble.

Source: IBM MQ, "What happens when a repository fails".
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from twin.events import (
    ClusterCommandsArrived,
    ClusterCommandsKept,
    ClusterCommandsPut,
    ClusterCommandsQueued,
    ClusterCommandsSent,
    ClusterCommandsUnderWay,
    Item,
    MessageRetryAwaited,
    RepositoryCommand,
)
from twin.fold.estate import QueueManager
from twin.model.instants import Instant
from twin.model.names import COMMAND_QUEUE
from twin.rules import standing
from twin.rules.channels import channel_status, command_queue, starting
from twin.rules.draft import Draft
from twin.rules.queues import transmission_queues
from twin.rules.repository import (
    outgoing_items,
    receiving,
    recipients,
)


class CommandRoute(NamedTuple):
    """Which way repository commands go: from whom to whom, by which channel, for which cluster."""

    sender: QueueManager
    target: QueueManager
    channel: str
    cluster: str

    def fields(self, commands: receiving.Commands) -> dict[str, Any]:
        """Return the fields of an event about commands on this route."""
        return {
            "qmgr": self.sender.name,
            "channel": self.channel,
            "to": self.target.qmid,
            "cluster": self.cluster,
            **commands._asdict(),
        }


def send(draft: Draft, route: CommandRoute, commands: receiving.Commands) -> None:
    """Send repository commands over a channel, and let the receiver react to them.

    If the channel cannot run, the commands wait for it.
    """
    deliver(draft, route, commands)
    draft.follow_up()


def deliver(draft: Draft, route: CommandRoute, commands: receiving.Commands) -> None:
    """Send repository commands; queue the receiver's reaction until the next `follow_up`."""
    sender = route.sender
    if command_queue.may_intervene(sender, route.target) and command_queue.keep(
        draft, sender, ClusterCommandsKept(**route.fields(commands))
    ):
        return
    carry(draft, route, commands)


def carry(draft: Draft, route: CommandRoute, commands: receiving.Commands) -> None:
    """Send repository commands that were put on the transmission queue of a channel.

    While the channel is being switched, they wait on its old transmission queue.
    """
    sender, target, channel, _ = route
    runs = starting.ensure_running(draft, sender, channel, target.name)
    if not runs or transmission_queues.is_switching(sender, channel):
        _wait(draft, route, commands)
        return
    deliver_waiting(draft, sender, channel)
    if command_queue.is_held_up(sender, channel) or command_queue.refusal_of_put(target):
        _wait(draft, route, commands)
        deliver_waiting(draft, sender, channel)
        return
    latency = draft.estate.links and draft.estate.link(sender.name, target.name).latency
    if latency:
        draft.emit(ClusterCommandsUnderWay(arrives=draft.at + latency, **route.fields(commands)))
        return
    _put(draft, route, commands, since=draft.at)


def _wait(draft: Draft, route: CommandRoute, commands: receiving.Commands) -> None:
    """Let commands wait on the transmission queue of a channel."""
    draft.emit(ClusterCommandsQueued(**route.fields(commands)))


def deliver_waiting(draft: Draft, qmgr: QueueManager, channel: str) -> None:
    """Send the commands that waited for a channel, in order.

    Commands for a queue manager that was deleted are lost.
    """
    waiting = qmgr.repository.waiting.get(channel, [])
    if not waiting or command_queue.is_held_up(qmgr, channel):
        return
    if transmission_queues.is_switching(qmgr, channel):
        return
    targets = [recipients.live_qmgr(draft, commands.to) for commands in waiting]
    if any(target is not None and target.cluster_queues_changed for target in targets):
        _deliver_singly(draft, qmgr, channel)
        return
    draft.emit(ClusterCommandsSent(qmgr=qmgr.name, channel=channel))
    for commands, target in zip(waiting, targets, strict=True):
        if target is not None:
            route = CommandRoute(qmgr, target, channel, commands.cluster)
            carry(draft, route, receiving.Commands.of(commands))
            draft.follow_up()


def _deliver_singly(draft: Draft, qmgr: QueueManager, channel: str) -> None:
    """Send waiting commands one by one, because a command queue may refuse them."""
    while (waiting := qmgr.repository.waiting.get(channel)) and not command_queue.is_held_up(
        qmgr, channel
    ):
        first = waiting[0]
        target = recipients.live_qmgr(draft, first.to)
        if target is not None:
            runs = starting.ensure_running(draft, qmgr, channel, target.name)
            if not runs or transmission_queues.is_switching(qmgr, channel):
                return
            if command_queue.refusal_of_put(target):
                if standing.stands(qmgr, channel):
                    return
                command_queue.hold_up(draft, qmgr, target, channel)
                continue
        draft.emit(ClusterCommandsSent(qmgr=qmgr.name, channel=channel, count=1))
        if target is not None:
            route = CommandRoute(qmgr, target, channel, first.cluster)
            _put(draft, route, receiving.Commands.of(first), since=first.since)
            draft.follow_up()


def retry_put(draft: Draft, qmgr: QueueManager, channel: str) -> None:
    """Let the receiving end of a channel try again to put the first waiting command.

    After the last attempt, the command goes to the dead-letter queue, or the channel ends.
    """
    state = qmgr.activity.channels[channel]
    waiting = qmgr.repository.waiting.get(channel)
    target = recipients.live_qmgr(draft, waiting[0].to) if waiting else None
    last = state.message_retry and state.message_retry[1]
    refused = target is not None and bool(command_queue.refusal_of_put(target))
    if refused and last is not None and draft.at < last:
        draft.emit(MessageRetryAwaited(qmgr=qmgr.name, channel=channel, at=last, last=last))
        return
    draft.emit(MessageRetryAwaited(qmgr=qmgr.name, channel=channel))
    if refused and target is not None:
        command_queue.give_up(draft, qmgr, target, channel)
    deliver_waiting(draft, qmgr, channel)
    channel_status.note_outcome(draft, qmgr, channel, "ran")


def arrive(draft: Draft, sender: QueueManager, channel: str) -> None:
    """Deliver the commands in transit on a channel that are due to arrive now.

    If the channel broke meanwhile, can no longer reach its partner, or its partner cannot put them
    on its command queue, they go back to the transmission queue, and are sent again once it runs. A
    channel that was stopped finishes its batch. Decided here: over a channel that broke and runs
    again by now, they arrive now.
    """
    moving = sender.repository.under_way[channel]
    state = sender.activity.channels.get(channel)
    broken = state is None or state.status not in ("RUNNING", "STOPPED")
    if state is None and standing.stands(sender, channel):  # nobody saw it run meanwhile
        broken = False
    draft.emit(ClusterCommandsArrived(qmgr=sender.name, channel=channel))
    for commands in moving:
        target = recipients.live_qmgr(draft, commands.to)
        if commands.arrives > draft.at or target is None:
            continue
        route = CommandRoute(sender, target, channel, commands.cluster)
        content = receiving.Commands.of(commands)
        if (
            broken
            or not channel_status.can_reach(draft, sender, channel, target.name)
            or command_queue.is_held_up(sender, channel)
            or command_queue.refusal_of_put(target)
        ):
            carry(draft, route, content)
            continue
        _put(draft, route, content, since=draft.at)
        draft.follow_up()


def _put(
    draft: Draft, route: CommandRoute, commands: receiving.Commands, *, since: Instant
) -> None:
    """Let a queue manager receive commands, or put them on its command queue while it waits.

    If it has no storage for them, they stay there, and it waits from now on.
    """
    sender, target, channel, cluster = route
    waits = command_queue.is_waiting(target)
    fails = not waits and receiving.lacks_storage(draft, sender, target, cluster, commands)
    if not waits and not fails:
        receiving.receive(draft, sender, target, cluster, commands)
        return
    command = RepositoryCommand(
        sender=sender.qmid, cluster=cluster, since=since, **commands._asdict()
    )
    draft.emit(
        ClusterCommandsPut(qmgr=target.name, channel=channel, queue=COMMAND_QUEUE, command=command)
    )
    if fails:
        command_queue.demand_storage(draft, target)


def deliver_news(
    draft: Draft,
    full: QueueManager,
    member: QueueManager,
    cluster: str,
    items: Iterable[Item],
    *,
    answers: tuple[tuple[str, str], ...] = (),
) -> None:
    """Send the records that a member does not hold yet, over a channel that the member published.

    The member's reaction is queued: all members get their records before any of them reacts. If the
    link has latency, the records are marked as `answers` to requests of the member, and an answer
    without records is sent too.
    """
    news = outgoing_items.news(draft, member, cluster, items)
    latency = draft.estate.links and draft.estate.link(full.name, member.name).latency
    answers = answers if latency else ()
    channel = recipients.route_to(draft, full, member, cluster) if news or answers else None
    if channel is None:
        return
    waits = channel in full.repository.waiting or latency
    if (
        waits
        or transmission_queues.is_switching(full, channel)
        or command_queue.may_intervene(full, member)
        or not starting.ensure_running(draft, full, channel, member.name)
    ):
        route = CommandRoute(full, member, channel, cluster)
        deliver(draft, route, receiving.Commands(news, answers=answers))
    else:  # the records are known to be new: do not compare them again
        receiving.accept(draft, member, full, cluster, news)
