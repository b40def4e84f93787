"""`twin link` and `twin restore`."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Run

LAB = ("--branch", "lab")


@pytest.fixture
def lab(cluster: Run) -> Run:
    """Fork a branch on which time can pass."""
    cluster("branch", "create", "lab")
    return cluster


def status(run: Run, at: str) -> str:
    """Return the status of QM1's channel to its full repository."""
    typed = "DISPLAY CHSTATUS(CA.FR1) STATUS"
    lines = run(*LAB, "runmqsc", "QM1", "--as-of", at, typed=typed).lines
    return next(line for line in lines if " STATUS(R" in line)


def test_a_link_that_is_cut_fails_its_channels_and_healed_is_found_at_a_retry(lab: Run) -> None:
    """A channel is RETRYING from the cut of its link to its first retry after the healing."""
    assert lab(*LAB, "link", "cut", "QM1", "FR1", "--at", "+1h").code == 0
    assert "RETRYING" in status(lab, "2025-03-03T10:00:00Z")
    assert lab(*LAB, "link", "heal", "FR1", "QM1", "--at", "+90s").code == 0
    assert "RETRYING" in status(lab, "2025-03-03T10:01:59Z")
    assert "RUNNING" in status(lab, "2025-03-03T10:02:00Z")


def test_a_silent_cut_is_noticed_in_the_time_of_each_end(lab: Run) -> None:
    """The channel runs on for HBINT and its receive timeout, and is then RETRYING."""
    said = lab(*LAB, "link", "cut", "QM1", "FR1", "--silent", "--at", "+1h").out
    assert said == "link between QM1 and FR1 cut silently\n"
    assert "RUNNING" in status(lab, "2025-03-03T10:05:59Z")
    assert lab(*LAB, "advance", "--to", "+1h").code == 0
    asked = (*LAB, "ask", "errorlog", "--id", "AMQ9259", "--format", "json")
    rows = lab(*asked).json["rows"]
    assert {(row["on"], row["inserts"][-1]) for row in rows} >= {("QM1", "CA.FR1")}
    rows = lab(*LAB, "ask", "heartbeats", "--on", "QM1", "--format", "json").json["rows"]
    (row,) = (each for each in rows if each["on"] == "QM1")
    assert (row["hbint"], row["sending"], row["receiving"]) == (300, 660, 360)


def test_a_slow_link_shows_the_window_in_which_others_do_not_know_yet(lab: Run) -> None:
    """A new definition arrives when the link's latency has passed."""
    said = lab(*LAB, "link", "delay", "5s", "QM2", "FR1").out
    assert said == "repository commands take 5s between QM2 and FR1\n"
    lab(*LAB, "runmqsc", "QM2", "--at", "+1h", typed="DEFINE QLOCAL(NEW) CLUSTER(CA)")
    asked = (*LAB, "ask", "beliefs", "--on", "FR1", "--name", "NEW", "--format", "json", "--as-of")
    assert lab(*asked, "2025-03-03T10:00:04.999999Z").json["rows"] == []
    (row,) = lab(*asked, "2025-03-03T10:00:05Z").json["rows"]
    assert (row["source"], row["pending"]) == ("QM2", True)


def test_a_queue_manager_is_put_back_as_from_a_backup(lab: Run) -> None:
    """A restored queue manager has its old definitions; others still believe its later ones."""
    lab(*LAB, "runmqsc", "QM2", "--at", "+1h", typed="DEFINE QLOCAL(NEW) CLUSTER(CA)")
    said = lab(*LAB, "restore", "QM2", "--to", "2025-03-03T09:30:00Z", "--at", "+1h").out
    assert said == "IBM MQ queue manager 'QM2' restored as of 2025-03-03T09:30:00Z.\n"
    assert "QLOCAL('NEW')" not in lab(*LAB, "dmpmqcfg", "QM2").out
    rows = lab(*LAB, "ask", "divergence", "--on", "FR1", "--format", "json").json["rows"]
    assert "NEW" in {row["name"] for row in rows}


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("link", "cut", "QM1", "NOSUCH"), "AMQ8118E"),
        (
            ("link", "delay", "soon", "QM1", "QM2"),
            "malformed LATENCY soon; expected a time such as 500ms, 5s or 2m",
        ),
        (
            ("link", "delay", "QM1", "QM2", "5s"),
            "expected a time such as 500ms, 5s or 2m (twin link delay 5s NYC LON)",
        ),
        (("link", "delay", "5s", "QM1"), "name both ends of the link, or none"),
        (("restore", "NOSUCH", "--to", "-1h"), "AMQ8118E"),
        (("restore", "QM1", "--to", "whenever"), "whenever"),
        (("restore", "QM1", "--to", "2020-01-01"), "AMQ8118E"),
    ],
)
def test_what_cannot_be_done_is_one_line_and_records_nothing(
    lab: Run, words: tuple[str, ...], problem: str
) -> None:
    """An impossible command exits 20 and leaves the log unchanged."""
    before = lab("log", "verify").lines[0]
    result = lab(*LAB, *words)
    assert result.code == 20
    assert problem in result.err
    assert len(result.err.splitlines()) == 1
    assert lab("log", "verify").lines[0] == before
