"""The runbook `dr-test`."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.app.scenes import START, Act, build, histories, make_twin
from tests.app.test_laws import fresh
from tests.laws import examples
from tests.review.runbooks.carrying import carry_out
from twin import events
from twin.app.acting import Fact
from twin.app.queue_managers import NoBackupYet
from twin.app.twin import Twin
from twin.model.instants import DAY, HOUR
from twin.review.runbooks.runbook import WorkedRunbook, work_out
from twin.review.runbooks.subjects import RunbookRequest
from twin.review.runbooks.walk import StepState

NOW = START + 2 * DAY
BY_HAND = frozenset({"fence", "start", "disarm", "test"})
OLD = "PR1_2026-01-01_00.00.00"


@pytest.fixture
def twin(sqlite_url: str) -> Twin:
    """Return a cluster with ORD at PR1, and a sender PR2 that uses it."""
    twin = build(make_twin(sqlite_url, lambda: NOW))
    twin.runmqsc("PR1", "DEFINE QLOCAL(ORD) CLUSTER(CA)", at=START)
    twin.put("PR2", "ORD", count=2, at=START)
    return twin


def dr_test(twin: Twin, **options: Any) -> WorkedRunbook:
    """Work the runbook out now for PR1."""
    chosen: dict[str, Any] = {"qmgr": "PR1", **options}
    return work_out(twin, "dr-test", RunbookRequest(**chosen))


def _make_again(twin: Twin, name: str, at: int) -> None:
    """Delete a queue manager without leaving, and make it again."""
    twin.endmqm(name, at=at)
    twin.dltmqm(name, at=at)
    twin.crtmqm(name, at=at)
    twin.strmqm(name, at=at)
    twin.runmqsc(
        name,
        f"DEFINE CHANNEL(CA.{name}) CHLTYPE(CLUSRCVR) CONNAME('dr(1414)') CLUSTER(CA)\n"
        "DEFINE CHANNEL(CA.FR1) CHLTYPE(CLUSSDR) CONNAME('fr1(1414)') CLUSTER(CA)\n",
        at=at,
    )


@examples(cost=4)
@given(histories(), st.sampled_from(["PR1", "PR2"]))
def test_each_step_that_is_taken_becomes_done_and_then_one_qmid_is_left(
    history: list[Act], name: str
) -> None:
    """What another queue manager of the name published is removed, and production stays."""
    with fresh(1) as (twin,):
        build(twin)
        for act in history:
            if not act.observed:
                act.perform(twin)
        _make_again(twin, name, history[-1].at)
        request = RunbookRequest(qmgr=name, confirmed=BY_HAND)
        carried = carry_out(twin, "dr-test", request)
        assert carried.steps[-1].state is StepState.DONE
        rows = carried.rehearsal.ask("members").rows
        (row,) = (row for row in rows if row["qmgr"] == name)
        assert row["qmid"] == carried.subject.qmid
        known_by = row["known_by"]
        assert isinstance(known_by, tuple)
        assert {"FR1", "FR2"} <= {*known_by}


def test_what_happens_in_the_test_network_is_confirmed_by_people(twin: Twin) -> None:
    """The twin names the addresses and the commands, and does not say that they are done."""
    worked = dr_test(twin)
    assert [str(each.state) for each in worked.steps] == ["done", "next", *["later"] * 5]
    assert "fr1(1414), fr2(1414), pr2(1414)" not in worked.steps[1].unknown
    assert worked.steps[1].unknown.endswith("2 in all: fr1(1414), fr2(1414)")
    copy = "the copy of PR1"
    assert [[(each.on, each.text) for each in step.commands] for step in worked.steps[2:5]] == [
        [(copy, "strmqm -ns PR1")],
        [(copy, "DISPLAY CHSTATUS(*) INDOUBT"), (copy, "REFRESH CLUSTER(CA) REPOS(YES)")],
        [(copy, "START CHINIT"), (copy, "START CHANNEL(CA.FR1)")],
    ]
    assert worked.steps[3].unknown == (
        "whether the copy of PR1 has other addresses than production (CLUSSDR(CA.FR1) fr1(1414); "
        "CLUSRCVR(CA.PR1) pr1(1414)), and has forgotten production"
    )
    assert not worked.is_blocked
    done = dr_test(twin, confirmed=BY_HAND)
    assert [each.state for each in done.steps] == [StepState.DONE] * 7
    full = dr_test(twin, qmgr="FR1").steps[3].commands
    assert [each.text for each in full] == [
        "ALTER QMGR REPOS(' ')",
        "DISPLAY CHSTATUS(*) INDOUBT",
        "REFRESH CLUSTER(CA) REPOS(YES)",
        "ALTER QMGR REPOS(CA)",
    ]


def test_a_copy_forgets_production_in_each_of_its_clusters(twin: Twin) -> None:
    """Also if the test is about one of them: the copy would still publish in the other one."""
    twin.runmqsc(
        "PR1",
        "DEFINE NAMELIST(BOTH) NAMES(CA, CB)\n"
        "ALTER CHANNEL(CA.PR1) CHLTYPE(CLUSRCVR) CLUSTER(' ') CLUSNL(BOTH)\n"
        "ALTER CHANNEL(CA.FR1) CHLTYPE(CLUSSDR) CLUSTER(' ') CLUSNL(BOTH)\n",
        at=START,
    )
    worked = dr_test(twin, cluster="CA")
    assert [each.text for each in worked.steps[3].commands] == [
        "DISPLAY CHSTATUS(*) INDOUBT",
        "REFRESH CLUSTER(CA) REPOS(YES)",
        "REFRESH CLUSTER(CB) REPOS(YES)",
    ]
    assert [each.text for each in worked.steps[4].commands] == [
        "START CHINIT",
        "START CHANNEL(CA.FR1)",
    ]


def test_another_qmid_in_production_is_removed_by_force(twin: Twin) -> None:
    """Who holds it is named, and one full repository removes it everywhere."""
    _make_again(twin, "PR1", START + DAY)
    (first, *_) = dr_test(twin).steps
    assert first.state is StepState.NEXT
    assert f"FR1 holds {OLD} at pr1(1414)" in first.detail
    assert [*map(str, first.commands)] == [
        f"FR1: RESET CLUSTER(CA) ACTION(FORCEREMOVE) QMID('{OLD}') QUEUES(YES)"
    ]


def test_an_address_that_it_did_not_publish_is_published_again(twin: Twin) -> None:
    """A full repository that was seen to hold the address of a copy hears of the right one."""
    seen = events.BeliefsObserved(
        qmgr="FR1",
        kind="qmgr",
        said=(
            events.RecordSaid(
                cluster="CA",
                name="CA.PR1",
                owner=OLD,
                owner_name="PR1",
                values={"CONNAME": "dr(1414)"},
                received=START + DAY,
            ),
        ),
        columns=("CONNAME",),
        complete=None,
    )
    twin.record_observations([Fact(seen, "observation:test")], at=START + DAY)
    (first, *_) = dr_test(twin).steps
    assert first.detail.startswith(
        "somebody else published as PR1: FR1 holds CA.PR1 at dr(1414). If it still runs, end it"
    )
    assert [*map(str, first.commands)] == ["PR1: REFRESH CLUSTER(CA) REPOS(NO)"]
    assert not dr_test(twin, confirmed=BY_HAND).is_blocked


def test_the_answers_of_production_show_what_a_copy_published_until_it_is_mended(
    twin: Twin,
) -> None:
    """Imported answers to DISPLAY CLUSQMGR name the address of the copy; one command mends it."""
    twin.create_branch("copy", at=START + DAY)
    copy = twin.on_branch("copy")
    alter = "ALTER CHANNEL(CA.PR1) CHLTYPE(CLUSRCVR) CONNAME('dr(1414)')"
    copy.runmqsc("PR1", alter, at=START + DAY)
    own = work_out(copy, "dr-test", RunbookRequest(qmgr="PR1")).steps[0]
    assert own.state is StepState.DONE  # PR1 published this address itself
    holders = ("FR1", "FR2", "PR2")
    for name in holders:
        display = copy.runmqsc(name, "DISPLAY CLUSQMGR(*) ALL", at=START + DAY)
        twin.ingest("\n".join(display.lines), qmgr=name, at=START + DAY + HOUR)
    (first, *_) = dr_test(twin).steps
    assert first.state is StepState.NEXT
    assert all(f"{name} holds CA.PR1 at dr(1414)" in first.detail for name in holders)
    (command,) = first.commands
    twin.create_branch("mended", at=NOW)
    mended = twin.on_branch("mended")
    assert mended.runmqsc(command.on, command.text).exit_code == 0
    after = work_out(mended, "dr-test", RunbookRequest(qmgr="PR1")).steps[0]
    assert after.state is StepState.DONE
    for name in holders:
        held = mended.runmqsc(name, "DISPLAY CLUSQMGR(PR1) CONNAME").lines
        assert any("CONNAME(pr1(1414))" in line for line in held)


def test_what_a_copy_would_do_that_got_through_is_rehearsed(twin: Twin) -> None:
    """A backup from before the last change takes that back at all who hear of it."""
    twin.runmqsc("PR1", "ALTER QLOCAL(ORD) PUT(DISABLED)", at=START + DAY)
    worked = dr_test(twin, since=START + HOUR)
    assert worked.notes[0].startswith(
        "If the copy published in production (REFRESH CLUSTER): 3 records would change at 3 queue "
        "managers, and "
    )
    assert (
        dr_test(twin, since=NOW)
        .notes[0]
        .startswith("If the copy published in production (REFRESH CLUSTER): 0 records would change")
    )
    with pytest.raises(NoBackupYet):
        dr_test(twin, since=NOW + DAY)
