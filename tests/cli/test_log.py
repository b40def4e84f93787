"""`twin log`: show, verify, snapshot."""

from __future__ import annotations

import csv
import json
import sqlite3
from pathlib import Path

from tests.cli.conftest import AT, Run
from twin.rules.version import RULES_VERSION


def test_events_are_shown_with_what_followed_indented(run: Run) -> None:
    """A primary fact is not indented, and the events derived from it are."""
    run("crtmqm", "QM1", "--at", AT)
    lines = run("log", "show").lines
    assert lines[0].split() == ["position", "at", "qmgr", "event"]
    assert lines[1].startswith("1         2025-03-03T09:00:00Z  QM1   ControlCommandEntered ")
    assert lines[2].startswith("2         2025-03-03T09:00:00Z  QM1     QueueManagerCreated ")
    assert lines[3].startswith("as of ")


def test_the_log_is_shown_a_page_at_a_time(cluster: Run) -> None:
    """A page names the command for the next page; all pages together are the log."""
    whole = cluster("log", "show", "--limit", "0").lines
    first = cluster("log", "show", "--limit", "2").lines
    assert first[3] == "more: --after 2"
    assert cluster("log", "show", "--after", "2", "--limit", "0").lines[1].split()[0] == "3"
    assert not [line for line in whole if line.startswith("more: ")]


def test_the_log_is_narrowed_by_place_type_and_time(cluster: Run) -> None:
    """Queue manager, event type, instants and --known-at filter the events."""
    cluster("runmqsc", "QM1", "--at", "2025-03-03T10:00", typed="DEFINE QLOCAL(A)")

    def shown(*words: str) -> list[dict[str, str]]:
        return list(csv.DictReader(cluster("log", "show", *words, "--format", "csv").lines))

    assert {row["qmgr"] for row in shown("--qmgr", "QM1")} == {"QM1"}
    types = {row["type"] for row in shown("--type", "ObjectDefined", "--type", "CommandEntered")}
    assert types == {"ObjectDefined", "CommandEntered"}
    assert len(shown("--since", "2025-03-03T09:30")) == 2
    late = shown("--until", "2025-03-03T09:30", "--limit", "0")
    assert late == shown("--as-of", "2025-03-03T09:30", "--limit", "0")
    assert {row["occurred_at"] for row in late} == {"2025-03-03T09:00:00Z"}
    assert shown("--known-at", "2025-03-03T09:30") == []


ACCESS = """DEFINE QLOCAL(A)
SET CHLAUTH(APP.CH) TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(NOACCESS)
SET AUTHREC PROFILE(A) OBJTYPE(QUEUE) PRINCIPAL('app') AUTHADD(PUT)
DEFINE QLOCAL(B)
SET AUTHREC PROFILE(B) OBJTYPE(QUEUE) PRINCIPAL('app') AUTHADD(PUT)
"""


def test_events_about_access_records_are_counted_unless_they_are_asked_for(run: Run) -> None:
    """A kind, a name or --all asks for them; each page counts those before its end."""
    run("import", "-", "--qmgr", "OBS", "--at", AT, typed=ACCESS)

    def shown(*words: str) -> tuple[list[str], list[str]]:
        lines = run("log", "show", *words).lines
        positions = [line.split()[0] for line in lines if " OBS " in line]
        return positions, [line for line in lines if "left out" in line or "more:" in line]

    note = "{} about AUTHREC and CHLAUTH left out; --all shows them".format
    assert shown() == (["3", "4"], [note("2 events")])
    assert shown("--limit", "0") == shown()
    assert shown("--limit", "1") == (["3"], [note("2 events"), "more: --after 3"])
    assert shown("--limit", "1", "--after", "3") == (["4"], ["more: --after 4"])
    assert shown("--all") == (["1", "2", "3", "4"], [])
    assert shown("--all", "--limit", "3")[1] == ["more: --after 3"]
    assert shown("--kind", "authrec") == (["1"], [])
    assert shown("--kind", "QUEUE", "--name", "B") == (["3"], [])
    assert shown("--name", "A") == (["1", "3"], [])
    assert shown("--name", "APP.*", "--limit", "1") == (["2"], [])
    assert shown("--type", "ObjectsObserved") == (["3"], [note("2 events")])
    answer = run("log", "show", "--format", "json").json
    assert answer["notes"] == [note("2 events")]
    assert run("log", "show", "--format", "csv").err == f"twin: {note('2 events')}\n"


