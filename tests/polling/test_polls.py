"""One poll: its answers as the text of a saved file, and what was not answered."""

from __future__ import annotations

from typing import Any

import pytest

from tests.polling.mqweb import NOT_FOUND, member, rows
from twin.feeds.captures.mqweb import read_mqweb
from twin.feeds.captures.records import Capture
from twin.model.instants import parse_instant
from twin.polling.connection import CALLS, CallDenied, CallFailed, ReadingCall
from twin.polling.polls import Poll, poll

AT = parse_instant("2026-01-31T02:13Z", now=0)
URL = "https://h:9443/ibmmq/rest/v3"


def polled(answers: dict[str, Any]) -> Poll:
    """Poll a queue manager that answers so, by qualifier; errors are raised."""

    def ask(call: ReadingCall, qmgr: str) -> dict[str, Any]:
        running = {"qmgr": [{"name": qmgr, "state": "running"}]}
        answer = answers.get(call.qualifier, NOT_FOUND if call.qualifier else running)
        if isinstance(answer, Exception):
            raise answer
        assert isinstance(answer, dict)
        return answer

    return poll(ask, URL, "QM1", clock=lambda: AT)


def captures(text: str) -> dict[str, Capture]:
    """Read a poll as a saved file."""
    read = list(read_mqweb(text.splitlines()))
    assert all(isinstance(each, Capture) for each in read)
    return {each.object: each for each in read if isinstance(each, Capture) and each.verb != "GET"}


def test_the_readers_of_saved_answers_read_a_poll() -> None:
    """Each answer is of the queue manager and the instant of the poll, and complete."""
    found = captures(polled({"CLUSQMGR": rows(member("FR1"), member("QM2"))}).text)
    assert set(found) == {call.qualifier for call in CALLS if call.qualifier}
    assert {(each.qmgr, each.claimed, each.complete) for each in found.values()} == {
        ("QM1", AT, True)
    }
    assert [row.values["CLUSQMGR"] for row in found["CLUSQMGR"].rows] == ["FR1", "QM2"]


def test_a_call_that_fails_is_left_out() -> None:
    """The others are taken, and the one that failed is named."""
    result = polled({"TCLUSTER": CallFailed("h:9443", "answered 500", connected=True)})
    assert (result.answered, result.unanswered) == (
        len(CALLS) - 1,
        ("DISPLAY TCLUSTER(*): h:9443 answered 500",),
    )
    assert "TCLUSTER" not in captures(result.text)


def test_a_server_that_dies_ends_the_poll() -> None:
    """What was answered before counts; the rest is not asked."""
    result = polled({"QCLUSTER": CallFailed("h:9443", "refuses connections")})
    assert result.answered == 3
    assert [each.partition(":")[0] for each in result.unanswered] == [
        "DISPLAY QCLUSTER(*)",
        "DISPLAY TCLUSTER(*)",
        "DISPLAY CHSTATUS(*)",
        "DISPLAY QSTATUS(*)",
    ]


def test_a_poll_without_an_answer_is_an_error() -> None:
    """So is a user who is refused, at whichever call."""
    with pytest.raises(CallFailed, match="refuses connections"):
        polled({"": CallFailed("h:9443", "refuses connections")})
    with pytest.raises(CallDenied, match="401"):
        polled({"QSTATUS": CallDenied("h:9443", "refuses this user (401)")})
