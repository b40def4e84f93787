"""A switch that cannot move messages stops, and goes on when there is space or at a start."""

from __future__ import annotations

import pytest

from tests.rules.sending_scene import DEFAULT, Scene, scene
from twin import events
from twin.fold.store.pages import ESTATE, estate_from, pages_of
from twin.rules.channels import switching
from twin.rules.queues import transmission_queues

DEFINE = "DEFINE QLOCAL(XQ3) USAGE(XMITQ) CLCHNAME('CA.QM3')"
RESTART = "STOP CHANNEL(CA.QM3)\nSTART CHANNEL(CA.QM3)"


def stopped(more: str = "MAXDEPTH(5)", *, old: str = "", platform: str = "UNIX") -> Scene:
    """Let twelve messages of three puts wait for a channel whose switch stops."""
    made = scene(platform=platform)
    made.hold("CA.QM3")
    for name in "abc":
        made.send("PAY", count=4, name=name)
    more += " INDXTYPE(CORRELID)" if platform == "MVS" else ""
    made.run("QMS", f"{DEFINE} {more}\n{old}")
    made.run("QMS", RESTART)
    return made


def reasons(made: Scene) -> list[tuple[str, int, int]]:
    """Return the queue, the reason code and the rest of each stop of a switch."""
    stops = made.told(events.TransmissionQueueSwitchStopped)
    return [(event.queue, event.reason, event.left) for event in stops]


def in_use(made: Scene) -> str:
    """Return the queue that messages for the channel are put on."""
    return transmission_queues.in_use(made.estate.qmgr("QMS"), "CA.QM3")


def test_as_many_messages_are_moved_as_the_new_queue_can_hold() -> None:
    """The rest stays on the old queue, new messages follow it, and all leave with the channel."""
    made = stopped()
    assert made.status("CA.QM3") == "RUNNING"
    assert made.waiting("CA.QM3") == {"XQ3": 5, DEFAULT: 7}
    assert reasons(made) == [("XQ3", 2053, 7)]
    made.send("PAY", name="d")
    assert (in_use(made), made.waiting("CA.QM3")) == (DEFAULT, {"XQ3": 5, DEFAULT: 8})
    made.release("CA.QM3")
    assert made.waiting("CA.QM3") == {}
    assert [event.count for event in made.told(events.MessagesSwitched)] == [5, 5, 3]
    assert (in_use(made), made.depth("QM3", "PAY")) == ("XQ3", 13)
    order = made.estate.qmgr("QM3").messaging.local["PAY"]
    assert list(dict.fromkeys(parcel.name for parcel in order)) == ["a", "b", "c", "d"]


@pytest.mark.parametrize(
    ("new", "old", "reason"),
    [
        ("PUT(DISABLED)", "", ("XQ3", 2051, 12)),
        ("", f"ALTER QLOCAL({DEFAULT}) GET(DISABLED)", (DEFAULT, 2016, 12)),
    ],
)
def test_a_disabled_queue_stops_a_switch_before_it_moves_any_message(
    new: str, old: str, reason: tuple[str, int, int]
) -> None:
    """The channel runs on the new queue, sends nothing, and goes on when the queue is enabled."""
    made = stopped(new, old=old)
    made.release("CA.QM3")
    assert made.waiting("CA.QM3") == {DEFAULT: 12}
    assert (made.status("CA.QM3"), in_use(made)) == ("RUNNING", DEFAULT)
    assert reasons(made) == [reason]
    made.run("QMS", f"ALTER QLOCAL(XQ3) PUT(ENABLED)\nALTER QLOCAL({DEFAULT}) GET(ENABLED)")
    assert made.waiting("CA.QM3") == {DEFAULT: 12}
    made.run("QMS", RESTART)
    assert (made.waiting("CA.QM3"), made.depth("QM3", "PAY")) == ({}, 12)


