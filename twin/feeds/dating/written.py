"""Dates that names of files, headers of dumps and QMIDs write."""

from __future__ import annotations

import re
from datetime import UTC, datetime, tzinfo
from typing import Final, NamedTuple

from twin.feeds.reading.local_time import DateOrder, LocalTime, Undated, local_to_instant
from twin.model.instants import Instant, instant_of


class DateWritten(NamedTuple):
    """A date as written, perhaps with a time of day and a zone.

    Attributes:
        local: the date and time of day; midnight if it has none.
        has_time: whether it has a time of day.
        instant: the instant, if a zone is written, too; else None.
        start: where it begins in the text.
        end: where it ends.
    """

    local: LocalTime
    has_time: bool
    instant: Instant | None
    start: int
    end: int

    def at(self, zone: tzinfo | None) -> Instant:
        """Return the instant, in a zone unless it is written with one; without either, in UTC.

        Of a local time that a zone has twice, or not at all, the later instant is returned.
        """
        if self.instant is not None:
            return self.instant
        instant = local_to_instant(self.local, zone or UTC)
        if not isinstance(instant, Undated):
            return instant
        assert instant.between is not None  # noqa: S101 - only real dates are read
        return instant.between[1]


_DATE_IN_NAME: Final = re.compile(
    r"(?<![0-9A-Za-z])(?:(\d{4})-(\d\d)-(\d\d)|(\d{4})(\d\d)(\d\d))"
    r"(?:[T_ .-](\d\d)[:.h-]?(\d\d)(?:[:.-]?(\d\d))?(Z|[+-]\d\d:?\d\d)?)?(?![0-9])",
    re.ASCII,
)
_GENERATED: Final = re.compile(
    r"^\* ?Script generated on +(\d{4})-(\d\d)-(\d\d) +at +(\d\d)[.:](\d\d)[.:](\d\d)",
    re.MULTILINE | re.ASCII,
)
_IN_QMID: Final = re.compile(r"_(\d{4})-(\d\d)-(\d\d)_(\d\d)\.(\d\d)\.(\d\d)\Z", re.ASCII)
_YEARS: Final = range(1993, 2200)
"""MQ exists since 1993: eight digits that begin otherwise are a number, not a date."""


def date_in_name(name: str) -> DateWritten | None:
    """Return the last date in the name of a file or folder; None if it has none.

    `2026-01-31`, `20260131`, with a time `2026-01-31T0213`, `20260131T021300Z`,
    `2026-01-31_02-13-05`, `2026-01-31 02:13+0100`.
    """
    dates = (_read(found) for found in _DATE_IN_NAME.finditer(name))
    return max((date for date in dates if date is not None), default=None, key=_start)


def name_without_date(name: str) -> str:
    """Return a name without its date, and without what separates the two: QM1-20260131 is QM1."""
    date = date_in_name(name)
    if date is None:
        return name
    before, after = name[: date.start].rstrip("-_. "), name[date.end :].lstrip("-_ ")
    return (
        f"{before}{after}"
        if after.startswith(".") or not before
        else f"{before}{after and '-'}{after}"
    )


def date_generated(text: str) -> DateWritten | None:
    """Return the date in the header of a dump, a local time; None if it has none."""
    found = _GENERATED.search(text)
    return (
        None if found is None else _date(found[0], found.groups(), has_time=True, span=found.span())
    )


def date_of_creation(qmid: str) -> DateWritten | None:
    """Return when a queue manager was created, a local time, from its QMID; None if it says not."""
    found = _IN_QMID.search(qmid)
    return (
        None if found is None else _date(found[0], found.groups(), has_time=True, span=found.span())
    )


def _start(date: DateWritten) -> int:
    return date.start


def _read(found: re.Match[str]) -> DateWritten | None:
    """Return the date of a name."""
    dashed, compact, time, zone = (
        found.group(1, 2, 3),
        found.group(4, 5, 6),
        found.group(7, 8, 9),
        found[10],
    )
    numbers = (*(dashed if dashed[0] else compact), *(part or "00" for part in time))
    date = _date(found[0], numbers, has_time=time[0] is not None, span=found.span())
    if date is None or zone is None:
        return date
    moment = date.local.moment(DateOrder.YMD)
    assert moment is not None  # noqa: S101 - only real dates are read
    aware = datetime.fromisoformat(f"{moment.isoformat()}{zone}")
    return date._replace(instant=instant_of(aware))


def _date(
    written: str, numbers: tuple[str, ...], *, has_time: bool, span: tuple[int, int]
) -> DateWritten | None:
    """Return a date from its numbers; None if there is no such date."""
    year, month, day, hour, minute, second = map(int, numbers)
    local = LocalTime(written, year, (month, day), hour, minute, second, (DateOrder.YMD,))
    if year not in _YEARS or local.moment(DateOrder.YMD) is None:
        return None
    return DateWritten(local, has_time, None, *span)
