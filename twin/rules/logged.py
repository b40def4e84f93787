"""What error logs say of why a channel fails: that of its own end, or that of its partner.

A record explains a failure if it names the channel and was written in the minute before it, or
since. The failure was the first sight of the channel as RETRYING, if nothing else was seen since.
If that is a capture, an attempt was made before it: of that only the interval of the retries is
known.

Sources: IBM MQ, messages AMQ9513, AMQ9514, AMQ9526, AMQ9544, AMQ9558, AMQ9776 and AMQ9777; "DEFINE
CHANNEL" (LONGTMR).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from twin.events.logged import EXPLAINING, FailureKind, becomes_of
from twin.fold.estate import QueueManager
from twin.fold.seen_states import SeenRecord
from twin.model.instants import MINUTE, Instant
from twin.model.messages import ENDED_ABNORMALLY

_ATTEMPT: Final = 20 * MINUTE
"""The default of LONGTMR: how long before a capture the last attempt was made at most."""

_UNNAMED: Final = frozenset({FailureKind.LIMIT, FailureKind.TLS})
"""What a receiving end may log before it knows the name of the channel."""

_RANKS: Final = {kind: rank for rank, kind in enumerate(FailureKind)}


class LoggedCause(NamedTuple):
    """A record of an error log that says why a channel fails.

    Attributes:
        kind: what it says.
        on: the queue manager that wrote it.
        record: the record.
    """

    kind: FailureKind
    on: str
    record: SeenRecord

    @property
    def location(self) -> int:
        """Where the dead letters of AMQ9544 are: 1 here, 2 at the partner, 0 if not known."""
        first = next(iter(self.record.inserts), "")
        return int(first) if first in ("1", "2") else 0


def failed_since(qmgr: QueueManager, channel: str) -> Instant | None:
    """Return from when on a record explains why a channel was last seen RETRYING; None if not so.

    On a branch it may have been started since, and have failed again for the same reason.
    """
    seen, state = qmgr.activity.seen.of_channel(channel), qmgr.activity.channels.get(channel)
    if not qmgr.observed or seen is None or seen.status != "RETRYING":
        return None
    failed = state.since if state is not None and state.observed else seen.at
    failed = failed if seen.first is None else min(failed, seen.first)
    logged = any(
        each.channel == channel and abs(each.at - failed) <= MINUTE
        for each in qmgr.activity.seen.records.values()
    )
    since = failed - (MINUTE if logged else _ATTEMPT)
    return since if seen.other is None else max(since, seen.other + 1)  # it worked, or was stopped


def cause_of(qmgr: QueueManager, channel: str, partner: QueueManager | None) -> LoggedCause | None:
    """Return what an error log says of why a channel is RETRYING; None if no record says it."""
    since = failed_since(qmgr, channel)
    ends = [qmgr, partner] if partner is not None else [qmgr]
    found = [each for end in ends if since is not None for each in _at(end, channel, since)]
    return min(found, key=lambda each: (_RANKS[each.kind], -each.record.at, each.on), default=None)


def reason_of(qmgr: QueueManager, channel: str) -> str:
    """Return the id of the message that a queue manager logged as its channel failed; '' if none.

    That the channel started, or ended, says nothing of why.
    """
    since = failed_since(qmgr, channel)
    found = [
        (each.id in EXPLAINING, each.at, each.id)
        for each in qmgr.activity.seen.records.values()
        if since is not None and each.channel == channel and each.at >= since
        if each.id not in _ENDINGS and becomes_of(each.id).values.get("status") in _FAILS
    ]
    return max(found)[2] if found else ""


_FAILS: Final = (None, "RETRYING")
"""The status that a message says of a channel, if it may say why the channel failed."""

_ENDINGS: Final = frozenset({ENDED_ABNORMALLY, "CSQX599"})


def _at(end: QueueManager, channel: str, since: Instant) -> Iterator[LoggedCause]:
    for record in end.activity.seen.records.values():
        kind = EXPLAINING.get(record.id)
        if kind is None or record.at < since:
            continue
        unnamed = kind in _UNNAMED and not record.channel
        if channel in (record.channel, *record.inserts) or (
            unnamed and end.channels.keys().isdisjoint(record.inserts)
        ):
            yield LoggedCause(kind, end.name, record)


def is_out_of_sequence(qmgr: QueueManager, channel: str, partner: QueueManager) -> bool:
    """Return whether the ends of a channel were seen to disagree about the sequence number."""
    cause = cause_of(qmgr, channel, partner)
    return cause is not None and cause.kind is FailureKind.SEQUENCE


def knows_log(qmgr: QueueManager, since: Instant) -> bool:
    """Return whether anything of an error log of an instant or later was imported."""
    return qmgr.activity.seen.logs.get(qmgr.name, since - 1) >= since
