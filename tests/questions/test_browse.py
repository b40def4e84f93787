"""The question `browse`: the messages on a queue, in the terms of their message descriptors."""

from __future__ import annotations

import pytest

from tests.declared_rows import problems
from tests.questions.waiting_scene import DEFAULT, fail, put, scene, tell
from tests.sandbox import START, Sandbox, small_cluster
from twin import events
from twin.fold.estate import NoSuchQueueManager
from twin.model.instants import MINUTE, SECOND, mq_put_date, mq_put_time, parse_instant
from twin.questions.answer import Answer
from twin.questions.browse import NoQueueNamed, NoSuchLocalQueue, browse


def ask(sandbox: Sandbox, queue: str = DEFAULT, on: str = "PR1") -> Answer:
    """Browse a queue."""
    return browse(sandbox.estate, sandbox.as_of, on=on, queue=queue)


def column(sandbox: Sandbox, *keys: str, queue: str = DEFAULT) -> list[tuple[object, ...]]:
    """Browse a queue of PR1, and return some values of every row."""
    return [tuple(row[key] for key in keys) for row in ask(sandbox, queue).rows]


def test_messages_put_alike_are_one_row() -> None:
    """A row has the fields of the message descriptor and of the transmission header."""
    sandbox = scene()
    position = put(sandbox, 10, name="m1", persistent=False, group="g1")
    failed = fail(sandbox)
    answer = ask(sandbox)
    assert answer.rows == (
        {
            "on": "PR1",
            "queue": DEFAULT,
            "correlid": "CA.PR2",
            "count": 10,
            "accounting_token": "set",
            "put_date": mq_put_date(START),
            "put_time": mq_put_time(START),
            "persistence": "NO",
            "group_id": "g1",
            "remote_queue": "ORD",
            "remote_qmgr": "PR2",
            "name": "m1",
            "reason": None,
            "reason_name": None,
            "dest_queue": None,
            "dest_qmgr": None,
            "under_way": False,
        },
    )
    assert answer.evidence == ((position, failed),)
    assert problems(answer) == []


@pytest.mark.parametrize("fixed", ["bind-on-open", "bind-on-group", "named-qmgr"])
def test_what_may_not_be_reallocated_has_an_accounting_token_of_zeros(fixed: str) -> None:
    """A bound message has zeros, and a message that a pass may move has not."""
    sandbox = scene()
    put(sandbox, 3, fixed=fixed)
    put(sandbox, 2)
    assert column(sandbox, "count", "accounting_token") == [(3, "zeros"), (2, "set")]


def test_a_repository_command_has_an_accounting_token_of_zeros() -> None:
    """A repository command is one row, for the channel to the full repository."""
    sandbox = scene()
    sandbox.control("endmqm", "FR2")
    sandbox.control("endmqm", "FR1")
    sandbox.run("PR1", "DEFINE QLOCAL(A) CLUSTER(CA)")
    keys = ("correlid", "count", "accounting_token", "remote_queue", "remote_qmgr", "persistence")
    to_fr1 = ("CA.FR1", 1, "zeros", "SYSTEM.CLUSTER.COMMAND.QUEUE", "FR1", "YES")
    assert to_fr1 in column(sandbox, *keys)
    assert problems(ask(sandbox)) == []
    sandbox.run("PR1", "DEFINE QLOCAL(X) USAGE(XMITQ)")
    assert column(sandbox, *keys, queue="X") == []


def test_the_put_time_is_that_of_the_last_pass() -> None:
    """A pass that does not move messages renews PutTime, but not that of bound messages."""
    sandbox = scene()
    put(sandbox, 1)
    put(sandbox, 1, fixed="bind-on-open")
    fail(sandbox)
    sandbox.draft.at = START + 150 * SECOND
    assert column(sandbox, "accounting_token", "put_date", "put_time") == [
        ("set", mq_put_date(START), mq_put_time(START + 2 * MINUTE)),
        ("zeros", mq_put_date(START), mq_put_time(START)),
    ]


def test_put_date_and_time_are_written_as_mq_does() -> None:
    """PutDate has eight digits; PutTime has eight, of which the last two are hundredths."""
    at = parse_instant("2025-03-03T09:08:07.456", now=0)
    assert (mq_put_date(at), mq_put_time(at)) == ("20250303", "09080745")


