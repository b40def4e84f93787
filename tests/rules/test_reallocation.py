"""Waiting messages are rerouted when their channel stops, fails, or fails a retry."""

from __future__ import annotations

import pytest

from tests.rules.sending_scene import DEFAULT, Scene, scene
from twin import events
from twin.events import Parcel
from twin.fold.estate import QueueManager
from twin.model.instants import MINUTE, SECOND
from twin.rules.deriving import derive
from twin.rules.queues import put_times


def held(**options: str) -> Scene:
    """Let five messages wait for QM3, after QM4 got as many."""
    made = scene(**options)
    made.hold("CA.QM3")
    made.send(count=10)
    assert made.waiting("CA.QM3") == {DEFAULT: 5}
    return made


def moved(made: Scene) -> list[tuple[str, int, int]]:
    """List the recorded passes: cause, number moved, number stayed, without those that must."""
    return [
        (event.cause, sum(move.share.count for move in event.moves), event.stayed)
        for event in made.told(events.MessagesReallocated)
    ]


@pytest.mark.parametrize("mode", ["", " MODE(QUIESCE)", " MODE(FORCE)", " MODE(TERMINATE)"])
def test_a_stop_in_any_mode_is_a_pass(mode: str) -> None:
    """A message that can take another route has been moved when the channel is stopped."""
    made = held()
    made.run("QMS", f"STOP CHANNEL(CA.QM3){mode}")
    assert moved(made) == [("stop", 5, 0)]
    assert made.depth("QM4") == 10


def test_a_stop_to_inactive_finds_the_route_as_good_as_any() -> None:
    """A message stays when its channel stops to INACTIVE, which is among the best statuses."""
    made = held()
    made.run("QMS", "STOP CHANNEL(CA.QM3) STATUS(INACTIVE)")
    assert moved(made) == [("stop", 0, 5)]
    assert made.waiting("CA.QM3") == {DEFAULT: 5}
    made.send(count=1)
    assert made.status("CA.QM3") == "RUNNING"


def test_all_channels_to_a_queue_manager_have_failed_before_one_of_them_is_looked_at() -> None:
    """A message is not moved from one failed channel to another of the same queue manager."""
    made = scene()
    made.run("QM3", "DEFINE CHANNEL(CB.QM3) CHLTYPE(CLUSRCVR) CONNAME('qm3(1415)') CLUSTER(CA)")
    made.run("QMS", "START CHANNEL(CB.QM3)")
    for channel in ("CA.QM3", "CB.QM3"):
        made.hold(channel)
    made.send(count=9)
    made.control("endmqm", "QM3")
    assert moved(made) == [("stop", 3, 0), ("stop", 3, 0)]
    assert made.depth("QM4") == 9


def test_being_down_is_no_pass_and_a_put_none_either() -> None:
    """A message put for a retrying channel is first considered at the next failed retry."""
    made = scene()
    made.run("QM4", "ALTER QLOCAL(ORD) PUT(DISABLED)")
    made.control("endmqm", "QM3")
    made.send(count=5)
    made.at("+30s")
    made.run("QM4", "ALTER QLOCAL(ORD) PUT(ENABLED)")
    assert made.waiting("CA.QM3") == {DEFAULT: 5}
    made.at("+59s")
    assert made.waiting("CA.QM3") == {DEFAULT: 5}
    made.at("+1m")
    assert moved(made) == [("retry", 5, 0)]


def test_a_retry_that_moves_nothing_is_no_event() -> None:
    """A retry that moves nothing records no event, even over ninety days."""
    made = scene()
    made.control("endmqm", "QM3")
    made.send("PAY", count=1_000_000)
    before = len(made.draft.events)
    made.at("+20d")
    assert len(made.draft.events) == before
    assert made.waiting("CA.QM3") == {DEFAULT: 1_000_000}


def test_a_retry_at_which_nothing_is_to_be_moved_any_more_does_nothing() -> None:
    """A scheduled retry that has nothing left to move records nothing."""
    made = scene()
    made.run("QM4", "ALTER QLOCAL(ORD) PUT(DISABLED)")
    made.control("endmqm", "QM3")
    made.send(count=5)
    made.at("+10s")
    made.run("QM4", "ALTER QLOCAL(ORD) PUT(ENABLED)")
    made.at("+20s")
    made.run("QM4", "ALTER QLOCAL(ORD) PUT(DISABLED)")
    made.at("+1d")
    assert moved(made) == []
    made.run("QM4", "ALTER QLOCAL(ORD) PUT(ENABLED)")
    made.at("+1d20m")
    assert moved(made) == [("retry", 5, 0)]


