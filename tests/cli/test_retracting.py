"""`twin retract`: what it prints, what it refuses, and how `log show` marks the events."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Run


@pytest.fixture
def queue(run: Run) -> Run:
    """Return the command line, with a queue manager and a queue on main."""
    run("crtmqm", "QM1", "--at", "2026-01-01T00:00:00Z")
    run("strmqm", "QM1", "--at", "2026-01-01T00:00:00Z")
    run("runmqsc", "QM1", "--at", "2026-01-02T00:00:00Z", typed="DEFINE QLOCAL(Q)")
    return run


def test_a_fact_is_retracted_and_restored(queue: Run) -> None:
    """The queue is gone after the retraction, and back after its undoing."""
    shown = queue("retract", "5")
    assert shown.code == 0
    assert shown.out == (
        "1 fact retracted, 0 events derived again; branch main now ends at 2026-01-01T00:00:00Z\n"
        "twin retract --undo 8 undoes this\n"
    )
    assert "AMQ8147E" in queue("runmqsc", "QM1", typed="DISPLAY QLOCAL(Q)").out
    rows = queue("log", "show", "--format", "json").json["rows"]
    marks = {row["position"]: row["hidden"] for row in rows if row["hidden"]}
    assert marks == {5: "retracted", 6: "withdrawn"}
    assert "(retracted) CommandEntered" in queue("log", "show").out
    shown = queue("retract", "--undo", "8")
    assert shown.out.startswith("1 fact restored, 1 event derived again; ")
    assert "AMQ8409I" in queue("runmqsc", "QM1", typed="DISPLAY QLOCAL(Q)").out
    assert queue("log", "verify").code == 0


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["6"], "position 6 cannot be retracted: it follows from position 5; retract that"),
        (["99"], "position 99 cannot be retracted: the log has positions 1 to 6"),
        (["--undo", "5"], "position 5 cannot be undone: it is CommandEntered, not a retraction"),
        (["--since", "+1d"], "nothing to retract: branch main has no event at "),
        (["--since", "yesterday"], "yesterday"),
        ([], "expected one of POSITION..., --since T and --undo POSITION"),
        (["5", "--since", "-1d"], "expected one of POSITION..., --since T and --undo POSITION"),
    ],
)
def test_what_cannot_be_retracted_is_one_line(queue: Run, words: list[str], says: str) -> None:
    """Bad input is one line on standard error, exit code 20, and nothing is recorded."""
    shown = queue("retract", *words)
    assert shown.code == 20
    assert says in shown.err
    assert shown.err.count("\n") == 1
    assert "position 7" not in queue("log", "show", "--after", "6").out


def test_a_branch_retracts_for_itself(queue: Run) -> None:
    """What a branch retracts is still there on main."""
    queue("branch", "create", "b")
    assert queue("--branch", "b", "retract", "5").code == 0
    asked = ("runmqsc", "QM1", "--as-of", "2026-01-03T00:00:00Z")
    assert "AMQ8147E" in queue("--branch", "b", *asked, typed="DISPLAY QLOCAL(Q)").out
    assert "AMQ8409I" in queue(*asked, typed="DISPLAY QLOCAL(Q)").out
