"""The disconnect interval: a channel with nothing to send becomes INACTIVE, unrecorded."""

from __future__ import annotations

import pytest

from tests.rules.sending_scene import DEFAULT, Scene, scene
from tests.sandbox import Sandbox, small_cluster
from twin import events
from twin.fold.store.pages import ESTATE, estate_from, pages_of
from twin.model.instants import DAY, SECOND, Instant
from twin.rules.channels import channel_status
from twin.rules.repository import recipients

USUAL: Instant = 6000 * SECOND


def status(made: Sandbox, channel: str, qmgr: str = "QMS") -> str:
    """Return the present status of a channel in MQSC."""
    return channel_status.status_of(made.estate.qmgr(qmgr), channel, made.draft.at)


def changes(made: Sandbox) -> int:
    """Count the recorded status changes."""
    return sum(isinstance(event, events.ChannelStatusChanged) for _, event in made.draft.events)


def test_a_quiet_cluster_records_nothing_of_its_channels() -> None:
    """A republication over a disconnected channel records no status change, once each has run."""
    sandbox = small_cluster()
    sandbox.run("PR2", "DEFINE QLOCAL(ORD) CLUSTER(CA)")
    sandbox.pass_time(30 * DAY)
    before = changes(sandbox)
    sandbox.pass_time(60 * DAY)
    assert changes(sandbox) == before
    assert status(sandbox, "CA.FR1", "PR2") == "INACTIVE"
    told = sandbox.estate.qmgr("FR1").repository.beliefs["CA", "queue", "ORD"]
    assert min(belief.published for belief in told.values()) > sandbox.draft.at - 28 * DAY


def test_the_interval_counts_from_the_last_message() -> None:
    """A channel runs until exactly one interval after its last message."""
    made = scene()
    made.pass_time(1000 * SECOND)
    made.send("PAY")
    made.pass_time(USUAL - 1)
    assert status(made, "CA.QM3") == "RUNNING"
    assert status(made, "CA.QM4") == "INACTIVE"
    made.pass_time(1)
    assert status(made, "CA.QM3") == "INACTIVE"
    assert (
        channel_status.disconnected_at(made.estate.qmgr("QMS"), "CA.QM3", made.draft.at)
        == made.draft.at
    )


def test_the_interval_is_recorded_only_where_it_is_not_the_usual_one() -> None:
    """An event has the receiver's interval, in microseconds, only if it is not the default."""
    made = scene(receiver="DISCINT(10)")
    made.run("QMS", "STOP CHANNEL(CA.QM3)\nSTART CHANNEL(CA.QM3)")
    started = made.told(events.ChannelStatusChanged)
    found = {event.channel: event.discint for event in started if event.status == "RUNNING"}
    assert (found["CA.QM3"], found["CA.QM4"]) == (10 * SECOND, None)


def test_one_that_was_recorded_before_intervals_counted_runs_on() -> None:
    """A channel with interval 0, as in events of the first schema, never disconnects."""
    made = scene()
    made.draft.emit(
        events.ChannelStatusChanged(
            qmgr="QMS", channel="CA.QM3", status="RUNNING", partner="QM3", discint=0
        )
    )
    made.pass_time(365 * DAY)
    assert status(made, "CA.QM3") == "RUNNING"


def test_a_message_starts_it_which_is_no_new_destination() -> None:
    """A message starts a disconnected channel with one RUNNING event, and no factor is reset."""
    made = scene(receiver="CLWLWGHT(20)")
    made.send(count=7)
    made.pass_time(USUAL)
    before = changes(made)
    made.send(count=7)
    assert changes(made) == before + 2
    assert not made.told(events.WorkloadHistoryReset)
    assert (status(made, "CA.QM3"), made.waiting("CA.QM3")) == ("RUNNING", {})


@pytest.mark.parametrize("act", ["endmqm", "cut", "STOP CHANNEL(CA.QM3)", "SUSPEND"])
def test_a_disconnected_channel_does_not_notice_its_partners_end(act: str) -> None:
    """A disconnected channel stays INACTIVE when its partner ends, until its next use fails."""
    made = scene()
    made.pass_time(USUAL)
    if act == "endmqm":
        made.control(act, "QM3")
    elif act == "cut":
        made.cut("QM3")
    elif act == "SUSPEND":
        made.run("QM3", "SUSPEND QMGR CLUSTER(CA) MODE(FORCE)")
    else:
        made.run("QM3", act)
    assert status(made, "CA.QM3") == "INACTIVE"
    made.cut("QM3")
    made.send("PAY")
    assert status(made, "CA.QM3") == "RETRYING"


