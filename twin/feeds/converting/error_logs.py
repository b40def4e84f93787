"""Error logs of all forms: one fact for each record, with the instant of the record.

A message that a channel failed, ended or was stopped says so at once. A message that a channel
program started says so later, see `attempts`. A channel that somebody stopped (AMQ9528) writes at
once that it ended normally (AMQ9001): it is STOPPED, not INACTIVE. Every channel gives facts:
whether a status counts is decided when the fact is applied. Equal statuses are not left out: what
was said does not depend on what was read before. Internal tasks of the queue manager are passed
over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import takewhile
from typing import Final, NamedTuple, TypeAlias

from twin.events import ChannelObserved, EvidenceObserved, Origin, RepositoryManagerObserved
from twin.events.logged import OVERDUE, RESTARTS, Becomes, becomes_of
from twin.feeds.converting import log_records
from twin.feeds.converting.identities import Identities, Instants, Runs
from twin.feeds.errorlog.json_lines import read_console, read_json
from twin.feeds.errorlog.naming import names_of
from twin.feeds.errorlog.record import LogRecord, Skipped
from twin.feeds.errorlog.text import read_text
from twin.feeds.errorlog.zos import read_zos
from twin.feeds.observed import Converted, DatedFact, FeedSource, NotRecorded, PassedOver
from twin.feeds.reading.local_time import DateOrder, DateOrders, Undated, local_to_instant
from twin.feeds.reading.not_understood import LONG_QMID, NotUnderstood
from twin.model.instants import MINUTE, Instant
from twin.model.names import QMID_LENGTH, legal_name

NO_QMGR: Final = "names no queue manager"

NO_INSTANT: Final = "has no instant, and no zone is known"

_RUNNING: Final = "RUNNING"


_ENDS_WITHIN: Final = MINUTE
"""The time within which a channel that was stopped writes that it ended."""

_DENYING: Final = frozenset({ChannelObserved, EvidenceObserved, RepositoryManagerObserved})

_Read: TypeAlias = LogRecord | Skipped | NotUnderstood

CONNECT_TIME: Final = 3 * MINUTE
"""The time within which an attempt fails, if it does: Linux gives up a connection after 127 s."""


class Attempt(NamedTuple):
    """A channel program that started.

    Attributes:
        at: the instant.
        record: the record that says it.
        identity: the identity of the record.
        qmgr: the queue manager.
        wording: what the record says.
    """

    at: Instant
    record: LogRecord
    identity: str
    qmgr: str
    wording: log_records.Wording

    @property
    def channel(self) -> str:
        """The channel."""
        return self.wording.channel


class Attempts:
    """The attempts of one log that are not decided: one for each channel at most."""

    def __init__(self) -> None:
        """Start with none."""
        self._waiting: dict[str, dict[str, Attempt]] = {}

    def run_by(self, qmgr: str, now: Instant) -> Sequence[Attempt]:
        """Take out the attempts of a queue manager that nothing denied for long enough."""
        attempts = self._waiting.get(qmgr)
        before = now - CONNECT_TIME
        if not attempts or next(iter(attempts.values())).at >= before:
            return ()
        due = list(takewhile(lambda each: each.at < before, attempts.values()))
        for attempt in due:
            del attempts[attempt.channel]
        return due

    def add(self, attempt: Attempt) -> None:
        """Await what follows an attempt; take out an earlier one of its channel first."""
        self._waiting.setdefault(attempt.qmgr, {})[attempt.channel] = attempt

    def take(self, qmgr: str, channel: str) -> Attempt | None:
        """Take out the attempt of a channel."""
        return self._waiting.get(qmgr, {}).pop(channel, None)

    def take_thread(self, qmgr: str, process: str) -> list[Attempt]:
        """Take out the attempts of one process and thread."""
        attempts = self._waiting.get(qmgr, {})
        found = [each for each in attempts.values() if process and each.record.process == process]
        for each in found:
            del attempts[each.channel]
        return found

    def take_all(self, qmgr: str | None = None) -> list[Attempt]:
        """Take out all attempts of a queue manager, or of all."""
        if qmgr is not None:
            return list(self._waiting.pop(qmgr, {}).values())
        found = [each for attempts in self._waiting.values() for each in attempts.values()]
        self._waiting.clear()
        return found


def converted(
    read: Callable[[Iterable[str]], Iterator[_Read]],
    lines: Iterable[str],
    source: FeedSource,
) -> Iterator[Converted]:
    """Yield one row for each record of a log: the fact that it gives, or why it gives none.

    An attempt is decided later than the records after it. Memory holds the attempts that are not
    decided, and the names of the channels that were stopped.

    Args:
        read: the reader of the form of the log.
        lines: the lines of the log, in the order of time as far as the log is in order.
        source: what is known of the log.
    """
    reading = _Reading(source)
    for each in read(lines):
        if isinstance(each, LogRecord):
            yield from reading.take(each)
        elif isinstance(each, Skipped):
            yield PassedOver(each.line, each.what, "")
        else:
            yield NotRecorded(*each)
    yield from reading.end()


def certain_order(
    read: Callable[[Iterable[str]], Iterator[_Read]], lines: Iterable[str]
) -> DateOrder | None:
    """Return the order of day and month that all dates of a log allow, if it is only one."""
    orders = DateOrders()
    for each in read(lines):
        if isinstance(each, LogRecord) and each.local is not None:
            orders.note(each.local, each.at)
    return orders.only


class _Reading:
    """The reading of one log."""

    def __init__(self, source: FeedSource) -> None:
        self._source = source
        self._attempts = Attempts()
        self._identities = Identities()
        self._instants = Instants()
        self._order = Runs()
        self._wordings = log_records.Wordings()
        self._stopped: dict[tuple[str, str], Instant] = {}

    def take(self, record: LogRecord) -> Sequence[Converted]:
        """Return what a record says, and what it decides."""
        named = log_records.qmgr_of(record) if record.id in RESTARTS else ""
        qmgr = record.qmgr or named or self._source.qmgr
        wording = self._wordings.of(record)
        at = self._instant(record)
        digest = record.digest_with(wording.content)
        run = 0 if isinstance(at, Undated) else self._order.of(qmgr, at, digest)
        identity = self._identities.of(qmgr, digest, run=run)
        if not qmgr or not legal_name(qmgr):
            return (NotRecorded(record.line, record.id, NO_QMGR, record.id),)
        if record.id in OVERDUE and len(names_of(record).get("qmid", "")) > QMID_LENGTH:
            return (NotRecorded(record.line, record.id, LONG_QMID, record.id),)
        if isinstance(at, Undated):
            return (NotRecorded(record.line, record.id, at.why, record.id),)
        at = self._instants.of(qmgr, at, run=run)
        found: list[Converted] = [
            self._evidence(attempt)
            for attempt in (self._attempts.take_all(qmgr) if self._order.has_begun else ())
        ]
        found += [self._runs(attempt) for attempt in self._attempts.run_by(qmgr, at)]
        self._add(found, Attempt(at, record, identity, qmgr, wording))
        return found

    def end(self) -> Iterator[Converted]:
        """Yield the attempts that nothing decides: they are evidence."""
        yield from (self._evidence(attempt) for attempt in self._attempts.take_all())

    def _instant(self, record: LogRecord) -> Instant | Undated:
        if record.at is not None:
            return record.at
        if record.local is None or self._source.zone is None:
            return Undated(NO_INSTANT)
        return local_to_instant(record.local, self._source.zone, self._source.order)

    def _add(self, found: list[Converted], said: Attempt) -> None:
        """Add what a record says, after what it decides of the attempts before it."""
        channel = said.wording.channel
        becomes = becomes_of(said.record.id)
        status = becomes.values["status"] if becomes.event is ChannelObserved and channel else ""
        ran = status == "INACTIVE"
        if ran and (attempt := self._attempts.take(said.qmgr, channel)) is not None:
            found.append(self._runs(attempt))
        found.extend(map(self._evidence, self._denied(said, becomes)))
        if status and not becomes.certain:
            self._stopped.pop((said.qmgr, channel), None)
            self._attempts.add(said)
        elif ran and self._was_stopped(said):
            found.append(self._evidence(said))
        elif status:
            self._note_stop(said, status)
            found.append(self._status(said, status))
        elif becomes.event is None:
            found.append(PassedOver(said.record.line, said.record.id, channel))
        else:
            found.append(self._evidence(said))

    def _note_stop(self, said: Attempt, status: str) -> None:
        """Note when somebody stopped a channel, until it has another status."""
        key = (said.qmgr, said.channel)
        if status == "STOPPED":
            self._stopped[key] = said.at
        else:
            self._stopped.pop(key, None)

    def _was_stopped(self, said: Attempt) -> bool:
        """Return whether a channel that ended normally did so because it has just been stopped."""
        stopped = self._stopped.get((said.qmgr, said.channel))
        return stopped is not None and said.at <= stopped + _ENDS_WITHIN

    def _denied(self, said: Attempt, becomes: Becomes) -> Sequence[Attempt]:
        """Take out the attempts that a record denies."""
        if said.record.id in RESTARTS:
            return self._attempts.take_all(said.qmgr)
        if becomes.event not in _DENYING or not (becomes.certain or said.channel):
            return ()
        if said.channel:
            denied = self._attempts.take(said.qmgr, said.channel)
            return () if denied is None else (denied,)
        return self._attempts.take_thread(said.qmgr, said.record.process)

    def _origin(self, record: LogRecord, wording: log_records.Wording) -> Origin:
        """Return where a record is, and which message it is."""
        file = self._source.file
        line = None if file is None else record.line
        return Origin(file=file, line=line, message=record.id, digest=wording.digest)

    def _runs(self, attempt: Attempt) -> DatedFact:
        """Return that an attempt ran; it may have been evidence when the log was shorter."""
        return self._status(attempt._replace(identity=f"{attempt.identity}/{_RUNNING}"), _RUNNING)

    def _status(self, said: Attempt, status: str) -> DatedFact:
        record, wording = said.record, said.wording
        origin = self._origin(record, wording)
        event = log_records.status_of(record, wording, said.qmgr, status, origin)
        return DatedFact(said.at, event, said.identity, wording.evidence)

    def _evidence(self, said: Attempt) -> DatedFact:
        record, wording = said.record, said.wording
        event = log_records.event_of(record, wording, said.qmgr, self._origin(record, wording))
        return DatedFact(said.at, event, said.identity, wording.evidence)


text_facts = partial(converted, read_text)

json_facts = partial(converted, read_json)

console_facts = partial(converted, read_console)

zos_facts = partial(converted, read_zos)

text_order = partial(certain_order, read_text)
