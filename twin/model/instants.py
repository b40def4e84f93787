"""Instants: integer microseconds since 1970-01-01T00:00:00Z; read and write them as text.

`AsOf` is the instant that a question is about, the knowledge that it may use, and the branch.

The periods of repositories, in microseconds, as MQ documents them.

Sources: IBM MQ 9.4, "How long do the queue manager repositories retain information?" (27, 30 and
90 days); IBM IT28022 (repository commands carry about 30 days of expiry).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache
from typing import Annotated, Final, TypeAlias
from zoneinfo import ZoneInfo

from twin.errors import BadInstant, InstantOutOfRange

Instant: TypeAlias = Annotated[int, "instant"]
"""Microseconds since 1970-01-01T00:00:00Z; the annotation marks fields of events."""

SECOND: Final = 1_000_000

MINUTE: Final = 60 * SECOND

HOUR: Final = 60 * MINUTE

DAY: Final = 24 * HOUR

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)

MILLISECOND: Final = SECOND // 1000

_UNITS: Final = {
    "ms": MILLISECOND,
    "s": SECOND,
    "m": MINUTE,
    "h": HOUR,
    "d": DAY,
    "w": 7 * DAY,
}

_AMOUNT: Final = re.compile(r"(\d+(?:\.\d+)?)(ms|[smhdw])", re.ASCII)

_LENGTH: Final = re.compile(rf"(?:{_AMOUNT.pattern})+", re.ASCII)

_END: Final = (datetime.max.replace(tzinfo=UTC) - _EPOCH) // timedelta(microseconds=1)

_ENDLESS: Final = 1e18
"""Microseconds that lead beyond the last instant from everywhere."""

_CALENDAR_CYCLE: Final = 146_097 * DAY
"""The length of 400 years, after which the calendar repeats."""

_MICROSECOND: Final = timedelta(microseconds=1)

_FIRST: Final = (datetime(1900, 1, 1, tzinfo=UTC) - _EPOCH) // _MICROSECOND

_LAST: Final = (datetime(9999, 12, 30, tzinfo=UTC) - _EPOCH) // _MICROSECOND


def parse_instant(text: str, *, now: Instant) -> Instant:
    """Read an instant: ISO 8601 (UTC if it has no zone), or relative to `now` (+27d, -2h30m).

    Raises:
        BadInstant: for any other text.
        InstantOutOfRange: for an instant before 1900 or after 9999-12-30.
    """
    instant = _parsed(text.strip(), now)
    if instant is None:
        raise BadInstant(text)
    if not is_instant(instant):
        raise InstantOutOfRange(text)
    return instant


def is_fixed(text: str) -> bool:
    """Return whether a text that stands for an instant stands for the same one at any time."""
    text = text.strip()
    return text != "now" and _offset(text) is None


def length_of(text: str) -> int | None:
    """Read a length of time such as 500ms, 5s or 1d12h, in microseconds; None if malformed."""
    if not _LENGTH.fullmatch(text):
        return None
    amounts = _AMOUNT.findall(text)
    return round(min(sum(float(number) * _UNITS[unit] for number, unit in amounts), _ENDLESS))


def parse_length(text: str) -> Instant:
    """Read how long something takes (91d, 12h, 2h30m), in microseconds.

    Raises:
        BadInstant: for any other text, and for nothing or less.
    """
    length = length_of(text.strip().removeprefix("+"))
    if not length or not is_instant(length):
        raise BadInstant(text)
    return length


def is_instant(number: int) -> bool:
    """Return whether microseconds since 1970 are an instant that can be written."""
    return _FIRST <= number <= _LAST


def _parsed(text: str, now: Instant) -> Instant | None:
    if text == "now":
        return now
    if (offset := _offset(text)) is not None:
        return now + offset
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return instant_of(moment)


def _offset(text: str) -> int | None:
    """Read a length of time after a sign; None for any other text."""
    length = length_of(text[1:]) if text[:1] in {"+", "-"} else None
    return -length if length is not None and text[0] == "-" else length


def instant_of(moment: datetime) -> Instant:
    """Convert a datetime (UTC if it has no zone) to an instant."""
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return (aware - _EPOCH) // _MICROSECOND


def on_clock(instant: Instant, zone: str) -> Instant:
    """Return what clocks of a zone show at an instant, as the instant when those of UTC show it.

    '' and a zone that this machine does not know are UTC.
    """
    if not zone:
        return instant
    return instant_of(datetime_of(instant).astimezone(_place(zone)).replace(tzinfo=UTC))


def from_clock(shown: Instant, zone: str) -> Instant:
    """Return the instant of what `on_clock` returns; of two, the later one."""
    if not zone:
        return shown
    moment = datetime_of(shown).replace(tzinfo=_place(zone))
    return max(instant_of(moment.replace(fold=fold)) for fold in (0, 1))


@lru_cache
def _place(zone: str) -> tzinfo:
    try:
        return ZoneInfo(zone)
    except (LookupError, ValueError, OSError):
        return UTC


def datetime_of(instant: Instant) -> datetime:
    """Convert an instant to a datetime in UTC."""
    return _EPOCH + timedelta(microseconds=instant)


def format_instant(instant: Instant) -> str:
    """Write an instant as ISO 8601 with Z; a fraction has six digits, or none if it is 0.

    What follows from an instant may lie after the year 9999: then the year has a sign.
    """
    if instant > _END:
        cycles = (instant - _END) // _CALENDAR_CYCLE + 1
        year, rest = format_instant(instant - cycles * _CALENDAR_CYCLE).split("-", 1)
        return f"+{int(year) + 400 * cycles}-{rest}"
    moment = datetime_of(instant)
    text = moment.strftime("%Y-%m-%dT%H:%M:%S").zfill(19)
    if moment.microsecond:
        text += f".{moment.microsecond:06d}"
    return text + "Z"


def mq_date(instant: Instant) -> str:
    """Write the date in UTC, as MQ does in ALTDATE."""
    return format_instant(instant)[:10]


def mq_time(instant: Instant) -> str:
    """Write the time of day in UTC, as MQ does in ALTTIME."""
    return format_instant(instant)[11:19].replace(":", ".")


def mq_date_time(instant: Instant) -> str:
    """Write the date and the time of day in UTC, as MQ does in ALTDATE and ALTTIME."""
    return f"{mq_date(instant)} {mq_time(instant)}"


def mq_put_date(instant: Instant) -> str:
    """Write the date in UTC, as MQ does in PutDate: YYYYMMDD."""
    return mq_date(instant).replace("-", "")


def mq_put_time(instant: Instant) -> str:
    """Write the time of day in UTC, as MQ does in PutTime: HHMMSSTH, with hundredths."""
    hundredths = datetime_of(instant).microsecond // 10_000
    return f"{mq_time(instant).replace('.', '')}{hundredths:02d}"


MAIN: Final = "main"
"""The branch with the real history; every other branch is a what-if."""


@dataclass(frozen=True, slots=True)
class AsOf:
    """The point that an answer is computed for.

    Attributes:
        valid: the instant that the question is about; events at this instant are included.
        known: only facts recorded by this instant count.
        branch: the branch that is read.
        position: the last position of the log that was recorded by `known`.
    """

    valid: Instant
    known: Instant
    branch: str = MAIN
    position: int = 0

    def __str__(self) -> str:
        """Write `valid`, `known` and `branch` as answers print them."""
        return " ".join(self.lines)

    @property
    def lines(self) -> tuple[str, str]:
        """Its text on two lines, where one would be too wide."""
        known = f"known at {format_instant(self.known)} branch {self.branch}"
        return f"as of {format_instant(self.valid)}", known


RESEND_AFTER: Final = 27 * DAY
"""The time after which an owner republishes its records."""

EXPIRE_AFTER: Final = 30 * DAY
"""The time after its last publication at which a record expires."""

GRACE: Final = 60 * DAY
"""The time for which a holder keeps and uses an expired record; it answers no new request."""

REMOVE_AFTER: Final = EXPIRE_AFTER + GRACE
"""The time after its last publication at which a record is removed."""

CHECK_AFTER: Final = 27 * DAY
"""The time after which a subscription that was used is renewed."""

LAPSE_AFTER: Final = 30 * DAY
"""The time after which a subscription that was not renewed lapses."""

COMMANDS_EXPIRE_AFTER: Final = 30 * DAY
"""The time after which a repository command expires on a transmission queue."""

ANSWER_WITHIN: Final = 10 * SECOND
"""The time that an MQOPEN waits for full repositories to answer.

Source: IBM swg21225022, on 2189 MQRC_CLUSTER_RESOLUTION_ERROR.
"""

RERUN_AFTER: Final = 10 * MINUTE
"""The time after which a repository manager runs a failed operation again.

Source: IBM MQ 9.4, "Changes to cluster error recovery on servers on Multiplatforms".
"""

END_AFTER: Final = 5 * DAY
"""The time without success after which a failed operation ends its queue manager (same page)."""

RESTART_AFTER: Final = 600 * SECOND
"""The time that CSQX448E names on z/OS [memory, unverified]."""
