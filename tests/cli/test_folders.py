"""`--from DIR`: commands on a folder of definitions, without a log."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.cli.conftest import Run

RECEIVER = "DEFINE CHANNEL({1}.{0}) CHLTYPE(CLUSRCVR) CONNAME('{0}(1414)') CLUSTER({1})\n"
SENDER = "DEFINE CHANNEL({1}.{0}) CHLTYPE(CLUSSDR) CONNAME('{0}(1414)') CLUSTER({1})\n"
QUEUE = "DEFINE QLOCAL(ORDERS) REPLACE\nDEFINE QLOCAL(SYSTEM.DEAD.LETTER.QUEUE) REPLACE\n"
DUMP = """\
*******************************************************************************
* Script generated on 2026-03-01   at 10.00.00
* Queue manager name: {0}
* Queue manager platform: UNIX
* Queue manager command level: (940/940)
* Command issued: dmpmqcfg -m {0}
*******************************************************************************
ALTER QMGR +
   DEADQ('SYSTEM.DEAD.LETTER.QUEUE') +
*  QMID({2}) +
   FORCE
{3}*******************************************************************************
* Script ended on 2026-03-01   at 10.00.01
*******************************************************************************
"""


def cluster(name: str = "CA") -> dict[str, str]:
    """Return the scripts of two full repositories and a member of a cluster."""
    full = f"ALTER QMGR REPOS({name})\n"
    return {
        "FR1.mqsc": full + RECEIVER.format("FR1", name) + SENDER.format("FR2", name),
        "FR2.mqsc": full + RECEIVER.format("FR2", name) + SENDER.format("FR1", name),
        "QM1.mqsc": RECEIVER.format("QM1", name) + SENDER.format("FR1", name),
    }


def folder(path: str, files: Mapping[str, str]) -> str:
    """Write files into a folder; return its path."""
    for name, text in files.items():
        file = Path(path, name)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return path


def findings(run: Run, *words: str) -> list[dict[str, object]]:
    """Return the findings of the doctor in a folder, without those of severity info."""
    rows = run("doctor", *words, "--format", "json").json["rows"]
    return [row for row in rows if row["severity"] != "info"]


def test_a_healthy_folder_has_no_findings_and_leaves_nothing_behind(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exit 0, one line about what is assumed, and no file anywhere afterwards."""
    mq = folder("mq", cluster())
    temporary = Path("temporary")
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary.absolute()))
    before = sorted(Path().rglob("*"))
    result = run("doctor", "--from", mq)
    assert (result.code, result.err) == (0, "")
    assert result.lines[-1] == (
        "3 queue managers as the files in mq define them, taken as running and connected"
    )
    assert sorted(Path().rglob("*")) == before


@pytest.mark.parametrize("words", [("doctor",), ("plan", "--to", "mq")])
def test_a_folder_is_true_at_a_whole_second(run: Run, words: tuple[str, ...]) -> None:
    """The instant of an answer and of what is known is the second at which it was read."""
    mq = folder("mq", cluster())
    document = run(*words, "--from", mq, "--format", "json").json
    assert re.fullmatch(r"[\dT:-]+Z", document["as_of"]["valid"])
    assert document["as_of"]["known"] == document["as_of"]["valid"]


def test_a_finding_names_the_file_and_line(run: Run) -> None:
    """The origin of a finding is its file in the folder; positions of no log are not shown."""
    scripts = cluster()
    scripts["QM2.mqsc"] = RECEIVER.format("QM2", "CA") + SENDER.format("FR1", "CA")
    scripts["QM1.mqsc"] += "\n" + SENDER.format("QM2", "CA") + SENDER.format("QM8", "CA")
    mq = folder("mq", scripts)
    result = run("doctor", "--from", mq, "--rule", "cluster-sender-to-partial")
    assert result.code == 10
    assert "  evidence: mq/QM1.mqsc:4, mq/QM2.mqsc:1" in result.lines
    (row,) = findings(run, "--from", mq, "--rule", "cluster-sender-to-partial")
    assert (row["origins"], row["evidence"]) == (["mq/QM1.mqsc:4", "mq/QM2.mqsc:1"], [])
    assert result.lines[-1] == "named, and not in mq: QM8?"


