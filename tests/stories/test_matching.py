"""Matching of partial rows with actual rows."""

from __future__ import annotations

from typing import Any, TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twin.model.instants import DAY, parse_instant
from twin.questions.answer import RowValue
from twin.stories.matching import Table, equal, match_absent, match_rows, matches, same_id

Row: TypeAlias = dict[str, str | int | bool | None]

START = parse_instant("2026-01-01T00:00:00Z", now=0)
ROWS: list[Row] = [
    {"clusqmgr": "QM1", "suspend": "NO", "version": "09040000"},
    {"clusqmgr": "QM2", "suspend": "YES", "version": "09040000"},
]


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        ("QM1", "QM1"),
        ("", " "),
        ("a", " a "),
        (5, 5),
        (5, "5"),
        ("5", 5),
        (9040000, "09040000"),
        (1.5, "1.50"),
        (None, None),
        (True, True),
        (("FR1", "QM1"), ("FR1", "QM1")),
        ((5, "x"), ("05", "x")),
        ((), ()),
    ],
)
def test_equal_values_are_equal_however_written(expected: Any, actual: RowValue) -> None:
    """Numbers equal numbers in text, outer blanks are ignored, and lists are compared by item."""
    assert equal(expected, actual)


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        ("qm1", "QM1"),
        ("05", "5"),
        (5, "5a"),
        (5, True),
        (True, 1),
        (True, "true"),
        ("true", True),
        (None, ""),
        (None, 0),
        ("", None),
        (("FR1",), "FR1"),
        ("FR1", ("FR1",)),
        (("FR1",), ("FR1", "QM1")),
        (("QM1", "FR1"), ("FR1", "QM1")),
    ],
)
def test_different_values_are_not(expected: Any, actual: RowValue) -> None:
    """Case, leading zeros of a text and the order of a list make values different."""
    assert not equal(expected, actual)


@pytest.mark.parametrize("text", ["2026-01-28T00:00:00Z", "2026-01-28", "+27d", "+26d24h"])
def test_instants_are_compared_as_instants(text: str) -> None:
    """A relative instant counts from the start of the story."""
    assert equal(text, START + 27 * DAY, instant=True, start=START)
    assert not equal(text, START + 27 * DAY + 1, instant=True, start=START)


@pytest.mark.parametrize("text", ["soon", "27d", 27, "+999999999999w"])
def test_what_is_no_instant_equals_none(text: Any) -> None:
    """A number or a word never equals an instant."""
    assert not equal(text, START, instant=True, start=START)


def test_a_partial_row_is_matched_on_its_keys_only() -> None:
    """An actual row may have any value for keys that the expected row does not name."""
    assert match_rows([{"clusqmgr": "QM2"}], Table(ROWS)) == []


def test_every_expected_row_must_match() -> None:
    """An expected row without a match is a miss, shown with the closest rows."""
    (miss,) = match_rows([{"clusqmgr": "QM2", "suspend": "NO"}], Table(ROWS))
    assert miss.problem == "no row matches"
    assert len(miss.rows) == 2
    (miss,) = match_rows([{"clusqmgr": "QM9", "suspend": "YES"}], Table(ROWS))
    assert miss.rows == (ROWS[1],)


def test_a_row_that_matches_two_fails() -> None:
    """An expected row that matches two actual rows fails."""
    (miss,) = match_rows([{"version": 9040000}], Table(ROWS))
    assert miss.problem == "matches 2 rows, not one"
    assert list(miss.rows) == ROWS


def test_no_two_expected_rows_match_the_same_one() -> None:
    """Two expected rows that match the same actual row fail."""
    (miss,) = match_rows([{"clusqmgr": "QM2"}, {"suspend": "YES"}], Table(ROWS))
    assert miss.problem == "matches the same row as expected row 1"


