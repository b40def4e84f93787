"""`twin doctor`, `twin ask doctor`, REST and plans of imported queue managers: depths count."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run
from tests.web.serving import make_users, served

DEAD = "SYSTEM.DEAD.LETTER.QUEUE"
DUMP = """* Script generated on 2026-05-04   at 07.30.00
* Queue manager name: {0}
* Queue manager platform: UNIX
* Command issued: dmpmqcfg -m {0} -a
ALTER QMGR DEADQ('SYSTEM.DEAD.LETTER.QUEUE'){1}
DEFINE CHANNEL('SEA.{0}') CHLTYPE(CLUSRCVR) CONNAME('{0}') CLUSTER('SEA') REPLACE
DEFINE QLOCAL('SYSTEM.DEAD.LETTER.QUEUE') REPLACE
{2}* Script ended on 2026-05-04   at 07.30.00
"""
SHIP = """DEFINE CHANNEL('SEA.PORT') CHLTYPE(CLUSSDR) CONNAME('PORT') CLUSTER('SEA') REPLACE
DEFINE QLOCAL('SALT') MAXDEPTH(50) REPLACE
DEFINE QLOCAL('ROPE') MAXDEPTH(50) REPLACE
"""
SEEN = """Starting MQSC for queue manager SHIP.
     1 : DISPLAY QSTATUS(*) CURDEPTH
AMQ8450I: Display queue status details.
   QUEUE(SALT)   CURDEPTH(50)
AMQ8450I: Display queue status details.
   QUEUE(ROPE)   CURDEPTH(41)
AMQ8450I: Display queue status details.
   QUEUE(SYSTEM.DEAD.LETTER.QUEUE)   CURDEPTH(2)
One MQSC command read.
No commands have a syntax error.
All valid MQSC commands were processed.
"""
OF_DEPTHS = {
    ("queue-full", "SHIP QUEUE(SALT)"),
    ("queue-nearly-full", "SHIP QUEUE(ROPE)"),
    ("dead-letter-queue-used", f"SHIP QUEUE({DEAD})"),
}


@pytest.fixture
def harbour(run: Run) -> Run:
    """Import the dumps of two queue managers, and the depths that one of them shows."""
    files = {
        "PORT.mqsc": DUMP.format("PORT", " REPOS('SEA')", ""),
        "SHIP.mqsc": DUMP.format("SHIP", "", SHIP),
        "seen.txt": SEEN,
    }
    for name, text in files.items():
        Path(name).write_text(text, encoding="utf-8")
        assert run("import", name, "--at", "2026-05-04T07:30", "--tz", "UTC").code == 0
    return run


def keys(rows: list[dict[str, Any]]) -> list[tuple[str, ...]]:
    """Return what identifies findings, how bad they are, and what they rest on."""
    return [(row["id"], row["object"], row["severity"], row["basis"]) for row in rows]


def unchecked(rows: list[dict[str, str]]) -> list[str]:
    """Return what `ask doctor` says of rules that were not checked."""
    whys = [row["why"] for row in rows]
    counts = {why: whys.count(why) for why in whys}
    return [f"{n} rule{'s' * (n > 1)} not checked: {why}" for why, n in counts.items()]


@pytest.mark.parametrize("options", [(), ("--no-prove",)])
def test_both_commands_find_the_same(harbour: Run, options: tuple[str, ...]) -> None:
    """As JSON and as text, they have the same findings and the same rules that were not checked."""
    at = ("--as-of", "2026-05-04T09:00")
    found = harbour("doctor", *options, *at, "--format", "json").json
    asked = harbour("ask", "doctor", *at, "--format", "json").json
    assert keys(found["rows"]) == keys(asked["rows"])
    assert {(row["id"], row["object"]) for row in found["rows"]} >= OF_DEPTHS
    told, text = harbour("doctor", *options, *at).lines, harbour("ask", "doctor", *at).lines
    assert [line for line in text if " not checked: " in line] == unchecked(found["not_checked"])
    heads = re.compile(r" *(?:error|warning|info)  \S+  .*")
    assert sorted(line.strip() for line in told if heads.fullmatch(line)) == sorted(
        line for line in text if heads.fullmatch(line)
    )


def test_the_service_finds_the_same(harbour: Run, tmp_path: Path) -> None:
    """So do REST, the page of findings, and the metrics."""
    asked = harbour("ask", "doctor", "--format", "json").json["rows"]
    users = make_users(tmp_path / "users.json")
    with served(tmp_path / "twin.db", users, read_only=True) as service:
        found = service.reader.get("/twin/v1/doctor").json()["rows"]
        page = service.reader.get("/findings.json").json()
        metrics = service.reader.get("/metrics").text
    assert keys(found) == keys(asked)
    assert keys(page["tables"]["doctor"]["rows"]) == keys(asked)
    assert 'rule="queue-full"' in metrics


def test_a_fix_of_what_was_only_seen_is_not_rehearsable(harbour: Run) -> None:
    """The twin does not have these messages, so that no put shows that the queue is full."""
    (row,) = harbour("doctor", "--rule", "queue-full", "--format", "json").json["rows"]
    assert row["fix"] == [{"on": "SHIP", "mqsc": "ALTER QLOCAL(SALT) MAXDEPTH(100)"}]
    assert row["proof"]["verdict"] == "not rehearsable"


@pytest.mark.parametrize(
    ("command", "gone", "new"),
    [
        ("ALTER QLOCAL(SALT) MAXDEPTH(500)", {"queue-full"}, set()),
        ("ALTER QLOCAL(ROPE) MAXDEPTH(41)", {"queue-nearly-full"}, {"queue-full"}),
        ("CLEAR QLOCAL(SALT)", {"queue-full"}, set()),
        ("DELETE QLOCAL(ROPE) PURGE", {"queue-nearly-full"}, set()),
        ("DELETE QLOCAL(ROPE) PURGE; DEFINE QLOCAL(ROPE)", {"queue-nearly-full"}, set()),
        ("ALTER QLOCAL(SALT) DESCR('x')", set(), set()),
    ],
)
def test_a_plan_and_a_branch_begin_with_what_was_seen(
    harbour: Run, command: str, gone: set[str], new: set[str]
) -> None:
    """What was seen of a depth stays until the queue is cleared or deleted.

    The branch begins at the instant of the import, so that what is known is not old there.
    """
    script = command.replace("; ", "\n")
    Path("change.mqsc").write_text(script, encoding="utf-8")
    changes = harbour("plan", "SHIP=change.mqsc", "--format", "json").json["findings"]
    for effect, rules in (("gone", gone), ("new", new)):
        assert {each["id"] for each in changes[effect]} == rules
    harbour("branch", "create", "lab")
    harbour("--branch", "lab", "runmqsc", "SHIP", typed=script)
    before = {row["id"] for row in harbour("ask", "doctor", "--format", "json").json["rows"]}
    asked = ("--branch", "lab", "ask", "doctor", "--format", "json")
    after = {row["id"] for row in harbour(*asked).json["rows"]}
    assert after == before - gone - {"collection-stale"} | new