def test_a_finding_about_several_definitions_names_their_lines(run: Run) -> None:
    """Each definition of a group has its own line, and a comment above one of them counts."""
    scripts, rule = cluster(), "shared-object-without-receiver"
    scripts["QM1.mqsc"] += "DEFINE QLOCAL(ONE) CLUSTER(CAA)\nDEFINE QLOCAL(TWO) CLUSTER(CAA)\n"
    mq = folder("mq", scripts)
    (row,) = findings(run, "--from", mq, "--rule", rule)
    assert row["origins"] == ["mq/QM1.mqsc:3", "mq/QM1.mqsc:4"]
    comment = f"* twin:ignore {rule} the cluster comes next week\nDEFINE QLOCAL(TWO)"
    scripts["QM1.mqsc"] = scripts["QM1.mqsc"].replace("DEFINE QLOCAL(TWO)", comment)
    result = run("doctor", "--from", folder("mq", scripts), "--rule", rule)
    assert (result.code, "(mq/QM1.mqsc:4)" in result.out) == (0, True)


def test_a_finding_about_a_cluster_names_the_file_of_a_member_in_sarif(run: Run) -> None:
    """A finding without a definition still leads to a file that is there."""
    scripts = cluster()
    scripts["QM1.mqsc"] += "DEFINE QLOCAL(ONE) CLUSTER(CA)\n"
    mq = folder("mq", scripts)
    words = ("--from", mq, "--rule", "single-instance", "--format", "sarif")
    (result,) = run("doctor", *words).json["runs"][0]["results"]
    (place,) = result["locations"]
    assert Path(place["physicalLocation"]["artifactLocation"]["uri"]).is_file()


def test_a_finding_says_how_many_lines_are_not_shown(run: Run) -> None:
    """Seven queue managers give one address; five of the lines are shown."""
    scripts = cluster()
    for number in range(2, 8):
        name = f"QM{number}"
        scripts[f"{name}.mqsc"] = scripts["QM1.mqsc"].replace("CA.QM1", f"CA.{name}")
    shared = "cluster-receiver-address-shared"
    result = run("doctor", "--from", folder("mq", scripts), "--rule", shared)
    assert any(line.endswith("mq/QM5.mqsc:1 and 2 more") for line in result.lines), result.out


def test_dumps_and_subfolders_are_read_and_other_files_are_named(run: Run) -> None:
    """A dump names its queue manager, whatever its file is called; a README has none."""
    scripts = cluster()
    scripts["east/of-monday.txt"] = DUMP.format("QM1", "", "QM1_2025-01-01_01.01.01", QUEUE)
    scripts["east/README.md"] = "# East\n\nThe queue managers in the east.\n"
    del scripts["QM1.mqsc"]
    result = run("doctor", "--from", folder("mq", scripts), "--on", "QM1")
    assert result.code == 0
    assert "without definitions: mq/east/README.md" in result.lines


def test_a_dump_without_a_dead_letter_queue(run: Run) -> None:
    """A dump says all of its queue manager: a blank DEADQ is known. A script does not."""
    dump = DUMP.format("QM1", "", "QM1_2025-01-01_01.01.01", cluster()["QM1.mqsc"])
    mq = folder("mq", cluster() | {"QM1.mqsc": dump})
    assert findings(run, "--from", mq) == []
    folder("mq", {"QM1.mqsc": dump.replace("SYSTEM.DEAD.LETTER.QUEUE", " ")})
    assert [row["object"] for row in findings(run, "--from", mq)] == ["QM1 QMGR DEADQ"]


def test_one_name_in_two_clusters_is_no_finding(run: Run) -> None:
    """Environments with the same names are examined side by side, each with its cluster."""
    test = cluster("TEST")
    del test["FR2.mqsc"]
    test["FR1.mqsc"] += SENDER.format("QM1", "TEST")
    mq = folder("mq", {f"prod/{name}": text for name, text in cluster("PROD").items()})
    folder("mq", {f"test/{name}": text for name, text in test.items()})
    rows = findings(run, "--from", mq)
    assert [(row["id"], row["cluster"]) for row in rows] == [("cluster-sender-to-partial", "TEST")]
    assert not findings(run, "--from", mq, "--cluster", "PROD")


def test_one_name_twice_in_one_cluster_is_a_finding(run: Run) -> None:
    """Two dumps of one name with two QMIDs are told apart; within one cluster that is an error."""
    scripts = cluster()
    del scripts["QM1.mqsc"]
    members = RECEIVER.format("QM1", "CA") + SENDER.format("FR1", "CA")
    for host, year in (("east", 2024), ("west", 2025)):
        scripts[f"{host}.txt"] = DUMP.format("QM1", "", f"QM1_{year}-01-01_01.01.01", members)
    mq = folder("mq", scripts)
    (row,) = findings(run, "--from", mq)
    assert (row["id"], row["object"]) == ("queue-manager-name-duplicate", "CLUSTER(CA) QMGR(QM1)")
    assert row["origins"] == ["mq/east.txt:1", "mq/west.txt:1"]
    assert "QMIDs QM1_2024-01-01_01.01.01, QM1_2025-01-01_01.01.01" in str(row["finding"])
    assert not findings(run, "--from", mq, "--on", "FR1")
    assert not findings(run, "--from", mq, "--skip", "queue-manager-name-duplicate")
    notes = run("doctor", "--from", mq).lines
    assert "not examined: mq/west.txt, since mq/east.txt is of another queue manager QM1" in notes


