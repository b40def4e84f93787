"""The facts in an error log: observations of channels, with their instants.

A message that a channel failed, ended or was stopped says so at once. A message that a channel
program started (AMQ9002, CSQX500) is written before the negotiation, and at every retry. It says
that the channel runs only if nothing denies it within the connect time: a failure, a stop, another
attempt, or the end of the queue manager. A failure without a channel name is that of the attempt of
the same process and thread.

Only channels that send give facts. A receiving channel has an instance for each partner, and one
message is about one of them. Equal statuses are not left out: what was said does not depend on what
was read before.

Sources: IBM MQ messages of the table in `meanings`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import tzinfo
from itertools import takewhile
from typing import Final, NamedTuple, TypeAlias

from twin.events import ChannelObserved, Origin
from twin.feeds.errorlog.meanings import INACTIVE, MEANINGS, Kind, Meaning, named
from twin.feeds.errorlog.record import LogRecord
from twin.feeds.reading.local_time import DateOrder, Undated, local_to_instant
from twin.model.instants import MINUTE, Instant
from twin.model.names import CHANNEL_NAME_LENGTH, legal_name

CONNECT_TIME: Final = 3 * MINUTE
"""The time within which an attempt fails, if it does: Linux gives up a connection after 127 s."""

SENDING: Final = frozenset({"CLUSSDR", "SDR", "SVR"})
"""The types of channels whose status follows from messages at their queue manager."""

UNKNOWN_ID: Final = "its message id is not in the table"
NOTHING_SAID: Final = "says nothing about the state of a channel"
NOT_CARRIED: Final = "no observation carries it"
NO_QMGR: Final = "names no queue manager"
NO_INSTANT: Final = "has no instant, and no zone is known"
NO_CHANNEL: Final = "names no channel"
NOT_SENDING: Final = "is about a channel that does not send here, or whose type is unknown"
DENIED: Final = "something followed that denies it, or leaves open whether the channel ran"
UNDECIDED: Final = "ends before it is known whether the channel began to run"

_RUNNING: Final = "RUNNING"
_DENYING: Final = frozenset({Kind.STATUS, Kind.EVIDENCE, Kind.ERROR})
_RESTARTS: Final = frozenset({"QueueManagerFirstSeen", "QueueManagerStarted", "QueueManagerEnded"})

ChannelType: TypeAlias = Callable[[str, str], str]
"""A function from a queue manager and a channel to the type of the channel there; '' if unknown."""


class LogFact(NamedTuple):
    """What one record says.

    Attributes:
        at: the instant.
        observation: the event to record.
        record: the record that says it.
    """

    at: Instant
    observation: ChannelObserved
    record: LogRecord


class NoLogFact(NamedTuple):
    """A record that gives no fact; it is evidence at most.

    Attributes:
        record: the record.
        why: the reason, one of the constants of this module, or of `Undated`.
    """

    record: LogRecord
    why: str


class LogSource(NamedTuple):
    """What is known of a log beside its text.

    Attributes:
        qmgr: the queue manager of records that name none; '' if it is unknown.
        file: the path of the file, for the origin of the facts; None if it has none.
        zone: the zone of dates without one; None if it is unknown.
        order: the order of dates that may have two; None if it is unknown.
    """

    qmgr: str = ""
    file: str | None = None
    zone: tzinfo | None = None
    order: DateOrder | None = None


def log_facts(
    records: Iterable[LogRecord],
    *,
    type_of: ChannelType,
    source: LogSource = LogSource(),  # noqa: B008 - it is frozen
    connect_time: int = CONNECT_TIME,
) -> Iterator[LogFact | NoLogFact]:
    """Yield one row for each record: the fact that it gives, or why it gives none.

    An attempt is decided later than the records after it, so rows are not in the order of the
    records. Memory holds the attempts that are not decided: one for each channel.

    Args:
        records: the records of a log in the order of time, as far as the log is in order.
        type_of: tells the type of a channel at a queue manager.
        source: what is known of the log.
        connect_time: the time in which an attempt fails, if it does, in microseconds.
    """
    reading = _Reading(type_of, source, connect_time)
    for record in records:
        yield from reading.take(record)
    yield from reading.end()


class _Attempt(NamedTuple):
    """A channel program that started; it runs if nothing denies it."""

    at: Instant
    record: LogRecord


class _Reading:
    """The attempts of one log that are not decided, by queue manager and channel."""

    def __init__(self, type_of: ChannelType, source: LogSource, connect_time: int) -> None:
        self._type_of = type_of
        self._source = source
        self._connect_time = connect_time
        self._waiting: dict[str, dict[str, _Attempt]] = {}

    def take(self, record: LogRecord) -> Iterator[LogFact | NoLogFact]:
        """Yield what a record says, and what it decides."""
        meaning = MEANINGS.get(record.id)
        qmgr = record.qmgr or self._source.qmgr
        at = self._instant(record)
        if not isinstance(at, Undated):
            yield from self._decided(qmgr, at)
        if meaning is None:
            yield NoLogFact(record, UNKNOWN_ID)
        elif not qmgr:
            yield NoLogFact(record, NO_QMGR)
        elif isinstance(at, Undated):
            yield NoLogFact(record, at.why)
        else:
            yield from self._said(record, meaning, qmgr, at)

    def end(self) -> Iterator[NoLogFact]:
        """Yield the attempts that nothing decides."""
        for attempts in self._waiting.values():
            for attempt in attempts.values():
                yield NoLogFact(attempt.record, UNDECIDED)

    def _instant(self, record: LogRecord) -> Instant | Undated:
        if record.at is not None:
            return record.at
        if record.local is None or self._source.zone is None:
            return Undated(NO_INSTANT)
        return local_to_instant(record.local, self._source.zone, self._source.order)

    def _said(
        self, record: LogRecord, meaning: Meaning, qmgr: str, at: Instant
    ) -> Iterator[LogFact | NoLogFact]:
        channel = named(record).get("channel", "")
        attempts = self._waiting.setdefault(qmgr, {})
        is_fact = meaning.kind in {Kind.ATTEMPT, Kind.STATUS}
        if not is_fact or not legal_name(channel, limit=CHANNEL_NAME_LENGTH):
            yield from _denied(attempts, record, meaning, channel)
            unnamed = NO_CHANNEL if is_fact else NOTHING_SAID
            yield NoLogFact(record, NOT_CARRIED if meaning.kind is Kind.ACT else unnamed)
        elif self._type_of(qmgr, channel) not in SENDING:
            yield NoLogFact(record, NOT_SENDING)
        elif meaning.kind is Kind.ATTEMPT:
            yield from _drop(attempts, channel)
            attempts[channel] = _Attempt(at, record)
        else:
            if meaning.becomes == INACTIVE and channel in attempts:
                yield self._runs(qmgr, channel, attempts.pop(channel))
            yield from _drop(attempts, channel)
            yield self._fact(record, qmgr, channel, meaning.becomes, at)

    def _decided(self, qmgr: str, now: Instant) -> Iterator[LogFact]:
        """Yield the channels that run because nothing denied it for long enough."""
        attempts = self._waiting.get(qmgr, {})
        due = takewhile(lambda each: each[1].at + self._connect_time < now, attempts.items())
        for channel, attempt in list(due):
            del attempts[channel]
            yield self._runs(qmgr, channel, attempt)

    def _runs(self, qmgr: str, channel: str, attempt: _Attempt) -> LogFact:
        return self._fact(attempt.record, qmgr, channel, _RUNNING, attempt.at)

    def _fact(
        self, record: LogRecord, qmgr: str, channel: str, status: str, at: Instant
    ) -> LogFact:
        file = self._source.file
        origin = None if file is None else Origin(file=file, line=record.line)
        event = ChannelObserved(qmgr=qmgr, channel=channel, status=status, origin=origin)
        return LogFact(at, event, record)


def _denied(
    attempts: dict[str, _Attempt], record: LogRecord, meaning: Meaning, channel: str
) -> Iterator[NoLogFact]:
    """Give up the attempts that a record without a status of its own denies."""
    if meaning.becomes in _RESTARTS:
        denied = list(attempts)
    elif meaning.kind not in _DENYING:
        return
    elif channel:
        denied = [channel]
    else:
        denied = [name for name, each in attempts.items() if _one_thread(each.record, record)]
    for name in denied:
        yield from _drop(attempts, name)


def _one_thread(one: LogRecord, other: LogRecord) -> bool:
    return bool(one.process) and one.process == other.process


def _drop(attempts: dict[str, _Attempt], channel: str) -> Iterator[NoLogFact]:
    """Give up an attempt, if there is one."""
    if channel in attempts:
        yield NoLogFact(attempts.pop(channel).record, DENIED)
