"""The README, and the documents with a session, show actual output."""

from __future__ import annotations

import doctest
import re
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.doc_sessions import PAGES, README, TOUR, Step, run, session, without_clock


class ReadmeRun(NamedTuple):
    """The folder in which the session of the README ran, and its steps with their output."""

    folder: Path
    answered: list[Step]


@pytest.fixture(scope="module")
def readme(tmp_path_factory: pytest.TempPathFactory, twin_program: Path) -> ReadmeRun:
    """Run the session of the README."""
    folder = tmp_path_factory.mktemp("readme")
    return ReadmeRun(folder, run(session(README.read_text(encoding="utf-8")), folder, twin_program))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_session_answers_as_it_is_written(
    page: Path, request: pytest.FixtureRequest, tmp_path: Path, twin_program: Path
) -> None:
    """Every command of the session prints the lines below it; the tour continues the README."""
    written = session(page.read_text(encoding="utf-8"))
    assert written
    if page in (README, TOUR):
        before: ReadmeRun = request.getfixturevalue("readme")
        answered = before.answered if page == README else run(written, before.folder, twin_program)
    else:
        answered = run(written, tmp_path, twin_program)
    assert [without_clock("".join(step)) for step in answered] == [
        without_clock("".join(step)) for step in written
    ]


def test_the_python_lines_work_after_the_session(
    readme: ReadmeRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The Python lines print what the README shows, on the log of the session."""
    monkeypatch.chdir(readme.folder)
    blocks = re.findall(
        r"^```python\n(.*?)^```$", README.read_text("utf-8"), re.DOTALL | re.MULTILINE
    )
    assert blocks
    for block in blocks:
        test = doctest.DocTestParser().get_doctest(block, {}, "README", None, 0)
        assert test.examples
        assert doctest.DocTestRunner().run(test).failed == 0
