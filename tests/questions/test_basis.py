"""What rows rest on: observed, derived by the rules, or assumed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.sandbox import START, Sandbox, small_cluster
from twin.events import BeliefsObserved, ChannelObserved, ObjectsObserved, RecordSaid, StatedObject
from twin.events.base import Values
from twin.model.basis import Basis, weakest
from twin.model.instants import DAY, HOUR
from twin.questions.answer import Answer
from twin.questions.belief import beliefs, lifetimes, members
from twin.questions.channels import channels
from twin.questions.divergence import divergence
from twin.questions.explain import explained
from twin.questions.explanation import ExplainRequest
from twin.questions.picture import draw
from twin.rules.deriving import derive, derive_together

QUESTIONS = (members, beliefs, lifetimes, divergence)


def define(name: str, type_: str, values: Values) -> StatedObject:
    """Return an object as a dump states it."""
    return StatedObject(act="define", name=name, type=type_, values=values)


def imported() -> Sandbox:
    """Return a cluster of which FR1 and its member QM2, which has a queue, were observed."""
    box = Sandbox()
    statements = []
    for name in ("FR1", "QM2"):
        channels = [
            define("CA.FR1", "CLUSSDR", {"CONNAME": "fr1(1414)", "CLUSTER": "CA"}),
            define(f"CA.{name}", "CLUSRCVR", {"CONNAME": f"{name.lower()}(1414)", "CLUSTER": "CA"}),
        ]
        if name == "FR1":
            own = define("", "QMGR", {"REPOS": "CA"})
            statements.append(ObjectsObserved(qmgr=name, kind="QMGR", said=(own,), qmid="FR1_1"))
            channels = channels[1:]
        statements.append(
            ObjectsObserved(qmgr=name, kind="CHANNEL", said=tuple(channels), qmid=f"{name}_1")
        )
    queue = define("ORD", "QLOCAL", {"CLUSTER": "CA"})
    statements.append(ObjectsObserved(qmgr="QM2", kind="QUEUE", said=(queue,), qmid="QM2_1"))
    for follow in derive_together(box.draft, statements):
        follow()
    return box.pass_time(HOUR)


def seen(box: Sandbox, *, assumes_utc: bool = False) -> BeliefsObserved:
    """Return what FR1 shows of queues: the one that it holds, with the date of its receipt."""
    record = RecordSaid(
        cluster="CA",
        name="ORD",
        owner="QM2_1",
        owner_name="QM2",
        values={"CLUSQT": "QLOCAL"},
        received=START - 5 * DAY,
    )
    return BeliefsObserved(
        qmgr="FR1",
        kind="queue",
        said=(record,),
        columns=("CLUSQT",),
        complete="*",
        assumes_utc=assumes_utc,
    )


def bases(answer: Answer) -> list[dict[str, str]]:
    """Return for each row the basis of its columns; of all as `*`, if they do not differ."""
    rows = answer.as_json()["rows"]
    return [row.get("basis_of") or {"*": row["basis"]} for row in rows]


@pytest.mark.parametrize("question", QUESTIONS)
def test_what_was_created_in_the_twin_is_derived(question: object) -> None:
    """Of queue managers that were created in the twin, everything follows from the rules."""
    box = small_cluster()
    box.run("PR2", "DEFINE QLOCAL(ORD) CLUSTER(CA)")
    box.pass_time(DAY)
    answer = question(box.estate, box.as_of)  # type: ignore[operator]
    assert {row["basis"] for row in answer.rows} <= {Basis.DERIVED}
    assert answer.notes == ()


def test_the_dates_of_imported_definitions_are_assumed() -> None:
    """That FR1 holds the queue is derived; when it was published is assumed, and counted."""
    box = imported()
    answer = lifetimes(box.estate, box.as_of, on="FR1", kind="queue")
    (row,) = bases(answer)
    assert row["name"] == "derived"
    assert {row[column] for column in ("published", "expires", "removal", "state")} == {"assumed"}
    assert [each["basis"] for each in answer.rows] == ["assumed"]
    assert answer.notes == ("4 of 4 dates are assumed",)


def test_what_a_queue_manager_defines_itself_was_observed() -> None:
    """The holder's own records are observed, as its definitions are."""
    box = imported()
    (own,) = bases(beliefs(box.estate, box.as_of, on="QM2", kind="queue"))
    assert own["name"] == "observed"


def test_a_record_that_was_shown_is_observed_and_so_is_its_receipt() -> None:
    """A record in an answer is observed; CLUSDATE is when it was received."""
    box = imported()
    derive(box.draft, seen(box))
    answer = beliefs(box.estate, box.as_of, on="FR1", kind="queue")
    (row,) = bases(answer)
    assert (row["name"], row["received"], row["expires"]) == ("observed", "observed", "derived")
    assert answer.rows[0]["received"] == START - 5 * DAY
    assert len(answer.evidence[0]) == 2


def test_an_expired_record_that_is_no_longer_shown_is_not_held() -> None:
    """A complete answer shows what has expired, too: without it, the record is gone."""
    box = imported()
    box.control("endmqm", "QM2")
    derive(box.draft, seen(box))
    box.pass_time(40 * DAY)
    (row,) = beliefs(box.estate, box.as_of, on="FR1", kind="queue").rows
    assert row["state"] == "expired"
    derive(box.draft, replace(seen(box), said=()))
    assert not beliefs(box.estate, box.as_of, on="FR1", kind="queue").rows


