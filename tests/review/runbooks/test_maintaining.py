"""The runbook `maintain`."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.app.scenes import START, Act, build, histories, make_twin
from tests.app.test_laws import fresh
from tests.laws import examples
from tests.review.runbooks.carrying import carry_out
from twin.app.twin import Twin
from twin.model.instants import HOUR, MINUTE
from twin.review.runbooks.request import NoClusterKnown, NotInCluster, RunbookRequest
from twin.review.runbooks.runbook import WorkedRunbook, work_out
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


def states(worked: WorkedRunbook) -> list[str]:
    """Return the states of the steps."""
    return [str(each.state) for each in worked.steps]


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
    assert states(maintain(twin)) == ["done", "next"] + ["later"] * 5
    worked = maintain(twin)
    assert worked.steps[0].detail == (
        "confirmed with --done although nobody else has ONLY: messages for it wait until PR1 is "
        "back"
    )
    assert [each.step.id for each in worked.steps if each.commands] == [
        *("suspend", "end", "start", "resume"),
    ]
    assert worked.steps[4].expected == BEGAN + HOUR
    twin.runmqsc("PR1", "SUSPEND QMGR CLUSTER(CA)", at=BEGAN + MINUTE)
    assert states(maintain(twin, BEGAN + 2 * MINUTE)) == [*["done"] * 3, "next", *["later"] * 3]
    twin.endmqm("PR1", at=BEGAN + 3 * MINUTE)
    assert states(maintain(twin, BEGAN + 4 * MINUTE)) == [*["done"] * 4, "next", *["later"] * 2]
    twin.strmqm("PR1", at=BEGAN + HOUR)
    worked = maintain(twin, BEGAN + HOUR)
    assert states(worked) == [*["done"] * 5, "next", "later"]
    assert worked.steps[5].detail == "PR1 is suspended in CA; a restart does not resume"
    twin.runmqsc("PR1", "RESUME QMGR CLUSTER(CA)", at=BEGAN + 2 * HOUR)
    after = BEGAN + 2 * HOUR
    assert states(maintain(twin, after)) == ["done", "next"] + ["later"] * 5
    assert states(maintain(twin, after, since=BEGAN)) == ["done"] * 7


def test_a_queue_that_nobody_else_has_blocks_the_first_step(twin: Twin) -> None:
    """Until another member has it; after the queue manager has ended, that no longer matters."""
    (first, *_) = maintain(twin, confirmed=()).steps
    assert first.state is StepState.BLOCKED
    assert first.blocked_by == "nobody else has ONLY: messages for it wait until PR1 is back"
    twin.runmqsc("FR1", "DEFINE QLOCAL(ONLY) CLUSTER(CA)", at=BEGAN + MINUTE)
    assert states(maintain(twin, BEGAN + MINUTE, confirmed=())) == ["done", "next"] + ["later"] * 5
    twin.runmqsc("FR1", "DELETE QLOCAL(ONLY)", at=BEGAN + 2 * MINUTE)
    twin.endmqm("PR1", at=BEGAN + 3 * MINUTE)
    worked = maintain(twin, BEGAN + 4 * MINUTE, confirmed=())
    assert worked.steps[0].state is StepState.DONE
    assert not worked.is_blocked


def test_one_full_repository_is_maintained_at_a_time(twin: Twin) -> None:
    """While the other one is down the first step is blocked."""
    twin.endmqm("FR2", at=BEGAN)
    (first, *_) = maintain(twin, qmgr="FR1", confirmed=()).steps
    assert first.blocked_by == "FR1 is the only running full repository of CA: FR2 has ended"


def test_a_batch_in_doubt_is_waited_for(twin: Twin) -> None:
    """A batch to it that is in doubt is named; after the link is healed nothing is in its way."""
    twin.link("cut", "PR2", "PR1", at=BEGAN, silent=True)
    twin.put("PR2", "ORD", count=4, at=BEGAN)
    quiet = maintain(twin).steps[2]
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
