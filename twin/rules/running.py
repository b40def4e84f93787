"""What starts and stops: queue managers, channels and listeners, and what that sets moving.

Source: IBM MQ 9.1, "Stopping a channel"; 8.0, "STOP CHANNEL". A channel that failed for want of its
partner is tried again here as soon as the partner is there.
"""

from __future__ import annotations

from twin.events import ChannelStatusChanged, ClusterCommandsSent
from twin.fold.estate import QueueManager
from twin.model.objects import Definition
from twin.rules import channels, membership, publication
from twin.rules.draft import Draft


def connect(draft: Draft, qmgr: QueueManager, sender: Definition) -> None:
    """Start a manual CLUSSDR of a member, and introduce the member to what it leads to."""
    clusters = membership.clusters(qmgr, sender)
    joined = [name for name in clusters if name in membership.clusters_joined(qmgr)]
    if not joined or not qmgr.running:
        return
    partner = channels.partner_of(draft, qmgr, sender)
    if partner is None:
        _fail(draft, qmgr, sender.name)
        return
    if not revive(draft, qmgr, sender.name, partner.name):
        return
    for cluster in joined:
        publication.introduce(draft, qmgr, cluster)
        publication.renew_requests(draft, qmgr, cluster)
        if membership.is_full(qmgr, cluster) and membership.is_full(partner, cluster):
            publication.share_all(draft, qmgr, partner, cluster)


def _fail(draft: Draft, qmgr: QueueManager, channel: str) -> None:
    if channel not in qmgr.activity.channels:
        draft.emit(
            ChannelStatusChanged(
                qmgr=qmgr.name,
                channel=channel,
                status="RETRYING",
                reason=channels.HOST_NOT_AVAILABLE,
            )
        )


def revive(draft: Draft, qmgr: QueueManager, channel: str, partner: str) -> bool:
    """Let a channel that is not stopped run again, and send what waited for it; say if it runs."""
    state = qmgr.activity.channels.get(channel)
    if state is not None and state.status == "STOPPED":
        return False
    if not channels.can_reach(draft, channel, partner):
        _fail(draft, qmgr, channel)
        return False
    if state is None or state.status != "RUNNING" or state.partner != partner:
        draft.emit(
            ChannelStatusChanged(qmgr=qmgr.name, channel=channel, status="RUNNING", partner=partner)
        )
    _deliver_waiting(draft, qmgr, channel)
    return True


def _deliver_waiting(draft: Draft, qmgr: QueueManager, channel: str) -> None:
    waiting = qmgr.repository.waiting.get(channel, [])
    if not waiting:
        return
    draft.emit(ClusterCommandsSent(qmgr=qmgr.name, channel=channel))
    for parcel in waiting:
        target = draft.estate.qmgrs.get(parcel.to)
        if target is not None:
            publication.send(
                draft, qmgr, target, channel, parcel.cluster, parcel.items, parcel.asks
            )


def wake_partners(draft: Draft, qmgr: QueueManager) -> None:
    """Try again the channels of others that failed, or never started, for want of this partner."""
    for other in sorted(draft.estate.qmgrs.values(), key=lambda other: other.name):
        if other is qmgr or not other.running:
            continue
        failed = [
            name
            for name, state in other.activity.channels.items()
            if state.status == "RETRYING" and state.partner == qmgr.name
        ]
        for name in failed:
            if channels.can_reach(draft, name, qmgr.name):
                revive(draft, other, name, qmgr.name)
        for sender, _ in list(membership.channels_of(other, "CLUSSDR")):
            if ("CHANNEL", sender.name) in qmgr.definitions:
                connect(draft, other, sender)


def settle(draft: Draft, qmgr: QueueManager) -> None:
    """Bring a queue manager's clusters up to date after its role, address or state changed."""
    if not qmgr.running:
        return
    publication.publish_changes(draft, qmgr, only=None)
    for sender, _ in list(membership.channels_of(qmgr, "CLUSSDR")):
        connect(draft, qmgr, sender)
    wake_partners(draft, qmgr)


def lose(draft: Draft, qmgr: QueueManager, *, channel: str | None = None) -> None:
    """Let the channels of others to a queue manager that ends fail, or one channel, and retry."""
    for other in sorted(draft.estate.qmgrs.values(), key=lambda other: other.name):
        for name, state in sorted(other.activity.channels.items()):
            if channel not in (None, name):
                continue
            if state.partner == qmgr.name and state.status == "RUNNING":
                draft.emit(
                    ChannelStatusChanged(
                        qmgr=other.name,
                        channel=name,
                        status="RETRYING",
                        partner=qmgr.name,
                        reason=channels.HOST_NOT_AVAILABLE,
                    )
                )
