"""Why a channel is RETRYING with AMQ9544: what its partner cannot put, and why no dead letter."""

from __future__ import annotations

import pytest

from tests.sandbox import Sandbox, small_cluster
from twin.model.instants import MINUTE
from twin.model.objects import Subject
from twin.questions.doctor.diagnosis import Found, diagnose
from twin.questions.explain import explained
from twin.questions.explanation import ExplainRequest
from twin.questions.reachability import not_put
from twin.questions.transmission import transmission
from twin.questions.waiting import waiting
from twin.rules.draft import Draft

DEAD = "SYSTEM.DEAD.LETTER.QUEUE"
CAUSE = "PR2 cannot put messages for ORD (2051 MQRC_PUT_INHIBITED)"
FULL = f"its dead-letter queue {DEAD} is full"


def scene(*changes: str, count: int = 3) -> Sandbox:
    """Let PR1 send messages for ORD by name to PR2, where PUT is disabled, after some changes."""
    sandbox = small_cluster()
    sandbox.run("PR2", f"DEFINE QLOCAL(ORD) CLUSTER(CA)\nALTER QMGR DEADQ({DEAD})")
    sandbox.open("PR1", "ORD")
    for change in changes or (f"ALTER QLOCAL({DEAD}) MAXDEPTH(1)",):
        sandbox.run("PR2", change)
    sandbox.run("PR2", "ALTER QLOCAL(ORD) PUT(DISABLED)")
    sandbox.put("PR1", queue="ORD", count=count, to="PR2")
    return sandbox


def why(sandbox: Sandbox) -> str:
    """Return what is said of the channel from PR1 to PR2; '' if nothing is."""
    draft = Draft(sandbox.estate, sandbox.draft.at, sandbox.estate.position + 1)
    found = not_put(draft, sandbox.estate.qmgr("PR1"), "CA.PR2")
    return str(found) if found else ""


@pytest.mark.parametrize(
    ("change", "dead_letters"),
    [
        (f"ALTER QLOCAL({DEAD}) MAXDEPTH(1)", FULL),
        (f"ALTER QLOCAL({DEAD}) PUT(DISABLED)", f"its dead-letter queue {DEAD} is PUT(DISABLED)"),
        ("ALTER QMGR DEADQ(' ')", "it has no dead-letter queue"),
        ("ALTER QMGR DEADQ(DLQ)", "its dead-letter queue DLQ does not exist"),
        (
            "ALTER CHANNEL(CA.PR2) CHLTYPE(CLUSRCVR) USEDLQ(NO)",
            "CA.PR2 may not use its dead-letter queue (USEDLQ(NO))",
        ),
    ],
)
def test_the_cause_names_the_queue_and_why_there_are_no_dead_letters(
    change: str, dead_letters: str
) -> None:
    """The reason code of the put is named, and what is the matter with the dead-letter queue."""
    assert why(scene(change)) == f"{CAUSE}, and {dead_letters}"


def test_a_full_queue_is_a_cause() -> None:
    """A queue without space ends with 2053, a queue that is gone with 2085."""
    sandbox = scene()
    sandbox.run("PR2", "ALTER QLOCAL(ORD) MAXDEPTH(0)\nALTER QLOCAL(ORD) PUT(ENABLED)")
    assert why(sandbox) == f"PR2 cannot put messages for ORD (2053 MQRC_Q_FULL), and {FULL}"
    sandbox.run("PR2", "DELETE QLOCAL(ORD)")
    assert why(sandbox) == (
        f"PR2 cannot put messages for ORD (2085 MQRC_UNKNOWN_OBJECT_NAME), and {FULL}"
    )


def test_nothing_is_said_of_a_channel_that_can_deliver_or_cannot_connect() -> None:
    """The cause is that of now: not after the queue was enabled, and not while PR2 has ended."""
    cured = scene()
    cured.run("PR2", "ALTER QLOCAL(ORD) PUT(ENABLED)")
    assert why(cured) == ""
    ended = scene()
    ended.control("endmqm", "PR2")
    assert why(ended) == ""


