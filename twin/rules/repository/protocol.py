"""Repository commands on their way: over a channel, after a wait for it, and into a repository.

Sources: IBM MQ 9.4, cluster concepts (a record that arrives twice is discarded); "RESET CLUSTER".
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from operator import attrgetter
from typing import Final

from twin.events import (
    ClusterCommandsArrived,
    ClusterCommandsQueued,
    ClusterCommandsSent,
    ClusterCommandsUnderWay,
    InformationReceived,
    Item,
    Removal,
)
from twin.fold.estate import QueueManager
from twin.rules import membership
from twin.rules.channels import reaching, sending_channels
from twin.rules.draft import Draft
from twin.rules.repository import (
    distribution,
    forced_removal,
    records_to_send,
    requests,
    subscribers,
)
from twin.rules.repository.lifetimes import REJOIN_AFTER
from twin.rules.workload import counter_resets


def send(
    draft: Draft,
    sender: QueueManager,
    target: QueueManager,
    channel: str,
    cluster: str,
    items: Iterable[Item] = (),
    asks: Iterable[tuple[str, str]] = (),
    removals: Iterable[Removal] = (),
) -> None:
    """Send repository commands over a channel, and let the receiver act on them.

    Where the channel cannot run they wait for it.
    """
    dispatch(draft, sender, target, channel, cluster, items, asks, removals)
    draft.follow_up()


def dispatch(
    draft: Draft,
    sender: QueueManager,
    target: QueueManager,
    channel: str,
    cluster: str,
    items: Iterable[Item],
    asks: Iterable[tuple[str, str]] = (),
    removals: Iterable[Removal] = (),
) -> None:
    """Send repository commands, and leave what the receiver does about them for later."""
    items, asks, removals = tuple(items), tuple(asks), tuple(removals)
    if not sending_channels.ensure_running(draft, sender, channel, target.name):
        draft.emit(
            ClusterCommandsQueued(
                qmgr=sender.name,
                channel=channel,
                to=target.qmid,
                cluster=cluster,
                items=items,
                asks=asks,
                removals=removals,
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
                items=items,
                asks=asks,
                removals=removals,
            )
        )
        return
    _take_in(draft, sender, target, cluster, items, asks, removals)


def _take_in(
    draft: Draft,
    sender: QueueManager,
    target: QueueManager,
    cluster: str,
    items: tuple[Item, ...],
    asks: tuple[tuple[str, str], ...],
    removals: tuple[Removal, ...],
) -> None:
    if items:
        _receive(draft, target, sender, cluster, items)
    if asks:
        requests.note(draft, target, sender, cluster, asks)
    for named in removals:
        forced_removal.remove(draft, target, cluster, named, source=sender)


def deliver_waiting(draft: Draft, qmgr: QueueManager, channel: str) -> None:
    """Send what waited for a channel, in order; what was for a deleted queue manager is lost."""
    waiting = qmgr.repository.waiting.get(channel, [])
    if not waiting:
        return
    draft.emit(ClusterCommandsSent(qmgr=qmgr.name, channel=channel))
    for parcel in waiting:
        target = subscribers.live(draft, parcel.to)
        if target is not None:
            send(
                draft,
                qmgr,
                target,
                channel,
                parcel.cluster,
                parcel.items,
                parcel.asks,
                parcel.removals,
            )


def arrive(draft: Draft, sender: QueueManager, channel: str) -> None:
    """Let repository commands arrive that were under way on a channel until now.

    Where their way broke meanwhile, they are back on the transmission queue.
    """
    moving = sender.repository.under_way[channel]
    draft.emit(ClusterCommandsArrived(qmgr=sender.name, channel=channel))
    for parcel in moving:
        target = subscribers.live(draft, parcel.to)
        if parcel.arrives > draft.at or target is None:
            continue
        if not reaching.can_reach(draft, sender, channel, target.name):
            dispatch(
                draft,
                sender,
                target,
                channel,
                parcel.cluster,
                parcel.items,
                parcel.asks,
                parcel.removals,
            )
            continue
        _take_in(draft, sender, target, parcel.cluster, parcel.items, parcel.asks, parcel.removals)
        draft.follow_up()


def _receive(
    draft: Draft,
    target: QueueManager,
    sender: QueueManager,
    cluster: str,
    items: tuple[Item, ...],
) -> None:
    if fresh := records_to_send.news(draft, target, cluster, items):
        _accept(draft, target, sender, cluster, fresh)


def _accept(
    draft: Draft,
    target: QueueManager,
    sender: QueueManager,
    cluster: str,
    fresh: tuple[Item, ...],
) -> None:
    """Take in what is news, unless it is of somebody who was removed by force just now."""
    if target.repository.force_removed:
        fresh = tuple(item for item in fresh if not _is_barred(draft, target, cluster, item.owner))
    if not fresh:
        return
    full = membership.is_full(target, cluster)
    first = full and (cluster, sender.qmid) not in target.repository.routes
    with counter_resets.records_change(draft, target, cluster, map(_OWNER, fresh)):
        draft.emit(
            InformationReceived(qmgr=target.name, sender=sender.name, cluster=cluster, items=fresh)
        )
    if full or records_to_send.tell_of_full_repository(draft, cluster, fresh):
        draft.follow.append(
            partial(
                distribution.act_on, draft, target, sender, cluster, fresh, first=first, full=full
            )
        )


_OWNER: Final = attrgetter("owner")


def _is_barred(draft: Draft, qmgr: QueueManager, cluster: str, owner: str) -> bool:
    """Say whether an owner was removed by force less than ten seconds ago.

    Source: IBM MQ 9.4, "RESET CLUSTER": attempts to join again within 10 seconds are ignored.
    """
    removed = qmgr.repository.force_removed.get((cluster, owner))
    return removed is not None and draft.at < removed[0] + REJOIN_AFTER


def tell(
    draft: Draft, full: QueueManager, member: QueueManager, cluster: str, items: Iterable[Item]
) -> None:
    """Send what is news to a member, over a channel that the member published.

    What the member does about it is left for later: all are told before one of them reacts.
    """
    news = records_to_send.news(draft, member, cluster, items)
    if news:
        _send_news(draft, full, member, cluster, news)


def _send_news(
    draft: Draft, full: QueueManager, member: QueueManager, cluster: str, news: tuple[Item, ...]
) -> None:
    """Send what was found to be news just now."""
    route = subscribers.route_to(draft, full, member, cluster)
    if route is None:
        return
    latency = draft.estate.links and draft.estate.link(full.name, member.name).latency
    waits = route in full.repository.waiting or latency
    if waits or not sending_channels.ensure_running(draft, full, route, member.name):
        dispatch(draft, full, member, route, cluster, news)
    else:  # at once: what is news need not be looked at again
        _accept(draft, member, full, cluster, news)
