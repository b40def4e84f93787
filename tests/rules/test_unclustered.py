"""Channels outside clusters: their partners, and the messages that they get."""

from __future__ import annotations

from tests.rules.sending_scene import Scene, scene
from twin.fold.store.pages import ESTATE, estate_from, pages_of
from twin.rules.channels import channel_status


def two() -> Scene:
    """Make QMS, with an SDR and its transmission queue, and OUT, with the RCVR."""
    made = Scene()
    made.create("QMS", "OUT")
    made.run("OUT", "DEFINE CHANNEL(A) CHLTYPE(RCVR)\nDEFINE QLOCAL(Q)")
    made.run("QMS", "DEFINE QLOCAL(OUT) USAGE(XMITQ) TRIGGER INITQ(SYSTEM.CHANNEL.INITQ)")
    made.run("QMS", "DEFINE CHANNEL(A) CHLTYPE(SDR) CONNAME('out') XMITQ(OUT)")
    return made


def test_a_partner_whose_end_is_of_another_type_is_not_reached() -> None:
    """Two sender channels of one name do not run with each other."""
    made = two()
    made.run("QMS", "START CHANNEL(A)")
    made.run("OUT", "DELETE CHANNEL(A)\nDEFINE QLOCAL(X) USAGE(XMITQ)")
    made.run("OUT", "DEFINE CHANNEL(A) CHLTYPE(SDR) CONNAME('qms') XMITQ(X)")
    made.put("QMS", queue="Q", to="OUT", count=2)
    assert made.depth("OUT", "Q") == 0
    assert made.waiting("A") == {"OUT": 2}


def test_a_channel_finds_a_receiver_that_is_defined_later() -> None:
    """Its next retry succeeds; what waited arrives. It was started before its partner existed."""
    made = Scene()
    made.create("QMS")
    made.run("QMS", "DEFINE QLOCAL(OUT) USAGE(XMITQ)")
    made.run("QMS", "DEFINE CHANNEL(A) CHLTYPE(SDR) CONNAME('out') XMITQ(OUT)\nSTART CHANNEL(A)")
    made.put("QMS", queue="Q", to="OUT", count=2)
    made.create("OUT")
    made.run("OUT", "DEFINE QLOCAL(Q)")
    made.pass_time(60_000_000)
    assert (made.status("A"), made.waiting("A")) == ("RETRYING", {"OUT": 2})
    made.run("OUT", "DEFINE CHANNEL(A) CHLTYPE(RCVR)")
    made.pass_time(60_000_000)
    assert (made.status("A"), made.depth("OUT", "Q")) == ("RUNNING", 2)


def test_a_channel_finds_a_receiver_that_is_defined_again() -> None:
    """A receiver that was deleted while its channel was down is found at a retry."""
    made = two()
    made.run("OUT", "DELETE CHANNEL(A)")
    made.run("QMS", "START CHANNEL(A)")
    assert made.status("A") == "RETRYING"
    made.run("OUT", "DEFINE CHANNEL(A) CHLTYPE(RCVR)")
    made.pass_time(60_000_000)
    assert made.status("A") == "RUNNING"


def test_a_cluster_channel_does_not_run_to_a_receiver_outside_the_clusters() -> None:
    """A cluster channel, defined or not, does not run to a receiver of another type."""
    made = scene()
    assert made.put("QM4", queue="PAY").reason == 0
    made.run("QM4", "STOP CHANNEL(CA.QM3) STATUS(INACTIVE)")
    made.cut("QM3")
    made.run("QM3", "DELETE CHANNEL(CA.QM3)\nDEFINE CHANNEL(CA.QM3) CHLTYPE(RCVR)")
    assert made.put("QM4", queue="PAY").reason == 0
    assert made.depth("QM3", "PAY") == 1
    assert channel_status.status_of(made.estate.qmgr("QM4"), "CA.QM3", made.draft.at) == "RETRYING"


def both() -> Scene:
    """Define a second SDR that gets from the same queue, and start it."""
    made = two()
    made.run("OUT", "DEFINE CHANNEL(B) CHLTYPE(RCVR)")
    made.run("QMS", "DEFINE CHANNEL(B) CHLTYPE(SDR) CONNAME('out') XMITQ(OUT)\nSTART CHANNEL(B)")
    return made


def test_a_queue_is_open_to_each_channel_that_gets_from_it() -> None:
    """CLEAR is refused for any running channel that gets from the queue, not only the first."""
    made = both()
    assert made.run("QMS", "CLEAR QLOCAL(OUT)") == ["AMQ8148E"]
    made.run("QMS", "STOP CHANNEL(B)")
    assert made.run("QMS", "CLEAR QLOCAL(OUT)") == ["AMQ8022I"]


def test_messages_go_over_the_channel_that_runs() -> None:
    """Of two channels that get from one queue, messages use the one that runs.

    The other one retries until the queue is free.
    """
    made = both()
    made.run("QMS", "STOP CHANNEL(A)")
    made.put("QMS", queue="Q", to="OUT", count=2)
    assert made.depth("OUT", "Q") == 2
    made.run("QMS", "START CHANNEL(A)\nSTOP CHANNEL(B)")
    assert made.status("A") == "RETRYING"
    made.put("QMS", queue="Q", to="OUT", count=3)
    made.pass_time(60_000_000)
    assert made.depth("OUT", "Q") == 5


def test_messages_start_an_inactive_channel_rather_than_a_stopped_one() -> None:
    """Messages start an INACTIVE channel rather than use a STOPPED one."""
    made = both()
    made.run("QMS", "STOP CHANNEL(A)\nSTOP CHANNEL(B) STATUS(INACTIVE)")
    made.put("QMS", queue="Q", to="OUT", count=2)
    assert made.depth("OUT", "Q") == 2
    assert made.status("B") == "RUNNING"


def test_what_a_channel_did_to_its_queue_is_kept_in_snapshots() -> None:
    """A snapshot has the queue that a channel keeps, and the attributes that its stop changed."""
    made = both()
    made.run("QMS", "DEFINE QLOCAL(NEW) USAGE(XMITQ)\nALTER CHANNEL(A) CHLTYPE(SDR) XMITQ(NEW)")
    assert made.estate.qmgr("QMS").messaging.kept == {}
    made.run("QMS", "START CHANNEL(A)\nALTER CHANNEL(A) CHLTYPE(SDR) XMITQ(OUT)\nSTOP CHANNEL(B)")
    pages = pages_of(made.estate)
    messaging = estate_from(pages[ESTATE], pages.__getitem__).qmgr("QMS").messaging
    assert messaging.kept == {"A": "NEW"}
    assert messaging.inhibited == {"OUT": ("ENABLED", "YES")}