def test_changes_of_access_records_are_counted_unless_they_are_asked_for(run: Run) -> None:
    """The line below the rows names the option that shows them; no format loses it."""
    run("import", "-", "--qmgr", "OBS", "--at", AT, typed=ACCESS)
    note = "3 rows about AUTHREC and CHLAUTH left out; --all shows them"
    kinds = "authrec", "chlauth"
    text = run("ask", "changes").out
    assert note in text
    assert not any(kind in text for kind in kinds)
    assert run("ask", "changes", "--format", "json").json["notes"] == [note]
    assert run("ask", "changes", "--format", "csv").err == f"twin: {note}\n"
    text = run("ask", "changes", "--all").out
    assert note not in text
    assert all(kind in text for kind in kinds)
    assert "kind foo is unknown" in run("ask", "changes", "--kind", "foo").out
    run("branch", "create", "other")
    run("--branch", "other", "runmqsc", "OBS", typed="DELETE AUTHREC PROFILE(A) OBJTYPE(QUEUE)")
    run("--branch", "other", "runmqsc", "OBS", typed=ACCESS.replace("(PUT)", "(GET)"))
    assert "authrec" in run("branch", "diff", "other").out


def test_an_event_type_that_there_is_not_is_bad_input(cluster: Run) -> None:
    """An unknown event type is bad input; the message names those that are like it."""
    refused = cluster("log", "show", "--type", "Nope")
    assert (refused.code, refused.out, refused.err.count("\n")) == (20, "", 1)
    assert "unknown event type Nope; docs/events.md lists them" in refused.err
    refused = cluster("log", "show", "--type", "messageput")
    assert "did you mean MessagesPut or " in refused.err
    assert len(refused.err) < 200


def test_the_name_of_an_event_means_all_its_schemas(cluster: Run) -> None:
    """An event stored as `Name@2` is found as `Name` and as `Name@2`."""
    bare, written = (
        cluster("log", "show", "--type", name, "--format", "json").json["rows"]
        for name in ("ChannelStatusChanged", "ChannelStatusChanged@2")
    )
    assert bare == written
    assert {row["type"] for row in bare} == {"ChannelStatusChanged@2"}
    assert not cluster("log", "show", "--type", "ChannelStatusChanged@1", "--format", "json").json[
        "rows"
    ]


def test_the_log_of_an_unknown_queue_manager_is_refused(cluster: Run) -> None:
    """A queue manager without any event is bad input; one without events in a span has none."""
    nobody = cluster("log", "show", "--qmgr", "NOPE")
    assert (nobody.code, nobody.out) == (20, "")
    assert "queue manager NOPE does not exist" in nobody.err
    nothing = cluster("log", "show", "--qmgr", "QM1", "--since", "2025-03-04")
    assert (nothing.code, nothing.lines[0]) == (0, "no events")


def test_json_has_every_column_of_an_event(run: Run) -> None:
    """JSON has the envelope of an event, and its body as stored."""
    run("crtmqm", "QM1", "--at", AT)
    primary, derived = run("log", "show", "--format", "json").json["rows"]
    assert primary["cause"] is None
    assert derived["cause"] == primary["event_id"]
    assert (primary["source"], derived["source"]) == ("command", f"rules/{RULES_VERSION}")
    assert json.loads(derived["body"])["qmid"] == "QM1_2025-03-03_09.00.00"


def test_a_log_that_holds_verifies_and_names_its_head(run: Run) -> None:
    """Verify counts the positions and prints the head in the form that --expect takes."""
    run("crtmqm", "QM1", "--at", AT)
    verified = run("log", "verify")
    assert verified.code == 0
    count, head = verified.lines[0].split(", ")
    assert count == "2 positions verified"
    run("strmqm", "QM1", "--at", AT)
    assert run("log", "verify", "--expect", head.removeprefix("head ")).code == 0


def test_a_damaged_log_names_the_first_bad_position(run: Run) -> None:
    """An event that was altered directly in the database is found, with exit code 10."""
    run("crtmqm", "QM1", "--at", AT)
    with sqlite3.connect("twin.db") as database:
        database.execute("DROP TRIGGER event_no_update")
        database.execute("UPDATE event SET qmgr = 'QM2' WHERE position = 2")
    database.close()
    damaged = run("log", "verify")
    assert damaged.code == 10
    assert damaged.lines[0].startswith("the log is damaged at position 2: ")
    (row,) = run("log", "verify", "--format", "json").json["rows"]
    assert (row["verified"], row["damaged_at"]) == (None, 2)


