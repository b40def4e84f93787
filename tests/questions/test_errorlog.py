"""The error logs: the messages that queue managers would have written, from events."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from tests.app.scenes import build, make_twin
from tests.questions.telling import Tale, facts_of
from tests.sandbox import START, small_cluster
from twin import events
from twin.app.twin import Twin
from twin.fold.estate import NoSuchQueueManager
from twin.model.instants import DAY, HOUR, Instant
from twin.model.messages import CATALOGUE
from twin.questions.answer import Answer, FoldedFact
from twin.questions.errorlog import READS, NoSuchMessage, errorlog


def _ask(tale: Tale, *told: events.Event, **filters: Any) -> Answer:
    """Ask about these events, as if they happened just now."""
    facts = [FoldedFact(tale.now, 100 + number, event) for number, event in enumerate(told)]
    return errorlog(tale.estate, tale.as_of, facts=facts, **filters)


def _rows(answer: Answer, *columns: str) -> list[tuple[object, ...]]:
    return [tuple(row[column] for column in columns) for row in answer.rows]


_OVERDUE = events.RenewalOverdue(
    qmgr="FR1",
    cluster="CA",
    id="AMQ9469",
    owner="QM2_1",
    names=(("qmgr", "CA.QM2"), ("qmgr", "CA.QM2.B")),
    days=13,
    left=50,
)
_UNUSED = events.RenewalOverdue(
    qmgr="FR1",
    cluster="CA",
    id="AMQ9456",
    owner="QM2_1",
    names=(("queue", "ORDERS"),),
    days=1,
    left=62,
)


@pytest.mark.parametrize(
    ("event", "written"),
    [
        (events.QueueManagerStarted(qmgr="FR1"), [("AMQ9410", ())]),
        (events.QueueManagerEnded(qmgr="FR1"), [("AMQ9411", ())]),
        (
            events.RepositoryRefreshed(
                qmgr="FR1", cluster="CA", repos="NO", dropped=(), refreshed=7, republished=2
            ),
            [("AMQ9442", ("7", "2"))],
        ),
        (events.QueueManagerSuspended(qmgr="FR1", cluster="CA"), [("AMQ9443", ("CA",))]),
        (events.QueueManagerResumed(qmgr="FR1", cluster="CA"), [("AMQ9444", ("CA",))]),
        (
            events.MemberForceRemoved(
                qmgr="FR1", cluster="CA", member="QM2_1", queues=False, source="FR1"
            ),
            [("AMQ9441", ("CA", "QM2_1"))],
        ),
        (
            events.MemberForceRemoved(
                qmgr="FR1", cluster="CA", member="QM2_1", queues=True, source="FR1"
            ),
            [("AMQ9405", ("QM2_1", "CA")), ("AMQ9441", ("CA", "QM2_1"))],
        ),
        (
            events.MemberForceRemoved(
                qmgr="FR1", cluster="CA", member="QM2_1", queues=True, source="FR2"
            ),
            [],
        ),
        (
            _OVERDUE,
            [
                ("AMQ9469", ("CA.QM2", "QM2_1", "CA", "13", "50")),
                ("AMQ9469", ("CA.QM2.B", "QM2_1", "CA", "13", "50")),
            ],
        ),
        (_UNUSED, [("AMQ9456", ("ORDERS", "QM2_1", "CA", "1", "62"))]),
        (
            events.ErrorLogged(qmgr="FR1", id="AMQ9406", inserts=("FR1", "CA")),
            [("AMQ9406", ("FR1", "CA"))],
        ),
        (
            events.ChannelStatusChanged(
                qmgr="FR1", channel="CA.QM2", status="RETRYING", partner="QM2", reason="AMQ9202"
            ),
            [
                ("AMQ9002", ("CA.QM2",)),
                ("AMQ9202", ("QM2", "CA.QM2")),
                ("AMQ9999", ("CA.QM2",)),
            ],
        ),
        (
            events.ChannelStatusChanged(
                qmgr="FR1", channel="CA.QM2", status="RETRYING", partner="QM2", reason="AMQ9544"
            ),
            [("AMQ9002", ("CA.QM2",)), ("AMQ9544", ("CA.QM2",)), ("AMQ9999", ("CA.QM2",))],
        ),
        (
            events.ChannelStatusChanged(qmgr="FR1", channel="CA.QM2", status="RUNNING"),
            [("AMQ9002", ("CA.QM2",))],
        ),
        (events.ChannelStatusChanged(qmgr="FR1", channel="CA.QM2", status="STOPPED"), []),
        (
            events.MessagesArrived(
                qmgr="FR1", sender="QM2", channel="CA.FR1", queue="DLQ", parcels=(), reason=2053
            ),
            [("AMQ9544", ("CA.FR1",))],
        ),
        (
            events.MessagesArrived(
                qmgr="FR1", sender="QM2", channel="CA.FR1", queue="Q", parcels=()
            ),
            [],
        ),
    ],
)
def test_each_event_is_what_a_queue_manager_would_have_written(
    event: events.Event, written: list[tuple[str, tuple[str, ...]]]
) -> None:
    """Each event gives a message with id and inserts; a removal entered elsewhere gives none."""
    tale = Tale().create("FR1")
    assert _rows(_ask(tale, event), "id", "inserts") == written
    assert type(event) in READS


def test_the_text_is_the_line_of_the_log() -> None:
    """The text has the inserts, and from 9.1 on the severity letter."""
    (row,) = _ask(Tale().create("FR1"), _UNUSED).rows
    assert row["text"] == (
        "AMQ9456W: Update not received for ORDERS of queue manager QM2_1, used in the last "
        "30 days, cluster CA: expected 1 days ago, 62 days remaining."
    )
    (old,) = _ask(Tale().create("FR1", level=750), _UNUSED).rows
    assert old["id"] == "AMQ9456"
    assert str(old["text"]).startswith("AMQ9456: ")


@pytest.mark.parametrize(
    ("event", "shown"),
    [
        (_OVERDUE, "CSQX469E"),
        (_UNUSED, "CSQX456I"),
        (events.ErrorLogged(qmgr="FR1", id="AMQ9406", inserts=("FR1", "CA")), "CSQX406E"),
    ],
)
def test_on_zos_ids_have_their_own_form(event: events.Event, shown: str) -> None:
    """A message id on z/OS is CSQX, the last three digits and a letter, and begins the text."""
    row = _ask(Tale().create("FR1", platform="MVS"), event).rows[0]
    assert row["id"] == shown
    assert str(row["text"]).startswith(f"{shown}: ")


def test_a_host_is_named_as_the_channel_names_it() -> None:
    """The remote host is the CONNAME of the definition, or of the cluster record."""
    sandbox = small_cluster()
    sandbox.control("endmqm", "PR1")
    facts = facts_of(sandbox, READS)
    answer = errorlog(sandbox.estate, sandbox.as_of, facts=facts, on="FR1", id="AMQ9202")
    row = answer.rows[-1]
    assert row["inserts"] == ("pr1(1414)", "CA.PR1")
    assert row["text"] == "AMQ9202E: Remote host 'pr1(1414)' not available, retry later."


@pytest.mark.parametrize(
    ("conname", "host"),
    [
        ("PR1.example(1415)", "PR1.example"),
        ("pr1", "pr1"),
        ("pr1(1414),10.1.1.2 (1415)", "pr1,10.1.1.2"),
    ],
)
def test_a_closed_connection_names_its_hosts_without_ports(conname: str, host: str) -> None:
    """AMQ9209 names each host of the CONNAME, and no port or address; AMQ9202 the CONNAME."""
    tale = Tale().create("FR1")
    tale.tell(
        events.ObjectDefined(
            qmgr="FR1", kind="CHANNEL", name="CA.PR1", type="CLUSSDR", values={"CONNAME": conname}
        )
    )
    failed = events.ChannelStatusChanged(
        qmgr="FR1", channel="CA.PR1", status="RETRYING", partner="PR1", reason="AMQ9209"
    )
    (closed,) = _ask(tale, failed, id="AMQ9209").rows
    assert closed["text"] == f"AMQ9209E: Connection to host '{host}' for channel 'CA.PR1' closed."
    (away,) = _ask(tale, replace(failed, reason="AMQ9202"), id="AMQ9202").rows
    assert away["inserts"] == (conname, "CA.PR1")


def hosts_of(twin: Twin, on: str, since: Instant | None = None) -> list[tuple[str, str]]:
    """Return the hosts and channels of the AMQ9202 of a queue manager."""
    rows = twin.ask("errorlog", on=on, id="AMQ9202", since=since).rows
    found = [row["inserts"] for row in rows]
    return [(str(each[0]), str(each[1])) for each in found if isinstance(each, tuple)]


def test_a_host_is_the_one_at_the_instant_of_the_message(sqlite_url: str) -> None:
    """A later CONNAME of a record, or of a definition, does not change what was written."""
    twin = build(make_twin(sqlite_url, lambda: START + 5 * DAY))
    sender = "DEFINE QLOCAL(X) USAGE(XMITQ)\nDEFINE CHANNEL(OUT) CHLTYPE(SDR) XMITQ(X)"
    twin.runmqsc("PR2", f"{sender} CONNAME('old(1414)')", at=START)
    twin.runmqsc("PR1", "DEFINE QLOCAL(Q) CLUSTER(CA)", at=START)
    twin.endmqm("PR1", at=START + HOUR)
    twin.put("PR2", "Q", at=START + 2 * HOUR)
    twin.runmqsc("PR2", "START CHANNEL(OUT)", at=START + 2 * HOUR)
    written = [("old(1414)", "OUT"), ("pr1(1414)", "CA.PR1")]
    assert sorted(hosts_of(twin, "PR2")) == written
    twin.strmqm("PR1", at=START + DAY)
    moved = "ALTER CHANNEL(CA.PR1) CHLTYPE(CLUSRCVR) CONNAME('new(1414)')"
    twin.runmqsc("PR1", moved, at=START + DAY)
    twin.runmqsc("PR2", "ALTER CHANNEL(OUT) CHLTYPE(SDR) CONNAME('new(1414)')", at=START + DAY)
    assert sorted(hosts_of(twin, "PR2")) == written
    assert sorted(hosts_of(twin, "PR2", since=START + HOUR)) == written
    twin.endmqm("PR1", at=START + 2 * DAY)
    twin.put("PR2", "Q", at=START + 3 * DAY)
    assert hosts_of(twin, "PR2")[-1] == ("new(1414)", "CA.PR1")
    assert sorted(hosts_of(twin, "PR2"))[1:] == written
    twin.runmqsc("FR2", "RESET CLUSTER(CA) ACTION(FORCEREMOVE) QMNAME(PR1)", at=START + 4 * DAY)
    assert hosts_of(twin, "PR2")[-1] == ("new(1414)", "CA.PR1")


def test_every_repository_message_has_a_letter_on_zos() -> None:
    """Each repository message has its z/OS letter in the table."""
    tale = Tale().create("FR1", platform="MVS")
    refreshed = events.RepositoryRefreshed(
        qmgr="FR1", cluster="CA", repos="NO", dropped=(), refreshed=0, republished=0
    )
    removed = events.MemberForceRemoved(
        qmgr="FR1", cluster="CA", member="QM2_1", queues=True, source="FR1"
    )
    told = [
        *(events.QueueManagerStarted(qmgr="FR1"), events.QueueManagerEnded(qmgr="FR1")),
        *(refreshed, removed, _OVERDUE, _UNUSED),
        events.QueueManagerSuspended(qmgr="FR1", cluster="CA"),
        events.QueueManagerResumed(qmgr="FR1", cluster="CA"),
    ]
    shown = {str(row["id"]) for row in _ask(tale, *told).rows}
    assert shown <= {row.id[:7].replace("AMQ9", "CSQX") + row.zos for row in CATALOGUE.values()}


def test_a_platform_is_that_of_who_bore_the_name_then() -> None:
    """A new queue manager of the same name does not change the messages of the deleted one."""
    tale = Tale().create("FR1", platform="MVS").at("+1d")
    old = FoldedFact(START, 1, _UNUSED)
    tale.tell(events.QueueManagerEnded(qmgr="FR1"), events.QueueManagerDeleted(qmgr="FR1"))
    gone = errorlog(tale.estate, tale.as_of, facts=[old])
    tale.at("+2d").tell(
        events.QueueManagerCreated(qmgr="FR1", qmid="FR1_2", cmdlevel=940, platform="UNIX")
    )
    both = errorlog(
        tale.estate, tale.as_of, facts=[old, FoldedFact(tale.now, 9, _UNUSED)], on="FR1"
    )
    assert _rows(gone, "id") == [("CSQX456I",)]
    assert _rows(both, "id") == [("CSQX456I",), ("AMQ9456",)]


@pytest.mark.parametrize(
    "wanted", ["AMQ9469", "AMQ9469W", "amq9469", "CSQX469", "CSQX469E", "9469"]
)
def test_an_id_is_found_in_either_form(wanted: str) -> None:
    """The filter `id` takes the id of either platform, with or without its letter."""
    tale = Tale().create("FR1")
    assert set(_rows(_ask(tale, _UNUSED, _OVERDUE, id=wanted), "id")) == {("AMQ9469",)}
    tale = Tale().create("FR1", platform="MVS")
    assert set(_rows(_ask(tale, _UNUSED, _OVERDUE, id=wanted), "id")) == {("CSQX469E",)}


def test_filters_leave_only_what_they_name() -> None:
    """An id without entries gives an empty answer; an unknown queue manager is an error."""
    tale = Tale().create("FR1", "FR2")
    told = (_UNUSED, events.QueueManagerEnded(qmgr="FR2"))
    assert _rows(_ask(tale, *told, on="FR2"), "on", "id") == [("FR2", "AMQ9411")]
    assert _ask(tale, *told, id="AMQ9999").rows == ()
    assert _ask(tale).rows == ()
    with pytest.raises(NoSuchQueueManager):
        _ask(tale, *told, on="QM9")
    for wrong in ("FOO", "AMQ1", "", "CSQX000E"):
        with pytest.raises(NoSuchMessage, match="expected one such as AMQ9469, 9469 or CSQX469"):
            _ask(tale, *told, id=wrong)


def test_each_row_rests_on_its_event() -> None:
    """Each row has its event as evidence; rows are in the order of time."""
    tale = Tale().create("FR1")
    answer = _ask(tale, _OVERDUE, _UNUSED)
    assert answer.evidence == ((100,), (100,), (101,))
    assert answer.columns == ("on", "id", "at", "inserts", "text", "basis")
    assert answer.instants == {"at"}


def _warnings(days: str) -> Sequence[tuple[object, ...]]:
    """Return the entries of FR1 about PR2, which ended on the first day, up to some days later."""
    sandbox = small_cluster()
    sandbox.run("PR2", "DEFINE QLOCAL(ORDERS) CLUSTER(CA)")
    sandbox.control("endmqm", "PR2")
    sandbox.at(days)
    facts = facts_of(sandbox, READS)
    answer = errorlog(sandbox.estate, sandbox.as_of, facts=facts, on="FR1", id="AMQ9469")
    return [
        (row["at"], row["inserts"][-2:]) for row in answer.rows if isinstance(row["inserts"], tuple)
    ]


def test_a_full_repository_warns_daily_from_day_28_until_removal() -> None:
    """The first warning comes 24 hours after the renewal was due, then daily: n days, 63 - n."""
    assert _warnings("2026-01-28T23:59:59Z") == []
    assert _warnings("+28d") == [(START + 28 * DAY, ("1", "62"))]
    every = _warnings("+100d")
    assert every == [(START + (27 + n) * DAY, (str(n), str(63 - n))) for n in range(1, 63)]