def test_exact_lets_no_other_row_be() -> None:
    """With `exact`, each actual row without an expected one is a miss."""
    assert match_rows([{"clusqmgr": "QM1"}, {"clusqmgr": "QM2"}], Table(ROWS), exact=True) == []
    (miss,) = match_rows([{"clusqmgr": "QM1"}], Table(ROWS), exact=True)
    assert (miss.expected, miss.rows) == (None, (ROWS[1],))
    assert len(match_rows([], Table(ROWS), exact=True)) == 2
    assert match_rows([], Table([]), exact=True) == []


def test_a_key_that_no_row_has_is_said_so() -> None:
    """A misspelt key is reported as such, not as a different value or an absent row."""
    (miss,) = match_rows([{"clusqmgr": "QM1", "suspended": "NO"}], Table(ROWS))
    assert miss.problem == "no row has the key suspended"
    (miss,) = match_absent([{"suspended": "YES"}], Table(ROWS))
    assert miss.problem == "no row has the key suspended"
    (miss,) = match_absent([{"suspended": "YES"}], Table([], columns=("qmgr",)))
    assert miss.problem == "no row has the key suspended"


def test_absent_rows_match_nothing() -> None:
    """A row that should be absent and exists is shown; without rows everything is absent."""
    assert match_absent([{"clusqmgr": "QM9"}], Table(ROWS)) == []
    assert match_absent([{"clusqmgr": "QM9"}], Table([])) == []
    (miss,) = match_absent([{"suspend": "NO"}], Table(ROWS))
    assert miss.rows == (ROWS[0],)


@pytest.mark.parametrize(
    ("wanted", "said", "same"),
    [
        ("AMQ9469", "AMQ9469W", True),
        ("AMQ9469W", "AMQ9469", True),
        ("amq9469w", "AMQ9469W", True),
        ("CSQX469", "CSQX469E", True),
        ("AMQ9469E", "AMQ9469W", False),
        ("AMQ946", "AMQ9469", False),
    ],
)
def test_the_letter_of_a_message_id_may_be_left_out(
    wanted: str,
    said: str,
    same: bool,  # noqa: FBT001 - a row
) -> None:
    """The severity letters of message ids are compared only if both ids have one."""
    assert same_id(wanted, said) is same
    table = Table([{"id": said}], ids={"id"})
    assert (match_rows([{"id": wanted}], table) == []) is same


_VALUES = st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["a", "b", "1", ""])
_KEYS = st.sampled_from("xyz")
_ROW = st.dictionaries(_KEYS, _VALUES, min_size=1)
_TABLES = st.lists(_ROW, max_size=5)


@given(_TABLES, st.lists(_ROW, max_size=4), st.booleans())
def test_rows_hold_exactly_when_they_can_be_told_one_to_one(
    actual: list[Row],
    expected: list[Row],
    exact: bool,  # noqa: FBT001 - drawn
) -> None:
    """Rows hold exactly if each has one match, all matches differ, and `exact` leaves none over."""
    table = Table(actual)
    hits = [[at for at, row in enumerate(actual) if matches(want, row, table)] for want in expected]
    single = all(len(each) == 1 for each in hits)
    distinct = len({each[0] for each in hits if each}) == len(expected)
    complete = not exact or len(actual) == len(expected)
    held = not match_rows(expected, table, exact=exact)
    assert held == (single and distinct and complete)


@given(_TABLES, st.randoms())
def test_the_order_of_rows_does_not_matter(actual: list[Row], random: Any) -> None:
    """The result is the same if expected and actual rows are shuffled."""
    mixed, expected = list(actual), list(actual)
    random.shuffle(mixed)
    random.shuffle(expected)
    before = bool(match_rows(actual, Table(actual), exact=True))
    assert bool(match_rows(expected, Table(mixed), exact=True)) == before


@given(_ROW, _TABLES)
def test_absent_is_the_contrary_of_matching(wanted: Row, actual: list[Row]) -> None:
    """A row of known keys is absent exactly if it matches no row."""
    table = Table(actual, columns=("x", "y", "z"))
    assert bool(match_absent([wanted], table)) == any(matches(wanted, row, table) for row in actual)