def test_what_is_fixed_in_doubt_or_for_a_queue_manager_by_name_stays() -> None:
    """Only a movable message is considered, and counted as moved or stayed."""
    made = scene()
    made.hold("CA.QM3")
    made.send(count=2, to="QM3", name="named")
    made.send(count=10, name="free")
    made.send(count=3, bind="group", group="G", logical_order=True, name="group")
    made.observe("CA.QM3", indoubt=True, curmsgs=4)
    assert sum(each.parcel.count for each in put_times.eligible(_qms(made), "CA.QM3")) == 3
    made.run("QMS", "STOP CHANNEL(CA.QM3)")
    assert moved(made) == [("stop", 3, 0), ("stop", 0, 0)]
    assert [event.ineligible for event in made.told(events.MessagesReallocated)] == [0, 7]
    left = {parcel.name: parcel.count for parcel in made.parcels("CA.QM3")}
    assert left["named"] == 2
    assert left["free"] == 2


def _qms(made: Scene) -> QueueManager:
    return made.estate.qmgr("QMS")


def test_a_tie_stays_and_is_dated_anew() -> None:
    """A message stays if both channels retry, and gets the put time of the pass."""
    made = held()
    made.hold("CA.QM4")
    made.control("endmqm", "QM4")
    made.pass_time(SECOND)
    made.control("endmqm", "QM3")
    (parcel,) = made.parcels("CA.QM3")
    failed = made.draft.at
    assert _put_at(made, parcel) == failed
    made.pass_time(90 * SECOND)
    assert _put_at(made, parcel) == failed + MINUTE
    made.pass_time(20 * MINUTE)
    assert _put_at(made, parcel) == failed + 10 * MINUTE


def test_where_the_choice_fails_the_put_time_stays() -> None:
    """A message keeps its route and put time if all instances are put-disabled."""
    made = held()
    put = made.draft.at
    for name in ("QM3", "QM4"):
        made.run(name, "ALTER QLOCAL(ORD) PUT(DISABLED)")
    made.pass_time(SECOND)
    made.run("QMS", "STOP CHANNEL(CA.QM3)")
    (parcel,) = made.parcels("CA.QM3")
    assert _put_at(made, parcel) == put


def test_what_is_put_for_a_stopped_channel_was_not_looked_at() -> None:
    """A stop is one pass, which does not include messages put later."""
    made = scene()
    made.run("QMS", "STOP CHANNEL(CA.QM3)")
    made.send("PAY")
    (parcel,) = made.parcels("CA.QM3")
    assert _put_at(made, parcel) == parcel.at == made.draft.at
    made.pass_time(MINUTE)
    assert _put_at(made, parcel) == parcel.at


def _put_at(made: Scene, parcel: Parcel) -> int:
    return put_times.put_time(made.estate.qmgr("QMS"), "CA.QM3", parcel, made.draft.at)


def test_messages_of_several_puts_keep_who_they_are() -> None:
    """One choice is made for the messages of several puts, and each move names its put."""
    made = scene()
    made.hold("CA.QM3")
    for name in ("a", "b"):
        made.send(count=6, name=name, persistent=name == "a")
    made.run("QMS", "STOP CHANNEL(CA.QM3)")
    (event,) = made.told(events.MessagesReallocated)
    puts = made.told(events.MessagesPut)
    assert [move.share.count for move in event.moves] == [3, 3]
    assert [move.share.after is not None for move in event.moves] == [True, False]
    assert len({move.put for move in event.moves}) == len(puts) == 2
    local = made.estate.qmgr("QM4").messaging.local["ORD"]
    assert [(parcel.name, parcel.count) for parcel in local[-2:]] == [("a", 3), ("b", 3)]


def test_another_channel_may_have_another_transmission_queue() -> None:
    """A message that is moved goes to the transmission queue of its new channel."""
    made = scene()
    made.run("QMS", "DEFINE QLOCAL(XQ4) USAGE(XMITQ) CLCHNAME('CA.QM4')")
    made.run("QMS", "STOP CHANNEL(CA.QM4)\nSTART CHANNEL(CA.QM4)")
    for channel in ("CA.QM3", "CA.QM4"):
        made.hold(channel)
    made.send(count=10)
    made.run("QMS", "STOP CHANNEL(CA.QM3)")
    assert made.waiting("CA.QM3") == {}
    assert made.waiting("CA.QM4") == {"XQ4": 10}


def test_a_forced_stop_on_zos_cuts_the_pass_short() -> None:
    """A forced stop on z/OS moves the first half; a quiesced stop moves all."""
    made = held(platform="MVS")
    made.run("QMS", "STOP CHANNEL(CA.QM3) MODE(FORCE)")
    assert moved(made) == [("stop", 2, 0)]
    assert made.told(events.MessagesReallocated)[0].interrupted
    assert made.waiting("CA.QM3") == {DEFAULT: 3}
    other = held(platform="MVS")
    other.run("QMS", "STOP CHANNEL(CA.QM3)")
    assert moved(other) == [("stop", 5, 0)]


def test_suspension_by_force_makes_the_channels_fail_and_the_messages_move() -> None:
    """A queue manager is known to be suspended before its channels fail."""
    made = held()
    made.run("QM3", "SUSPEND QMGR CLUSTER(CA) MODE(FORCE)")
    assert moved(made) == [("stop", 5, 0)]
    assert made.depth("QM4") == 10


