"""Queue managers of which only states or logs were imported, and no definitions."""

from __future__ import annotations

import json
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run
from tests.cli.test_import_feeds import SCRIPT, log

STATES = """Starting MQSC for queue manager QM1.

     1 : DISPLAY CHSTATUS(*) ALL
AMQ8417I: Display Channel Status details.
   CHANNEL(TO.FR1)                         CHLTYPE(CLUSSDR)
   CONNAME(fr1(1414))                      CURRENT
   STATUS(STOPPED)                         XMITQ(SYSTEM.CLUSTER.TRANSMIT.QUEUE)
One MQSC command read.
No commands have a syntax error.
All valid MQSC commands were processed.
"""
IMPORTS = (
    ("AMQERR01.LOG",),
    ("states.txt", "--at", "2026-03-23T00:00Z"),
    ("QM1.mqsc", "--qmgr", "QM1", "--at", "2026-03-21T00:00Z"),
)
QUESTIONS = ("members", "channels", "beliefs", "lifetimes", "errorlog", "reconcile")
NAMED = "not in the twin: QM1, of which only states or logs are known (twin ask ingest)"


@pytest.fixture(autouse=True)
def _files(run: Run) -> None:
    Path("AMQERR01.LOG").write_text(log("AMQ9002I", "AMQ9206E", "AMQ9999E"), encoding="utf-8")
    Path("states.txt").write_text(STATES, encoding="utf-8")
    Path("QM1.mqsc").write_text(SCRIPT, encoding="utf-8")


def rows(
    run: Run, question: str, *options: str, at: str = "2026-03-25T00:00Z"
) -> list[dict[str, Any]]:
    """Return the rows of an answer, without the positions that they rest on."""
    asked = run("ask", question, *options, "--as-of", at, "--format", "json")
    found: list[dict[str, Any]] = json.loads(asked.out)["rows"]
    return [{key: row[key] for key in row if key != "evidence"} for row in found]


def test_a_queue_manager_with_states_and_logs_only_is_named(run: Run) -> None:
    """Every answer names it as missing, and `ask ingest` says which files are about it.

    The error log and the channels have rows: they were observed, whatever else is known.
    """
    for each in IMPORTS[:2]:
        imported = run("import", *each, "--strict")
        assert (imported.code, imported.lines[-2]) == (10, NAMED)
    for question in QUESTIONS:
        asked = run("ask", question, "--strict")
        assert (asked.code, asked.lines[-2]) == (10, NAMED), question
        assert (len(asked.lines) == 3) == (question not in {"channels", "errorlog"}), question
    logged = [(row["on"], row["id"], row["basis"]) for row in rows(run, "errorlog")]
    assert logged == [("QM1", each, "observed") for each in ("AMQ9002", "AMQ9206", "AMQ9999")]
    (row,) = rows(run, "ingest", "--kind", "not-in-twin", "--on", "QM1")
    assert (row["name"], row["by"]) == ("QM1", "AMQERR01.LOG and 1 more file")
    (channel,) = rows(run, "channels", "--on", "QM1", at="2026-03-23T12:00Z")
    assert (channel["channel"], channel["status"]) == ("TO.FR1", "STOPPED")
    assert channel["basis_of"]["status"] == "observed"
    assert run("ask", "beliefs", "--on", "QM1").err.endswith(
        "of QM1 only states or logs are known at this instant, no definitions (twin ask ingest)\n"
    )


def test_its_states_count_once_its_definitions_are_imported(run: Run) -> None:
    """Definitions of an earlier instant give the imported states a meaning; nothing is missing.

    Within 26 hours the status is observed; a day later, that it still stands is assumed.
    """
    for each in IMPORTS:
        run("import", *each)
    for at, basis in (("2026-03-24T02:00Z", "observed"), ("2026-03-25T00:00Z", "assumed")):
        (channel,) = [row for row in rows(run, "channels", at=at) if row["channel"] == "TO.FR1"]
        assert (channel["status"], channel["basis"]) == ("STOPPED", basis)
    missing = rows(run, "ingest", "--kind", "not-in-twin", "--on", "QM1")
    assert [row["name"] for row in missing] == ["FR1?"]
    assert NAMED not in run("ask", "channels").lines


def test_states_logs_and_definitions_give_the_same_rows_in_any_order(run: Run) -> None:
    """The rows of all questions are equal, whichever of the three files comes first."""
    found = []
    for number, order in enumerate(permutations(IMPORTS)):
        with_log = ("--log", f"{number}.db")
        for each in order:
            assert run(*with_log, "import", *each).code == 0
        options = ("--as-of", "2026-03-25T00:00Z", "--format", "json")
        answers = {}
        for question in (*QUESTIONS, "ingest"):
            told = json.loads(run(*with_log, "ask", question, *options).out)["rows"]
            answers[question] = sorted(
                json.dumps({key: row[key] for key in row if key != "evidence"}) for row in told
            )
        found.append(answers)
    for other in found[1:]:
        assert other == found[0]


HELD = """Starting MQSC for queue manager BARN.


     1 : DISPLAY CLUSQMGR(*) ALL
AMQ8441I: Display Cluster Queue Manager details.
   CLUSQMGR(BARN)                          CHANNEL(HAY.BARN)
   CLUSTER(HAY)                            CONNAME(barn(1414))
   DEFTYPE(CLUSRCVR)                       QMTYPE(REPOS)
   QMID(BARN_2026-01-05_08.00.00)          STATUS(RUNNING)
AMQ8441I: Display Cluster Queue Manager details.
   CLUSQMGR(SILO)                          CHANNEL(HAY.SILO)
   CLUSTER(HAY)                            CONNAME(silo(1414))
   DEFTYPE(CLUSSDRA)                       QMTYPE(NORMAL)
   QMID(SILO_2026-01-06_09.00.00)          STATUS(INACTIVE)
One MQSC command read.
No commands have a syntax error.
All valid MQSC commands were processed.
"""


def test_what_only_others_hold_records_of_was_not_imported(run: Run) -> None:
    """No command says that it does not exist: its definitions are unknown. Others do not exist."""
    Path("BARN.txt").write_text(HELD, encoding="utf-8")
    assert run("import", "BARN.txt", "--at", "2026-03-23T10:00Z").code == 0
    for command in ("runmqsc {} QM1.mqsc", "dmpmqcfg {}", "ask lifetimes --on {}", "dspmq -m {}"):
        for name, says in (("SILO", "SILO was not imported"), ("SHED", "does not exist")):
            said = run(*command.format(name).split())
            assert said.code == (72 if (command, name) == ("dspmq -m {}", "SHED") else 20)
            assert says in said.out + said.err, (command, name)
            assert ("not exist" in said.out + said.err) == (name == "SHED")
