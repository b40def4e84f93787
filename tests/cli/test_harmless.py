"""What a command writes does not act on a terminal or a spreadsheet, whatever its input holds."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from twin.cli import output
from twin.cli.table import bold, dim

EVIL = "\x9b31m\u202eevil\u2066\x7f"
ACTING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


@pytest.fixture
def described(run: Run) -> Run:
    """Make a queue whose description would act on a terminal, and one that is a formula."""
    assert run("crtmqm", "QM1").code == 0
    assert run("strmqm", "QM1").code == 0
    script = f"DEFINE QLOCAL(Q1) DESCR('{EVIL}')\nDEFINE QLOCAL(Q2) DESCR('=1+1')\n"
    assert run("runmqsc", "QM1", typed=script).code == 0
    return run


@pytest.mark.parametrize(
    "words",
    [
        ("runmqsc", "QM1"),
        ("dmpmqcfg", "QM1"),
        ("dmpmqcfg", "QM1", "--format", "csv"),
        ("log", "show"),
        ("log", "show", "--format", "csv"),
        ("ask", "changes", "--wide"),
    ],
)
def test_no_answer_acts_on_a_terminal(described: Run, words: tuple[str, ...]) -> None:
    """The characters are written out, in every kind of answer."""
    done = described(*words, typed=f"DISPLAY QLOCAL(Q1) DESCR\n* {EVIL}\n")
    assert not ACTING.search(done.out + done.err)
    if "show" not in words:
        assert r"\x9b31m\u202eevil\u2066\x7f" in done.out or "ask" in words


def test_json_is_exact(described: Run) -> None:
    """JSON has the text itself, by escapes of JSON."""
    done = described("dmpmqcfg", "QM1", "--format", "json")
    assert not ACTING.search(done.out)
    assert any(EVIL in row["command"] for row in done.json["rows"])


@pytest.mark.parametrize(
    "words",
    [
        (EVIL,),
        ("runmqsc", EVIL),
        ("import", f"{EVIL}.mqsc"),
        ("--log", f"{EVIL}.db", "dspmq"),
        ("ask", EVIL),
        ("play", f"{EVIL}.yaml"),
        ("branch", "create", EVIL),
        ("dspmq", "--as-of", EVIL),
        ("crtmqm", f"-{EVIL}", "QM1"),
    ],
)
def test_no_complaint_acts_on_a_terminal(run: Run, words: tuple[str, ...]) -> None:
    """A message repeats what was typed, with the characters written out, on one line."""
    done = run(*words)
    assert done.code == 20
    assert not ACTING.search(done.out + done.err)
    assert done.err.count("\n") == 1


def test_a_story_does_not_act_on_a_terminal(run: Run) -> None:
    """Its name and its steps are texts of a file, which may come from anywhere."""
    text = 'story: "a\\u202eb\\x9bc"\nqueue managers: {QM1: ""}\nsteps: [{endmqm: QM1}]\n'
    Path("story.yaml").write_text(text, encoding="utf-8")
    done = run("play", "story.yaml")
    assert (done.code, done.lines[0]) == (0, r"a\u202eb\x9bc")
    assert not ACTING.search(done.out + done.err)
    Path("story.yaml").write_text(text.replace("endmqm", '"\\x1b[2J"'), encoding="utf-8")
    done = run("play", "story.yaml")
    assert done.code == 20
    assert not ACTING.search(done.out + done.err)


def test_utf_16_with_control_characters_is_not_text(run: Run) -> None:
    """As it is not in UTF-8."""
    assert run("crtmqm", "QM1").code == 0
    done = run("runmqsc", "QM1", typed="DISPLAY QMGR \x1b[2J\n".encode("utf-16"))
    assert (done.code, done.err) == (20, "twin: standard input is not text\n")


def test_no_csv_cell_is_a_formula(described: Run) -> None:
    """A spreadsheet shows the text, and computes nothing."""
    text = described("dmpmqcfg", "QM1", "--format", "csv").out
    assert [row for row in csv.reader(io.StringIO(text)) if row[0][:1] in "=+-@"] == []
    described("crtmqm", "QM3", "--at", "-1s")
    for line in csv.reader(io.StringIO(described("log", "show", "--format", "csv").out)):
        assert not [cell for cell in line if cell.startswith(("=", "@"))]


def test_only_our_styles_reach_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A style is around a line, and the same sequence in its text is written out."""
    monkeypatch.setattr("twin.cli.table.coloured", lambda _: True)
    output.emit([bold("a\x1b[1mb"), dim("c"), "\x1b[2md"])
    assert capsys.readouterr().out == "\x1b[1ma\\x1b[1mb\x1b[0m\n\x1b[2mc\x1b[0m\n\\x1b[2md\n"


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_a_terminal_of_any_encoding_gets_the_answer(
    run: Run, tmp_path: Path, encoding: str
) -> None:
    """A character that it does not know is written out; JSON stays JSON."""
    environment = {**os.environ, "PYTHONIOENCODING": encoding, "TWIN_LOG": str(tmp_path / "t.db")}

    def twin(*words: str) -> bytes:
        done = subprocess.run(
            [sys.executable, "-m", "twin", *words],
            capture_output=True,
            env=environment,
            check=False,
        )
        assert done.stderr == b""
        return done.stdout

    for words in (("crtmqm", "QM1"), ("strmqm", "QM1")):
        assert run("--log", "t.db", *words).code == 0
    assert (
        run("--log", "t.db", "runmqsc", "QM1", typed="DEFINE QLOCAL(Q1) DESCR('né 漢')\n").code == 0
    )
    assert b"DESCR" in twin("dmpmqcfg", "QM1")
    rows = json.loads(twin("dmpmqcfg", "QM1", "--format", "json").decode(encoding))["rows"]
    assert any("né 漢" in row["command"] for row in rows)


def test_an_export_on_standard_output_is_exact(described: Run) -> None:
    """Its lines are JSON: they make the same log, with the same head."""
    exported = described("log", "export").out
    assert not ACTING.search(exported)
    Path("lines.json").write_text(exported, encoding="utf-8")
    assert described("--log", "other.db", "log", "import-log", "lines.json").code == 0
    heads = [described("--log", log, "log", "verify").lines[0] for log in ("twin.db", "other.db")]
    assert heads[0] == heads[1]


def test_the_json_of_a_story_is_json(run: Run) -> None:
    """Also if a text has a character that a terminal acts on, and JSON does not escape."""
    story = 'story: "a\\x7fb"\nqueue managers: {QM1: ""}\nsteps: [{at: +1h, endmqm: QM1}]\n'
    Path("story.yaml").write_text(story, encoding="utf-8")
    done = run("play", "story.yaml", "--format", "json")
    assert (done.code, done.err) == (0, "")
    assert done.json["story"] == "a\x7fb"
