"""Names that MQ allows nowhere, and counts, are refused before anything is recorded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from twin.app.counting import BadBatch, BadCount
from twin.app.naming import BadName
from twin.app.twin import Twin
from twin.app.wording import BadWord
from twin.questions.explain import ExplainRequest

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
def test_a_name_that_nothing_can_have_is_refused(twin: Twin, call: Callable[[Twin], Any]) -> None:
    """In one line, and nothing is recorded."""
    twin.crtmqm("QM1")
    twin.strmqm("QM1")
    before = twin.log.head()
    with pytest.raises(BadName, match=r"is no [a-z ]+ name: 1 to [24][08] of"):
        call(twin)
    assert twin.log.head() == before


@pytest.mark.parametrize("count", [0, -1, 1_000_000_000])
def test_a_number_of_messages_that_no_queue_could_hold_is_refused(twin: Twin, count: int) -> None:
    """None, or more than the highest MAXDEPTH; nothing is recorded."""
    twin.crtmqm("QM1")
    twin.strmqm("QM1")
    before = twin.log.head()
    with pytest.raises(BadCount, match=f"^{count} messages are not put at once: 1 to 999,999,999$"):
        twin.put("QM1", "A", count=count)
    assert twin.log.head() == before


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda twin: twin.get("QM1", "A", count=-2), "-2 messages are not got at once: 1 to"),
        (lambda twin: twin.get("QM1", "A", count=0), "0 messages are not got at once: 1 to"),
        (
            lambda twin: twin.observe_channel("QM1", "C", at=twin.clock(), curmsgs=-3),
            "-3 messages are not seen in a batch: 0 to",
        ),
        (
            lambda twin: twin.observe_channel("QM1", "C", at=twin.clock(), sent=-1),
            "-1 messages are not seen in a batch: 0 to",
        ),
    ],
)
def test_a_number_of_messages_that_nobody_gets_or_sees_is_refused(
    twin: Twin, call: Callable[[Twin], Any], says: str
) -> None:
    """Less than none, that is, and nothing to get; nothing is recorded."""
    twin.crtmqm("QM1")
    twin.strmqm("QM1")
    before = twin.log.head()
    with pytest.raises((BadCount, BadBatch), match=f"^{says} 999,999,999$"):
        call(twin)
    assert twin.log.head() == before


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda twin: twin.open_queue("QM1", "A", bind="OPEN"), "'OPEN' is no binding: open, "),
        (lambda twin: twin.put("QM1", "A", bind="never"), "'never' is no binding: open, "),
        (
            lambda twin: twin.explain("QM1", ExplainRequest(queue="A", bind="x")),
            "'x' is no binding: ",
        ),
        (lambda twin: twin.put("QM1", "A", profile="v9"), "'v9' is no order of the rules: v8, v7"),
        (lambda twin: twin.open_queue("QM1", "A", profile="8"), "'8' is no order of the rules: "),
        (
            lambda twin: twin.ask("explain", on="QM1", queue="A", profile="V8"),
            "'V8' is no order of the rules: ",
        ),
        (
            lambda twin: twin.observe_channel("QM1", "C", at=twin.clock(), status="FLYING"),
            "'FLYING' is no channel status: INACTIVE, ",
        ),
    ],
)
def test_a_word_that_is_none_of_those_there_are_is_refused(
    twin: Twin, call: Callable[[Twin], Any], says: str
) -> None:
    """In one line that says which there are, and nothing is recorded."""
    twin.crtmqm("QM1")
    twin.strmqm("QM1")
    before = twin.log.head()
    with pytest.raises(BadWord, match=f"^{says}"):
        call(twin)
    assert twin.log.head() == before
