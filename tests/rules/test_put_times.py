"""PutDate and PutTime: a pass that does not move messages renews them."""

from __future__ import annotations

from itertools import groupby
from operator import le

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.rules.sending_scene import DEFAULT, Scene, scene
from twin import events
from twin.model.instants import MINUTE, SECOND, Instant
from twin.rules.deriving import derive
from twin.rules.queues import put_times


def dated(made: Scene, channel: str = "CA.QM3") -> list[tuple[int, Instant]]:
    """List the messages that wait for a channel: how many, and their current put time."""
    return [(len(list(alike)), at) for at, alike in groupby(instants(made, channel))]


def instants(made: Scene, channel: str = "CA.QM3") -> list[Instant]:
    """Return the current put time of each message that waits for a channel."""
    qmgr = made.estate.qmgr("QMS")
    found: dict[str, list[Instant]] = {}
    for queue, parcel in made.lying_for(channel):
        found.setdefault(queue, []).extend([parcel.at] * parcel.count)
    for queue, parcel, place in put_times.eligible(qmgr, channel):
        at = put_times.put_time(qmgr, channel, parcel, made.draft.at)
        found[queue][place : place + parcel.count] = [at] * parcel.count
    return [at for each in found.values() for at in each]


def failed() -> tuple[Scene, Instant]:
    """Let five messages wait for QM3, the only host of PAY, which is down since then."""
    made = scene()
    made.hold("CA.QM3")
    made.send("PAY", count=5)
    made.pass_time(SECOND)
    made.control("endmqm", "QM3")
    return made, made.draft.at


def renewed(made: Scene) -> list[events.MessagesRenewed]:
    """List the recorded renewals of put times."""
    return made.told(events.MessagesRenewed)


def test_a_successful_retry_keeps_the_put_time_of_the_last_failed_one() -> None:
    """A message keeps the put time of the last failed retry when a retry succeeds."""
    made, gone = failed()
    made.at("+2m30s")
    made.control("strmqm", "QM3")
    assert dated(made) == [(5, gone + 2 * MINUTE)]
    assert not renewed(made)
    made.at("+3m1s")
    assert made.status("CA.QM3") == "RUNNING"
    assert dated(made) == [(5, gone + 2 * MINUTE)]
    assert [(event.spans, event.at, event.passes) for event in renewed(made)] == [
        (((0, 5),), gone + 2 * MINUTE, None)
    ]


@pytest.mark.parametrize(
    "command",
    [
        "START CHANNEL(CA.QM3)",
        "STOP CHANNEL(CA.QM3)",
        "STOP CHANNEL(CA.QM3) STATUS(INACTIVE)",
    ],
)
def test_a_start_in_vain_and_a_stop_are_passes(command: str) -> None:
    """A failed start and a stop are passes, also if the channel is INACTIVE afterwards."""
    made, gone = failed()
    made.at("+2m30s")
    made.run("QMS", command)
    now = gone + 2 * MINUTE + 29 * SECOND
    assert dated(made) == [(5, now)]
    made.at("+2m40s")
    assert dated(made) == [(5, now)]


def test_a_stop_counts_once_it_is_over() -> None:
    """A message of a channel that was STOPPED has the put time of the stop."""
    made = scene()
    made.hold("CA.QM3")
    made.send("PAY", count=5)
    made.pass_time(SECOND)
    made.run("QMS", "STOP CHANNEL(CA.QM3)")
    stopped = made.draft.at
    made.pass_time(SECOND)
    made.run("QMS", "START CHANNEL(CA.QM3)")
    assert made.status("CA.QM3") == "RUNNING"
    assert dated(made) == [(5, stopped)]


def test_messages_that_are_left_behind_keep_their_date() -> None:
    """A message on another queue keeps its put time: passes ignore it."""
    made, gone = failed()
    made.at("+2m30s")
    made.run("QMS", "STOP CHANNEL(CA.QM3)")
    stopped = gone + 2 * MINUTE + 29 * SECOND
    made.run("QMS", "DEFINE QLOCAL(X) USAGE(XMITQ) CLCHNAME('CA.QM3')")
    made.pass_time(SECOND)
    made.runswchl("CA.QM3", "n")
    assert made.waiting("CA.QM3") == {DEFAULT: 5}
    assert [parcel.at for parcel in made.parcels("CA.QM3")] == [stopped]


