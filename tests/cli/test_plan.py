"""`twin plan`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run

LATER = "2025-03-03T10:00"
PLANNED = """\
twin plan as of 2025-03-03T10:00:00Z known at NOW branch main
compared at 2025-03-03T10:01:00Z with doing nothing; nothing is recorded

Commands: 1 refused, 2 accepted
  3 QM2 change.mqsc:3  ALTER QLOCAL(NOSUCH) DESCR('x')
      AMQ8147E: IBM MQ object NOSUCH not found.
  1 QM2 change.mqsc:1  ALTER QLOCAL(ORDERS) PUT(DISABLED)
  2 QM2 change.mqsc:2  DEFINE QLOCAL(RETURNS) CLUSTER(CA)

Definitions: 1 to add, 1 to change
  ~ QM2 QLOCAL(ORDERS) PUT ENABLED -> DISABLED
  + QM2 QLOCAL(RETURNS)

Beliefs: records change at 2 queue managers
  ~ FR1, QM1 see queue ORDERS of QM2 in CA PUT ENABLED -> DISABLED, at once
  + FR1 learns queue RETURNS of QM2 in CA, at once

Routing: 5 puts change
  ~ FR1 to ORDERS: QM2 -> 2268 MQRC_CLUSTER_PUT_INHIBITED
      excluded: QM2 by put
  ~ QM1 to ORDERS: QM2 -> 2268 MQRC_CLUSTER_PUT_INHIBITED
      excluded: QM2 by put