def test_the_questions_about_waiting_messages_name_the_cause() -> None:
    """`transmission`, `explain --message` and `explain` say why, not only RETRYING."""
    sandbox = scene()
    estate, as_of = sandbox.estate, sandbox.as_of
    (row,) = transmission(estate, as_of).rows
    assert row["waits_for"] == f"next start of CA.PR2, at its next retry; {CAUSE}, and {FULL}"
    answer = waiting(estate, as_of)
    assert answer.rows[0]["waits_for"] == row["waits_for"]
    assert f"{CAUSE}, and {FULL}." in " ".join(" ".join(answer.lines).split())
    request = ExplainRequest(queue="ORD", to="PR2")
    said = explained(estate, estate.qmgr("PR1"), request, at=as_of.valid, asks=False)
    assert f"{CAUSE}, and {FULL}." in " ".join(" ".join(said.lines).split())


def found(sandbox: Sandbox, rule: str) -> Found:
    """Return the finding of a rule of the doctor."""
    diagnosis = diagnose(sandbox.estate, sandbox.as_of.valid)
    (one,) = (each for each in diagnosis.found if each.rule.id == rule)
    return one


def test_the_doctor_names_the_queue_as_the_root_and_enables_it() -> None:
    """The channel and the dead-letter queue follow from the queue that is PUT(DISABLED)."""
    sandbox = scene()
    root = ("channel-target-put-disabled", Subject("PR2", "QUEUE", "ORD"))
    cure = ("PR2", "ALTER QLOCAL(ORD) PUT(ENABLED)")
    assert [(each.on, each.text) for each in found(sandbox, root[0]).finding.fix] == [cure]
    channel = found(sandbox, "channel-retrying")
    assert f"(AMQ9544: {CAUSE}, and {FULL}); 2 messages wait" in channel.finding.text
    assert (channel.root, [(each.on, each.text) for each in channel.finding.fix]) == (root, [cure])
    dead = found(sandbox, "dead-letter-queue-full")
    assert "1 of 1 message: 1 for ORD (2051 MQRC_PUT_INHIBITED). If it" in dead.finding.text
    deeper = ("PR2", f"ALTER QLOCAL({DEAD}) MAXDEPTH(2)")
    fixes = [(each.on, each.text) for each in dead.finding.fix]
    assert (dead.root, fixes) == (root, [cure, deeper])


def test_the_alias_that_is_put_disabled_is_enabled() -> None:
    """The command names the object that is PUT(DISABLED), here an alias of the queue."""
    sandbox = scene(f"ALTER QLOCAL({DEAD}) MAXDEPTH(0)", "DEFINE QALIAS(AL) TARGET(ORD)")
    sandbox.run("PR2", "ALTER QALIAS(AL) PUT(DISABLED)\nALTER QLOCAL(ORD) PUT(ENABLED)")
    sandbox.put("PR1", queue="AL", to="PR2")
    sandbox.pass_time(2 * MINUTE)
    (fix,) = found(sandbox, "channel-retrying").finding.fix
    assert fix.text == "ALTER QALIAS(AL) PUT(ENABLED)"


def test_a_full_queue_is_the_root_of_a_channel_that_is_retrying() -> None:
    """No command enables a full queue: the finding about its depth is the root."""
    sandbox = scene(f"ALTER QLOCAL({DEAD}) MAXDEPTH(0)", "ALTER QLOCAL(ORD) MAXDEPTH(1)")
    sandbox.run("PR2", "ALTER QLOCAL(ORD) PUT(ENABLED)")
    sandbox.pass_time(2 * MINUTE)
    channel = found(sandbox, "channel-retrying")
    assert "2053 MQRC_Q_FULL" in channel.finding.text
    assert (channel.root, channel.finding.fix) == (
        ("queue-full", Subject("PR2", "QUEUE", "ORD")),
        (),
    )
