"""CURDEPTH, IPPROCS and OPPROCS: messages on queues, and who has them open."""

from __future__ import annotations

from tests.questions.display.shown import ask, column, lines, rows
from tests.questions.waiting_scene import DEFAULT, put, scene
from tests.sandbox import Sandbox
from twin import events


def arrive(sandbox: Sandbox, count: int, queue: str = "ORD") -> int:
    """Put messages on a queue of PR2; return the position of the event."""
    parcel = events.Parcel(put=77, count=count, queue=queue, at=sandbox.draft.at, by="PR1")
    arrived = events.MessagesArrived(
        qmgr="PR2", sender="PR1", channel="CA.PR2", queue=queue, parcels=(parcel,)
    )
    sandbox.draft.emit(arrived)
    return parcel.put


def test_a_local_queue_shows_how_deep_it_is() -> None:
    """CURDEPTH counts messages, and its evidence is their puts."""
    sandbox = scene()
    arrive(sandbox, 12)
    assert lines(sandbox, "PR2", "DIS QL(ORD) CURDEPTH MAXDEPTH") == [
        "AMQ8409I: Display Queue details.",
        "   QUEUE(ORD)                              TYPE(QLOCAL)",
        "   CURDEPTH(12)                            MAXDEPTH(5000)",
    ]
    (record,) = ask(sandbox, "PR2", "DIS QUEUE(ORD) CURDEPTH").records
    assert 77 in record.evidence
    assert len(record.evidence) == 2


def test_queue_status_shows_the_same_depth() -> None:
    """QSTATUS always has CURDEPTH, and its columns as numbers."""
    sandbox = scene()
    arrive(sandbox, 12)
    (row,) = rows(sandbox, "PR2", "DIS QSTATUS(ORD) TYPE(QUEUE) IPPROCS OPPROCS")
    assert row == {"queue": "ORD", "type": "QUEUE", "curdepth": 12, "ipprocs": 0, "opprocs": 0}


def test_what_mq_keeps_on_its_own_queues_is_not_counted() -> None:
    """Numbers of system queues that the twin does not model are null, and never 0."""
    shown = rows(scene(), "PR1", "DIS QL(SYSTEM.CLUSTER.*) CURDEPTH IPPROCS OPPROCS")
    numbers = {row["queue"]: (row["curdepth"], row["ipprocs"], row["opprocs"]) for row in shown}
    assert numbers == {
        "SYSTEM.CLUSTER.COMMAND.QUEUE": (0, 1, None),
        "SYSTEM.CLUSTER.HISTORY.QUEUE": (None, None, None),
        "SYSTEM.CLUSTER.REPOSITORY.QUEUE": (None, 1, None),
        "SYSTEM.CLUSTER.TRANSMIT.QUEUE": (0, 2, None),
    }
    assert "   CURDEPTH( )" in "\n".join(
        lines(scene(), "PR1", "DIS QL(SYSTEM.CLUSTER.REPOSITORY.QUEUE) CURDEPTH")
    )


def test_running_channels_get_from_their_transmission_queue() -> None:
    """IPPROCS of a transmission queue counts the channels that run over it."""
    sandbox = scene()
    command = f"DIS QSTATUS({DEFAULT}) IPPROCS"
    assert column(sandbox, "PR1", command, "ipprocs") == [2]
    stopped = events.ChannelStatusChanged(
        qmgr="PR1", channel="CA.FR1", status="STOPPED", partner="FR1", reason=""
    )
    sandbox.draft.emit(stopped)
    assert column(sandbox, "PR1", command, "ipprocs") == [1]


def test_depth_can_be_filtered_by() -> None:
    """WHERE(CURDEPTH GT 0) finds the queues that have messages."""
    sandbox = scene()
    arrive(sandbox, 1)
    assert column(sandbox, "PR2", "DIS QL(*) WHERE(CURDEPTH GT 0)", "queue") == ["ORD"]


def test_a_transmission_queue_counts_what_waits_for_all_its_channels() -> None:
    """CURDEPTH of a transmission queue counts the messages of all its channels."""
    sandbox = scene()
    put(sandbox, 10)
    put(sandbox, 5, channel="CA.FR1")
    command = f"DIS QL({DEFAULT}) CURDEPTH"
    assert column(sandbox, "PR1", command, "curdepth") == [15]


def test_repository_commands_count_one_each() -> None:
    """A waiting repository command counts as one message on its transmission queue."""
    sandbox = scene()
    put(sandbox, 10)
    sandbox.control("endmqm", "FR1")
    sandbox.run("PR1", "DEFINE QLOCAL(A) CLUSTER(CA)")
    waiting = sum(map(len, sandbox.estate.qmgr("PR1").repository.waiting.values()))
    assert waiting == 1
    for command in (f"DIS QL({DEFAULT}) CURDEPTH", f"DIS QSTATUS({DEFAULT})"):
        assert column(sandbox, "PR1", command, "curdepth") == [11]


def test_an_open_handle_counts_on_the_queue_it_led_to() -> None:
    """A handle of an alias counts at its base queue; remote and closed handles do not count."""
    sandbox = scene()
    for handle, queue, base in (("h1", "ORD", ""), ("h2", "ALIAS", "ORD"), ("h3", "OTHER", "")):
        opened = events.HandleOpened(qmgr="PR2", handle=handle, queue=queue, base=base)
        sandbox.draft.emit(opened)
    share = events.Share(count=0, to="X", channel="CA.FR1", lies_on=DEFAULT, queue="ORD")
    bound = events.HandleOpened(qmgr="PR2", handle="h4", queue="ORD", bind="open", bound=share)
    sandbox.draft.emit(bound)
    assert column(sandbox, "PR2", "DIS QL(ORD) OPPROCS", "opprocs") == [2]
    sandbox.draft.emit(events.HandleClosed(qmgr="PR2", handle="h1"))
    assert column(sandbox, "PR2", "DIS QSTATUS(ORD) OPPROCS", "opprocs") == [1]
