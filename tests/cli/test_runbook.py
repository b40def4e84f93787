"""`twin runbook`."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Run

LATER = "2025-03-03T10:00"


def test_a_runbook_as_text(cluster: Run) -> None:
    """The first step that is not done is next; no line but a command is wider than 100 columns."""
    shown = cluster("runbook", "leave", "QM2", "--as-of", LATER)
    assert (shown.code, shown.err) == (0, "")
    assert shown.lines[1].startswith("QM2 leaves CA. 1 of 10 steps are done. It ends on 2025-03-03")
    assert " 2 [next]    Suspend QM2 in CA, so that others avoid it." in shown.lines
    assert "             on QM2: SUSPEND QMGR CLUSTER(CA)" in shown.lines
    assert max(len(line) for line in shown.lines if " on QM" not in line) <= 100


def test_a_runbook_goes_on_where_it_is(cluster: Run) -> None:
    """On a branch where the commands of a step were run, the step after it is next."""
    assert cluster("branch", "create", "w").code == 0
    suspend = "SUSPEND QMGR CLUSTER(CA)\n"
    assert cluster("--branch", "w", "runmqsc", "QM2", "--at", LATER, typed=suspend).code == 0
    document = cluster("--branch", "w", "runbook", "leave", "QM2", "--format", "json").json
    assert document["format_version"] == "1.0"
    assert [each["state"] for each in document["steps"]] == ["done", "done", "next"] + ["later"] * 7
    (command,) = document["steps"][2]["commands"]
    assert command == {"on": "QM2", "kind": "mqsc", "text": "ALTER QLOCAL(ORDERS) CLUSTER(' ')"}
    assert document["summary"] == {
        "steps": 10,
        "done": 2,
        "blocked": False,
        "ends": document["as_of"]["valid"],
    }
    assert document["steps"][1]["evidence"]
    assert all(each["source"] for each in document["steps"])


def test_a_blocked_runbook_ends_with_10(cluster: Run) -> None:
    """The step that is blocked says what has to be mended."""
    shown = cluster("runbook", "leave", "FR1", "--as-of", LATER)
    assert shown.code == 10
    assert " 1 [blocked] Make sure that FR1 is no full repository of CA." in shown.lines
    assert "twin runbook move-full-repository FR1 --to QM" in " ".join(shown.out.split())


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("leave", "QM9"), "AMQ8118E: IBM MQ queue manager QM9 does not exist"),
        (("leave", "QM2", "--cluster", "CB"), "QM2 has nothing to do with cluster CB"),
        (("leave", "QM2", "--qmid", "X"), "no queue manager of that name has or had the QMID X"),
        (("leave", "QM2", "--done", "nap"), "leave has no step nap; expected one of hand-over"),
        (("leave", "QM2", "--as-of", "yesterday"), "'yesterday' is not a time"),
        (("leave",), "QM"),
        (("go", "QM2"), "go"),
    ],
)
def test_bad_input_of_a_runbook_is_one_line(
    cluster: Run, words: tuple[str, ...], problem: str
) -> None:
    """An unknown name, time or procedure gives exit code 20 and one line."""
    shown = cluster("runbook", *words)
    assert (shown.code, shown.out) == (20, "")
    assert problem in shown.err
    assert len(shown.err.splitlines()) == 1
