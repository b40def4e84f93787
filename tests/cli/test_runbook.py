"""`twin runbook`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Run

LATER = "2025-03-03T10:00"


def test_a_runbook_as_text(cluster: Run) -> None:
    """The first step that is not done is next; no line is wider than 100 columns."""
    shown = cluster("runbook", "leave", "QM2", "--as-of", LATER)
    assert (shown.code, shown.err) == (0, "")
    summary = " ".join(shown.out.split("\n\n")[0].split())
    assert (
        "QM2 leaves CA. 5 of 14 steps are done. If each step is taken at once, the last " in summary
    )
    assert "one is done by itself on 2025-03-03" in summary
    assert " 6 [next]     Suspend QM2 in CA, so that others avoid it." in shown.out
    assert "              on QM2: SUSPEND QMGR CLUSTER(CA)" in shown.lines
    assert max(map(len, shown.lines)) <= 100


def test_a_runbook_goes_on_where_it_is(cluster: Run) -> None:
    """On a branch where the commands of a step were run, the step after it is next."""
    assert cluster("branch", "create", "w").code == 0
    suspend = "SUSPEND QMGR CLUSTER(CA)\n"
    assert cluster("--branch", "w", "runmqsc", "QM2", "--at", LATER, typed=suspend).code == 0
    document = cluster("--branch", "w", "runbook", "leave", "QM2", "--format", "json").json
    assert document["format_version"] == "1.2"
    states = [each["state"] for each in document["steps"]]
    assert states == ["done"] * 6 + ["next"] + ["later"] * 7
    assert not any(each["confirmed"] or each["accepted"] for each in document["steps"])
    (command,) = document["steps"][6]["commands"]
    assert command == {"on": "QM2", "kind": "mqsc", "text": "ALTER QLOCAL(ORDERS) CLUSTER(' ')"}
    assert document["summary"] == {
        "steps": 14,
        "done": 6,
        "blocked": False,
        "ends": document["as_of"]["valid"],
    }
    assert document["steps"][5]["evidence"]
    assert all(each["source"] for each in document["steps"])


def test_a_blocked_runbook_ends_with_10(cluster: Run) -> None:
    """The step that is blocked says what has to be mended."""
    shown = cluster("runbook", "leave", "FR1", "--as-of", LATER)
    assert shown.code == 10
    assert " 3 [blocked]  Make sure that FR1 is no full repository of CA." in shown.lines
    assert "twin runbook move-full-repository FR1 --to QM" in " ".join(shown.out.split())


ONLY = "DEFINE QLOCAL(ONLY) CLUSTER(CA)\n"


def test_a_step_that_somebody_accepts_is_marked(cluster: Run) -> None:
    """Its condition is not true: the mark says so, and the JSON too."""
    words = ("runbook", "maintain", "QM1", "--done", "others", "--as-of", LATER)
    assert cluster("runmqsc", "QM1", "--at", LATER, typed=ONLY).code == 0
    shown = cluster(*words)
    assert any(
        line.startswith(" 1 [accepted] Make sure that others can do") for line in shown.lines
    )
    (first, *_) = cluster(*words, "--format", "json").json["steps"]
    assert (first["state"], first["confirmed"], first["accepted"]) == ("done", True, True)


def test_a_long_command_is_continued_so_that_it_can_be_copied(cluster: Run) -> None:
    """MQSC in several lines, each but the last with +, is the command of the JSON."""
    quoted = "A QUOTE '' AND  BLANKS " + "IN A VALUE " * 6
    define = (
        "DEFINE QREMOTE(A.RATHER.LONG.NAME) RNAME(ANOTHER.LONG.NAME.OF.A.QUEUE) RQMNAME(ELSEWHERE) "
        f"DESCR('{quoted[:60]}') XMITQ(ELSEWHERE) CLUSTER(CA)\n"
    )
    assert cluster("runmqsc", "QM2", "--at", LATER, typed=define).code == 0
    words = ("runbook", "leave", "QM2", "--as-of", LATER)
    (command,) = cluster(*words, "--format", "json").json["steps"][3]["commands"]
    lines = cluster(*words).lines
    assert max(map(len, lines)) <= 100
    first = next(number for number, line in enumerate(lines) if "on another member of CA:" in line)
    last = next(number for number in range(first, len(lines)) if not lines[number].endswith(" +"))
    assert last > first
    typed = "\n".join(line.strip() for line in lines[first : last + 1]).partition(": ")[2]
    assert cluster("runmqsc", "QM1", "--at", LATER, typed=f"{typed}\n").code == 0
    again = cluster("dmpmqcfg", "QM1", "--as-of", LATER).out
    assert "DESCR('A QUOTE '' AND  BLANKS IN A VALUE" in again
    assert typed.replace(" +\n", " ") == command["text"]


def test_the_decision_about_a_refresh(cluster: Run) -> None:
    """It ends in no unless there is evidence; needed and not possible is exit code 10."""
    shown = cluster("runbook", "refresh", "QM2", "--as-of", LATER)
    assert (shown.code, shown.lines[1]) == (0, "Does QM2 need REFRESH CLUSTER(CA)?")
    assert shown.lines[-1] == "Answer: no. IBM Support may ask for it nevertheless."
    assert max(map(len, shown.lines)) <= 100
    leave = "ALTER CHANNEL(CA.QM2) CHLTYPE(CLUSRCVR) CLUSTER(' ')\n"
    assert cluster("runmqsc", "QM2", "--at", LATER, typed=leave).code == 0
    document = cluster("runbook", "refresh", "QM2", "--as-of", LATER, "--format", "json").json
    assert (document["needed"], document["blocked_by"]) == (True, [])
    assert [each["id"] for each in document["reasons"] if each["needs_refresh"]] == ["left"]
    assert document["effects"]["forgotten"]
    assert cluster("endmqm", "QM2", "--at", "2025-03-04").code == 0
    assert cluster("runbook", "refresh", "QM2", "--as-of", "2025-03-04").code == 10


def test_the_options_of_each_runbook(cluster: Run, tmp_path: Path) -> None:
    """Each procedure reads its own options, and the last line of its summary names them."""
    script = tmp_path / "qm2.mqsc"
    script.write_text("DEFINE QLOCAL(ORDERS) CLUSTER(CA)\n", encoding="utf-8")
    words = ("rebuild", "QM2", "--script", str(script), "--as-of", LATER)
    assert "QM2 has no CLUSRCVR in CA" in " ".join(cluster("runbook", *words).out.split())
    script.write_text("DEFINE QLOCAL(ORDERS) CLUSTR(CA)\n", encoding="utf-8")
    refused = cluster("runbook", *words)
    assert refused.code == 10
    assert "DEFINE QLOCAL(ORDERS) CLUSTR(CA) AMQ8405I: " in " ".join(refused.out.split())
    moved = cluster("runbook", "move-full-repository", "FR1", "--to", "QM1", "--as-of", LATER)
    assert moved.lines[2].startswith("QM1 takes over from FR1 as a full repository of CA.")
    maintain = ("runbook", "maintain", "QM2", "--done", "others", "--as-of", LATER)
    kept = cluster(*maintain, "--for", "30m")
    assert "the last one is done by itself on 2025-03-03T10:50:00Z" in " ".join(kept.out.split())
    assert "              expected: 2025-03-03T10:30:00Z" in kept.lines  # then the next retry
    copied = cluster("runbook", "dr-test", "QM2", "--backup", "2025-03-03T09:30", "--as-of", LATER)
    assert (copied.code, copied.lines[-2][:39]) == (0, "If the copy published in production (RE")
    past = cluster(*maintain, "--since", "2025-03-03T09:30")
    assert past.code == 0


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("leave", "QM9"), "AMQ8118E: IBM MQ queue manager QM9 does not exist"),
        (("leave", "QM2", "--cluster", "CB"), "QM2 has nothing to do with cluster CB"),
        (("leave", "QM2", "--qmid", "X"), "no queue manager of that name has or had the QMID X"),
        (("leave", "QM2", "--done", "nap"), "leave has no step nap; expected one of save"),
        (("leave", "QM2", "--as-of", "yesterday"), "'yesterday' is not a time"),
        (("leave",), "QM"),
        (("leave", "QM2", "--cluster", ""), "--cluster needs a value"),
        (("rebuild", "QM2", "--qmid", ""), "--qmid needs a value"),
        (("rebuild", "QM2", "--script", ""), "--script is empty; name a file or a folder"),
        (("refresh", "QM9"), "AMQ8118E: IBM MQ queue manager QM9 does not exist"),
        (("refresh", "QM2", "--cluster", "CB"), "QM2 has nothing to do with cluster CB"),
        (("move-full-repository", "FR1", "--to", "FR1"), "takes over from FR1: --to QM"),
        (("move-full-repository", "QM1", "--to", "QM2"), "neither QM1 nor QM2 is a full"),
        (("dr-test", "QM2", "--backup", "2025-03-04", "--as-of", LATER), "there is no backup"),
        (("dr-test", "QM2", "--backup", "2024-01-01", "--as-of", LATER), "QM2 does not exist"),
        (("maintain", "QM2", "--for", "-1h"), "--for -1h: name a time like 4h"),
        (("maintain", "QM2", "--since", "2025-03-04", "--as-of", LATER), "began at 2025-03-04T"),
        (("maintain", "QM2", "--for", "long"), "--for long: name a time like 4h"),
        (("maintain", "QM2", "--for", "2"), "--for 2: name a time like 4h"),
        (("rebuild", "QM2", "--script", "no.mqsc"), "no.mqsc"),
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
