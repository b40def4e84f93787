"""The outcome of puts: delivered, dead-lettered, redirected, waiting, lost."""

from __future__ import annotations

from typing import Any

from tests.rules.sending_scene import DEFAULT, Scene, scene
from twin.events import PutEntered
from twin.questions.put_outcome import PutOutcome, put_outcome
from twin.rules.deriving import derive

DEAD = "SYSTEM.DEAD.LETTER.QUEUE"


def put(made: Scene, queue: str = "ORD", count: int = 1, **options: Any) -> PutOutcome:
    """Put messages at the sender, and return their outcome."""
    event = PutEntered(qmgr="QMS", queue=queue, count=count, **{"bind": "notfixed", **options})
    behind = len(made.draft.events)
    done = derive(made.draft, event).put
    assert done is not None
    facts = [event for _, event in made.draft.events[behind:]]
    return put_outcome(made.estate, "QMS", done, facts, at=made.draft.at)


def held_back(made: Scene, change: str) -> PutOutcome:
    """Put 8 messages on ORD; change QM3 before its messages reach it. Return their outcome."""
    made.hold("CA.QM3")
    begin = len(made.draft.events)
    done = derive(made.draft, PutEntered(qmgr="QMS", queue="ORD", count=8, bind="notfixed")).put
    assert done is not None
    made.run("QM3", change)
    made.release("CA.QM3")
    facts = [event for _, event in made.draft.events[begin:]]
    return put_outcome(made.estate, "QMS", done, facts, at=made.draft.at)


def lines(found: PutOutcome) -> list[str]:
    """Return the outcome in words."""
    return list(found.lines(at="QMS"))


def test_what_arrived_on_its_queue_was_delivered() -> None:
    """A message on its target queue is delivered, without further lines."""
    made = scene()
    found = put(made, count=10)
    assert (found.delivered, found.waiting, found.lost, lines(found)) == (10, 0, 0, [])
    made.run("QMS", "DEFINE QLOCAL(HERE)")
    assert put(made, "HERE", 3).delivered == 3


def test_what_a_dead_letter_queue_took_was_not_delivered() -> None:
    """A message on a dead-letter queue is listed with its queue and the reason."""
    made = scene()
    made.run("QM3", f"ALTER QMGR DEADQ({DEAD})\nALTER QLOCAL(PAY) MAXDEPTH(2)")
    found = put(made, "PAY", 5)
    assert (found.delivered, found.waiting, found.lost) == (2, 0, 0)
    assert lines(found) == [
        "2 delivered",
        f"3 on the dead-letter queue {DEAD} of QM3 (2053 MQRC_Q_FULL)",
    ]


def test_a_redirected_message_is_listed() -> None:
    """A redirected message is listed, whether it arrived or still waits."""
    made = scene()
    found = held_back(made, "ALTER QLOCAL(ORD) PUT(DISABLED)")
    assert found.delivered == 8
    assert lines(found) == ["8 delivered", "4 redirected by QM3 to QM4 (2051 MQRC_PUT_INHIBITED)"]
    made.run("QM3", "ALTER QLOCAL(ORD) PUT(ENABLED)\nSTOP CHANNEL(CA.QM4)")
    found = held_back(made, "ALTER QLOCAL(ORD) PUT(DISABLED)")
    assert (found.delivered, found.waiting) == (4, 4)
    redirected = "4 redirected by QM3 to QM4 (2051 MQRC_PUT_INHIBITED)"
    waits = f"wait there on {DEFAULT}: CA.QM4 is STOPPED"
    assert lines(found)[1:] == [f"{redirected}, {waits}"]


def test_a_returned_message_has_the_reason_of_its_return() -> None:
    """A returned message has the reason code of the queue manager that returned it."""
    made = scene()
    made.run("QM3", "ALTER QLOCAL(PAY) MAXDEPTH(1)")
    found = put(made, "PAY", 3)
    (said,) = lines(found)[1:]
    assert found.waiting == 2
    assert said.startswith(f"2 wait on {DEFAULT}: CA.QM3 is RETRYING, next retry ")
    assert said.endswith(" (returned with 2053 MQRC_Q_FULL)")


def test_what_is_not_persistent_may_be_gone() -> None:
    """A non-persistent message is lost if no queue accepts it."""
    made = scene()
    made.run("QM3", "ALTER QLOCAL(PAY) MAXDEPTH(1)")
    found = put(made, "PAY", 3, persistent=False)
    assert (found.delivered, found.waiting, found.lost) == (1, 0, 2)
    assert lines(found)[1:] == ["2 lost: not persistent, and no queue accepted them"]


def test_what_no_channel_takes_waits() -> None:
    """A message waits if no channel is defined for its transmission queue."""
    made = scene()
    made.run("QMS", "DEFINE QLOCAL(XQ) USAGE(XMITQ)")
    made.run("QMS", "DEFINE QREMOTE(FAR) RNAME(Q) RQMNAME(QMF) XMITQ(XQ)")
    found = put(made, "FAR", 2)
    assert (found.delivered, found.waiting) == (0, 2)
    assert lines(found)[1:] == ["2 wait on XQ: no channel gets messages from it"]


def test_what_a_pass_put_on_a_local_queue_was_delivered() -> None:
    """A message that was rerouted to a local instance is delivered, not lost."""
    made = scene()
    made.run("QMS", "DEFINE QLOCAL(ORD) CLUSTER(CA) CLWLUSEQ(ANY)")
    for partner in ("QM3", "QM4"):
        made.cut(partner)
        made.observe(f"CA.{partner}", status="INACTIVE")
    found = put(made, count=6)
    assert (found.delivered, found.waiting, found.lost) == (6, 0, 0)
    assert lines(found) == [
        "6 delivered",
        "2 rerouted to QMS, because CA.QM3 of QMS does not run",
        "2 rerouted to QMS, because CA.QM4 of QMS does not run",
    ]
