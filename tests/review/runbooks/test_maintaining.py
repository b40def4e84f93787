"""The runbook `maintain`."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.app.scenes import START, Act, add_on_zos, build, histories, make_twin
from tests.app.test_laws import fresh
from tests.laws import examples
from tests.review.runbooks.carrying import carry_out
from twin.app.rehearsing import Rehearsal
from twin.app.twin import Twin
from twin.model.instants import HOUR, MINUTE
from twin.review.runbooks.runbook import WorkedRunbook, work_out
from twin.review.runbooks.subjects import NoClusterKnown, NotInCluster, RunbookRequest
from twin.review.runbooks.walk import StepState

BEGAN = START + HOUR


@pytest.fixture
def twin(sqlite_url: str) -> Twin:
    """Return a cluster with ORD at PR1 and FR2, ONLY at PR1, and a sender PR2 that uses both."""
    twin = build(make_twin(sqlite_url, lambda: START + 10 * HOUR))
    for name, queue in (("PR1", "ORD"), ("FR2", "ORD"), ("PR1", "ONLY")):
        twin.runmqsc(name, f"DEFINE QLOCAL({queue}) CLUSTER(CA) DEFBIND(NOTFIXED)", at=START)
    for queue in ("ORD", "ONLY"):
        twin.put("PR2", queue, at=START)
    return twin


def maintain(twin: Twin, at: int = BEGAN, **options: Any) -> WorkedRunbook:
    """Work the runbook out for PR1, which alone has ONLY, at an instant."""
    chosen: dict[str, Any] = {"qmgr": "PR1", "lasts": HOUR, "confirmed": {"others"}, **options}
    chosen["confirmed"] = frozenset(chosen["confirmed"])
    request = RunbookRequest(**chosen)
    return work_out(twin, "maintain", request, as_of=at)


AT_FIRST = {
    "others": "done",
    "suspend": "next",
    "lower-rank": "done",
    **dict.fromkeys(("quiet", "end", "start", "resume"), "later"),
    "give-rank-back": "done",
    "reached": "later",
}
"""The states of the steps before the first command, if no rank has to be lowered."""


def by_id(worked: WorkedRunbook) -> dict[str, str]:
    """Return the state of each step by its id."""
    return {each.step.id: str(each.state) for each in worked.steps}


def next_of(worked: WorkedRunbook) -> str:
    """Return the id of the step whose turn it is; those before it are done, those after it not.

    Rank is lowered and given back only if there is one: otherwise both steps are done.
    """
    states = [(name, state) for name, state in by_id(worked).items() if "rank" not in name]
    due = [state for _, state in states].index("next")
    assert {state for _, state in states[:due]} <= {"done"}
    assert {state for _, state in states[due + 1 :]} <= {"later"}
    return states[due][0]


@examples(cost=4)
@given(histories(), st.sampled_from(["FR1", "FR2", "PR1", "PR2"]), st.integers(1, 48))
def test_each_step_that_is_taken_becomes_done_and_then_it_has_its_part_again(
    history: list[Act], name: str, hours: int
) -> None:
    """Afterwards it runs and is not suspended, and every channel to it can be used."""
    with fresh(1) as (twin,):
        build(twin)
        for act in history:
            act.perform(twin)
        since = history[-1].at
        accepted = frozenset({"others"})
        request = RunbookRequest(qmgr=name, since=since, lasts=hours * HOUR, confirmed=accepted)
        carried = carry_out(twin, "maintain", request)
        assert carried.steps[-1].state is StepState.DONE
        rehearsal = carried.rehearsal
        qmgr = rehearsal.estate.qmgrs[name]
        assert qmgr.running
        assert not qmgr.suspended
        assert qmgr.started is not None
        assert qmgr.started >= since + hours * HOUR
        assert carried.promised == rehearsal.now()
        members = rehearsal.ask("members").rows
        assert not [row for row in members if row["suspend"] == "YES"]
        statuses = rehearsal.ask("channels", channel=f"CA.{name}").rows
        assert not [row for row in statuses if row["status"] == "RETRYING"]


def test_the_procedure_is_followed_from_its_beginning_to_its_end(twin: Twin) -> None:
    """Since the suspension every run shows the next step; --since shows that all are done."""
    assert by_id(maintain(twin)) == AT_FIRST
    worked = maintain(twin)
    assert (worked.steps[0].confirmed, worked.steps[0].accepted) == (True, True)
    assert worked.steps[0].detail == (
        "confirmed with --done although nobody else has ONLY: messages for it wait until PR1 is "
        "back"
    )
    assert [each.step.id for each in worked.steps if each.commands] == [
        *("suspend", "end", "start", "resume"),
    ]
    start = next(each for each in worked.steps if each.step.id == "start")
    assert start.expected == BEGAN + HOUR
    twin.runmqsc("PR1", "SUSPEND QMGR CLUSTER(CA)", at=BEGAN + MINUTE)
    assert next_of(maintain(twin, BEGAN + 2 * MINUTE)) == "end"
    twin.endmqm("PR1", at=BEGAN + 3 * MINUTE)
    assert next_of(maintain(twin, BEGAN + 4 * MINUTE)) == "start"
    twin.strmqm("PR1", at=BEGAN + HOUR)
    worked = maintain(twin, BEGAN + HOUR)
    assert next_of(worked) == "resume"
    resume = next(each for each in worked.steps if each.step.id == "resume")
    assert resume.detail == "PR1 is suspended in CA; a restart does not resume"
    twin.runmqsc("PR1", "RESUME QMGR CLUSTER(CA)", at=BEGAN + 2 * HOUR)
    after = BEGAN + 2 * HOUR
    assert by_id(maintain(twin, after)) == AT_FIRST
    assert {*by_id(maintain(twin, after, since=BEGAN)).values()} == {"done"}


def test_a_queue_that_nobody_else_has_blocks_the_first_step(twin: Twin) -> None:
    """Until another member has it; after the queue manager has ended, that no longer matters."""
    (first, *_) = maintain(twin, confirmed=()).steps
    assert first.state is StepState.BLOCKED
    assert first.blocked_by == "nobody else has ONLY: messages for it wait until PR1 is back"
    twin.runmqsc("FR1", "DEFINE QLOCAL(ONLY) CLUSTER(CA)", at=BEGAN + MINUTE)
    assert by_id(maintain(twin, BEGAN + MINUTE, confirmed=())) == AT_FIRST
    twin.runmqsc("FR1", "DELETE QLOCAL(ONLY)", at=BEGAN + 2 * MINUTE)
    twin.endmqm("PR1", at=BEGAN + 3 * MINUTE)
    worked = maintain(twin, BEGAN + 4 * MINUTE, confirmed=())
    assert worked.steps[0].state is StepState.DONE
    assert not worked.is_blocked


def _commands(worked: WorkedRunbook, name: str) -> list[str]:
    return [
        command.text for each in worked.steps if each.step.id == name for command in each.commands
    ]


def test_an_instance_that_takes_no_messages_is_no_other_one(twin: Twin) -> None:
    """Another instance counts only if its queue manager runs, and its puts are enabled."""
    why = (
        "nobody else has ONLY; no other instance of ORD runs with PUT(ENABLED): messages for them "
        "wait until PR1 is back"
    )
    twin.runmqsc("FR2", "ALTER QLOCAL(ORD) PUT(DISABLED)", at=BEGAN)
    assert maintain(twin, confirmed=()).steps[0].blocked_by == why
    twin.runmqsc("FR2", "ALTER QLOCAL(ORD) PUT(ENABLED)", at=BEGAN + MINUTE)
    twin.endmqm("FR2", at=BEGAN + MINUTE)
    assert maintain(twin, BEGAN + MINUTE, confirmed=()).steps[0].blocked_by == why


@pytest.mark.parametrize(
    ("script", "lowered", "given_back"),
    [
        (
            "ALTER QLOCAL(ORD) CLWLRANK(5)",
            "ALTER QLOCAL(ORD) CLWLRANK(0)",
            "ALTER QLOCAL(ORD) CLWLRANK(5)",
        ),
        (
            "ALTER CHANNEL(CA.PR1) CHLTYPE(CLUSRCVR) CLWLRANK(3)",
            "ALTER CHANNEL(CA.PR1) CHLTYPE(CLUSRCVR) CLWLRANK(0)",
            "ALTER CHANNEL(CA.PR1) CHLTYPE(CLUSRCVR) CLWLRANK(3)",
        ),
    ],
)
def test_a_rank_is_lowered_first_and_given_back_at_the_end(
    twin: Twin, script: str, lowered: str, given_back: str
) -> None:
    """Rank is compared before SUSPEND: without the step, messages go to PR1 and wait there."""
    twin.runmqsc("PR1", script, at=START)
    worked = maintain(twin)
    assert (_commands(worked, "lower-rank"), _commands(worked, "give-rank-back")) == (
        [lowered],
        [given_back],
    )

    def chosen(rehearsal: Rehearsal) -> set[str]:
        outcome = rehearsal.put("PR2", "ORD", count=4, bind="notfixed")
        return {*outcome.order}

    rehearsal = twin.rehearse(as_of=BEGAN)
    rehearsal.runmqsc("PR1", "SUSPEND QMGR CLUSTER(CA)")
    assert chosen(rehearsal.fork()) == {"PR1"}
    rehearsal.runmqsc("PR1", lowered)
    assert chosen(rehearsal) == {"FR2"}

    carried = carry_out(
        twin,
        "maintain",
        RunbookRequest(qmgr="PR1", since=BEGAN, lasts=HOUR, confirmed=frozenset({"others"})),
    )
    assert carried.steps[-1].state is StepState.DONE
    assert chosen(carried.rehearsal) == {"PR1"}


def test_the_rank_of_before_is_known_after_it_was_lowered(twin: Twin) -> None:
    """It is that from just before the suspension, with which the maintenance began."""
    twin.runmqsc("PR1", "ALTER QLOCAL(ORD) CLWLRANK(5)", at=START)
    script = "SUSPEND QMGR CLUSTER(CA)\nALTER QLOCAL(ORD) CLWLRANK(0)"
    twin.runmqsc("PR1", script, at=BEGAN)
    worked = maintain(twin, BEGAN + MINUTE)
    assert next_of(worked) == "end"
    assert by_id(worked)["lower-rank"] == "done"
    assert _commands(worked, "give-rank-back") == ["ALTER QLOCAL(ORD) CLWLRANK(5)"]


def test_one_full_repository_is_maintained_at_a_time(twin: Twin) -> None:
    """While the other one is down the first step is blocked."""
    twin.endmqm("FR2", at=BEGAN)
    (first, *_) = maintain(twin, qmgr="FR1", confirmed=()).steps
    assert first.blocked_by == "FR1 is the only running full repository of CA: FR2 has ended"
    twin.runmqsc("PR1", "ALTER QMGR REPOS(CA)", at=BEGAN)
    twin.endmqm("PR1", at=BEGAN)
    (first, *_) = maintain(twin, qmgr="FR1", confirmed=()).steps
    assert first.blocked_by == "FR1 is the only running full repository of CA: FR2, PR1 have ended"


def test_on_zos_it_is_ended_and_started_with_mqsc_commands(twin: Twin) -> None:
    """The channel initiator is started by itself there, and no step names endmqm or strmqm."""
    add_on_zos(twin)
    worked = maintain(twin, qmgr="ZOS1")
    assert _commands(worked, "end") == ["STOP QMGR"]
    assert _commands(worked, "start") == ["START QMGR", "START CHINIT"]
    request = RunbookRequest(qmgr="ZOS1", since=BEGAN, lasts=HOUR, confirmed=frozenset({"others"}))
    assert carry_out(twin, "maintain", request).steps[-1].state is StepState.DONE


def test_a_batch_in_doubt_is_waited_for(twin: Twin) -> None:
    """A batch to it that is in doubt is named; after the link is healed nothing is in its way."""
    twin.link("cut", "PR2", "PR1", at=BEGAN, silent=True)
    twin.put("PR2", "ORD", count=4, at=BEGAN)
    quiet = next(each for each in maintain(twin).steps if each.step.id == "quiet")
    assert quiet.detail == "a batch is in doubt: PR2 CA.PR1"
    assert quiet.blocked_by == quiet.detail
    twin.link("heal", "PR2", "PR1", at=BEGAN + 2 * HOUR)
    assert not maintain(twin, BEGAN + 3 * HOUR).is_blocked


def test_what_it_cannot_be_about_is_refused(twin: Twin) -> None:
    """Another cluster, or a queue manager without one, has no maintenance of this kind."""
    with pytest.raises(NotInCluster, match="PR1 has nothing to do with cluster CB"):
        maintain(twin, cluster="CB")
    twin.crtmqm("ALONE", at=BEGAN)
    with pytest.raises(NoClusterKnown, match="ALONE is in no cluster"):
        maintain(twin, qmgr="ALONE")
