"""The transmission queue of a cluster-sender channel."""

from __future__ import annotations

import pytest

from tests.sandbox import Sandbox
from twin.rules.queues.transmission_queues import Selection, select


def selected(*patterns: str, channel: str = "CA.QM1", default: str = "SCTQ") -> Selection:
    """Return the choice for a channel among queues X0, X1 ... with these patterns."""
    sandbox = Sandbox().create("QM9")
    sandbox.run("QM9", f"ALTER QMGR DEFCLXQ({default})")
    for number, pattern in enumerate(patterns):
        sandbox.run("QM9", f"DEFINE QLOCAL(X{number}) USAGE(XMITQ) CLCHNAME('{pattern}')")
    return select(sandbox.estate.qmgr("QM9"), channel)


def test_without_patterns_the_default_is_the_shared_queue() -> None:
    """With DEFCLXQ(SCTQ), every channel uses SYSTEM.CLUSTER.TRANSMIT.QUEUE."""
    assert selected().queue == "SYSTEM.CLUSTER.TRANSMIT.QUEUE"


def test_the_default_may_be_a_queue_per_channel() -> None:
    """With DEFCLXQ(CHANNEL), each channel has its own queue."""
    assert selected(default="CHANNEL").queue == "SYSTEM.CLUSTER.TRANSMIT.CA.QM1"


@pytest.mark.parametrize(
    ("patterns", "queue"),
    [
        (("CA.*", "CA.QM1"), "X1"),
        (("C*M1", "C*"), "X1"),
        (("C*", "CA.*"), "X1"),
        (("*A*M1", "*M1"), "X1"),
        (("CB.*",), "SYSTEM.CLUSTER.TRANSMIT.QUEUE"),
        (("*",), "X0"),
    ],
)
def test_the_more_specific_pattern_wins(patterns: tuple[str, ...], queue: str) -> None:
    """An exact name precedes one trailing asterisk, then other patterns, then the default."""
    assert selected(*patterns).queue == queue


def test_a_pattern_beats_the_default_of_a_queue_per_channel() -> None:
    """A matching CLCHNAME is used whatever DEFCLXQ says."""
    assert selected("CA.*", default="CHANNEL").queue == "X0"


def test_a_dot_in_a_pattern_is_a_dot() -> None:
    """Only the asterisk is a wildcard in a pattern."""
    assert selected("C.QM1*").pattern == ""


def test_the_same_pattern_twice_leaves_the_choice_open() -> None:
    """Queues with equal CLCHNAMEs are all candidates; the first by name is used."""
    found = selected("CA.QM1", "CA.QM1", "CA.*")
    assert found.ambiguous
    assert (found.queue, found.candidates) == ("X0", ("X0", "X1"))


def test_a_queue_that_is_no_transmission_queue_does_not_count() -> None:
    """CLCHNAME has no effect on a queue with USAGE(NORMAL)."""
    sandbox = Sandbox().create("QM9")
    sandbox.run("QM9", "DEFINE QLOCAL(X0) CLCHNAME('CA.*')")
    assert select(sandbox.estate.qmgr("QM9"), "CA.QM1").pattern == ""
