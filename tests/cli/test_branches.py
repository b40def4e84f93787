"""`twin branch`: what-if branches."""

from __future__ import annotations

import pytest

from tests.cli.conftest import AT, Run
from twin.questions.catalogue import QUESTIONS


def test_a_branch_leaves_its_parent_as_it_is(cluster: Run) -> None:
    """An action on a branch is visible there and not on main."""
    assert cluster("branch", "create", "lab").code == 0
    assert cluster("--branch", "lab", "endmqm", "QM2").code == 0
    assert "Ended" in cluster("--branch", "lab", "dspmq", "-m", "QM2").out
    assert "Running" in cluster("dspmq", "-m", "QM2").out


def test_time_on_a_branch_counts_from_its_latest_instant(cluster: Run) -> None:
    """The now of a branch is its latest instant, and later instants are allowed."""
    cluster("branch", "create", "lab")
    cluster("--branch", "lab", "endmqm", "QM2", "--at", "+400d")
    ended = cluster("--branch", "lab", "dspmq", "-m", "QM2", "--format", "json").json
    assert ended["as_of"]["valid"] == "2026-04-07T09:00:00Z"
    assert "Running" in cluster("--branch", "lab", "dspmq", "-m", "QM2", "--as-of", "-1d").out


def test_branches_are_listed_with_their_forks(cluster: Run) -> None:
    """The list shows each branch with its fork and its latest instant."""
    said = cluster("branch", "create", "lab", "--at", AT).out
    cluster("branch", "create", "deeper", "--from", "lab")
    assert said.startswith("branch lab forks from main at 2025-03-03T09:00:00Z position ")
    rows = cluster("branch", "list", "--format", "json").json["rows"]
    assert [(row["branch"], row["parent"]) for row in rows] == [
        ("main", None),
        ("lab", "main"),
        ("deeper", "lab"),
    ]
    assert {row["latest"] for row in rows} == {"2025-03-03T09:00:00Z"}


def test_a_fork_names_the_last_event_that_it_sees(cluster: Run) -> None:
    """The position of a fork is that of the last event seen, as `branch list` shows it."""
    cluster("endmqm", "QM2", "--at", "2025-03-03T10:00")
    said = cluster("branch", "create", "lab", "--at", "2025-03-03T09:30").out
    rows = cluster("branch", "list", "--format", "json").json["rows"]
    assert said.endswith(f" at 2025-03-03T09:30:00Z position {rows[1]['position']}\n")
    assert rows[1]["position"] < rows[0]["position"]
    early = cluster("branch", "create", "early", "--at", "2025-03-01").out
    assert early.endswith("2025-03-01T00:00:00Z before the first event\n")


def test_the_difference_of_two_branches(cluster: Run) -> None:
    """A diff shows what a branch changed, compared with its parent or with the branch named first.

    Both are read at the latest instant of the changed branch, whatever has fallen due on main by
    today.
    """
    cluster("branch", "create", "lab")
    nothing = QUESTIONS["changes"].empty
    assert cluster("branch", "diff", "lab").lines[0] == nothing
    alter = "ALTER QLOCAL(ORDERS) PUT(DISABLED)"
    cluster("--branch", "lab", "runmqsc", "QM2", typed=alter)
    for words in (["lab"], ["main", "lab"]):
        answer = cluster("branch", "diff", *words, "--format", "json").json
        assert answer["as_of"]["branch"] == "lab"
        assert [
            (row["on"], row["field"], row["before"], row["after"]) for row in answer["rows"]
        ] == [
            ("FR1", "PUT", "ENABLED", "DISABLED"),
            ("QM2", "PUT", "ENABLED", "DISABLED"),
        ]
    assert cluster("branch", "diff", "lab", "lab").lines[0] == nothing


def test_a_diff_can_say_by_its_exit_code_that_there_are_differences(cluster: Run) -> None:
    """A diff exits 10 for differences with --exit-code, and always 0 without it."""
    cluster("branch", "create", "lab")
    assert cluster("branch", "diff", "lab", "--exit-code").code == 0
    cluster("--branch", "lab", "runmqsc", "QM2", typed="ALTER QLOCAL(ORDERS) PUT(DISABLED)")
    assert cluster("branch", "diff", "lab", "--exit-code").code == 10
    assert cluster("branch", "diff", "lab", "--exit-code", "--limit", "1", "--wide").code == 10
    assert cluster("branch", "diff", "lab").code == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["branch", "create", "main"], "main"),
        (["branch", "create", "no name"], "bad branch name 'no name'"),
        (["branch", "create", "lab", "--from", "none"], "unknown branch 'none'"),
        (["branch", "create", "lab", "--at", "soon"], "'soon' is not a time"),
        (["branch", "diff", "none"], "unknown branch 'none'"),
        (["branch", "create", "z", "--at", "+1d"], "cannot fork branch main at "),
        (["branch", "diff", "main", "none"], "unknown branch 'none'"),
        (["branch", "diff", "main"], "branch diff: main has no parent branch; name two branches"),
        (["branch", "diff", "main", "main", "--columns", "x"], "branch diff: unknown column 'x'"),
        (["branch", "diff", "a", "b", "c"], "branch diff: expected [BASE] BRANCH"),
        (["branch", "prune"], "No such command 'prune'"),
    ],
)
def test_a_bad_branch_is_one_line(cluster: Run, words: list[str], said: str) -> None:
    """A fork or diff that is not possible is one line and exit code 20, and creates no branch."""
    refused = cluster(*words)
    assert refused.code == 20
    assert refused.err.startswith("twin: ")
    assert refused.err.count("\n") == 1
    assert said in refused.err
    assert len(cluster("branch", "list", "--format", "json").json["rows"]) == 1


def test_the_group_alone_shows_its_help(run: Run) -> None:
    """`twin branch` without a command lists its commands."""
    shown = run("branch")
    assert shown.code == 0
    assert [word in shown.out for word in ("create", "list", "diff")] == [True] * 3


def test_recorded_at_is_the_time_of_the_machine_on_every_branch(cluster: Run) -> None:
    """Events are recorded at the machine's time, whatever the now of a branch is."""
    cluster("branch", "create", "lab")
    asked = ("--branch", "lab", "ask", "members", "--format", "json", "--known-at")
    assert len(cluster(*asked, "+0s").json["rows"]) == 3
    assert cluster(*asked, "-1d").json["rows"] == []
