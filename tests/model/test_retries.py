"""The retry sequence of a channel, to the second."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from twin.model.instants import SECOND
from twin.model.retries import Retries

COUNTS = st.integers(0, 5)
PAUSES = st.integers(1, 30).map(lambda seconds: seconds * SECOND)
RETRIES = st.builds(Retries, COUNTS, PAUSES, COUNTS, PAUSES, st.just(0))
HANGING = st.builds(Retries, COUNTS, PAUSES, COUNTS, PAUSES, PAUSES)


def test_short_retries_come_before_long_ones() -> None:
    """The first long one comes a long pause after the last short one."""
    retries = Retries(2, 10 * SECOND, 2, 60 * SECOND)
    seconds = [at // SECOND for at in retries.between(0, 0, 1000 * SECOND)]
    assert seconds == [10, 20, 80, 140]


@given(retries=RETRIES, at=st.integers(0, 400 * SECOND))
def test_retries_up_to_an_instant_are_counted(retries: Retries, at: int) -> None:
    """The number made by an instant is that of the retries up to it; the next one is behind it."""
    every = list(retries.between(0, 0, 10_000 * SECOND))
    assert every == sorted(set(every))
    assert len(every) == retries.short_count + retries.long_count
    assert sum(retries.made(0, at)) == sum(each <= at for each in every)
    assert retries.next_after(0, at) == next((each for each in every if each > at), None)


@given(retries=RETRIES, at=st.integers(0, 400 * SECOND), upto=st.integers(0, 400 * SECOND))
def test_between_is_a_part_of_all(retries: Retries, at: int, upto: int) -> None:
    """Retries between two instants are those of all behind the first up to the second."""
    every = list(retries.between(0, 0, 10_000 * SECOND))
    assert list(retries.between(0, at, upto)) == [each for each in every if at < each <= upto]


def test_retries_without_a_pause_end() -> None:
    """With SHORTTMR(0) and LONGTMR(0) the list of retries ends."""
    assert list(Retries(10, 0, 999_999_999, 0).between(0, 0, SECOND)) == []
    assert Retries(10, 0, 999_999_999, 60 * SECOND).made(0, 60 * SECOND) == (10, 1)


@given(retries=HANGING, at=st.integers(0, 400 * SECOND))
def test_a_retry_that_hangs_begins_and_then_fails(retries: Retries, at: int) -> None:
    """Each one fails the same time after it began; it is made when it has failed."""
    failures = list(retries.between(0, 0, 10_000 * SECOND))
    begun = [each - retries.hangs for each in failures]
    assert retries.next_failure(0, at) == next((each for each in failures if each > at), None)
    assert retries.next_after(0, at) == next((each for each in begun if each > at), None)
    assert sum(retries.made(0, at)) == sum(each <= at for each in failures)
    hanging = any(one <= at < other for one, other in zip(begun, failures, strict=True))
    assert retries.is_hanging(0, at) == hanging
