"""Sessions of runmqsc: acting, reading as of another time, and refusing."""

from __future__ import annotations

from typing import Any

import pytest

from tests.app.scenes import START, build
from tests.feeds.test_dumps import OWN, QUEUE, dump
from twin import events
from twin.app.acting import COMMAND, Fact
from twin.app.asking import BadFilter, BadFilterValue, NoSuchQuestion
from twin.app.clocks import InTheFuture, InThePast
from twin.app.twin import Twin
from twin.fold.estate import NoSuchQueueManager
from twin.log import ConcurrentAppend, NewEvent
from twin.model.instants import DAY, HOUR, SECOND
from twin.rules.commands.control import (
    BadLevel,
    BadPlatform,
    QueueManagerExists,
    UnknownControlCommand,
)


def test_a_session_is_framed_counted_and_answered(twin: Twin) -> None:
    """A session has twin's first line, and then the lines, counters and exit code of runmqsc."""
    twin.crtmqm("QM1", at=START)
    twin.strmqm("QM1", at=START)
    session = twin.runmqsc("QM1", "DEFINE QL(A)\nDEFINE QL(A)\nDEFIEN QL(B)\nEND\n", at=START)
    assert session.lines == [
        "twin as of 2026-01-01T00:00:00Z known at 2030-01-01T00:00:00Z branch main",
        "Starting MQSC for queue manager QM1.",
        "",
        "",
        "     1 : DEFINE QL(A)",
        "AMQ8006I: IBM MQ queue created.",
        "     2 : DEFINE QL(A)",
        "AMQ8150E: IBM MQ object already exists.",
        "     3 : DEFIEN QL(B)",
        "AMQ8405I: Syntax error detected at or near end of command segment below:-",
        "DEFIEN",
        "     4 : END",
        "3 MQSC commands read.",
        "One command has a syntax error.",
        "One valid MQSC command could not be processed.",
    ]
    assert session.exit_code == 10
    assert [reply.id for reply in session.messages] == ["AMQ8006", "AMQ8150", "AMQ8405"]
    assert session.problem == "AMQ8150E: IBM MQ object already exists."


def test_wrong_keywords_of_every_object_are_answered_as_mq_answers(twin: Twin) -> None:
    """Listeners and records are checked as queues are; an unknown CipherSpec is AMQ8242."""
    twin.crtmqm("QM1", at=START)
    twin.strmqm("QM1", at=START)
    script = """DEF LISTENER(L) TRPTYPE(TCP) PRT(1415)
DEF LISTENER(L) TRTYPE(TCP)
DEF LISTENER(L) PORT(1415)
SET CHLAUTH(C) TYPE(NOSUCH)
SET CHLAUTH(C) TYPE(ADDRESSMAP) USERSRC(CHANNEL)
SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('a') AUTHADD(NOSUCH)
DEF CHL(C) CHLTYPE(RCVR) SSLCIPH(NOSUCH)
"""
    wrong = "AMQ8405I: Syntax error detected at or near end of command segment below:-"
    assert twin.runmqsc("QM1", script, at=START).lines[4:] == [
        "     1 : DEF LISTENER(L) TRPTYPE(TCP) PRT(1415)",
        wrong,
        "DEF LISTENER(L) TRPTYPE(TCP) PRT(1415)",
        "     2 : DEF LISTENER(L) TRTYPE(TCP)",
        wrong,
        "DEF LISTENER(L) TRTYPE(TCP)",
        "     3 : DEF LISTENER(L) PORT(1415)",
        "AMQ8421E: A required keyword was not specified.",
        "     4 : SET CHLAUTH(C) TYPE(NOSUCH)",
        wrong,
        "SET CHLAUTH(C) TYPE(NOSUCH)",
        "     5 : SET CHLAUTH(C) TYPE(ADDRESSMAP) USERSRC(CHANNEL)",
        "AMQ8421E: A required keyword was not specified.",
        "     6 : SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('a') AUTHADD(NOSUCH)",
        wrong,
        "SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('a') AUTHADD(NOSUCH)",
        "     7 : DEF CHL(C) CHLTYPE(RCVR) SSLCIPH(NOSUCH)",
        "AMQ8242E: SSLCIPH definition wrong.",
        "7 MQSC commands read.",
        "4 commands have a syntax error.",
        "3 valid MQSC commands could not be processed.",
    ]


