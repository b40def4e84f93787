"""Counts the retries of channels while time passed, including failed ones, which are not events.

They follow from the instant at which a channel failed and from its retry attributes (IBM MQ 9.1,
"Short retry interval" and "Long retry interval").
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


def count_retries(
    log: Log,
    branch: str,
    *,
    before: Mapping[tuple[str, str], RetryingChannel],
    after: int,
    upto: int,
    since: Instant,
    reached: Instant,
) -> int:
    """Count the retries after one instant and up to another, failed retries included.

    Args:
        log: the log that records the status of channels.
        branch: the branch of that log.
        before: the channels that retried at the first instant, by queue manager and name.
        after: the position of the log at the first instant.
        upto: the position of the log at the second instant.
        since: the first instant.
        reached: the second instant.
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
    return count + sum(_between(channel, since, reached) for channel in retrying.values())


def next_retry(retrying: Mapping[tuple[str, str], RetryingChannel], at: Instant) -> Instant | None:
    """Return the next retry of any channel after an instant; None if there is none."""
    instants = (channel.retries.next_after(channel.since, at) for channel in retrying.values())
    return min((instant for instant in instants if instant is not None), default=None)


def _between(channel: RetryingChannel, since: Instant, upto: Instant) -> int:
    before, after = (sum(channel.retries.made(channel.since, at)) for at in (since, upto))
    return max(after - before, 0)
