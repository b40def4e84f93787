"""The rule `full-repositories-disagree` at a queue manager that was just made a full repository."""

from __future__ import annotations

import pytest

from tests.app.scenes import START, build, make_twin
from twin.app.twin import Twin
from twin.model.instants import HOUR, MINUTE, SECOND
from twin.questions.answer import Row

MADE = START + HOUR
RULE = "full-repositories-disagree"


@pytest.fixture
def twin(sqlite_url: str) -> Twin:
    """Return a cluster in which PR2 shares ORD, and PR1 knows nothing of it and is connected."""
    twin = build(make_twin(sqlite_url, lambda: START + 3 * HOUR))
    twin.runmqsc("FR2", "ALTER QMGR REPOS(' ')\nSTOP CHANNEL(CA.FR1)", at=START)
    twin.runmqsc(
        "FR1",
        "DEFINE CHANNEL(CA.PR1) CHLTYPE(CLUSSDR) CONNAME('pr1(1414)') CLUSTER(CA)",
        at=START,
    )
    twin.runmqsc("PR2", "DEFINE QLOCAL(ORD) CLUSTER(CA)", at=START)
    return twin


def found(twin: Twin, at: int) -> list[Row]:
    """Return what the rule finds at PR1."""
    rows = twin.ask("doctor", rule=RULE, as_of=at).rows
    return [row for row in rows if str(row["object"]).startswith("PR1 ")]


def test_a_new_full_repository_that_lacks_records_is_a_warning_after_a_minute(twin: Twin) -> None:
    """Nobody answered its request; an hour later the two disagree, which is an error."""
    for other in ("FR1", "FR2", "PR2"):
        twin.link("cut", "PR1", other, at=START + MINUTE)
    twin.runmqsc("PR1", "ALTER QMGR REPOS(CA)", at=MADE)
    assert not found(twin, MADE + SECOND)
    (row,) = found(twin, MADE + 2 * MINUTE)
    assert row["severity"] == "warning"
    assert "that FR1 holds: ORD" in str(row["finding"])
    assert str(row["finding"]).endswith("if FR1 is lost, so are they.")
    (row,) = found(twin, MADE + HOUR)
    assert row["severity"] == "error"


def test_one_that_has_received_all_records_is_no_finding(twin: Twin) -> None:
    """Its requests are answered within the minute."""
    twin.runmqsc("PR1", "ALTER QMGR REPOS(CA)", at=MADE)
    assert not found(twin, MADE + 2 * MINUTE)