def test_what_is_recognised_and_not_modelled_is_no_syntax_error(twin: Twin) -> None:
    """STOP CONN, SET LOG, PURGE CHANNEL and telemetry channels are answered with TWN0001."""
    twin.crtmqm("QM1", at=START)
    twin.strmqm("QM1", at=START)
    script = """STOP CONN(414D51435141)
SET LOG ARCHIVED(S0000001.LOG)
DEF CHL(M) CHLTYPE(MQTT) PORT(1883)
PURGE CHANNEL(M) CLIENTID('c')
"""
    end = "is not modelled by twin; nothing was changed."
    assert twin.runmqsc("QM1", script, at=START).lines[4:] == [
        "     1 : STOP CONN(414D51435141)",
        f"TWN0001E: STOP CONN {end}",
        "     2 : SET LOG ARCHIVED(S0000001.LOG)",
        f"TWN0001E: SET LOG {end}",
        "     3 : DEF CHL(M) CHLTYPE(MQTT) PORT(1883)",
        f"TWN0001E: CHLTYPE(MQTT) {end}",
        "     4 : PURGE CHANNEL(M) CLIENTID('c')",
        f"TWN0001E: PURGE CHANNEL {end}",
        "4 MQSC commands read.",
        "No commands have a syntax error.",
        "4 valid MQSC commands could not be processed.",
    ]


def test_a_queue_manager_on_zos_keeps_and_shows_its_attributes(twin: Twin) -> None:
    """What CSQUTIL MAKEDEF writes is read on z/OS, and displayed; elsewhere it is refused."""
    twin.crtmqm("MQ1A", platform="MVS", at=START)
    twin.crtmqm("QM1", at=START)
    script = """DEFINE NOREPLACE QLOCAL('A') QSGDISP('QMGR') STGCLASS('REMOTE') INDXTYPE('MSGID')
DEFINE NOREPLACE QLOCAL('A') STGCLASS('DEFAULT')
ALTER QMGR CHIADAPS(8) ADOPTMCA(ALL) ADOPTCHK(QMNAME)
DISPLAY QLOCAL(A) STGCLASS INDXTYPE
DISPLAY QMGR ADOPTCHK ADOPTMCA CHIADAPS
DISPLAY QLOCAL(A*) WHERE(STGCLASS EQ REMOTE)
"""
    for qmgr in ("MQ1A", "QM1"):
        twin.strmqm(qmgr, at=START)
    session = twin.runmqsc("MQ1A", script, at=START)
    queue = ["AMQ8409I: Display Queue details.", f"   {'QUEUE(A)':<37}   TYPE(QLOCAL)"]
    assert session.lines[5:] == [
        "AMQ8006I: IBM MQ queue created.",
        "     2 : DEFINE NOREPLACE QLOCAL('A') STGCLASS('DEFAULT')",
        "AMQ8150E: IBM MQ object already exists.",
        "     3 : ALTER QMGR CHIADAPS(8) ADOPTMCA(ALL) ADOPTCHK(QMNAME)",
        "AMQ8005I: IBM MQ queue manager changed.",
        "     4 : DISPLAY QLOCAL(A) STGCLASS INDXTYPE",
        *queue,
        f"   {'INDXTYPE(MSGID)':<37}   STGCLASS(REMOTE)",
        "     5 : DISPLAY QMGR ADOPTCHK ADOPTMCA CHIADAPS",
        "AMQ8408I: Display Queue Manager details.",
        f"   {'QMNAME(MQ1A)':<37}   ADOPTCHK(QMNAME)",
        f"   {'ADOPTMCA(ALL)':<37}   CHIADAPS(8)",
        "     6 : DISPLAY QLOCAL(A*) WHERE(STGCLASS EQ REMOTE)",
        *queue,
        f"   {'STGCLASS(REMOTE)':<37}",
        "6 MQSC commands read.",
        "No commands have a syntax error.",
        "One valid MQSC command could not be processed.",
    ]
    refused = twin.runmqsc("QM1", script, at=START)
    assert "6 commands have a syntax error." in refused.lines