REJECTED = (
    ("DEFIN QLOCAL(A)", "The command is not MQSC from here on", "DEFIN"),
    ("DEFINE QLOCAL(A) MAXDEPHT(10)", "MAXDEPHT is an unknown keyword", ""),
    ("DEFINE QLOCAL(A) MAXDEPTH(MANY)", "MAXDEPTH 'MANY' is not a number", ""),
    (
        "DEFINE QLOCAL(A) REPLACE FOO MAXDEPTH(1)",
        "FOO is an unknown",
        "DEFINE QLOCAL(A) REPLACE FOO",
    ),
    ("DEFINE CHANNEL(A) CONNAME('a')", "CHLTYPE is missing", ""),
)
"""Commands that runmqsc rejects, each with the reason, and the text up to the error if shorter."""


@pytest.mark.parametrize(("command", "why", "segment"), REJECTED)
def test_a_command_that_runmqsc_rejects_is_a_finding(
    run: Run, command: str, why: str, segment: str
) -> None:
    """It is an error with the file, the line and the message of MQ, whatever rules are run."""
    mq = folder("mq", cluster())
    with Path("mq/QM1.mqsc").open("a", encoding="utf-8") as file:
        file.write(f"* a comment\nDEFINE QLOCAL(B); {command}; DEFINE QLOCAL(C)\n")
    result = run("doctor", "--from", mq, "--fail-on", "error")
    assert result.code == 10
    (row,) = findings(run, "--from", mq, "--rule", "full-repositories-none")
    assert (row["id"], row["severity"]) == ("command-rejected", "error")
    assert row["origins"] == ["mq/QM1.mqsc:4"]
    assert str(row["finding"]).startswith(why)
    assert str(row["finding"]).endswith(f"command segment below:- {segment or command}")
    assert not findings(run, "--from", mq, "--on", "FR1")


@pytest.mark.parametrize(
    ("command", "hint"),
    [
        (
            "DEFINE CHANNEL(UNI.+QMNAME+) CHLTYPE(CLUSRCVR) CLUSTER('+AUTOCL+')",
            (
                "+QMNAME+ is an insert of automatic configuration: strmqm replaces it, and "
                "runmqsc does not. Give such a script to crtmqm -ic."
            ),
        ),
        (
            "ALTER QMGR SSLFIPS({{ .SSLFips }})",
            "{{ .SSLFips }} looks like a placeholder of a template: fill in its value first.",
        ),
    ],
)
def test_a_script_that_has_to_be_filled_in_first_is_called_that(
    run: Run, command: str, hint: str
) -> None:
    """The reason names the insert or the placeholder, and what to do with it."""
    mq = folder("mq", {"QM1.mqsc": f"DEFINE QLOCAL(A)\n{command}\n"})
    (row,) = findings(run, "--from", mq, "--rule", "full-repositories-none")
    assert f". {hint} AMQ8405" in str(row["finding"])


MOSTLY_WRONG = """DEFINE QLOCAL(A
DEFNE QLOCAL(B)
ALTRE QLOCAL(C) MAXDEPTH(1))
DEFINE QLOCAL(GOOD)
"""


@pytest.mark.parametrize("name", ["QM1.mqsc", "QM1.MQSC.TXT", "QM1.mqs", "QM1.tst"])
def test_a_script_of_which_most_commands_are_rejected_is_a_script(run: Run, name: str) -> None:
    """Its suffix says so: each of its wrong commands is a finding with its line."""
    mq = folder("mq", {name: MOSTLY_WRONG})
    rows = findings(run, "--from", mq, "--rule", "full-repositories-none")
    assert [row["origins"] for row in rows] == [[f"mq/{name}:{line}"] for line in (1, 2, 3)]
    assert {row["id"] for row in rows} == {"command-rejected"}
    folder("after", {"QM1.mqsc": "DEFINE QLOCAL(GOOD)\n"})
    assert "Definitions: no changes" in run("plan", "--from", mq, "--to", "after").lines


def test_a_script_of_which_all_commands_are_rejected_defines_nothing(run: Run) -> None:
    """Doctor lists them; a plan does not take their queue manager for deleted."""
    mq = folder("mq", {"QM1.mqsc": "DEFINE QLOCAL(A\n"})
    result = run("doctor", "--from", mq)
    assert (result.code, result.lines[0].split()[:2]) == (10, ["error", "command-rejected"])
    assert "without definitions: mq/QM1.mqsc" in result.lines
    assert "contains no command" not in result.out
    folder("before", {"QM1.mqsc": "DEFINE QLOCAL(A)\n"})
    refused = run("plan", "--from", "before", "--to", mq)
    assert (refused.code, refused.out, refused.err.count("\n")) == (20, "", 1)


