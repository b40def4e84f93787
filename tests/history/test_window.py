"""The window that a report covers if none is given."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.history.scene import at
from twin.history.columns import VERSION
from twin.history.history import Extent, History
from twin.history.lake import About
from twin.log.records import Branch

MAIN = Branch(1, "main", None, 0, 0)
LAB = Branch(2, "lab", "main", 9, at("+2h"))
DEEPER = Branch(3, "deeper", "lab", 12, at("+4h"))


def history(branch: str, **about: Any) -> History:
    """Make a history of a branch, without its events."""
    described = About(VERSION, "", 9, (MAIN, LAB, DEEPER), **about)
    events: Any = None
    return History(Path("lake"), described, branch, events)


@pytest.mark.parametrize(
    ("branch", "asked", "until", "forked"),
    [
        ("main", at("+9d"), at("+9d") + 1, None),  # the last update
        ("main", 0, at("+3h") + 1, None),  # a lake of an older version: the last event
        ("main", at("+1h"), at("+3h") + 1, None),  # a clock that is wrong
        ("lab", at("+9d"), at("+3h") + 1, at("+2h")),
        ("deeper", at("+9d"), at("+4h") + 1, at("+2h")),
    ],
)
def test_a_window_ends_at_the_present_of_its_branch(
    branch: str, asked: int, until: int, forked: int | None
) -> None:
    """Main's present is the last update; that of a branch is its last event, or its fork."""
    extent = Extent(5, at("+0h"), at("+3h"), 2)
    window = history(branch, asked=asked).window(extent, None, None)
    assert window == (at("+0h"), until, forked)


def test_a_given_window_is_kept() -> None:
    """What was asked for is not changed."""
    extent = Extent(5, at("+0h"), at("+3h"), 2)
    window = history("main", asked=at("+9d")).window(extent, at("+1h"), at("+2h"))
    assert window == (at("+1h"), at("+2h"), None)
