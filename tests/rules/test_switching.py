"""A channel switches to another transmission queue when it starts, or by runswchl."""

from __future__ import annotations

import pytest

from tests.rules.sending_scene import DEFAULT, Scene, scene
from twin import events
from twin.fold.handlers.restoring import backup_of
from twin.rules.channels import switching
from twin.rules.commands.control import WrongState
from twin.rules.deriving import derive
from twin.rules.queues import transmission_queues

DEFINE = "DEFINE QLOCAL(XQ3) USAGE(XMITQ) CLCHNAME('CA.QM3')"
OWN = "SYSTEM.CLUSTER.TRANSMIT.CA.QM3"
RESTART = "STOP CHANNEL(CA.QM3)\nSTART CHANNEL(CA.QM3)"


def waiting_for_a_switch(**options: str) -> Scene:
    """Let fifteen messages of three puts wait for a channel that will get another queue."""
    made = scene(**options)
    made.hold("CA.QM3")
    for name, count in {"a": 4, "b": 5, "c": 6}.items():
        made.send("PAY", count=count, name=name)
    on_zos = options.get("platform") == "MVS"
    made.run("QMS", f"{DEFINE} INDXTYPE(CORRELID)" if on_zos else DEFINE)
    return made


def names(made: Scene) -> list[str]:
    """Return the puts of the waiting messages, in order."""
    return [parcel.name for parcel in made.parcels("CA.QM3")]


def ended(made: Scene) -> list[str]:
    """Return the queues to which switches ended, as the error log tells."""
    return [line[-1] for line in made.logged() if line[0] == "AMQ7341"]


def test_messages_are_moved_in_order_as_the_channel_starts() -> None:
    """All messages are moved in order when the channel starts, and the error log records it."""
    made = waiting_for_a_switch()
    assert switching.pending_queue(made.estate.qmgr("QMS"), "CA.QM3") == "XQ3"
    made.run("QMS", "STOP CHANNEL(CA.QM3)")
    assert made.waiting("CA.QM3") == {DEFAULT: 15}
    assert not made.logged()
    made.run("QMS", "START CHANNEL(CA.QM3)")
    assert made.waiting("CA.QM3") == {"XQ3": 15}
    assert names(made) == ["a", "b", "c"]
    assert made.logged() == [
        ("TWN0006", "CA.QM3", DEFAULT, "XQ3"),
        ("TWN0007", "CA.QM3", "15", DEFAULT, "XQ3"),
        ("TWN0009", "CA.QM3", "15", "XQ3"),
        ("AMQ7341", "CA.QM3", "XQ3"),
    ]
    assert not switching.pending_queue(made.estate.qmgr("QMS"), "CA.QM3")
    made.release("CA.QM3")
    assert made.depth("QM3", "PAY") == 15


def test_a_start_in_vain_switches_as_well() -> None:
    """A start switches the queue once, whether or not the partner is found."""
    made = waiting_for_a_switch()
    made.control("endmqm", "QM3")
    assert made.waiting("CA.QM3") == {DEFAULT: 15}
    made.run("QMS", "START CHANNEL(CA.QM3)")
    assert made.status("CA.QM3") == "RETRYING"
    assert made.waiting("CA.QM3") == {"XQ3": 15}
    made.control("strmqm", "QM3")
    made.at("+1h")
    assert made.status("CA.QM3") == "RUNNING"
    assert ended(made) == ["XQ3"]


def test_a_retry_that_succeeds_is_a_start() -> None:
    """A successful retry switches the transmission queue."""
    made = waiting_for_a_switch()
    made.control("endmqm", "QM3")
    made.control("strmqm", "QM3")
    assert made.waiting("CA.QM3") == {DEFAULT: 15}
    made.at("+1m")
    assert made.waiting("CA.QM3") == {"XQ3": 15}


def test_the_sender_starting_again_switches_its_channels() -> None:
    """Waiting messages start and switch their channel when its queue manager starts."""
    made = waiting_for_a_switch()
    made.control("endmqm", "QMS")
    made.control("strmqm", "QMS")
    assert made.waiting("CA.QM3") == {"XQ3": 15}
    assert names(made) == ["a", "b", "c"]