def test_a_rejected_command_annotates_its_line_in_sarif(run: Run) -> None:
    """A result of level error with the place, and not a notification of the tool."""
    mq = folder("mq", cluster())
    with Path("mq/QM1.mqsc").open("a", encoding="utf-8") as file:
        file.write("DEFINE QLOCAL(X) MAXDEPHT(10)\n")
    (document,) = run("doctor", "--from", mq, "--format", "sarif").json["runs"]
    (result,) = (each for each in document["results"] if each["level"] == "error")
    (location,) = result["locations"]
    assert location["physicalLocation"] == {
        "artifactLocation": {"uri": "mq/QM1.mqsc"},
        "region": {"startLine": 3},
    }
    rules = document["tool"]["driver"]["rules"]
    assert rules[result["ruleIndex"]]["id"] == result["ruleId"] == "command-rejected"
    (invocation,) = document["invocations"]
    said = [each["message"]["text"] for each in invocation["toolExecutionNotifications"]]
    assert not any("MAXDEPHT" in each for each in said)


def test_a_rejected_command_that_a_baseline_has_does_not_count_again(run: Run) -> None:
    """So a fault that was there before does not fail each pull request."""
    mq = folder("mq", cluster())
    with Path("mq/QM1.mqsc").open("a", encoding="utf-8") as file:
        file.write("DEFINE QLOCAL(X) MAXDEPHT(10)\n")
    run("doctor", "--from", mq, "--format", "json", "--output", "base.json")
    assert run("doctor", "--from", mq, "--baseline", "base.json", "--fail-on", "error").code == 0


def test_a_dump_with_an_unknown_keyword_is_read(run: Run) -> None:
    """A queue manager of a later release may have it: the keyword is named and ignored."""
    scripts = cluster()
    said = scripts.pop("QM1.mqsc") + "DEFINE QLOCAL('A') NEWATTR(1)\n"
    dump = DUMP.format("QM1", "", "QM1_2024-01-01_01.01.01", said)
    mq = folder("mq", scripts | {"QM1.txt": dump})
    result = run("doctor", "--from", mq, "--rule", "full-repositories-none")
    assert result.code == 0
    assert any(line.startswith("mq/QM1.txt:") and "NEWATTR" in line for line in result.lines)


def test_a_command_that_cannot_be_used_is_named(run: Run) -> None:
    """The change of an object that no file defines counts as a warning."""
    mq = folder("mq", cluster())
    with Path("mq/QM1.mqsc").open("a", encoding="utf-8") as file:
        file.write("ALTER QLOCAL(A) MAXDEPTH(1)\n")
    result = run("doctor", "--from", mq)
    assert result.code == 10
    assert any(line.startswith("mq/QM1.mqsc:3: unknown QUEUE A") for line in result.lines)
    assert run("doctor", "--from", mq, "--fail-on", "error").code == 0


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("--from", "nosuch"), "cannot read nosuch: there is no such folder"),
        (("--from", "mq/QM1.mqsc"), "--from mq/QM1.mqsc is a file; name its folder"),
        (("--from", "empty"), "empty has no script and no dump of a queue manager"),
        (("--from", "prose"), "prose/QM1.mqsc is neither MQSC nor a dump"),
        (("--from", "letter"), "letter has no script and no dump of a queue manager"),
        (("--from", "page"), "page/QM1.mqsc is HTML; extract the MQSC from it"),
        (("--from", "nameless"), "nameless/10-queues.mqsc names no queue manager"),
        (("--from", "binary"), "binary/QM1.mqsc is not text"),
        (("--from", "broken"), "cannot read broken/QM1.mqsc: No such file or directory"),
        (("--from", "illegal"), "illegal/x.txt is of 'Q-1', which no queue manager can be"),
        (("--from", "copies"), "both define QM1, and their QMIDs do not tell"),
        (
            ("--from", "mq", "--as-of", "-1d"),
            "--from reads a folder, and no log: leave out --as-of",
        ),
        (("--from", "mq", "--known-at", "-1d"), "leave out --known-at"),
        (("--from", "mq", "--log", "x.db"), "leave out --log"),
        (("--from", "mq", "--branch", "main"), "leave out --branch"),
        (("--from", "mq", "--rules"), "--rules lists all rules; it takes no other option"),
        (("--from", "mq", "--on", "QM9"), "queue manager QM9 does not exist"),
        (("--from", "mq", "--cluster", "CX"), "cluster CX is unknown"),
    ],
)
def test_bad_input_is_one_line(run: Run, words: tuple[str, ...], problem: str) -> None:
    """Exit code 20, nothing on standard output, and one line that names the place."""
    folder("mq", cluster())
    folder("empty", {".git/QM1.mqsc": "PING QMGR\n"})
    folder("prose", {"QM1.mqsc": "Some words, and\nmore words\n"})
    folder("letter", {"QM1.tst": "Some words, and\nmore words\n"})
    folder("page", {"QM1.mqsc": "<html>\nDEFINE QLOCAL(A)\n</html>\n"})
    folder("nameless", {"10-queues.mqsc": "DEFINE QLOCAL(A)\n"})
    Path("binary").mkdir()
    Path("binary/QM1.mqsc").write_bytes(b"\0\1\2DEFINE")
    dump = DUMP.format("QM1", "", "QM1_2024-01-01_01.01.01", "")
    Path("broken").mkdir()
    Path("broken/QM1.mqsc").symlink_to("nowhere")
    folder("illegal", {"x.txt": dump.replace("QM1", "Q-1")})
    folder("copies", {"monday.txt": dump, "sunday.txt": dump})
    result = run("doctor", *words)
    assert (result.code, result.out, result.err.count("\n")) == (20, "", 1)
    assert problem in result.err


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_file_that_cannot_be_read_is_refused(run: Run) -> None:
    """A folder of which a part cannot be read is not examined."""
    mq = folder("mq", cluster())
    Path("mq/QM1.mqsc").chmod(0)
    assert run("doctor", "--from", mq).err.startswith("twin: cannot read mq/QM1.mqsc: ")
    Path("mq/QM1.mqsc").chmod(0o600)
    Path("mq/closed").mkdir(mode=0)
    assert run("doctor", "--from", mq).err.startswith("twin: cannot read mq/closed: ")
    Path("mq/closed").chmod(0o700)


