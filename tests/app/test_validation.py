"""Invalid names and counts are refused before anything is recorded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from twin.app.twin import Twin
from twin.app.validation import BadBatch, BadCount, BadName, BadWord
from twin.questions.explanation import ExplainRequest

LONG = "A" * 49


@pytest.mark.parametrize(
    "call",
    [
        lambda twin: twin.put("QM1", ""),
        lambda twin: twin.put("QM1", "A*"),
        lambda twin: twin.put("QM1", "A", to=LONG),
        lambda twin: twin.open_queue("QM1", LONG),
        lambda twin: twin.open_queue("QM1", "A", to="Q M"),
        lambda twin: twin.get("QM1", " "),
        lambda twin: twin.explain("QM1", ExplainRequest(queue="A?")),
        lambda twin: twin.ask("explain", on="QM1", queue=LONG),
        lambda twin: twin.inquire("QM1", "A B"),
        lambda twin: twin.hold("QM1", "A" * 21),
        lambda twin: twin.release("QM1", "C*"),
        lambda twin: twin.observe_channel("QM1", "", at=twin.clock(), status="RUNNING"),
    ],
)
def test_a_name_that_mq_does_not_allow_is_refused(twin: Twin, call: Callable[[Twin], Any]) -> None:
    """An invalid name is refused in one line, and nothing is recorded."""
    twin.crtmqm("QM1")
    twin.strmqm("QM1")
    before = twin.log.head()
    with pytest.raises(
        BadName, match=r"^invalid [a-z ]+ name .*; expected 1 to [24][08] characters of"
    ):
        call(twin)
    assert twin.log.head() == before


@pytest.mark.parametrize("count", [0, -1, 1_000_000_000])
def test_a_count_outside_the_range_of_one_put_is_refused(twin: Twin, count: int) -> None:
    """A put of no messages, or of more than the highest MAXDEPTH, records nothing."""
    twin.crtmqm("QM1")
    twin.strmqm("QM1")
    before = twin.log.head()
    with pytest.raises(
        BadCount, match=f"^cannot put {count} messages at once; expected 1 to 999,999,999$"
    ):
        twin.put("QM1", "A", count=count)
    assert twin.log.head() == before


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (
            lambda twin: twin.get("QM1", "A", count=-2),
            "cannot get -2 messages at once; expected 1 to",
        ),
        (
            lambda twin: twin.get("QM1", "A", count=0),
            "cannot get 0 messages at once; expected 1 to",
        ),
        (
            lambda twin: twin.observe_channel("QM1", "C", at=twin.clock(), curmsgs=-3),
            "invalid batch of -3 messages; expected 0 to",
        ),
        (
            lambda twin: twin.observe_channel("QM1", "C", at=twin.clock(), sent=-1),
            "invalid batch of -1 messages; expected 0 to",
        ),
    ],
)
def test_a_count_that_cannot_be_got_or_observed_is_refused(
    twin: Twin, call: Callable[[Twin], Any], says: str
) -> None:
    """A negative count, and a get of nothing, record nothing."""
    twin.crtmqm("QM1")
    twin.strmqm("QM1")
    before = twin.log.head()
    with pytest.raises((BadCount, BadBatch), match=f"^{says} 999,999,999$"):
        call(twin)
    assert twin.log.head() == before


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (
            lambda twin: twin.open_queue("QM1", "A", bind="OPEN"),
            "unknown bind option 'OPEN'; expected one of open, ",
        ),
        (
            lambda twin: twin.put("QM1", "A", bind="never"),
            "unknown bind option 'never'; expected one of open, ",
        ),
        (
            lambda twin: twin.explain("QM1", ExplainRequest(queue="A", bind="x")),
            "unknown bind option 'x'; expected one of ",
        ),
        (
            lambda twin: twin.put("QM1", "A", profile="v9"),
            "unknown order of the rules 'v9'; expected one of v8, v7$",
        ),
        (
            lambda twin: twin.open_queue("QM1", "A", profile="8"),
            "unknown order of the rules '8'; expected one of ",
        ),
        (
            lambda twin: twin.observe_channel("QM1", "C", at=twin.clock(), status="FLYING"),
            "unknown channel status 'FLYING'; expected one of INACTIVE, ",
        ),
    ],
)
def test_an_unknown_word_is_refused(twin: Twin, call: Callable[[Twin], Any], says: str) -> None:
    """The error is one line that names the known words, and nothing is recorded."""
    twin.crtmqm("QM1")
    twin.strmqm("QM1")
    before = twin.log.head()
    with pytest.raises(BadWord, match=f"^{says}"):
        call(twin)
    assert twin.log.head() == before
