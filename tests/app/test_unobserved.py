"""What nobody observed of an imported queue manager is not shown as none, as 0, or as healthy."""

from __future__ import annotations

import pytest

from tests.app.scenes import LATER, START
from tests.app.test_standing import imported, observe, seen_channel, text_of
from tests.feeds.test_dumps import QUEUE, dump
from twin import events
from twin.app.observing import FileText
from twin.app.twin import Twin
from twin.fold.store.pages import private_copy
from twin.model.instants import DAY, HOUR, MAIN, mq_date, mq_time
from twin.questions.answer import Row
from twin.questions.channels import channels
from twin.questions.transmission import transmission

NOT_OBSERVED = "twin: not observed at P1: "


def footer(twin: Twin, command: str, qmgr: str = "P1") -> str:
    """Return the last line of a session with one DISPLAY, after its counters and the age."""
    lines = twin.runmqsc(qmgr, command, as_of=LATER).lines
    lines = [each for each in lines if not each.startswith(f"twin: {qmgr}: what is known is ")]
    return lines[-1] if lines[-1].startswith("twin:") else ""


@pytest.mark.parametrize(
    ("command", "missing"),
    [
        ("DISPLAY CHSTATUS(*)", "status of channels (3 of 3)"),
        ("DISPLAY CHSTATUS(CA.F1)", "status of channels (1 of 1)"),
        ("DISPLAY CHSTATUS(*) SAVED", "status of channels (3 of 3)"),
        ("DISPLAY CLUSQMGR(*) STATUS", "status of channels (3 of 3)"),
        ("DISPLAY CLUSQMGR(*)", ""),
        ("DISPLAY CONN(*)", "connections"),
        ("DISPLAY LSSTATUS(*)", "which listeners run (1 of 1)"),
        ("DISPLAY QMSTATUS", "status of the queue manager"),
        ("DISPLAY QSTATUS(*) TYPE(HANDLE)", "open handles"),
        ("DISPLAY QSTATUS(SYSTEM.DEAD*)", "depths of queues (1 of 1)"),
        ("DISPLAY SVSTATUS(*)", "which services run"),
    ],
)
def test_a_footer_says_what_was_never_observed(twin: Twin, command: str, missing: str) -> None:
    """DISPLAY keeps the layout of MQ, and one line says what nobody observed."""
    shown = footer(imported(twin), command)
    assert shown.partition("; ")[0].removeprefix(NOT_OBSERVED) == missing


@pytest.mark.parametrize(("after", "days"), [(1, 0), (5, 5)])
def test_a_footer_says_how_old_what_is_known_is(twin: Twin, after: int, days: int) -> None:
    """One line, once for all answers of the session, if nothing was seen for more than a day."""
    imported(twin)
    commands = "DISPLAY QMGR\nDISPLAY CLUSQMGR(*)"
    lines = twin.runmqsc("P1", commands, as_of=START + after * DAY).lines
    said = [each for each in lines if "what is known" in each]
    age = f"twin: P1: what is known is {days} days old, of 2026-01-01T00:00:00Z"
    assert said == ([age] if days else [])


@pytest.mark.parametrize(
    ("command", "never"),
    [
        ("DISPLAY CHLAUTH(*)", "CHLAUTH"),
        ("DISPLAY AUTHINFO(*)", "AUTHINFO"),
        ("DISPLAY AUTHREC", "AUTHREC"),
        ("DISPLAY QLOCAL(SYSTEM.DEAD*) CURDEPTH", "QLOCAL(SYSTEM.DEAD*)"),
        ("DISPLAY TOPIC(SYSTEM.BASE.TOPIC)", "TOPIC(SYSTEM.BASE.TOPIC)"),
        ("DISPLAY QALIAS(NOBODYS)", "QALIAS(NOBODYS)"),
    ],
)
def test_defaults_of_a_new_queue_manager_are_no_facts(twin: Twin, command: str, never: str) -> None:
    """What crtmqm makes has no row before it was seen, and one line says that it was not."""
    imported(twin)
    session = twin.runmqsc("P1", command, as_of=LATER)
    assert session.displayed == []
    assert f"{never} of P1 was never observed" in session.lines[-1]
    twin.crtmqm("SIM", at=LATER)
    assert "never observed" not in twin.runmqsc("SIM", command).lines[-1]