def test_a_syntax_error_is_not_recorded_and_a_refused_command_is(twin: Twin) -> None:
    """A refused command is recorded, as a late fact may make it valid; a syntax error is not."""
    twin.crtmqm("QM1", at=START)
    twin.strmqm("QM1", at=START)
    before = twin.log.head().position
    twin.runmqsc("QM1", "DEFIEN QL(B)\nDEFINE QL(B) MAXDEPTH(X)\nDEFINE QL(B) NOSUCH(1)", at=START)
    assert twin.log.head().position == before
    twin.runmqsc("QM1", "ALTER QL(NOSUCH) PUT(DISABLED)", at=START)
    assert twin.log.head().position == before + 1


def test_nothing_of_a_refused_command_is_applied(twin: Twin) -> None:
    """A command with one invalid attribute changes no other attribute."""
    twin.crtmqm("QM1", at=START)
    twin.strmqm("QM1", at=START)
    twin.runmqsc("QM1", "DEFINE QL(A)", at=START)
    session = twin.runmqsc("QM1", "ALTER QL(A) DESCR('x') CLUSTER(CA) CLUSNL(NL)", at=START)
    assert session.exit_code == 10
    definition = twin.view()[0].qmgr("QM1").definitions["QUEUE", "A"]
    assert definition.values == {}


@pytest.mark.parametrize(
    ("state", "message"),
    [("none", "AMQ8118E"), ("ended", "AMQ8146E")],
)
def test_a_queue_manager_that_is_not_there_runs_nothing(
    state: str, message: str, twin: Twin
) -> None:
    """An unknown or ended queue manager is refused with MQ's message and exit code 20."""
    if state == "ended":
        twin.crtmqm("QM1", at=START)
    session = twin.runmqsc("QM1", "DEFINE QL(A)")
    assert session.exit_code == 20
    assert any(line.startswith(message) for line in session.lines)
    assert [reply.full_id for reply in session.messages] == [message]
    assert session.problem.startswith(message)


def test_a_session_of_another_time_only_displays(twin: Twin) -> None:
    """A session with an as-of refuses DEFINE, and DISPLAY shows that instant."""
    build(twin)
    twin.runmqsc("PR1", "DEFINE QL(A)", at=START + HOUR)
    session = twin.runmqsc("PR1", "DEFINE QL(B)\nDIS QL(A)", as_of=START)
    assert session.exit_code == 10
    assert [line for line in session.lines if line.startswith(("AMQ", "TWN"))] == [
        "TWN0002E: This session shows another time; it runs only DISPLAY commands.",
        "AMQ8147E: IBM MQ object A not found.",
    ]
    assert twin.runmqsc("PR1", "DIS QL(A) DESCR", as_of=START + HOUR).exit_code == 0


def test_secrets_are_masked_before_they_are_recorded(twin: Twin) -> None:
    """A password is in neither the recorded command nor the recorded definition."""
    twin.crtmqm("QM1", at=START)
    twin.strmqm("QM1", at=START)
    twin.runmqsc(
        "QM1",
        "DEFINE CHANNEL(C) CHLTYPE(CLUSSDR) CONNAME(H) USERID(u) PASSWORD('it''s (secret)')\n"
        "ALTER QMGR SSLKEYR('/k') KEYRPWD(hunter2)\n"
        "ALTER CHANNEL(C) CHLTYPE(CLUSSDR) PASSWORD,('sEcret3')\n",
        at=START,
    )
    bodies = " ".join(event.body for event in twin.log.events())
    assert "secret" not in bodies.lower()
    assert "hunter2" not in bodies.lower()
    assert "********" in bodies


def test_commands_are_held_to_the_present(twin: Twin) -> None:
    """A command before the latest one, or on main after the clock, is refused with a remedy."""
    build(twin, at=START + DAY)
    with pytest.raises(InThePast, match="twin branch create"):
        twin.crtmqm("QM9", at=START)
    with pytest.raises(InTheFuture, match="branch"):
        twin.crtmqm("QM9", at=twin.clock() + SECOND)
    assert "QM9" not in twin.view()[0].qmgrs


def test_a_branch_has_its_own_present(twin: Twin) -> None:
    """A branch forked at an earlier instant continues from there, independent of main."""
    build(twin)
    twin.runmqsc("PR1", "DEFINE QL(A)", at=START + DAY)
    twin.create_branch("b", at=START + HOUR)
    branch = twin.on_branch("b")
    assert branch.as_of().valid == START + HOUR
    branch.runmqsc("PR1", "DEFINE QL(B)", at=START + 2 * HOUR)
    assert ("QUEUE", "A") not in branch.view()[0].qmgr("PR1").definitions
    assert ("QUEUE", "B") not in twin.view()[0].qmgr("PR1").definitions
    assert branch.as_of().valid == START + 2 * HOUR


