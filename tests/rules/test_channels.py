"""How channels start, retry, stop, are observed and resolved, and what happens to their batches."""

from __future__ import annotations

import pytest

from tests.rules.sending_scene import DEFAULT, Scene, scene
from tests.sandbox import Sandbox
from twin import events
from twin.fold.agenda import TimerKind
from twin.fold.estate import Estate
from twin.fold.store.pages import ESTATE, estate_from, pages_of
from twin.model.instants import MINUTE, SECOND
from twin.rules import due_timers
from twin.rules.deriving import derive


def moved(made: Scene) -> list[tuple[str, int]]:
    """List the recorded passes that moved something."""
    return [
        (event.cause, sum(move.share.count for move in event.moves))
        for event in made.told(events.MessagesReallocated)
        if event.moves
    ]


def lost(made: Scene) -> list[tuple[str, int]]:
    """List the messages that were lost."""
    return [(event.why, event.count) for event in made.told(events.MessagesLost)]


def test_usual_retries_are_recorded_nowhere() -> None:
    """The default retries never end, so no event and no timer records them."""
    made = scene()
    made.control("endmqm", "QM3")
    state = made.state("CA.QM3")
    assert state is not None
    assert state.gives_up is None
    changed = made.told(events.ChannelStatusChanged)[-1]
    assert (changed.status, changed.retries, changed.gives_up) == ("RETRYING", None, None)


def test_a_channel_gives_up_at_its_last_retry() -> None:
    """After its short and long retries, at their exact seconds, a channel is STOPPED."""
    made = scene(receiver="SHORTRTY(2) SHORTTMR(10) LONGRTY(3) LONGTMR(30)")
    made.control("endmqm", "QM3")
    failed = made.draft.at
    state = made.state("CA.QM3")
    assert state is not None
    assert state.gives_up == failed + 110 * SECOND
    assert due_timers.by_kind(made.estate)[TimerKind.GIVING_UP].instant == state.gives_up
    made.pass_time(110 * SECOND - 1)
    assert made.status("CA.QM3") == "RETRYING"
    made.pass_time(1)
    assert made.status("CA.QM3") == "STOPPED"
    made.control("strmqm", "QM3")
    made.pass_time(3600 * SECOND)
    assert made.status("CA.QM3") == "STOPPED"
    made.run("QMS", "START CHANNEL(CA.QM3)")
    assert made.status("CA.QM3") == "RUNNING"


def test_the_last_retry_still_counts() -> None:
    """A channel finds a partner that is back just before the last retry."""
    made = scene(receiver="SHORTRTY(2) SHORTTMR(10) LONGRTY(0)")
    made.control("endmqm", "QM3")
    made.pass_time(15 * SECOND)
    made.control("strmqm", "QM3")
    made.pass_time(5 * SECOND)
    assert made.status("CA.QM3") == "RUNNING"
    made.pass_time(3600 * SECOND)
    assert made.status("CA.QM3") == "RUNNING"


def test_without_any_retry_a_failure_stops_the_channel() -> None:
    """Without retries a failed channel is STOPPED at that instant, and its messages move."""
    made = scene(receiver="SHORTRTY(0) LONGRTY(0)")
    made.hold("CA.QM3")
    made.send(count=4)
    made.control("endmqm", "QM3")
    assert made.status("CA.QM3") == "STOPPED"
    assert moved(made) == [("stop", 2)]


def test_retries_are_those_of_the_failure() -> None:
    """Retry attributes that the receiver changes later count at the next failure."""
    made = scene(receiver="SHORTTMR(10)")
    made.cut("QM3")
    made.pass_time(25 * SECOND)
    made.run("QM3", "ALTER CHANNEL(CA.QM3) CHLTYPE(CLUSRCVR) SHORTTMR(600)")
    made.cut("QM3", cut=False)
    made.pass_time(5 * SECOND)
    assert made.status("CA.QM3") == "RUNNING"
    made.pass_time(MINUTE)
    made.cut("QM3")
    state = made.state("CA.QM3")
    assert state is not None
    assert state.retries.short_every == 600 * SECOND


