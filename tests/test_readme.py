"""The README, and the documents with a session, show actual output."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

from tests.doc_sessions import PAGES, README, run, session, without_clock


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make the folder in which the session runs."""
    return tmp_path_factory.mktemp("readme")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_session_answers_as_it_is_written(page: Path, folder: Path, tmp_path: Path) -> None:
    """Every command of the session prints the lines below it."""
    written = session(page.read_text(encoding="utf-8"))
    answered = run(written, folder if page == README else tmp_path)
    assert [without_clock("".join(step)) for step in answered] == [
        without_clock("".join(step)) for step in written
    ]


def test_the_python_lines_work_behind_the_session(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The Python lines print what the README shows, on the log of the session."""
    if not (folder / "twin.db").exists():
        run(session(README.read_text(encoding="utf-8")), folder)
    monkeypatch.chdir(folder)
    blocks = re.findall(
        r"^```python\n(.*?)^```$", README.read_text("utf-8"), re.DOTALL | re.MULTILINE
    )
    for block in blocks:
        test = doctest.DocTestParser().get_doctest(block, {}, "README", None, 0)
        assert test.examples
        assert doctest.DocTestRunner().run(test).failed == 0


def test_every_link_leads_to_a_file() -> None:
    """Each relative link of the README leads to an existing file."""
    links = re.findall(r"\]\((?!https?:)([^)#]+)\)", README.read_text(encoding="utf-8"))
    assert [link for link in links if not (README.parent / link).exists()] == []
