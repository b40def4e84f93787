"""The messages of pasted lines, explained: equal ones are counted, with what they name.

It knows the lines alone. What a queue manager believes is compared elsewhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import tzinfo
from typing import Final, NamedTuple

from twin.events.logged import FAILING, OVERDUE, RESTARTS, WORKING
from twin.feeds.errorlog.naming import (
    clock_of,
    days_of,
    key_of,
    names_of,
    others_of,
    owner_of,
    told,
)
from twin.feeds.errorlog.pasted import PastedRow, read_pasted
from twin.feeds.errorlog.record import LogRecord, Skipped
from twin.feeds.reading.local_time import DateOrder, DateOrders, local_to_instant
from twin.feeds.reading.not_understood import NotUnderstood
from twin.model.amounts import whole_number
from twin.model.instants import Instant, format_instant
from twin.model.messages import CATALOGUE, MessageRow
from twin.model.reasons import REASONS, explained_reason, reason_code

_OF_CHANNELS: Final = frozenset({"AMQ9999", "CSQX599"})
"""The messages that a channel ended, whose cause the same thread logged just before."""

_WORKS: Final = WORKING | RESTARTS
"""The messages after which a repository manager does not fail any more."""

_MOST_GROUPS: Final = 5000
_MOST_THREADS: Final = 1024
_MOST_NAMES: Final = 8
_MOST_PROBLEMS: Final = 1000


class DecodedMessage(NamedTuple):
    """Equal messages of a log, explained.

    Attributes:
        id: with the severity letter, if the lines have it.
        key: the id without the letter.
        line: the line of the first one.
        number: how many there are.
        span: when they were written.
        on: the queue manager that wrote them; '' if the lines do not say it.
        names: what they name: role -> name.
        others: everything that may be a name in the last one.
        hosts: the partners that they name.
        causes: for the end of a channel: the messages just before it, and how many.
        days: for a warning that a record was not renewed: days overdue, and days left, when the
            last one was written.
        ends: when the queue manager ends, if its repository manager fails until then and nothing
            later in the lines says that it works again, or started; None if that is not said.
        message: the text of the last one, without passwords.
        means: what it means; '' if the id is unknown.
        template: what to do; roles in braces.
        source: what `means` and `template` rest on.
        noise: whether nothing needs to be done about it.
    """

    id: str
    key: str
    line: int
    number: int
    span: TimesLogged
    on: str
    names: Mapping[str, str]
    others: tuple[str, ...]
    hosts: tuple[str, ...]
    causes: tuple[tuple[str, int], ...]
    days: tuple[int, int] | None
    ends: Instant | None
    message: str
    means: str
    template: str
    source: str
    noise: bool

    @property
    def owner(self) -> str:
        """The queue manager that its QMID names; '' for none."""
        return owner_of(self.names.get("qmid", ""))


class DecodedLog(NamedTuple):
    """What pasted lines say.

    Attributes:
        messages: in the order in which they first stand there.
        records: how many records there are.
        skipped: how many lines are recognised and say nothing about a queue manager.
        problems: what was not understood, at most 1,000.
        more: how many further problems there are.
        notes: what else a reader should know about the times.
    """

    messages: tuple[DecodedMessage, ...]
    records: int
    skipped: int
    problems: tuple[NotUnderstood, ...]
    more: int
    notes: tuple[str, ...]


@dataclass(slots=True)
class _Group:
    """Equal messages while they are read."""

    first: LogRecord
    last: LogRecord
    count: int = 0
    earliest: Instant | None = None
    latest: Instant | None = None
    names: dict[str, dict[str, None]] = field(default_factory=dict)
    causes: Counter[str] = field(default_factory=Counter)


def decode_lines(
    lines: Iterable[str],
    *,
    zone: tzinfo | None = None,
    order: DateOrder | None = None,
    on: str = "",
) -> DecodedLog:
    """Explain the messages in lines of any form; never raises because of the text.

    Args:
        lines: the lines.
        zone: the zone of local times; without it they stay local.
        order: the order of dates that may be day/month or month/day; by default what all dates of
            the lines allow.
        on: the queue manager that wrote records that do not say who did.
    """
    if isinstance(lines, list) and (code := reason_code(" ".join(lines))):
        return _of_reason(code, on)
    decoder = _Decoder(on)
    for each in read_pasted(lines):
        decoder.take(each)
    return decoder.result(zone, order)


def _of_reason(code: int, on: str) -> DecodedLog:
    """Explain a reason code that stands alone."""
    record = LogRecord(1, 1, str(code), "", None, None, qmgr=on)
    message = _decoded(_Group(record, record, 1), LogTimes(None, None), {})
    says = message._replace(means=explained_reason(code), source="IBM MQ, API reason codes")
    return DecodedLog((says,), 1, 0, (), 0, ())


class _Decoder:
    """Groups records, within bounds."""

    def __init__(self, on: str) -> None:
        self._on = on
        self._groups: dict[tuple[str, ...], _Group] = {}
        self._threads: dict[tuple[str, str], tuple[str, _Group]] = {}
        self._orders = DateOrders()
        self._records = self._skipped = self._more = 0
        self._works: dict[str, Instant] = {}
        self._problems: list[NotUnderstood] = []

    def take(self, each: PastedRow) -> None:
        """Take one row of the reader."""
        if isinstance(each, Skipped):
            self._skipped += 1
        elif isinstance(each, NotUnderstood):
            if len(self._problems) < _MOST_PROBLEMS:
                self._problems.append(each)
            else:
                self._more += 1
        else:
            self._records += 1
            self._add(each if each.qmgr else each._replace(qmgr=self._on))

    def _add(self, record: LogRecord) -> None:
        names = names_of(record)
        key = key_of(record, names)
        if key not in self._groups and len(self._groups) >= _MOST_GROUPS:
            key = (record.id, "", "and others")
        group = self._groups.setdefault(key, _Group(record, record))
        group.count += 1
        for role, name in names.items():
            known = group.names.setdefault(role, {})
            if len(known) < _MOST_NAMES:
                known[name] = None
        at = record.at
        if at is not None:
            group.earliest = at if group.earliest is None else min(at, group.earliest)
            if group.latest is None or at >= group.latest:
                group.latest, group.last = at, record
        else:
            group.last = record
        if at is not None and record.id in _WORKS:
            self._works[record.qmgr] = max(at, self._works.get(record.qmgr, at))
        if record.local is not None:
            self._orders.note(record.local, at)
        self._note_cause(record, group)

    def _note_cause(self, record: LogRecord, group: _Group) -> None:
        """Remember the message before the end of a channel in the same thread: its cause.

        The end of a channel names it; the cause often does not.
        """
        if not record.process:
            return
        thread = (record.qmgr, record.process)
        if record.id in _OF_CHANNELS:
            cause, its_group = self._threads.pop(thread, ("", group))
            if cause:
                group.causes[cause] += 1
                known = its_group.names.setdefault("channel", {})
                if len(known) < _MOST_NAMES:
                    known |= group.names.get("channel", {})
            return
        if len(self._threads) >= _MOST_THREADS:
            self._threads.clear()
        row = CATALOGUE.get(record.id)
        if row is None or not row.noise:
            self._threads[thread] = (record.id, group)
        else:
            self._threads.pop(thread, None)

    def result(self, zone: tzinfo | None, order: DateOrder | None) -> DecodedLog:
        """Return what was taken, with its times."""
        times = LogTimes(zone, order or self._orders.only)
        messages = tuple(_decoded(group, times, self._works) for group in self._groups.values())
        return DecodedLog(
            messages,
            self._records,
            self._skipped,
            tuple(self._problems),
            self._more,
            tuple(times.notes),
        )


def _decoded(group: _Group, times: LogTimes, works: Mapping[str, Instant]) -> DecodedMessage:
    last = group.last
    span = times.of(group.first, last, group.earliest, group.latest)
    left = clock_of(last)[1] if last.id in FAILING else None
    ends = None if left is None or span.last_at is None else span.last_at + left
    row = CATALOGUE.get(last.id) or MessageRow(last.id)
    single = {role: next(iter(found)) for role, found in group.names.items() if len(found) == 1}
    hosts = tuple(group.names.get("host", {}))
    means, template = row.advice(single.get(row.deciding, ""))
    reason = whole_number(single.get("reason", ""))
    if reason is not None and reason in REASONS:
        means = f"{means} {explained_reason(reason)}".lstrip()
    return DecodedMessage(
        id=last.id + (last.letter or group.first.letter),
        key=last.id,
        line=group.first.line,
        number=group.count,
        span=span,
        on=last.qmgr,
        names={role: name for role, name in single.items() if role not in {"host", "dn"}},
        others=others_of(last),
        hosts=hosts,
        causes=tuple(group.causes.most_common(_MOST_NAMES)),
        days=days_of(last) if last.id in OVERDUE else None,
        ends=None if works.get(last.qmgr, 0) > (span.last_at or 0) else ends,
        message=last.message,
        means=told(means, single),
        template=template,
        source=row.source,
        noise=row.noise,
    )


class TimesLogged(NamedTuple):
    """The first and the last time of a message, each as an instant, as local time, or ''."""

    first: str
    last: str
    last_at: Instant | None


class LogTimes:
    """Writes the times of messages, and notes which are not certain.

    Attributes:
        notes: the notes, each once.
    """

    def __init__(self, zone: tzinfo | None, order: DateOrder | None) -> None:
        """Take the zone of local times, and the order of dates that may be in two."""
        self._zone = zone
        self._order = order
        self.notes: dict[str, None] = {}

    def of(
        self, first: LogRecord, last: LogRecord, earliest: Instant | None, latest: Instant | None
    ) -> TimesLogged:
        """Return the first and the last time of equal messages.

        Args:
            first: the first record as it stands in the log.
            last: the last one, by its instant if it has one.
            earliest: the earliest of their instants.
            latest: the latest of their instants.
        """
        first_shown, first_at = self._shown(first)
        last_shown, last_at = self._shown(last)
        if earliest is not None and latest is not None:
            if first.at is not None or first_at is None:
                first_shown = format_instant(earliest)
            last_shown, last_at = format_instant(latest), latest
        elif first_at is not None and last_at is not None and first_at > last_at:
            first_shown, last_shown, last_at = last_shown, first_shown, first_at
        return TimesLogged(first_shown, last_shown, last_at)

    def _shown(self, record: LogRecord) -> tuple[str, Instant | None]:
        """Return the time of a record as it is shown, and its instant if that is known."""
        if record.at is not None:
            return format_instant(record.at), record.at
        local = record.local
        if local is None:
            return "", None
        if self._zone is not None:
            at = local_to_instant(local, self._zone, self._order)
            if isinstance(at, int):
                return format_instant(at), at
            self.notes[f"{local.written} {at.why}; it stays local"] = None
            return local.written, None
        self.notes["times without Z are local to the queue manager; --tz ZONE converts them"] = None
        order = self._order if self._order in local.orders else None
        orders = local.orders if order is None else (order,)
        moments = {local.moment(each) for each in orders}
        moment = moments.pop() if len(moments) == 1 else None
        return (moment.isoformat() if moment else local.written), None
