"""Retries that will come to something are put on the agenda; all others are recorded nowhere.

See decisions 8 and 12. Which do: those that will find their partner, move messages that wait, or
give their channel another transmission queue.
"""

from __future__ import annotations

from twin.events import ChannelRetryAwaited
from twin.fold.estate import ChannelState, QueueManager
from twin.rules.channels import switching
from twin.rules.draft import Draft


def await_retry(draft: Draft, qmgr: QueueManager, channel: str, state: ChannelState) -> None:
    """Note the next retry of a channel as one that something will come of."""
    found = state.retries.next_after(state.since, draft.at)
    if found is not None and found != state.retry:
        draft.emit(ChannelRetryAwaited(qmgr=qmgr.name, channel=channel, at=found))


def await_switches(draft: Draft, qmgr: QueueManager, *, only: str | None = None) -> None:
    """Note the next retries of channels, or of one, that will have another transmission queue then.

    That follows from what is defined here: it is asked as definitions change, and as a channel
    begins to retry.
    """
    held = qmgr.messaging.held_switch if qmgr.has_messaging else {}
    for channel, state in list(qmgr.activity.channels.items()):
        if only not in (None, channel) or state.status != "RETRYING" or channel in held:
            continue
        if (state.retry or 0) <= draft.at and _will_switch(qmgr, channel):
            await_retry(draft, qmgr, channel, state)


def _will_switch(qmgr: QueueManager, channel: str) -> bool:
    kind = qmgr.channels.get(channel, "CLUSSDR")
    return kind == "CLUSSDR" and bool(switching.pending_queue(qmgr, channel))
