"""When polls are due, and what is said of those that were missed."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from twin.model.instants import parse_instant
from twin.polling.polls import DuePolls, MissedPolls


def test_polls_keep_their_rhythm_whatever_they_take() -> None:
    """The next one is due an interval after the last was due, not after it ended."""
    due = DuePolls(60, now=1000)
    assert due.wait(1000) == 0
    assert (due.done(1007), due.wait(1007)) == (0, 53)
    assert (due.done(1063), due.wait(1063)) == (0, 57)


def test_polls_that_would_overlap_are_left_out() -> None:
    """A poll that takes longer than the interval costs those that were due in the meantime."""
    due = DuePolls(60, now=0)
    assert (due.done(150), due.wait(150)) == (2, 30)


@given(st.lists(st.floats(0, 500), max_size=20))
def test_no_poll_is_due_before_its_time(durations: list[float]) -> None:
    """Polls are due at multiples of the interval, and every one is polled or left out."""
    due, now, polls = DuePolls(60, now=0), 0.0, 0
    for duration in durations:
        now += due.wait(now)
        assert now % 60 == 0 or round(now % 60, 6) in {0, 60}
        assert round(now / 60) == polls
        now += duration
        polls += 1 + due.done(now)


def test_an_outage_says_what_was_missed() -> None:
    """One poll by its instant, several by the first and the last."""
    first, last = (parse_instant(f"2026-01-31T02:1{each}", now=0) for each in (3, 5))
    outage = MissedPolls(first, first, 1, "refuses connections")
    assert outage.shown == "the poll at 2026-01-31T02:13:00Z was missed"
    outage = outage.goes_on(last, "is slow")
    assert outage.shown == ("2 polls from 2026-01-31T02:13:00Z to 2026-01-31T02:15:00Z were missed")
    assert outage.why == "is slow"
