"""Sending channels fail, and are RETRYING with error AMQ9202 or another.

Sources: IBM MQ 9.1, "Short retry interval", "Long retry interval"; IBM MQ, "What happens when a
queue manager fails?".
"""

from __future__ import annotations

from twin.events import ChannelStatusChanged
from twin.fold.estate import QueueManager
from twin.model.retries import Retries
from twin.rules.channels import batches, channel_status, reaching, retry_agenda
from twin.rules.draft import ChannelOutcome, Draft


def fail(draft: Draft, qmgr: QueueManager, channel: str, *, reason: str) -> None:
    """Let a running channel fail; messages that it had sent outside syncpoint are lost.

    Source: IBM MQ, "What happens when a queue manager fails?": non-persistent messages on a fast
    channel might be lost. In the twin those that were observed as sent are lost.
    """
    batches.lose_at_risk(draft, qmgr, channel)
    partner = qmgr.activity.channels[channel].partner
    retry_later(draft, qmgr, channel, partner, reason=reason)


def retry_later(
    draft: Draft, qmgr: QueueManager, channel: str, partner: str, *, reason: str
) -> None:
    """Let a channel that could not start, or failed, be RETRYING; its retries begin now."""
    was_running = channel_status.status_of(qmgr, channel, draft.at) == "RUNNING"
    outcome: ChannelOutcome = "failed" if was_running else "tried"
    retries = reaching.retries_of(draft, qmgr, channel, partner)
    draft.emit(
        ChannelStatusChanged(
            qmgr=qmgr.name,
            channel=channel,
            status="RETRYING",
            partner=partner,
            reason=reason,
            retries=None if retries == Retries() else retries,
            gives_up=retries.end(draft.at),
        )
    )
    retry_agenda.await_switches(draft, qmgr, only=channel)
    channel_status.note_outcome(draft, qmgr, channel, outcome)
