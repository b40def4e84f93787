"""Sending channels start: for a message or a repository command, by START CHANNEL, or at a retry.

A channel that does not find its partner becomes RETRYING with AMQ9202.

Sources: IBM MQ 8.0, "STOP CHANNEL"; 9.1, "Short retry interval", "Long retry interval".
"""

from __future__ import annotations

from twin.events import ChannelStatusChanged
from twin.fold.estate import QueueManager
from twin.model.messages import HOST_NOT_AVAILABLE
from twin.model.objects import Definition
from twin.rules.channels import (
    batches,
    channel_status,
    disconnecting,
    get_inhibited,
    reaching,
    retrying,
    switching,
)
from twin.rules.draft import Draft
from twin.rules.queues import put_times
from twin.rules.workload import counter_resets


def ensure_running(draft: Draft, sender: QueueManager, channel: str, target: str) -> bool:
    """Start a channel if it is INACTIVE; return whether it runs now.

    A STOPPED channel does not start by itself, and a RETRYING channel waits for its next retry (IBM
    MQ 8.0, "STOP CHANNEL"; 9.1, "Short retry interval"). A disconnected channel that can reach its
    partner is used as if it were running, and nothing is recorded.
    """
    state = sender.activity.channels.get(channel)
    if state is None:
        return start(draft, sender, channel, target)
    if state.status != "RUNNING":
        return False
    if state.partner == target:
        ends = state.ends
        if ends is None or draft.at < ends or reaching.can_reach(draft, sender, channel, target):
            return True
        if not disconnecting.is_idle(sender, channel, state, draft.at):
            return True
    return start(draft, sender, channel, target)


def start(draft: Draft, qmgr: QueueManager, channel: str, partner: str) -> bool:
    """Start a sending channel to a partner, '' if it has none; return whether it runs now.

    A channel that starts may switch its transmission queue, even if it does not find its partner.
    If it finds its partner, a batch in doubt is resolved: in the twin, none of its messages has
    arrived. A channel whose transmission queue is GET(DISABLED) ends at once.
    """
    check_transmission_queue(draft, qmgr, channel)
    if partner and reaching.can_reach(draft, qmgr, channel, partner):
        if get_inhibited.end_if_inhibited(draft, qmgr, channel):
            return False
        _run(draft, qmgr, channel, partner)
        return True
    retrying.retry_later(draft, qmgr, channel, partner, reason=HOST_NOT_AVAILABLE)
    return False


def check_transmission_queue(draft: Draft, qmgr: QueueManager, channel: str) -> None:
    """Check the transmission queue of a channel that starts, if it is a cluster-sender channel."""
    definition = qmgr.definitions.get(("CHANNEL", channel))
    if definition is None or definition.type == "CLUSSDR":
        switching.check(draft, qmgr, channel)


def run(draft: Draft, qmgr: QueueManager, channel: str, partner: str) -> None:
    """Let a started sending channel run, because it found its partner."""
    check_transmission_queue(draft, qmgr, channel)
    _run(draft, qmgr, channel, partner)


def _run(draft: Draft, qmgr: QueueManager, channel: str, partner: str) -> None:
    counter_resets.status_changes(draft, qmgr, channel, "RUNNING")
    put_times.record(draft, qmgr, channel)
    draft.emit(
        ChannelStatusChanged(
            qmgr=qmgr.name,
            channel=channel,
            status="RUNNING",
            partner=partner,
            discint=disconnecting.interval(reaching.attributes_of(draft, qmgr, channel, partner)),
        )
    )
    if qmgr.has_messaging:
        batches.clear(draft, qmgr, channel)
    channel_status.note_outcome(draft, qmgr, channel, "ran")


def start_defined(draft: Draft, qmgr: QueueManager, definition: Definition) -> bool:
    """Start a sending channel by its definition; return whether it runs now."""
    partner = reaching.partner_of(draft, qmgr, definition)
    return start(draft, qmgr, definition.name, partner.name if partner is not None else "")
