"""Silent links: batches that are lost or in doubt, old receiving ends, and what qm.ini says."""

from __future__ import annotations

import pytest

from tests.rules.sending_scene import Scene, scene
from tests.rules.test_agenda import read_back
from twin import events
from twin.events import AutomaticConfiguration, ConfigurationFile
from twin.fold.estate import Silence
from twin.fold.store.pages import pages_of
from twin.model import silence as times
from twin.model.instants import SECOND, Instant
from twin.rules.deriving import derive

HBINT: Instant = 10 * SECOND
TIMEOUT: Instant = 2 * HBINT


def silent_scene(ini: str = "", *, platform: str = "UNIX", receiver: str = "") -> Scene:
    """Make a scene with HBINT(10) at QM3, whose qm.ini has these lines, and cut its link."""
    made = Scene()
    made.create("QMS", "QM4")
    made.full("QMS")
    configuration = AutomaticConfiguration(ini=(ConfigurationFile(name="qm.ini", text=ini),))
    created = events.ControlCommandEntered(
        qmgr="QM3",
        command="crtmqm",
        arguments=(f"platform={platform}",),
        configuration=configuration if ini else None,
    )
    derive(made.draft, created)
    made.control("strmqm", "QM3")
    made.run(
        "QM3",
        "DEFINE CHANNEL(CA.QM3) CHLTYPE(CLUSRCVR) CONNAME('qm3(1414)') CLUSTER(CA) "
        f"HBINT(10) {receiver}",
    )
    made.sender("QM3", "QMS").member("QM4", "QMS")
    for name in ("QM3", "QM4"):
        made.run(name, "DEFINE QLOCAL(ORD) CLUSTER(CA)")
        made.run("QMS", f"START CHANNEL(CA.{name})")
    silence(made)
    return made


def silence(made: Scene, *, other: str = "QM3") -> None:
    """Cut the link between the sender and another queue manager silently."""
    derive(made.draft, events.LinkChanged(qmgr="QMS", other=other, cut=True, silent=True))


def at_receiver(made: Scene) -> Silence | None:
    """Return the receiving end at QM3, if it is silent."""
    return made.estate.qmgr("QM3").activity.silent.get(("CA.QM3", "QMS"))


def test_fast_nonpersistent_messages_in_a_silent_batch_are_lost_and_never_in_doubt() -> None:
    """Those of the open batch are lost as the sending end notices; persistent ones are in doubt."""
    made = silent_scene()
    derive(made.draft, events.ChannelHeld(qmgr="QMS", channel="CA.QM3"))
    made.send(count=4, persistent=False)
    made.send(count=4, persistent=True)
    derive(made.draft, events.ChannelReleased(qmgr="QMS", channel="CA.QM3"))
    assert made.messaging.at_risk == {"CA.QM3": 2}
    assert made.messaging.in_doubt == {"CA.QM3": 2}
    made.pass_time(TIMEOUT)
    assert [event.count for event in made.told(events.MessagesLost)] == [2]
    assert made.messaging.in_doubt == {"CA.QM3": 2}
    assert sum(made.waiting("CA.QM3").values()) == 2


def test_with_npmspeed_normal_no_message_of_a_silent_batch_is_lost() -> None:
    """They belong to the batch, and are in doubt with it."""
    made = silent_scene(receiver="NPMSPEED(NORMAL)")
    made.send(count=4, persistent=False)
    made.pass_time(TIMEOUT)
    assert made.messaging.in_doubt == {"CA.QM3": 2}
    assert not made.told(events.MessagesLost)


def test_a_reset_after_a_silent_cut_tells_both_ends_at_once() -> None:
    """A plain cut fails the sending end with its batch in doubt, and ends the receiving end."""
    made = silent_scene()
    made.send(count=2, persistent=True)
    made.cut("QM3")
    assert made.status("CA.QM3") == "RETRYING"
    assert made.messaging.in_doubt == {"CA.QM3": 1}
    assert at_receiver(made) is None


def test_an_end_of_the_partner_is_not_told_over_a_silent_link() -> None:
    """The channel runs on, and is reset as the link is healed, because its session is gone."""
    made = silent_scene()
    made.control("endmqm", "QM3")
    assert made.status("CA.QM3") == "RUNNING"
    made.control("strmqm", "QM3")
    made.cut("QM3", cut=False)
    state = made.state("CA.QM3")
    assert state is not None
    assert (state.status, state.reason) == ("RETRYING", "AMQ9208")
    made.pass_time(60 * SECOND)
    assert made.status("CA.QM3") == "RUNNING"


def test_while_it_waits_for_the_answer_to_a_heartbeat_a_channel_sends_nothing() -> None:
    """A message that is put then waits, is not in doubt, and goes to another destination."""
    made = silent_scene()
    made.pass_time(HBINT)
    made.send(count=2, persistent=True)
    assert made.messaging.in_doubt == {}
    made.pass_time(TIMEOUT - 1)
    assert made.status("CA.QM3") == "RUNNING"
    made.pass_time(1)
    assert made.status("CA.QM3") == "RETRYING"
    assert made.depth("QM4") == 2


