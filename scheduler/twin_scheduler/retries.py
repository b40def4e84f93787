"""Retries of channels as time passes: most come to nothing, and are in no log.

They follow from when a channel failed and from its retries (IBM MQ 9.1, "Short retry interval" and
"Long retry interval").
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from twin.app.channels import RetryingChannel
from twin.events import ChannelStatusChanged
from twin.events.catalogue import columns_of, decode
from twin.log import Log
from twin.model.instants import Instant
from twin.model.retries import Retries

_TYPES: Final = tuple(columns_of(ChannelStatusChanged))


def made(
    log: Log,
    branch: str,
    *,
    before: Mapping[tuple[str, str], RetryingChannel],
    after: int,
    upto: int,
    since: Instant,
    reached: Instant,
) -> int:
    """Count the retries behind one instant and up to another, failed ones included.

    Args:
        log: where it is recorded how channels were from one to the other.
        branch: the branch on which they were so.
        before: the channels that were retrying at the first instant, by queue manager and name.
        after: the position of the log behind which that is recorded.
        upto: the last position of it.
        since: the first instant.
        reached: the other.
    """
    retrying = dict(before)
    count = 0
    for stored in log.events(after=after, upto=upto, branch=branch, types=_TYPES):
        event, at = decode(stored.type, stored.body), stored.occurred_at
        if not isinstance(event, ChannelStatusChanged):
            continue
        was = retrying.pop((event.qmgr, event.channel), None)
        if was is not None:
            count += _between(was, since, at)
        if event.status == "RETRYING":
            retries = Retries() if event.retries is None else Retries._make(event.retries)
            retrying[event.qmgr, event.channel] = RetryingChannel(at, retries)
    return count + sum(_between(each, since, reached) for each in retrying.values())


def following(retrying: Mapping[tuple[str, str], RetryingChannel], at: Instant) -> Instant | None:
    """Return the next retry of any channel after an instant, None where there is none."""
    found = (each.retries.next_after(each.since, at) for each in retrying.values())
    return min((each for each in found if each is not None), default=None)


def _between(channel: RetryingChannel, since: Instant, upto: Instant) -> int:
    made_by = [sum(channel.retries.made(channel.since, at)) for at in (since, upto)]
    return max(made_by[1] - made_by[0], 0)