@pytest.mark.parametrize("word", ["QUEUE", "CHANNEL", "NAMELIST", "TOPIC", "LISTENER", "PROCESS"])
def test_only_what_was_defined_somewhere_is_displayed(twin: Twin, word: str) -> None:
    """Beside objects that were seen, no default one has a row; their number is said."""
    imported(twin)
    shown = twin.runmqsc("P1", f"DISPLAY {word}(*) ALL", as_of=LATER).displayed
    assert not any(str(row[word.lower()]).startswith("SYSTEM.") for row in shown)


def test_a_dump_shows_all_objects_of_a_kind(twin: Twin) -> None:
    """After it, what it lacks does not exist, and nothing is said to be unknown."""
    imported(twin)
    twin.ingest_files([FileText(dump("", *QUEUES).replace("QM7", "P1"))], at=START + 1)
    shown = twin.runmqsc("P1", "DISPLAY QLOCAL(*) MAXDEPTH", as_of=LATER)
    assert [row["queue"] for row in shown.displayed] == ["APP.1", "APP.2", "APP.3"]
    assert footer(twin, "DISPLAY QLOCAL(*) MAXDEPTH") == ""
    assert footer(twin, "DISPLAY QLOCAL(SYSTEM.*) MAXDEPTH") == ""


def test_what_was_observed_is_not_in_the_footer(twin: Twin) -> None:
    """A status, a depth, and complete answers to CHSTATUS and LSSTATUS are known."""
    imported(twin)
    queue = "SYSTEM.DEAD.LETTER.QUEUE"
    observe(twin, START + 1, seen_channel("CA.F1", "RUNNING"))
    assert footer(twin, "DISPLAY CHSTATUS(*)") == NOT_OBSERVED + "status of channels (2 of 3)"
    observe(
        twin,
        START + 2,
        events.ChannelsListed(qmgr="P1", complete="*", shown=("CA.F1",)),
        events.ListenersObserved(qmgr="P1", complete="*"),
        events.QueueManagerStatusObserved(qmgr="P1", status="RUNNING"),
        events.DepthsObserved(qmgr="P1", depths=(events.QueueDepth(queue=queue, depth=0),)),
    )
    for command in (
        "DISPLAY CHSTATUS(*)",
        "DISPLAY LSSTATUS(*)",
        "DISPLAY QMSTATUS",
        f"DISPLAY QSTATUS({queue}) CURDEPTH",
    ):
        assert footer(twin, command) == ""
    (row,) = twin.runmqsc("P1", f"DISPLAY QLOCAL({queue}) CURDEPTH", as_of=LATER).displayed
    assert row["curdepth"] == 0


def test_a_simulated_queue_manager_has_all_states(twin: Twin) -> None:
    """The rules decide what runs at a queue manager that crtmqm made, and on a branch."""
    imported(twin)
    twin.crtmqm("SIM", at=LATER)
    twin.create_branch("drill")
    every = "DISPLAY CHSTATUS(*)\nDISPLAY LSSTATUS(*)\nDISPLAY QMSTATUS\nDISPLAY CONN(*)"
    assert footer(twin, every, "SIM") == ""
    assert footer(twin.on_branch("drill"), every) == ""


