"""What an import showed comes out as it was, with its age; what it did not show is not known."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest

from tests.cli.conftest import Run
from twin.questions.doctor.rule import Need

MEMBER: Final = """DEFINE CHANNEL(CA.{0}) CHLTYPE(CLUSRCVR) CONNAME('{0}(1414)') CLUSTER(CA)
DEFINE CHANNEL(CA.HUB) CHLTYPE(CLUSSDR) CONNAME('HUB(1414)') CLUSTER(CA)
"""
HUB: Final = """ALTER QMGR REPOS(CA)
DEFINE CHANNEL(CA.HUB) CHLTYPE(CLUSRCVR) CONNAME('HUB(1414)') CLUSTER(CA)
DEFINE QLOCAL(ORDERS) CLUSTER(CA)
"""
START: Final = "2026-05-01T08:00:00Z"
LATER: Final = "2026-05-01T09:00:00Z"


def answer(qmgr: str, command: str, *rows: str) -> str:
    """Return a session of runmqsc with one command and its rows."""
    return (
        f"Starting MQSC for queue manager {qmgr}.\n\n     1 : {command}\n"
        + "".join(f"{row}\n" for row in rows)
        + "One MQSC command read.\nNo commands have a syntax error.\n"
    )


def put(name: str, text: str) -> str:
    """Write a file, and return its path."""
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(text, encoding="utf-8")
    return name


def scripts(run: Run, at: str = START) -> None:
    """Import the scripts of a full repository and of two members."""
    put("s/HUB.mqsc", HUB)
    put("s/NORTH.mqsc", MEMBER.format("NORTH"))
    put("s/SOUTH.mqsc", MEMBER.format("SOUTH"))
    assert run("import", "s", "--at", at, "--tz", "UTC").code == 0


def rows(run: Run, *words: str) -> list[dict[str, Any]]:
    """Return the rows of an answer in JSON."""
    return list(json.loads(run(*words, "--format", "json").out)["rows"])


SHOWS: Final = {
    Need.STATUS: answer(
        "NORTH",
        "DISPLAY CHSTATUS(*) ALL",
        "AMQ8417I: Display Channel Status details.",
        "   CHANNEL(CA.HUB)  CHLTYPE(CLUSSDR)  STATUS(RUNNING)  CURRENT  RQMNAME(HUB)",
    ),
    Need.DEPTHS: answer(
        "NORTH",
        "DISPLAY QSTATUS(*) ALL",
        "AMQ8450I: Display queue status details.",
        "   QUEUE(SYSTEM.CLUSTER.TRANSMIT.QUEUE)  TYPE(QUEUE)  CURDEPTH(3)",
    ),
    Need.RECORDS: answer(
        "NORTH",
        "DISPLAY CLUSQMGR(*) ALL",
        "AMQ8441I: Display Cluster Queue Manager details.",
        "   CLUSQMGR(NORTH)  CHANNEL(CA.NORTH)  CLUSTER(CA)  QMTYPE(NORMAL)  DEFTYPE(CLUSRCVR)",
        "   QMID(NORTH_2025-01-01_08.00.00)  CLUSDATE(2026-04-20)  CLUSTIME(10.00.00)",
    ),
    Need.QMGR: answer(
        "NORTH",
        "DISPLAY QMGR ALL",
        "AMQ8408I: Display Queue Manager details.",
        "   QMNAME(NORTH)  QMID(NORTH_2025-01-01_08.00.00)  DEADQ( )  REPOS( )  REPOSNL( )",
    ),
    Need.LISTENERS: answer(
        "NORTH",
        "DISPLAY LISTENER(*) ALL",
        "AMQ8630I: Display listener information details.",
        "   LISTENER(L1)  CONTROL(QMGR)  TRPTYPE(TCP)  PORT(1414)  IPADDR( )  BACKLOG(0)",
    ),
    Need.INI: "Log:\n   LogType=CIRCULAR\nChannels:\n   MaxChannels=250\n",
}
"""What a rule may need -> a file that shows it of NORTH."""


@pytest.mark.parametrize("need", Need)
def test_whatever_the_doctor_misses_a_file_shows(run: Run, need: Need) -> None:
    """For each "never observed at X: Y" there is an input after which it is not said of X again."""
    scripts(run)
    lacking = f"never observed at HUB, NORTH, SOUTH: {need}"
    joined = " ".join(run("doctor", "--as-of", LATER).out.split())
    assert lacking.replace("HUB, NORTH, SOUTH", "HUB") in joined or lacking in joined
    path = put("f/qm.ini" if need is Need.INI else "f/NORTH.txt", SHOWS[need])
    assert run("import", path, "--qmgr", "NORTH", "--at", LATER).code in {0, 10}
    joined = " ".join(run("doctor", "--as-of", LATER).out.split())
    assert not any(
        f"never observed at {names}: {need}" in joined
        for names in ("HUB, NORTH, SOUTH", "HUB, NORTH", "NORTH, SOUTH", "NORTH")
    )


def test_qm_ini_says_what_a_queue_manager_adopts_and_how_many_channels_it_may_have(
    run: Run,
) -> None:
    """Its stanzas are facts from its import on; of whom none was read, nothing is said."""
    scripts(run)
    before = {row["partner"]: row["adopts"] for row in rows(run, "ask", "heartbeats")}
    assert before == {"HUB": None, "NORTH": None, "SOUTH": None}
    put(
        "qmgrs/NORTH/qm.ini", "Log:\n LogType=LINEAR\nChannels:\n AdoptNewMCA=ALL\n MaxChannels=2\n"
    )
    taken = run("import", "qmgrs/NORTH/qm.ini", "--at", LATER)
    assert "qmgrs/NORTH/qm.ini: has no instant of its own, so it is true as of its import" in (
        taken.lines
    )
    put("SOUTH.qm.ini", "Channels:\n MaxChannels=100\n")
    assert run("import", "SOUTH.qm.ini", "--at", LATER).code == 0
    after = {row["partner"]: row["adopts"] for row in rows(run, "ask", "heartbeats")}
    assert after == {"HUB": None, "NORTH": True, "SOUTH": False}
    earlier = rows(run, "ask", "heartbeats", "--as-of", START)
    assert {row["adopts"] for row in earlier} == {None}
    said = " ".join(run("doctor", "--as-of", LATER).out.split())
    assert "Defaults in use: 1 x AdoptNewMCA=NO." in said
    assert "1 x AdoptNewMCA=NO. what to do" in said.partition("Assumed")[2]


def test_nothing_says_that_a_queue_manager_of_a_script_runs(run: Run) -> None:
    """dspmq, QMSTATUS and JSON do not know it; an answer of the queue manager itself shows it."""
    scripts(run)
    shown = run("dspmq").out
    assert shown.count("STATUS(Status not available)") == 3
    put("NORTH.txt", SHOWS[Need.STATUS])
    assert run("import", "NORTH.txt", "--at", LATER).code == 0
    assert [(row["qmname"], row["status"], row["basis"]) for row in rows(run, "dspmq")] == [
        ("HUB", None, "unknown"),
        ("NORTH", "Running", "observed"),
        ("SOUTH", None, "unknown"),
    ]
    assert rows(run, "dspmq", "--as-of", START)[1]["status"] is None


RECORD: Final = """----- amqrmrsa.c : 561 --------
05/01/26 08:30:00 - Process(4711.3) User(mqm) Program(amqrmppa)
                    Host(north) Installation(Installation1)
                    VRMF(9.3.0.2) QMgr(NORTH)
                    Time(2026-05-01T08:30:00.000Z)
                    CommentInsert1(CA.HUB)
                    CommentInsert2(hub (10.0.0.1))

