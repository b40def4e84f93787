"""Switches and reallocation passes that move messages in portions, and wait between them."""

from __future__ import annotations

import pytest

from tests.rules.sending_scene import DEFAULT, Scene, scene
from twin import events
from twin.fold.store.pages import ESTATE, estate_from, pages_of
from twin.model.instants import SECOND
from twin.rules.channels import switching
from twin.rules.deriving import derive

DEFINE = "DEFINE QLOCAL(XQ3) USAGE(XMITQ) CLCHNAME('CA.QM3')"


def read(made: Scene, *readings: str) -> Scene:
    """Choose readings, such as switch-wait=5s."""
    for name, _, value in (each.partition("=") for each in readings):
        derive(made.draft, events.ReadingChosen(qmgr="", reading=name, value=value))
    return made


def slow(platform: str, *readings: str) -> Scene:
    """Make the scene with twenty free and four bound messages for a channel that is held."""
    made = read(scene(platform=platform), *readings)
    made.hold("CA.QM3")
    made.send("ORD", count=4, bind="open", to="QM3", name="bound")
    made.hold("CA.QM4")
    made.send("ORD", count=40, name="free")
    made.release("CA.QM4")
    made.run("QMS", DEFINE + (" INDXTYPE(CORRELID)" if platform == "MVS" else ""))
    return made


def switched(made: Scene) -> list[int]:
    """Return how many messages each portion of a switch moved."""
    return [event.count for event in made.told(events.MessagesSwitched)]


def test_each_portion_follows_the_one_before_after_the_wait() -> None:
    """The channel sends what was moved, new messages are moved last, and the log says how far."""
    made = read(scene(), "switch-portion=10", "switch-wait=5s")
    made.run("QMS", f"STOP CHANNEL(CA.QM3)\n{DEFINE}")
    made.send("PAY", count=24, name="a")
    made.run("QMS", "START CHANNEL(CA.QM3)")
    assert (made.depth("QM3", "PAY"), made.waiting("CA.QM3")) == (10, {DEFAULT: 14})
    made.pass_time(4 * SECOND)
    made.send("PAY", count=3, name="b")
    assert made.waiting("CA.QM3") == {DEFAULT: 17}
    made.pass_time(SECOND)
    assert (made.depth("QM3", "PAY"), made.waiting("CA.QM3")) == (20, {DEFAULT: 7})
    (found,) = switching.pending_switches(made.estate.qmgr("QMS"), "*", made.draft.at)
    assert (found.messages, found.next_portion) == (7, made.draft.at + 5 * SECOND)
    made.pass_time(5 * SECOND)
    assert switched(made) == [10, 10, 7]
    assert [line[:3] for line in made.logged() if line[0].startswith("TWN")] == [
        ("TWN0006", "CA.QM3", DEFAULT),
        ("TWN0007", "CA.QM3", "24"),
        ("TWN0008", "CA.QM3", "14"),
        ("TWN0008", "CA.QM3", "7"),
        ("TWN0009", "CA.QM3", "27"),
    ]
    assert made.logged()[-1] == ("AMQ7341", "CA.QM3", "XQ3")


@pytest.mark.parametrize("how", ["stop", "end"])
def test_a_switch_is_interrupted_between_two_portions(how: str) -> None:
    """While its channel or queue manager is down nothing moves; the next start goes on."""
    made = read(scene(), "switch-portion=10", "switch-wait=5s")
    made.run("QMS", f"STOP CHANNEL(CA.QM3)\n{DEFINE}")
    made.send("PAY", count=24)
    made.run("QMS", "START CHANNEL(CA.QM3)")
    if how == "stop":
        made.run("QMS", "STOP CHANNEL(CA.QM3)")
    else:
        made.control("endmqm", "QMS")
    made.pass_time(60 * SECOND)
    assert made.waiting("CA.QM3") == {DEFAULT: 14}
    if how == "stop":
        made.run("QMS", "START CHANNEL(CA.QM3)")
    else:
        made.control("strmqm", "QMS")
    assert made.waiting("CA.QM3") == {DEFAULT: 4}
    made.pass_time(5 * SECOND)
    assert (made.waiting("CA.QM3"), made.depth("QM3", "PAY")) == ({}, 24)
    assert len(made.told(events.TransmissionQueueSwitchBegan)) == 1


