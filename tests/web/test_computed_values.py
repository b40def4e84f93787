"""What is computed once and answers several requests."""

from __future__ import annotations

from twin.web.service import ComputedValues


def test_many_values_of_one_kind_push_out_none_of_another() -> None:
    """Pages of many instants do not make the service read its timeline again."""
    values = ComputedValues()
    timeline = values.get("timeline", (1, 7), object)
    for number in range(100):
        values.get("doctor", number, object)
    assert values.get("timeline", (1, 7), object) is timeline
    assert values.newest("timeline", 1) is timeline
    assert values.newest("timeline", 2) is None


def test_the_value_that_was_used_longest_ago_goes_first() -> None:
    """A kind has only so many values, those used last."""
    values = ComputedValues()
    first, second = (values.get("doctor", key, object, most=2) for key in "ab")
    assert values.get("doctor", "a", object, most=2) is first
    values.get("doctor", "c", object, most=2)
    assert values.get("doctor", "a", object, most=2) is first
    assert values.get("doctor", "b", object, most=2) is not second


def test_a_value_takes_the_place_of_the_one_before() -> None:
    """What was found last counts, also if nothing was recorded meanwhile but time passed."""
    values = ComputedValues()
    for number in (2, 3):
        values.keep("counts", "a", number)
    assert values.get("counts", "a", lambda: 0) == 3
