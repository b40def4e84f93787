"""The question `channels`: status, retries and transmission queues of cluster channels."""

from __future__ import annotations

import pytest

from tests.questions.waiting_scene import DEFAULT, fail, scene, tell
from tests.sandbox import START, Sandbox, small_cluster
from twin import events
from twin.fold.estate import NoSuchQueueManager
from twin.model.instants import MINUTE, SECOND
from twin.questions.answer import Row
from twin.questions.channels import channels


def row(sandbox: Sandbox, qmgr: str, channel: str) -> Row:
    """Ask for one channel."""
    (found,) = channels(sandbox.estate, sandbox.as_of, on=qmgr, channel=channel).rows
    return found


def test_every_cluster_channel_of_a_queue_manager_has_a_row() -> None:
    """Manual and automatic cluster-sender channels and the CLUSRCVR are listed by name."""
    answer = channels(scene().estate, scene().as_of, on="PR1")
    assert [(row["channel"], row["status"], row["xmitq"]) for row in answer.rows] == [
        ("CA.FR1", "RUNNING", DEFAULT),
        ("CA.FR2", "RUNNING", DEFAULT),
        ("CA.PR1", "RUNNING", None),
        ("CA.PR2", "INACTIVE", DEFAULT),
    ]
    assert all(answer.evidence)
    assert len(answer.evidence) == 4


def test_all_queue_managers_come_by_name() -> None:
    """Without a filter all queue managers are listed; an unknown name is an error."""
    sandbox = small_cluster()
    answer = channels(sandbox.estate, sandbox.as_of)
    assert sorted({str(row["on"]) for row in answer.rows}) == ["FR1", "FR2", "PR1", "PR2"]
    with pytest.raises(NoSuchQueueManager):
        channels(sandbox.estate, sandbox.as_of, on="QM9")


def test_a_channel_that_does_nothing_is_inactive() -> None:
    """A channel that never ran has no instant, no attempts and no next retry."""
    assert row(scene(), "PR1", "CA.PR2") == {
        "on": "PR1",
        "channel": "CA.PR2",
        "status": "INACTIVE",
        "since": None,
        "since_earliest": None,
        "next_retry": None,
        "attempts": None,
        "xmitq": DEFAULT,
        "pending_xmitq": None,
        "reason": None,
        "switch_reason": None,
        "instances": None,
        "basis": "derived",
    }


@pytest.mark.parametrize(
    ("after", "attempts", "following"),
    [
        (0, 0, 60),
        (59, 0, 60),
        (60, 1, 120),
        (599, 9, 600),
        (600, 10, 1800),
        (1799, 10, 1800),
        (1800, 11, 3000),
        (86400, 81, 87000),
    ],
)
def test_retries_are_known_to_the_second(after: int, attempts: int, following: int) -> None:
    """A channel retries ten times a minute apart, then every twenty minutes."""
    sandbox = scene()
    fail(sandbox)
    failed, sandbox.draft.at = sandbox.draft.at, sandbox.draft.at + after * SECOND
    found = row(sandbox, "PR1", "CA.PR2")
    assert (found["status"], found["since"]) == ("RETRYING", failed)
    assert (found["attempts"], found["next_retry"]) == (attempts, failed + following * SECOND)


def test_retries_come_to_an_end() -> None:
    """With a limited number of long retries, no retry follows the last one."""
    sandbox = scene()
    tell(
        sandbox,
        events.ChannelStatusChanged,
        status="RETRYING",
        partner="PR2",
        retries=(2, 5 * SECOND, 1, MINUTE),
        gives_up=START + 70 * SECOND,
    )
    sandbox.draft.at = START + 69 * SECOND
    found = row(sandbox, "PR1", "CA.PR2")
    assert (found["attempts"], found["next_retry"]) == (2, START + 70 * SECOND)
    sandbox.draft.at = START + 70 * SECOND
    found = row(sandbox, "PR1", "CA.PR2")
    assert (found["attempts"], found["next_retry"]) == (3, None)


def test_definitions_wait_for_the_next_start() -> None:
    """A channel that has run keeps its transmission queue, and shows the pending one."""
    sandbox = scene()
    sandbox.run("PR1", "DEFINE QLOCAL(X) USAGE(XMITQ) CLCHNAME('CA.FR2')")
    found = row(sandbox, "PR1", "CA.FR2")
    assert (found["xmitq"], found["pending_xmitq"]) == (DEFAULT, "X")
    sandbox.run("PR1", "ALTER QLOCAL(X) CLCHNAME(' ')")
    assert row(sandbox, "PR1", "CA.FR2")["pending_xmitq"] is None


def test_a_channel_that_never_ran_has_what_the_definitions_say() -> None:
    """A channel that never ran has the queue that the definitions name, and none pending."""
    sandbox = scene()
    sandbox.run("PR1", "DEFINE QLOCAL(X) USAGE(XMITQ) CLCHNAME('CA.P*')")
    found = row(sandbox, "PR1", "CA.PR2")
    assert (found["xmitq"], found["pending_xmitq"]) == ("X", None)


def test_while_a_switch_goes_on_the_old_queue_is_shown() -> None:
    """During a switch the new queue is pending until the old one is empty."""
    sandbox = scene()
    sandbox.run("PR1", "DEFINE QLOCAL(X) USAGE(XMITQ)")
    tell(sandbox, events.TransmissionQueueSwitchBegan, "CA.FR1", queue=DEFAULT, to="X")
    found = row(sandbox, "PR1", "CA.FR1")
    assert (found["xmitq"], found["pending_xmitq"]) == (DEFAULT, "X")


def test_a_receiver_runs_while_a_partner_does() -> None:
    """A CLUSRCVR runs since its first partner's channel does, and shows when it was stopped."""
    sandbox = small_cluster()
    assert row(sandbox, "PR1", "CA.PR1")["since"] == START
    for name in ("FR1", "FR2"):
        sandbox.control("endmqm", name)
    assert row(sandbox, "PR1", "CA.PR1")["status"] == "INACTIVE"
    sandbox.at("+1d").run("PR1", "STOP CHANNEL(CA.PR1)")
    found = row(sandbox, "PR1", "CA.PR1")
    assert (found["status"], found["since"]) == ("STOPPED", sandbox.draft.at)


def test_a_channel_that_disconnected_is_inactive_since_then() -> None:
    """A disconnected channel is INACTIVE at both ends, and its row rests on its start."""
    sandbox = scene()
    sandbox.draft.at = START + 6000 * SECOND
    found = row(sandbox, "PR1", "CA.FR1")
    assert (found["status"], found["since"]) == ("INACTIVE", START + 6000 * SECOND)
    answer = channels(sandbox.estate, sandbox.as_of, on="PR1", channel="CA.FR1")
    assert answer.evidence == ((sandbox.estate.qmgr("PR1").activity.channels["CA.FR1"].position,),)
    assert row(sandbox, "PR1", "CA.PR1")["status"] == "INACTIVE"
    sandbox.draft.at -= 1
    assert row(sandbox, "PR1", "CA.FR1")["status"] == "RUNNING"