def test_a_held_switch_takes_new_messages_on_the_old_queue() -> None:
    """While a switch is held, no message moves and new messages use the old queue."""
    made = waiting_for_a_switch()
    made.hold("CA.QM3", switch=True)
    made.run("QMS", RESTART)
    made.send("PAY", name="d")
    assert made.waiting("CA.QM3") == {DEFAULT: 16}
    assert transmission_queues.in_use(made.estate.qmgr("QMS"), "CA.QM3") == DEFAULT
    assert switching.pending_queue(made.estate.qmgr("QMS"), "CA.QM3") == "XQ3"
    made.release("CA.QM3")
    assert made.waiting("CA.QM3") == {DEFAULT: 16}
    made.release("CA.QM3", switch=True)
    assert made.waiting("CA.QM3") == {}
    assert made.depth("QM3", "PAY") == 16
    assert made.logged()[-1] == ("AMQ7341", "CA.QM3", "XQ3")


@pytest.mark.parametrize("how", ["STOP CHANNEL(CA.QM3)", ""])
def test_an_interrupted_switch_is_resumed_at_the_next_start(how: str) -> None:
    """A switch that is interrupted loses no message and keeps their order."""
    made = waiting_for_a_switch()
    made.hold("CA.QM3", switch=True)
    made.run("QMS", RESTART)
    if how:
        made.run("QMS", how)
        made.release("CA.QM3", switch=True)
        assert made.waiting("CA.QM3") == {DEFAULT: 15}
        made.run("QMS", "START CHANNEL(CA.QM3)")
    else:
        made.control("endmqm", "QMS")
        made.release("CA.QM3", switch=True)
        made.control("strmqm", "QMS")
    assert made.waiting("CA.QM3") == {"XQ3": 15}
    assert names(made) == ["a", "b", "c"]
    assert len(made.told(events.TransmissionQueueSwitchBegan)) == 1


def test_a_restore_that_takes_the_new_queue_away_loses_no_message() -> None:
    """The new queue of a held switch that a restore took away is made again at the release."""
    made = scene()
    made.hold("CA.QM3")
    made.hold("CA.QM3", switch=True)
    made.send("PAY", count=5)
    backup = backup_of(made.estate.qmgr("QMS"), to=made.draft.at)
    made.run("QMS", f"ALTER QMGR DEFCLXQ(CHANNEL)\n{RESTART}")
    derive(made.draft, backup)
    assert ("QUEUE", OWN) not in made.estate.qmgr("QMS").definitions
    made.release("CA.QM3", switch=True)
    assert made.waiting("CA.QM3") == {OWN: 5}
    assert ("QUEUE", OWN) in made.estate.qmgr("QMS").definitions


def test_definitions_put_back_during_a_switch_bring_a_second_one() -> None:
    """A switch back during a switch takes place after the first is finished."""
    made = waiting_for_a_switch()
    made.hold("CA.QM3", switch=True)
    made.run("QMS", RESTART)
    made.run("QMS", "ALTER QLOCAL(XQ3) CLCHNAME(' ')\nSTOP CHANNEL(CA.QM3)")
    made.release("CA.QM3", switch=True)
    made.run("QMS", "START CHANNEL(CA.QM3)")
    assert made.waiting("CA.QM3") == {DEFAULT: 15}
    assert ended(made) == ["XQ3", DEFAULT]


def test_zos_writes_messages_of_its_own() -> None:
    """On z/OS the steps of a switch have CSQM numbers."""
    made = waiting_for_a_switch(platform="MVS")
    made.run("QMS", RESTART)
    assert [line[0] for line in made.logged()] == [
        *("CSQX293", "CSQM550", "CSQM553", "CSQM554", "CSQM551")
    ]


def test_runswchl_leaves_a_channel_that_was_started_alone() -> None:
    """A started channel is reported, and switched only once it is STOPPED or INACTIVE."""
    made = waiting_for_a_switch()
    (found,) = made.runswchl("*")
    assert found == switching.Switching("CA.QM3", "RUNNING", DEFAULT, "XQ3", 15, at_most=15)
    made.run("QMS", "STOP CHANNEL(CA.QM3) STATUS(INACTIVE)")
    (found,) = made.runswchl("CA.*")
    assert (found.switched, found.stranded) == (True, 0)
    assert made.status("CA.QM3") == "INACTIVE"
    assert made.waiting("CA.QM3") == {"XQ3": 15}
    assert made.runswchl("*") == ()