def test_a_partner_that_restarted_meanwhile_is_found_as_if_nothing_was() -> None:
    """A disconnected channel does not retry; the next message starts it."""
    made = scene()
    made.pass_time(USUAL)
    made.control("endmqm", "QM3")
    made.pass_time(SECOND)
    made.control("strmqm", "QM3")
    assert status(made, "CA.QM3") == "INACTIVE"
    made.send("PAY", count=3)
    assert made.depth("QM3", "PAY") == 3


def test_the_full_repository_that_can_be_reached_is_asked() -> None:
    """A request goes to a full repository that can be reached now, not to one reached before."""
    sandbox = small_cluster()
    sandbox.pass_time(DAY)
    sandbox.control("endmqm", "FR1")
    member = sandbox.estate.qmgr("PR1")
    found = recipients.full_repositories(sandbox.draft, member, "CA")
    assert [qmgr.name for qmgr, _ in found] == ["FR2", "FR1"]


def test_repository_commands_wait_where_it_cannot_start() -> None:
    """A failed start is recorded, and waiting repository commands are sent at a later retry."""
    sandbox = small_cluster()
    sandbox.pass_time(DAY)
    for name in ("FR1", "FR2"):
        sandbox.control("endmqm", name)
    sandbox.run("PR1", "DEFINE QLOCAL(ORD) CLUSTER(CA)")
    assert status(sandbox, "CA.FR1", "PR1") == "RETRYING"
    assert "CA.FR1" in sandbox.estate.qmgr("PR1").repository.waiting
    sandbox.control("strmqm", "FR1")
    sandbox.pass_time(60 * SECOND)
    assert sandbox.knows("FR1", "queue") == {"ORD@PR1"}


def test_a_manual_channel_is_left_disconnected_as_definitions_change() -> None:
    """A disconnected manual channel starts only with START, and repository commands avoid it."""
    sandbox = small_cluster()
    sandbox.pass_time(30 * DAY)
    before = changes(sandbox)
    sandbox.run("FR1", "ALTER CHANNEL(CA.FR1) CHLTYPE(CLUSRCVR) CLWLPRTY(3)")
    (told,) = sandbox.estate.qmgr("PR1").repository.beliefs["CA", "qmgr", "CA.FR1"].values()
    assert told.values["CLWLPRTY"] == 3
    assert changes(sandbox) == before
    assert sandbox.run("PR1", "START CHANNEL(CA.FR1)") == ["AMQ8018I"]
    assert status(sandbox, "CA.FR1", "PR1") == "RUNNING"
    assert changes(sandbox) == before + 1


def test_what_waits_for_a_channel_keeps_it() -> None:
    """Only messages that waited when the interval ended keep a channel running."""
    made = scene()
    made.hold("CA.QM3")
    made.pass_time(USUAL)
    assert status(made, "CA.QM3") == "INACTIVE"
    made.send("PAY")
    state = made.state("CA.QM3")
    assert state is not None
    assert (state.status, state.since) == ("RUNNING", made.draft.at)
    made.pass_time(DAY)
    assert status(made, "CA.QM3") == "RUNNING"
    made.control("endmqm", "QM3")
    assert status(made, "CA.QM3") == "RETRYING"


def test_one_seen_to_run_was_started() -> None:
    """A channel that is observed RUNNING is recorded as started."""
    made = scene()
    made.pass_time(USUAL)
    before = changes(made)
    made.observe("CA.QM3", status="INACTIVE")
    assert changes(made) == before
    made.observe("CA.QM3", status="RUNNING")
    assert (changes(made), status(made, "CA.QM3")) == (before + 1, "RUNNING")


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        ("PING CHANNEL(CA.QM3)", "AMQ8020I"),
        ("RESET CHANNEL(CA.QM3) SEQNUM(1)", "AMQ8023I"),
        ("RESOLVE CHANNEL(CA.QM3) ACTION(BACKOUT)", "AMQ9533W"),
        ("STOP CHANNEL(CA.QM3)", "AMQ8019I"),
    ],
)
def test_commands_take_it_as_inactive(command: str, answer: str) -> None:
    """Commands treat a disconnected channel as INACTIVE."""
    made = scene()
    made.run("QMS", "DEFINE CHANNEL(CA.QM3) CHLTYPE(CLUSSDR) CONNAME('qm3(1414)') CLUSTER(CA)")
    made.pass_time(USUAL)
    assert made.run("QMS", command) == [answer]


