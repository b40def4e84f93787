"""What waits while nothing that is due will move it is told by the doctor at once."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.questions.doctor.healthy import healthy
from tests.questions.telling import facts_of
from tests.rules import random_estates, random_operations
from tests.rules.test_conservation import HOSTS, STEPS, cluster, perform
from tests.sandbox import Sandbox
from twin.model.names import CLUSTER_TRANSMISSION_QUEUE
from twin.questions.doctor.diagnosis import Found, diagnose
from twin.questions.doctor.finding import Severity
from twin.questions.doctor.question import READS
from twin.questions.sender_channels import messaging_of
from twin.questions.transmission import transmission
from twin.rules.queues.left_clusters import left_cluster

GET = f"ALTER QLOCAL({CLUSTER_TRANSMISSION_QUEUE}) GET"


def _found(estate: Sandbox) -> list[Found]:
    facts = facts_of(estate, READS)
    return list(diagnose(estate.estate, estate.as_of.valid, facts=facts).found)


def check_told(estate: Sandbox) -> None:
    """Check that each row that waits for nothing due has a finding that names it."""
    found = _found(estate)
    for row in transmission(estate.estate, estate.as_of).rows:
        on, channel = str(row["on"]), str(row["channel"] or "")
        qmgr = estate.estate.qmgr(on)
        sent = row["status"] in ("RUNNING", "BINDING") and not row["waits_for"]
        due = row["next_start"] is not None or row["status"] == "BINDING"
        held = channel in messaging_of(qmgr).held
        if not qmgr.running or held or (due and not row["stranded"]):
            continue
        names = {channel, str(row["xmitq"])}
        told = any(
            each.severity is not Severity.INFO
            and each.finding.subject.qmgr == on
            and (each.finding.subject.name in names or _is_left(estate, on, channel, each))
            for each in found
        )
        assert told or (sent and not row["stranded"]), row


def _is_left(estate: Sandbox, on: str, channel: str, each: Found) -> bool:
    left = left_cluster(estate.estate.qmgr(on), channel)
    return bool(left) and each.finding.cluster == left


@given(st.tuples(*[st.sampled_from([20, 50, 50])] * 3), STEPS)
def test_what_no_start_that_is_due_would_send_is_told(
    weights: tuple[int, int, int], steps: list[tuple[str, object]]
) -> None:
    """After any actions at a sender, what waits for nothing due has a finding in that instant."""
    estate = cluster(weights)
    for step in steps:
        perform(estate, *step)
    for name in HOSTS:
        perform(estate, "release", (f"CA.{name}", False))
    check_told(estate)
    estate.run("QMS", f"{GET}(DISABLED)\nDEFINE QLOCAL(LATE) CLUSTER(CA)")
    perform(estate, "put", {"queue": "ORD", "count": 5, "bind": "notfixed", "persistent": True})
    check_told(estate)
    estate.run("QMS", f"{GET}(ENABLED)")
    check_told(estate)


@given(random_estates.ESTATES, random_operations.OPERATIONS)
def test_what_nothing_due_would_move_is_told_in_any_estate(
    members: random_estates.Members, operations: list[random_operations.Operation]
) -> None:
    """Commands, messages for sender channels and messages that were left behind are told, too."""
    estate = random_estates.Estate(members)
    for operation in operations:
        estate.perform(*operation)
    check_told(estate.sandbox)


def test_repository_commands_wait_and_are_told_in_the_same_minute() -> None:
    """After GET(ENABLED) nothing starts the channels: the finding has the command that does."""
    estate = healthy()
    estate.run("PR1", f"{GET}(DISABLED)\nDEFINE QLOCAL(LATE) CLUSTER(SALES)\n{GET}(ENABLED)")
    told = [each.finding for each in _found(estate) if each.rule.id == "nothing-due"]
    assert [each.object for each in told] == ["PR1 CHANNEL(SALES.FR1)", "PR1 CHANNEL(SALES.FR2)"]
    for finding in told:
        assert finding.text.startswith("1 repository command waits, ")
        for command in finding.fix:
            estate.run("PR1", command.text)
    assert not [each for each in _found(estate) if each.rule.id == "nothing-due"]
    estate.open("PR3", "LATE")
    assert "LATE@PR1" in estate.knows("PR3", "queue", cluster="SALES")


def test_a_get_disabled_queue_is_told_before_it_is_enabled() -> None:
    """While the queue is GET(DISABLED) the commands that mend it begin with GET(ENABLED)."""
    estate = healthy()
    estate.run("PR3", f"{GET}(DISABLED)")
    estate.put("PR3", queue="ORDERS", count=3)
    told = [each.finding for each in _found(estate) if each.rule.id == "nothing-due"]
    assert {each.fix[0].text for each in told} == {f"{GET}(ENABLED)"}
    for finding in told:
        for command in finding.fix:
            estate.run("PR3", command.text)
    assert estate.depth("PR3", CLUSTER_TRANSMISSION_QUEUE) == 0
