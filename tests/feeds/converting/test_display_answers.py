"""Saved answers to DISPLAY turned into states."""

from __future__ import annotations

from zoneinfo import ZoneInfo

import pytest

from tests.feeds.observing import whole_answers
from twin import events
from twin.feeds.captures.records import Capture
from twin.feeds.captures.runmqsc import read_captures
from twin.feeds.converting.display_answers import says_states, take_states
from twin.feeds.converting.measured_states import MeasuredStates
from twin.model.instants import parse_instant

HEAD = "Starting MQSC for queue manager A.\n\n"
FOOT = "{} MQSC commands read.\nNo commands have a syntax error.\n"
FOOT += "All valid MQSC commands were processed.\n"


def said(*answers: str) -> list[events.Observation]:
    """Return what a session with queue manager A says, each answer with its command."""
    numbered = "".join(f"     {n} : {each}" for n, each in enumerate(answers, start=1))
    text = HEAD + numbered + FOOT.format(len(answers))
    captures = [each for each in read_captures(text.split("\n")) if isinstance(each, Capture)]
    states = MeasuredStates(1)
    for parts in whole_answers(captures):
        if says_states(parts[0]):
            take_states(states, parts, qmgr="A", zone=ZoneInfo("Europe/Berlin"))
    return [event for _, event in states.observations("A")]


CHSTATUS = """DISPLAY CHSTATUS(*) ALL
AMQ8417I: Display Channel Status details.
   CHANNEL(TO.B)                           CHLTYPE(CLUSSDR)
   CONNAME(b(1414))                        CURRENT
   CURMSGS(7)                              INDOUBT(YES)
   STATUS(RETRYING)                        XMITQ(XQ.B)
AMQ8417I: Display Channel Status details.
   CHANNEL(TO.A)                           CHLTYPE(CLUSRCVR)
   CONNAME(10.0.0.2)                       CURRENT
   STATUS(RUNNING)
AMQ8417I: Display Channel Status details.
   CHANNEL(APP)                            CHLTYPE(SVRCONN)
   CONNAME(10.0.0.3)                       CURRENT
   STATUS(RUNNING)
"""


def test_channel_statuses_are_those_of_instances_and_say_what_is_inactive() -> None:
    """Senders and receivers are observed, clients are not; a complete answer lists all."""
    assert said(CHSTATUS) == [
        events.TransmissionQueueObserved(qmgr="A", channel="TO.B", queue="XQ.B"),
        events.ChannelObserved(
            qmgr="A", channel="TO.A", status="RUNNING", instance="10.0.0.2", kind="CLUSRCVR"
        ),
        events.ChannelObserved(
            qmgr="A",
            channel="TO.B",
            status="RETRYING",
            indoubt=True,
            curmsgs=7,
            instance="b(1414)",
            kind="CLUSSDR",
            cells={"CURMSGS": "7", "INDOUBT": "YES", "XMITQ": "XQ.B"},
        ),
        events.ChannelsListed(qmgr="A", complete="*", shown=("APP", "TO.A", "TO.B")),
    ]


CLUSQMGR = """DISPLAY CLUSQMGR(*) CHANNEL STATUS
AMQ8441I: Display Cluster Queue Manager details.
   CLUSQMGR(B)                             CHANNEL(TO.B)
   CLUSTER(C)                              CONNAME(b(1414))
   STATUS(RETRYING)
"""


@pytest.mark.parametrize("clusqmgr_first", [False, True])
def test_the_batch_and_the_retries_left_count_beside_another_answer(
    *, clusqmgr_first: bool
) -> None:
    """DISPLAY CLUSQMGR shows the same status without them, before or after CHSTATUS."""
    chstatus = CHSTATUS.replace("INDOUBT(YES)", "INDOUBT(YES) SHORTRTS(0) LONGRTS(9)")
    answers = [CLUSQMGR, chstatus] if clusqmgr_first else [chstatus, CLUSQMGR]
    (found,) = [each for each in said(*answers) if getattr(each, "channel", "") == "TO.B"][1:]
    assert isinstance(found, events.ChannelObserved)
    assert (found.indoubt, found.curmsgs) == (True, 7)
    assert (found.shortrts, found.longrts) == (0, 9)


NOT_FOUND = "AMQ8420I: Channel Status not found.\n"


@pytest.mark.parametrize(
    ("command", "listed"),
    [
        ("DISPLAY CHSTATUS(*)", ("*", ())),
        ("DISPLAY CHSTATUS(TO.B)", ("TO.B", ())),
        ("DISPLAY CHSTATUS(*) SAVED", None),
        ("DISPLAY CHSTATUS(*) WHERE(STATUS EQ RETRYING)", None),
    ],
)
def test_an_answer_without_rows_says_what_was_asked(
    command: str, listed: tuple[str, tuple[str, ...]] | None
) -> None:
    """No status at all is an answer too; of a part of the channels it says nothing."""
    expected = []
    if listed:
        expected = [events.ChannelsListed(qmgr="A", complete=listed[0], shown=listed[1])]
    assert said(f"{command}\n{NOT_FOUND}") == expected


def test_a_saved_status_says_what_is_in_doubt() -> None:
    """It has no status, whatever it shows; the batch counts, and the other columns are kept."""
    text = CHSTATUS.replace("CURRENT", "SAVED").replace("(*) ALL", "(TO.B) SAVED")
    found = [each for each in said(text) if isinstance(each, events.ChannelObserved)]
    assert {(each.status, each.saved) for each in found} == {(None, True)}
    assert found[-1] == events.ChannelObserved(
        qmgr="A",
        channel="TO.B",
        indoubt=True,
        curmsgs=7,
        instance="b(1414)",
        kind="CLUSSDR",
        saved=True,
        cells={"CURMSGS": "7", "INDOUBT": "YES", "XMITQ": "XQ.B"},
    )


