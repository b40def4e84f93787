"""Time zones: instants are written in the zone that the reader chose, beside UTC."""

from __future__ import annotations

import datetime as dt
from datetime import datetime, tzinfo
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from twin.errors import SubjectError, TwinError
from twin.model.instants import Instant, datetime_of, format_instant, instant_of

OFFERED: Final = (
    *("UTC", "Europe/London", "Europe/Berlin", "America/New_York", "America/Chicago"),
    *("America/Los_Angeles", "America/Sao_Paulo", "Asia/Kolkata", "Asia/Shanghai"),
    *("Asia/Tokyo", "Australia/Sydney"),
)
"""The zones that a page offers; every zone of the IANA database can be typed."""

FIELD_PATTERN: Final = (
    r"\s*[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)?)?"
    r"(Z|[+\-][0-9]{2}:[0-9]{2})?\s*"
)
"""What a date field takes, as browsers read patterns; the value may be pasted from a log."""


class NoSuchZone(
    SubjectError,
    LookupError,
    message="unknown time zone {!r}; expected a name of the IANA database, such as Europe/Berlin",
):
    """A time zone that this machine does not know."""


class BadLocalTime(
    TwinError, ValueError, message="{!r} is not a date and time; expected YYYY-MM-DD HH:MM[:SS]"
):
    """A local time that cannot be read."""


class TimeZone(NamedTuple):
    """A time zone with its name in the IANA database."""

    name: str
    rules: tzinfo

    def text(self, at: Instant) -> str:
        """Write an instant to the second; UTC as `2026-03-14 02:13:00Z`, others with an offset."""
        try:
            moment = datetime_of(at).astimezone(self.rules)
        except OverflowError:
            return format_instant(at)
        shown = moment.strftime("%Y-%m-%d %H:%M:%S").zfill(19)
        return f"{shown}Z" if self is UTC else f"{shown} {moment.isoformat()[-6:]}"

    def day(self, at: Instant) -> str:
        """Write the day of an instant, such as `14 Mar 2026`."""
        moment = self._moment(at)
        return f"{moment.day} {moment.strftime('%b %Y')}"

    def field(self, at: Instant) -> str:
        """Write an instant as the value of a date field: local time without an offset."""
        return self._moment(at).strftime("%Y-%m-%d %H:%M:%S").zfill(19)

    def instant(self, text: str) -> Instant:
        """Read the value of a date field: `2026-03-14 02:13`, with seconds or with an offset.

        A date alone means its first instant.

        Raises:
            BadLocalTime: if it is malformed.
        """
        try:
            moment = datetime.fromisoformat(text.strip())
        except ValueError:
            raise BadLocalTime(text) from None
        return instant_of(moment if moment.tzinfo else moment.replace(tzinfo=self.rules))

    def _moment(self, at: Instant) -> datetime:
        try:
            return datetime_of(at).astimezone(self.rules)
        except OverflowError:
            return datetime.max.replace(tzinfo=dt.UTC)


UTC: Final = TimeZone("UTC", dt.UTC)


def zone_of(name: str) -> TimeZone:
    """Return a zone by its name; '' stands for UTC.

    Raises:
        NoSuchZone: if this machine does not know it.
    """
    if name in ("", UTC.name):
        return UTC
    try:
        return TimeZone(name, ZoneInfo(name))
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise NoSuchZone(name) from None