def test_the_error_log_tells_how_far_it_got() -> None:
    """The stages are logged, with how many are left and why the switch stopped."""
    made = stopped()
    assert made.logged() == [
        ("TWN0006", "CA.QM3", DEFAULT, "XQ3"),
        ("TWN0007", "CA.QM3", "12", DEFAULT, "XQ3"),
        ("TWN0008", "CA.QM3", "7", DEFAULT),
        ("TWN0010", "CA.QM3", "XQ3", "2053"),
    ]
    zos = stopped("PUT(DISABLED)", platform="MVS")
    assert [line[0] for line in zos.logged()] == [
        *("CSQX293", "CSQM550", "CSQM553", "TWN0008", "CSQM555")
    ]


def test_runswchl_goes_on_with_a_switch_that_stopped() -> None:
    """It reports what it moved and why it stopped, and switches the channel once it can."""
    made = stopped()
    made.run("QMS", "STOP CHANNEL(CA.QM3)")
    (found,) = switching.pending_switches(made.estate.qmgr("QMS"), "*", made.draft.at)
    assert (found.xmitq, found.messages, found.reason) == (DEFAULT, 7, 2053)
    (found,) = made.runswchl("*")
    assert (found.switched, found.moved, found.reason) == (False, 0, 2053)
    made.run("QMS", "ALTER QLOCAL(XQ3) MAXDEPTH(12)")
    (found,) = made.runswchl("*")
    assert (found.switched, found.moved, found.reason) == (True, 7, 0)
    assert made.waiting("CA.QM3") == {"XQ3": 12}
    assert [parcel.name for parcel in made.parcels("CA.QM3")] == ["a", "b", "b", "c"]


def test_runswchl_without_moving_leaves_the_rest_behind() -> None:
    """With -n a switch that stopped is done, and its rest is stranded."""
    made = stopped()
    made.run("QMS", "STOP CHANNEL(CA.QM3)")
    (found,) = made.runswchl("*", "n")
    assert (found.switched, found.stranded, in_use(made)) == (True, 7, "XQ3")


def test_messages_on_the_old_queue_never_exceed_its_maxdepth() -> None:
    """A put to the old queue of a running channel takes space, because nothing leaves it."""
    made = stopped("PUT(DISABLED)")
    made.release("CA.QM3")
    made.run("QMS", f"ALTER QLOCAL({DEFAULT}) MAXDEPTH(14)")
    made.send("PAY", count=5)
    assert made.waiting("CA.QM3") == {DEFAULT: 14}


def test_repository_commands_wait_on_the_old_queue() -> None:
    """A repository command waits while a switch has stopped, and is sent when it has ended."""
    made = stopped("PUT(DISABLED)")
    made.release("CA.QM3")
    made.run("QMS", "DEFINE QLOCAL(NEW) CLUSTER(CA)")
    made.open("QM3", "NEW")
    assert "NEW@QMS" not in made.knows("QM3", "queue")
    made.run("QMS", f"ALTER QLOCAL(XQ3) PUT(ENABLED)\n{RESTART}")
    assert made.waiting("CA.QM3") == {}
    assert "NEW@QMS" in made.knows("QM3", "queue")


def test_a_retry_goes_on_as_soon_as_there_is_space() -> None:
    """A RETRYING channel waits for space on its new queue, and its next retry uses it."""
    made = stopped()
    made.control("endmqm", "QM3")
    assert made.status("CA.QM3") == "RETRYING"
    before = len(reasons(made))
    made.pass_time(3_600_000_000)
    assert len(reasons(made)) == before
    made.run("QMS", "ALTER QLOCAL(XQ3) MAXDEPTH(8)")
    made.pass_time(3_600_000_000)
    assert made.waiting("CA.QM3") == {"XQ3": 8, DEFAULT: 4}
    made.run("QMS", "ALTER QLOCAL(XQ3) MAXDEPTH(12)")
    made.pass_time(3_600_000_000)
    assert made.waiting("CA.QM3") == {"XQ3": 12}


