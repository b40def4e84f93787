"""Which findings stand together."""

from __future__ import annotations

from typing import Any

import pytest

from twin.review.doctor.report import grouped, of_one_kind


def row(name: str, **changes: Any) -> dict[str, Any]:
    """Return a finding about an object."""
    common = {"id": "some-rule", "severity": "warning", "finding": "It is wrong.", "known": False}
    return {**common, "object": name, "note": None, "proof": None, "root": None, **changes}


def names(rows: list[dict[str, Any]]) -> list[list[str]]:
    """Return the objects of each group."""
    return [[each["object"] for each in group.members] for group in grouped(rows, dict)]


@pytest.mark.parametrize(
    "other",
    [
        {"known": True},
        {"note": "The file has changed."},
        {"severity": "error"},
        {"finding": "It is worse."},
        {"proof": {"verdict": "not proved"}},
    ],
)
def test_only_findings_that_say_the_same_stand_together(other: dict[str, Any]) -> None:
    """A finding that an earlier run had, or with a note of its own, is not shown as another."""
    assert names([row("A"), row("B"), row("C", **other)]) == [["A", "B"], ["C"]]


def test_what_follows_stands_below_its_cause() -> None:
    """A cause stands alone, with what follows from it; without its cause a finding is a root."""
    cause, root = row("A"), {"id": "some-rule", "object": "A"}
    below = row("C", id="other-rule", root=root)
    first, second = grouped([cause, row("B"), below], dict)
    assert (first.first["object"], [each.first["object"] for each in first.following]) == (
        "A",
        ["C"],
    )
    assert second.first["object"] == "B"
    assert names([below]) == [["C"]]


def test_a_known_finding_is_another_kind() -> None:
    """The overview does not count a finding that an earlier run had among the new ones."""
    kinds = of_one_kind([row("A"), row("B", finding="Else."), row("C", known=True)])
    assert [[each["object"] for each in kind] for kind in kinds] == [["A", "B"], ["C"]]
