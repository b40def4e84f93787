"""`twin play --junit FILE`: a report that pipelines read."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cli.conftest import Run
from tests.cli.test_play import BAD, BROKEN, GOOD, MALFORMED
from tests.stories.junit_schemas import ANT, JENKINS, violations
from twin.model.instants import parse_instant
from twin.stories.play import StoryRun
from twin.stories.read import read
from twin.stories.report import junit_xml

THREE_STEPS = """\
story: the second of three steps fails
queue managers:
  QM1: DEFINE QLOCAL(A)
steps:
  - on: QM1
    runmqsc: DISPLAY QLOCAL(A)
  - on: QM1
    runmqsc: DISPLAY QLOCAL(A) MAXDEPTH
    expect: {rows: [{queue: A, maxdepth: 7}]}
  - endmqm: QM1
"""


@pytest.fixture(autouse=True)
def stories(run: Run) -> None:
    """Write stories into the current folder of the commands."""
    texts = {"good": GOOD, "bad": BAD, "broken": BROKEN, "malformed": MALFORMED}
    texts |= {"both": f"{GOOD}---\n{BAD}", "three": THREE_STEPS}
    for name, text in texts.items():
        Path(f"{name}.yaml").write_text(text, encoding="utf-8")


def report(path: str = "report.xml") -> list[ET.Element]:
    """Return the test suites of a report that both schemas allow."""
    document = Path(path).read_bytes()
    assert violations(document, ANT) == []
    assert violations(document, JENKINS) == []
    return list(ET.fromstring(document))  # noqa: S314 - twin has just written it


def test_a_suite_for_each_file_and_a_case_for_each_step(run: Run) -> None:
    """Standard output is as without --junit; a failure has the expected and the actual values."""
    words = ("play", "good.yaml", "both.yaml", "three.yaml")
    played = run(*words, "--junit", "report.xml")
    assert (played.code, played.err) == (10, "")
    assert played.out == run(*words).out
    suites = report()
    assert [(suite.get("name"), suite.get("tests"), suite.get("failures")) for suite in suites] == [
        ("good.yaml", "1", "0"),
        ("both.yaml", "2", "1"),
        ("three.yaml", "3", "1"),
    ]
    (case,) = suites[0].findall("testcase")
    assert (case.get("classname"), case.get("name")) == (
        "a queue manager is made",
        "1 QM1: DISPLAY QLOCAL(A) MAXDEPTH",
    )
    (failure,) = suites[2].findall("testcase/failure")
    assert failure.get("message") == (
        "expected row {queue: A, maxdepth: 7}, actual no row matches; {queue: A, maxdepth: 5000}"
    )
    assert "at three.yaml:7" in str(failure.text)
    assert "1 of 3 steps failed: three.yaml:1" in str(suites[2].findtext("system-out"))


def test_a_story_that_cannot_be_played_is_an_error(run: Run) -> None:
    """The report is written with the other stories, and the exit code is 20."""
    assert run("play", "broken.yaml", "good.yaml", "--junit", "report.xml").code == 20
    broken, good = report()
    assert (broken.get("errors"), good.get("errors")) == ("1", "0")
    (error,) = broken.findall("testcase/error")
    assert str(error.get("message")).startswith("broken.yaml:3: QM1: AMQ8405I: Syntax error")
    assert str(error.get("message")) in str(broken.findtext("system-err"))


def test_a_story_that_cannot_be_read_is_an_error_and_the_others_are_skipped(run: Run) -> None:
    """A missing or malformed file has an error in the report, and no story counts as passed."""
    refused = run("play", "good.yaml", "malformed.yaml", "nosuch.yaml", "--junit", "report.xml")
    assert (refused.code, refused.out) == (20, "")
    good, *others = report()
    assert [case.get("name") for case in good] == [
        None,
        "not played, because another story file could not be read",
        *(None, None),
    ]
    errors = [suite.find("testcase/error") for suite in others]
    messages = [str(error.get("message")) for error in errors if error is not None]
    assert refused.err == "".join(f"twin: {message}\n" for message in messages)
    assert [message[:15] for message in messages] == ["malformed.yaml:", "cannot read nos"]


def test_the_report_replaces_an_earlier_one_when_all_is_done(run: Run) -> None:
    """The report has this run only, and no other file is left."""
    Path("report.xml").write_text("earlier", encoding="utf-8")
    before = sorted(Path().iterdir())
    assert run("play", "good.yaml", "--junit", "report.xml", "--format", "json").json["held"]
    assert sorted(Path().iterdir()) == before
    assert len(report()) == 1


@pytest.mark.parametrize(
    ("file", "problem"),
    [
        ("nosuch/report.xml", "cannot write nosuch/report.xml: No such file or directory"),
        ("folder", "cannot write folder: it is a folder"),
        ("./good.yaml", "--junit ./good.yaml is a story; name a file of its own"),
        ("-", "--junit - is standard output; name a file of its own"),
        ("link.xml", "link.xml is a link, and output never goes through a link"),
    ],
)
def test_a_report_that_cannot_be_written_is_refused_first(
    run: Run, file: str, problem: str
) -> None:
    """Exit code 20 and one line, before any story is played."""
    Path("folder").mkdir()
    Path("link.xml").symlink_to("elsewhere.xml")
    result = run("play", "good.yaml", "--junit", file)
    assert (result.code, result.out, result.err.count("\n")) == (20, "", 1)
    assert problem in result.err
    assert Path("good.yaml").read_text(encoding="utf-8") == GOOD


@given(st.text(min_size=1), st.text())
def test_any_text_becomes_xml(name: str, problem: str) -> None:
    """Whatever is in the name of a file or in a message, the report is well-formed and valid."""
    (story,) = read(GOOD, file=f"x{name}")
    runs = [StoryRun(story, parse_instant("2026-01-01T00:00:00Z", now=0), (), (), f"x{problem}")]
    document = junit_xml(runs).encode()
    assert violations(document, ANT) == []
    assert violations(document, JENKINS) == []