def test_a_stop_does_not_renew_the_put_time_of_stranded_messages() -> None:
    """A stranded message keeps its put time when its channel uses its queue again."""
    made = stopped_in_doubt(indoubt=False)
    put = made.draft.at - 2 * SECOND
    made.run("QMS", "DEFINE QLOCAL(X) USAGE(XMITQ) CLCHNAME('CA.QM3')")
    made.runswchl("CA.QM3", "n")
    made.pass_time(SECOND)
    made.run("QMS", "START CHANNEL(CA.QM3)\nSTOP CHANNEL(CA.QM3)\nALTER QLOCAL(X) CLCHNAME(' ')")
    made.runswchl("CA.QM3", "n")
    assert dated(made) == [(5, put + SECOND)]


def stopped_in_doubt(*, indoubt: bool = True, platform: str = "UNIX") -> Scene:
    """Let five messages, the first two in doubt, wait for a channel that stopped a second ago.

    They were put a second before that.
    """
    made = scene(platform=platform)
    made.hold("CA.QM3")
    made.send("PAY", count=5)
    made.observe("CA.QM3", indoubt=indoubt, curmsgs=2)
    made.pass_time(SECOND)
    made.run("QMS", "STOP CHANNEL(CA.QM3)")
    made.pass_time(SECOND)
    return made


@pytest.mark.parametrize("how", ["RESOLVE CHANNEL(CA.QM3) ACTION(BACKOUT)", "seen"])
def test_a_message_in_doubt_at_a_pass_keeps_its_put_time_when_resolved(how: str) -> None:
    """A message in doubt at a pass keeps its put time until the next pass."""
    made = stopped_in_doubt()
    put = made.draft.at - 2 * SECOND
    assert dated(made) == [(2, put), (3, put + SECOND)]
    if how == "seen":
        made.observe("CA.QM3", indoubt=False)
    else:
        made.run("QMS", how)
    assert dated(made) == [(2, put), (3, put + SECOND)]
    made.pass_time(SECOND)
    made.run("QMS", "STOP CHANNEL(CA.QM3) STATUS(INACTIVE)")
    assert dated(made) == [(5, put + 3 * SECOND)]


def test_a_pass_at_the_instant_of_a_backout_renews_the_put_time() -> None:
    """A failed start at the instant of the backout renews the message's put time."""
    made = stopped_in_doubt()
    made.control("endmqm", "QM3")
    made.run("QMS", "RESOLVE CHANNEL(CA.QM3) ACTION(BACKOUT)\nSTART CHANNEL(CA.QM3)")
    assert made.status("CA.QM3") == "RETRYING"
    assert dated(made) == [(5, made.draft.at)]


def test_a_message_that_becomes_in_doubt_keeps_its_put_time() -> None:
    """A message that becomes in doubt keeps the put time of its last pass."""
    made, gone = failed()
    made.at("+2m30s")
    made.observe("CA.QM3", indoubt=True, curmsgs=2)
    assert dated(made) == [(5, gone + 2 * MINUTE)]
    made.at("+3m30s")
    assert dated(made) == [(2, gone + 2 * MINUTE), (3, gone + 3 * MINUTE)]


def test_a_pass_that_is_cut_short_dates_only_what_it_looked_at() -> None:
    """A forced stop on z/OS renews only the put times of the first half."""
    made = scene(platform="MVS")
    made.hold("CA.QM3")
    made.send("PAY", count=10)
    put = made.draft.at
    made.pass_time(SECOND)
    made.run("QMS", "STOP CHANNEL(CA.QM3) MODE(FORCE)")
    assert dated(made) == [(5, put + SECOND), (5, put)]
    made.pass_time(SECOND)
    made.run("QMS", "START CHANNEL(CA.QM3)")
    assert dated(made) == [(5, put + SECOND), (5, put)]
    made.control("endmqm", "QM3")
    made.at("+2m30s")
    made.run("QMS", "STOP CHANNEL(CA.QM3) MODE(FORCE)")
    now = made.draft.at
    assert dated(made) == [(5, now), (5, put + 2 * SECOND + 2 * MINUTE)]


def test_passes_count_until_the_choice_fails() -> None:
    """A pass renews no put time while all instances are put-disabled."""
    made = scene()
    made.hold("CA.QM3")
    made.send("PAY", count=5)
    gone = made.draft.at
    made.observe("CA.QM3", status="RETRYING")
    made.at("+2m30s")
    made.run("QM3", "ALTER QLOCAL(PAY) PUT(DISABLED)")
    assert dated(made) == [(5, gone + 2 * MINUTE)]
    made.at("+7m30s")
    made.run("QM3", "ALTER QLOCAL(PAY) DESCR('as before')")
    assert dated(made) == [(5, gone + 2 * MINUTE)]
    made.run("QM3", "ALTER QLOCAL(PAY) PUT(ENABLED)")
    assert dated(made) == [(5, gone + 2 * MINUTE)]
    made.at("+8m30s")
    assert dated(made) == [(5, gone + 8 * MINUTE)]
    assert [(event.at, event.passes) for event in renewed(made)] == [
        (gone + 2 * MINUTE, put_times.NO_PASS),
        (None, gone + 7 * MINUTE + 30 * SECOND),
    ]