def test_a_cut_tail_is_found_by_what_was_expected(run: Run) -> None:
    """A log that does not reach the expected head is damaged; a malformed --expect is bad input."""
    run("crtmqm", "QM1", "--at", AT)
    assert run("log", "verify", "--expect", f"9:{'0' * 64}").code == 10
    assert run("log", "verify", "--expect", "head").code == 20


def test_snapshots_change_no_answer(cluster: Run) -> None:
    """Every answer is the same after `log snapshot`."""
    cluster("runmqsc", "QM2", "--at", "2025-03-03T10:00", typed="DEFINE QLOCAL(A) CLUSTER(CA)")
    asked = ["ask", "beliefs", "--as-of", "2025-03-03T11:00", "--format", "csv"]
    before = cluster(*asked).out
    taken = cluster("log", "snapshot")
    assert taken.code == 0
    assert taken.out.endswith(" of branch main saved\n")
    assert cluster(*asked).out == before


def test_a_file_that_sqlite_cannot_read_is_damaged(cluster: Run, tmp_path: Path) -> None:
    """`log verify` exits with 10 and says so; other commands refuse the log in one line."""
    file = tmp_path / "twin.db"
    data = file.read_bytes()
    size = int.from_bytes(data[16:18])
    file.write_bytes(data[:size] + b"\xff" * (len(data) - size))
    found = cluster("log", "verify")
    assert (found.code, found.err) == (10, "")
    assert "cannot be used: database disk image is malformed" in found.out
    refused = cluster("dspmq")
    assert (refused.code, refused.err.count("\n")) == (20, 1)


def test_damaged_snapshots_are_said_and_made_anew(cluster: Run, tmp_path: Path) -> None:
    """A damaged page changes no answer, is said on standard error, found, and made anew."""
    cluster("runmqsc", "QM2", "--at", "2025-03-03T10:00", typed="DEFINE QLOCAL(A) CLUSTER(CA)")
    asked = ["ask", "beliefs", "--as-of", "2025-03-03T11:00", "--format", "csv"]
    before = cluster(*asked).out
    cluster("log", "snapshot")
    file = sqlite3.connect(next(tmp_path.glob("*.db")))
    with file:
        file.execute("UPDATE page SET content = x'00'")
    found = cluster("log", "verify")
    assert found.code == 10
    assert "; but page 1 is altered (and " in found.out
    assert "so every answer is right; twin log snapshot --rebuild makes it anew" in found.out
    again = cluster(*asked)
    assert again.out == before
    assert again.err.startswith(
        "twin: computed again, because page 'estate' of a saved estate was "
    )
    assert again.err.count("\n") == 1
    assert cluster(*asked).err == ""
    with file:
        file.execute("UPDATE page SET content = x'00'")
    file.close()
    assert cluster("log", "snapshot", "--rebuild").out.endswith(" of branch main saved\n")
    assert cluster("log", "verify").code == 0


def test_reading_makes_no_log(run: Run) -> None:
    """Only crtmqm and import create a log; every other command reports that there is none."""
    for words in (
        ["dspmq"],
        ["ask", "members"],
        ["log", "show"],
        ["log", "verify"],
        ["log", "snapshot"],
        ["branch", "list"],
        ["branch", "create", "lab"],
        ["strmqm", "QM1"],
        ["runmqsc", "QM1"],
        ["open", "QM1", "Q"],
        ["dmpmqcfg", "QM1"],
    ):
        refused = run(*words)
        assert refused.code == 20
        assert refused.err.startswith("twin: there is no log at ")
        assert refused.err.count("\n") == 1
        assert not Path("twin.db").exists()


def test_a_command_that_failed_is_marked_with_its_answer(cluster: Run) -> None:
    """The log keeps no answers: they are computed again, and `--format csv` has them, too."""
    cluster("runmqsc", "QM1", "--at", "2025-03-03T10:00", typed="ALTER QLOCAL(NONE) PUT(DISABLED)")
    why = "AMQ8147E: IBM MQ object NONE not found."
    last = cluster("log", "show", "--limit", "0").lines[-2]
    assert f"QM1   (failed: {why}) CommandEntered text=ALTER QLOCAL(NONE)" in last
    rows = list(csv.DictReader(cluster("log", "show", "--limit", "0", "--format", "csv").lines))
    assert [row["failed"] for row in rows if row["failed"]] == [why]
