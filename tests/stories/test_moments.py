"""Durations and moments."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twin.errors import BadInstant
from twin.model.instants import (
    DAY,
    HOUR,
    MILLISECOND,
    MINUTE,
    SECOND,
    length_of,
    parse_instant,
)
from twin.stories.fields import moment_of, shown_duration, shown_moment

START = parse_instant("2026-01-01T00:00:00Z", now=0)


@pytest.mark.parametrize(
    ("text", "microseconds"),
    [
        ("500ms", 500 * MILLISECOND),
        ("5s", 5 * SECOND),
        ("2m", 2 * MINUTE),
        ("1h", HOUR),
        ("27d", 27 * DAY),
        ("1w", 7 * DAY),
        ("1d12h", DAY + 12 * HOUR),
        ("1.5d", DAY + 12 * HOUR),
        ("0s", 0),
    ],
)
def test_durations_are_numbers_with_units(text: str, microseconds: int) -> None:
    """A duration is one or more numbers, each with its unit."""
    assert length_of(text) == microseconds


@pytest.mark.parametrize("text", ["", "5", "s", "5 s", "-5s", "+5s", "5S", "5y", "5s x", "\u0665s"])
def test_anything_else_is_no_duration(text: str) -> None:
    """A number without a unit, a sign or a blank makes a duration malformed."""
    assert length_of(text) is None


@given(st.integers(0, 10_000 * DAY // MILLISECOND))
def test_a_duration_is_read_as_it_is_shown(milliseconds: int) -> None:
    """A duration as shown is read back as the same duration, to the millisecond."""
    microseconds = milliseconds * MILLISECOND
    assert length_of(shown_duration(microseconds)) == microseconds


@given(st.integers(-1000 * DAY // MILLISECOND, 1000 * DAY // MILLISECOND))
def test_a_moment_is_read_as_it_is_shown(milliseconds: int) -> None:
    """An instant as shown is read back as the same instant, for the same start."""
    instant = START + milliseconds * MILLISECOND
    moment = moment_of(shown_moment(instant, START))
    assert moment is not None
    assert moment.at(START) == instant


def test_a_moment_is_absolute_or_behind_the_start() -> None:
    """A moment with a sign is relative to the start; a time without a zone is UTC."""
    relative, absolute = moment_of("+1d"), moment_of("2026-02-01 12:00")
    assert relative is not None
    assert relative.at(START) == START + DAY
    assert absolute is not None
    assert absolute.at(START) == parse_instant("2026-02-01T12:00:00Z", now=0)


@pytest.mark.parametrize("text", ["", "now", "27d", "+27", "tomorrow", "2026-13-01", "+", "+1x"])
def test_anything_else_is_no_moment(text: str) -> None:
    """Any other text, including `now`, is a malformed moment."""
    assert moment_of(text) is None


@pytest.mark.parametrize("text", ["+999999999999w", "-999999999999d"])
def test_a_moment_stays_in_the_calendar(text: str) -> None:
    """A moment whose offset leads beyond the calendar is refused."""
    moment = moment_of(text)
    assert moment is not None
    with pytest.raises(BadInstant):
        moment.at(START)
