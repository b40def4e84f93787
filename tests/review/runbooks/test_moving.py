"""The runbook `move-full-repository`."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.app.scenes import START, Act, build, histories, make_twin
from tests.app.test_laws import fresh
from tests.laws import examples
from tests.review.runbooks.carrying import carry_out, stopped_channels, take
from twin.app.twin import Twin
from twin.model.instants import DAY, HOUR, SECOND
from twin.review.runbooks import moving
from twin.review.runbooks.runbook import WorkedRunbook, work_out
from twin.review.runbooks.subjects import NobodyTakesOver, NoRoleToMove, RunbookRequest
from twin.review.runbooks.walk import RunbookWalk, StepState
from twin.rules import membership


@pytest.fixture
def twin(sqlite_url: str) -> Twin:
    """Return a cluster with the full repositories FR1 and FR2, and the members PR1 and PR2."""
    return build(make_twin(sqlite_url, lambda: START + HOUR))


def move(twin: Twin, **options: Any) -> WorkedRunbook:
    """Work the runbook out now: PR2 takes over from FR1."""
    return work_out(
        twin, "move-full-repository", RunbookRequest(**{"qmgr": "FR1", "to": "PR2"} | options)
    )


def commands(worked: WorkedRunbook) -> dict[str, list[tuple[str, str]]]:
    """Return the commands of each step that has any, by its id."""
    return {
        each.step.id: [(command.on, command.text) for command in each.commands]
        for each in worked.steps
        if each.commands
    }


@examples(cost=4)
@given(histories(), st.sampled_from(["FR1", "FR2"]), st.sampled_from(["FR1", "FR2", "PR1", "PR2"]))
def test_each_step_that_is_taken_becomes_done_and_then_the_new_one_holds_all(
    history: list[Act], old: str, new: str
) -> None:
    """The new pair holds the same, everybody knows it, and 40 days later no record is overdue."""
    if old == new:
        return
    with fresh(1) as (twin,):
        build(twin)
        for act in history:
            act.perform(twin)
        request = RunbookRequest(qmgr=old, to=new, cluster="CA")
        carried = carry_out(twin, "move-full-repository", request)
        assert carried.steps[-1].state is StepState.DONE
        rehearsal = carried.rehearsal
        assert membership.is_full(rehearsal.estate.qmgrs[new], "CA")
        assert not membership.is_full(rehearsal.estate.qmgrs[old], "CA")
        assert carried.promised == rehearsal.now()
        rehearsal.advance(rehearsal.now() + 40 * DAY)
        seen = {name for name, qmgr in rehearsal.estate.qmgrs.items() if qmgr.observed}
        rows = rehearsal.ask("lifetimes", on=new).rows
        late = [row for row in rows if row["state"] != "active" and row["owner"] not in seen]
        assert not [row for row in late if row["owner"] in rehearsal.estate.qmgrs]
        assert not [
            row
            for row in rehearsal.ask("divergence", on=new).rows
            if row["owner"] in rehearsal.estate.qmgrs and row["owner"] not in seen
        ]


def test_the_commands_are_those_of_the_estate(twin: Twin) -> None:
    """Each command has the names and addresses of this cluster, and the queue manager to run it."""
    assert commands(move(twin)) == {
        "promote": [("PR2", "ALTER QMGR REPOS(CA)")],
        "connect": [
            ("FR2", "DEFINE CHANNEL(CA.PR2) CHLTYPE(CLUSSDR) CONNAME('pr2(1414)') CLUSTER(CA)"),
            ("PR2", "DEFINE CHANNEL(CA.FR1) CHLTYPE(CLUSSDR) CONNAME('fr1(1414)') CLUSTER(CA)"),
            ("FR1", "DEFINE CHANNEL(CA.PR2) CHLTYPE(CLUSSDR) CONNAME('pr2(1414)') CLUSTER(CA)"),
        ],
        "lead": [
            ("PR1", "DEFINE CHANNEL(CA.PR2) CHLTYPE(CLUSSDR) CONNAME('pr2(1414)') CLUSTER(CA)")
        ],
        "demote": [("FR1", "ALTER QMGR REPOS(' ')")],
        "remove-senders": [
            ("FR2", "STOP CHANNEL(CA.FR1) STATUS(INACTIVE)"),
            ("FR2", "DELETE CHANNEL(CA.FR1)"),
            ("PR1", "STOP CHANNEL(CA.FR1) STATUS(INACTIVE)"),
            ("PR1", "DELETE CHANNEL(CA.FR1)"),
            ("PR2", "STOP CHANNEL(CA.FR1) STATUS(INACTIVE)"),
            ("PR2", "DELETE CHANNEL(CA.FR1)"),
        ],
    }


def test_a_channel_to_the_old_one_that_is_stopped_is_started(twin: Twin) -> None:
    """The old one stays a member: the last step names the channel, and the command at its end."""
    carried = carry_out(twin, "move-full-repository", RunbookRequest(qmgr="FR1", to="PR2"))
    assert carried.steps[-1].state is StepState.DONE
    rehearsal, subject = carried.rehearsal, carried.subject
    rehearsal.runmqsc("PR1", "STOP CHANNEL(CA.FR1)")
    *before, last = RunbookWalk(subject, rehearsal).through(moving.STEPS)
    assert {each.state for each in before} == {StepState.DONE}
    assert last.detail == "channels to FR1 are STOPPED: CA.FR1 at PR1"
    assert [*map(str, last.commands)] == ["PR1: START CHANNEL(CA.FR1)"]
    take(rehearsal, last, subject)
    (*_, last) = RunbookWalk(subject, rehearsal).through(moving.STEPS)
    assert last.state is StepState.DONE
    assert stopped_channels(rehearsal) == set()


def test_what_is_left_to_the_members_is_said_to_put_nothing_at_risk(twin: Twin) -> None:
    """Each member publishes again by itself; the new one holds the records until then."""
    carried = carry_out(twin, "move-full-repository", RunbookRequest(qmgr="FR1", to="PR2"))
    assert carried.promised == carried.rehearsal.now()
    rehearsal = twin.rehearse()
    rehearsal.advance(rehearsal.now() + SECOND)
    steps = RunbookWalk(carried.subject, rehearsal).through(moving.STEPS)
    for walked in steps[:-1]:
        if walked.state is not StepState.DONE:
            take(rehearsal, walked, carried.subject)
    (*_, last) = RunbookWalk(carried.subject, rehearsal).through(moving.STEPS)
    assert last.state is StepState.NEXT
    assert last.detail == (
        "not sent yet: PR1 to PR2. Nothing is at risk meanwhile: PR2 holds these records already. "
        "Each member sends them by itself when it publishes again, after 27 days at most"
    )


def test_a_full_repository_of_another_cluster_gets_a_namelist(twin: Twin) -> None:
    """It keeps its role there."""
    twin.runmqsc("PR2", "ALTER QMGR REPOS(CB)", at=START + HOUR)
    assert commands(move(twin))["promote"] == [
        ("PR2", "DEFINE NAMELIST(REPOSITORY.CB.CA) NAMES(CB,CA)"),
        ("PR2", "ALTER QMGR REPOS(' ') REPOSNL(REPOSITORY.CB.CA)"),
    ]
    carried = carry_out(twin, "move-full-repository", RunbookRequest(qmgr="FR1", to="PR2"))
    assert membership.full_repository_of(carried.rehearsal.estate.qmgrs["PR2"]) == ("CB", "CA")


def test_the_old_one_keeps_its_role_while_the_new_one_lacks_records(twin: Twin) -> None:
    """A new full repository that cannot be reached blocks; what comes after it has no dates."""
    for other in ("FR1", "FR2"):
        twin.link("cut", "PR2", other, at=START + HOUR)
    worked = move(twin)
    complete = next(each for each in worked.steps if each.step.id == "complete")
    assert complete.state is StepState.BLOCKED
    assert complete.blocked_by.startswith("PR2 lacks 1 record that FR2 holds: PR1")
    demote = next(each for each in worked.steps if each.step.id == "demote")
    assert (demote.state, demote.expected) == (StepState.LATER, None)
    assert [*map(str, demote.commands)] == ["FR1: ALTER QMGR REPOS(' ')"]


def test_one_full_repository_may_be_left(twin: Twin) -> None:
    """Another full repository can take over alone; that two are recommended is said."""
    worked = move(twin, to="FR2")
    assert worked.steps[0].detail.endswith("the only full repository, and two are recommended")
    assert not worked.is_blocked
    carried = carry_out(twin, "move-full-repository", RunbookRequest(qmgr="FR1", to="FR2"))
    assert carried.steps[-1].state is StepState.DONE


@pytest.mark.parametrize("ended", ["", "FR2"])
def test_one_that_never_comes_back_is_removed_by_force(twin: Twin, ended: str) -> None:
    """Others would hold it as a full repository for 90 days: the new one removes its records."""
    if ended:
        for command in ("SUSPEND QMGR CLUSTER(CA)", "ALTER QMGR REPOS(' ')"):
            twin.runmqsc(ended, command, at=START + HOUR)
    twin.endmqm("FR1", at=START + HOUR)
    worked = move(twin, lost=True)
    assert not worked.is_blocked
    (removal,) = commands(worked)["remove"]
    assert removal == (
        "PR2" if ended else "FR2",
        "RESET CLUSTER(CA) ACTION(FORCEREMOVE) QMID('FR1_2026-01-01_00.00.00') QUEUES(YES)",
    )
    request = RunbookRequest(qmgr="FR1", to="PR2", lost=True)
    carried = carry_out(twin, "move-full-repository", request)
    assert carried.steps[-1].state is StepState.DONE
    members = carried.rehearsal.ask("members").rows
    elsewhere = [row for row in members if row["known_by"] != ("FR1",)]
    assert "FR1" not in {row["qmgr"] for row in elsewhere}
    assert {row["qmgr"] for row in elsewhere if row["qmtype"] == "REPOS"} == (
        {"PR2"} if ended else {"FR2", "PR2"}
    )


def test_a_move_needs_somebody_who_takes_over(twin: Twin) -> None:
    """It is refused without another member, and between two that are no full repositories."""
    with pytest.raises(NobodyTakesOver, match="takes over from FR1"):
        move(twin, to="FR1")
    with pytest.raises(NoRoleToMove, match="neither PR1 nor PR2 is a full repository of CA"):
        move(twin, qmgr="PR1")
    twin.endmqm("PR2", at=START + HOUR)
    assert move(twin).steps[0].blocked_by == "PR2 has ended"