def test_a_decision_on_an_outdated_head_is_made_again(twin: Twin) -> None:
    """A decision on an outdated head is made again."""
    build(twin)
    other = Twin(twin.log, clock=twin.clock, branch="main")
    twin.runmqsc("PR1", "DEFINE QL(A)", at=START)
    other.runmqsc("PR1", "DEFINE QL(B)", at=START)
    assert twin.runmqsc("PR1", "DEFINE QL(B)", at=START).exit_code == 10
    with pytest.raises(ConcurrentAppend):
        twin.log.append(
            [NewEvent(START, "QueueManagerEnded", "PR1", None, "test", "x", "{}")],
            recorded_at=START,
            after=1,
        )


def test_bad_questions_are_refused_by_name(twin: Twin) -> None:
    """An unknown question, filter or queue manager is refused with the known ones."""
    build(twin)
    with pytest.raises(NoSuchQuestion, match="beliefs"):
        twin.ask("nonsense")
    with pytest.raises(BadFilter, match="cluster"):
        twin.ask("members", on="PR1")
    with pytest.raises(NoSuchQueueManager, match="AMQ8118E"):
        twin.ask("beliefs", on="NOSUCH")
    ask: Any = twin.ask
    for question, name, value, expected in (
        ("capacity", "add", "x", "a whole number from 1"),
        ("resilience", "days", "-1", "a whole number from 1"),
        ("waiting", "position", "²", "a whole number from 1"),
        ("resilience", "links", "no", "True or False; yes in a URL"),
        ("doctor", "severity", "warn", "one of error, warning, info; did you mean warning?"),
    ):
        with pytest.raises(BadFilterValue) as refused:
            ask(question, **{name: value})
        assert str(refused.value) == f"{question}: bad {name} {value!r}; expected {expected}"
    assert twin.ask("resilience", links=False).rows == twin.ask("resilience").rows
    assert twin.ask("resilience", links=True).rows == twin.ask("resilience", links="yes").rows


def test_an_observation_of_the_future_stands_at_its_recording(twin: Twin) -> None:
    """An observation of a future instant is recorded as of now, and keeps the instant it gave."""
    tomorrow = twin.clock() + DAY
    twin.ingest("DEFINE QLOCAL(A)", qmgr="OBS", at=tomorrow)
    assert twin.log.head().occurred_at == twin.clock()
    primary = [event for event in twin.log.events() if event.cause is None]
    assert all(f'"claimed":{tomorrow}' in event.body for event in primary)


def test_an_observation_does_not_hold_commands_back(twin: Twin) -> None:
    """A command before a later observation is accepted, and later events are derived again."""
    build(twin)
    twin.ingest("DEFINE QLOCAL(SEEN) CLUSTER(CA)", qmgr="PR2", at=START + 2 * DAY)
    twin.runmqsc("PR2", "DEFINE QLOCAL(ASKED) CLUSTER(CA)", at=START + DAY)
    estate, _ = twin.view(as_of=START + 3 * DAY)
    held = estate.qmgr("FR1").repository
    assert {name[2] for name, _ in held.of_kind("queue")} == {"SEEN", "ASKED"}


def test_secrets_of_commands_recorded_without_a_session_are_masked_too(twin: Twin) -> None:
    """A secret is masked in commands without a session; text that is no command is masked whole."""
    build(twin)
    for text in ("ALTER CHANNEL(CA.FR1) CHLTYPE(CLUSSDR) PASSWORD(s3cret)", "PASSWORD s3cret"):
        event = events.CommandEntered(qmgr="PR1", text=text)
        twin.record([Fact(event, COMMAND)], at=START)
    assert "3CRET" not in " ".join(event.body for event in twin.log.events()).upper()


