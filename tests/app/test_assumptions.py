"""What observed partial repositories are assumed to know, and that no order of facts changes it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.app.scenes import LATER, START, build
from tests.app.test_import_order import AT, FILES, NAMES, File, seen
from tests.app.test_laws import fresh
from tests.laws import examples
from twin.app.assumptions import AssumedName, NotObserved
from twin.app.observing import FileText
from twin.app.twin import Twin
from twin.fold.estate import NoSuchQueueManager
from twin.model.instants import DAY, HOUR, Instant
from twin.questions.explanation import ExplainRequest, Explanation

FULL = """ALTER QMGR REPOS(CA)
DEFINE CHANNEL(CA.{qmgr}) CHLTYPE(CLUSRCVR) CONNAME('{qmgr}(1414)') CLUSTER(CA)
DEFINE CHANNEL(CA.{other}) CHLTYPE(CLUSSDR) CONNAME('{other}(1414)') CLUSTER(CA)
"""
PARTIAL = """DEFINE CHANNEL(CA.{qmgr}) CHLTYPE(CLUSRCVR) CONNAME('{qmgr}(1414)') CLUSTER(CA)
DEFINE CHANNEL(CA.FR1) CHLTYPE(CLUSSDR) CONNAME('FR1(1414)') CLUSTER(CA)
DEFINE CHANNEL(CA.FR2) CHLTYPE(CLUSSDR) CONNAME('FR2(1414)') CLUSTER(CA)
"""
ALIAS = "DEFINE QALIAS(APP.ORDERS) TARGET(ORDERS)\n"
NOTE = "assumes that QM2 uses ORDERS (QALIAS APP.ORDERS); twin assume QM2 --nothing drops it"
COMPLETE = """Starting MQSC for queue manager QM2.
     1 : DISPLAY QCLUSTER(*)
{records}One MQSC command read.
No commands have a syntax error.
All valid MQSC commands were processed.
"""


def imported(twin: Twin, more: str = ALIAS, *, at: Instant = START) -> Twin:
    """Import two full repositories, QM1 with ORDERS, and QM2 with these definitions."""
    scripts = {
        "FR1": FULL.format(qmgr="FR1", other="FR2"),
        "FR2": FULL.format(qmgr="FR2", other="FR1"),
        "QM1": PARTIAL.format(qmgr="QM1") + "DEFINE QLOCAL(ORDERS) CLUSTER(CA)\n",
        "QM2": PARTIAL.format(qmgr="QM2") + more,
    }
    twin.ingest_files([FileText(text, name) for name, text in scripts.items()], at=at)
    return twin


def without_repositories(twin: Twin, branch: str) -> Twin:
    """Fork a branch on which both full repositories have ended."""
    twin.create_branch(branch)
    forked = twin.on_branch(branch)
    forked.endmqm("FR1")
    forked.endmqm("FR2")
    return forked


def explained(twin: Twin, queue: str = "APP.ORDERS") -> Explanation:
    """Explain a put at QM2."""
    return twin.explain("QM2", ExplainRequest(queue=queue))[0]


def known(twin: Twin, **at: Instant) -> set[str]:
    """Return the names of the records that QM2 holds of others, but not of full repositories."""
    rows = twin.ask("beliefs", on="QM2", as_of=at.get("at")).rows
    return {str(row["name"]) for row in rows} - {"QM2", "FR1", "FR2"}


def test_both_full_repositories_end_and_an_alias_still_works(twin: Twin) -> None:
    """What an imported alias leads to is known, so a put works without full repositories."""
    branch = without_repositories(imported(twin), "whatif")
    explanation = explained(branch)
    assert (explanation.reason, explanation.notes) == (0, (NOTE,))
    assert branch.put("QM2", "APP.ORDERS").reason == 0
    assert branch.notes_of_put("QM2", "APP.ORDERS") == (NOTE,)
    assert explained(branch, "PAYMENTS").reason == 2189
    assert branch.notes_of_put("QM1", "ORDERS") == ()


def test_nothing_is_assumed_while_a_full_repository_can_be_asked(twin: Twin) -> None:
    """An answer that does not depend on the assumption has no note about it."""
    notes = explained(imported(twin)).notes
    assert notes[0] == "QM1 is observed: nothing says whether it runs"
    assert all(" old, of 2026-01-01T00:00:00Z" in note for note in notes[1:])


def test_records_held_by_assumption_say_so(twin: Twin) -> None:
    """A queue record, its owner's record and the subscription are assumed; others are not."""
    imported(twin)
    rows = {row["name"]: row for row in twin.ask("beliefs", on="QM2", basis="derived").rows}
    assert set(rows) == {"FR1", "FR2", "QM2"}
    answer = twin.ask("subscriptions", on="QM2")
    assert [(row["name"], row["basis"]) for row in answer.rows] == [("ORDERS", "assumed")]
    assert NOTE in answer.notes
    assert NOTE in twin.ask("beliefs", on="QM2", kind="queue").notes
    assert not twin.ask("beliefs", on="FR1").notes[1:]