def test_the_log_of_the_environment_is_not_used(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """TWIN_LOG names a log for all commands; --from leaves it alone."""
    monkeypatch.setenv("TWIN_LOG", "other.db")
    assert run("doctor", "--from", folder("mq", cluster())).code == 0
    assert not Path("other.db").exists()


ENDS = (("CLUSRCVR", "QM2"), ("CLUSSDR", "FR1"))


@pytest.fixture
def branches(run: Run) -> Run:
    """Make two folders: in the second, QM1 has a queue more, FR2 is gone, and QM2 is new."""
    folder("base", cluster())
    scripts = cluster()
    del scripts["FR2.mqsc"]
    scripts["QM1.mqsc"] += "DEFINE QLOCAL(ORDERS) CLUSTER(CA)\n"
    scripts["QM2.mqsc"] = RECEIVER.format("QM2", "CA") + SENDER.format("FR1", "CA")
    folder("head", scripts)
    return run


def test_the_difference_of_two_folders_is_planned(branches: Run) -> None:
    """Commands name the file and line of --to; what they do is compared with doing nothing."""
    result = branches("plan", "--from", "base", "--to", "head", "--put", "FR1:ORDERS")
    assert (result.code, result.err) == (0, "")
    begin = result.lines.index("Commands: 7 accepted")
    receiver, sender = (
        "CHLTYPE({}) CONNAME('{}(1414)') CLUSTER(CA)".format(*each) for each in ENDS
    )
    assert result.lines[begin + 1 : begin + 8] == [
        "  1 QM2 head/QM2.mqsc  crtmqm QM2",
        "  2 QM2 head/QM2.mqsc  strmqm QM2",
        "  3 QM1 head/QM1.mqsc:3  DEFINE QLOCAL(ORDERS) CLUSTER(CA)",
        f"  4 QM2 head/QM2.mqsc:2  DEFINE CHANNEL(CA.FR1) {sender}",
        f"  5 QM2 head/QM2.mqsc:1  DEFINE CHANNEL(CA.QM2) {receiver}",
        "  6 FR2  endmqm FR2",
        "  7 FR2  dltmqm FR2",
    ]
    assert "Definitions: 4 to add, 3 to remove" in result.lines
    assert "  - FR2 QMGR(FR2) status running -> absent" in result.lines
    note = "FR2 is deleted: its records of others, error log and puts are left out"
    assert [line for line in result.lines if "FR2 forgets" in line or "FR2 to " in line] == []
    assert result.lines.count(note) == 1
    asked = branches("plan", "--from", "base", "--to", "head", "--put", "FR2:ORDERS")
    assert any("~ FR2 to ORDERS: " in line for line in asked.lines)
    assert "SYSTEM." not in result.out  # a new queue manager has these queues without being asked
    assert "  ~ FR1, QM1 to ORDERS: 2085 MQRC_UNKNOWN_OBJECT_NAME -> QM1" in result.lines
    assert "3 queue managers as the files in base define them, taken as running and connected" in (
        result.lines
    )
    assert "the change: head instead of base; what only base says goes" in result.lines


def test_a_new_queue_manager_is_judged_as_its_neighbours_are(branches: Run) -> None:
    """No script defines a listener, so that QM2 has none is no finding of the plan either."""
    words = ("plan", "--from", "base", "--to", "head", "--format", "json")
    new = {row["id"] for row in branches(*words).json["findings"]["new"]}
    assert "single-instance" in new
    assert "listener-absent" not in new


def test_the_plan_of_two_folders_as_json_and_markdown(branches: Run) -> None:
    """The formats are those of any plan; the files of --to are its scripts."""
    words = ("plan", "--from", "base", "--to", "head")
    document = branches(*words, "--format", "json").json
    assert document["script"] == [
        {"on": "QM2", "file": "head/QM2.mqsc"},
        {"on": "QM1", "file": "head/QM1.mqsc"},
    ]
    (orders,) = (each for each in document["commands"] if "ORDERS" in each["text"])
    assert (orders["file"], orders["line"], orders["accepted"]) == ("head/QM1.mqsc", 3, True)
    assert branches(*words, "--format", "markdown").lines[0].startswith("### Plan: 4 to add")
    assert branches(*words, "--exit-code").code == 10
    assert branches(*words, "--fail-on", "warning").code == 10


def test_equal_folders_change_nothing(branches: Run) -> None:
    """A change that touches no definition is planned, too: exit 0 even with --exit-code."""
    result = branches("plan", "--from", "base", "--to", "base", "--exit-code")
    assert result.code == 0
    assert "Commands: 0 accepted" in result.lines


def test_a_script_is_planned_on_a_folder(branches: Run) -> None:
    """--from alone is the estate that the scripts are for."""
    Path("change.mqsc").write_text("ALTER QLOCAL(ORDERS) PUT(DISABLED)\n", encoding="utf-8")
    assert branches("plan", "--from", "head", "QM1=change.mqsc").code == 0
    refused = branches("plan", "--from", "base", "QM1=change.mqsc")
    assert refused.code == 10
    assert "Commands: 1 refused, 0 accepted" in refused.lines


@pytest.mark.parametrize(("command", "_why", "segment"), REJECTED)
def test_a_rejected_command_of_the_change_is_refused(
    branches: Run, command: str, _why: str, segment: str
) -> None:
    """Exit 10, the message of MQ, and no object of it; what was there before is only named."""
    with Path("head/QM1.mqsc").open("a", encoding="utf-8") as file:
        file.write(f"{command}; DEFINE QLOCAL(B)\n")
    words = ("plan", "--from", "base", "--to", "head")
    assert branches(*words).code == 10
    plan = branches(*words, "--format", "json").json
    (refused,) = (each for each in plan["commands"] if not each["accepted"])
    assert (refused["text"], refused["segment"]) == (command, segment or command)
    assert (refused["on"], refused["file"], refused["line"]) == ("QM1", "head/QM1.mqsc", 4)
    assert refused["messages"][0].startswith("AMQ8405I: Syntax error")
    assert plan["summary"]["refused"] == 1
    assert "A" not in {each["name"] for each in plan["changes"]}
    assert "B" in {each["name"] for each in plan["changes"]}
    lines = branches(*words).lines
    first = lines.index(next(each for each in lines if each.startswith("Commands: 1 refused")))
    assert f"head/QM1.mqsc:4  {command}" in lines[first + 1]
    assert branches("plan", "--from", "head", "--to", "base").code == 0
    with Path("base/QM1.mqsc").open("a", encoding="utf-8") as file:
        file.write(f"{command}\n")
    result = branches(*words)
    assert result.code == 0
    assert any(line.startswith("head/QM1.mqsc:4: ") for line in result.lines)


def test_a_command_of_the_change_that_cannot_be_used(branches: Run) -> None:
    """Exit 10, and the place; a command that the folder before the change has is only named."""
    for side, code in (("head", 10), ("base", 0)):
        with Path(side, "QM1.mqsc").open("a", encoding="utf-8") as file:
            file.write("ALTER QLOCAL(NO.SUCH) MAXDEPTH(1)\n")
        result = branches("plan", "--from", "base", "--to", "head")
        assert result.code == code
        assert any("unknown QUEUE NO.SUCH" in line for line in result.lines)


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("--to", "head"), "--to head needs --from, the folder before it"),
        (("--from", "base", "--to", "nosuch"), "cannot read nosuch: there is no such folder"),
        (("--from", "base", "--to", "empty"), "empty has no script and no dump"),
        (
            ("--from", "base", "--to", "head", "--stop", "QM1"),
            "--to is the whole change: leave out",
        ),
        (("--from", "base", "--to", "head", "QM1=x.mqsc"), "cannot read x.mqsc"),
        (("--from", "base", "--to", "head", "--on", "QM1"), "--on QM1 needs a script"),
        (("--from", "base", "--to", "head", "--at", "+1d"), "--from reads a folder, and no log"),
        (("--from", "base", "--to", "head", "--log", "x.db"), "leave out --log"),
        (("--from", "base"), "nothing to plan: give a script with --on QM"),
        (("--from", "twice", "--to", "head"), "define two queue managers QM1; give a folder with"),
        (("--from", "base", "--to", "twice"), "define two queue managers QM1; give a folder with"),
        (("--from", "base", "--to", "head", "--put", "QM2:Q"), "queue manager QM2 does not exist"),
    ],
)
def test_bad_input_of_a_plan_is_one_line(branches: Run, words: list[str], problem: str) -> None:
    """Exit code 20, nothing on standard output, and one line that names the cure."""
    Path("empty").mkdir()
    folder("emptied", cluster() | {"FR2.mqsc": "* nothing any more\n"})
    folder("hollow", cluster() | {"FR2.mqsc": "START LISTENER(L)\n"})
    folder("twice", {f"{each}/QM1.mqsc": cluster(each)["QM1.mqsc"] for each in ("CA", "CB")})
    result = branches("plan", *words)
    assert (result.code, result.out, result.err.count("\n")) == (20, "", 1)
    assert problem in result.err


