"""runswchl."""

from __future__ import annotations

from tests.cli.conftest import Run
from twin.model.amounts import counted

LATER = "2025-03-03T10:00"


def stop_with_another_queue(cluster: Run) -> None:
    """Let the channel from QM1 to QM2 be stopped with messages and a queue of its own defined."""
    assert cluster("open", "QM1", "ORDERS", "--at", LATER).code == 0
    typed = "STOP CHANNEL(CA.QM2)\n"
    assert cluster("runmqsc", "QM1", "--at", LATER, typed=typed).code == 0
    assert cluster("put", "QM1", "ORDERS", "--count", "3", "--at", LATER).code == 0
    typed = "DEFINE QLOCAL(XQ) USAGE(XMITQ) CLCHNAME('CA.QM2')\n"
    assert cluster("runmqsc", "QM1", "--at", LATER, typed=typed).code == 0


def test_it_reports_and_switches(cluster: Run) -> None:
    """With -q nothing is done; without, the messages go along, and then there is nothing to do."""
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
    """With -n it says how many are."""
    stop_with_another_queue(cluster)
    words = ("runswchl", "-m", "QM1", "-c", "CA.QM2", "-n", "--at", LATER)
    found = cluster(*words, "--format", "json").json
    (row,) = found["rows"]
    assert (row["channel"], row["switched"], row["stranded"]) == ("CA.QM2", True, 3)


def test_a_channel_that_runs_is_left_as_it_is(cluster: Run) -> None:
    """That is exit code 10."""
    assert cluster("put", "QM1", "ORDERS", "--at", LATER).code == 0
    typed = "DEFINE QLOCAL(XQ) USAGE(XMITQ) CLCHNAME('CA.QM2')\n"
    assert cluster("runmqsc", "QM1", "--at", LATER, typed=typed).code == 0
    done = cluster("runswchl", "-m", "QM1", "-c", "*", "--at", LATER)
    assert (done.code, done.lines[1]) == (10, "  0 messages, not switched")


def test_bad_input_is_one_line(cluster: Run) -> None:
    """What is missing, unknown or not running is exit code 20."""
    assert cluster("runswchl", "-m", "QM1").code == 20
    assert cluster("runswchl", "-m", "NONE", "-c", "*").code == 20
    assert cluster("endmqm", "QM1").code == 0
    stopped = cluster("runswchl", "-m", "QM1", "-c", "*")
    assert (stopped.code, len(stopped.err.splitlines())) == (20, 1)


def test_a_channel_is_a_name_a_generic_one_or_all(cluster: Run) -> None:
    """What is none of these, or means nobody's channel, is one line and exit code 20."""
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
    """Not as 1 messages."""
    assert [counted(number) for number in (0, 1, 2)] == ["0 messages", "1 message", "2 messages"]
