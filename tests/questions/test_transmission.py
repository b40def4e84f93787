"""The question `transmission`: waiting messages, their channel, and whether they may be moved."""

from __future__ import annotations

import pytest

from tests.questions.waiting_scene import DEFAULT, fail, put, scene, tell
from tests.sandbox import START, Sandbox
from twin import events
from twin.fold.estate import NoSuchQueueManager
from twin.model.instants import MINUTE, SECOND
from twin.questions.answer import Row
from twin.questions.transmission import transmission


def rows(sandbox: Sandbox, **filters: str) -> list[Row]:
    """Ask, and return the rows."""
    return list(transmission(sandbox.estate, sandbox.as_of, **filters).rows)


def column(sandbox: Sandbox, *keys: str, **filters: str) -> list[tuple[object, ...]]:
    """Ask, and return some values of every row."""
    return [tuple(row[key] for key in keys) for row in rows(sandbox, **filters)]


def test_a_parcel_is_shown_whole() -> None:
    """A row gives the messages, their queue, destination, put time and next pass."""
    sandbox = scene()
    position = put(sandbox, 10, name="m1")
    failed = fail(sandbox)
    answer = transmission(sandbox.estate, sandbox.as_of)
    assert answer.rows == (
        {
            "on": "PR1",
            "name": "m1",
            "queue": "ORD",
            "count": 10,
            "channel": "CA.PR2",
            "qmgr": "PR2",
            "xmitq": DEFAULT,
            "xmitq_candidates": None,
            "eligible": True,
            "why": None,
            "put_at": START,
            "in_doubt": False,
            "next_pass": START + MINUTE,
            "stranded": False,
            "at_most": 10,
            "status": "RETRYING",
            "waits_for": "next start of CA.PR2, at its next retry",
            "next_start": START + MINUTE,
        },
    )
    assert answer.evidence == ((position, failed),)


def test_nothing_waits_where_nothing_was_put() -> None:
    """An answer without rows still has its columns."""
    answer = transmission(scene().estate, scene().as_of)
    assert (answer.rows, answer.columns[0]) == ((), "on")


def test_a_channel_that_never_started_is_inactive() -> None:
    """The status is that of `ask channels`, not null."""
    sandbox = scene()
    put(sandbox, 1)
    assert column(sandbox, "channel", "status") == [("CA.PR2", "INACTIVE")]


@pytest.mark.parametrize("fixed", ["bind-on-open", "bind-on-group", "named-qmgr"])
def test_what_is_bound_is_not_eligible(fixed: str) -> None:
    """A bound message is not movable, `why` has its binding, and it has no next pass."""
    sandbox = scene()
    put(sandbox, 3, fixed=fixed)
    fail(sandbox)
    assert column(sandbox, "eligible", "why", "next_pass") == [(False, fixed, None)]


def test_the_first_messages_in_doubt_are_a_row_of_their_own() -> None:
    """A parcel that is partly in doubt is two rows, of which the second may be moved."""
    sandbox = scene()
    put(sandbox, 10, name="m1")
    put(sandbox, 5, name="m2", fixed="bind-on-open")
    tell(sandbox, events.ChannelBatchInDoubt, count=4)
    assert column(sandbox, "name", "count", "in_doubt", "eligible", "why") == [
        ("m1", 4, True, False, "in-doubt"),
        ("m1", 6, False, True, None),
        ("m2", 5, False, False, "bind-on-open"),
    ]
    tell(sandbox, events.ChannelBatchInDoubt, count=12)
    assert column(sandbox, "name", "count", "why") == [
        ("m1", 10, "in-doubt"),
        ("m2", 2, "in-doubt"),
        ("m2", 3, "bind-on-open"),
    ]


def test_at_risk_are_the_first_ones_that_are_not_persistent() -> None:
    """The first non-persistent messages are at risk; persistent ones between them are not."""
    sandbox = scene()
    put(sandbox, 2, name="p")
    put(sandbox, 3, name="n", persistent=False)
    tell(sandbox, events.MessagesAtRisk, count=2)
    assert column(sandbox, "name", "count", "eligible", "why") == [
        ("p", 2, True, None),
        ("n", 2, False, "at-risk"),
        ("n", 1, True, None),
    ]


def test_the_queue_managers_own_commands_are_system() -> None:
    """A repository command is one row, and is never moved."""
    sandbox = scene()
    sandbox.control("endmqm", "FR2")
    sandbox.control("endmqm", "FR1")
    sandbox.run("PR1", "DEFINE QLOCAL(A) CLUSTER(CA)")
    sandbox.run("PR1", "DEFINE QLOCAL(B) CLUSTER(CA)")
    found = rows(sandbox, on="PR1", channel="CA.FR1")
    assert [(row["queue"], row["count"], row["qmgr"], row["why"]) for row in found] == [
        ("SYSTEM.CLUSTER.COMMAND.QUEUE", 1, "FR1", "system")
    ] * 2
    assert {(row["name"], row["eligible"], row["xmitq"]) for row in found} == {
        (None, False, DEFAULT)
    }