def test_the_line_of_a_finding_is_the_one_that_last_set_what_is_wrong(run: Run) -> None:
    """A later ALTER is the culprit, and of several queue managers the one that the fix is for."""
    files = cluster()
    files["QM1.mqsc"] = "ALTER QMGR DEADQ(DLQ)\nDEFINE QLOCAL(DLQ)\n" + files["QM1.mqsc"]
    files["QM1.mqsc"] += "ALTER QMGR DEADQ(NONE)\nALTER QMGR DESCR('one')\n"
    files["FR1.mqsc"] += "DEFINE QLOCAL(ORDERS) CLUSTER(CA)\n"
    files["FR2.mqsc"] += (
        "DEFINE QLOCAL(ORDERS) CLUSTER(CA)\nALTER QLOCAL(ORDERS) CLWLRANK(5)\n"
        "ALTER QLOCAL(ORDERS) DESCR('orders')\n"
    )
    run("doctor", "--from", folder("set", files), "--format", "sarif", "--output", "out.sarif")
    (made,) = json.loads(Path("out.sarif").read_text(encoding="utf-8"))["runs"]
    places = {each["ruleId"]: each["locations"][0]["physicalLocation"] for each in made["results"]}
    lines = {
        rule: (Path(place["artifactLocation"]["uri"]).name, place["region"]["startLine"])
        for rule, place in places.items()
    }
    assert lines["dead-letter-queue-missing"] == ("QM1.mqsc", 5)
    assert lines["rank-for-failover"] == ("FR2.mqsc", 5)


