"""A wrong clock is said in one line, main is left alone, and the log can be used again."""

from __future__ import annotations

import pytest
from freezegun import freeze_time

from tests.cli.conftest import Result, Run

RIGHT, AHEAD = "2026-03-01T09:00:00Z", "2036-03-01T09:00:00Z"
LINE = (
    "twin: main has reached 2036-03-01T09:00:00Z, but the clock shows 2026-03-01T09:00:00Z: main"
    " cannot be changed, and answers about now leave out what lies later; if the clock is right,"
    " retract what lies later: twin retract --since 2026-03-01T09:00:01Z\n"
)


@pytest.fixture
def poisoned(run: Run) -> Run:
    """Make a queue manager under a clock ten years ahead."""
    with freeze_time(AHEAD):
        assert run("crtmqm", "QM1").code == 0
    return run


@pytest.mark.parametrize(
    "words",
    [
        ("crtmqm", "QM2"),
        ("strmqm", "QM1"),
        ("put", "QM1", "Q"),
        ("link", "cut", "QM1", "QM2"),
        ("advance", "--days", "0"),
        ("import", "some.mqsc"),
        ("runmqsc", "QM1"),
        ("serve", "--no-web"),
    ],
)
@pytest.mark.parametrize("option", [(), ("--trust-clock",)])
def test_a_write_on_a_main_ahead_of_the_clock_is_refused_in_one_line(
    poisoned: Run, words: tuple[str, ...], option: tuple[str, ...]
) -> None:
    """The line names the cure; trusting the clock does not change that main is ahead of it."""
    with open("some.mqsc", "w", encoding="utf-8") as file:  # noqa: PTH123 - in the test's folder
        file.write("DEFINE QLOCAL(Q)\n")
    with freeze_time(RIGHT):
        named = ("--qmgr", "QM1") if words[0] == "import" else ()
        done = poisoned(*words, *named, *option, typed="DEFINE QLOCAL(Q)\n")
        assert (done.code, done.err) == (20, LINE)
        assert "1 positions" not in poisoned("log", "verify").out


def _warnings(done: Result) -> str:
    """Return what is said of the clock, without what dspmq says of its instant."""
    return "".join(line for line in done.err.splitlines(keepends=True) if line[:6] == "twin: ")


@pytest.mark.parametrize(
    "words",
    [("dspmq",), ("ask", "channels"), ("log", "show"), ("dspmq", "--format", "json")],
)
def test_a_read_of_a_main_ahead_of_the_clock_says_so(poisoned: Run, words: tuple[str, ...]) -> None:
    """The answer goes to standard output as always, and the line to standard error."""
    with freeze_time(RIGHT):
        done = poisoned(*words)
        assert (done.code, _warnings(done)) == (0, LINE)
    with freeze_time(AHEAD):
        assert _warnings(poisoned(*words)) == ""


def test_a_branch_of_a_main_ahead_of_the_clock_is_not_affected(poisoned: Run) -> None:
    """Nothing is said about a branch, which has its own time."""
    with freeze_time(RIGHT):
        assert poisoned("branch", "create", "later").err == LINE
        done = poisoned("--branch", "later", "strmqm", "QM1")
        assert (done.code, done.err) == (0, "")


def test_a_clock_in_doubt_asks_for_the_option(run: Run) -> None:
    """A year and a month after the last record somebody must say that the clock is right."""
    with freeze_time(RIGHT):
        assert run("crtmqm", "QM1").code == 0
    with freeze_time("2027-05-01T09:00:00Z"):
        refused = run("strmqm", "QM1")
        assert refused.code == 20
        assert refused.err == (
            "twin: the clock shows 2027-05-01T09:00:00Z, 426 days after 2026-03-01T09:00:00Z, when"
            " main was last recorded: nothing was recorded on main; if the clock is right, say"
            " --trust-clock\n"
        )
        assert _warnings(run("dspmq")) == ""
        assert run("strmqm", "QM1", "--trust-clock").code == 0
        assert run("endmqm", "QM1").code == 0


def test_a_recording_ahead_of_the_clock_asks_for_the_option(run: Run) -> None:
    """Also if it is about an earlier instant; answers have it."""
    with freeze_time(AHEAD):
        assert run("crtmqm", "QM1", "--at", RIGHT).code == 0
    with freeze_time(RIGHT):
        assert "QM1" in run("dspmq").out
        refused = run("strmqm", "QM1")
        assert (refused.code, refused.err.count("\n")) == (20, 1)
        assert "which lies before 2036-03-01T09:00:00Z, when main was last recorded" in refused.err
        assert run("--trust-clock", "strmqm", "QM1").code == 0
        assert "Running" in run("dspmq").out


def test_the_cure_works(poisoned: Run) -> None:
    """After the command that the line names, main can be used as before, and nothing is said."""
    with freeze_time("2036-05-01"):
        assert poisoned("crtmqm", "QM5", "--at", RIGHT).code == 20
        assert poisoned("strmqm", "QM1").code == 0
    with freeze_time(RIGHT) as clock:
        refused = poisoned("crtmqm", "QM2")
        cure = refused.err.rpartition(": twin ")[2].split()
        done = poisoned(*cure)
        assert (done.code, done.err) == (0, "")
        for words in (("crtmqm", "QM1"), ("strmqm", "QM1"), ("put", "QM1", "NO.SUCH.QUEUE")):
            clock.tick(5)
            done = poisoned(*words)
            assert (done.code in (0, 10), done.err) == (True, "")
        assert poisoned("dspmq").lines[0].split() == ["QMNAME(QM1)", "STATUS(Running)"]
        assert _warnings(poisoned("dspmq")) == ""
        assert poisoned("log", "verify").code == 0
        clock.tick(27 * 86400)
        assert poisoned("advance", "--days", "0").err == ""


def test_trust_is_asked_for_once(run: Run) -> None:
    """A recording ahead of the clock that somebody accepted is not asked about again."""
    with freeze_time(AHEAD):
        assert run("crtmqm", "QM1", "--at", RIGHT).code == 0
    with freeze_time(RIGHT):
        assert run("strmqm", "QM1").code == 20
        assert run("strmqm", "QM1", "--trust-clock").code == 0
        assert run("endmqm", "QM1").err == ""
    with freeze_time("2037-03-01"):
        assert run("strmqm", "QM1", "--at", RIGHT).code == 0
    with freeze_time(RIGHT):
        assert "lies before 2037-03-01" in run("endmqm", "QM1").err
