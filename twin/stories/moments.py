"""Times as stories write them: durations such as 27d, and moments that may be relative."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from twin.errors import BadInstant
from twin.model.instants import (
    DAY,
    HOUR,
    MILLISECOND,
    MINUTE,
    SECOND,
    Instant,
    is_instant,
    length_of,
    parse_instant,
)

_SHOWN: Final = {"d": DAY, "h": HOUR, "m": MINUTE, "s": SECOND, "ms": MILLISECOND}


def shown_duration(microseconds: int) -> str:
    """Write a duration as stories do, to the millisecond: 26d23h59m59s."""
    parts, rest = "", abs(microseconds)
    for unit, length in _SHOWN.items():
        number, rest = divmod(rest, length)
        parts += f"{number}{unit}" if number else ""
    return parts or "0s"


@dataclass(frozen=True, slots=True)
class Moment:
    """An instant as a story writes it: absolute, or an offset from the story's start.

    Attributes:
        text: the text in the story.
        offset: microseconds after the start, negative before it; None for an absolute moment.
        instant: the absolute instant; 0 for a relative moment.
    """

    text: str
    offset: int | None
    instant: Instant = 0

    def at(self, start: Instant) -> Instant:
        """Return the instant, given the start of the story.

        Raises:
            BadInstant: if the result lies outside the calendar.
        """
        if self.offset is None:
            return self.instant
        instant = start + self.offset
        if not is_instant(instant):
            raise BadInstant(self.text)
        return instant


def moment_of(text: str) -> Moment | None:
    """Read a moment; +27d and -2h are relative to the start. None if it is malformed."""
    text = text.strip()
    if text[:1] in {"+", "-"}:
        offset = length_of(text[1:])
        if offset is None:
            return None
        return Moment(text, -offset if text.startswith("-") else offset)
    try:
        return None if text == "now" else Moment(text, None, parse_instant(text, now=0))
    except BadInstant:
        return None


def shown_moment(instant: Instant, start: Instant) -> str:
    """Write an instant as stories do, relative to the start."""
    sign = "-" if instant < start else "+"
    return sign + shown_duration(instant - start)