@pytest.mark.parametrize(
    ("definitions", "names"),
    [
        ("DEFINE QALIAS(A) TARGET(X)", [("queue", "X", "QALIAS A")]),
        ("DEFINE QALIAS(A) TARGET(X)\nDEFINE QLOCAL(X)", []),
        ("DEFINE QALIAS(A) TARGET(T) TARGTYPE(TOPIC)", []),
        (
            "DEFINE QREMOTE(R) RNAME(X) RQMNAME(QM9)",
            [("qmgr", "QM9", "QREMOTE R"), ("queue", "QM9", "QREMOTE R")],
        ),
        ("DEFINE QREMOTE(R) RNAME(X) RQMNAME(QM9) XMITQ(Q)\nDEFINE QLOCAL(Q) USAGE(XMITQ)", []),
        ("DEFINE QREMOTE(R) RNAME(X) RQMNAME(QM9)\nDEFINE QLOCAL(QM9) USAGE(XMITQ)", []),
        (
            "DEFINE QREMOTE(R) RNAME(' ') RQMNAME(QM9)",
            [("qmgr", "QM9", "QREMOTE R"), ("queue", "QM9", "QREMOTE R")],
        ),
        ("DEFINE SUB(S) TOPICSTR('t') DEST(X)", [("queue", "X", "SUB S")]),
        ("DEFINE QLOCAL(L) STREAMQ(X)", [("queue", "X", "QLOCAL L")]),
        ("DEFINE QLOCAL(L) CLUSTER(CA)", []),
        ("DEFINE QLOCAL(L) CLUSTER(CA) CLWLUSEQ(ANY)", [("queue", "L", "QLOCAL L")]),
        ("ALTER QMGR CLWLUSEQ(ANY)\nDEFINE QLOCAL(L) CLUSTER(CA)", [("queue", "L", "QLOCAL L")]),
    ],
)
def test_what_is_assumed_follows_from_the_definitions(
    twin: Twin, definitions: str, names: list[tuple[str, str, str]]
) -> None:
    """A queue manager is assumed to use the names that it would look up in its clusters."""
    imported(twin, definitions + "\n")
    assert twin.assumed("QM2") == [AssumedName(*each) for each in names]
    made = {(row["kind"], row["name"]) for row in twin.ask("subscriptions", on="QM2").rows}
    assert made == {each[:2] for each in names}


def test_a_name_ends_with_its_last_pointer(twin: Twin) -> None:
    """What is assumed follows the definitions as they were observed at each instant."""
    imported(twin)
    twin.ingest("DELETE QALIAS(APP.ORDERS)\n", qmgr="QM2", at=START + DAY)
    assert known(twin, at=START + DAY - 1) == {"ORDERS", "QM1"}
    assert known(twin) == set()
    assert twin.ask("subscriptions", on="QM2").rows == ()
    assert "ORDERS" not in str(twin.view()[0].qmgr("FR1").repository.subscribers)


