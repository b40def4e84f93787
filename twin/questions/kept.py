"""Why messages do not leave their transmission queue at once: what keeps their channel back.

Source: IBM MQ 8.0, "STOP CHANNEL" (a message starts a channel that is INACTIVE, and none that is
STOPPED); IBM MQ 9.1, "Short retry interval" (one that is RETRYING is tried again in its own time).
"""

from __future__ import annotations

from collections import Counter
from typing import Final, NamedTuple

from twin.fold.estate import QueueManager
from twin.model.instants import Instant, format_instant
from twin.questions.senders import messaging_of
from twin.rules import disconnecting, inhibiting

_FREE: Final = ("INACTIVE", "RUNNING")


class Kept(NamedTuple):
    """A channel that messages wait for: its status, and when it is tried again."""

    channel: str
    status: str
    next_retry: Instant | None = None
    why: str = ""

    def __str__(self) -> str:
        """Say why messages wait for it."""
        again = f", next retry {format_instant(self.next_retry)}" if self.next_retry else ""
        return f"{self.channel} {self.why or f'is {self.status}'}{again}"


class Waits(NamedTuple):
    """Messages that wait alike: on which transmission queue, how many, and what keeps them."""

    queue: str
    messages: int
    kept: Kept


def of_channel(qmgr: QueueManager, channel: str, at: Instant) -> Kept:
    """Say how a channel is at an instant, and what else keeps its messages back."""
    state, messaging = disconnecting.current(qmgr, channel, at), messaging_of(qmgr)
    status = state.status if state is not None else "INACTIVE"
    retry = None
    if state is not None and status == "RETRYING":
        retry = state.retries.next_after(state.since, at)
    why = ""
    if status in _FREE and channel in messaging.held:
        why = "is held back"
    elif status in _FREE and channel in messaging.in_doubt:
        why = "has a batch in doubt"
    elif status in _FREE and (queue := inhibiting.inhibited(qmgr, channel)):
        why = f"gets from {queue}, which is GET(DISABLED)"
    return Kept(channel, status, retry, why)


def keeper(qmgr: QueueManager, channel: str, at: Instant) -> Kept | None:
    """Say what would keep back a message put for a channel, None where it would leave or try."""
    found = of_channel(qmgr, channel, at)
    return found if found.why or found.status not in _FREE else None


def waiting(qmgr: QueueManager, at: Instant, *, behind: int) -> tuple[Waits, ...]:
    """List what waits for channels of all that was put behind a position of the log."""
    found: Counter[tuple[str, str]] = Counter()
    for queue, channels in messaging_of(qmgr).waiting.items():
        for channel, parcels in channels.items():
            count = sum(parcel.count for parcel in parcels if parcel.put > behind)
            if count:
                found[queue, channel] += count
    return tuple(
        Waits(queue, count, of_channel(qmgr, channel, at))
        for (queue, channel), count in sorted(found.items())
    )
