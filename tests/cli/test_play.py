"""`twin play`: stories from files, reported as text and as JSON."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Run

GOOD = """\
story: a queue manager is made
queue managers:
  QM1: DEFINE QLOCAL(A)
steps:
  - on: QM1
    runmqsc: DISPLAY QLOCAL(A) MAXDEPTH
    expect: {rows: [{queue: A, maxdepth: 5000}]}
"""
BAD = GOOD.replace("is made", "is not so").replace("5000", "1")
BROKEN = GOOD.replace("DEFINE", "DEFIN")
MALFORMED = GOOD.replace("runmqsc", "runmqcs")


@pytest.fixture(autouse=True)
def stories(run: Run) -> None:
    """Write stories into the current folder of the commands."""
    Path("good.yaml").write_text(GOOD, encoding="utf-8")
    Path("bad.yaml").write_text(BAD, encoding="utf-8")
    Path("broken.yaml").write_text(BROKEN, encoding="utf-8")
    Path("malformed.yaml").write_text(MALFORMED, encoding="utf-8")
    Path("both.yaml").write_text(f"{GOOD}---\n{BAD}", encoding="utf-8")


def test_a_story_that_holds_is_told_a_line_a_step(run: Run) -> None:
    """A story that holds prints its name, its steps and a total, exits 0, and leaves no log."""
    played = run("play", "good.yaml")
    assert (played.code, played.err) == (0, "")
    assert played.lines == [
        "a queue manager is made",
        "held     1  +0s  QM1: DISPLAY QLOCAL(A) MAXDEPTH",
        "1 step held",
        "",
    ]
    assert not Path("twin.db").exists()


@pytest.mark.parametrize(
    "option", [("--branch", "lab"), ("--log", "x.db"), ("--trust-clock",), ("--simulate-on-main",)]
)
def test_an_option_about_a_log_that_no_story_uses_is_refused(
    run: Run, option: tuple[str, ...]
) -> None:
    """Somebody who names a branch expects the story to play on it; it would play elsewhere."""
    says = f"a story with queue managers plays on a log of its own: leave out {option[0]} "
    for words in (("play", "good.yaml", *option), (*option, "play", "good.yaml", "bad.yaml")):
        refused = run(*words)
        assert (refused.code, refused.out) == (20, "")
        assert says in refused.err


def test_a_story_that_fails_exits_with_10(run: Run) -> None:
    """A failed step prints its place, expected and actual values, and the exit code is 10."""
    played = run("play", "bad.yaml")
    assert (played.code, played.err) == (10, "")
    assert played.lines == [
        "a queue manager is not so",
        "FAILED   1  +0s  QM1: DISPLAY QLOCAL(A) MAXDEPTH",
        "           at bad.yaml:5",
        "           expected  row {queue: A, maxdepth: 1}",
        "           actual    no row matches",
        "                     {queue: A, maxdepth: 5000}",
        "1 of 1 step failed: bad.yaml:1",
        "",
    ]


def test_several_stories_are_counted(run: Run) -> None:
    """Files and documents are played in order, and the last line has the totals."""
    played = run("play", "good.yaml", "both.yaml")
    assert played.code == 10
    assert played.lines[-1] == "3 stories: 2 held, 1 failed"


def test_a_story_that_could_not_be_played_is_one_line(run: Run) -> None:
    """A story that cannot be played is one line and exit code 20; the others are played."""
    played = run("play", "broken.yaml", "good.yaml")
    assert played.code == 20
    assert played.err.startswith("twin: broken.yaml:3: QM1: AMQ8405I: Syntax error")
    assert played.err.count("\n") == 1
    assert played.lines[-1] == "2 stories: 1 held, 1 could not be played"


def test_nothing_is_played_where_one_file_is_malformed(run: Run) -> None:
    """If files are malformed, nothing is played, and each of them is one line with line and key."""
    played = run("play", "good.yaml", "malformed.yaml", "nowhere.yaml")
    assert (played.code, played.out) == (20, "")
    lines = played.err.splitlines()
    assert lines[0] == ("twin: malformed.yaml:6: runmqcs: unknown key; did you mean runmqsc?")
    assert lines[1].startswith("twin: cannot read nowhere.yaml: ")
    assert len(lines) == 2


def test_machines_get_one_story_or_a_list(run: Run) -> None:
    """JSON is one object for one story, and a list for several."""
    one = run("play", "good.yaml", "--format", "json")
    assert (one.code, one.err) == (0, "")
    assert list(one.json) == ["story", "held", "steps"]
    (step,) = one.json["steps"]
    assert list(step) == ["number", "held", "expected", "actual"]
    assert step["actual"]["rows"][0]["queue"] == "A"
    several = run("play", "bad.yaml", "good.yaml", "--format", "json")
    assert several.code == 10
    assert [story["held"] for story in several.json] == [False, True]


def test_machines_get_the_stories_that_were_played(run: Run) -> None:
    """A story that cannot be played is a line on standard error, and not in the JSON."""
    several = run("play", "broken.yaml", "good.yaml", "--format", "json")
    assert several.code == 20
    assert [story["held"] for story in several.json] == [True]
    alone = run("play", "broken.yaml", "--format", "json")
    assert (alone.code, alone.out) == (20, "")


def test_a_story_is_read_from_standard_input(run: Run) -> None:
    """The path - means standard input."""
    assert run("play", "-", typed=GOOD).code == 0
    refused = run("play", "-", typed=MALFORMED)
    assert refused.err.startswith("twin: standard input:6: runmqcs: ")


def test_a_story_plays_on_the_branch_that_is_named(cluster: Run) -> None:
    """A story without queue managers plays on the given branch, and main is unchanged."""
    Path("drill.yaml").write_text(
        "story: a drill\nsteps:\n  - {at: +1d, endmqm: QM2}\n"
        "  - {at: +91d, ask: beliefs, with: {on: FR1, name: ORDERS}, expect: {count: 0}}\n",
        encoding="utf-8",
    )
    assert cluster("play", "drill.yaml").err == (
        "twin: drill.yaml:3: endmqm: a story must not change main; play it on a branch "
        "(twin --branch NAME play), or add `queue managers:` to play it on a log of its own\n"
    )
    assert cluster("branch", "create", "lab").code == 0
    assert cluster("--branch", "lab", "play", "drill.yaml").code == 0
    assert "STATUS(Running)" in cluster("dspmq", "-m", "QM2").out


def test_a_story_without_queue_managers_needs_a_log(run: Run) -> None:
    """A story without queue managers is refused if there is no log, and none is created."""
    Path("drill.yaml").write_text("story: a drill\nsteps: [ask: members]\n", encoding="utf-8")
    for words in (["play", "drill.yaml"], ["--branch", "lab", "play", "drill.yaml"]):
        refused = run(*words)
        assert refused.code == 20
        assert refused.err.count("\n") == 1
    assert not Path("twin.db").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["play"], "Missing argument"),
        (["play", "good.yaml", "--format", "csv"], "unknown --format csv; expected text or json"),
        (["play", "."], ". is not a regular file"),
    ],
)
def test_bad_usage_is_one_line(run: Run, words: list[str], said: str) -> None:
    """A request that cannot be played is one line and exit code 20."""
    refused = run(*words)
    assert (refused.code, refused.out) == (20, "")
    assert said in refused.err
    assert refused.err.count("\n") == 1


def test_a_story_fits_a_terminal(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """No line of a story is longer than a terminal of 80 columns."""
    long = BAD.replace("QLOCAL(A) MAXDEPTH", "QLOCAL(A) MAXDEPTH DESCR PUT GET SHARE CRDATE CRTIME")
    Path("long.yaml").write_text(long.replace("queue: A,", f"descr: {'D' * 70},"), "utf-8")
    monkeypatch.setattr("twin.cli.playing.width_of", lambda _: 80)
    played = run("play", "long.yaml")
    assert played.code == 10
    assert max(map(len, played.lines)) <= 80


def test_a_command_that_acts_is_refused_with_as_of(run: Run) -> None:
    """A command that would act in a step with as_of is refused before anything is played."""
    step = "  - {on: QM1, runmqsc: DEF QL(B), as_of: +0s}\n"
    text = f"story: x\nqueue managers: {{QM1: ''}}\nsteps:\n{step}"
    Path("late.yaml").write_text(text, encoding="utf-8")
    result = run("play", "late.yaml")
    assert (result.code, result.out) == (20, "")
    assert "late.yaml:4: runmqsc: only DISPLAY commands" in result.err