def test_the_assumption_is_switched_off_and_on(twin: Twin) -> None:
    """--nothing drops what was only assumed; --queue and --used add to it again, also late."""
    imported(twin, ALIAS + "DEFINE QALIAS(B) TARGET(MORE)\n")
    twin.assume("QM2", "nothing", at=START + DAY)
    assert known(twin, at=START + HOUR) == {"ORDERS", "QM1"}
    assert (known(twin), twin.assumed("QM2")) == (set(), [])
    twin.assume("QM2", "queue", queue="ORDERS", at=START + 2 * DAY)
    assert (known(twin), twin.assumed("QM2")) == (
        {"ORDERS", "QM1"},
        [AssumedName("queue", "ORDERS", "")],
    )
    twin.assume("QM2", "used", at=START + 3 * DAY)
    assert [each.name for each in twin.assumed("QM2")] == ["MORE", "ORDERS"]
    twin.assume("QM2", "nothing", at=START + HOUR)
    assert known(twin, at=START + 2 * HOUR) == set()
    assert known(twin, at=START + 2 * DAY) == {"ORDERS", "QM1"}
    twin.log.verify()


def test_nothing_is_assumed_of_a_created_queue_manager(twin: Twin) -> None:
    """An assumption needs an observed queue manager, which exists."""
    build(twin)
    with pytest.raises(NotObserved, match="nothing is assumed of PR1"):
        twin.assume("PR1", "used")
    with pytest.raises(NoSuchQueueManager):
        twin.assume("QM7", "used")


def test_an_assumed_subscription_is_renewed_while_it_is_assumed(twin: Twin) -> None:
    """It does not lapse for want of use; on a branch it ends at a check after its alias is gone."""
    imported(twin)
    twin.create_branch("later", at=START)
    branch = twin.on_branch("later")
    branch.tick(START + 200 * DAY)
    (row,) = branch.ask("subscriptions", on="QM2").rows
    assert (row["made"], row["referenced"]) == (START + 7 * 27 * DAY, None)
    assert known(branch) == {"ORDERS", "QM1"}
    branch.runmqsc("QM2", "DELETE QALIAS(APP.ORDERS)")
    assert known(branch) == {"ORDERS", "QM1"}
    branch.tick(START + 220 * DAY)
    (row,) = branch.ask("subscriptions", on="QM2").rows
    assert row["state"] == "lapsed"


def capture(twin: Twin, queue: str) -> str:
    """Return a complete answer of QM2 that shows one queue of QM1."""
    qmid = twin.view()[0].qmgr("QM1").qmid
    record = f"""AMQ8409I: Display Queue details.
   QUEUE({queue})                          TYPE(QCLUSTER)
   CLUSTER(CA)                             CLUSQMGR(QM1)
   CLUSQT(QLOCAL)                          QMID({qmid})
   CLUSDATE(2025-12-31)                    CLUSTIME(10.00.00)
"""
    return COMPLETE.format(records=record)


@pytest.mark.parametrize("at", [START, START + DAY])
def test_a_complete_capture_ends_the_assumption(twin: Twin, at: Instant) -> None:
    """What a complete answer does not show is not known; what it shows was asked for."""
    imported(twin)
    twin.ingest(capture(twin, "OTHER"), qmgr="QM2", at=at)
    assert known(twin, at=at + HOUR) == {"OTHER", "QM1"}
    rows = twin.ask("subscriptions", on="QM2", as_of=at + HOUR).rows
    assert [(row["name"], row["state"]) for row in rows] == [("OTHER", "active")]
    twin.assume("QM2", "used", at=at + 2 * HOUR)
    assert known(twin, at=at + 2 * HOUR) == {"OTHER", "ORDERS", "QM1"}