def test_giving_up_is_on_the_agenda_of_a_stored_estate() -> None:
    """A stored estate knows when a channel gives up before its channels are loaded."""
    made = scene(receiver="SHORTRTY(2) SHORTTMR(10) LONGRTY(3) LONGTMR(30)")
    made.control("endmqm", "QM3")
    pages = pages_of(made.estate)
    loaded = estate_from(pages[ESTATE], pages.__getitem__)
    assert _gives_up(loaded) == _gives_up(made.estate)


def _gives_up(estate: Estate) -> int:
    return due_timers.by_kind(estate)[TimerKind.GIVING_UP].instant


def test_a_stopped_channel_stays_stopped_over_a_restart_and_one_that_ran_is_remembered() -> None:
    """The saved status outlives the queue manager's end; what waits starts the others again."""
    made = scene()
    made.hold("CA.QM3")
    made.send("PAY", count=2)
    made.run("QMS", "STOP CHANNEL(CA.QM4)")
    made.control("endmqm", "QMS")
    made.release("CA.QM3")
    assert set(made.estate.qmgr("QMS").activity.saved) == {"CA.QM3", "CA.QM4"}
    made.control("strmqm", "QMS")
    assert made.status("CA.QM4") == "STOPPED"
    assert made.depth("QM3", "PAY") == 2


def test_a_channel_seen_retrying_has_failed_and_its_messages_move() -> None:
    """A second observation of RETRYING is not a second failure."""
    made = scene()
    made.hold("CA.QM3")
    made.send(count=4)
    made.observe("CA.QM3", status="RETRYING")
    assert moved(made) == [("stop", 2)]
    before = len(made.draft.events)
    made.observe("CA.QM3", status="RETRYING")
    assert len(made.draft.events) == before + 1


def test_a_channel_seen_stopped_was_stopped() -> None:
    """A channel that was observed STOPPED starts only with START CHANNEL."""
    made = scene()
    made.hold("CA.QM3")
    made.send(count=4)
    made.observe("CA.QM3", status="STOPPED")
    assert moved(made) == [("stop", 2)]
    made.send("PAY")
    assert made.status("CA.QM3") == "STOPPED"


@pytest.mark.parametrize("status", ["STARTING", "BINDING", "STOPPING", "INITIALIZING"])
def test_statuses_in_between_are_kept_and_move_nothing(status: str) -> None:
    """Other statuses count in the choice, and messages wait until the channel runs."""
    made = scene()
    made.observe("CA.QM3", status=status)
    made.send(count=2)
    assert made.depth("QM4") == 2
    made.send("PAY", count=3)
    assert made.waiting("CA.QM3") == {DEFAULT: 3}
    made.observe("CA.QM3", status="RUNNING")
    assert made.depth("QM3", "PAY") == 3


def test_a_channel_observed_running_to_an_ended_partner_sends_nothing() -> None:
    """A channel observed RUNNING sends its messages only when its partner runs again."""
    made = scene()
    made.control("endmqm", "QM3")
    made.observe("CA.QM3", status="RUNNING")
    made.send("PAY", count=3)
    assert made.waiting("CA.QM3") == {DEFAULT: 3}
    made.control("strmqm", "QM3")
    assert made.depth("QM3", "PAY") == 3


def test_a_receiver_seen_stopped_fails_its_partners_channels() -> None:
    """When the receiver is observed to run again, partners find it at their next retry."""
    made = scene()
    made.observe("CA.QM3", "QM3", status="STOPPED")
    assert made.status("CA.QM3") == "RETRYING"
    made.observe("CA.QM3", "QM3", status="RUNNING")
    made.pass_time(MINUTE)
    assert made.status("CA.QM3") == "RUNNING"


def test_messages_in_doubt_block_their_channel_and_never_move() -> None:
    """Messages in doubt, and all after them, wait until the batch is confirmed."""
    made = scene()
    made.hold("CA.QM3")
    made.send("PAY", count=10)
    made.observe("CA.QM3", indoubt=True, curmsgs=4)
    made.release("CA.QM3")
    assert made.waiting("CA.QM3") == {DEFAULT: 10}
    made.hold("CA.QM3")
    made.observe("CA.QM3", indoubt=False)
    assert made.depth("QM3", "PAY") == 4
    assert made.waiting("CA.QM3") == {DEFAULT: 6}
    made.release("CA.QM3")
    assert made.depth("QM3", "PAY") == 10


