"""GET(DISABLED) on a transmission queue: which channels end, which continue, and what waits."""

from __future__ import annotations

from tests.rules.sending_scene import DEFAULT, scene
from twin import events

GET = f"ALTER QLOCAL({DEFAULT}) GET"


def test_all_channels_of_the_queue_end_and_are_told_of_once() -> None:
    """The channels of the queue end, each with one report; those of another queue continue."""
    made = scene()
    made.run("QMS", "DEFINE QLOCAL(XQ4) USAGE(XMITQ) CLCHNAME(CA.QM4)")
    made.run("QMS", "STOP CHANNEL(CA.QM4)\nSTART CHANNEL(CA.QM4)")
    made.run("QMS", f"{GET}(DISABLED)\n{GET}(DISABLED) DESCR('again')")
    assert (made.status("CA.QM3"), made.status("CA.QM4")) == ("INACTIVE", "RUNNING")
    assert [each for each in made.logged() if each[0] == "AMQ9549"] == [("AMQ9549", DEFAULT)]


def test_repository_commands_wait_with_the_messages() -> None:
    """Repository commands wait with the messages and leave when the channel starts again."""
    made = scene()
    made.run("QMS", f"{GET}(DISABLED)\nDEFINE QLOCAL(NEW) CLUSTER(CA)")
    made.open("QM3", "NEW")
    assert "NEW@QMS" not in made.knows("QM3", "queue")
    made.run("QMS", f"{GET}(ENABLED)\nSTART CHANNEL(CA.QM3)")
    assert "NEW@QMS" in made.knows("QM3", "queue")


def test_a_channel_that_disconnected_before_is_not_told_of() -> None:
    """A disconnected channel is not reported, and new messages for it wait."""
    made = scene()
    made.send(count=2)
    made.pass_time(7_000_000_000)
    made.run("QMS", f"{GET}(DISABLED)")
    assert not [each for each in made.logged() if each[0] == "AMQ9549"]
    made.send(count=2)
    assert made.messaging.depth(DEFAULT) == 2


def test_a_retry_that_finds_its_partner_ends_the_channel() -> None:
    """A retry that finds its partner ends the channel if its queue is GET(DISABLED)."""
    made = scene()
    made.send(count=2)
    made.control("endmqm", "QM3")
    made.run("QMS", f"{GET}(DISABLED)")
    assert made.status("CA.QM3") == "RETRYING"
    made.control("strmqm", "QM3")
    made.pass_time(60_000_000)
    assert made.status("CA.QM3") == "INACTIVE"


def test_a_channel_that_is_seen_to_run_gets_on_once_it_may() -> None:
    """A channel that was observed to run sends nothing until its queue is enabled."""
    made = scene()
    made.run("QM4", "DELETE QLOCAL(ORD)")
    made.send(count=1)
    made.run("QMS", f"{GET}(DISABLED)")
    made.observe("CA.QM3", status="RUNNING")
    made.send(count=2)
    assert made.waiting("CA.QM3") == {DEFAULT: 2}
    made.run("QMS", f"{GET}(ENABLED)")
    assert made.depth("QM3") == 3


def test_the_queue_of_a_plain_sender_channel_is_no_other() -> None:
    """A sender channel depends only on its own XMITQ, not on the cluster transmission queue."""
    made = scene()
    made.create("OUT")
    made.run("OUT", "DEFINE CHANNEL(Q.OUT) CHLTYPE(RCVR)\nDEFINE QLOCAL(IN)")
    made.run(
        "QMS",
        "DEFINE QLOCAL(OUT) USAGE(XMITQ) TRIGGER INITQ(SYSTEM.CHANNEL.INITQ)\n"
        "DEFINE CHANNEL(Q.OUT) CHLTYPE(SDR) CONNAME('out') XMITQ(OUT)\n"
        f"{GET}(DISABLED)",
    )
    made.put("QMS", "IN", to="OUT", count=2)
    assert made.depth("OUT", "IN") == 2
    made.run("QMS", "ALTER QLOCAL(OUT) GET(DISABLED)")
    made.put("QMS", "IN", to="OUT", count=2)
    assert (made.depth("OUT", "IN"), made.status("Q.OUT")) == (2, "INACTIVE")
    made.run("QMS", "ALTER QLOCAL(OUT) GET(ENABLED)\nSTART CHANNEL(Q.OUT)")
    assert made.depth("OUT", "IN") == 4


def test_a_late_switch_is_awaited_again_when_the_partner_is_lost_again() -> None:
    """A retry stays on the agenda if its partner is lost again."""
    made = scene()
    made.send(count=2)
    made.control("endmqm", "QM3")
    made.pass_time(10_000_000)
    made.run("QMS", "DEFINE QLOCAL(XQ3) USAGE(XMITQ) CLCHNAME(CA.QM3)")
    made.control("strmqm", "QM3")
    made.control("endmqm", "QM3")
    made.pass_time(50_000_000)
    switched = made.told(events.TransmissionQueueSwitched)
    assert [(each.channel, each.queue) for each in switched] == [("CA.QM3", "XQ3")]


def test_a_channel_that_gives_up_looks_at_its_queue_at_its_last_attempt() -> None:
    """A channel checks its queue also at its last retry."""
    made = scene(receiver="SHORTRTY(1) LONGRTY(0)")
    made.send(count=2)
    made.control("endmqm", "QM3")
    made.run("QMS", "DEFINE QLOCAL(XQ3) USAGE(XMITQ) CLCHNAME(CA.QM3)")
    made.pass_time(60_000_000)
    assert made.status("CA.QM3") == "STOPPED"
    assert made.messaging.assigned["CA.QM3"] == "XQ3"


def test_a_retry_of_a_defined_channel_is_told_of_once() -> None:
    """A retry of a manual CLUSSDR is one attempt and logs one error."""
    made = scene()
    made.control("endmqm", "QMS")
    made.run("QM3", f"{GET}(DISABLED)")
    made.control("strmqm", "QMS")
    before = len(made.logged())
    made.pass_time(180_000_000)
    assert made.logged()[before:] == [("AMQ9549", DEFAULT)]