def test_a_retry_uses_the_space_that_another_channel_makes() -> None:
    """Messages that another channel sends from the new queue let the switch go on."""
    made = scene()
    made.hold("CA.QM4")
    made.run("QMS", "DEFINE QLOCAL(XQ) USAGE(XMITQ) CLCHNAME('CA.*') MAXDEPTH(5)")
    made.run("QMS", "STOP CHANNEL(CA.QM4)\nSTART CHANNEL(CA.QM4)")
    made.send("ORD", count=5, bind="open", to="QM4")
    made.control("endmqm", "QM3")
    made.send("PAY", count=3)
    made.run("QMS", RESTART)
    made.pass_time(3_600_000_000)
    assert made.waiting("CA.QM3") == {DEFAULT: 3}
    made.release("CA.QM4")
    made.pass_time(3_600_000_000)
    assert made.waiting("CA.QM3") == {"XQ": 3}


def test_a_channel_with_nothing_on_its_new_queue_disconnects() -> None:
    """Messages on the old queue keep no channel running; a new one starts it, and the switch."""
    made = stopped("PUT(DISABLED)")
    made.release("CA.QM3")
    made.pass_time(7_000_000_000)
    before = len(reasons(made))
    made.send("PAY")
    assert len(reasons(made)) == before + 1
    made.run("QMS", "ALTER QLOCAL(XQ3) PUT(ENABLED)")
    made.pass_time(7_000_000_000)
    made.send("PAY")
    assert made.waiting("CA.QM3") == {}


def test_a_start_of_the_queue_manager_goes_on() -> None:
    """A restart of the queue manager starts the channel for messages on the old queue."""
    made = stopped("PUT(DISABLED)")
    made.run("QMS", "ALTER QLOCAL(XQ3) PUT(ENABLED) MAXDEPTH(5)")
    made.control("endmqm", "QMS")
    made.control("strmqm", "QMS")
    assert made.waiting("CA.QM3") == {"XQ3": 5, DEFAULT: 7}


def test_neither_queue_is_deleted_while_the_channel_runs() -> None:
    """During a switch a running channel has its new and its old queue open."""
    made = stopped()
    made.release("CA.QM3")
    assert made.run("QMS", "DELETE QLOCAL(XQ3)") == ["AMQ8148E"]


def test_a_switch_to_a_deleted_queue_starts_over() -> None:
    """The error log says that the queue cannot be opened; the definitions select another."""
    made = stopped("PUT(DISABLED)", platform="MVS")
    made.run("QMS", "STOP CHANNEL(CA.QM3)\nDELETE QLOCAL(XQ3)")
    made.run("QMS", "DEFINE QLOCAL(XQ4) USAGE(XMITQ) CLCHNAME('CA.*') INDXTYPE(CORRELID)")
    made.run("QMS", "START CHANNEL(CA.QM3)")
    assert ("CSQM556", "CA.QM3", "XQ3", "2085") in made.logged()
    assert made.waiting("CA.QM3") == {"XQ4": 12}


def test_a_switch_to_a_deleted_queue_ends_where_it_was() -> None:
    """If the definitions select the old queue again, the channel goes on with it."""
    made = stopped("PUT(DISABLED)")
    made.run("QMS", "STOP CHANNEL(CA.QM3)\nDELETE QLOCAL(XQ3)\nSTART CHANNEL(CA.QM3)")
    assert made.logged()[-1] == ("AMQ7341", "CA.QM3", DEFAULT)
    made.release("CA.QM3")
    assert (made.waiting("CA.QM3"), made.depth("QM3", "PAY")) == ({}, 12)


def test_a_switch_without_messages_ends_although_its_queue_is_disabled() -> None:
    """Nothing has to be moved, so nothing stops the switch."""
    made = scene()
    made.run("QMS", f"{DEFINE} PUT(DISABLED)\n{RESTART}")
    assert [line[0] for line in made.logged()] == ["TWN0006", "AMQ7341"]