def test_a_batch_in_doubt_is_settled_with_the_partner_once_it_is_back() -> None:
    """A batch in doubt waits for its own partner; it had not arrived, so it is sent again."""
    made = scene()
    made.hold("CA.QM3")
    made.send(count=10)
    made.observe("CA.QM3", status="RETRYING", indoubt=True, curmsgs=3)
    made.control("endmqm", "QM3")
    assert made.waiting("CA.QM3") == {DEFAULT: 3}
    made.release("CA.QM3")
    made.control("strmqm", "QM3")
    made.pass_time(MINUTE)
    assert made.depth("QM3") == 3
    assert made.messaging.in_doubt == {}


def test_no_more_is_in_doubt_than_waits() -> None:
    """An observation in doubt without a number means at most one batch of messages."""
    made = scene()
    made.hold("CA.QM3")
    made.send("PAY", count=3)
    made.observe("CA.QM3", indoubt=True, curmsgs=50)
    assert made.messaging.in_doubt == {"CA.QM3": 3}
    made.send("PAY", count=100)
    made.observe("CA.QM3", indoubt=False)
    made.observe("CA.QM3", indoubt=True)
    assert made.messaging.in_doubt == {"CA.QM3": 50}


def test_resolve_settles_what_is_in_doubt() -> None:
    """COMMIT deletes the batch, BACKOUT leaves it to be sent or moved."""
    made = scene()
    made.hold("CA.QM3")
    made.send("PAY", count=10)
    assert made.run("QMS", "RESOLVE CHANNEL(CA.QM3) ACTION(COMMIT)") == ["AMQ9514E"]
    made.run("QMS", "STOP CHANNEL(CA.QM3)")
    assert made.run("QMS", "RESOLVE CHANNEL(CA.QM3) ACTION(COMMIT)") == ["AMQ9533W"]
    made.observe("CA.QM3", indoubt=True, curmsgs=4)
    assert made.run("QMS", "RESET CHANNEL(CA.QM3) SEQNUM(1)") == ["AMQ9507E"]
    assert made.run("QMS", "RESOLVE CHANNEL(CA.QM3)") == ["AMQ8421E"]
    assert made.run("QMS", "RESOLVE CHANNEL(CA.QM3) ACTION(COMMIT)") == ["AMQ8025I"]
    assert lost(made) == [("resolved", 4)]
    made.observe("CA.QM3", indoubt=True, curmsgs=2)
    assert made.run("QMS", "RESOLVE CHANNEL(CA.QM3) ACTION(BACKOUT)") == ["AMQ8025I"]
    assert made.waiting("CA.QM3") == {DEFAULT: 6}
    assert made.logged() == [
        ("AMQ9507", "CA.QM3", "COMMIT", "4"),
        ("AMQ9507", "CA.QM3", "BACKOUT", "2"),
    ]
    assert made.run("QMS", "RESET CHANNEL(CA.QM3) SEQNUM(1)") == ["AMQ8023I"]
    assert made.run("QMS", "RESOLVE CHANNEL(NONE) ACTION(COMMIT)") == ["AMQ8227E"]
    assert made.run("QMS", "RESET CHANNEL(NONE)") == ["AMQ8227E"]


def fast(**options: str) -> Scene:
    """Let messages of both kinds wait for a channel that sent five non-persistent ones."""
    made = scene(**options)
    made.hold("CA.QM3")
    made.send("PAY", count=4, name="kept")
    made.send("PAY", count=8, persistent=False, name="fast")
    made.observe("CA.QM3", sent=5)
    return made


def left(made: Scene) -> dict[str, int]:
    """Count the waiting messages of each put."""
    return {parcel.name: parcel.count for parcel in made.parcels("CA.QM3")}


