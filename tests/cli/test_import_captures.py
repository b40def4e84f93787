"""`twin import` of saved answers to DISPLAY: what a queue manager was seen to hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Run

AT = "2026-03-01T10:00:00Z"
CAPTURE = """5724-H72 (C) Copyright IBM Corp. 1994, 2020.
Starting MQSC for queue manager A.

     1 : DISPLAY CLUSQMGR(*) ALL
AMQ8441I: Display Cluster Queue Manager details.
   CLUSQMGR(A)                             CHANNEL(ALPHA.A)
   CLUSTER(ALPHA)                          CLUSDATE(2026-01-02)
   CLUSTIME(03.04.05)                      CONNAME(a(1414))
   DEFTYPE(CLUSRCVR)                       QMID(A_2026-01-01_00.00.00)
   QMTYPE(REPOS)                           SUSPEND(NO)
   VERSION(09030000)
AMQ8441I: Display Cluster Queue Manager details.
   CLUSQMGR(X)                             CHANNEL(ALPHA.X)
   CLUSTER(ALPHA)                          CLUSDATE(2026-02-20)
   CLUSTIME(11.00.00)                      CONNAME(x(1414))
   DEFTYPE(CLUSSDRA)                       QMID(X_2026-01-01_00.00.00)
   QMTYPE(NORMAL)                          SUSPEND(YES)
   STATUS(RUNNING)                         NEWCOLUMN(1)
AMQ8441I: Display Cluster Queue Manager details.
   CLUSQMGR(SYSTEM.TEMPQMGR.y(1414))       CHANNEL(ALPHA.Y)
   CLUSTER(ALPHA)                          DEFTYPE(CLUSSDR)
   QMID(SYSTEM.TEMPUUID.y(1414))           STATUS(RETRYING)
     2 : DISPLAY QCLUSTER(*) ALL
AMQ8409I: Display Queue details.
   QUEUE(Q1)                               TYPE(QCLUSTER)
   CLUSTER(ALPHA)                          CLUSQMGR(X)
   CLUSQT(QLOCAL)                          QMID(X_2026-01-01_00.00.00)
   CLUSDATE(2026-02-21)                    CLUSTIME(11.00.00)
     3 : DISPLAY CHSTATUS(*)
AMQ8420I: Channel Status not found.
3 MQSC commands read.
No commands have a syntax error.
One valid MQSC command could not be processed.
"""


@pytest.fixture
def capture(run: Run) -> Path:
    """Write the capture of queue manager A."""
    path = Path("a.txt")
    path.write_text(CAPTURE, encoding="utf-8")
    return path


def test_a_capture_is_what_its_queue_manager_holds(run: Run, capture: Path) -> None:
    """Its records are beliefs; the report counts answers and says what is assumed.

    Its own record counts, too: renewed after 27 and 54 days, it expires 30 days later.
    """
    taken = run("import", str(capture), "--at", AT)
    assert taken.code == 0
    assert "\n".join(taken.lines[:4]) == (
        "a.txt: runmqsc-output of A: 3 commands, 3 taken, 0 passed over, 6 facts recorded\n"
        "a.txt: CLUSDATE, CLUSTIME, ALTDATE and ALTTIME are local times; without --tz ZONE they"
        " are taken as UTC\n"
        "a.txt: unknown attributes are left out: 1 NEWCOLUMN\n"
        "a.txt: not heard from yet: SYSTEM.TEMPQMGR.y(1414)"
    )
    asked = run("ask", "beliefs", "--format", "json", "--as-of", AT).json["rows"]
    held = {(row["kind"], row["name"]): (row["received"], row["expires"]) for row in asked}
    assert held == {
        ("qmgr", "A"): ("2026-01-02T03:04:05Z", "2026-03-27T03:04:05Z"),
        ("qmgr", "X"): ("2026-02-20T11:00:00Z", "2026-03-22T11:00:00Z"),
        ("queue", "Q1"): ("2026-02-21T11:00:00Z", "2026-03-23T11:00:00Z"),
    }
    assert run("dspmq").out.count("QMNAME") == 1
    text = run("ask", "beliefs", "--as-of", AT)
    note = "9 of 9 dates are assumed"
    assert note in text.out + text.err


OWN = """Starting MQSC for queue manager B.

     1 : DISPLAY QMGR ALL
AMQ8408I: Display Queue Manager details.
   QMNAME(B)                               QMID(B_2026-01-01_00.00.00)
   REPOS(ALPHA)                            CMDLEVEL(930)
   PLATFORM(UNIX)                          CLWLUSEQ(ANY)
     2 : DISPLAY QMSTATUS
AMQ8705I: Display Queue Manager Status Details.
   QMNAME(B)                               STATUS(RUNNING)
