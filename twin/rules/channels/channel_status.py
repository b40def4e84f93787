"""The status of a sending channel, whether the channel can be used, and its outcomes."""

from __future__ import annotations

from twin.fold.estate import QueueManager
from twin.model.instants import Instant
from twin.rules.channels import disconnecting, reaching
from twin.rules.draft import ChannelOutcome, Draft


def status_of(qmgr: QueueManager, channel: str, at: Instant) -> str:
    """Return the status of a channel at an instant, as DISPLAY CHSTATUS writes it."""
    state = disconnecting.current_state(qmgr, channel, at)
    return state.status if state is not None else "INACTIVE"


def is_usable(draft: Draft, sender: QueueManager, channel: str, target: QueueManager) -> bool:
    """Return whether a channel runs, or would run if it were started now."""
    state = sender.activity.channels.get(channel)
    if state is not None and state.partner == target.name:
        if state.status != "RUNNING":
            return False
        if not disconnecting.is_idle(sender, channel, state, draft.at):
            return True
    return (state is None or state.status != "STOPPED") and reaching.can_reach(
        draft, sender, channel, target.name
    )


def carries_while_idle(draft: Draft, sender: QueueManager, channel: str, target: str) -> bool:
    """Return whether a channel has disconnected and still carries repository commands."""
    state = sender.activity.channels.get(channel)
    return (
        state is not None
        and state.partner == target
        and disconnecting.is_idle(sender, channel, state, draft.at)
        and reaching.can_reach(draft, sender, channel, target)
    )


def note_outcome(draft: Draft, qmgr: QueueManager, channel: str, outcome: ChannelOutcome) -> None:
    """Note what happened to a channel, if any messages at its queue manager are waiting."""
    if qmgr.name in draft.estate.qmgrs_with_waiting_messages:
        draft.channel_outcomes.pop((qmgr.name, channel), None)
        draft.channel_outcomes[qmgr.name, channel] = outcome
