"""The arithmetic of turns: many messages at once give the same result as one by one."""

from __future__ import annotations

from itertools import islice

from hypothesis import given
from hypothesis import strategies as st

from twin.fold.messaging import RouteUse
from twin.rules.workload.counters import Turn, Turns, TurnsTaken, sequence, split, step_of, turn_of

WEIGHTS = st.one_of(st.sampled_from([50, 1, 99, 20, 40]), st.integers(1, 99))


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[Turn], int]:
    """Draw routes with counters: some never used, the numbers of the others all different."""
    even = draw(st.booleans())
    weights = draw(st.lists(WEIGHTS, min_size=1, max_size=7))
    last = draw(st.integers(len(weights), 30))
    numbers = draw(st.permutations(range(1, last + 1)))
    turns = [
        turn_of(
            weight,
            RouteUse(numbers[each] if draw(st.booleans()) else 0, draw(st.integers(0, 3)) * 500),
            even=even,
        )
        for each, weight in enumerate(weights)
    ]
    return turns, last


@given(tables(), st.one_of(st.integers(0, 30), st.integers(0, 3000)), st.data())
def test_a_split_is_exactly_one_by_one(
    table: tuple[list[Turn], int], count: int, data: st.DataObject
) -> None:
    """A split has the counts, factors, numbers and order of choices one by one."""
    turns, last = table
    plain = Turns(turns, last)
    order = [next(plain) for _ in range(count)]
    assert split(turns, last, count) == [
        TurnsTaken(order.count(each), turn.factor, turn.number)
        for each, turn in enumerate(plain.turns())
    ]
    skip = data.draw(st.integers(0, count))
    assert list(islice(sequence(turns, last, skip=skip), count - skip)) == order[skip:]


@given(tables(), st.integers(0, 400), st.integers(0, 400))
def test_two_splits_are_one(table: tuple[list[Turn], int], first: int, second: int) -> None:
    """A put of ten and a put of five have the same effect as a put of fifteen."""
    turns, last = table
    one = split(turns, last, first)
    between = [
        Turn(turn.step, taken.factor, taken.number) for turn, taken in zip(turns, one, strict=True)
    ]
    two = split(between, last + first, second)
    assert [
        TurnsTaken(a.times + b.times, b.factor, b.number) for a, b in zip(one, two, strict=True)
    ] == split(turns, last, first + second)


def test_the_worked_example_of_four_weights() -> None:
    """Weights 20, 20, 20 and 40 step by 50, 50, 50 and 25: ABCDDABCDD."""
    turns = [turn_of(weight, RouteUse(), even=False) for weight in (20, 20, 20, 40)]
    assert "".join("ABCD"[each] for each in islice(sequence(turns, 0), 10)) == "ABCDDABCDD"


def test_steps_are_whole_numbers() -> None:
    """A use adds 1000 // CLWLWGHT; a weight outside its range counts as the nearest one."""
    assert [step_of(weight) for weight in (1, 30, 50, 99, 0, 5000)] == [1000, 33, 20, 10, 1000, 1]


def test_a_split_without_routes_is_empty() -> None:
    """A split without routes has no shares and no order."""
    assert split([], 0, 5) == []
    assert list(sequence([], 0)) == []
