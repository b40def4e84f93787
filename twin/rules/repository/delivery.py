"""Deliver repository commands: send them over a channel, or queue them until it runs.

Records go into the receiver's repository. The receiver's reaction belongs to modules on higher
floors, so delivery is reported as a happening (`RecordsAccepted`, `CommandsReceived`).

Sources: IBM MQ 9.4, cluster concepts (a record that arrives twice is discarded); "RESET CLUSTER".
"""

from __future__ import annotations

from collections.abc import Iterable
from operator import attrgetter
from typing import Final, NamedTuple

from twin.events import (
    ClusterCommandsArrived,
    ClusterCommandsQueued,
    ClusterCommandsSent,
    ClusterCommandsUnderWay,
    InformationReceived,
    Item,
    Removal,
)
from twin.fold.beliefs import CommandsInTransit, QueuedCommands
from twin.fold.estate import QueueManager
from twin.rules import membership
from twin.rules.channels import reaching, starting
from twin.rules.draft import Draft
from twin.rules.repository import differing_instances, outgoing_items, subscribers
from twin.rules.repository.lifetimes import REJOIN_AFTER
from twin.rules.workload import counter_resets


class Commands(NamedTuple):
    """Repository commands that travel together.

    Attributes:
        items: records, identified by their publications.
        asks: requests for records, as (kind, name).
        removals: members that were removed by force.
    """

    items: tuple[Item, ...] = ()
    asks: tuple[tuple[str, str], ...] = ()
    removals: tuple[Removal, ...] = ()

    @classmethod
    def of(cls, commands: QueuedCommands | CommandsInTransit) -> Commands:
        """Return commands that wait for a channel, or are in transit on it, without their state."""
        return cls(commands.items, commands.asks, commands.removals)


class RecordsAccepted(NamedTuple):
    """A happening: a queue manager has received records that it did not hold.

    Attributes:
        target: the queue manager.
        sender: the queue manager that sent the records.
        cluster: the cluster that they belong to.
        items: the records.
        first: whether the target is a full repository that did not know the sender until now.
        full: whether the target is a full repository of the cluster.
    """

    target: QueueManager
    sender: QueueManager
    cluster: str
    items: tuple[Item, ...]
    first: bool
    full: bool


class CommandsReceived(NamedTuple):
    """A happening: a queue manager has received requests or removals from a sender."""

    target: QueueManager
    sender: QueueManager
    cluster: str
    commands: Commands


def send(
    draft: Draft,
    sender: QueueManager,
    target: QueueManager,
    channel: str,
    cluster: str,
    commands: Commands,
) -> None:
    """Send repository commands over a channel, and let the receiver react to them.

    If the channel cannot run, the commands wait for it.
    """
    deliver(draft, sender, target, channel, cluster, commands)
    draft.follow_up()


def deliver(
    draft: Draft,
    sender: QueueManager,
    target: QueueManager,
    channel: str,
    cluster: str,
    commands: Commands,
) -> None:
    """Send repository commands; queue the receiver's reaction until the next `follow_up`."""
    if not starting.ensure_running(draft, sender, channel, target.name):
        draft.emit(
            ClusterCommandsQueued(
                qmgr=sender.name,
                channel=channel,
                to=target.qmid,
                cluster=cluster,
                **commands._asdict(),
            )
        )
        return
    deliver_waiting(draft, sender, channel)
    latency = draft.estate.links and draft.estate.link(sender.name, target.name).latency
    if latency:
        draft.emit(
            ClusterCommandsUnderWay(
                qmgr=sender.name,
                channel=channel,
                to=target.qmid,
                cluster=cluster,
                arrives=draft.at + latency,
                **commands._asdict(),
            )
        )
        return
    _receive(draft, sender, target, cluster, commands)


