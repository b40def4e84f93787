"""`twin runswchl`."""

from __future__ import annotations

from tests.cli.conftest import Run
from twin.model.amounts import counted

LATER = "2025-03-03T10:00"


def stop_with_another_queue(cluster: Run) -> None:
    """Stop the channel from QM1 to QM2 while messages wait, and define a new queue for it."""
    assert cluster("open", "QM1", "ORDERS", "--at", LATER).code == 0
    typed = "STOP CHANNEL(CA.QM2)\n"
    assert cluster("runmqsc", "QM1", "--at", LATER, typed=typed).code == 0
    assert cluster("put", "QM1", "ORDERS", "--count", "3", "--at", LATER).code == 0
    typed = "DEFINE QLOCAL(XQ) USAGE(XMITQ) CLCHNAME('CA.QM2')\n"
    assert cluster("runmqsc", "QM1", "--at", LATER, typed=typed).code == 0


def test_it_reports_and_switches(cluster: Run) -> None:
    """With -q nothing is switched; without it messages move to the new queue, once."""
    stop_with_another_queue(cluster)
    words = ("runswchl", "-m", "QM1", "-c", "CA.*")
    asked = cluster(*words, "-q")
    assert asked.code == 0
    assert asked.lines[:2] == [
        "CA.QM2 (STOPPED): SYSTEM.CLUSTER.TRANSMIT.QUEUE -> XQ",
        "  3 messages, not switched",
    ]
    done = cluster(*words, "--at", LATER)
    assert done.code == 0
    assert done.lines[1] == "  switched with 3 messages"
    again = cluster(*words, "--at", LATER)
    assert (again.code, again.lines[0]) == (0, "no channel needs another transmission queue")


def test_messages_may_be_left_behind(cluster: Run) -> None:
    """With -n, the number of messages left on the old queue is printed."""
    stop_with_another_queue(cluster)
    words = ("runswchl", "-m", "QM1", "-c", "CA.QM2", "-n", "--at", LATER)
    found = cluster(*words, "--format", "json").json
    (row,) = found["rows"]
    assert (row["channel"], row["switched"], row["stranded"]) == ("CA.QM2", True, 3)


def test_a_channel_that_runs_is_left_as_it_is(cluster: Run) -> None:
    """A running channel is not switched, and the exit code is 10."""
    assert cluster("put", "QM1", "ORDERS", "--at", LATER).code == 0
    typed = "DEFINE QLOCAL(XQ) USAGE(XMITQ) CLCHNAME('CA.QM2')\n"
    assert cluster("runmqsc", "QM1", "--at", LATER, typed=typed).code == 0
    done = cluster("runswchl", "-m", "QM1", "-c", "*", "--at", LATER)
    assert (done.code, done.lines[1]) == (10, "  0 messages, not switched")


def test_bad_input_is_one_line(cluster: Run) -> None:
    """A missing or unknown name, or an ended queue manager, is exit code 20."""
    assert cluster("runswchl", "-m", "QM1").code == 20
    assert cluster("runswchl", "-m", "NONE", "-c", "*").code == 20
    assert cluster("endmqm", "QM1").code == 0
    stopped = cluster("runswchl", "-m", "QM1", "-c", "*")
    assert (stopped.code, len(stopped.err.splitlines())) == (20, 1)


def test_a_channel_is_a_name_a_generic_one_or_all(cluster: Run) -> None:
    """A malformed channel name, or one that matches no channel, is one line and exit code 20."""
    for channel, said in (
        ("C*2", "'C*2' is not a channel name; use 1 to 20 of"),
        ("A.CHANNEL.OF.21.CHARS", "'A.CHANNEL.OF.21.CHARS' is not a channel name"),
        ("CA.QM9", "QM1 has no cluster-sender channel CA.QM9"),
        ("CB.*", "QM1 has no cluster-sender channel CB.*"),
    ):
        for more in ((), ("-q",)):
            refused = cluster("runswchl", "-m", "QM1", "-c", channel, *more)
            assert (refused.code, refused.out) == (20, "")
            assert refused.err.startswith(f"twin: {said}")
            assert len(refused.err.splitlines()) == 1


def test_one_message_is_said_as_one() -> None:
    """One message is printed in the singular."""
    assert [counted(number) for number in (0, 1, 2)] == ["0 messages", "1 message", "2 messages"]


def test_what_a_switch_costs_is_said(cluster: Run) -> None:
    """Wherever a switch is listed or made: its extra logging, and that only groups keep order."""
    stop_with_another_queue(cluster)
    words = ("runswchl", "-m", "QM1", "-c", "CA.*")
    for shown in (cluster(*words, "-q"), cluster(*words, "--at", LATER)):
        assert any("logged twice more" in line for line in shown.lines)
        assert any("messages of a group stay in order" in line for line in shown.lines)
    assert not any("order" in line for line in cluster(*words, "-q").lines)
