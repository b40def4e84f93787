"""Put retries on the agenda that will change something; no other retry is recorded.

A retry changes something if it will find the channel's partner, reroute waiting messages, or give
the channel another transmission queue. See decisions 8 and 12.
"""

from __future__ import annotations

from twin.events import ChannelRetryAwaited
from twin.fold.estate import ChannelState, QueueManager
from twin.rules.channels import switching
from twin.rules.draft import Draft


def await_retry(draft: Draft, qmgr: QueueManager, channel: str, state: ChannelState) -> None:
    """Put the next retry of a channel on the agenda."""
    retry = state.retries.next_after(state.since, draft.at)
    if retry is not None and retry != state.retry:
        draft.emit(ChannelRetryAwaited(qmgr=qmgr.name, channel=channel, at=retry))


def await_switches(draft: Draft, qmgr: QueueManager, *, only: str | None = None) -> None:
    """Put the next retries of channels, or of one, on the agenda that will switch their queue.

    Whether a retry switches the transmission queue depends on the definitions. So this is called
    when definitions change, and when a channel begins to retry.
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
