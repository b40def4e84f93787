"""`twin import`: when the files were true, and dated folders."""

from __future__ import annotations

import os
from pathlib import Path

from tests.cli.conftest import Run
from tests.feeds.dating.test_manifests import TEXT as MANIFEST
from tests.feeds.test_dumps import OWN, dump
from twin.model.instants import parse_instant

SCRIPT = "DEFINE QLOCAL(A) DESCR('{}')\n"
HEADER = "2026-01-01T10:00:00Z"


def write(path: str, text: str, modified: str = "") -> None:
    """Write a file, and its folders."""
    file = Path(path)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    if modified:
        seconds = parse_instant(modified, now=0) / 1e6
        os.utime(file, (seconds, seconds))


def described(run: Run, at: str) -> str:
    """Return the DESCR of queue A at QM1 at an instant; '' if there is no such queue."""
    shown = run("runmqsc", "QM1", "--as-of", at, typed="DISPLAY QL(A) DESCR\n").out
    return shown.partition("DESCR(")[2].partition(")")[0]


def test_dated_folders_are_taken_in_their_order(run: Run) -> None:
    """Each file is true at the date of its folder or its name, and says what changed there."""
    write("in/2026-03-01/QM1.mqsc", SCRIPT.format("march"))
    write("in/20260131T0213Z/QM1.mqsc", SCRIPT.format("january"))
    write("in/old/QM1-2026-02-01.mqsc", SCRIPT.format("february"))
    taken = run("import", "in")
    assert taken.code == 0
    assert taken.lines[:3] == [
        "in/20260131T0213Z/QM1.mqsc is dated 2026-01-31T02:13:00Z by a date in the path",
        (
            "in/old/QM1-2026-02-01.mqsc is dated 2026-02-01T00:00:00Z by a date in the path;"
            " local time, taken as UTC (--tz ZONE)"
        ),
        (
            "in/2026-03-01/QM1.mqsc is dated 2026-03-01T00:00:00Z by a date in the path;"
            " local time, taken as UTC (--tz ZONE)"
        ),
    ]
    assert taken.lines[-1].startswith("as of 2026-03-01T00:00:00Z known at ")
    days = ("2026-01-31", "2026-01-31T02:13", "2026-02-01", "2026-03-02")
    assert [described(run, day) for day in days] == ["", "january", "february", "march"]


def test_a_zone_dates_local_times(run: Run) -> None:
    """With --tz, dates without a zone are read in it, with its daylight saving time."""
    write("in/2026-07-31T0213/QM1.mqsc", SCRIPT.format("july"))
    taken = run("import", "in", "--tz", "Europe/Berlin")
    assert taken.lines[0].endswith(" is dated 2026-07-31T00:13:00Z by a date in the path")


def test_a_dump_is_true_at_the_date_of_its_header(run: Run) -> None:
    """The header of a dump is the default of --at."""
    write("QM7.mqsc", dump(OWN))
    taken = run("import", "QM7.mqsc")
    assert taken.lines[0] == (
        f"QM7.mqsc is dated {HEADER} by the header of the dump;"
        " local time, taken as UTC (--tz ZONE)"
    )
    rows = run("import", "QM7.mqsc", "--format", "json").json["rows"]
    assert {row["at"] for row in rows} == {HEADER}
    assert run("log", "show", "--format", "json").json["rows"][0]["occurred_at"] == HEADER
    given = run("import", "QM7.mqsc", "--at", "2026-02-01")
    assert given.lines[0].startswith("QM7.mqsc: dmpmqcfg of QM7: ")


def test_what_has_no_date_is_said_to_be_of_now(run: Run) -> None:
    """Scripts alone are expected to be; one among dumps is not."""
    write("QM1.mqsc", SCRIPT.format("now"))
    alone = run("import", "QM1.mqsc", "--qmgr", "QM1")
    assert alone.lines[0].startswith("QM1.mqsc: mqsc-script of QM1")
    write("in/QM7.mqsc", dump(OWN))
    both = run("import", "QM1.mqsc", "in")
    said = "QM1.mqsc is without a date, and taken as true now; give --at T or --at mtime"
    assert said in both.lines


def test_modification_times_are_taken_if_asked_for(run: Run) -> None:
    """--at mtime dates files that have no other date."""
    write("in/QM1.mqsc", SCRIPT.format("january"), modified="2026-01-31T02:13")
    taken = run("import", "in", "--at", "mtime")
    assert taken.lines[0] == ("in/QM1.mqsc is dated 2026-01-31T02:13:00Z by modification time")
    assert described(run, "2026-02-01") == "january"


