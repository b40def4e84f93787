"""Records that expired, were removed, and came back."""

from __future__ import annotations

from typing import Any

import pytest
from pyspark.sql import SparkSession

from tests.history.commotion import demand_same_as_sql
from tests.history.repositories import repositories
from tests.history.scene import event, window
from tests.history.together import Asking, ask, together
from tests.laws import seeds
from twin.history.metrics.renewals import LOSSES, losses


def _item(owner: str, sequence: int, *only: str) -> dict[str, Any]:
    named = [["queue", name] for name in only] or None
    return {"owner": owner, "sequence": sequence, "only": named}


def _about(when: str, what: str, *items: dict[str, Any]) -> dict[str, Any]:
    return event(when, f"Information{what}", "FR1", cluster="CA", items=items)


@together
def test_losses_are_counted_by_month_and_a_return_once() -> Asking:
    """A return of an owner is counted once, with its first records after a removal."""
    events = [
        _about("+1d", "Received", _item("A", 1), _item("B", 1)),
        _about("+2d", "Expired", _item("A", 1)),
        _about("+3d", "Expired", _item("A", 2, "P", "Q"), _item("B", 1)),
        _about("+4d", "Removed", _item("A", 1), _item("A", 2, "P", "Q"), _item("B", 1)),
        _about("+5d", "Received", _item("B", 2), _item("B", 3)),
        _about("+5d", "Received", _item("B", 4)),
        _about("+31d", "Expired", _item("A", 3)),
        _about("+31d", "Received", _item("A", 4), _item("C", 1)),
        _about("+40d", "Removed", _item("A", 4)),
    ]
    assert (yield ask(losses, window("+3d", "+40d"), events)) == [
        {
            "month": "2026-01-01",
            "cluster": "CA",
            "qmgr": "FR1",
            "expiries": 2,
            "expired_records": 2,
            "removals": 3,
            "removed_records": 2,
            "owners_lost": 2,
            "returns": 1,
        },
        {
            "month": "2026-02-01",
            "cluster": "CA",
            "qmgr": "FR1",
            "expiries": 1,
            "expired_records": 0,
            "removals": 0,
            "removed_records": 0,
            "owners_lost": 0,
            "returns": 1,
        },
    ]


@pytest.mark.parametrize(
    ("order", "returns"),
    [((("Removed", 1), ("Received", 2)), 1), ((("Received", 2), ("Removed", 1)), 0)],
)
@together
def test_a_removal_and_a_return_at_one_instant_count_in_their_order(
    order: tuple[tuple[str, int], ...], returns: int
) -> Asking:
    """A record received before its removal at the same instant is not a return."""
    acts = [_about("+2d", act, _item("A", number)) for act, number in order]
    (row,) = yield ask(losses, window("+0d", "+3d"), acts)
    assert (row["removals"], row["returns"]) == (1, returns)


@together
def test_where_nothing_was_lost_there_are_no_rows() -> Asking:
    """A record that is received for the first time is not a return."""
    events = [_about("+1d", "Received", _item("A", 1))]
    assert (yield ask(losses, window("+0d", "+3d"), events)) == []


@pytest.mark.parametrize("seed", seeds(3, 4))
def test_losses_are_the_same_in_sql(spark: SparkSession, seed: int) -> None:
    """DuckDB gives the same rows for random events."""
    events = repositories(spark, seed, count=900, days=90)
    assert demand_same_as_sql(LOSSES, events, window("+10d", "+80d")) > 10
