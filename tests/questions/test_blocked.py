"""Why messages wait: what blocks their channel."""

from __future__ import annotations

from tests.rules.sending_scene import DEFAULT, Scene, scene
from twin.model.instants import MINUTE
from twin.questions import blocked


def why(made: Scene, channel: str = "CA.QM3") -> str:
    """Return what blocks a message for a channel of the sender; '' for nothing."""
    found = blocked.block_of(made.estate.qmgr("QMS"), channel, made.draft.at)
    return str(found or "")


def test_a_channel_that_runs_or_can_be_started_keeps_nothing_back() -> None:
    """A channel that is RUNNING or INACTIVE blocks nothing."""
    made = scene()
    assert why(made) == ""
    made.run("QMS", "STOP CHANNEL(CA.QM3) STATUS(INACTIVE)")
    assert (made.status("CA.QM3"), why(made)) == ("INACTIVE", "")


def test_a_block_names_its_reason() -> None:
    """A block names the status and next retry, or `held`, `in doubt` or GET(DISABLED)."""
    made = scene()
    made.hold("CA.QM3")
    assert why(made) == "CA.QM3 is held back"
    made.send("PAY", count=5)
    made.observe("CA.QM3", indoubt=True, curmsgs=5)
    made.release("CA.QM3")
    assert why(made) == "CA.QM3 has a batch in doubt"
    made.control("endmqm", "QM3")
    state = made.state("CA.QM3")
    assert state is not None
    made.pass_time(90_000_000)
    found = blocked.block_of(made.estate.qmgr("QMS"), "CA.QM3", made.draft.at)
    assert found is not None
    assert (found.status, found.next_retry) == ("RETRYING", state.since + 2 * MINUTE)
    made.run("QMS", "STOP CHANNEL(CA.QM3)")
    assert why(made) == "CA.QM3 is STOPPED"


def test_a_queue_that_may_not_be_got_from_keeps_back() -> None:
    """A transmission queue with GET(DISABLED) blocks its channel."""
    made = scene()
    made.run("QMS", f"ALTER QLOCAL({DEFAULT}) GET(DISABLED)")
    assert why(made) == f"CA.QM3 gets from {DEFAULT}, which is GET(DISABLED)"


def test_only_what_was_put_at_a_position_is_counted() -> None:
    """A message that waited before the put is not listed."""
    made = scene()
    made.hold("CA.QM3")
    made.send("PAY", count=5)
    position = made.draft.position + 1  # after the last event so far
    made.send("PAY", count=2)
    (found,) = blocked.blocked_messages(made.estate.qmgr("QMS"), made.draft.at, puts={position})
    assert (found.queue, found.messages) == (DEFAULT, 2)
