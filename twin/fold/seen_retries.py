"""The retries of a channel that was seen RETRYING more than once: the last observation counts.

The first observation gives the channel its status, and the retries that SHORTRTS and LONGRTS showed
to be left. Each later one corrects how many are left, and with that whether the next retry is a
short or a long one. The channel keeps the instant since which it is RETRYING, so the retries are
counted from there: those that were made by the last observation are added to those it had left. The
next retry is a whole interval after the last observation at the latest [decided here]: a capture
does not show when the last retry was.

Source: IBM MQ 9.2, "DISPLAY CHSTATUS" (SHORTRTS, LONGRTS: the attempts that are left); 9.1, "Long
retry interval" (long retries begin when no short one is left).
"""

from __future__ import annotations

from twin.fold.estate import ChannelState, QueueManager
from twin.model.instants import MILLISECOND, Instant
from twin.model.retries import Retries


def retries_of(qmgr: QueueManager, channel: str, state: ChannelState) -> Retries:
    """Return the retries of a channel since it is RETRYING, as they were last seen."""
    if not (qmgr.observed and state.observed and state.status == "RETRYING"):
        return state.retries
    left = qmgr.activity.seen.retries.get(channel)
    if left is None or left.at < state.since:
        return state.retries
    failed = state.since - state.since % MILLISECOND  # see `Retries`
    return _corrected(state.retries, left.at - failed, short=left.short, long=left.long)


def _corrected(retries: Retries, after: Instant, *, short: int, long: int) -> Retries:
    """Return retries with these counts left, some time after the failure."""
    short_every = retries.short_every + retries.hangs
    long_every = retries.long_every + retries.hangs
    made = after // short_every if short_every else 0
    if short:
        return retries._replace(short_count=short + made, long_count=long)
    late = after - made * short_every
    long_made = late // long_every if long_every else 0
    return retries._replace(short_count=made, long_count=long + long_made)