def test_a_filter_says_how_many_rows_it_leaves_out_because_a_value_is_unknown(twin: Twin) -> None:
    """WHERE(CURDEPTH GT 0) has no row for a queue whose depth nobody knows, and counts them."""
    text = dump("", *QUEUES).replace("QM7", "P1").replace("*  CURDEPTH(3) +\n", "")
    twin.ingest_files([FileText(text)], at=START)
    depth = events.QueueDepth(queue="APP.1", depth=7)
    observe(twin, START + 1, events.DepthsObserved(qmgr="P1", depths=(depth,)))
    session = twin.runmqsc("P1", "DISPLAY QLOCAL(APP.*) WHERE(CURDEPTH GT 0)", as_of=LATER)
    assert [row["queue"] for row in session.displayed] == ["APP.1"]
    assert session.lines[-1] == (
        NOT_OBSERVED
        + "depths of queues (2 of 3); 2 rows are left out because CURDEPTH is not known"
    )
    none = footer(twin, "DISPLAY QLOCAL(APP.2) WHERE(CURDEPTH EQ 0)")
    assert none.endswith("; 1 row is left out because CURDEPTH is not known")


QUEUES = [QUEUE.format(depth=1).replace("'A'", f"'APP.{number}'") for number in (1, 2, 3)]


def test_statuses_that_no_feed_shows_are_null(twin: Twin) -> None:
    """Of an imported queue manager nobody saw the channel initiator, units of work, or monitors."""
    session = imported(twin).runmqsc(
        "P1", "DISPLAY QMSTATUS ALL\nDISPLAY QSTATUS(SYSTEM.DEAD*) ALL\nDISPLAY PUBSUB ALL"
    )
    qmgr, queue, pubsub = session.displayed
    assert (qmgr["chinit"], qmgr["cmdserv"]) == (None, None)
    assert {queue[each] for each in ("curdepth", "uncom", "monq", "msgage", "lputdate")} == {None}
    assert pubsub["subcount"] is None


def test_the_parts_of_a_queue_manager_are_shown_as_they_were_seen_last(twin: Twin) -> None:
    """CHINIT and CMDSERV come back; an answer without one says nothing of it."""
    imported(twin)
    parts = (("STOPPED", "RUNNING"), ("RUNNING", None), (None, None))
    for hours, (initiator, server) in enumerate(parts, start=1):
        said = events.QueueManagerStatusObserved(
            qmgr="P1", status="RUNNING", initiator=initiator, command_server=server
        )
        observe(twin, START + hours * HOUR, said)
    shown = [
        twin.runmqsc("P1", "DISPLAY QMSTATUS ALL", as_of=START + hours * HOUR).displayed[0]
        for hours in (1, 2, 3)
    ]
    assert [each["chinit"] for each in shown] == ["STOPPED", "RUNNING", "RUNNING"]
    assert [each["cmdserv"] for each in shown] == ["RUNNING"] * 3


def test_the_status_of_a_receiver_that_nobody_saw_is_unknown(twin: Twin) -> None:
    """Neither INACTIVE nor RUNNING follows from anything of a CLUSRCVR that nobody saw."""
    imported(twin)

    def of(channel: str) -> Row:
        (row,) = channels(*twin.view(as_of=LATER), on="P1", channel=channel).rows
        return row

    assert of("CA.P1")["basis"] == of("CA.F1")["basis"] == "unknown"


def test_the_start_that_was_seen_is_shown(twin: Twin) -> None:
    """STARTDA is that of the last answer to QMSTATUS, also if that came before the definitions."""
    for at, started in ((START - 2, START - DAY), (START + 2, START - HOUR)):
        said = events.QueueManagerStatusObserved(qmgr="P1", status="RUNNING", started=started)
        observe(twin, at, said)
    imported(twin)
    starts = []
    for at in (START + 1, LATER):
        (shown,) = twin.runmqsc("P1", "DISPLAY QMSTATUS STARTTI STARTDA", as_of=at).displayed
        starts.append((shown["startda"], shown["startti"]))
    assert starts == [(mq_date(each), mq_time(each)) for each in (START - DAY, START - HOUR)]
    estate, _ = twin.view(as_of=LATER)
    assert private_copy(estate).qmgrs["P1"].known_start == START - HOUR