def test_a_display_among_commands_shows_its_own_instant(twin: Twin) -> None:
    """A DISPLAY with --at before a later observation answers as of --at."""
    build(twin)
    twin.ingest("DEFINE QLOCAL(A) DESCR(LATER)", qmgr="PR1", at=START + 3 * HOUR)
    session = twin.runmqsc("PR1", "DEFINE QLOCAL(B)\nDIS QL(A) DESCR", at=START + HOUR)
    assert "AMQ8147E: IBM MQ object A not found." in session.lines


def test_a_refused_command_leaves_no_trace_in_the_next_one(twin: Twin) -> None:
    """A refused control command has no effect on the next command."""
    build(twin)
    for _ in range(2):
        with pytest.raises(QueueManagerExists):
            twin.crtmqm("PR1", at=START)
    with pytest.raises(BadLevel):
        twin.crtmqm("NEW", cmdlevel=5, at=START)
    with pytest.raises(BadPlatform):
        twin.crtmqm("NEW", platform="VAX", at=START)
    with pytest.raises(UnknownControlCommand):
        twin.control("frobmqm", "PR1", at=START)
    assert twin.log.head().position == len(list(twin.log.events()))
    assert "NEW" not in twin.view()[0].qmgrs


def test_without_an_instant_a_command_is_never_before_the_latest(twin: Twin) -> None:
    """A command without an instant is never recorded before the latest one, if the clock lags."""
    build(twin, at=twin.clock())
    lagging = Twin(twin.log, clock=lambda: START, branch="main")
    lagging.runmqsc("PR1", "DEFINE QL(A)")
    assert lagging.log.head().occurred_at == twin.clock()


def test_observations_of_a_queue_manager_that_was_not_there_yet_do_no_harm(twin: Twin) -> None:
    """A log replays with a late file from before a queue manager's creation."""
    at = START + HOUR
    twin.crtmqm("QM1", at=at)
    twin.strmqm("QM1", at=at)
    twin.ingest("DEFINE QLOCAL(Q) DESCR(SEEN)", qmgr="QM1", at=at)
    twin.ingest("DEFINE QLOCAL(OLD)", qmgr="QM9", at=START)
    definitions = twin.view(as_of=at)[0].qmgr("QM1").definitions
    assert definitions["QUEUE", "Q"].values == {"DESCR": "SEEN"}
    twin.ingest("DEFINE QLOCAL(MUCH.LATER)", qmgr="QM1", at=START + 9 * HOUR)
    twin.endmqm("QM1", at=START + 2 * HOUR)
    twin.dltmqm("QM1", at=START + 2 * HOUR)
    assert "QM1" not in twin.view(as_of=START + 3 * HOUR)[0].qmgrs
    assert twin.view()[0].qmgr("QM1").observed  # it was seen again, after it was deleted


def test_a_creation_stands_beside_an_observation_of_its_instant(twin: Twin) -> None:
    """A queue manager that is created and observed at one instant replays as created."""
    twin.crtmqm("QM7", at=START + HOUR)
    twin.ingest(dump(OWN, QUEUE.format(depth=3)), qmgr=None, at=START + HOUR)
    before = twin.view()[0].qmgr("QM7")
    twin.ingest("DEFINE QLOCAL(OLD)", qmgr="QM9", at=START)
    twin.snapshot(every=1)
    after = twin.view()[0].qmgr("QM7")
    assert (after.qmid, after.observed) == (before.qmid, False)
    assert after.definitions.keys() == before.definitions.keys()
    assert twin.log.verify()


def test_an_alteration_between_two_observations_of_one_instant_survives_a_late_fact(
    twin: Twin,
) -> None:
    """A log with two observations and a change at one instant replays alike after a late fact."""
    build(twin)
    at = START + HOUR
    seen = events.ObjectObserved(qmgr="PR1", kind="QUEUE", name="Q1", type="QLOCAL", values={})
    twin.record_observations([Fact(seen, "observation:test")], at=at)
    twin.runmqsc("PR1", "ALTER QLOCAL(Q1) CLUSTER(CA)", at=at)
    missed = Fact(events.ObjectVanished(qmgr="PR1", kind="QUEUE", name="Q1"), "observation:test")
    twin.record_observations([missed], at=at)
    twin.ingest("DEFINE QLOCAL(Q1)", qmgr="FR1", at=START + 1)
    assert ("QUEUE", "Q1") not in twin.view()[0].qmgr("PR1").definitions
    assert ("QUEUE", "Q1") in twin.view()[0].qmgr("FR1").definitions