"""


@pytest.fixture
def scene(cluster: Run) -> Run:
    """Make a cluster in which QM1 has put to ORDERS, and a script."""
    assert cluster("put", "QM1", "ORDERS", "--at", LATER).code == 0
    script = (
        "ALTER QLOCAL(ORDERS) PUT(DISABLED)\nDEFINE QLOCAL(RETURNS) CLUSTER(CA)\n"
        "ALTER QLOCAL(NOSUCH) DESCR('x')\n"
    )
    Path("change.mqsc").write_text(script, encoding="utf-8")
    return cluster


def test_a_plan_as_text(scene: Run) -> None:
    """Refused commands come first, then definitions, beliefs and routing, and one last line."""
    planned = scene("plan", "change.mqsc", "--on", "QM2", "--at", LATER)
    assert planned.code == 10
    first, rest = planned.out.split("\n", 1)
    known = first.split(" known at ")[1].split()[0]
    assert f"{first}\n{rest}".replace(known, "NOW").startswith(PLANNED[: PLANNED.index("Routing")])
    assert max(map(len, planned.lines)) <= 100
    assert planned.lines[-2].startswith("Plan: 1 to add, 1 to change, 0 to remove on QM2; ")


def test_a_plan_as_json_and_markdown(scene: Run) -> None:
    """JSON has a version, and which command caused what; Markdown begins with the summary."""
    document = scene("plan", "QM2=change.mqsc", "--at", LATER, "--format", "json").json
    assert document["format_version"] == "1.10"
    assert document["script"] == [{"on": "QM2", "file": "change.mqsc"}]
    assert [each["accepted"] for each in document["commands"]] == [True, True, False]
    causes = {each["name"]: each["cause"] for each in document["changes"] if each["cause"]}
    assert causes == {"ORDERS": 1, "RETURNS": 2}
    assert document["summary"]["refused"] == 1
    (goes,) = (
        each for each in document["routing"] if (each["on"], each["queue"]) == ("QM1", "ORDERS")
    )
    assert (goes["reason_before"], goes["reason_after"]) == (0, 2268)
    assert goes["removed_by"] == {"QM2": "put"}
    written = scene("plan", "QM2=change.mqsc", "--at", LATER, "--format", "markdown").lines
    assert written[0].startswith("### Plan: 1 to add")
    assert "```diff" in written


def test_a_syntax_error_is_shown_as_runmqsc_shows_it(scene: Run) -> None:
    """Below AMQ8405 stands the command up to the error, in text, Markdown and JSON."""
    planned = ("plan", "-", "--on", "QM2", "--at", LATER)
    script = "DEFINE QLOCAL(B) MAXDEPTH(x) +\n  DESCR('b')\nPING QMGR\n"
    answered = scene("runmqsc", "QM2", "--at", LATER, typed=script).lines
    message = next(number for number, line in enumerate(answered) if line.startswith("AMQ8405I"))
    shown = answered[message : message + 2]
    assert shown[1] == "DEFINE QLOCAL(B) MAXDEPTH(x)"
    text = scene(*planned, typed=script).lines
    assert text[4:7] == ["  1 QM2 -:1  DEFINE QLOCAL(B) MAXDEPTH(x) DESCR('b')", *_indented(shown)]
    assert all(
        f"    {line}" in scene(*planned, "--format", "markdown", typed=script).lines
        for line in shown
    )
    wrong, right = scene(*planned, "--format", "json", typed=script).json["commands"]
    assert ([*wrong["messages"], wrong["segment"]], right["segment"]) == (shown, None)


def _indented(lines: list[str]) -> list[str]:
    return [f"      {line}" for line in lines]


def test_messages_that_are_cleared_are_a_change(scene: Run) -> None:
    """A plan that only destroys messages says so, and ends with 10 if --exit-code is given."""
    clear = ("plan", "-", "--on", "QM2", "--at", LATER, "--exit-code")
    planned = scene(*clear, typed="CLEAR QLOCAL(ORDERS)\n")
    assert planned.code == 10
    assert "  - 1 message on ORDERS at QM2 is deleted" in planned.lines
    assert planned.lines[-1].endswith("0 messages are stranded; 1 message is lost.")
    written = scene(*clear, "--format", "markdown", typed="CLEAR QLOCAL(ORDERS)\n").lines
    assert "- 1 message on ORDERS at QM2 is deleted" in written


def test_the_exit_code_of_a_plan(scene: Run) -> None:
    """0 planned; 10 if a command is refused, or something changes and --exit-code is given."""
    assert scene("plan", "--suspend", "QM2", "--at", LATER).code == 0
    assert scene("plan", "--suspend", "QM2", "--at", LATER, "--exit-code").code == 10
    nothing = scene("plan", "-", "--on", "QM2", "--at", LATER, "--exit-code", typed="PING QMGR\n")
    assert (nothing.code, nothing.lines[-1]) == (
        0,
        "Plan: 0 to add, 0 to change, 0 to remove; 0 puts change; 0 messages are stranded.",
    )


def test_new_findings_give_exit_code_10_if_they_are_bad_enough(scene: Run) -> None:
    """--fail-on names the mildest severity that counts."""
    demoted = ("plan", "-", "--on", "FR1", "--at", LATER, "--format", "json")
    bad = scene(*demoted, "--fail-on", "error", typed="ALTER QMGR REPOS(' ')\n")
    assert bad.code == 10
    assert any(each["severity"] == "error" for each in bad.json["findings"]["new"])
    harmless = scene(*demoted, "--fail-on", "error", typed="ALTER QMGR DESCR('x')\n")
    assert (harmless.code, harmless.json["findings"]["new"]) == (0, [])


def test_a_plan_of_a_later_instant_lets_time_pass(scene: Run) -> None:
    """--at may lie in the future, and --advance shows what is renewed, expires or is removed."""
    planned = scene("plan", "--stop", "QM2", "--at", "2027-01-01", "--advance", "120d")
    assert planned.code == 0
    gone = [
        line for line in planned.lines if " QM2 by CA.QM2 in CA, 90 days after it was sent" in line
    ]
    assert gone
    assert all(line.startswith("  - ") and "2027-0" in line for line in gone)


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (
            (),
            "nothing to plan: give a script with --on QM, QM=FILE, --suspend, --stop or --refresh",
        ),
        (
            ("change.mqsc",),
            "say which queue manager change.mqsc is for: --on QM, or QM=change.mqsc",
        ),
        (("--stop", "QM9"), "AMQ8118E: IBM MQ queue manager QM9 does not exist"),
        (("--refresh", "QM2"), "--refresh QM2: expected QM:CLUSTER"),
        (("--stop", "QM2", "--put", "QM1:Q:x"), "unknown bind option 'x'"),
        (("--stop", "QM2", "--put", "QM1"), "--put QM1: expected QM:QUEUE[:BIND]"),
        (("--stop", "QM2", "--put", "QM1:NO"), "NO is unknown at QM1, with the change and without"),
        (("--stop", "QM2", "--on", "QM1"), "--on QM1 needs a script without QM="),
        (("--stop", "QM2", "--advance", "-3d"), "--advance -3d: write how long, such as 91d"),
        (
            ("--stop", "QM2", "--advance", "5"),
            "--advance 5: write how long, such as 91d, 12h or 30m",
        ),
        (("--stop", "QM2", "--between"), "--between needs --advance"),
        (("--stop", "QM2", "--no-between"), "--no-between needs --advance"),
        (("QM1=-", "QM2=-"), "only one script can be standard input (-)"),
        (("QM2=nosuch.mqsc",), "nosuch.mqsc"),
    ],
)
def test_bad_input_of_a_plan_is_one_line(scene: Run, words: tuple[str, ...], problem: str) -> None:
    """Exit code 20, nothing on standard output, and one line that names the cure."""
    result = scene("plan", *words)
    assert (result.code, result.out, result.err.count("\n")) == (20, "", 1)
    assert problem in result.err
    assert json.dumps(result.err)