@pytest.mark.parametrize("how", ["fails", "is cut short", "is seen to have failed"])
def test_what_a_fast_channel_sent_outside_syncpoint_is_lost_as_it_fails(how: str) -> None:
    """Only the first non-persistent messages are lost."""
    made = fast()
    if how == "fails":
        made.control("endmqm", "QM3")
    elif how == "is cut short":
        made.run("QMS", "STOP CHANNEL(CA.QM3) MODE(FORCE)")
    else:
        made.observe("CA.QM3", status="RETRYING")
    assert lost(made) == [("fast", 5)]
    assert left(made) == {"kept": 4, "fast": 3}
    assert made.messaging.at_risk == {}


@pytest.mark.parametrize("how", ["is quiesced", "has ended its batch"])
def test_a_channel_that_stops_with_quiesce_finishes_its_batch(how: str) -> None:
    """A channel finishes its batch if it stops with QUIESCE or is observed with nothing sent."""
    made = fast()
    if how == "is quiesced":
        made.run("QMS", "STOP CHANNEL(CA.QM3)")
    else:
        made.observe("CA.QM3", sent=0)
    assert lost(made) == []
    assert made.depth("QM3", "PAY") == 5
    assert left(made) == {"kept": 4, "fast": 3}


def test_released_a_channel_sends_what_was_at_risk_as_well() -> None:
    """A later failure loses none of the messages that were sent at the release."""
    made = fast()
    made.release("CA.QM3")
    assert made.depth("QM3", "PAY") == 12
    made.control("endmqm", "QM3")
    assert lost(made) == []


def test_a_channel_that_is_not_fast_sends_nothing_outside_syncpoint() -> None:
    """With NPMSPEED(NORMAL) a failure backs out the whole batch."""
    made = fast(receiver="NPMSPEED(NORMAL)")
    made.control("endmqm", "QM3")
    assert lost(made) == []
    assert left(made) == {"kept": 4, "fast": 8}


def test_ping_and_start_answer_for_channels_that_only_the_cluster_knows() -> None:
    """Commands work on channels that only the cluster knows as on defined channels."""
    made = scene()
    made.run("QMS", "STOP CHANNEL(CA.QM3)")
    assert made.run("QMS", "PING CHANNEL(CA.QM3)") == ["AMQ8020I"]
    assert made.run("QMS", "START CHANNEL(CA.QM3)") == ["AMQ8018I"]
    assert made.run("QMS", "START CHANNEL(CA.QM3)") == ["AMQ9514E"]


def test_ping_names_the_host_that_does_not_answer() -> None:
    """AMQ9202 names the CONNAME of the channel, not the channel."""
    made = Sandbox().create("QM1")
    made.run("QM1", "DEFINE CHANNEL(TO.QM2) CHLTYPE(SDR) CONNAME('qm2(1414)') XMITQ(X)")
    ping = events.CommandEntered(qmgr="QM1", text="PING CHANNEL(TO.QM2)")
    (answer,) = derive(made.draft, ping).messages
    assert (answer.full_id, answer.inserts) == ("AMQ9202E", ("qm2(1414)",))


@pytest.mark.parametrize("how", ["STOP CHANNEL(CA.QM3) STATUS(INACTIVE)", "seen"])
def test_messages_do_not_wait_for_a_channel_that_is_inactive(how: str) -> None:
    """A channel starts for waiting messages once it is no longer STOPPED, after any pass."""
    made = scene()
    made.run("QMS", "STOP CHANNEL(CA.QM3)")
    made.send("PAY", count=3)
    assert made.waiting("CA.QM3") == {DEFAULT: 3}
    if how == "seen":
        made.observe("CA.QM3", status="INACTIVE")
    else:
        made.run("QMS", how)
    assert made.status("CA.QM3") == "RUNNING"
    assert made.depth("QM3", "PAY") == 3


def test_it_retries_where_its_partner_is_not_there() -> None:
    """A channel that a message starts retries if its partner is not there."""
    made = scene()
    made.run("QMS", "STOP CHANNEL(CA.QM3)")
    made.send("PAY", count=3)
    made.control("endmqm", "QM3")
    made.run("QMS", "STOP CHANNEL(CA.QM3) STATUS(INACTIVE)")
    assert made.status("CA.QM3") == "RETRYING"
    made.control("strmqm", "QM3")
    made.pass_time(MINUTE)
    assert made.depth("QM3", "PAY") == 3