def test_a_collected_folder_is_of_the_instant_of_its_manifest(run: Run) -> None:
    """What collect-script wrote about itself is not imported, and its zone is that of the host."""
    write("c/manifest.txt", MANIFEST)
    write("c/display.mqsc", "DISPLAY QMGR ALL\n")
    write("c/stderr.txt", "")
    write("c/QM7/dmpmqcfg.mqsc", dump(OWN))
    taken = run("import", "c")
    assert taken.lines[0] == (
        "c/QM7/dmpmqcfg.mqsc is dated 2026-01-31T02:13:09Z by the manifest beside it"
    )
    assert [line for line in taken.lines if line.startswith("c/")][1:] == [
        "c/QM7/dmpmqcfg.mqsc: dmpmqcfg of QM7: 1 command, 1 taken, 0 passed over, 2 facts recorded"
    ]
    assert taken.code == 0


def test_what_was_not_collected_is_said(run: Run) -> None:
    """The manifest says which commands failed."""
    failed = "file: QM7/display.txt, begin: 2026-01-31T02:13:01Z, exit code: 20, FAILED"
    rest, _, end = MANIFEST.rpartition("end: ")
    write("c/manifest.txt", f"{rest}{failed}\nend: {end}")
    write("c/QM7/dmpmqcfg.mqsc", dump(OWN))
    assert f"the collection lacks: {failed}" in run("import", "c").lines


def test_a_date_before_the_creation_is_said(run: Run) -> None:
    """The QMID has the date at which its queue manager was created."""
    write("QM7.mqsc", dump(OWN))
    taken = run("import", "QM7.mqsc", "--at", "2025-12-01")
    assert taken.lines[0] == (
        "QM7.mqsc is dated 2025-12-01T00:00:00Z, but its QMID says that its queue manager was"
        " created at 2025-12-31T23:59:58Z"
    )


def test_a_date_in_the_future_is_said(run: Run) -> None:
    """It is recorded as of now, with its own date in the event."""
    write("in/2999-01-01/QM1.mqsc", SCRIPT.format("later"))
    write("in/2099-01-01/QM1.mqsc", SCRIPT.format("later"))
    taken = run("import", "in")
    assert "in/2099-01-01/QM1.mqsc is dated 2099-01-01T00:00:00Z by a date in the path" in taken.out
    assert "that is in the future, so it is recorded as of now" in taken.out
    assert "in/2999-01-01/QM1.mqsc is without a date, and taken as true now" in taken.out


def test_the_order_of_paths_does_not_matter(run: Run) -> None:
    """Folders that are named backwards give the same definitions."""
    for day, text in (("2026-01-01", "one"), ("2026-02-01", "two"), ("2026-03-01", "one")):
        write(f"{day}/QM1.mqsc", SCRIPT.format(text))
    assert run("import", "2026-03-01", "2026-01-01", "2026-02-01").code == 0
    days = ("2026-01-02", "2026-02-02", "2026-03-02")
    assert [described(run, day) for day in days] == ["one", "two", "one"]
    again = run("import", "2026-01-01", "2026-02-01", "2026-03-01")
    assert again.out.count(" 0 facts recorded") == 3


def test_answers_of_the_future_are_passed_over(run: Run) -> None:
    """No queue manager was asked after the present; dumps beside them are recorded as of now."""
    answer = """Starting MQSC for queue manager QM7.
     1 : DISPLAY CHSTATUS(*)
AMQ8417I: Display Channel Status details.
   CHANNEL(CA.FR1)                         CHLTYPE(CLUSSDR)
   CONNAME(fr1(1414))                      RQMNAME(FR1)
   CURRENT                                 STATUS(RETRYING)
"""
    write("in/2099-01-01/QM7.txt", answer)
    said = (
        "is dated after the present, so 1 answer of it was passed over: the clock or the zone of "
        "QM7 is wrong (--tz)"
    )
    alone = run("import", "in")
    assert (alone.code, alone.err.count(said)) == (20, 1)
    write("in/2099-01-01/QM7.mqsc", dump(OWN))
    both = run("import", "in")
    assert (both.code, both.out.count(said)) == (10, 1)
    assert "ChannelObserved" not in run("log", "show", "--all").out
    now = run("import", "in/2099-01-01/QM7.txt", "--at", "2026-02-01")
    assert "1 fact recorded" in now.out or "2 facts recorded" in now.out


def test_what_is_appended_is_said_although_nothing_is_new(run: Run) -> None:
    """A dump beside an answer has the instant of both: the same statement of another instant."""
    write("c/QM7.mqsc", dump(OWN))
    assert "facts recorded" in run("import", "c", "--tz", "UTC").out
    last = run("log", "show", "--all", "--format", "json").json["rows"][-1]["position"]
    assert "appended" not in run("import", "c", "--tz", "UTC").out
    done = run("import", "c", "--at", "2026-02-03T00:00:00Z", "--format", "json")
    (row,) = done.json["rows"]
    after = run("log", "show", "--all", "--format", "json").json["rows"]
    statements = [each for each in after if each["position"] > last and "Observed" in each["type"]]
    assert (row["recorded"], row["appended"]) == (0, len(statements)) == (0, 1)
    again = run("import", "c", "--at", "2026-02-04T00:00:00Z")
    assert "0 facts recorded; 1 statement appended that confirms what is known" in again.out
