"""Whole numbers in texts of any length."""

from __future__ import annotations

import pytest

from twin.model.amounts import MOST_DIGITS, whole_number


@pytest.mark.parametrize(
    ("text", "number", "signed"),
    [
        ("0", 0, 0),
        ("007", 7, 7),
        ("-5", None, -5),
        ("--5", None, None),
        ("", None, None),
        ("-", None, None),
        (" 5", None, None),
        ("1_0", None, None),
        ("1e3", None, None),
        ("\N{ARABIC-INDIC DIGIT FOUR}", None, None),
        ("\N{SUPERSCRIPT TWO}", None, None),
        ("9" * MOST_DIGITS, 10**MOST_DIGITS - 1, 10**MOST_DIGITS - 1),
        ("9" * (MOST_DIGITS + 1), None, None),
        ("9" * 5000, None, None),
    ],
)
def test_a_text_is_a_whole_number_or_none(text: str, number: int | None, signed: int) -> None:
    """Only ASCII digits count, and no more of them than 64 bits take."""
    assert (whole_number(text), whole_number(text, signed=True)) == (number, signed)