def test_messages_may_come_home() -> None:
    """A message whose other instance is local is put there."""
    made = scene()
    made.run("QMS", "DEFINE QLOCAL(ORD) CLUSTER(CA) CLWLUSEQ(ANY)")
    for channel in ("CA.QM3", "CA.QM4"):
        made.hold(channel)
    made.send(count=9)
    made.run("QMS", "STOP CHANNEL(CA.QM3)\nSTOP CHANNEL(CA.QM4)")
    assert made.depth("QMS") == 9
    assert not made.estate.qmgrs_with_waiting_messages


def test_an_alias_has_the_room_of_the_queue_it_leads_to() -> None:
    """No retry is scheduled while the target of an alias is full."""
    made = scene()
    made.run("QM3", "DELETE QLOCAL(PAY)\nDEFINE QLOCAL(T) MAXDEPTH(2)")
    made.run("QM3", "DEFINE QALIAS(PAY) TARGET(T) CLUSTER(CA)")
    made.send("PAY", count=5, bind="open")
    assert (made.status("CA.QM3"), made.waiting("CA.QM3")) == ("RETRYING", {DEFAULT: 3})
    made.run("QM3", "ALTER QMGR DESCR('as full as before')")
    state = made.state("CA.QM3")
    assert state is not None
    assert state.retry is None
    made.run("QM3", "ALTER QLOCAL(T) MAXDEPTH(9)")
    made.pass_time(MINUTE)
    assert (made.depth("QM3", "T"), made.waiting("CA.QM3")) == (5, {})


def test_a_forwarded_message_is_retried_after_each_change_at_the_partner() -> None:
    """A message that the partner would send on is retried after each change there."""
    made = scene()
    made.run("QM3", "DELETE QLOCAL(PAY)\nDEFINE QLOCAL(OUT) USAGE(XMITQ) MAXDEPTH(2)")
    made.run("QM3", "DEFINE QREMOTE(PAY) RNAME(Q) RQMNAME(OUT) CLUSTER(CA)")
    made.send("PAY", count=5, bind="open")
    assert made.waiting("CA.QM3") == {DEFAULT: 3}
    made.run("QM3", "ALTER QLOCAL(OUT) MAXDEPTH(9)")
    made.pass_time(MINUTE)
    assert made.waiting("CA.QM3") == {}


def test_a_partner_that_can_put_nothing_fails_the_channel_until_it_can() -> None:
    """A returned message is first in its queue again, and a retry succeeds once there is room."""
    made = scene()
    made.run("QM3", "ALTER QLOCAL(PAY) MAXDEPTH(3)")
    made.send("PAY", count=5, name="a", bind="open")
    assert made.status("CA.QM3") == "RETRYING"
    state = made.state("CA.QM3")
    assert state is not None
    assert state.reason == "AMQ9544"
    assert made.depth("QM3", "PAY") == 3
    made.send("PAY", count=1, name="b", bind="open")
    assert [(each.name, each.count) for each in made.parcels("CA.QM3")] == [("a", 2), ("b", 1)]
    before = len(made.draft.events)
    made.at("+1d")
    assert len(made.draft.events) == before
    derive(made.draft, events.GetEntered(qmgr="QM3", queue="PAY", count=3))
    made.at("+1d20m")
    assert made.status("CA.QM3") == "RUNNING"
    local = made.estate.qmgr("QM3").messaging.local["PAY"]
    assert [(each.name, each.count) for each in local] == [("a", 2), ("b", 1)]


def test_what_is_moved_to_an_alias_here_lies_on_its_local_queue() -> None:
    """A message that is moved to a local clustered alias is put on its target queue."""
    made = scene()
    made.run("QM4", "DELETE QLOCAL(ORD)")
    made.hold("CA.QM3")
    made.send(count=3)
    made.run("QMS", "DEFINE QLOCAL(REAL) MAXDEPTH(2)\nDEFINE QALIAS(ORD) TARGET(REAL) CLUSTER(CA)")
    made.control("endmqm", "QM3")
    assert (made.depth("QMS", "REAL"), sum(made.waiting("CA.QM3").values())) == (2, 1)


def test_an_alias_here_may_lead_back_to_the_channel_that_failed() -> None:
    """A message that moves by a local alias to the same channel waits there for the target."""
    made = scene()
    made.run("QM4", "DELETE QLOCAL(ORD)")
    made.hold("CA.QM3")
    made.send(count=3)
    made.run("QMS", "DEFINE QALIAS(ORD) TARGET(PAY) CLUSTER(CA)")
    made.open("QMS", "PAY")
    made.control("endmqm", "QM3")
    assert [(each.queue, each.count) for each in made.parcels("CA.QM3")] == [("PAY", 3)]
    made.control("strmqm", "QM3")
    made.pass_time(MINUTE)
    made.release("CA.QM3")
    assert made.depth("QM3", "PAY") == 3