def test_a_stored_page_has_the_next_portion() -> None:
    """A switch goes on after its page was stored and read, also one written before portions."""
    made = read(scene(), "switch-portion=10", "switch-wait=5s")
    made.run("QMS", f"STOP CHANNEL(CA.QM3)\n{DEFINE}")
    made.send("PAY", count=12)
    made.run("QMS", "START CHANNEL(CA.QM3)")
    pages = pages_of(made.estate)
    loaded = estate_from(pages[ESTATE], pages.__getitem__).qmgr("QMS")
    assert loaded.activity.portions == made.estate.qmgr("QMS").activity.portions
    (name,) = [each for each in pages if b'"portions":[[' in pages[each]]
    begin, _, rest = pages[name].partition(b',"portions":[[')
    pages[name] = begin + rest[rest.index(b"}]]") + 3 :]
    assert not estate_from(pages[ESTATE], pages.__getitem__).qmgr("QMS").activity.portions


def test_a_full_queue_is_no_obstacle_while_another_channel_empties_it() -> None:
    """A new queue that another channel has filled stops a switch only until that channel sends."""
    made = scene()
    made.run("QMS", "DEFINE QLOCAL(XQ) USAGE(XMITQ) CLCHNAME('CA.*') MAXDEPTH(5)")
    made.hold("CA.QM4")
    made.run("QMS", "STOP CHANNEL(CA.QM4)\nSTART CHANNEL(CA.QM4)\nSTOP CHANNEL(CA.QM3)")
    made.send("ORD", count=5, bind="open", to="QM4")
    made.send("PAY", count=8)
    made.run("QMS", "START CHANNEL(CA.QM3)")
    assert made.waiting("CA.QM3") == {DEFAULT: 8}
    assert made.told(events.TransmissionQueueSwitchStopped)[-1].reason == 2053
    made.release("CA.QM4")
    assert (made.waiting("CA.QM3"), made.depth("QM3", "PAY")) == ({}, 8)


def test_a_full_queue_that_is_get_disabled_stops_a_switch_once() -> None:
    """The channel ends at once (AMQ9549), and what waits for it starts neither again and again."""
    made = scene()
    made.hold("CA.QM4")
    made.run("QMS", "DEFINE QLOCAL(XQ) USAGE(XMITQ) CLCHNAME('CA.*') MAXDEPTH(5)")
    made.run("QMS", "STOP CHANNEL(CA.QM4)\nSTART CHANNEL(CA.QM4)\nSTOP CHANNEL(CA.QM3)")
    made.send("ORD", count=5, bind="open", to="QM4")
    made.send("PAY", count=8)
    made.run("QMS", "ALTER QLOCAL(XQ) GET(DISABLED)\nSTART CHANNEL(CA.QM3)")
    assert made.waiting("CA.QM3") == {DEFAULT: 8}
    assert len(made.told(events.TransmissionQueueSwitchStopped)) == 1


@pytest.mark.parametrize("platform", ["UNIX", "MVS"])
def test_a_quick_restart_leaves_the_rest_to_the_switch(platform: str) -> None:
    """What a pass had not looked at when the channel started is moved by its switch."""
    made = slow(platform, "pass-portion=4", "pass-wait=10s")
    waited = made.waiting("CA.QM3")[DEFAULT]
    made.run("QMS", "STOP CHANNEL(CA.QM3)")
    made.pass_time(15 * SECOND)
    if platform == "MVS":
        made.run("QMS", "STOP CHANNEL(CA.QM3) MODE(FORCE)")
    made.run("QMS", "START CHANNEL(CA.QM3)")
    moved = sum(
        move.share.count for event in made.told(events.MessagesReallocated) for move in event.moves
    )
    assert (moved, made.waiting("CA.QM3")) == (8, {"XQ3": waited - 8})
    made.pass_time(100 * SECOND)
    assert made.waiting("CA.QM3") == {"XQ3": waited - 8}