def test_what_a_capture_shows_is_kept(twin: Twin) -> None:
    """A record that was seen stays, its request too, and neither is assumed any more."""
    imported(twin)
    twin.ingest(capture(twin, "ORDERS"), qmgr="QM2", at=START + DAY)
    held = twin.ask("beliefs", on="QM2", as_of=START + 2 * DAY, basis="derived").rows
    assert {"ORDERS", "QM1"} <= {row["name"] for row in held}
    rows = twin.ask("subscriptions", on="QM2", as_of=START + 2 * DAY).rows
    assert [row["made"] for row in rows] == [START]


def test_an_observed_refresh_leaves_what_is_assumed(twin: Twin) -> None:
    """After an observed REFRESH CLUSTER, the assumed names are asked for again."""
    from twin import events
    from twin.app.acting import Fact

    imported(twin)
    refreshed = events.ClusterCommandObserved(
        qmgr="QM2", command="REFRESH", cluster="CA", done=True
    )
    twin.record_observations([Fact(refreshed, "observation:test")], at=START + DAY)
    assert known(twin) == {"ORDERS", "QM1"}


class Chosen(NamedTuple):
    """A policy of a queue manager, and its instant."""

    at: Instant
    qmgr: str
    policy: Literal["used", "queue", "nothing"]
    queue: str


POLICIES = st.builds(
    Chosen,
    st.sampled_from([START + HOUR, *(at + HOUR for at in AT)]),
    st.sampled_from(NAMES[1:]),
    st.sampled_from(["used", "queue", "nothing"]),
    st.sampled_from(["A", "B"]),
)
STEPS = st.tuples(FILES, st.lists(POLICIES, max_size=3, unique_by=lambda each: each[:2]))


def take_in(twin: Twin, steps: Sequence[File | Chosen]) -> list[int]:
    """Build a cluster, import files and choose policies; return the last position of each step."""
    from twin import events
    from twin.app.acting import Fact
    from twin.app.assumptions import SOURCE

    build(twin)
    positions = []
    for step in steps:
        if isinstance(step, Chosen):
            queue = step.queue if step.policy == "queue" else ""
            event = events.AssumptionSet(qmgr=step.qmgr, policy=step.policy, queue=queue)
            twin.record_observations([Fact(event, SOURCE)], at=step.at)
        else:
            twin.ingest_files([step[1]], at=step[0])
        positions.append(twin.log.last().position)
    return positions


@examples(cost=4)
@given(STEPS, st.randoms(use_true_random=False))
def test_no_order_of_imports_and_policies_changes_an_answer(
    steps: tuple[list[File], list[Chosen]], chance: Any
) -> None:
    """Files and policies of some instants give the same estate in any order."""
    given_order: list[File | Chosen] = [*steps[0], *steps[1]]
    other_order = list(given_order)
    chance.shuffle(other_order)
    with fresh(2) as (one, other):
        take_in(one, given_order)
        take_in(other, other_order)
        assert seen(one) == seen(other)
        one.log.verify()


@examples(cost=4)
@given(STEPS, POLICIES)
def test_a_retracted_policy_was_never_set(
    steps: tuple[list[File], list[Chosen]], chosen: Chosen
) -> None:
    """The estate after the retraction of a policy is as if it had never been set."""
    with fresh(2) as (one, other):
        take_in(one, [*steps[0], *steps[1], chosen])
        policies = list(one.log.events(types=["AssumptionSet"]))
        one.retract([policies[-1].position])
        take_in(other, [*steps[0], *steps[1]])
        assert seen(one) == seen(other)


def test_the_last_instant_is_known(twin: Twin) -> None:
    """A policy of now holds from now on."""
    imported(twin)
    twin.assume("QM2", "nothing")
    assert known(twin, at=LATER - 1) == {"ORDERS", "QM1"}
    assert known(twin, at=LATER) == set()