def test_releasing_the_channel_does_not_start_a_switch_that_stopped() -> None:
    """Only a start, runswchl, or the release of a held switch goes on with it."""
    made = stopped("PUT(DISABLED)")
    made.run("QMS", "ALTER QLOCAL(XQ3) PUT(ENABLED)")
    made.release("CA.QM3")
    assert made.waiting("CA.QM3") == {DEFAULT: 12}
    made.hold("CA.QM3", switch=True)
    made.release("CA.QM3", switch=True)
    assert made.waiting("CA.QM3") == {}


def test_a_stored_page_has_the_reason() -> None:
    """A switch is stored with the reason for which it stopped; older pages have none."""
    made = stopped()
    pages = pages_of(made.estate)
    loaded = estate_from(pages[ESTATE], pages.__getitem__)
    assert switching.stopped(loaded.qmgr("QMS"), "CA.QM3") == 2053
    (name,) = [name for name in pages if b'"XQ3",' in pages[name] and name.startswith("messaging")]
    pages[name] = pages[name].replace(b",2053]", b"]")
    older = estate_from(pages[ESTATE], pages.__getitem__)
    assert older.qmgr("QMS").messaging.switching["CA.QM3"].to == "XQ3"
    assert switching.stopped(older.qmgr("QMS"), "CA.QM3") == 0


def test_a_retry_waits_until_all_repository_commands_fit() -> None:
    """A channel whose messages are refused does not try a switch that cannot end, again and again.

    Its repository commands move all at once, so space for some of them does not help.
    """
    made = scene()
    queues = [f"NEW{number}" for number in range(4)]
    made.run("QMS", "\n".join(f"DEFINE QLOCAL({queue}) CLUSTER(CA)" for queue in queues))
    for queue in queues:
        made.open("QM3", queue)
    made.cut("QM3")
    made.run("QMS", "\n".join(f"ALTER QLOCAL({queue}) DESCR(new)" for queue in queues))
    made.send("PAY", count=2)
    made.run("QM3", "ALTER QLOCAL(PAY) MAXDEPTH(0)")
    made.run("QMS", f"{DEFINE} MAXDEPTH(4)")
    made.cut("QM3", cut=False)
    made.pass_time(3_600_000_000)
    assert made.status("CA.QM3") == "RETRYING"
    assert made.waiting("CA.QM3") == {"XQ3": 2}
    assert reasons(made)[-1:] == [("XQ3", 2053, 4)]
    stops = len(reasons(made))
    made.pass_time(3_600_000_000)
    assert len(reasons(made)) == stops


def test_a_request_that_waits_is_not_made_again() -> None:
    """Each start of a channel whose switch has stopped leaves as many commands on the old queue."""
    made = scene()
    made.cut("QM3")
    made.open("QM3", "UNHEARD")
    made.run("QM3", "DEFINE QLOCAL(XQ) USAGE(XMITQ) CLCHNAME('CA.QMS') PUT(DISABLED)")
    made.cut("QM3", cut=False)
    made.run("QM3", "STOP CHANNEL(CA.QMS)\nSTART CHANNEL(CA.QMS)")
    qmgr = made.estate.qmgr("QM3")
    (waiting,) = qmgr.repository.waiting["CA.QMS"]
    assert ("queue", "UNHEARD") in waiting.asks
    for _ in range(3):
        made.run("QM3", "STOP CHANNEL(CA.QMS)\nSTART CHANNEL(CA.QMS)")
    assert qmgr.repository.waiting["CA.QMS"] == [waiting]
    made.run("QM3", "ALTER QLOCAL(XQ) PUT(ENABLED)\nSTOP CHANNEL(CA.QMS)\nSTART CHANNEL(CA.QMS)")
    assert "CA.QMS" not in qmgr.repository.waiting
