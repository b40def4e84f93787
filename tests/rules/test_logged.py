"""What error logs say is known to every rule: a failing repository manager, and why channels fail.

Queue managers are imported: TOWN is a full repository, HILL a partial one.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.laws import examples
from tests.questions.telling import facts_of
from tests.sandbox import Sandbox
from twin import events
from twin.events.logged import EXPLAINING, FailureKind
from twin.model.commands import Command
from twin.model.instants import DAY, HOUR, MINUTE, format_instant
from twin.questions.channels import channels
from twin.questions.doctor.diagnosis import Found, diagnose
from twin.questions.doctor.finding import Severity
from twin.questions.doctor.fixes import looked_at_first
from twin.questions.doctor.question import READS
from twin.questions.reachability import obstacle
from twin.review.runbooks.refresh_reasons import fails
from twin.rules import logged
from twin.rules.deriving import derive

CHANNELS: Final = {
    "TOWN": {"C.TOWN": ("CLUSRCVR", "town.example(1414)")},
    "HILL": {
        "C.HILL": ("CLUSRCVR", "hill.example(1414)"),
        "C.TOWN": ("CLUSSDR", "town.example(1414)"),
    },
}
COMMANDS: Final = "SYSTEM.CLUSTER.COMMAND.QUEUE"
REPOSITORY: Final = "SYSTEM.CLUSTER.REPOSITORY.QUEUE"


def tell(box: Sandbox, *said: events.Observation) -> None:
    """Import observations of this instant."""
    for each in said:
        derive(box.draft, each)


def imported() -> Sandbox:
    """Return the imported queue managers, an hour later."""
    box = Sandbox()
    repos = events.StatedObject(name="", type="QMGR", values={"REPOS": "C"})
    for name, defined in CHANNELS.items():
        said = tuple(
            events.StatedObject(
                name=channel, type=kind, values={"CLUSTER": "C", "CONNAME": address}
            )
            for channel, (kind, address) in defined.items()
        )
        tell(box, events.ObjectsObserved(qmgr=name, kind="CHANNEL", said=said))
    tell(box, events.ObjectsObserved(qmgr="TOWN", kind="QMGR", said=(repos,)))
    return box.pass_time(HOUR)


def found(box: Sandbox, rule: str) -> list[Found]:
    """Return what a rule of the doctor finds."""
    facts = facts_of(box, READS)
    return list(diagnose(box.estate, box.as_of.valid, facts=facts, rules=[rule]).found)


def fail(box: Sandbox, left: int) -> None:
    """Import that a put failed, and that the queue manager ends in so many minutes."""
    inserts = ("2053", "2053", REPOSITORY, "HILL")
    tell(box, events.EvidenceObserved(qmgr="HILL", id="AMQ9511", inserts=inserts))
    failing: dict[str, Any] = {"running": False, "after": 10 * MINUTE, "left": left * MINUTE}
    tell(box, events.RepositoryManagerObserved(qmgr="HILL", **failing))


def work(box: Sandbox) -> None:
    """Import that the repository manager works again."""
    tell(box, events.RepositoryManagerObserved(qmgr="HILL", running=True))


def restart(box: Sandbox) -> None:
    """Import that the queue manager started, of which the end was not logged."""
    started: dict[str, Any] = {"status": "RUNNING", "restarted": True}
    tell(box, events.QueueManagerStatusObserved(qmgr="HILL", **started))


def commands_get(box: Sandbox, get: str) -> None:
    """Import the definition of the command queue."""
    said = events.StatedObject(name=COMMANDS, type="QLOCAL", values={"GET": get})
    tell(box, events.ObjectsObserved(qmgr="HILL", kind="QUEUE", said=(said,)))


STEPS: Final = st.lists(st.sampled_from(["fail", "fail", "work", "restart"]), max_size=8)


@given(steps=STEPS, waits=st.lists(st.integers(2, 600), min_size=8, max_size=8))
@examples()
def test_the_last_record_that_is_not_void_dates_the_end(steps: list[str], waits: list[int]) -> None:
    """Repairs and restarts end a series; else it began with its first record, and ends as told."""
    box, since, ends, left = imported(), None, None, 7200
    for step, minutes in zip(steps, waits, strict=False):
        box.pass_time(minutes * MINUTE)
        left -= minutes
        if step == "fail":
            fail(box, left)
            since, ends = since or box.draft.at, box.draft.at + left * MINUTE
        else:
            (work if step == "work" else restart)(box)
            since = None
    box.pass_time(MINUTE)
    reported = found(box, "repository-manager-failing")
    judged = fails(None, box.estate.qmgr("HILL"))  # type: ignore[arg-type]
    assert judged.found is bool(reported) is (since is not None)
    if since is not None and ends is not None:
        (one,) = reported
        assert one.severity is Severity.ERROR
        text = one.finding.text
        assert f"failing since {format_instant(since)}: a put on {REPOSITORY} ended" in text
        assert "with 2053 (AMQ9511)" in text
        assert f"ends {format_instant(ends)} unless" in text
        assert format_instant(since) in judged.seen


def test_the_clock_stops_while_the_command_queue_gives_nothing() -> None:
    """GET(DISABLED) puts the end off; GET(ENABLED) counts on from what was left."""
    box = imported()
    fail(box, 600)
    box.pass_time(100 * MINUTE)
    commands_get(box, "DISABLED")
    box.pass_time(30 * DAY)
    assert "do not pass" in found(box, "repository-manager-failing")[0].finding.text
    commands_get(box, "ENABLED")
    ends = format_instant(box.draft.at + 500 * MINUTE)
    assert f"ends {ends}" in found(box, "repository-manager-failing")[0].finding.text


@pytest.mark.parametrize("repair", ["", f"ALTER QLOCAL({REPOSITORY}) PUT(ENABLED)"])
def test_on_a_branch_the_queue_manager_ends_at_its_date_unless_the_queue_is_altered(
    repair: str,
) -> None:
    """What was broken at the fork stays broken until somebody repairs it there."""
    box = imported()
    queue = events.StatedObject(name=REPOSITORY, type="QLOCAL", values={"PUT": "DISABLED"})
    tell(box, events.ObjectsObserved(qmgr="HILL", kind="QUEUE", said=(queue,)))
    box.pass_time(HOUR)
    fail(box, 600)
    box.pass_time(MINUTE)
    box.estate.simulate()
    box.run("HILL", repair)
    box.pass_time(598 * MINUTE)
    assert box.estate.qmgr("HILL").running
    box.pass_time(2 * MINUTE)
    assert box.estate.qmgr("HILL").running is bool(repair)


def test_an_end_that_has_passed_is_not_known() -> None:
    """It may have ended, or the fault was repaired: only what was seen since says which."""
    box = imported()
    fail(box, 60)
    box.pass_time(DAY)
    (one,) = found(box, "repository-manager-failing")
    assert one.severity is Severity.WARNING
    tell(box, events.DepthsObserved(qmgr="HILL", depths=(events.QueueDepth(queue="Q", depth=0),)))
    assert found(box, "repository-manager-failing") == []


RECORDS: Final = sorted(EXPLAINING)


@given(
    id_=st.sampled_from(RECORDS),
    at_partner=st.booleans(),
    minutes=st.integers(-90, 90),
    named=st.booleans(),
)
@examples(times=2)
def test_a_failure_is_explained_by_a_record_of_its_minute_or_later(
    id_: str, *, at_partner: bool, minutes: int, named: bool
) -> None:
    """A record explains it that names the channel; else the finding says which log is lacking."""
    box = imported().pass_time(2 * HOUR)
    begin, failed = box.draft.at, box.draft.at + 90 * MINUTE
    log: dict[str, Any] = {"status": "RETRYING", "instance": "", "reason": "AMQ9999"}
    happened = [
        (
            failed,
            events.ChannelObserved(qmgr="HILL", channel="C.TOWN", **log),
        ),
        (
            failed + minutes * MINUTE,
            events.EvidenceObserved(
                qmgr="TOWN" if at_partner else "HILL",
                id=id_,
                inserts=("C.TOWN" if named else "C.OTHER", "7"),
            ),
        ),
    ]
    for at, each in sorted(happened, key=lambda pair: pair[0]):
        box.pass_time(at - box.draft.at)
        tell(box, each)
    box.pass_time(begin + 200 * MINUTE - box.draft.at)
    hill, town = box.estate.qmgr("HILL"), box.estate.qmgr("TOWN")
    cause = logged.cause_of(hill, "C.TOWN", town)
    in_time = minutes >= -1
    unnamed = EXPLAINING[id_] in {FailureKind.LIMIT, FailureKind.TLS}
    assert (cause is not None) is (in_time and (named or unnamed))
    (one,) = found(box, "channel-retrying")
    if cause is not None:
        assert (cause.on, cause.record.id) == ("TOWN" if at_partner else "HILL", id_)
        assert f"{id_} in the error log of {cause.on}" in one.finding.text
    lacking = "No line of that time of the error log of TOWN was imported; it may say why." in (
        one.finding.text
    )
    assert lacking is (cause is None and not (at_partner and in_time))


def test_ends_that_disagree_run_again_after_reset() -> None:
    """RESET CHANNEL is what the channel needs: without it, it stays as it is."""
    box = imported()
    tell(box, events.EvidenceObserved(qmgr="HILL", id="AMQ9526", channel="C.TOWN"))
    log: dict[str, Any] = {"status": "RETRYING", "instance": "", "reason": "AMQ9999"}
    tell(box, events.ChannelObserved(qmgr="HILL", channel="C.TOWN", **log))
    box.estate.simulate()
    (one,) = found(box, "channel-retrying")
    commands = [command.text for command in one.finding.fix]
    assert commands == [
        "DISPLAY CHSTATUS(C.TOWN) INDOUBT",
        "RESET CHANNEL(C.TOWN)",
        "START CHANNEL(C.TOWN)",
    ]
    box.run("HILL", commands[-1])
    assert box.estate.qmgr("HILL").activity.channels["C.TOWN"].status == "RETRYING"
    for command in commands[1:]:
        box.run("HILL", command)
    assert box.estate.qmgr("HILL").activity.channels["C.TOWN"].status == "RUNNING"


RISKY: Final = [
    Command.of("HILL", "RESET", "CHANNEL", "C.TOWN"),
    Command.of("HILL", "RESOLVE", "CHANNEL", "C.TOWN", ACTION="BACKOUT"),
    Command.of("HILL", "DELETE", "CHANNEL", "C.TOWN"),
    Command.of("HILL", "STOP", "CHANNEL", "C.TOWN", MODE="FORCE"),
    Command.of("HILL", "STOP", "CHANNEL", "C.TOWN", MODE="TERMINATE"),
]
HARMLESS: Final = [
    Command.of("HILL", "STOP", "CHANNEL", "C.TOWN"),
    Command.of("HILL", "START", "CHANNEL", "C.TOWN"),
    Command.of("HILL", "ALTER", "QMGR", DEADQ="D"),
]


@given(
    given_=st.lists(st.sampled_from([*RISKY, *HARMLESS]), max_size=6),
    minutes=st.one_of(st.none(), st.integers(0, 30)),
)
@examples()
def test_a_batch_in_doubt_is_looked_for_before_what_may_lose_it(
    given_: list[Command], minutes: int | None
) -> None:
    """Once, before the first such command, unless INDOUBT was seen within ten minutes."""
    box = imported()
    if minutes is not None:
        status: dict[str, Any] = {"status": "RETRYING", "indoubt": False}
        tell(box, events.ChannelObserved(qmgr="HILL", channel="C.TOWN", **status))
        box.pass_time(minutes * MINUTE)
    made = looked_at_first(box.estate.qmgrs, given_, box.draft.at)
    looks = [each for each in made if each.verb == "DISPLAY"]
    assert [each for each in made if each.verb != "DISPLAY"] == given_
    seen = minutes is not None and minutes <= 10
    assert len(looks) == (not seen and any(each in RISKY for each in given_))
    for one, other in pairwise(made):
        assert one.verb != "DISPLAY" or other in RISKY


@pytest.mark.parametrize("hours", [1, 200])
def test_what_failed_before_the_queue_manager_was_known_ends_at_the_same_instant(
    hours: int,
) -> None:
    """The log counts from its own records; who answers after the announced end has not ended."""
    box = Sandbox()
    fail(box, 7200)
    began = box.draft.at
    box.pass_time(10 * MINUTE)
    fail(box, 7190)
    box.pass_time(hours * HOUR)
    said = events.StatedObject(name="C.HILL", type="CLUSRCVR", values={"CLUSTER": "C"})
    tell(box, events.ObjectsObserved(qmgr="HILL", kind="CHANNEL", said=(said,)))
    reported = found(box, "repository-manager-failing")
    assert len(reported) == (hours == 1)
    for each in reported:
        assert f"failing since {format_instant(began)}: a put on" in each.finding.text
        assert f"ends {format_instant(began + 7200 * MINUTE)} unless" in each.finding.text


@given(
    depth=st.sampled_from([None, 0, 7]),
    opened=st.sampled_from([None, "0", "1"]),
    initiator=st.sampled_from([None, "RUNNING", "STOPPED"]),
)
@examples()
def test_each_sign_alone_says_that_a_repository_manager_is_idle(
    depth: int | None, opened: str | None, initiator: str | None
) -> None:
    """What was not seen is no sign, and one of what was seen is enough."""
    box = imported()
    cells = None if opened is None else {"IPPROCS": opened}
    queues = (
        events.QueueDepth(queue=REPOSITORY, depth=depth),
        events.QueueDepth(queue=COMMANDS, cells=cells),
    )
    status = {"status": "RUNNING"} | ({} if initiator is None else {"initiator": initiator})
    tell(box, events.DepthsObserved(qmgr="HILL", depths=queues))
    tell(box, events.QueueManagerStatusObserved(qmgr="HILL", **status))  # type: ignore[arg-type]
    signs = {"CURDEPTH(0)": depth == 0, "IPPROCS(0)": opened == "0"}
    signs["CHINIT(STOPPED)"] = initiator == "STOPPED"
    text = " ".join(each.finding.text for each in found(box, "repository-manager-idle"))
    assert {sign: sign in text for sign in signs} == signs


def test_channels_and_explain_name_what_the_log_says() -> None:
    """The reason of a channel, and the obstacle on a branch, are those of the error log."""
    box = imported()
    tell(box, events.EvidenceObserved(qmgr="HILL", id="AMQ9526", channel="C.TOWN"))
    log: dict[str, Any] = {"status": "RETRYING", "instance": "", "reason": "AMQ9999"}
    tell(box, events.ChannelObserved(qmgr="HILL", channel="C.TOWN", **log))
    (row,) = channels(box.estate, box.as_of, on="HILL", channel="C.TOWN").rows
    assert row["reason"] == "AMQ9526"
    box.estate.simulate()
    why = obstacle(box.draft, box.estate.qmgr("HILL"), "C.TOWN", "TOWN")
    assert why == "the ends disagree about the next sequence number (AMQ9526)"
