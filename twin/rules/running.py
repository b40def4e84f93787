"""What starts and stops: queue managers, channels and listeners, and what that sets moving.

Source: IBM MQ 9.1, "Stopping a channel"; 8.0, "STOP CHANNEL". A channel that failed for want of its
partner is tried again here as soon as the partner is there [inferred; decision 4].
"""

from __future__ import annotations

from twin.events import ChannelStatusChanged
from twin.fold.estate import ChannelState, QueueManager
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
        _fail(draft, qmgr, sender.name, "")
        return
    if not revive(draft, qmgr, sender.name, partner.name):
        return
    for cluster in joined:
        publication.introduce(draft, qmgr, cluster)
        publication.renew_requests(draft, qmgr, cluster)
        if membership.is_full(qmgr, cluster) and membership.is_full(partner, cluster):
            publication.share_all(draft, qmgr, partner, cluster)


def _fail(draft: Draft, qmgr: QueueManager, channel: str, partner: str) -> None:
    state = qmgr.activity.channels.get(channel)
    if state is None or (state.status, state.partner) != ("RETRYING", partner):
        draft.emit(
            ChannelStatusChanged(
                qmgr=qmgr.name,
                channel=channel,
                status="RETRYING",
                partner=partner,
                reason=channels.HOST_NOT_AVAILABLE,
            )
        )


def revive(draft: Draft, qmgr: QueueManager, channel: str, partner: str) -> bool:
    """Let a channel that is not stopped run again, and send what waited for it; say if it runs."""
    state = qmgr.activity.channels.get(channel)
    if state is not None and state.status == "STOPPED":
        return False
    if not channels.can_reach(draft, channel, partner):
        _fail(draft, qmgr, channel, partner)
        return False
    if state is None or state.status != "RUNNING" or state.partner != partner:
        draft.emit(
            ChannelStatusChanged(qmgr=qmgr.name, channel=channel, status="RUNNING", partner=partner)
        )
    publication.deliver_waiting(draft, qmgr, channel)
    return True


def wake_partners(draft: Draft, qmgr: QueueManager) -> None:
    """Try again the channels of others that failed, or never started, for want of this partner."""
    estate = draft.estate
    manual = {
        name
        for channel, channel_type in qmgr.channels.items()
        if channel_type == "CLUSRCVR"
        for name in estate.ends.get((channel, "CLUSSDR"), ())
    }
    failed = {
        other.name
        for other in estate.qmgrs.values()
        if any(_wants(state, qmgr.name) for state in other.activity.channels.values())
    }
    for name in sorted((manual | failed) - {qmgr.name}):
        other = estate.qmgrs[name]
        if not other.running:
            continue
        for channel, state in list(other.activity.channels.items()):
            if _wants(state, qmgr.name) and channels.can_reach(draft, channel, qmgr.name):
                revive(draft, other, channel, qmgr.name)
        for sender, _ in list(membership.channels_of(other, "CLUSSDR")):
            if sender.name in qmgr.channels:
                connect(draft, other, sender)


def _wants(state: ChannelState, partner: str) -> bool:
    return state.status == "RETRYING" and state.partner == partner


def settle(draft: Draft, qmgr: QueueManager) -> None:
    """Bring a queue manager's clusters up to date after its role, address or state changed."""
    if not qmgr.running:
        return
    for channel, parcels in list(qmgr.repository.waiting.items()):
        revive(draft, qmgr, channel, draft.estate.names[parcels[0].to])
    publication.publish_changes(draft, qmgr, only=None)
    for sender, _ in list(membership.channels_of(qmgr, "CLUSSDR")):
        connect(draft, qmgr, sender)
    wake_partners(draft, qmgr)


def lose(
    draft: Draft, qmgr: QueueManager, *, channel: str | None = None, only: str | None = None
) -> None:
    """Let the channels of others to a queue manager fail and retry; or one, or of one partner."""
    for other in sorted(draft.estate.qmgrs.values(), key=lambda other: other.name):
        for name, state in sorted(other.activity.channels.items()):
            if channel not in (None, name) or only not in (None, other.name):
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


def remove(draft: Draft, qmgr: QueueManager, channel: Definition) -> None:
    """Let the status of a deleted channel go, and fail what ran to a deleted receiving end."""
    if channel.type == "CLUSRCVR":
        lose(draft, qmgr, channel=channel.name)
    elsewhere = any(name[2] == channel.name for name, _ in qmgr.repository.of_kind("qmgr"))
    if channel.name in qmgr.activity.channels and not elsewhere:
        draft.emit(ChannelStatusChanged(qmgr=qmgr.name, channel=channel.name, status="INACTIVE"))