def test_without_heartbeats_only_tcp_ends_a_sending_end_that_sends() -> None:
    """With HBINT(0) an idle channel never notices, and one that sends does after 15 minutes."""
    made = scene(receiver="HBINT(0)")
    made.run("QMS", "STOP CHANNEL(CA.QM3)\nSTART CHANNEL(CA.QM3)")
    silence(made)
    made.pass_time(1000 * SECOND)
    assert made.status("CA.QM3") == "RUNNING"
    made.send("PAY")
    made.pass_time(times.RETRANSMISSION - 1)
    assert made.status("CA.QM3") == "RUNNING"
    made.pass_time(1)
    assert made.status("CA.QM3") == "RETRYING"
    receiving = at_receiver(made)
    assert receiving is not None
    assert receiving.notices is None


def test_a_channel_that_disconnects_while_it_is_silent_leaves_its_receiving_end() -> None:
    """Its next start is refused, as long as the receiving end does not know."""
    made = scene(receiver="HBINT(0) DISCINT(60)")
    made.run("QMS", "STOP CHANNEL(CA.QM3)\nSTART CHANNEL(CA.QM3)")
    silence(made)
    made.pass_time(3600 * SECOND)
    made.cut("QM3", cut=False)
    made.send("PAY")
    assert made.status("CA.QM3") == "RETRYING"
    assert ("AMQ9514", "CA.QM3") in made.logged()


@pytest.mark.parametrize(
    ("line", "adopted"),
    [
        ("", False),
        ("AdoptNewMCA=NO", False),
        ("AdoptNewMCA=SVR,SDR,RCVR", False),
        ("ADOPTNEWMCA = rcvr, clusrcvr", True),
        ("AdoptNewMCA=ALL", True),
    ],
)
def test_adoptnewmca_in_qm_ini_ends_the_old_receiving_end(line: str, adopted: bool) -> None:  # noqa: FBT001 - pytest
    """With ALL or CLUSRCVR a restart of the sending end is not refused; the default is NO."""
    made = silent_scene(f"Channels:\n   {line}\n")
    made.control("endmqm", "QMS")
    made.control("strmqm", "QMS")
    made.cut("QM3", cut=False)
    made.send()
    made.pass_time(SECOND)
    assert (made.status("CA.QM3") == "RUNNING") is adopted
    assert ("AMQ9514", "CA.QM3") in made.logged() or adopted


def test_keepalive_in_qm_ini_ends_a_receiving_end_without_heartbeats() -> None:
    """KeepAlive=Yes of the stanza TCP finds the failure by the times of the operating system."""
    made = silent_scene("TCP:\n  KeepAlive=Yes\n")
    receiving = at_receiver(made)
    assert receiving is not None
    assert receiving.notices == made.draft.at + TIMEOUT
    slow = silent_scene("TCP:\n  KeepAlive=Yes\n", receiver="DISCINT(0)")
    slow.cut("QM3", cut=False)
    slow.run("QM3", "ALTER CHANNEL(CA.QM3) CHLTYPE(CLUSRCVR) HBINT(0)")
    slow.run("QMS", "STOP CHANNEL(CA.QM3)\nSTART CHANNEL(CA.QM3)")
    silence(slow)
    receiving = at_receiver(slow)
    assert receiving is not None
    assert receiving.notices == slow.draft.at + times.KEEPALIVE


def test_a_connect_timeout_in_qm_ini_shortens_the_wait_for_an_answer() -> None:
    """Connect_Timeout of the stanza TCP goes before the operating system's time."""
    made = silent_scene("TCP:\n  Connect_Timeout=5\n")
    made.run("QM3", "STOP CHANNEL(CA.QMS)\nSTART CHANNEL(CA.QMS)")
    qm3 = made.estate.qmgr("QM3").activity.channels
    assert qm3["CA.QMS"].status == "BINDING"
    made.pass_time(5 * SECOND)
    assert qm3["CA.QMS"].status == "RETRYING"
    assert qm3["CA.QMS"].retries.hangs == 5 * SECOND


def test_silent_ends_are_the_same_after_reading_from_pages() -> None:
    """Both ends, their instants and their agenda survive a snapshot."""
    made = silent_scene()
    made.send(count=2, persistent=True)
    made.control("endmqm", "QM3")
    made.control("strmqm", "QM3")
    made.run("QMS", "STOP CHANNEL(CA.QM4)")
    silence(made, other="QM4")
    made.run("QMS", "START CHANNEL(CA.QM4)")
    again = read_back(made.estate)
    assert pages_of(again) == pages_of(made.estate)
    for name in ("QMS", "QM3", "QM4"):
        assert again.qmgr(name).activity == made.estate.qmgr(name).activity


def test_what_is_sent_to_a_silent_partner_waits_and_arrives_by_the_heal() -> None:
    """Repository commands wait on the transmission queue; none is delivered over a cut link."""
    made = silent_scene()
    made.run("QMS", "DEFINE QLOCAL(NEW) CLUSTER(CA)")
    made.run("QM3", "DEFINE QLOCAL(OWN) CLUSTER(CA)")
    assert "OWN@QM3" not in made.knows("QMS", "queue")
    made.cut("QM3", cut=False)
    assert "OWN@QM3" in made.knows("QMS", "queue")
