"""The messages of pasted lines, explained: equal ones are counted, with what they name.

It knows the lines alone. What a queue manager believes is compared elsewhere.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import tzinfo
from typing import Final, NamedTuple

from twin.feeds.errorlog.advice import ADVICE, source_of
from twin.feeds.errorlog.meanings import named
from twin.feeds.errorlog.names import names_in, numbers_in
from twin.feeds.errorlog.pasted import PastedRow, read_pasted
from twin.feeds.errorlog.record import LogRecord, Skipped
from twin.feeds.reading.local_time import (
    DateOrder,
    LocalTime,
    local_to_instant,
    orders_near,
)
from twin.feeds.reading.not_understood import NotUnderstood
from twin.model.instants import Instant, format_instant
from twin.model.names import legal_name

OVERDUE: Final = frozenset({"AMQ9456", "AMQ9469", "CSQX456", "CSQX469"})
"""The warnings that a record was not renewed."""

ABOUT_OBJECTS: Final = frozenset({"AMQ9456", "CSQX456"})
"""Those of them about a queue or another object of a cluster."""

RENEWED_EVERY: Final = 27
REMOVED_AFTER: Final = 90
"""Days after its publication at which a record is due again, and is removed. Source: IBM MQ 9.4,
How long do the queue manager repositories retain information?
"""

_OF_CHANNELS: Final = frozenset({"AMQ9999", "CSQX599"})
"""The messages that a channel ended, whose cause the same thread logged just before."""

_SUBJECTS: Final = ("channel", "queue", "object", "cluster", "qmid")
_MOST_GROUPS: Final = 5000
_MOST_THREADS: Final = 1024
_MOST_NAMES: Final = 8
_MOST_PROBLEMS: Final = 1000
_SHOWN: Final = 300
_QMID: Final = re.compile(
    r"(?P<qmgr>[A-Za-z0-9._/%]{1,48}?)"
    r"(?:_\d{4}-\d\d-\d\d_\d\d\.\d\d\.\d\d|\.[0-9A-F]{16})",
    re.ASCII,
)
_DIGITS: Final = re.compile(r"\d+")
_ROLE: Final = re.compile(r"\{(\w+)\}")
_UPPER: Final = re.compile(r"[A-Z0-9._/%]+", re.ASCII)


class TimesLogged(NamedTuple):
    """The first and the last time of a message, each as an instant, as local time, or ''."""

    first: str
    last: str
    last_at: Instant | None


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
    message: str
    means: str
    template: str
    source: str
    noise: bool

    @property
    def owner(self) -> str:
        """The queue manager that its QMID names; '' for none."""
        return self.names.get("owner") or owner_of(self.names.get("qmid", ""))


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
    lines: Iterable[str], *, zone: tzinfo | None = None, order: DateOrder | None = None
) -> DecodedLog:
    """Explain the messages in lines of any form; never raises because of the text.

    Args:
        lines: the lines.
        zone: the zone of local times; without it they stay local.
        order: the order of dates that may be day/month or month/day; by default what all dates of
            the lines allow.
    """
    decoder = _Decoder()
    for each in read_pasted(lines):
        decoder.take(each)
    return decoder.result(zone, order)


class _Decoder:
    """Groups records, within bounds."""

    def __init__(self) -> None:
        self._groups: dict[tuple[str, ...], _Group] = {}
        self._threads: dict[tuple[str, str], tuple[str, _Group]] = {}
        self._orders = {DateOrder.DMY, DateOrder.MDY}
        self._records = self._skipped = self._more = 0
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
            self._add(each)

    def _add(self, record: LogRecord) -> None:
        names = _names(record)
        key = _key(record, names)
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
        if record.local is not None and len(self._orders) > 1:
            self._narrow(record.local, at)
        self._note_cause(record, group)

    def _narrow(self, local: LocalTime, at: Instant | None) -> None:
        """Leave out the orders in which a date is none."""
        if DateOrder.YMD in local.orders or "." in local.written.split(" ")[0]:
            return
        possible = local.orders if at is None else orders_near(local, at)
        self._orders &= set(possible) or self._orders

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
        advice = ADVICE.get(record.id)
        if advice is None or not advice.noise:
            self._threads[thread] = (record.id, group)
        else:
            self._threads.pop(thread, None)

    def result(self, zone: tzinfo | None, order: DateOrder | None) -> DecodedLog:
        """Return what was taken, with its times."""
        if order is None and len(self._orders) == 1:
            order = next(iter(self._orders))
        times = _Times(zone, order)
        messages = tuple(_decoded(group, times) for group in self._groups.values())
        return DecodedLog(
            messages,
            self._records,
            self._skipped,
            tuple(self._problems),
            self._more,
            tuple(times.notes),
        )


class _Times:
    """Writes the times of messages, and notes which are not certain."""

    def __init__(self, zone: tzinfo | None, order: DateOrder | None) -> None:
        self._zone = zone
        self._order = order
        self.notes: dict[str, None] = {}

    def span(self, group: _Group) -> TimesLogged:
        """Return the first and the last time of a group."""
        first, first_at = self._shown(group.first)
        last, last_at = self._shown(group.last)
        if group.earliest is not None and group.latest is not None:
            if group.first.at is not None or first_at is None:
                first = format_instant(group.earliest)
            last, last_at = format_instant(group.latest), group.latest
        elif first_at is not None and last_at is not None and first_at > last_at:
            first, last, last_at = last, first, first_at
        return TimesLogged(first, last, last_at)

    def _shown(self, record: LogRecord) -> tuple[str, Instant | None]:
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


def _names(record: LogRecord) -> dict[str, str]:
    """Return what a record names, by role, and what can be told by its form."""
    found = named(record) or named(record._replace(comments=("", "", ""), arith=("", "")))
    names = {role: name for role, name in found.items() if role in _ROLES}
    if record.remote_host:
        names.setdefault("host", record.remote_host)
    if "qmid" not in names and record.id in OVERDUE:
        qmid = next((each for each in _others(record) if owner_of(each)), "")
        names |= {"qmid": qmid} if qmid else {}
    return names


_ROLES: Final = frozenset({*_SUBJECTS, "host", "qmgr", "dn"})


def _others(record: LogRecord) -> tuple[str, ...]:
    found = (*filter(None, record.comments), *names_in(record.message))
    return tuple(dict.fromkeys(found))


def _key(record: LogRecord, names: Mapping[str, str]) -> tuple[str, ...]:
    """Return what equal messages have in common: the id, who wrote it, what it is about."""
    advice = ADVICE.get(record.id)
    if advice is not None and advice.noise:
        return (record.id, record.qmgr)
    subjects = tuple(f"{role} {names[role]}" for role in _SUBJECTS if role in names)
    if not subjects:
        text = names.get("host") or _DIGITS.sub("0", record.message[:_SHOWN])
        subjects = (text,)
    return (record.id, record.qmgr, *subjects)


def _decoded(group: _Group, times: _Times) -> DecodedMessage:
    last = group.last
    advice = ADVICE.get(last.id)
    single = {role: next(iter(found)) for role, found in group.names.items() if len(found) == 1}
    hosts = tuple(group.names.get("host", {}))
    return DecodedMessage(
        id=last.id + (last.letter or group.first.letter),
        key=last.id,
        line=group.first.line,
        number=group.count,
        span=times.span(group),
        on=last.qmgr,
        names={role: name for role, name in single.items() if role not in {"host", "dn"}},
        others=_others(last),
        hosts=hosts,
        causes=tuple(group.causes.most_common(_MOST_NAMES)),
        days=_days(last) if last.id in OVERDUE else None,
        message=last.message,
        means=advice.means if advice else "",
        template=advice.do if advice else "",
        source=source_of(last.id),
        noise=advice.noise if advice else False,
    )


def _days(record: LogRecord) -> tuple[int, int] | None:
    """Return the days overdue and the days left of a warning; None if it does not have both.

    The two add up to the days from the due renewal to the removal; a day more or less is rounding.
    """
    arith = [int(each or 0) for each in record.arith if not each or each.isdecimal()]
    in_message = [int(each) for each in numbers_in(record.message)[-2:] if len(each) <= _LONG]
    for numbers in (arith, in_message):
        if len(numbers) == 2 and abs(sum(numbers) - _WHOLE) <= 1:  # noqa: PLR2004 - the two
            return numbers[0], numbers[1]
    return None


_WHOLE: Final = REMOVED_AFTER - RENEWED_EVERY
_LONG: Final = 6


def owner_of(qmid: str) -> str:
    """Return the name of the queue manager in a QMID; '' if the text is no QMID."""
    found = _QMID.fullmatch(qmid)
    return found["qmgr"] if found else ""


def filled(template: str, names: Mapping[str, str]) -> str:
    """Return what to do with the names in it, as MQSC takes them.

    A name that MQ does not allow is left out: a log must not write commands.
    """
    return _ROLE.sub(lambda found: _as_mqsc(found[1], names.get(found[1], "")), template)


def _as_mqsc(role: str, name: str) -> str:
    allowed = legal_name(name) or owner_of(name)
    if not name or not allowed:
        return f"<{role}>"
    return name if _UPPER.fullmatch(name) else f"'{name}'"
