"""On main, an observed queue manager has the channel states and depths that were last seen."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.app.scenes import LATER, START
from tests.app.test_laws import fresh
from tests.feeds.test_dumps import FOOT, QUEUE, dump
from tests.laws import examples
from twin import events
from twin.app.acting import Fact
from twin.app.observing import FileText
from twin.app.rehearsing import Rehearsal
from twin.app.twin import Twin
from twin.fold.agenda import TimerKind
from twin.fold.replay import decode
from twin.model.instants import DAY, HOUR, MAIN, MINUTE, Instant
from twin.model.names import generic
from twin.questions.answer import Row
from twin.questions.channels import channels
from twin.rules import due_timers

FULL = """ALTER QMGR REPOS('CA')
DEFINE CHANNEL('CA.{qmgr}') CHLTYPE(CLUSRCVR) +
   CONNAME('{qmgr}(1414)') CLUSTER(CA) DISCINT(600) +
   SHORTRTY(2) SHORTTMR(60) LONGRTY(3) LONGTMR(600) +
   REPLACE
DEFINE CHANNEL('CA.{other}') CHLTYPE(CLUSSDR) +
   CONNAME('{other}(1414)') CLUSTER(CA) +
   REPLACE
"""
PARTIAL = FULL.removeprefix("ALTER QMGR REPOS('CA')\n")
ESTATE = {"F1": (FULL, "F2"), "F2": (FULL, "F1"), "P1": (PARTIAL, "F1"), "P2": (PARTIAL, "F2")}
CHANNELS = ["CA.F1", "CA.F2", "CA.P2", "NO.SUCH"]
STATUSES = ["RUNNING", "RETRYING", "STOPPED", "INACTIVE", "BINDING"]
HOURS = st.integers(1, 60)
Said = tuple[Instant, Any]


def text_of(qmgr: str, *more: str) -> FileText:
    """Return a dump of a queue manager of the estate."""
    body, other = ESTATE[qmgr]
    return FileText(dump(body.format(qmgr=qmgr, other=other), *more).replace("QM7", qmgr))


def imported(twin: Twin) -> Twin:
    """Import the dumps of two full repositories and two members."""
    twin.ingest_files([text_of(qmgr) for qmgr in ESTATE], at=START)
    return twin


def observe(twin: Twin, at: Instant, *said: events.Observation) -> None:
    """Record observations."""
    twin.record_observations([Fact(each, "observation:error-log") for each in said], at=at)


def row(twin: Twin | Rehearsal, at: Instant, channel: str = "CA.F1", qmgr: str = "P1") -> Row:
    """Return the row of a channel."""
    (found,) = channels(*twin.view(as_of=at), on=qmgr, channel=channel).rows
    return found


def seen_channel(channel: str, status: str, qmgr: str = "P1") -> events.ChannelObserved:
    """Return an observation of the sending end of a channel."""
    return events.ChannelObserved(qmgr=qmgr, channel=channel, status=status, instance="")


QMGRS = st.sampled_from(["P1", "F1"])
STATES = st.one_of(
    st.builds(seen_channel, st.sampled_from(CHANNELS), st.sampled_from(STATUSES), QMGRS),
    st.builds(
        events.ChannelsListed,
        qmgr=QMGRS,
        complete=st.sampled_from(["*", "CA.F*"]),
        shown=st.just(()),
    ),
)
DUMPS = st.builds(
    lambda qmgr, depth: text_of(
        qmgr, QUEUE.format(depth=depth).replace("MAXD", "CLUSTER(CA) MAXD")
    ),
    st.sampled_from(list(ESTATE)),
    st.integers(1, 3),
)
IMPORTS = st.lists(
    st.tuples(HOURS.map(lambda hour: START + hour * HOUR), st.one_of(STATES, STATES, DUMPS)),
    max_size=7,
    unique_by=lambda each: each[0],
)


def last_seen(said: list[Said], qmgr: str, channel: str, at: Instant) -> str | None:
    """Return the status of a channel that was last observed; None if there is none."""
    status = None
    for when, each in sorted(said, key=lambda each: each[0]):
        if isinstance(each, FileText) or each.qmgr != qmgr or when > at:
            continue
        if isinstance(each, events.ChannelsListed):
            status = "INACTIVE" if generic(each.complete, channel) else status
        elif each.channel == channel:
            status = each.status
    return status


@examples(cost=4)
@given(IMPORTS, st.randoms(use_true_random=False))
def test_a_channel_on_main_has_the_status_that_was_last_observed(
    said: list[Said], chance: Any
) -> None:
    """No import, timer or message moves it, in whatever order the files come in."""
    chance.shuffle(said)
    with fresh(1) as (twin,):
        imported(twin)
        for at, each in said:
            if isinstance(each, FileText):
                twin.ingest_files([each], at=at)
            else:
                observe(twin, at, each)
        instants = sorted({at for at, _ in said} | {START + 61 * HOUR, START + 40 * DAY, LATER})
        for at in [each + delay for each in instants for delay in (0, 30 * MINUTE)]:
            for qmgr in ("P1", "F1"):
                for shown in channels(*twin.view(as_of=at), on=qmgr).rows:
                    status = last_seen(said, qmgr, str(shown["channel"]), at)
                    if status is not None and shown["channel"] != f"CA.{qmgr}":
                        assert shown["status"] == status, shown
                        assert shown["basis"] in {"observed", "assumed"}, shown
        twin.log.verify()


@pytest.mark.parametrize("status", STATUSES)
def test_a_status_that_was_seen_stands_on_main_and_not_on_a_branch(status: str) -> None:
    """Nothing is recorded of the channel on main; a branch simulates it from its fork on."""
    with fresh(1) as (twin,):
        observe(imported(twin), START + HOUR, seen_channel("CA.F1", status))
        before = twin.log.last().position
        twin.ingest_files([text_of("P1", QUEUE.format(depth=5))], at=START + 2 * HOUR)
        recorded = decode([each for each in twin.log.rows(branch=MAIN) if each[1] > before])
        changed = [each for *_, each in recorded if isinstance(each, events.ChannelStatusChanged)]
        assert not [each for each in changed if (each.qmgr, each.channel) == ("P1", "CA.F1")]
        assert row(twin, START + 50 * DAY)["status"] == status
        twin.create_branch("whatif", at=START + 3 * HOUR)
        for private in (twin.on_branch("whatif"), twin.rehearse(as_of=START + 3 * HOUR)):
            commands = "STOP CHANNEL(CA.F1) STATUS(INACTIVE)\nSTART CHANNEL(CA.F1)"
            private.runmqsc("P1", commands)
            simulated = "RETRYING" if status == "RETRYING" else "RUNNING"
            assert row(private, START + 3 * HOUR)["status"] == simulated


def test_a_branch_begins_with_what_was_seen() -> None:
    """A channel that is seen RUNNING again and again has not disconnected at the fork."""
    with fresh(1) as (twin,):
        imported(twin)
        for hour in (1, 5):
            observe(twin, START + hour * HOUR, seen_channel("CA.F1", "RUNNING"))
        twin.create_branch("whatif", at=START + 5 * HOUR)
        branch = twin.on_branch("whatif")
        assert row(branch, START + 5 * HOUR + MINUTE)["status"] == "RUNNING"
        assert row(branch, START + 6 * HOUR)["status"] == "INACTIVE"
        assert row(twin, START + 6 * HOUR)["status"] == "RUNNING"


def test_a_receiver_that_was_seen_to_run_runs() -> None:
    """Whoever sends to it need not be in the twin; that one instance ended says nothing."""
    with fresh(1) as (twin,):
        observe(imported(twin), START + HOUR, seen_channel("CA.P1", "RUNNING"))
        seen = row(twin, START + DAY, "CA.P1")
        assert (seen["status"], seen["basis"]) == ("RUNNING", "observed")
        observe(twin, START + 2 * DAY, seen_channel("CA.P1", "INACTIVE"))
        assert row(twin, START + 3 * DAY, "CA.P1")["basis"] == "derived"


@pytest.mark.parametrize("status", STATUSES)
def test_a_status_is_called_observed_as_long_as_its_sight_is_fresh(status: str) -> None:
    """After 26 hours it still stands, and that nothing has changed since is assumed."""
    with fresh(1) as (twin,):
        observe(imported(twin), START, seen_channel("CA.F1", status))
        for at, basis in ((START + 26 * HOUR, "observed"), (START + 27 * HOUR, "assumed")):
            found = row(twin, at)
            assert (found["status"], found["basis"]) == (status, basis)


def test_nothing_is_due_of_a_status_that_stands() -> None:
    """No retry and no last retry is due on main, so nobody waits for one; on a branch they are."""
    with fresh(1) as (twin,):
        observe(imported(twin), START + HOUR, seen_channel("CA.F1", "RETRYING"))
        retries = {TimerKind.RETRYING, TimerKind.GIVING_UP}
        assert not retries & due_timers.by_kind(twin.view(as_of=START + DAY)[0]).keys()
        fork = START + HOUR + MINUTE
        twin.create_branch("whatif", at=fork)
        for private in (twin.on_branch("whatif"), twin.rehearse(as_of=fork)):
            assert retries & due_timers.by_kind(private.view()[0]).keys()


def test_a_channel_recovers_on_a_branch_whose_partner_was_started() -> None:
    """Its retries were not made while its status stood; the next one after the fork is."""
    with fresh(1) as (twin,):
        endless = text_of("F1").text.replace("LONGRTY(3)", "LONGRTY(999999999)")
        imported(twin)
        twin.ingest_files([FileText(endless)], at=START + 2 * MINUTE)
        ended, started = (
            events.QueueManagerStatusObserved(qmgr="F1", status=status)
            for status in ("ENDED", "RUNNING")
        )
        observe(twin, START + HOUR, ended, seen_channel("CA.F1", "RETRYING"))
        observe(twin, START + 2 * HOUR, started)
        assert row(twin, START + 5 * HOUR)["status"] == "RETRYING"
        twin.create_branch("whatif", at=START + 5 * HOUR)
        branch = twin.on_branch("whatif")
        branch.tick(START + 6 * HOUR)
        assert row(branch, START + 6 * HOUR)["status"] in {"RUNNING", "INACTIVE"}


def test_a_channel_that_was_seen_to_be_gone_begins_again() -> None:
    """If it is defined again later, nobody has seen it."""
    with fresh(1) as (twin,):
        observe(imported(twin), START + HOUR, seen_channel("CA.F1", "STOPPED"))
        without = text_of("P1").text.partition("DEFINE CHANNEL('CA.F1')")[0] + FOOT
        twin.ingest_files([FileText(without)], at=START + 2 * HOUR)
        twin.ingest_files([text_of("P1")], at=START + 3 * HOUR)
        found = row(twin, START + 3 * HOUR)
        assert (found["status"], found["basis"]) != ("STOPPED", "observed")


def test_commands_pass_a_channel_that_was_seen_inactive() -> None:
    """A record reaches the full repository over it; over one that was seen STOPPED it waits."""
    queue = QUEUE.format(depth=5).replace("MAXD", "CLUSTER(CA) MAXD")
    for status, known in (("INACTIVE", True), ("RUNNING", True), ("STOPPED", False)):
        with fresh(1) as (twin,):
            observe(imported(twin), START + HOUR, seen_channel("CA.F1", status))
            observe(twin, START + HOUR, seen_channel("CA.F2", "STOPPED"))
            twin.ingest_files([text_of("P1", queue)], at=START + 2 * HOUR)
            held = twin.view(as_of=START + 3 * HOUR)[0].qmgr("F1").repository.queues_called("A")
            assert bool(list(held)) == known
            observe(twin, START + 4 * HOUR, seen_channel("CA.F1", "RUNNING"))
            held = twin.view(as_of=START + 5 * HOUR)[0].qmgr("F1").repository.queues_called("A")
            assert list(held)


def test_a_status_that_nobody_saw_is_unknown_on_main() -> None:
    """Whether a channel runs is not known until somebody sees it; a branch assumes something."""
    with fresh(1) as (twin,):
        imported(twin)
        unseen = row(twin, START + MINUTE)
        assert (unseen["status"], unseen["basis"]) == (None, "unknown")
        observe(twin, START + HOUR, seen_channel("CA.F1", "RUNNING"))
        assert row(twin, START + HOUR)["basis"] == "observed"
        twin.create_branch("whatif")
        assert row(twin.on_branch("whatif"), LATER, "CA.F2")["basis"] == "assumed"


def test_a_start_makes_what_was_seen_before_it_void() -> None:
    """After a restart nobody saw the channel: its status is unknown."""
    with fresh(1) as (twin,):
        observe(imported(twin), START + HOUR, seen_channel("CA.F1", "INACTIVE"))
        for hour, status in ((2, "ENDED"), (3, "RUNNING")):
            said = events.QueueManagerStatusObserved(qmgr="P1", status=status)
            observe(twin, START + hour * HOUR, said)
        assert row(twin, START + 3 * HOUR + MINUTE)["basis"] == "unknown"


def test_a_depth_on_main_is_the_one_that_was_seen() -> None:
    """It is that of the dump until it is seen again, and no message on main changes it."""

    def display(twin: Twin) -> str:
        return "\n".join(twin.runmqsc("P1", "DISPLAY QLOCAL(A) CURDEPTH").lines)

    with fresh(1) as (twin,):
        twin.ingest_files([text_of("P1", QUEUE.format(depth=9))], at=START)
        assert "CURDEPTH(3)" in display(twin)
        depth = events.QueueDepth(queue="A", depth=5)
        observe(twin, START + 2 * HOUR, events.DepthsObserved(qmgr="P1", depths=(depth,)))
        assert "CURDEPTH(5)" in display(twin)
