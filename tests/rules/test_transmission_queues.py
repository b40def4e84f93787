"""The transmission queue of a channel until its next start."""

from __future__ import annotations

import pytest

from tests.rules.sending_scene import DEFAULT, Scene, scene
from twin import events
from twin.fold.estate import Estate
from twin.fold.store.pages import ESTATE, estate_from, pages_of
from twin.rules.channels import switching
from twin.rules.deriving import derive
from twin.rules.queues import transmission_queues

OWN = "SYSTEM.CLUSTER.TRANSMIT.CA.QM3"


def fresh(definitions: str) -> Scene:
    """Make a sender with its own definitions before any channel starts."""
    made = Scene()
    made.create("FR1", "QMS", "QM3")
    made.full("FR1").run("QMS", definitions)
    made.member("QMS", "FR1").member("QM3", "FR1")
    made.run("QM3", "DEFINE QLOCAL(ORD) CLUSTER(CA) DEFBIND(NOTFIXED)")
    made.open("QMS", "ORD")
    return made


def in_use(made: Scene, channel: str = "CA.QM3") -> str:
    """Return the queue that a channel of the sender uses."""
    return transmission_queues.in_use(made.estate.qmgr("QMS"), channel)


def test_a_channel_of_the_default_queue_costs_no_event() -> None:
    """A channel that uses the default transmission queue records no event for it."""
    made = scene()
    made.send(count=10)
    assert in_use(made) == DEFAULT
    assert not made.told(events.TransmissionQueueAssigned)
    assert made.messaging.assigned == {}


def test_a_channel_that_never_started_has_the_queue_that_the_definitions_say() -> None:
    """Before its first start a channel follows the definitions; after it the queue stays."""
    made = fresh("DEFINE QLOCAL(XQ3) USAGE(XMITQ) CLCHNAME('CA.QM3')")
    assert in_use(made) == "XQ3"
    made.run("QMS", "ALTER QLOCAL(XQ3) CLCHNAME(' ')")
    assert in_use(made) == DEFAULT
    made.run("QMS", "ALTER QLOCAL(XQ3) CLCHNAME('CA.*')\nSTART CHANNEL(CA.QM3)")
    made.run("QMS", "ALTER QLOCAL(XQ3) CLCHNAME(' ')")
    assert in_use(made) == "XQ3"
    assert [event.queue for event in made.told(events.TransmissionQueueAssigned)] == ["XQ3"]


def test_a_start_in_vain_settles_it_as_well() -> None:
    """A start that does not find the partner also fixes the transmission queue."""
    made = fresh("DEFINE QLOCAL(XQ3) USAGE(XMITQ)")
    made.control("endmqm", "QM3")
    made.run("QMS", "START CHANNEL(CA.QM3)")
    assert made.status("CA.QM3") == "RETRYING"
    made.run("QMS", "ALTER QLOCAL(XQ3) CLCHNAME('CA.QM3')")
    assert in_use(made) == DEFAULT


def test_a_channel_stopped_before_it_ever_ran_keeps_the_queue_of_its_first_message() -> None:
    """Waiting messages move to the new queue in order when the channel starts."""
    made = fresh("DEFINE QLOCAL(XQ3) USAGE(XMITQ) CLCHNAME('CA.QM3')")
    made.run("QMS", "STOP CHANNEL(CA.QM3)")
    made.send(count=3, name="first")
    made.run("QMS", "ALTER QLOCAL(XQ3) CLCHNAME(' ')")
    made.send(count=4, name="second")
    assert made.waiting("CA.QM3") == {"XQ3": 7}
    made.hold("CA.QM3")
    made.run("QMS", "START CHANNEL(CA.QM3)")
    assert made.waiting("CA.QM3") == {DEFAULT: 7}
    assert [parcel.name for parcel in made.parcels("CA.QM3")] == ["first", "second"]


def test_defclxq_channel_makes_a_queue_for_each_channel_when_it_is_needed() -> None:
    """The queue is created from the model as PERMDYN and has no CLCHNAME."""
    made = fresh("ALTER QMGR DEFCLXQ(CHANNEL)")
    definitions = made.estate.qmgr("QMS").definitions
    assert ("QUEUE", OWN) not in definitions
    made.send()
    made_queue = definitions["QUEUE", OWN]
    assert made_queue.values["DEFTYPE"] == "PERMDYN"
    assert made_queue.values["USAGE"] == "XMITQ"
    assert "CLCHNAME" not in made_queue.values
    assert made.depth("QM3") == 1
    assert len([each for each in made.told(events.ObjectDefined) if each.name == OWN]) == 1


def test_a_manual_queue_goes_before_the_default_of_either_kind() -> None:
    """DEFCLXQ(CHANNEL) creates no queue for a channel that a CLCHNAME names."""
    made = fresh("DEFINE QLOCAL(XQ3) USAGE(XMITQ) CLCHNAME('CA.*')\nALTER QMGR DEFCLXQ(CHANNEL)")
    made.send()
    assert in_use(made) == "XQ3"
    assert ("QUEUE", OWN) not in made.estate.qmgr("QMS").definitions