def test_a_choice_that_is_open_is_shown_so() -> None:
    """If two queues have the same CLCHNAME, both are candidates, even after the channel started."""
    sandbox = scene()
    for queue in ("X1", "X2"):
        sandbox.run("PR1", f"DEFINE QLOCAL({queue}) USAGE(XMITQ) CLCHNAME('CA.PR2')")
    put(sandbox, 1, lies_on="X1")
    assert column(sandbox, "xmitq", "xmitq_candidates") == [(None, ("X1", "X2"))]
    assert len(rows(sandbox, xmitq="X2")) == 1
    tell(sandbox, events.TransmissionQueueAssigned, queue="X1")
    assert column(sandbox, "xmitq") == [(None,)]
    fail(sandbox)
    assert column(sandbox, "xmitq", "xmitq_candidates") == [(None, ("X1", "X2"))]
    sandbox.run("PR1", "ALTER QLOCAL(X1) CLCHNAME('CA.*')")
    assert column(sandbox, "xmitq", "xmitq_candidates") == [("X1", None)]
    assert rows(sandbox, xmitq="X2") == []


def test_filters_narrow() -> None:
    """Filters by queue manager, channel, queue and transmission queue keep matching rows."""
    sandbox = scene()
    put(sandbox, 1)
    for field, value, other in (
        ("on", "PR1", "PR2"),
        ("channel", "CA.PR2", "CA.FR1"),
        ("queue", "ORD", "OTHER"),
        ("xmitq", DEFAULT, "X"),
    ):
        assert len(rows(sandbox, **{field: value})) == 1
        assert rows(sandbox, **{field: other}) == []
    with pytest.raises(NoSuchQueueManager):
        rows(sandbox, on="QM9")


def test_the_next_pass_is_the_next_retry() -> None:
    """The next pass is the next retry; a stopped channel has none."""
    sandbox = scene()
    put(sandbox, 1)
    failed = sandbox.draft.at
    fail(sandbox)
    for minutes, following in ((0, 1), (1, 2), (9.5, 10), (10, 30), (29, 30), (30, 50)):
        sandbox.draft.at = failed + round(minutes * MINUTE)
        assert column(sandbox, "next_pass") == [(failed + following * MINUTE,)]
    tell(sandbox, events.ChannelStatusChanged, status="STOPPED")
    assert column(sandbox, "next_pass") == [(None,)]


def test_passes_renew_when_messages_were_put() -> None:
    """Messages that a pass leaves get its instant as put time; bound ones do not."""
    sandbox = scene()
    put(sandbox, 1, name="free")
    put(sandbox, 1, name="bound", fixed="bind-on-open")
    fail(sandbox)
    sandbox.draft.at = START + 150 * SECOND
    put(sandbox, 1, name="late")
    assert column(sandbox, "name", "put_at") == [
        ("free", START + 2 * MINUTE),
        ("bound", START),
        ("late", START + 150 * SECOND),
    ]


def test_a_pass_that_finds_no_destination_renews_nothing() -> None:
    """A pass keeps put times if the choice fails because all instances are put-disabled."""
    sandbox = scene()
    put(sandbox, 1)
    fail(sandbox)
    sandbox.run("PR2", "ALTER QLOCAL(ORD) PUT(DISABLED)")
    sandbox.draft.at = START + 150 * SECOND
    assert column(sandbox, "eligible", "put_at") == [(True, START)]


def test_what_was_left_on_another_queue_is_stranded() -> None:
    """After a switch without moving, a message is shown on the old queue, and no pass moves it."""
    sandbox = scene()
    put(sandbox, 2, name="left")
    fail(sandbox)
    sandbox.run("PR1", "DEFINE QLOCAL(X) USAGE(XMITQ)")
    tell(sandbox, events.TransmissionQueueSwitchBegan, queue=DEFAULT, to="X")
    tell(sandbox, events.TransmissionQueueSwitched, queue="X", stranded=2)
    put(sandbox, 3, name="new", lies_on="X")
    assert column(sandbox, "name", "xmitq", "eligible", "why", "next_pass", "stranded") == [
        ("new", "X", True, None, START + MINUTE, False),
        ("left", DEFAULT, False, None, None, True),
    ]
    assert column(sandbox, "waits_for", "next_start")[1] == (
        f"switch of CA.PR2 back to {DEFAULT}",
        None,
    )
