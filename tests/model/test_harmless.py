"""Text from anywhere is made harmless for terminals and spreadsheets."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.laws import examples
from twin.model.harmless import cell, visible, visible_json, visible_line


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x07", r"\x1b[31mred\x07"),
        ("\x9b31m", r"\x9b31m"),
        ("a\u202eb\u2066c\u200f", r"a\u202eb\u2066c\u200f"),
        ("one\rtwo\x7f", r"one\rtwo\x7f"),
        ("half \ud800", r"half \ud800"),
        ("a\tb\nc é 漢 \U0001f600", "a\tb\nc é 漢 \U0001f600"),
    ],
)
def test_characters_that_a_terminal_acts_on_are_written_out(text: str, shown: str) -> None:
    """Control characters, C1 too, and marks of direction are visible; all other text stays."""
    assert visible(text) == shown


def test_a_cell_of_a_table_has_one_line() -> None:
    """LF and TAB are written out where the text must stay on its line."""
    assert visible_line("a\n\tb") == r"a\n\tb"


@given(st.text())
@examples(cost=1)
def test_json_stays_exact(text: str) -> None:
    """JSON without such characters has the same meaning."""
    written = visible_json(json.dumps([text], ensure_ascii=False))
    assert json.loads(written) == [text]
    assert visible(written) == written


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("=1+1", "'=1+1"),
        ("+27d", "'+27d"),
        ("-x", "'-x"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\t=1", "'\t=1"),
        ("-5", "-5"),
        ("+1.5e3", "+1.5e3"),
        ("-", "-"),
        ("A=1", "A=1"),
        ("", ""),
    ],
)
def test_no_csv_cell_is_a_formula(text: str, written: str) -> None:
    """Text that begins like a formula gets an apostrophe; numbers stay numbers."""
    assert cell(text) == written
