"""docs/runbooks.md shows actual output."""

from __future__ import annotations

from pathlib import Path

from tests.doc_sessions import session
from tests.runbooks_page import PAGE, run


def test_the_page_shows_what_the_commands_print(tmp_path: Path) -> None:
    """Every command of the page prints the lines below it."""
    written = session(PAGE.read_text(encoding="utf-8"))
    assert ["".join(step) for step in run(written, tmp_path)] == ["".join(step) for step in written]