def test_a_stopped_channel_remembers_its_partner() -> None:
    """A stopped channel keeps its last partner; a channel that never ran has none."""
    made = scene()
    made.pass_time(USUAL)
    made.run("QMS", "STOP CHANNEL(CA.QM3)")
    made.run("QMS", "STOP CHANNEL(CA.QM4) STATUS(INACTIVE)")
    made.run("QMS", "STOP CHANNEL(CA.QM4)")
    found = made.estate.qmgr("QMS").activity.channels
    assert [found[name].partner for name in ("CA.QM3", "CA.QM4")] == ["QM3", "QM4"]
    members = small_cluster()
    members.run("FR2", "STOP CHANNEL(CA.PR2)")
    assert members.estate.qmgr("FR2").activity.channels["CA.PR2"].partner == ""


def test_its_transmission_queue_is_open_no_longer() -> None:
    """CLEAR is refused only while a channel that gets from the queue is running."""
    made = scene()
    made.send("PAY")
    assert made.run("QMS", f"CLEAR QLOCAL({DEFAULT})") == ["AMQ8148E"]
    made.pass_time(USUAL)
    assert made.run("QMS", f"CLEAR QLOCAL({DEFAULT})") == ["AMQ8022I"]


def test_a_plain_sender_disconnects_and_is_started_alike() -> None:
    """A sender channel counts all messages on its XMITQ, and uses its own DISCINT."""
    made = Scene().create("QM1", "QM2")
    made.run("QM2", "DEFINE CHANNEL(A.B) CHLTYPE(RCVR)\nDEFINE QLOCAL(ORD)")
    made.run("QM1", "DEFINE QLOCAL(QM2) USAGE(XMITQ) TRIGGER INITQ(SYSTEM.CHANNEL.INITQ)")
    made.run("QM1", "DEFINE CHANNEL(A.B) CHLTYPE(SDR) CONNAME('b(1)') XMITQ(QM2) DISCINT(60)")
    made.run("QM1", "DEFINE QREMOTE(ORD) RNAME(ORD) RQMNAME(QM2)\nSTART CHANNEL(A.B)")
    made.pass_time(59 * SECOND)
    made.put("QM1", "ORD", count=2)
    assert status(made, "A.B", "QM1") == "RUNNING"
    made.pass_time(60 * SECOND)
    assert status(made, "A.B", "QM1") == "INACTIVE"
    made.put("QM1", "ORD", count=3)
    state = made.estate.qmgr("QM1").activity.channels["A.B"]
    assert (state.since, state.used, state.sent, state.arrived) == (
        *(made.draft.at, made.draft.at),
        *(3, 3),
    )
    assert made.depth("QM2", "ORD") == 5


def test_discarded_messages_came_over_their_channel_too() -> None:
    """Messages that the partner discards still count as sent over the channel."""
    made = scene()
    made.pass_time(SECOND)
    made.run("QM3", "DELETE QLOCAL(PAY)\nDEFINE QLOCAL(PAY) CLUSTER(CA) PUT(ENABLED) MAXDEPTH(1)")
    made.send("PAY", count=3, persistent=False)
    state = made.state("CA.QM3")
    assert state is not None
    assert (state.used, state.sent, state.arrived) == (made.draft.at, 3, 3)


def test_a_stored_estate_knows_what_was_used_and_who_holds_back() -> None:
    """A stored estate has the last use of channels, and the senders with held channels."""
    made = scene(receiver="DISCINT(10)")
    made.hold("CA.QM4")
    made.send("PAY", count=2)
    pages = pages_of(made.estate)
    loaded = estate_from(pages[ESTATE], pages.__getitem__)
    assert loaded.qmgrs_holding_channels == {"QMS": None}
    assert loaded.qmgr("QMS").activity.channels == made.estate.qmgr("QMS").activity.channels
    made.release("CA.QM4")
    assert not made.estate.qmgrs_holding_channels