def test_who_knows_a_member_is_assumed_while_not_all_that_members_hold_was_seen() -> None:
    """QM2 is in its own definitions; nobody saw what FR1 holds."""
    box = imported()
    for found in bases(members(box.estate, box.as_of)):
        assert (found["qmgr"], found["known_by"]) == ("observed", "assumed")
    known = {row["qmgr"]: row["known_by"] for row in members(box.estate, box.as_of).rows}
    assert known == {"FR1": ("FR1", "QM2"), "QM2": ("FR1", "QM2")}
    answer = members(box.estate, box.as_of, basis="observed")
    assert {row["qmgr"]: row["known_by"] for row in answer.rows} == {
        "FR1": ("FR1",),
        "QM2": ("QM2",),
    }


def test_a_receipt_in_an_unknown_zone_is_assumed() -> None:
    """Without a zone, local times are taken as UTC, which is an assumption."""
    box = imported()
    derive(box.draft, seen(box, assumes_utc=True))
    (row,) = bases(beliefs(box.estate, box.as_of, on="FR1", kind="queue"))
    assert (row["name"], row["received"]) == ("observed", "assumed")


def test_only_what_was_observed_can_be_asked_for() -> None:
    """With --basis observed, other rows are left out, and other values of observed rows."""
    box = imported()
    derive(box.draft, seen(box))
    (row,) = beliefs(box.estate, box.as_of, on="FR1", kind="queue", basis="observed").rows
    assert row["received"] == START - 5 * DAY
    assert (row["state"], row["expires"], row["basis"]) == (None, None, "observed")
    held = beliefs(box.estate, box.as_of, on="FR1").rows
    assert len(beliefs(box.estate, box.as_of, on="FR1", basis="observed").rows) < len(held)
    assert len(beliefs(box.estate, box.as_of, on="FR1", basis="assumed").rows) == len(held)


def test_what_a_command_publishes_has_derived_dates() -> None:
    """A command at an observed owner, as on a branch, publishes at a known instant."""
    box = imported()
    box.run("QM2", "ALTER QLOCAL(ORD) DESCR('new')")
    box.pass_time(HOUR)
    (row,) = bases(lifetimes(box.estate, box.as_of, on="FR1", kind="queue"))
    assert row == {"*": "derived"}


def test_a_record_that_a_complete_answer_lacks_is_an_observed_difference() -> None:
    """FR1 was seen not to hold the queue that QM2 was seen to define."""
    box = imported()
    derive(box.draft, replace(seen(box), said=()))
    answer = divergence(box.estate, box.as_of, on="FR1")
    assert [(row["field"], row["here"], row["basis"]) for row in answer.rows] == [
        ("record", None, "observed")
    ]


def test_a_status_is_observed_until_the_rules_change_it() -> None:
    """A status that was seen last is observed; the time of the next retry follows from it."""
    box = imported()
    seen_left = ChannelObserved(
        qmgr="QM2", channel="CA.FR1", status="RETRYING", shortrts=9, longrts=999_999_999
    )
    derive(box.draft, seen_left)
    answer = channels(box.estate, box.as_of, on="QM2", channel="CA.FR1")
    (row,) = bases(answer)
    assert (row["status"], row["next_retry"]) == ("observed", "derived")
    (seen,) = channels(box.estate, box.as_of, on="QM2", channel="CA.FR1", basis="observed").rows
    assert (seen["status"], seen["next_retry"]) == ("RETRYING", None)
    simulated = small_cluster()
    rows = bases(channels(simulated.estate, simulated.as_of))
    assert rows
    assert all(row == {"*": "derived"} for row in rows)


def test_which_of_equal_routes_is_next_is_assumed_of_an_observed_queue_manager() -> None:
    """What it sent before is not known; where only one route remains, nothing is assumed."""
    box = imported()
    derive(box.draft, ChannelObserved(qmgr="FR1", channel="CA.QM2", status="INACTIVE"))
    for queue in ("ORD", "ONE"):
        box.run("FR1", f"DEFINE QLOCAL({queue}) CLUSTER(CA) DEFBIND(NOTFIXED) CLWLUSEQ(ANY)")
    box.pass_time(HOUR)
    for queue, basis in (("ORD", "assumed"), ("ONE", "derived")):
        request = ExplainRequest(queue=queue, bind="notfixed")
        found = explained(box.estate, box.estate.qmgr("FR1"), request, at=box.draft.at, asks=False)
        answer = found.answer(box.as_of)
        assert {row["basis"] for row in answer.rows} == {basis}
        assert bool(answer.notes) is (basis == "assumed")


def test_a_picture_draws_assumed_dates_in_another_way() -> None:
    """Bars with assumed dates are thin and dashed, as the one of the legend is."""
    for box, dashed in ((imported(), True), (small_cluster(), False)):
        picture = draw(box.estate, box.as_of, facts=())
        assert (picture.count('stroke-dasharray="3 2"') > 1) is dashed
        assert "A: assumed" in picture
        assert ("dates are assumed" in picture) is dashed


def test_the_weakest_basis_counts() -> None:
    """Assumed is weaker than derived, and derived than observed."""
    assert weakest([Basis.OBSERVED, Basis.ASSUMED, Basis.DERIVED]) is Basis.ASSUMED
    assert weakest([Basis.OBSERVED, Basis.DERIVED]) is Basis.DERIVED
    assert weakest([]) is Basis.DERIVED
