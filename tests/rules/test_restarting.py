"""Non-persistent messages when their queue manager restarts."""

from __future__ import annotations

from tests.rules.sending_scene import DEFAULT, scene
from twin import events


def test_they_are_there_until_it_starts_again_and_told_to_be_lost() -> None:
    """A non-persistent message stays until the restart, and is then recorded as lost."""
    made = scene()
    made.run("QM4", "DELETE QLOCAL(ORD)")
    made.hold("CA.QM3")
    for count, persistent in ((1, True), (2, False), (4, True), (8, False)):
        made.send(count=count, persistent=persistent)
    made.control("endmqm", "QMS")
    assert made.messaging.depth(DEFAULT) == 15
    made.control("strmqm", "QMS")
    assert made.waiting("CA.QM3") == {DEFAULT: 5}
    assert [each.count for each in made.parcels("CA.QM3")] == [1, 4]
    (lost,) = made.told(events.MessagesLost)
    assert (lost.count, lost.why, lost.channel) == (10, "restarted", "CA.QM3")


def test_with_npmclass_high_they_survive() -> None:
    """A non-persistent message on a queue with NPMCLASS(HIGH) survives an orderly end."""
    made = scene()
    made.run("QM3", "ALTER QLOCAL(ORD) NPMCLASS(HIGH)")
    made.send(count=4, persistent=False)
    for name in ("QM3", "QM4"):
        made.control("endmqm", name)
        made.control("strmqm", name)
    assert (made.depth("QM3"), made.depth("QM4")) == (2, 0)


def test_nothing_is_in_doubt_or_at_risk_that_is_lost() -> None:
    """A batch in doubt keeps only its persistent messages."""
    made = scene()
    made.run("QM4", "DELETE QLOCAL(ORD)")
    made.hold("CA.QM3")
    made.send(count=3, persistent=False)
    made.send(count=1)
    made.observe("CA.QM3", indoubt=True, curmsgs=4)
    made.control("endmqm", "QMS")
    made.control("strmqm", "QMS")
    in_doubt = [event.count for event in made.told(events.ChannelBatchInDoubt)]
    assert in_doubt == [4, 1, 0]  # 0 when the channel finds its partner again
    assert made.waiting("CA.QM3") == {DEFAULT: 1}
    made.send(count=2, persistent=False)
    made.observe("CA.QM3", sent=2)
    made.control("endmqm", "QMS")
    made.control("strmqm", "QMS")
    assert not made.messaging.at_risk