def deliver_waiting(draft: Draft, qmgr: QueueManager, channel: str) -> None:
    """Send the commands that waited for a channel, in order.

    Commands for a queue manager that was deleted are lost.
    """
    waiting = qmgr.repository.waiting.get(channel, [])
    if not waiting:
        return
    draft.emit(ClusterCommandsSent(qmgr=qmgr.name, channel=channel))
    for commands in waiting:
        target = subscribers.live_qmgr(draft, commands.to)
        if target is not None:
            send(draft, qmgr, target, channel, commands.cluster, Commands.of(commands))


def arrive(draft: Draft, sender: QueueManager, channel: str) -> None:
    """Deliver the commands in transit on a channel that are due to arrive now.

    If the channel can no longer reach its partner, they go back to the transmission queue.
    """
    moving = sender.repository.under_way[channel]
    draft.emit(ClusterCommandsArrived(qmgr=sender.name, channel=channel))
    for commands in moving:
        target = subscribers.live_qmgr(draft, commands.to)
        if commands.arrives > draft.at or target is None:
            continue
        if not reaching.can_reach(draft, sender, channel, target.name):
            deliver(draft, sender, target, channel, commands.cluster, Commands.of(commands))
            continue
        _receive(draft, sender, target, commands.cluster, Commands.of(commands))
        draft.follow_up()


def _receive(
    draft: Draft, sender: QueueManager, target: QueueManager, cluster: str, commands: Commands
) -> None:
    """Let a queue manager receive commands: records first, then requests, then removals."""
    items, asks, removals = commands
    if items and (news := outgoing_items.news(draft, target, cluster, items)):
        _accept(draft, target, sender, cluster, news)
    if asks or removals:
        draft.react(CommandsReceived(target, sender, cluster, commands))


def _accept(
    draft: Draft,
    target: QueueManager,
    sender: QueueManager,
    cluster: str,
    news: tuple[Item, ...],
) -> None:
    """Add new records to a repository, except those of owners that were just removed by force."""
    if target.repository.force_removed:
        news = tuple(item for item in news if not _is_barred(draft, target, cluster, item.owner))
    if not news:
        return
    full = membership.is_full(target, cluster)
    first = full and (cluster, sender.qmid) not in target.repository.routes
    with counter_resets.records_change(draft, target, cluster, map(_OWNER, news)):
        draft.emit(
            InformationReceived(qmgr=target.name, sender=sender.name, cluster=cluster, items=news)
        )
    learned = [
        (item.owner, item.only or draft.estate.owner(item.owner).published[item.sequence].records)
        for item in news
    ]
    differing_instances.warn(draft, target, cluster, learned)
    if full or outgoing_items.mention_full_repository(draft, cluster, news):
        draft.react_later(RecordsAccepted(target, sender, cluster, news, first, full))


_OWNER: Final = attrgetter("owner")


def _is_barred(draft: Draft, qmgr: QueueManager, cluster: str, owner: str) -> bool:
    """Return whether an owner was removed by force less than ten seconds ago.

    Source: IBM MQ 9.4, "RESET CLUSTER": attempts to join again within 10 seconds are ignored.
    """
    removed = qmgr.repository.force_removed.get((cluster, owner))
    return removed is not None and draft.at < removed[0] + REJOIN_AFTER


def deliver_news(
    draft: Draft, full: QueueManager, member: QueueManager, cluster: str, items: Iterable[Item]
) -> None:
    """Send the records that a member does not hold yet, over a channel that the member published.

    The member's reaction is queued: all members get their records before any of them reacts.
    """
    news = outgoing_items.news(draft, member, cluster, items)
    route = subscribers.route_to(draft, full, member, cluster) if news else None
    if route is None:
        return
    latency = draft.estate.links and draft.estate.link(full.name, member.name).latency
    waits = route in full.repository.waiting or latency
    if waits or not starting.ensure_running(draft, full, route, member.name):
        deliver(draft, full, member, route, cluster, Commands(news))
    else:  # the records are known to be new: do not compare them again
        _accept(draft, member, full, cluster, news)