def test_on_zos_a_channel_is_stopping_until_its_pass_is_done() -> None:
    """START is refused meanwhile, and the channel is STOPPED after the last portion."""
    made = slow("MVS", "pass-portion=8", "pass-wait=10s")
    assert made.run("QMS", "STOP CHANNEL(CA.QM3)") == ["AMQ8019I"]
    assert made.status("CA.QM3") == "STOPPING"
    assert made.run("QMS", "START CHANNEL(CA.QM3)") == ["AMQ9514E"]
    made.pass_time(19 * SECOND)
    assert made.status("CA.QM3") == "STOPPING"
    made.pass_time(SECOND)
    assert (made.status("CA.QM3"), made.waiting("CA.QM3")) == ("STOPPED", {DEFAULT: 4})


@pytest.mark.parametrize("mode", ["FORCE", "TERMINATE"])
def test_on_zos_a_forced_stop_ends_a_pass_where_it_stands(mode: str) -> None:
    """What was moved stays moved, and the rest stays."""
    made = slow("MVS", "pass-portion=8", "pass-wait=10s")
    waited = made.waiting("CA.QM3")[DEFAULT]
    made.run("QMS", "STOP CHANNEL(CA.QM3)")
    made.run("QMS", f"STOP CHANNEL(CA.QM3) MODE({mode})")
    assert made.status("CA.QM3") == "STOPPED"
    made.pass_time(100 * SECOND)
    assert made.waiting("CA.QM3") == {DEFAULT: waited - 8}
    assert made.told(events.MessagesReallocated)[-1].interrupted


def test_on_zos_a_channel_that_fails_is_stopping_first() -> None:
    """It is RETRYING when its pass is done, for the same reason, and finds its partner again."""
    made = slow("MVS", "pass-portion=8", "pass-wait=10s")
    made.cut("QM3")
    assert made.status("CA.QM3") == "STOPPING"
    made.cut("QM3", cut=False)
    made.pass_time(30 * SECOND)
    state = made.state("CA.QM3")
    assert state is not None
    assert (state.status, state.reason) == ("RETRYING", "AMQ9202")
    made.pass_time(120 * SECOND)
    assert made.status("CA.QM3") == "RUNNING"


def test_a_stop_while_stopping_says_what_follows() -> None:
    """A channel that failed, and is stopped by hand before its pass is done, is STOPPED then."""
    made = slow("MVS", "pass-portion=8", "pass-wait=10s")
    made.cut("QM3")
    made.run("QMS", "STOP CHANNEL(CA.QM3)")
    made.pass_time(30 * SECOND)
    assert made.status("CA.QM3") == "STOPPED"


def test_a_queue_manager_that_ends_keeps_a_stopping_channel_stopped() -> None:
    """STOP CHANNEL counts although the queue manager ended before the pass was done."""
    made = slow("MVS", "pass-portion=8", "pass-wait=10s")
    made.run("QMS", "STOP CHANNEL(CA.QM3)")
    made.control("endmqm", "QMS")
    made.control("strmqm", "QMS")
    assert made.status("CA.QM3") == "STOPPED"


def test_equals_take_turns_if_a_reading_says_so() -> None:
    """Among equally good channels nothing moves, unless the reading `equals` is `turn`."""
    for reading, stays in (("stay", True), ("turn", False)):
        made = read(scene(), f"equals={reading}")
        made.send("ORD", count=4)
        for other in ("QM3", "QM4"):
            made.cut(other)
        made.send("ORD", count=4)
        before = made.waiting("CA.QM3")
        made.pass_time(61 * SECOND)
        moved = [event for event in made.told(events.MessagesReallocated) if event.moves]
        assert (made.waiting("CA.QM3") == before and not moved) is stays