@pytest.mark.parametrize("clusqmgr_first", [False, True])
@pytest.mark.parametrize("status", ["RUNNING", "RETRYING", "STOPPED", "BINDING"])
def test_chstatus_is_the_status_of_a_channel_and_clusqmgr_repeats_it(
    status: str, *, clusqmgr_first: bool
) -> None:
    """In whatever order of the lines, and whichever status is worse; CLUSQMGR may lag behind."""
    chstatus = CHSTATUS.replace("STATUS(RETRYING)", f"STATUS({status})")
    for lags in ("INACTIVE", "RUNNING", "RETRYING", "STOPPED"):
        clusqmgr = CLUSQMGR.replace("STATUS(RETRYING)", f"STATUS({lags})")
        answers = [clusqmgr, chstatus] if clusqmgr_first else [chstatus, clusqmgr]
        (found,) = [each for each in said(*answers) if getattr(each, "channel", "") == "TO.B"][1:]
        assert isinstance(found, events.ChannelObserved)
        assert (found.status, found.repeated) == (status, None)


LSSTATUS = """AMQ8631I: Display listener status details.
   LISTENER(L1)                            STATUS(RUNNING)
   PID(4711)                               TRPTYPE(TCP)
   CONTROL(QMGR)                           IPADDR(*)
   PORT(1414)                              BACKLOG(100)
AMQ8631I: Display listener status details.
   LISTENER(L2)                            STATUS(STOPPING)
   PID(4712)
AMQ8631I: Display listener status details.
   LISTENER( )                             STATUS(RUNNING)
   PID(4713)                               PORT(1500)
"""


@pytest.mark.parametrize(
    ("command", "complete"),
    [
        ("DISPLAY LSSTATUS(*) ALL", "*"),
        ("DISPLAY LSSTATUS(L*)", "L*"),
        ("DISPLAY LSSTATUS(*) WHERE(PORT EQ 1414)", None),
    ],
)
def test_listeners_that_run_are_observed(command: str, complete: str | None) -> None:
    """One that stops, and one without an object, do not count; a complete answer shows all."""
    (seen,) = said(f"{command}\n{LSSTATUS}")
    assert isinstance(seen, events.ListenersObserved)
    assert (seen.running, seen.complete) == (("L1",), complete)
    assert seen.cells is not None
    assert seen.cells["L1"]["PID"] == "4711"


def test_no_listener_at_all_is_an_answer() -> None:
    """None that was asked about runs."""
    seen = events.ListenersObserved(qmgr="A", running=(), complete="*")
    assert said("DISPLAY LSSTATUS(*)\nAMQ8147E: IBM MQ object * not found.\n") == [seen]


def test_depths_come_from_three_commands() -> None:
    """QSTATUS, QUEUE and QLOCAL show CURDEPTH; all are one observation."""
    qstatus = "DISPLAY QSTATUS(*) CURDEPTH MSGAGE\nAMQ8450I: Display queue status details.\n"
    qstatus += "   QUEUE(A)    TYPE(QUEUE)\n   CURDEPTH(5)   MSGAGE(9)\n"
    queue = "DISPLAY QLOCAL(B) CURDEPTH\nAMQ8409I: Display Queue details.\n"
    queue += "   QUEUE(B)    TYPE(QLOCAL)\n   CURDEPTH(0)\n"
    assert said(qstatus, queue) == [
        events.DepthsObserved(
            qmgr="A",
            depths=(
                events.QueueDepth(queue="A", depth=5, oldest=9, cells={"MSGAGE": "9"}),
                events.QueueDepth(queue="B", depth=0),
            ),
        )
    ]


def test_a_queue_manager_runs_since_its_local_time() -> None:
    """STARTDA and STARTTI are read in the zone of the queue manager."""
    text = "DISPLAY QMSTATUS ALL\nAMQ8705I: Display Queue Manager Status Details.\n"
    text += "   QMNAME(A)    STATUS(RUNNING)\n   STARTDA(2026-03-01)   STARTTI(09.00.00)\n"
    started = parse_instant("2026-03-01T08:00:00Z", now=0)
    assert said(text) == [
        events.QueueManagerStatusObserved(
            qmgr="A",
            status="RUNNING",
            started=started,
            cells={"STARTDA": "2026-03-01", "STARTTI": "08.00.00"},
        )
    ]


def test_the_answer_about_members_says_channels_and_the_own_suspension() -> None:
    """The status of a member is that of the channel to it; the own row is about itself."""
    text = "DISPLAY CLUSQMGR(*) ALL\nAMQ8441I: Display Cluster Queue Manager details.\n"
    text += "   CLUSQMGR(A)   CHANNEL(TO.A)\n   CLUSTER(CA)   DEFTYPE(CLUSRCVR)\n   SUSPEND(YES)\n"
    text += "AMQ8441I: Display Cluster Queue Manager details.\n"
    text += "   CLUSQMGR(B)   CHANNEL(TO.B)\n   CLUSTER(CA)   DEFTYPE(CLUSSDRA)\n"
    text += "   CONNAME(b)    STATUS(RUNNING)\n   SUSPEND(NO)\n"
    assert said(text) == [
        events.SuspensionObserved(qmgr="A", cluster="CA", suspended=True),
        events.ChannelObserved(
            qmgr="A",
            channel="TO.B",
            status="RUNNING",
            instance="b",
            kind="CLUSSDR",
            partner="B",
            repeated=True,
        ),
    ]