def test_a_receiver_that_was_seen_to_run_is_shown(twin: Twin) -> None:
    """Its partner is not known, so that is blank; CHSTATUS and `ask channels` say the same."""
    imported(twin)
    observe(twin, START + 1, seen_channel("CA.P1", "RUNNING"))
    (shown,) = twin.runmqsc("P1", "DISPLAY CHSTATUS(CA.P1)", as_of=LATER).displayed
    assert (shown["chltype"], shown["status"]) == ("CLUSRCVR", "RUNNING")
    assert (shown["rqmname"], shown["conname"]) == (None, None)


def test_transmission_says_which_depths_are_unknown(twin: Twin) -> None:
    """No waiting messages, of a queue whose depth nobody saw, is no answer."""
    imported(twin)
    queue = "SYSTEM.CLUSTER.TRANSMIT.QUEUE"
    answer = transmission(*twin.view(as_of=LATER), on="P1")
    assert answer.notes == (f"P1: the depth of {queue} was never observed",)
    depth = events.QueueDepth(queue=queue, depth=7)
    observe(twin, START + 1, events.DepthsObserved(qmgr="P1", depths=(depth,)))
    (note,) = transmission(*twin.view(as_of=LATER), on="P1").notes
    assert note.startswith(f"P1: CURDEPTH(7) of {queue} was observed at ")
    assert twin.ask("transmission", on="P1").as_json()["notes"] == [note]
    assert twin.branch == MAIN


def test_a_status_that_nobody_saw_is_shown_nowhere(twin: Twin) -> None:
    """Neither end of a channel has a status before somebody saw the sending one."""
    imported(twin)
    for name in ("F1", "P1"):
        rows = twin.mqsc(name, as_of=LATER).run("DISPLAY CLUSQMGR(*) STATUS").displayed
        assert {row["status"] for row in rows if row["clusqmgr"] != name} == {None}
        for command in ("DISPLAY CHSTATUS(*)", "DISPLAY CHSTATUS(*) SAVED"):
            assert not twin.mqsc(name, as_of=LATER).run(command).displayed
    answer = twin.ask("channels", as_of=LATER)
    assert {row["status"] for row in answer.rows} == {None}
    observe(twin, START + HOUR, seen_channel("CA.F1", "RUNNING"))
    [receiver] = twin.ask("channels", as_of=LATER, on="F1", channel="CA.F1").rows
    assert receiver["status"] == "RUNNING"
    [row] = twin.mqsc("F1", as_of=LATER).run("DISPLAY CHSTATUS(*)").displayed
    assert (row["channel"], row["rqmname"]) == ("CA.F1", "P1")


def test_a_member_with_a_channel_to_another_one_is_not_called_the_only_one(twin: Twin) -> None:
    """Its CLUSSDR leads to a queue manager that was not imported."""
    twin.ingest_files([text_of("P1")], at=START)
    found = {row["id"] for row in twin.ask("doctor", as_of=LATER).rows}
    assert "cluster-one-member" not in found
    assert "queue-manager-not-in-twin" in found


def test_no_dead_letter_queue_is_not_said_of_one_whose_attributes_nobody_saw(twin: Twin) -> None:
    """A script of P1 does not show DEADQ; that P1 lacks the queue is still told."""
    near = "DEFINE QREMOTE(OUT) RNAME(GONE) RQMNAME(P1) XMITQ(P1)\nDEFINE QLOCAL(P1) USAGE(XMITQ)\n"
    files = [FileText(near, qmgr="F9"), FileText("DEFINE QLOCAL(HERE)\n", qmgr="P1")]
    twin.ingest_files(files, at=START)
    [row] = [
        each
        for each in twin.ask("doctor", as_of=LATER).rows
        if each["id"] == "remote-queue-to-nothing"
    ]
    assert "unless P1 has a dead-letter queue" in str(row["finding"])