2 MQSC commands read.
No commands have a syntax error.
All valid MQSC commands were processed.
"""


def test_the_answer_about_a_queue_manager_itself_makes_it_known(run: Run) -> None:
    """Its QMID, level and attributes are those of the answer, and it is recorded once."""
    Path("b.txt").write_text(OWN, encoding="utf-8")
    taken = run("import", "b.txt", "--at", AT)
    assert "2 commands, 2 taken, 0 passed over, 2 facts recorded" in taken.lines[0]
    asked = ["runmqsc", "B", "--as-of", "2026-03-02T10:00:00Z"]
    shown = run(*asked, typed="DISPLAY QMGR QMID REPOS CLWLUSEQ CMDLEVEL\n").out
    for cell in ("QMID(B_2026-01-01_00.00.00)", "REPOS(ALPHA)", "CLWLUSEQ(ANY)", "CMDLEVEL(930)"):
        assert cell in shown
    assert "0 facts recorded" in run("import", "b.txt", "--at", AT).lines[0]


def test_a_capture_is_recorded_once_for_an_instant(run: Run, capture: Path) -> None:
    """The same capture again records nothing; for a later instant, it does."""
    run("import", str(capture), "--at", AT)
    assert "0 facts recorded" in run("import", str(capture), "--at", AT).lines[0]
    later = run("import", str(capture), "--at", "2026-03-02T10:00:00Z")
    assert "6 facts recorded" in later.lines[0]
    assert run("log", "verify").code == 0


def test_the_zone_of_local_times_is_an_option(run: Run, capture: Path) -> None:
    """With --tz, dates are local to that zone, and nothing is assumed of them."""
    taken = run("import", str(capture), "--at", AT, "--tz", "Europe/Berlin")
    assert "UTC" not in taken.out
    rows = run("ask", "beliefs", "--kind", "qmgr", "--format", "json", "--as-of", AT).json["rows"]
    received = {row["name"]: row["received"] for row in rows}
    assert received == {"A": "2026-01-02T02:04:05Z", "X": "2026-02-20T10:00:00Z"}
    refused = run("import", str(capture), "--tz", "Nowhere")
    assert (refused.code, refused.out) == (20, "")


def test_what_a_later_complete_capture_does_not_show_is_not_held(run: Run, capture: Path) -> None:
    """A record that is missing is no longer held from then on; an incomplete capture says so."""
    run("import", str(capture), "--at", AT)
    first, rest = CAPTURE.split("     2 : ")
    cut = "     2 : DISPLAY QCLUSTER(*) ALL\nAMQ8147I: IBM MQ object * not found.\n"
    end = rest[rest.index("3 MQSC") :]
    capture.write_text(first + cut + end, encoding="utf-8")
    run("import", str(capture), "--at", "2026-03-05T10:00:00Z")
    words = ["ask", "beliefs", "--kind", "queue", "--format", "json", "--as-of"]
    assert run(*words, "2026-03-04T10:00:00Z").json["rows"]
    assert not run(*words, "2026-03-06T10:00:00Z").json["rows"]
    capture.write_text(first + "     2 : DISPLAY QCLUSTER(*) ALL\n", encoding="utf-8")
    cut_off = run("import", str(capture), "--at", "2026-03-07T10:00:00Z")
    assert cut_off.code == 10
    assert any("is not complete" in line for line in cut_off.lines)


def test_definitions_of_one_import_come_before_answers(run: Run, capture: Path) -> None:
    """A script beside a capture is taken first, whatever the order of the files is."""
    script = "DEFINE CHANNEL(ALPHA.A) CHLTYPE(CLUSRCVR) CONNAME('a(1414)') CLUSTER(ALPHA)\n"
    Path("A.mqsc").write_text(f"ALTER QMGR REPOS(ALPHA)\n{script}", encoding="utf-8")
    outcomes = []
    for name, files in (("one", ["a.txt", "A.mqsc"]), ("other", ["A.mqsc", "a.txt"])):
        log = ["--log", f"sqlite:///{name}.db"]
        run(*log, "import", *files, "--at", AT)
        rows = run(*log, "ask", "beliefs", "--format", "json", "--as-of", AT).json["rows"]
        outcomes.append([{**row, "evidence": None} for row in rows])
    assert outcomes[0] == outcomes[1]
    assert len(outcomes[0]) == 3


def test_many_lines_that_are_no_answer_are_counted(run: Run) -> None:
    """Of parts that are not understood for one reason, the first are shown, the rest counted."""
    prose = "".join(f"step {number} of the guide\n" for number in range(9))
    Path("a.txt").write_text(f"{prose}{CAPTURE}", encoding="utf-8")
    lines = run("import", "a.txt", "--at", AT).lines
    assert sum("is no part of an answer" in line for line in lines) == 4
    assert "a.txt: 6 more: is no part of an answer" in lines


def test_a_name_that_is_no_name_is_left_out(run: Run) -> None:
    """A record of a queue manager whose name MQ does not allow is reported, and not held.

    Only the asked one's record of itself is held, not the row, nor the queue of that owner.
    """
    Path("a.txt").write_text(CAPTURE.replace("CLUSQMGR(X)", "CLUSQMGR(X\u00dcX)"), encoding="utf-8")
    taken = run("import", "a.txt", "--at", AT)
    assert taken.code == 10
    assert any("a CLUSQMGR that is not a legal name" in line for line in taken.lines)
    held = run("ask", "beliefs", "--format", "json", "--as-of", AT).json["rows"]
    assert [(row["kind"], row["name"], row["owner"]) for row in held] == [("qmgr", "A", "A")]


def test_a_dump_beside_an_answer_that_says_more_is_recorded_once(cluster: Run) -> None:
    """An answer of the instant changes what its dump says: a second import has no new facts."""
    shown = cluster("runmqsc", "QM1", typed="DISPLAY QMGR ALL\n").out
    dump = cluster("dmpmqcfg", "QM1").out
    Path("both").mkdir()
    Path("both/display.txt").write_text(shown, encoding="utf-8")
    Path("both/dump.mqsc").write_text(dump, encoding="utf-8")
    words = ("--log", "real.db", "import", "both", "--at", AT, "--tz", "UTC")
    first, second = cluster(*words), cluster(*words)
    assert "0 facts recorded" not in next(each for each in first.lines if "dmpmqcfg" in each)
    assert "0 facts recorded" in next(each for each in second.lines if "dmpmqcfg" in each)
