"""Dates and times without a zone, as queue managers write them, and their conversion to instants.

Error logs have the date of the locale (``03/22/2019 08:17:30 AM``, ``22.03.2019 08:17:30``). A
reader keeps what is written; an instant follows later from a zone and from the order of the date.

The instants that a dump or an answer to DISPLAY shows as a local date and a local time.

Sources: IBM MQ 9.4, DISPLAY QUEUE, QMGR, CLUSQMGR, CHSTATUS, QSTATUS and QMSTATUS: all are local
times of the queue manager.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime, tzinfo
from enum import StrEnum
from functools import lru_cache
from typing import Final, NamedTuple, TypedDict

from twin.model.instants import HOUR, SECOND, Instant, instant_of, mq_date, mq_time
from twin.model.words import DATED_CELLS


class DateOrder(StrEnum):
    """The order of day, month and year in a date."""

    YMD = "ymd"
    DMY = "dmy"
    MDY = "mdy"


class LocalTime(NamedTuple):
    """A date and time of day as written, without a zone.

    Attributes:
        written: the text, with single blanks.
        year: the year; 0 if there is no date.
        numbers: the other two numbers of the date, in the order in which they are written.
        hour: 0 to 23.
        minute: the minute.
        second: the second.
        orders: the orders in which the date exists; empty if it exists in none.
    """

    written: str
    year: int
    numbers: tuple[int, int]
    hour: int
    minute: int
    second: int
    orders: tuple[DateOrder, ...]

    def moment(self, order: DateOrder) -> datetime | None:
        """Return the date and time, naive; None if it is not a date in this order."""
        first, second = self.numbers
        month, day = (second, first) if order is DateOrder.DMY else (first, second)
        if not _FIRST_YEAR <= self.year <= _LAST_YEAR:
            return None
        try:
            return datetime(self.year, month, day, self.hour, self.minute, self.second)  # noqa: DTZ001 - a local time
        except ValueError:
            return None


class Undated(NamedTuple):
    """A local time that is not one instant.

    Attributes:
        why: the reason, for people.
        between: the earliest and the latest instant that it may mean; None if that is unknown.
    """

    why: str
    between: tuple[Instant, Instant] | None = None


_FIRST_YEAR: Final = 1901
_LAST_YEAR: Final = 9998
_LAST_ODD_YEAR: Final = 1972
"""The last year in which an offset from UTC changed by other than whole minutes (Liberia)."""

_TWO_DIGITS: Final = 2
_LAST_DAY: Final = 31
_NOON: Final = 12
_HOURS: Final = 24
_MINUTES: Final = 60
_HALF: Final = r"([AaPp]\.?\s?[Mm]\.?|午前|午後|上午|下午|오전|오후)?"
_DATE_TIME: Final = re.compile(
    r"(?<!\d)(\d{4}|\d{1,2})\s?([./年년-])\s?(\d{1,2})\s?[./月월-]\s?(\d{4}|\d{1,2})(?!\d)"
    rf"\s?[日일.]?,?[T\s-]\s{{0,3}}{_HALF}\s?"
    rf"(\d{{1,2}})[:.時时시]\s?(\d{{2}})[:.分분]\s?(\d{{2}})[秒초]?\s{{0,3}}{_HALF}\s{{0,3}}\Z",
    re.ASCII,
)
TWO_ORDERS: Final = "may be day/month or month/day"
"""Why a date is not one instant if its file does not tell the order of its numbers."""

LONGEST_DATE: Final = 48
"""The number of characters at the end of a text in which `read_local_time` looks."""


def read_local_time(text: str) -> tuple[int, LocalTime] | None:
    """Read the date and time at the end of a text.

    Returns:
        The position where it begins, and the date and time; None if there is none.
    """
    found = _DATE_TIME.search(text, max(0, len(text) - LONGEST_DATE))
    if found is None:
        return None
    begin, mark, middle, end, half, hour, minute, second, other_half = found.groups()
    year_first = len(begin) > _TWO_DIGITS or int(begin) > _LAST_DAY
    text_of_year, numbers = (begin, (middle, end)) if year_first else (end, (begin, middle))
    year = int(text_of_year) + (2000 if len(text_of_year) <= _TWO_DIGITS else 0)
    first, other = int(numbers[0]), int(numbers[1])
    hours, minutes, seconds = _hour(int(hour), half or other_half or ""), int(minute), int(second)
    is_time = hours < _HOURS and minutes < _MINUTES and seconds < _MINUTES
    return found.start(), LocalTime(
        " ".join(found[0].split()),
        year,
        (first, other),
        hours,
        minutes,
        seconds,
        _orders("" if year_first else mark, year, first, other) if is_time else (),
    )


@lru_cache(maxsize=1024)
def _orders(mark: str, year: int, first: int, second: int) -> tuple[DateOrder, ...]:
    """Return the orders in which a date is one; locales with dots write the day first."""
    orders = {"": (DateOrder.YMD,), ".": (DateOrder.DMY,)}.get(mark, (DateOrder.DMY, DateOrder.MDY))
    date = LocalTime("", year, (first, second), 0, 0, 0, ())
    return tuple(order for order in orders if date.moment(order) is not None)


def _hour(hour: int, half: str) -> int:
    word = "".join(half.split()).replace(".", "").upper()
    if word in {"AM", "午前", "上午", "오전"}:
        return 0 if hour == _NOON else hour
    return hour + _NOON if word in {"PM", "午後", "下午", "오후"} and hour < _NOON else hour


def orders_near(local: LocalTime, at: Instant) -> tuple[DateOrder, ...]:
    """Return the orders in which a local time can be the instant: no zone is further away."""
    moments = {order: local.moment(order) for order in local.orders}
    return tuple(
        order
        for order, moment in moments.items()
        if moment is not None and abs(instant_of(moment) - at) <= FURTHEST
    )


FURTHEST: Final = 15 * HOUR
"""No zone is further from UTC."""


class DateOrders:
    """The orders that all dates of a log allow.

    Dates with a year first, and dates with dots, need no order and do not count.
    """

    def __init__(self) -> None:
        """Begin with both orders."""
        self._possible = {DateOrder.DMY, DateOrder.MDY}

    def note(self, local: LocalTime, at: Instant | None) -> None:
        """Leave out the orders in which the date does not exist, or is not near its instant."""
        if DateOrder.YMD in local.orders or "." in local.written.split(" ")[0]:
            return
        possible = local.orders if at is None else orders_near(local, at)
        if possible:
            self._possible &= set(possible)

    @property
    def only(self) -> DateOrder | None:
        """The order, if there is only one."""
        return next(iter(self._possible)) if len(self._possible) == 1 else None


def local_to_instant(
    local: LocalTime, zone: tzinfo, order: DateOrder | None = None
) -> Instant | Undated:
    """Convert a local time to an instant, or say why no instant, or more than one, has it.

    Args:
        local: the date and time as written.
        zone: the zone of the queue manager, such as a `ZoneInfo`.
        order: the order of the date, if it is not certain from the date itself.
    """
    if local.year > _LAST_ODD_YEAR:
        at = _minute(local.year, local.numbers, local.hour, local.minute, local.orders, zone, order)
        if at is not None:
            return at + local.second * SECOND
    return _to_instant(local, zone, order)


@lru_cache(maxsize=1024)
def _minute(
    year: int,
    numbers: tuple[int, int],
    hour: int,
    minute: int,
    orders: tuple[DateOrder, ...],
    zone: tzinfo,
    order: DateOrder | None,
) -> Instant | None:
    """Return the instant of a minute: its seconds have the same offset; None if it is not one."""
    at = _to_instant(LocalTime("", year, numbers, hour, minute, 0, orders), zone, order)
    return None if isinstance(at, Undated) else at


def _to_instant(local: LocalTime, zone: tzinfo, order: DateOrder | None) -> Instant | Undated:
    orders = local.orders if order is None or order not in local.orders else (order,)
    moments = {moment for each in orders if (moment := local.moment(each)) is not None}
    if not local.year:
        return Undated("has no date")
    if not moments:
        return Undated("is not a date")
    if len(moments) > 1:
        ends = [end for moment in moments for end in _instants(moment, zone)]
        return Undated(TWO_ORDERS, (min(ends), max(ends)))
    moment = moments.pop()
    first, second = _instants(moment, zone)
    if first == second:
        return first
    there = moment.replace(tzinfo=zone).astimezone(UTC).astimezone(zone).replace(tzinfo=None)
    why = "occurs twice in its zone" if there == moment else "does not occur in its zone"
    return Undated(why, (min(first, second), max(first, second)))


@lru_cache(maxsize=4096)
def latest_instant(written: str, zone: tzinfo) -> Instant | None:
    """Convert a written local time to an instant, the later of two; None if it is no time."""
    read = read_local_time(written)
    instant = None if read is None else local_to_instant(read[1], zone)
    if isinstance(instant, Undated):
        return None if instant.between is None else instant.between[1]
    return instant


def _instants(moment: datetime, zone: tzinfo) -> tuple[Instant, Instant]:
    """Return the instants before and after a change of the offset; equal if there is none."""
    first, second = (instant_of(moment.replace(tzinfo=zone, fold=fold)) for fold in (0, 1))
    return first, second


def key_of(zone: tzinfo | None) -> str | None:
    """Return the name of a zone, such as Europe/Berlin; None if it is not known or has none."""
    return getattr(zone, "key", None)


class ObjectDates(TypedDict):
    """The instants of an object; None if they are not shown, or are no time."""

    altered: Instant | None
    created: Instant | None


UNDATED: Final[ObjectDates] = {"altered": None, "created": None}


def dates_shown(shown: Mapping[str, str], zone: tzinfo) -> ObjectDates:
    """Return the instants of an object."""
    altered = instant_shown(shown, "ALTDATE", "ALTTIME", zone)
    return {"altered": altered, "created": instant_shown(shown, "CRDATE", "CRTIME", zone)}


def instant_shown(shown: Mapping[str, str], date: str, time: str, zone: tzinfo) -> Instant | None:
    """Return the instant of two cells; a local time that occurs twice is the later one."""
    day = shown.get(date, "")
    return latest_instant(f"{day} {shown.get(time, '')}", zone) if day else None


def in_utc(cells: Mapping[str, str], zone: tzinfo) -> dict[str, str]:
    """Return the cells of a status with its dates and times in UTC; what is no time stays."""
    said = dict(cells)
    for date, time in DATED_CELLS:
        if (instant := instant_shown(cells, date, time, zone)) is not None and time in cells:
            said |= {date: mq_date(instant), time: mq_time(instant)}
    return said