@pytest.mark.parametrize("why", ["held", "disabled"])
def test_a_held_channel_starts_at_its_release(why: str) -> None:
    """A held channel starts at its release; after GET(DISABLED), with the next message."""
    made = scene()
    made.run("QMS", "STOP CHANNEL(CA.QM3)")
    made.send("PAY", count=3)
    if why == "held":
        made.hold("CA.QM3")
    else:
        made.run("QMS", f"ALTER QLOCAL({DEFAULT}) GET(DISABLED)")
    made.run("QMS", "STOP CHANNEL(CA.QM3) STATUS(INACTIVE)")
    assert made.status("CA.QM3") == "INACTIVE"
    if why == "held":
        made.release("CA.QM3")
    else:
        made.run("QMS", f"ALTER QLOCAL({DEFAULT}) GET(ENABLED)")
        assert made.status("CA.QM3") == "INACTIVE"
        made.send("PAY")
    assert made.waiting("CA.QM3") == {}


@pytest.mark.parametrize("channel", ["CA.QMS", "CA.QM4"])
def test_starting_a_stopped_channel_resets_the_factors(
    channel: str,
) -> None:
    """Factors are also reset when a stopped CLUSRCVR of the choosing queue manager is started."""
    made = scene(receiver="CLWLWGHT(20)")
    made.run("QMS", "DEFINE QLOCAL(ORD) CLUSTER(CA) CLWLUSEQ(ANY)")
    made.send(count=9)
    made.run("QMS", f"STOP CHANNEL({channel})")
    assert any(use.factor for use in made.messaging.workload.uses.values())
    made.run("QMS", f"START CHANNEL({channel})")
    assert not any(use.factor for use in made.messaging.workload.uses.values())


@pytest.mark.parametrize(
    ("named", "lost"),
    [
        ("CONNAME('qm4')", ["CA.QM4"]),
        ("CONNAME('QM4(1414)')", ["CA.QM4"]),
        ("QMNAME(QM3)", ["CA.QM3"]),
        ("QMNAME(QM3) CONNAME('qm3')", ["CA.QM3"]),
    ],
)
def test_a_receiver_is_stopped_for_the_partner_that_is_named(named: str, lost: list[str]) -> None:
    """STOP of a receiver with QMNAME or CONNAME fails the channel of that partner only."""
    made = scene()
    assert made.run("QMS", f"STOP CHANNEL(CA.QMS) {named}") == ["AMQ8019I"]
    failed = [
        f"CA.{name}"
        for name in ("QM3", "QM4")
        if made.estate.qmgr(name).activity.channels["CA.QMS"].status == "RETRYING"
    ]
    assert failed == lost


@pytest.mark.parametrize("channel", ["CA.QM3", "CA.QMS"])
@pytest.mark.parametrize("named", ["QMNAME(NOBODY)", "CONNAME('x')", "QMNAME(QM3) CONNAME('qm4')"])
def test_nothing_is_stopped_for_a_partner_that_a_channel_does_not_have(
    channel: str, named: str
) -> None:
    """STOP naming a partner that the channel does not run with is refused."""
    made = scene()
    before = len(made.told(events.ChannelStatusChanged))
    assert made.run("QMS", f"STOP CHANNEL({channel}) {named}") == ["AMQ9533W"]
    assert len(made.told(events.ChannelStatusChanged)) == before


@pytest.mark.parametrize("named", ["QMNAME(QM3)", "CONNAME('qm3(1414)')"])
def test_a_sending_end_is_stopped_for_its_own_partner(named: str) -> None:
    """STOP of a sending channel that names its own partner makes it INACTIVE."""
    made = scene()
    assert made.run("QMS", f"STOP CHANNEL(CA.QM3) {named}") == ["AMQ8019I"]
    assert made.status("CA.QM3") == "INACTIVE"