def test_the_line_of_a_finding_about_what_a_channel_names_is_that_of_the_channel(run: Run) -> None:
    """A missing queue manager has no line, and a cluster neither: their channels have."""
    script = (
        "ALTER QMGR REPOS(CA)\nDEFINE QLOCAL(X)\n"
        "DEFINE CHANNEL(A.SVRCONN) CHLTYPE(SVRCONN)\n"
        "DEFINE CHANNEL(CA.QM1) CHLTYPE(CLUSRCVR) CONNAME('qm1(1414)') CLUSTER(CA)\n"
        "DEFINE CHANNEL(CA.QM9) CHLTYPE(CLUSSDR) CONNAME('qm9(1414)') CLUSTER(CA)\n"
        "DEFINE CHANNEL(CB.QM1) CHLTYPE(CLUSRCVR) CONNAME('qm1(1414)') CLUSTER(CB)\n"
    )
    mq = folder("mq", {"QM1.mqsc": script})
    rows = run("doctor", "--from", mq, "--format", "json").json["rows"]
    origins = {row["id"]: row["origins"] for row in rows}
    assert origins["queue-manager-not-in-twin"] == ["mq/QM1.mqsc:5"]
    assert origins["cluster-one-member"] == ["mq/QM1.mqsc:6"]


@pytest.mark.parametrize("created", [True, False], ids=["new", "known"])
def test_a_new_finding_is_as_severe_in_the_plan_as_in_the_doctor(
    run: Run, *, created: bool
) -> None:
    """--fail-on decides alike for the same files, also of a queue manager that is created."""
    scripts = cluster()
    before = {name: text for name, text in scripts.items() if name != "QM1.mqsc" or not created}
    scripts["QM1.mqsc"] += (
        "DEFINE QREMOTE(BAD) RNAME(Q) RQMNAME(QM9) XMITQ(QM9)\n"
        "DEFINE QREMOTE(FAR) RNAME(Q) RQMNAME(QM9)\n"
        "DEFINE QALIAS(NOWHERE) TARGET(Q)\n"
    )
    base, head = folder("base", before), folder("head", scripts)
    made = run("plan", "--from", base, "--to", head, "--format", "json").json["findings"]["new"]
    rows = run("doctor", "--from", head, "--format", "json").json["rows"]
    ids = {"undefined-reference", "alias-to-nothing"}
    judged = {(row["id"], row["object"], row["severity"]) for row in rows if row["id"] in ids}
    assert {
        (row["id"], row["object"], row["severity"]) for row in made if row["id"] in ids
    } == judged
    assert ("undefined-reference", "QM1 QUEUE(BAD)", "warning") in judged
    (bad,) = (row for row in rows if row["object"] == "QM1 QUEUE(BAD)")
    assert "such as an XMITQ, must be at that queue manager itself" in bad["what_to_do"]