def test_runswchl_without_moving_strands_messages_until_the_queue_is_used_again() -> None:
    """Stranded messages stay until their channel has their queue again."""
    made = waiting_for_a_switch()
    made.run("QMS", "STOP CHANNEL(CA.QM3)")
    (found,) = made.runswchl("CA.QM3", "n")
    assert (found.switched, found.stranded) == (True, 15)
    made.send("PAY", name="d")
    assert made.waiting("CA.QM3") == {DEFAULT: 15, "XQ3": 1}
    made.release("CA.QM3")
    made.run("QMS", "START CHANNEL(CA.QM3)")
    assert made.depth("QM3", "PAY") == 1
    assert made.waiting("CA.QM3") == {DEFAULT: 15}
    made.run("QMS", "ALTER QLOCAL(XQ3) CLCHNAME(' ')")
    made.run("QMS", RESTART)
    assert made.depth("QM3", "PAY") == 16


def test_a_stranded_message_starts_its_channel_after_switching_back() -> None:
    """A stranded message starts its INACTIVE channel once runswchl gives it the queue again."""
    made = waiting_for_a_switch()
    made.run("QMS", "STOP CHANNEL(CA.QM3) STATUS(INACTIVE)")
    made.runswchl("CA.QM3", "n")
    made.release("CA.QM3")
    assert made.status("CA.QM3") == "INACTIVE"
    made.run("QMS", "ALTER QLOCAL(XQ3) CLCHNAME(' ')")
    made.runswchl("CA.QM3", "n")
    assert (made.status("CA.QM3"), made.depth("QM3", "PAY")) == ("RUNNING", 15)


def test_what_is_stranded_starts_no_channel() -> None:
    """A stranded message starts no channel, because the channel cannot get it."""
    made = waiting_for_a_switch()
    made.run("QMS", "STOP CHANNEL(CA.QM3)")
    made.runswchl("CA.QM3", "n")
    made.run("QMS", "STOP CHANNEL(CA.QM3) STATUS(INACTIVE)")
    made.release("CA.QM3")
    assert made.status("CA.QM3") == "INACTIVE"
    made.control("endmqm", "QMS")
    sent = len(made.told(events.ChannelStatusChanged))
    made.control("strmqm", "QMS")
    assert ("CA.QM3", "RUNNING") not in [
        (event.channel, event.status) for event in made.told(events.ChannelStatusChanged)[sent:]
    ]
    assert made.waiting("CA.QM3") == {DEFAULT: 15}


def test_runswchl_is_for_a_queue_manager_that_runs() -> None:
    """The command is refused for a queue manager that has ended."""
    made = waiting_for_a_switch()
    made.control("endmqm", "QMS")
    with pytest.raises(WrongState, match="AMQ8146E"):
        made.runswchl("*")


def test_a_transmission_queue_with_messages_or_a_running_channel_is_not_deleted() -> None:
    """A transmission queue with messages or a running channel cannot be deleted."""
    made = waiting_for_a_switch()
    made.run("QMS", RESTART)
    assert made.run("QMS", "DELETE QLOCAL(XQ3)") == ["AMQ8148E"]
    made.run("QMS", "STOP CHANNEL(CA.QM3)")
    assert made.run("QMS", "DELETE QLOCAL(XQ3)") == ["AMQ8143E"]


def test_a_sender_channel_takes_whatever_lies_on_its_queue() -> None:
    """A change of XMITQ moves no message of a sender channel."""
    made = Scene()
    made.create("QMS", "QM3")
    made.run(
        "QMS",
        """
        DEFINE QLOCAL(X1) USAGE(XMITQ)
        DEFINE QLOCAL(X2) USAGE(XMITQ)
        DEFINE QREMOTE(RQ) RNAME(Q) RQMNAME(QM3) XMITQ(X1)
        """,
    )
    made.run("QM3", "DEFINE CHANNEL(A) CHLTYPE(RCVR)\nDEFINE CHANNEL(B) CHLTYPE(RCVR)")
    made.run("QM3", "DEFINE QLOCAL(Q)")
    made.send("RQ", count=2)
    made.run("QMS", "DEFINE CHANNEL(A) CHLTYPE(SDR) CONNAME('qm3') XMITQ(X1)\nSTOP CHANNEL(A)")
    made.send("RQ", count=3)
    assert made.depth("QMS", "X1") == 5
    made.run("QMS", "ALTER CHANNEL(A) CHLTYPE(SDR) XMITQ(X2)\nSTART CHANNEL(A)")
    assert made.depth("QM3", "Q") == 0
    made.run("QMS", "DEFINE CHANNEL(B) CHLTYPE(SDR) CONNAME('qm3') XMITQ(X1)\nSTART CHANNEL(B)")
    assert made.depth("QM3", "Q") == 5
    assert made.depth("QMS", "X1") == 0