def test_what_is_in_doubt_is_not_dated_anew() -> None:
    """A pass renews no message in doubt; after it is resolved, it may be routed again."""
    made = scene()
    made.hold("CA.QM3")
    made.send("PAY", count=5)
    put = made.draft.at
    made.observe("CA.QM3", indoubt=True, curmsgs=2)
    made.pass_time(SECOND)
    made.control("endmqm", "QM3")
    made.pass_time(SECOND)
    stopped = made.draft.at
    made.run("QMS", "STOP CHANNEL(CA.QM3) STATUS(INACTIVE)")
    assert dated(made) == [(2, put), (3, stopped)]


def test_nothing_is_recorded_where_nothing_waits() -> None:
    """A status change of a channel without messages records no renewal."""
    made = scene()
    made.control("endmqm", "QM3")
    made.at("+1h")
    made.control("strmqm", "QM3")
    made.at("+2h")
    assert not renewed(made)


STEPS = st.one_of(
    st.sampled_from(["", " STATUS(INACTIVE)"]).map(
        lambda how: ("QMS", f"STOP CHANNEL(CA.QM3){how}")
    ),
    st.just(("QMS", "START CHANNEL(CA.QM3)")),
    st.sampled_from(["ENABLED", "DISABLED"]).map(
        lambda how: ("QM3", f"ALTER QLOCAL(PAY) PUT({how})")
    ),
    st.sampled_from(["RUNNING", "RETRYING", "STOPPED", "INACTIVE"]).map(lambda how: ("seen", how)),
    st.sampled_from(["2", "5", "0"]).map(lambda count: ("in doubt", count)),
    st.just(("QMS", "RESOLVE CHANNEL(CA.QM3) ACTION(BACKOUT)")),
    st.sampled_from(["strmqm", "endmqm"]).map(lambda how: ("QM3", how)),
    st.sampled_from(["strmqm", "endmqm"]).map(lambda how: ("QMS", how)),
    st.sampled_from(["runswchl", "runswchl -n"]).map(lambda how: ("switch", how)),
    st.sampled_from(["CA.QM3", " "]).map(
        lambda name: ("QMS", f"ALTER QLOCAL(X) USAGE(XMITQ) CLCHNAME('{name}')")
    ),
)


@given(st.lists(st.tuples(STEPS, st.integers(0, 200)), max_size=12))
@example(
    [
        (("QMS", "STOP CHANNEL(CA.QM3)"), 1),
        (("QM3", "ALTER QLOCAL(PAY) PUT(DISABLED)"), 0),
        (("seen", "RETRYING"), 0),
    ]
)
def test_it_never_goes_back(steps: list[tuple[tuple[str, str], int]]) -> None:
    """A put time never decreases, whatever happens to the channel."""
    made = scene()
    made.run("QMS", "DEFINE QLOCAL(X) USAGE(XMITQ)")
    made.hold("CA.QM3")
    made.send("PAY", count=6)
    before = instants(made)
    for (where, what), seconds in steps:
        made.pass_time(seconds * SECOND)
        _perform(made, where, what)
        now = instants(made)
        arrived = made.depth("QM3", "PAY")
        assert len(now) == 6 - arrived
        assert all(map(le, before[-len(now) :], now))
        assert max(now, default=0) <= made.draft.at
        before = now


def _perform(made: Scene, where: str, what: str) -> None:
    """Perform a step, if its queue manager is in the right state."""
    if where == "seen":
        if made.estate.qmgr("QMS").running:
            made.observe("CA.QM3", status=what)
    elif where == "in doubt":
        if made.estate.qmgr("QMS").running:
            made.observe("CA.QM3", indoubt=what != "0", curmsgs=int(what))
    elif where == "switch":
        if made.estate.qmgr("QMS").running:
            made.runswchl("CA.QM3", *(["n"] if what.endswith("-n") else []))
    elif what in ("strmqm", "endmqm"):
        if made.estate.qmgr(where).running is (what == "endmqm"):
            made.control(what, where)
    elif made.estate.qmgr(where).running:
        derive(made.draft, events.CommandEntered(qmgr=where, text=what))