@pytest.mark.parametrize("sender", [True, False], ids=["sender-left", "sender-deleted"])
def test_a_full_repository_that_the_plan_deletes_is_known_to_be_gone(
    run: Run, *, sender: bool
) -> None:
    """It is no queue manager that was perhaps not imported: the exit code is 10."""
    scripts = cluster()
    scripts["QM2.mqsc"] = RECEIVER.format("QM2", "CA") + SENDER.format("FR1", "CA")
    base = folder("base", scripts)
    del scripts["FR2.mqsc"]
    if not sender:
        scripts["FR1.mqsc"] = "ALTER QMGR REPOS(CA)\n" + RECEIVER.format("FR1", "CA")
    result = run("plan", "--from", base, "--to", folder("head", scripts), "--format", "json")
    found = {row["id"]: row for row in result.json["findings"]["new"]}
    judged = {name: row["severity"] for name, row in found.items()}
    expected = {"full-repository-single": "warning"}
    expected |= {"cluster-sender-without-target": "error"} if sender else {}
    assert judged == expected
    if sender:
        assert "now deleted" in found["cluster-sender-without-target"]["finding"]
    options = ("--from", base, "--to", "head", "--fail-on", "warning")
    assert run("plan", *options).code == 10


@pytest.mark.parametrize("end", ["", "RCVR", "RQSTR"])
def test_a_sender_to_a_queue_manager_in_the_folder_lacks_only_its_receiver(
    run: Run, end: str
) -> None:
    """Its address is known, so it is not taken for a queue manager that is not in the twin."""
    scripts = cluster()
    scripts["QM1.mqsc"] += (
        "DEFINE QLOCAL(X) USAGE(XMITQ)\n"
        "DEFINE CHANNEL(TO.FR2) CHLTYPE(SDR) CONNAME('FR2(1414)') XMITQ(X)\n"
    )
    if end:
        back = " CONNAME('QM1(1414)')" if end == "RQSTR" else ""
        scripts["FR2.mqsc"] += f"DEFINE CHANNEL(TO.FR2) CHLTYPE({end}){back}\n"
    rows = run("doctor", "--from", folder("mq", scripts), "--format", "json").json["rows"]
    found = {row["id"]: row for row in rows if row["object"].endswith(("(TO.FR2)", "(FR2?)"))}
    assert set(found) == (set() if end else {"sender-without-receiver"})
    if not end:
        text = found["sender-without-receiver"]["finding"]
        assert "FR2, which has no receiving channel TO.FR2" in text
        assert "AMQ9520" in text


@pytest.mark.parametrize("manager", ["", "RQMNAME(' ')", "RQMNAME(' ') XMITQ(X)"])
def test_a_remote_queue_without_a_queue_manager_is_an_error_in_a_script(
    run: Run, manager: str
) -> None:
    """MQOPEN ends with 2087 whatever else is defined, so the exit code is 10."""
    scripts = cluster()
    scripts["QM1.mqsc"] += f"DEFINE QLOCAL(X) USAGE(XMITQ)\nDEFINE QREMOTE(R) RNAME(Q) {manager}\n"
    result = run("doctor", "--from", folder("mq", scripts), "--format", "json")
    (row,) = (row for row in result.json["rows"] if row["object"] == "QM1 QUEUE(R)")
    assert (row["id"], row["severity"]) == ("remote-queue-to-nothing", "error")
    assert "2087" in row["finding"]
    assert result.code == 10
