"""Imported batches in doubt, retries that are left, and depths that nobody observed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.app.scenes import START
from tests.app.test_laws import fresh
from tests.app.test_standing import imported, observe
from twin import events
from twin.app.twin import Twin
from twin.model.instants import HOUR, MINUTE, Instant
from twin.questions.channels import channels
from twin.questions.doctor.diagnosis import diagnose

AT = START + HOUR
UNKNOWN = "the depth of SYSTEM.CLUSTER.TRANSMIT.QUEUE at P1 was never observed"


def retrying(**more: int | bool) -> events.ChannelObserved:
    """Return what DISPLAY CHSTATUS shows of a channel of P1 that retries."""
    return events.ChannelObserved(
        qmgr="P1",
        channel="CA.F1",
        status="RETRYING",
        instance="",
        **more,  # type: ignore[arg-type]
    )


@pytest.fixture
def twin() -> Iterator[Twin]:
    """Return a twin with the dumps of an estate, and no depth of any queue."""
    with fresh(1) as (one,):
        yield imported(one)


def texts(twin: Twin, rule: str, at: Instant = AT) -> list[str]:
    """Return what the doctor says of P1 by one rule, on main and where it tries its fixes."""
    found = diagnose(twin.view(as_of=at)[0], at, rules=[rule], on="P1").found
    tried = diagnose(twin.rehearse(as_of=at).estate, at, rules=[rule], on="P1").found
    assert [each.finding.text for each in found] == [each.finding.text for each in tried]
    return [each.finding.text for each in found]


def shown(twin: Twin, at: Instant = AT) -> str:
    """Return the answer to DISPLAY CHSTATUS of the channel."""
    reply = twin.rehearse(as_of=at).runmqsc("P1", "DISPLAY CHSTATUS(CA.F1) INDOUBT CURMSGS")
    return "\n".join(reply.lines)


def test_a_batch_in_doubt_stands_without_a_depth(twin: Twin) -> None:
    """It is shown as it was seen, until the channel runs."""
    observe(twin, AT, retrying(indoubt=True, curmsgs=2))
    note = "P1: CA.F1 had a batch of 2 messages in doubt when it was seen at 2026-01-01T01:00:00Z"
    assert note in channels(*twin.view(as_of=AT), on="P1").notes
    assert "INDOUBT(YES)" in shown(twin)
    assert "CURMSGS(2)" in shown(twin)
    (text,) = texts(twin, "channel-in-doubt")
    assert text.startswith("At 2026-01-01T01:00:00Z a batch of 2 messages was in doubt.")
    observe(twin, AT + HOUR, replace(retrying(), status="RUNNING"))
    later = AT + HOUR + MINUTE
    assert note not in channels(*twin.view(as_of=later), on="P1").notes
    assert not texts(twin, "channel-in-doubt", later)


def test_the_doctor_says_what_was_seen_and_what_is_not_known(twin: Twin) -> None:
    """A capture has no reason for RETRYING, no begin of it, and no messages."""
    observe(twin, AT, retrying())
    (text,) = texts(twin, "channel-retrying", AT + MINUTE)
    assert text == (
        f"The channel was seen RETRYING to F1 at 2026-01-01T01:00:00Z; "
        f"whether messages wait is not known: {UNKNOWN}. "
        "No line of that time of the error log of F1 was imported; it may say why."
    )
    (row,) = channels(*twin.view(as_of=AT), on="P1", channel="CA.F1").rows
    assert row["reason"] is None


@pytest.mark.parametrize(
    ("left", "after"), [({"shortrts": 0, "longrts": 3}, 10), ({"shortrts": 1, "longrts": 3}, 1)]
)
def test_the_next_retry_follows_from_the_retries_that_were_left(
    twin: Twin, left: dict[str, int], after: int
) -> None:
    """With SHORTRTS(0) it is a long retry: LONGTMR(600), not SHORTTMR(60)."""
    observe(twin, AT, retrying(**left))
    (row,) = channels(*twin.view(as_of=AT), on="P1", channel="CA.F1").rows
    assert row["next_retry"] == AT + after * MINUTE


@pytest.mark.parametrize(
    ("left", "expected"),
    [
        ((2, 5), [(2, 5, 6), (1, 5, 7), (0, 5, 17), (0, 4, 27)]),
        ((0, 5), [(0, 5, 15), (0, 5, 15), (0, 5, 15), (0, 4, 25)]),
        ((9, 7), [(9, 7, 6), (8, 7, 7), (7, 7, 8), (0, 7, 24)]),
    ],
)
def test_a_later_capture_corrects_the_retries_that_are_left(
    twin: Twin, left: tuple[int, int], expected: list[tuple[int, int, int]]
) -> None:
    """It shows how many are left, and the next retry follows; the channel retries since before."""
    observe(twin, AT, retrying(shortrts=8, longrts=9))
    later = AT + 5 * MINUTE
    observe(twin, later, retrying(shortrts=left[0], longrts=left[1]))
    for after, (short, long, following) in zip((5, 6, 7, 17), expected, strict=True):
        at = AT + after * MINUTE
        reply = twin.mqsc("P1", as_of=at).run("DISPLAY CHSTATUS(CA.F1) SHORTRTS LONGRTS")
        shown = "\n".join(reply.lines)
        assert (f"SHORTRTS({short})" in shown, f"LONGRTS({long})" in shown) == (True, True), after
        (row,) = channels(*twin.view(as_of=at), on="P1", channel="CA.F1").rows
        assert (row["since"], row["next_retry"]) == (AT, AT + following * MINUTE)


def test_retries_that_were_left_before_the_channel_ran_do_not_count(twin: Twin) -> None:
    """A channel that ran between has all retries of its definition, until they are seen again.

    On main it is not known when it is tried; on a branch its retries begin with the sight.
    """
    observe(twin, AT, retrying(shortrts=0, longrts=9))
    observe(twin, AT + MINUTE, replace(retrying(), status="RUNNING"))
    again = AT + 2 * MINUTE
    observe(twin, again, retrying())
    twin.create_branch("whatif", at=again)
    for view, retry in ((twin, None), (twin.on_branch("whatif"), again + MINUTE)):
        (row,) = channels(*view.view(as_of=again), on="P1", channel="CA.F1").rows
        assert row["next_retry"] == retry


def test_messages_that_nobody_counted_are_not_said_to_be_none(twin: Twin) -> None:
    """Until a depth is observed, what waits is not known."""
    observe(twin, AT, retrying())
    never = "P1: the depth of SYSTEM.CLUSTER.TRANSMIT.QUEUE was never observed"
    assert never in twin.ask("waiting", on="P1", as_of=AT).notes
    lost = twin.ask("resilience", lose="F1", days="1", as_of=AT)
    assert {row["messages_waiting"] for row in lost.rows} == {None}
