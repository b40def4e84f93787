"""Files of saved answers are read line by line, whatever their length."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterator
from typing import Final

import pytest

from benchmarks.reading_logs import CHANNELS, statuses
from twin.feeds.detect import FileFormat
from twin.feeds.observed_captures import CapturesObserved, observe_captures
from twin.feeds.reading.not_understood import MOST_ALIKE
from twin.fold.estate import Estate

_SESSION: Final = "Starting MQSC for queue manager QM1.\n"
_END: Final = "One MQSC command read.\n"
_MEMBER: Final = """\
AMQ8441I: Display Cluster Queue Manager details.
   CLUSQMGR(QM2)                           CHANNEL(TO.QM2)
   CLUSTER(CA)                             CLUSDATE(2026-02-01)
   CLUSTIME(09.00.00)                      DEFTYPE(CLUSSDRA)
   QMID(QM2_2025-01-01_10.00.00)           STATUS({status})
"""


def observed(lines: Iterator[str]) -> CapturesObserved:
    """Read the lines of a file."""
    return observe_captures(lines, FileFormat.RUNMQSC_OUTPUT, qmgr=None, estate=Estate())


def connections(number: int) -> Iterator[str]:
    """Yield one answer about so many connections."""
    yield _SESSION
    yield "     1 : DISPLAY CONN(*) ALL\n"
    for each in range(number):
        yield "AMQ8276I: Display Connection details.\n"
        yield f"   CONN({each:016X})\n"
        yield f"   APPLDESC({each:900})\n"
    yield _END


def nonsense(number: int) -> Iterator[str]:
    """Yield one answer with so many lines that are no part of it."""
    yield _SESSION
    yield "     1 : DISPLAY CONN(*) ALL\n"
    for each in range(number):
        yield f"what is this? {each}\n"
    yield _END


def _peak(lines: Iterator[str]) -> int:
    tracemalloc.start()
    try:
        observed(lines)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("write", "number"),
    [(statuses, 80 * CHANNELS), (connections, 3_000), (nonsense, 5_000)],
    ids=["channels", "connections", "nonsense"],
)
def test_memory_does_not_grow_with_the_length_of_a_file(
    write: Callable[[int], Iterator[str]], number: int
) -> None:
    """Three times as many lines that say nothing new take no more than a MiB more."""
    observed(write(1))  # what is imported on the way counts for neither
    assert _peak(write(3 * number)) < _peak(write(number)) + (1 << 20)


def test_an_answer_that_a_file_has_many_times_is_one_statement() -> None:
    """All of them count as commands; of the statuses of a channel, the worst counts."""
    command = "     1 : DISPLAY CLUSQMGR(*) ALL\n"
    polls = [
        _SESSION + command + _MEMBER.format(status=status) + _END
        for status in ("RUNNING", "RETRYING", "RUNNING")
    ]
    seen = observed(iter("".join(polls).splitlines()))
    assert not seen.not_understood[1:], "each of them is complete"
    assert (seen.counts["commands"], seen.counts["taken"]) == (3, 3)
    assert len(seen.events) == 1


def test_of_many_parts_of_one_kind_the_first_are_kept_and_the_others_counted() -> None:
    """The counts stay exact."""
    seen = observed(nonsense(MOST_ALIKE + 500))
    assert len(seen.not_understood) == MOST_ALIKE + 1
    assert max(each.number for each in seen.not_understood) == 500


def test_a_status_that_is_none_and_a_depth_that_is_none_are_reported() -> None:
    """The rows beside them count."""
    text = """\
Starting MQSC for queue manager QM1.
     1 : DISPLAY CHSTATUS(*) ALL
AMQ8417I: Display Channel Status details.
   CHANNEL(TO.QM2)   CHLTYPE(CLUSSDR)
   STATUS(RUNNING)
AMQ8417I: Display Channel Status details.
   CHANNEL(TO.QM3)   CHLTYPE(CLUSSDR)
   STATUS(EXPLODED)
     2 : DISPLAY QSTATUS(*) CURDEPTH
AMQ8450I: Display queue status details.
   QUEUE(Q1)   CURDEPTH(-1)
AMQ8450I: Display queue status details.
   QUEUE(Q2)   CURDEPTH(7)
2 MQSC commands read.
"""
    seen = observed(iter(text.splitlines()))
    assert [each[1:3] for each in seen.not_understood] == [
        ("STATUS(EXPLODED)", "is no status of a channel"),
        ("CURDEPTH(-1)", "is no number of messages"),
    ]
    assert [type(each).__name__ for each in seen.states] == [
        "DepthsObserved",
        "ChannelObserved",
        "ChannelsListed",
    ]


def test_answers_in_a_list_may_begin_with_their_lines() -> None:
    """A list of answers of mqweb, one on a line, is one document, and not torn."""
    row = '{"parameters":{"channel":"TO.QM2","chltype":"CLUSSDR","status":"RUNNING"}}'
    answer = f'{{"commandResponse":[{row}],"overallCompletionCode":0}}'
    lines = iter(["[" + answer + ",", answer + ",", answer + "]"])
    seen = observe_captures(lines, FileFormat.MQWEB_ANSWERS, qmgr="QM1", estate=Estate())
    assert (seen.counts["commands"], seen.not_understood) == (3, ())
