"""Generic names and WHERE."""

import pytest

from twin.model.names import generic
from twin.mqsc.filters import Form, Value, is_generic, matches, problem
from twin.mqsc.statement import Where


@pytest.mark.parametrize(
    ("pattern", "name", "answer"),
    [
        ("*", "ANY", True),
        ("*", "", True),
        ("APP.*", "APP.IN", True),
        ("APP.*", "APP.", True),
        ("APP.*", "app.in", False),
        ("APP.IN", "APP.IN", True),
        ("APP.IN", "APP.IN.2", False),
        ("A*B", "AXB", False),
        ("A*B", "A*B", True),
    ],
)
def test_only_a_last_asterisk_is_generic(pattern: str, name: str, *, answer: bool) -> None:
    """An asterisk stands for any rest when it is last and for itself elsewhere; case counts."""
    assert generic(pattern, name) is answer
    assert is_generic("A*")
    assert not is_generic("A*B")


@pytest.mark.parametrize(
    ("operator", "wanted", "value", "answer"),
    [
        ("LT", "10", 9, True),
        ("GT", "9", 10, True),
        ("EQ", "007", 7, True),
        ("NE", "7", 7, False),
        ("LE", "7", 7, True),
        ("GE", "8", 7, False),
        ("GE", "-1", 0, True),
        ("EQ", "X", 7, False),
        ("LK", "7", 7, False),
        ("EQ", "CLUSSDR", "CLUSSDR", True),
        ("EQ", "clussdr", "CLUSSDR", False),
        ("EQ", " ", "", True),
        ("NE", " ", "CA", True),
        ("LT", "B", "A", True),
        ("GT", "2026-01-01", "2026-01-02", True),
        ("LK", "APP*", "APP.IN", True),
        ("LK", "APP", "APP", True),
        ("NL", "APP*", "APP.IN", False),
        ("NL", "APP*", "X", True),
        ("CT", "CA", ("CA", "CB"), True),
        ("CT", "C*", ("CA", "CB"), False),
        ("EX", "CC", ("CA", "CB"), True),
        ("CTG", "C*", ("CA", "X"), True),
        ("EXG", "C*", ("CA", "X"), False),
        ("EXG", "C*", (), True),
        ("CT", "CA", "CA", True),
        ("EQ", "CA,CB", ("CA", "CB"), True),
        ("??", "A", "A", False),
        ("EQ", "A", None, False),
        ("NE", "A", None, False),
    ],
)
def test_each_operator_decides(
    operator: str, wanted: str, value: Value | None, *, answer: bool
) -> None:
    """Numbers compare as numbers, text as text, lists by their items, and nothing never matches."""
    assert matches(Where("X", operator, wanted), value) is answer


@pytest.mark.parametrize(
    ("operator", "value", "form", "fine"),
    [
        ("EQ", "1", "number", True),
        ("EQ", "ONE", "number", False),
        ("LK", "1", "number", False),
        ("LT", "A", "text", True),
        ("LK", "A*", "text", True),
        ("EQ", "YES", "word", True),
        ("GT", "YES", "word", False),
        ("CTG", "A*", "list", True),
        ("LT", "A", "list", False),
        ("LIKE", "A", "text", False),
        ("", "", "text", False),
    ],
)
def test_an_operator_must_suit_the_attribute(
    operator: str, value: str, form: Form, *, fine: bool
) -> None:
    """Fixed words take EQ and NE only, numbers no generic strings, lists their own operators."""
    assert (problem(Where("X", operator, value), form) is None) is fine
