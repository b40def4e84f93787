"""`twin reading`."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Run


def test_a_reading_is_chosen_and_printed(cluster: Run) -> None:
    """A reading applies from the instant of its choice."""
    assert cluster("reading").lines[:2] == ["restart=due", "refresh=forget"]
    said = cluster("reading", "restart=republish")
    assert said.out == "reading restart=republish chosen\n"
    assert cluster("reading").lines[:2] == ["restart=republish", "refresh=forget"]
    before = cluster("reading", "--at", "2025-03-03T09:00:00Z").lines
    assert before[:2] == ["restart=due", "refresh=forget"]


@pytest.mark.parametrize(
    ("choice", "problem"),
    [
        ("restart", "reading: expected NAME=VALUE, such as restart=republish, not restart"),
        ("end=now", "unknown reading 'end'; expected one of restart, refresh"),
        ("restart=now", "unknown value of the reading restart 'now'; expected one of due"),
    ],
)
def test_an_unknown_reading_is_refused(cluster: Run, choice: str, problem: str) -> None:
    """What is not a reading, or not one of its values, is refused."""
    said = cluster("reading", choice)
    assert said.code == 20
    assert problem in said.err