def test_messages_that_a_channel_is_sending_are_under_way() -> None:
    """Messages in doubt are a row of their own, with the accounting token of their put."""
    sandbox = scene()
    put(sandbox, 10)
    tell(sandbox, events.ChannelBatchInDoubt, count=4)
    keys = ("count", "under_way", "accounting_token")
    assert column(sandbox, *keys) == [(4, True, "set"), (6, False, "set")]


def test_only_the_messages_of_the_queue_are_listed() -> None:
    """Messages for the same channel on another queue are not listed, also when stranded."""
    sandbox = scene()
    put(sandbox, 2)
    fail(sandbox)
    sandbox.run("PR1", "DEFINE QLOCAL(X) USAGE(XMITQ)")
    tell(sandbox, events.TransmissionQueueSwitchBegan, queue=DEFAULT, to="X")
    tell(sandbox, events.TransmissionQueueSwitched, queue="X", stranded=2)
    put(sandbox, 3, lies_on="X")
    assert column(sandbox, "correlid", "count") == [("CA.PR2", 2)]
    assert column(sandbox, "correlid", "count", queue="X") == [("CA.PR2", 3)]


def test_a_message_for_no_cluster_sender_has_neither_channel_nor_token() -> None:
    """On an ordinary queue CorrelId and AccountingToken are the application's: null."""
    sandbox = scene()
    sandbox.run("PR1", "DEFINE QLOCAL(OWN)\nDEFINE QLOCAL(X) USAGE(XMITQ)")
    keys = ("correlid", "accounting_token", "remote_queue", "remote_qmgr", "count")
    for queue, expected in (("OWN", (None, None, None, None, 4)), ("X", (None, None, "R", "Z", 4))):
        target = "R" if queue == "X" else queue
        share = events.Share(
            count=4, to="", channel="", lies_on=queue, queue=target, named="Z" * (queue == "X")
        )
        sandbox.draft.emit(events.MessagesPut(qmgr="PR1", queue=target, shares=(share,)))
        assert column(sandbox, *keys, queue=queue) == [expected]


def test_an_empty_queue_has_no_rows() -> None:
    """An answer without rows still has its columns."""
    answer = ask(scene(), "ORD", "PR2")
    assert (answer.rows, answer.columns[0]) == ((), "on")


def test_an_unknown_queue_is_an_error() -> None:
    """The queue manager and a local queue of it are required."""
    sandbox = scene()
    with pytest.raises(NoSuchQueueManager):
        ask(sandbox, on="QM9")
    with pytest.raises(NoSuchLocalQueue, match=r"^unknown local queue ORD on PR1$"):
        ask(sandbox, "ORD")
    for filters in ({}, {"on": "PR1"}, {"queue": DEFAULT}):
        with pytest.raises(NoQueueNamed):
            browse(sandbox.estate, sandbox.as_of, **filters)


def test_a_dead_letter_has_the_reason_and_what_it_was_for() -> None:
    """Each has the fields of its MQDLH; one that an application put there has no header."""
    sandbox, dead = small_cluster(), "SYSTEM.DEAD.LETTER.QUEUE"
    sandbox.run("PR2", f"ALTER QMGR DEADQ({dead})\nDEFINE QLOCAL(ORD) CLUSTER(CA) MAXDEPTH(1)")
    sandbox.put("PR1", queue="ORD", count=3, to="PR2")
    sandbox.put("PR1", queue="NONE", to="PR2")
    sandbox.run("PR2", "ALTER QLOCAL(ORD) PUT(DISABLED)")
    sandbox.put("PR1", queue="ORD", to="PR2")
    sandbox.put("PR2", queue=dead)
    answer = ask(sandbox, dead, "PR2")
    keys = ("count", "reason", "reason_name", "dest_queue", "dest_qmgr")
    assert [tuple(row[key] for key in keys) for row in answer.rows] == [
        (2, 2053, "MQRC_Q_FULL", "ORD", "PR2"),
        (1, 2085, "MQRC_UNKNOWN_OBJECT_NAME", "NONE", "PR2"),
        (1, 2051, "MQRC_PUT_INHIBITED", "ORD", "PR2"),
        (1, None, None, None, None),
    ]
    assert problems(answer) == []
