"""Durations and instants as people read them."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from twin.history.report.units import duration, minute


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 s"),
        (0.04, "0.04 s"),
        (0.43, "0.4 s"),
        (59.7, "1 m"),
        (59, "59 s"),
        (60, "1 m"),
        (7_800, "2 h 10 m"),
        (7_199.9, "2 h"),
        (3_605, "1 h"),
        (86_399, "1 d"),
        (86_400 + 90, "1 d"),
        (100 * 86_400 + 7_000, "100 d 2 h"),
        (1_234 * 86_400, "1,234 d"),
        (-90, "-1 m 30 s"),
    ],
)
def test_a_duration_has_its_two_largest_units(seconds: float, text: str) -> None:
    """A duration is written in its two largest units, rounded, without parts that are zero."""
    assert duration(seconds) == text


def test_an_instant_is_written_to_the_minute() -> None:
    """An instant is written to the minute, a day as its date."""
    assert minute(datetime(2026, 2, 1, 9, 4, 59, tzinfo=UTC)) == "2026-02-01 09:04"
    assert minute(date(2026, 2, 1)) == "2026-02-01"
