"""The question `passes`: when waiting messages were routed again, and when they will be."""

from __future__ import annotations

import pytest

from tests.questions.waiting_scene import DEFAULT, ask_passes, fail, put, scene, tell
from tests.sandbox import START, Sandbox
from twin import events
from twin.fold.estate import NoSuchQueueManager
from twin.model.instants import HOUR, MINUTE, SECOND


def found(sandbox: Sandbox, *, since: int = START, **filters: str) -> list[tuple[object, ...]]:
    """Ask, and return each row, with the instant in seconds from the start."""
    rows = ask_passes(sandbox, since=since, **filters).rows
    return [
        ((int(str(row["at"])) - START) // SECOND, row["cause"], row["moved"], row["stayed"])
        for row in rows
    ]


def move(sandbox: Sandbox, put_at: int, count: int, cause: str = "retry") -> int:
    """Move messages to another route, as a pass does; return the event's position."""
    share = events.Share(
        count=count,
        to=sandbox.estate.qmgr("FR1").qmid,
        channel="CA.FR1",
        lies_on=DEFAULT,
        queue="ORD",
        cluster="CA",
    )
    moves = (events.Move(put=put_at, share=share),)
    return tell(sandbox, events.MessagesReallocated, queue=DEFAULT, cause=cause, moves=moves)


def run(sandbox: Sandbox) -> None:
    """Let the channel from PR1 to PR2 run."""
    tell(sandbox, events.ChannelStatusChanged, status="RUNNING", partner="PR2")


def test_a_failure_and_each_failed_retry_are_passes() -> None:
    """A failed retry that moved nothing is listed without an event, and then the next pass."""
    sandbox = scene()
    put(sandbox, 10)
    run(sandbox)
    failed = fail(sandbox)
    sandbox.draft.at += 150 * SECOND
    answer = ask_passes(sandbox, since=START)
    assert found(sandbox) == [
        (0, "stop", 0, 10),
        (60, "retry", 0, 10),
        (120, "retry", 0, 10),
        (180, "retry", None, None),
    ]
    assert answer.rows[0]["on"] == "PR1"
    assert answer.rows[0]["channel"] == "CA.PR2"
    assert answer.evidence == ((failed,),) * 4


def test_what_was_moved_is_counted_and_the_rest_stays() -> None:
    """A pass that moved messages is one row, and later passes count the remaining messages."""
    sandbox = scene()
    first = put(sandbox, 10)
    put(sandbox, 5, fixed="bind-on-open")
    fail(sandbox)
    sandbox.draft.at += MINUTE
    moved = move(sandbox, first, 7)
    sandbox.draft.at += MINUTE
    assert found(sandbox) == [
        (0, "retry", 0, 15),
        (60, "retry", 7, 8),
        (120, "retry", 0, 8),
        (180, "retry", None, None),
    ]
    answer = ask_passes(sandbox, since=START)
    assert answer.evidence[1] == (moved,)
    assert answer.rows[1]["stayed_why"] == ("no-better-route", "bind-on-open")
    assert answer.rows[3]["stayed_why"] is None


def test_a_stop_that_moves_messages_is_one_pass() -> None:
    """A status change and its moves are one pass, which rests on both events."""
    sandbox = scene()
    first = put(sandbox, 10)
    run(sandbox)
    sandbox.draft.at += HOUR
    stopped = tell(sandbox, events.ChannelStatusChanged, status="STOPPED")
    moved = move(sandbox, first, 10, "stop")
    assert found(sandbox) == [(3600, "stop", 10, 0)]
    assert ask_passes(sandbox, since=START).evidence == ((stopped, moved),)


def test_messages_put_later_are_looked_at_later() -> None:
    """A put to a failed channel starts no pass: the next retry considers its messages."""
    sandbox = scene()
    put(sandbox, 1)
    fail(sandbox)
    sandbox.draft.at += 90 * SECOND
    put(sandbox, 4)
    sandbox.draft.at += 31 * SECOND
    assert found(sandbox) == [
        (0, "retry", 0, 1),
        (60, "retry", 0, 1),
        (120, "retry", 0, 5),
        (180, "retry", None, None),
    ]


def test_a_put_at_the_instant_of_a_retry_is_not_looked_at_by_it() -> None:
    """A retry that is due at an instant precedes a command at that instant."""
    sandbox = scene()
    put(sandbox, 1)
    fail(sandbox)
    sandbox.draft.at += MINUTE
    put(sandbox, 4)
    assert found(sandbox)[1] == (60, "retry", 0, 1)


def test_a_retry_that_finds_its_partner_is_no_pass() -> None:
    """A successful retry is not a pass."""
    sandbox = scene()
    put(sandbox, 1)
    fail(sandbox)
    sandbox.draft.at += 2 * MINUTE
    run(sandbox)
    tell(sandbox, events.MessagesSent, queue=DEFAULT, count=1)
    sandbox.draft.at += HOUR
    assert found(sandbox) == [(0, "retry", 0, 1), (60, "retry", 0, 1)]


def test_a_pass_that_could_move_nothing_is_listed_with_the_reason() -> None:
    """A channel with only bound messages has passes; one without messages has none."""
    sandbox = scene()
    fail(sandbox)
    sandbox.draft.at += HOUR
    assert found(sandbox) == []
    put(sandbox, 5, fixed="named-qmgr")
    sandbox.draft.at += HOUR
    rows = ask_passes(sandbox, since=sandbox.draft.at - HOUR + 1).rows
    assert [(row["moved"], row["stayed"], row["stayed_why"]) for row in rows] == [
        (0, 5, ("named-qmgr",))
    ] * 3 + [(None, None, None)]


def test_a_start_by_hand_is_no_stop() -> None:
    """A START of a retrying channel is a pass only if it fails."""
    sandbox = scene()
    put(sandbox, 1)
    fail(sandbox)
    sandbox.draft.at += 30 * SECOND
    tell(sandbox, events.ChannelStatusChanged, status="INACTIVE")
    fail(sandbox)
    assert found(sandbox) == [
        (0, "retry", 0, 1),
        (30, "retry", 0, 1),
        (90, "retry", None, None),
    ]


@pytest.mark.parametrize(("reason", "cause"), [("", "stop"), ("AMQ9202", "retry")])
def test_the_last_retry_stops_the_channel(reason: str, cause: str) -> None:
    """A channel that gives up is STOPPED by a failed retry; one stopped by an operator is not."""
    sandbox = scene()
    put(sandbox, 1)
    fail(sandbox)
    sandbox.draft.at += MINUTE
    tell(sandbox, events.ChannelStatusChanged, status="STOPPED", reason=reason)
    sandbox.draft.at += HOUR
    assert found(sandbox) == [(0, "retry", 0, 1), (60, cause, 0, 1)]


def test_passes_are_those_since_an_instant() -> None:
    """A pass at the instant `since` itself is listed."""
    sandbox = scene()
    put(sandbox, 1)
    fail(sandbox)
    sandbox.draft.at += 3 * MINUTE
    later = found(sandbox, since=START + 2 * MINUTE)
    assert [each[0] for each in later] == [120, 180, 240]


def test_filters_narrow() -> None:
    """Filters keep passes by queue manager and channel; an unknown queue manager is an error."""
    sandbox = scene()
    put(sandbox, 1)
    fail(sandbox)
    assert len(found(sandbox, on="PR1", channel="CA.PR2")) == 2
    assert found(sandbox, on="PR2") == found(sandbox, channel="CA.FR1") == []
    with pytest.raises(NoSuchQueueManager):
        found(sandbox, on="QM9")