AMQ9202E: Remote host 'hub (10.0.0.1)' not available, retry later.

EXPLANATION:
The attempt to allocate a conversation using TCP/IP to host 'hub' for channel
'CA.HUB' was not successful.
ACTION:
Try again later.
----- amqccita.c : 1234 --------
"""


def test_an_error_log_shows_what_was_written_apart_from_what_would_be(run: Run) -> None:
    """Imported records are observed; what the rules would write of real ones is assumed."""
    scripts(run)
    before = json.loads(run("ask", "errorlog", "--on", "NORTH", "--format", "json").out)
    assert {row["basis"] for row in before["rows"]} <= {"assumed"}
    assert "no log of NORTH was imported; this is what it would write" in before["notes"]
    put("AMQERR01.LOG", RECORD)
    assert run("import", "AMQERR01.LOG").code == 0
    after = json.loads(run("ask", "errorlog", "--on", "NORTH", "--format", "json").out)
    assert "no log of NORTH was imported; this is what it would write" not in after.get("notes", ())
    (seen,) = [row for row in after["rows"] if row["basis"] == "observed"]
    assert (seen["id"], seen["at"]) == ("AMQ9202", "2026-05-01T08:30:00Z")
    assert seen["text"].startswith("AMQ9202E: Remote host 'hub (10.0.0.1)' not available")
    late = rows(run, "ask", "errorlog", "--since", "2026-05-01T08:31:00Z")
    assert all(row["basis"] != "observed" for row in late)


def test_old_evidence_is_named_where_an_answer_rests_on_it(run: Run) -> None:
    """members, explain, routes and the doctor say it of the one that was not collected again."""
    scripts(run, "2026-03-01T08:00:00Z")
    Path("s/HUB.mqsc").unlink()
    assert run("import", "s", "--at", START).code == 0
    seen = {row["qmgr"]: row["last_seen"] for row in rows(run, "ask", "members", "--as-of", LATER)}
    assert seen == {"HUB": "2026-03-01T08:00:00Z", "NORTH": START, "SOUTH": START}
    aged = "HUB: what is known is 61 days old, of 2026-03-01T08:00:00Z"
    assert aged in run("explain", "NORTH", "ORDERS", "--as-of", LATER).out
    assert aged in run("explain", "NORTH", "ORDERS", "--route", "--as-of", LATER).out
    assert "NORTH: what" not in run("explain", "NORTH", "ORDERS", "--as-of", LATER).out

    def stale() -> list[str]:
        found = rows(run, "ask", "doctor", "--rule", "collection-stale", "--as-of", LATER)
        return [str(row["severity"]) for row in found]

    assert stale() == ["warning"]
    kinds = rows(run, "ask", "ingest", "--kind", "last-seen", "--as-of", LATER)
    assert ("HUB", "collections", "2026-03-01T08:00:00Z") in {
        (row["on"], row["name"], row["last_seen"]) for row in kinds
    }
    assert run("reading", "fresh:HUB=30d", "--at", LATER).code == 0
    assert stale() == []


def test_what_all_lack_is_said_once(run: Run) -> None:
    """An estate that was imported long ago has one remark, and no warning."""
    scripts(run)
    found = rows(run, "ask", "doctor", "--rule", "collection-stale", "--as-of", "2026-06-01T08:00Z")
    assert [row["severity"] for row in found] == ["info"]


@pytest.mark.parametrize("files", [("NORTH",), ("NORTH", "SOUTH"), ()])
def test_a_qm_ini_belongs_to_the_only_queue_manager_of_its_folder(
    run: Run, files: tuple[str, ...]
) -> None:
    """What lies beside it names one, whatever else was imported; two or none do not."""
    scripts(run)
    put("night/qm.ini", "Channels:\n AdoptNewMCA=ALL\n")
    for name in files:
        shown = f"Starting MQSC for queue manager {name}.\n     1 : DISPLAY QMGR ALL\n"
        put(f"night/{name}-now.txt", shown)
    run("import", "night/qm.ini", "--at", LATER)
    adopts = {row["partner"]: row["adopts"] for row in rows(run, "ask", "heartbeats")}
    assert adopts == {name: (files == (name,)) or None for name in ("HUB", "NORTH", "SOUTH")}
