"""Queue managers that were rebuilt under their name, or are gone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.app.scenes import LATER, START, build, make_twin, picture
from tests.app.test_laws import fresh
from tests.declared_rows import problems
from tests.feeds.test_dumps import OWN, QUEUE, dump
from tests.laws import examples
from twin import events
from twin.app.acting import Fact
from twin.app.observing import FileText
from twin.app.twin import Twin
from twin.model.instants import DAY, HOUR

CHANNELS = """DEFINE CHANNEL('CA.QM7') CHLTYPE(CLUSRCVR) +
   CONNAME('qm7(1414)') CLUSTER(CA) +
   REPLACE
DEFINE CHANNEL('CA.FR1') CHLTYPE(CLUSSDR) +
   CONNAME('fr1(1414)') CLUSTER(CA) +
   REPLACE
"""
OLD = "QM7_2025-12-31_23.59.58"
NEW = "QM7_2026-01-05_08.00.00"
REBUILT = OWN.replace(OLD, NEW).replace("2025-12-31", "2026-01-05").replace("23.59.58", "08.00.00")


@pytest.fixture
def twin(tmp_path: Path) -> Iterator[Twin]:
    """Build a cluster of which QM7 was observed."""
    with make_twin(f"sqlite:///{tmp_path / 'twin.db'}", lambda: LATER) as twin:
        build(twin)
        twin.ingest_files([FileText(dump(OWN, CHANNELS, QUEUE.format(depth=1)))], at=START + DAY)
        yield twin


def members(twin: Twin, **options: Any) -> list[Any]:
    """Return the QMIDs of the members that are called QM7."""
    rows = twin.ask("members", **options).rows
    return [row["qmid"] for row in rows if row["qmgr"] == "QM7"]


def test_a_rebuilt_queue_manager_replaces_the_one_before(twin: Twin) -> None:
    """A dump with a later QMID is of another queue manager: it has only what the dump says."""
    rebuilt = dump(REBUILT, CHANNELS)
    (seen,) = twin.ingest_files([FileText(rebuilt)], at=START + 6 * DAY)
    assert not seen.not_understood
    estate, _ = twin.view(as_of=START + 6 * DAY)
    assert estate.qmgr("QM7").qmid == NEW
    assert ("QUEUE", "A") not in estate.qmgr("QM7").definitions
    assert members(twin, as_of=START + 7 * DAY) == [OLD, NEW]
    assert members(twin, as_of=START + 5 * DAY) == [OLD]
    assert members(twin, as_of=START + 120 * DAY) == [NEW]


def test_what_others_hold_of_it_is_a_row_without_a_command_that_destroys(twin: Twin) -> None:
    """Ask ingest names the old queue manager, its holders and until when; it may still run."""
    twin.ingest_files([FileText(dump(REBUILT, CHANNELS))], at=START + 6 * DAY)
    answer = twin.ask("ingest", kind="replaced", as_of=START + 7 * DAY)
    assert not problems(answer)
    (row,) = answer.rows
    assert (row["name"], row["by"]) == ("QM7", OLD)
    assert row["why"] == (
        f"{NEW} has its name now; FR1, FR2 hold it until 2026-04-02T00:00:00Z;"
        " nothing says whether it still runs: DISPLAY QMGR QMID there does"
    )
    assert not twin.ask("ingest", kind="replaced", as_of=START + 120 * DAY).rows


@pytest.mark.parametrize("is_newer_first", [True, False])
def test_one_that_was_replaced_was_seen_as_long_as_it_had_the_name(
    tmp_path: Path, *, is_newer_first: bool
) -> None:
    """Members say when each of the two was itself seen last, imported in whatever order."""
    files = [(dump(OWN, CHANNELS), START + DAY), (dump(REBUILT, CHANNELS), START + 6 * DAY)]
    with make_twin(f"sqlite:///{tmp_path / 'twin.db'}", lambda: LATER) as twin:
        build(twin)
        for text, at in reversed(files) if is_newer_first else files:
            twin.ingest_files([FileText(text)], at=at)
        rows = twin.ask("members", as_of=START + 7 * DAY).rows
    found = {row["qmid"]: row["last_seen"] for row in rows if row["qmgr"] == "QM7"}
    assert found == {OLD: START + DAY, NEW: START + 6 * DAY}


def test_an_earlier_qmid_and_a_made_one_do_not_replace_it(twin: Twin) -> None:
    """A dump with an earlier QMID is of the same name only; a QMID that was made gives way."""
    earlier = OWN.replace(OLD, "QM7_2020-01-01_00.00.00")
    (seen,) = twin.ingest_files([FileText(dump(earlier, CHANNELS))], at=START + 6 * DAY)
    assert "which is kept" in seen.not_understood[0].why
    assert twin.view()[0].qmgr("QM7").qmid == OLD


def test_a_queue_manager_that_is_gone_is_held_by_others_until_they_forget(twin: Twin) -> None:
    """It is no longer there; its record stays for 90 days, and the row says what clears it."""
    gone = events.QueueManagerGone(qmgr="QM7", renamed="QM8")
    twin.record_observations([Fact(gone, "observation:gone")], at=START + 10 * DAY)
    assert "QM7" not in twin.view()[0].qmgrs
    assert members(twin, as_of=START + 11 * DAY) == [OLD]
    (row,) = twin.ask("ingest", kind="replaced", as_of=START + 11 * DAY).rows
    assert str(row["why"]).startswith("is gone; FR1, FR2 hold it until ")
    assert members(twin, as_of=START + 120 * DAY) == []


def test_that_an_unknown_queue_manager_is_gone_says_nothing(twin: Twin) -> None:
    """It is recorded, and nothing follows."""
    before = picture(twin.view()[0])
    gone = Fact(events.QueueManagerGone(qmgr="QM99"), "observation:gone")
    twin.record_observations([gone], at=LATER)
    assert picture(twin.view()[0]) == before


@examples(cost=4)
@given(st.permutations(range(4)))
def test_no_order_of_these_facts_changes_an_answer(order: list[int]) -> None:
    """Dumps of both, and that it is gone, may be recorded in any order."""
    at = [START + DAY, START + 6 * DAY, START + 6 * DAY, START + 9 * DAY]
    files = [
        FileText(dump(OWN, CHANNELS)),
        FileText(dump(OWN, CHANNELS, QUEUE.format(depth=1))),
        FileText(dump(REBUILT, CHANNELS)),
    ]

    def record(twin: Twin, number: int) -> None:
        if number == len(files):
            gone = Fact(events.QueueManagerGone(qmgr="QM7"), "observation:gone")
            twin.record_observations([gone], at=at[number])
        else:
            twin.ingest_files([files[number]], at=at[number])

    with fresh(2) as (one, other):
        build(one)
        build(other)
        for number in range(4):
            record(one, number)
        for number in order:
            record(other, number)
        for point in [*at, at[-1] + HOUR]:
            assert picture(one.view(as_of=point)[0]) == picture(other.view(as_of=point)[0])


@pytest.mark.parametrize("order", [1, -1])
def test_from_the_date_in_a_later_qmid_on_nothing_is_observed(order: int) -> None:
    """The next one may exist since then, less 14 hours for its zone: until it is seen, all is old.

    Nothing else changes between the two, and it does not matter which file came first.
    """
    with fresh(1) as (twin,):
        files = [(dump(OWN, CHANNELS, QUEUE.format(depth=1)), 1), (dump(REBUILT, CHANNELS), 6)]
        for text, days in files[::order]:
            twin.ingest_files([FileText(text)], at=START + days * DAY)
        built = START + 4 * DAY + 8 * HOUR
        for at, basis in (
            (START + DAY, "observed"),
            (built - 14 * HOUR - 1, "observed"),
            (built - 14 * HOUR, "assumed"),
            (START + 6 * DAY - 1, "assumed"),
            (START + 6 * DAY, "observed"),
        ):
            answer = twin.ask("lifetimes", on="QM7", owner="QM7", kind="qmgr", as_of=at)
            (row,), bases = answer.rows, answer.basis_of or ({},)
            assert bases[0].get("name", row["basis"]) == basis
            assert row["qmid"] == (NEW if at == START + 6 * DAY else OLD)
            assert not any("not known between" in each for each in answer.notes)
