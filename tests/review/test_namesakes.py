"""A queue manager that was rebuilt: texts say which of the two of its name they mean."""

from __future__ import annotations

import pytest

from tests.app.scenes import START, build, make_twin
from twin.app.twin import Twin
from twin.model.commands import Command
from twin.model.instants import HOUR
from twin.review.plan.document import document_of
from twin.review.plan.plan import Plan, Request, plan
from twin.review.plan.planned import PlannedChange, PlannedScript
from twin.review.plan.text import text_of
from twin.review.runbooks import text as runbook_text
from twin.review.runbooks.runbook import work_out
from twin.review.runbooks.subjects import RunbookRequest

OLD, NEW = "PR1_2026-01-01_00.00.00", "PR1_2026-01-01_01.00.00"
JOIN = """DEFINE CHANNEL(CA.PR1) CHLTYPE(CLUSRCVR) CONNAME('pr1(1414)') CLUSTER(CA)
DEFINE CHANNEL(CA.FR1) CHLTYPE(CLUSSDR) CONNAME('fr1(1414)') CLUSTER(CA)
DEFINE QLOCAL(Q) CLUSTER(CA) DEFBIND(NOTFIXED)
"""


@pytest.fixture
def twin(sqlite_url: str) -> Twin:
    """Return a cluster in which PR1 with the queue Q was deleted and made again."""
    twin = build(make_twin(sqlite_url, lambda: START + 2 * HOUR))
    for name in ("PR1", "PR2"):
        twin.runmqsc(name, "DEFINE QLOCAL(Q) CLUSTER(CA) DEFBIND(NOTFIXED)", at=START)
    twin.endmqm("PR1", at=START + HOUR)
    twin.dltmqm("PR1", at=START + HOUR)
    twin.crtmqm("PR1", at=START + HOUR)
    twin.strmqm("PR1", at=START + HOUR)
    twin.runmqsc("PR1", JOIN, at=START + HOUR)
    return twin


def planned(twin: Twin) -> Plan:
    """Plan another priority of Q at PR1, and the end of PR2."""
    changes: list[PlannedChange] = [
        PlannedScript("PR1", "ALTER QLOCAL(Q) DEFPRTY(3)"),
        Command.program("PR2", "endmqm"),
    ]
    return plan(twin, Request(changes=lambda _: changes))


def test_a_plan_names_the_qmid_of_owners_and_destinations(twin: Twin) -> None:
    """Both are named where the name alone is not enough, and no queue manager of another name."""
    made = planned(twin)
    lines = list(text_of(made))
    assert any(f"see queue Q of PR1 ({NEW}) in CA DEFPRTY" in line for line in lines)
    text = " ".join(" ".join(lines).split())
    assert f"PR1 ({OLD}) 33%, PR1 ({NEW}) 33%, PR2 33% (not reached)" in text
    assert "PR2 (" not in text.replace("PR2 (not reached)", "")
    document = document_of(made)
    assert {each["owner_qmid"] for each in document["changes"] if "owner_qmid" in each} == {NEW}
    shares = [share for each in document["routing"] for share in each["after"]]
    assert {share["qmid"] for share in shares if share["qmgr"] == "PR1"} == {OLD, NEW}


def test_a_finding_says_which_queue_manager_it_means(twin: Twin) -> None:
    """The queue manager that exists is meant; a finding that has a QMID says no more."""
    rows = twin.ask("doctor").rows
    (depth,) = [row for row in rows if row["object"] == "PR1 QMGR DEADQ"]
    assert str(depth["finding"]).endswith(f" PR1 is the one with QMID {NEW}.")
    (both,) = [row for row in rows if row["id"] == "queue-manager-name-duplicate"]
    assert "is the one with" not in str(both["finding"])


def test_a_runbook_says_which_queue_manager_it_is_about(twin: Twin) -> None:
    """Its first line and the steps about records have the QMID."""
    worked = work_out(twin, "leave", RunbookRequest(qmgr="PR1"))
    lines = list(runbook_text.text_of(worked))
    assert lines[1].startswith(f"PR1 ({NEW}) leaves CA.")
    assert any(f"No running full repository holds a record of PR1 ({NEW})." in a for a in lines)


def test_once_nobody_remembers_the_old_one_the_name_is_enough(twin: Twin) -> None:
    """It is shown alone again after the old one was removed by force."""
    reset = f"RESET CLUSTER(CA) ACTION(FORCEREMOVE) QMID('{OLD}') QUEUES(YES)"
    twin.runmqsc("FR1", reset, at=START + HOUR)
    assert not planned(twin).namesakes
    text = "\n".join(text_of(planned(twin)))
    assert f"({NEW})" not in text
