"""A queue manager that was not imported is neither ended nor deleted, nor out of reach."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Final

import pytest

from tests.app.importing.collected_cluster import clusqmgr, dump, qmid
from tests.app.test_laws import fresh
from twin.app.observing import FileText
from twin.app.twin import Twin
from twin.model.instants import DAY, HOUR, format_instant, parse_instant
from twin.questions.measures.measuring import LastObserved, last_observed

AT: Final = parse_instant("2026-01-01T07:00:00Z", now=0)
NAMES: Final = ("DAIRY1", "DAIRY2", "SHOP1")
FULL: Final = NAMES[:2]
NEVER: Final = "FARM9"

QUEUES: Final = """     2 : DISPLAY QCLUSTER(*) ALL
AMQ8409I: Display Queue details.
   QUEUE(BUTTER)                           TYPE(QCLUSTER)
   CLUSDATE(2025-12-20)                    CLUSTIME(10.00.00)
   CLUSQMGR({0})                           CLUSQT(QLOCAL)
   CLUSTER(MILK)                           PUT(ENABLED)
   DEFBIND(NOTFIXED)                       QMID({1})
One MQSC command read.
No commands have a syntax error.
"""


@pytest.fixture
def twin() -> Iterator[Twin]:
    """Return a twin that knows three queue managers, and a record of a fourth."""
    members = [(name, qmid(name)) for name in (*NAMES, NEVER)]
    answer = clusqmgr("DAIRY1", members, full=FULL).replace(
        "One MQSC command read.\n", QUEUES.format(NEVER, qmid(NEVER))
    )
    with ExitStack() as stack:
        twin = stack.enter_context(fresh(1))[0]
        twin.ingest_files(
            [FileText(dump(name, FULL[name == FULL[0]], full=name in FULL)) for name in NAMES],
            at=AT,
        )
        twin.ingest_files([FileText(answer)], at=AT + HOUR)
        yield twin


def test_it_is_not_said_to_have_ended(twin: Twin) -> None:
    """What depends on it is not checked, and its queue has an instance."""
    for at in (AT + HOUR, AT + 2 * HOUR, AT + 40 * DAY):
        answer = twin.ask("doctor", as_of=at)
        found = {str(row["id"]): str(row["finding"]) for row in answer.rows}
        assert "all-instances-ended" not in found
        assert "full-repositories-disagree" not in found
        assert "1 of 1 queue has one instance: BUTTER." in found["single-instance"]
        assert any(f"not in the twin: {NEVER}" in note for note in answer.notes)


def test_its_records_differ_from_nothing(twin: Twin) -> None:
    """Nobody knows its definitions, so a note names it, and no row says that it has none."""
    answer = twin.ask("divergence", as_of=AT + HOUR)
    assert NEVER not in {row["owner"] for row in answer.rows}
    assert f"not compared, definitions not known: {NEVER}" in answer.notes


def test_a_message_for_it_is_no_failure(twin: Twin) -> None:
    """On a branch, the channel to it neither runs nor retries, for days."""
    twin.create_branch("what-if")
    with Twin(twin.log, branch="what-if", clock=twin.clock) as branch:
        branch.put("DAIRY1", "BUTTER")
        branch.tick(upto=branch.now() + 3 * DAY)
        statuses = {
            row["status"] for row in branch.ask("channels").rows if NEVER in str(row["channel"])
        }
        assert "RETRYING" not in statuses
        (row,) = branch.ask("transmission").rows
        assert row["qmgr"] == NEVER


def test_it_becomes_known_by_its_own_dump(twin: Twin) -> None:
    """Once it is imported it continues what others hold of it, and nothing is there twice."""
    twin.ingest_files([FileText(dump(NEVER, "DAIRY1"))], at=AT + DAY)
    rows = [row for row in twin.ask("members", as_of=AT + DAY).rows if row["qmgr"] == NEVER]
    assert [row["qmid"] for row in rows] == [qmid(NEVER)]
    estate, _ = twin.view(as_of=AT + DAY)
    assert not estate.named
    assert not estate.departed


def test_one_that_was_stated_to_be_gone_has_ended(twin: Twin) -> None:
    """What a user states is known: then its record may be removed by force."""
    twin.ingest_files([FileText(dump(NEVER, "DAIRY1"))], at=AT + DAY)
    twin.state_gone(NEVER, at=AT + 2 * DAY)
    found = {str(row["id"]): row for row in twin.ask("doctor", as_of=AT + 2 * DAY).rows}
    assert NEVER in str(found["all-instances-ended"]["finding"])


def test_one_of_which_only_records_are_known_can_be_stated_to_be_gone(twin: Twin) -> None:
    """It is then neither missing nor unknown; members, the doctor and metrics say since when."""
    at = AT + 2 * HOUR
    before = str(twin.ask("ingest", as_of=AT + HOUR).rows)
    assert twin.state_gone(NEVER, at=at)
    assert not twin.state_gone(NEVER, at=at + HOUR)
    answer = twin.ask("members", as_of=at + HOUR)
    assert (
        f"{NEVER} ({qmid(NEVER)}) was deleted, or stated to be gone, at {format_instant(at)}"
        in (answer.notes)
    )
    asked = [str(row) for row in twin.ask("ingest", as_of=at + HOUR).rows if row["kind"] != "file"]
    assert f"'name': '{NEVER}'" in before
    assert not [row for row in asked if f"'name': '{NEVER}'" in row]
    assert LastObserved(NEVER, "gone", at) in last_observed(twin.view(as_of=at + HOUR)[0])
    estate, _ = twin.view(as_of=AT + HOUR)
    assert qmid(NEVER) in estate.named