def test_of_two_queues_with_the_same_name_the_one_in_use_stays() -> None:
    """A channel does not switch between two queues that the definitions select equally."""
    made = fresh("DEFINE QLOCAL(XQ.B) USAGE(XMITQ) CLCHNAME('CA.QM3')")
    made.send()
    made.run("QMS", "DEFINE QLOCAL(XQ.A) USAGE(XMITQ) CLCHNAME('CA.QM3')")
    made.run("QMS", "STOP CHANNEL(CA.QM3)\nSTART CHANNEL(CA.QM3)")
    assert in_use(made) == "XQ.B"
    assert not switching.pending_queue(made.estate.qmgr("QMS"), "CA.QM3")


@pytest.mark.parametrize("status", ["", " STATUS(INACTIVE)"])
def test_a_queue_that_was_deleted_meanwhile_is_nobodys(status: str) -> None:
    """After the deletion of its queue, a channel uses the queue in the definitions."""
    made = fresh("DEFINE QLOCAL(XQ3) USAGE(XMITQ) CLCHNAME('CA.QM3')")
    made.send()
    assert made.run("QMS", "DELETE QLOCAL(XQ3)") == ["AMQ8148E"]
    made.run("QMS", f"STOP CHANNEL(CA.QM3){status}\nDELETE QLOCAL(XQ3)")
    made.send(count=2)
    assert in_use(made) == DEFAULT
    made.run("QMS", "START CHANNEL(CA.QM3)")
    assert made.depth("QM3") == 3
    assert made.logged() == [("AMQ7341", "CA.QM3", DEFAULT)]


def test_a_handle_that_was_bound_before_a_switch_puts_on_the_new_queue() -> None:
    """A bound handle puts on the current transmission queue of its channel."""
    made = scene()
    opened = events.QueueOpened(qmgr="QMS", queue="ORD", bind="open", handle="h")
    derive(made.draft, opened)
    made.run("QMS", "DEFINE QLOCAL(XQ) USAGE(XMITQ) CLCHNAME('CA.*')")
    made.run("QMS", "STOP CHANNEL(CA.QM3)\nSTART CHANNEL(CA.QM3)")
    made.hold("CA.QM3")
    derive(made.draft, events.PutEntered(qmgr="QMS", handle="h", count=3))
    assert made.waiting("CA.QM3") == {"XQ": 3}


def test_what_a_channel_has_is_stored_with_its_queue_manager() -> None:
    """A stored page has a channel's last run and retries, and who has messages waiting."""
    made = scene(receiver="SHORTRTY(2) LONGRTY(7)")
    made.run("QMS", "DEFINE QLOCAL(XQ) USAGE(XMITQ) CLCHNAME('CA.*')\nSTOP CHANNEL(CA.QM4)")
    made.hold("CA.QM3")
    made.send("PAY", count=3)
    made.control("endmqm", "QM3")
    pages = pages_of(made.estate)
    loaded = estate_from(pages[ESTATE], pages.__getitem__)
    for one, other in zip(*(_facts(estate) for estate in (made.estate, loaded)), strict=True):
        assert one == other
    assert list(loaded.qmgrs_with_waiting_messages) == ["QMS"]
    again = pages_of(loaded)
    kept = [name for name in pages if name.partition(":")[0] in ("activity", "messaging", ESTATE)]
    assert [again[name] for name in kept] == [pages[name] for name in kept]


def _facts(estate: Estate) -> list[object]:
    qmgr = estate.qmgr("QMS")
    activity = qmgr.activity
    return [activity.channels, activity.saved, activity.tried, qmgr.messaging.assigned]


def test_a_switch_to_a_queue_that_can_no_longer_be_made_stops() -> None:
    """If its own queue and the model queue were deleted, a channel stays where it was."""
    made = scene()
    made.hold("CA.QM3", switch=True)
    made.run("QMS", "ALTER QMGR DEFCLXQ(CHANNEL)\nSTOP CHANNEL(CA.QM3)\nSTART CHANNEL(CA.QM3)")
    made.run("QMS", "STOP CHANNEL(CA.QM3)\nDELETE QLOCAL(SYSTEM.CLUSTER.TRANSMIT.CA.QM3)")
    made.run("QMS", "DELETE QMODEL(SYSTEM.CLUSTER.TRANSMIT.MODEL.QUEUE)")
    made.release("CA.QM3", switch=True)
    made.run("QMS", "START CHANNEL(CA.QM3)")
    made.send(count=2)
    assert made.depth("QM3") == 1
    assert transmission_queues.in_use(made.estate.qmgr("QMS"), "CA.QM3") == DEFAULT
