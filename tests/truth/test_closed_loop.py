"""The closed loop: an estate that twin simulates, writes out and imports again is the same."""

from __future__ import annotations

from functools import cache
from typing import Final

import pytest

from tests.app.test_laws import fresh
from tests.laws import seeds
from tests.truth.broken import LOOP, Broken
from tests.truth.closed_loop import differing, judged, loop, written
from tests.truth.comparing import ahead, compared
from tests.truth.faulty_clusters import FAULTS, Truth, cluster_of
from tests.truth.not_carried import NOT_CARRIED
from twin.app.twin import Twin
from twin.model.instants import HOUR

_LOOPS: Final = (1, 2)
"""The estates of every run: in 1 a queue manager was built again."""

_WRONG: Final = tuple(each for each in FAULTS if each != "rebuilt")
"""What goes wrong in the other estates."""

_WORST: Final = ("cut", "demoted repository", "down", "leaver", "messages wait")
"""What of it changes most of what is believed: it is tried in every run."""


def _built(twin: Twin, seed: int, fault: str = "rebuilt", imported: Twin | None = None) -> Truth:
    """Return an estate with fix packs and a fault; every second one is not built again.

    What goes down was collected before: it is written out, too, while all of it runs.
    """
    truth = cluster_of(twin, seed)
    if fault == "down" and imported:
        loop(truth, imported)
        truth.later(HOUR)
    if fault != "rebuilt" or seed % 2:
        truth.faults.append((fault, FAULTS[fault](truth)))
    return truth


@cache
def _broken(seed: int, fault: str = "rebuilt") -> tuple[Broken, ...]:
    """Return what differs once an estate was imported, now and 40 days later on a branch."""
    with fresh(2) as (simulated, imported):
        truth = _built(simulated, seed, fault, imported)
        loop(truth, imported)
        differences = [*judged(truth, imported)]
        for cell in (*compared(truth, imported, truth.now), *ahead(truth, imported)):
            differences += differing(cell)
        return tuple(differences)


def _check(seed: int, fault: str = "rebuilt") -> None:
    """Check that all is as before, but for what no file carries."""
    wrong = [
        f"seed {seed}, {fault}: {each.question} {each.text}"
        for each in _broken(seed, fault)
        if not any(one.covers(each) for one in NOT_CARRIED)
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("seed", _LOOPS)
def test_an_estate_that_is_written_out_and_imported_is_the_same(seed: int) -> None:
    """Reconcile agrees, doctor and plan say the same, and so do rows, now and 40 days later."""
    _check(seed)


@pytest.mark.parametrize("seed", seeds(3, 4, 5, 6, *range(7, 22)))
def test_the_same_holds_for_many_estates(seed: int) -> None:
    """The same is true of other estates."""
    _check(seed)


@pytest.mark.parametrize("fault", _WORST)
def test_the_same_holds_for_an_estate_that_goes_wrong(fault: str) -> None:
    """What is wrong, and shows in a file, is as before once it was imported."""
    _check(5, fault)


@pytest.mark.more
@pytest.mark.parametrize("seed", range(2, 14))
@pytest.mark.parametrize("fault", _WRONG)
def test_the_same_holds_for_many_estates_that_go_wrong(seed: int, fault: str) -> None:
    """The same is true of other estates that go wrong."""
    _check(seed, fault)


@pytest.mark.more
def test_each_difference_that_no_file_carries_is_needed() -> None:
    """Its estate shows it; a difference that is mended leaves the table."""
    of_loops = [each for each in NOT_CARRIED if each.law == LOOP]
    needless = [one for one in of_loops if not any(map(one.covers, _broken(one.seed, one.fault)))]
    assert needless == []


@pytest.mark.parametrize("seed", seeds(1, *range(2, 19)))
def test_a_part_of_the_files_says_nothing_false(seed: int) -> None:
    """With any part of the files a row is equal, unknown or assumed; none is observed and false.

    Each estate goes wrong in another way.
    """
    with fresh(2) as (simulated, imported):
        truth = _built(simulated, seed, [*FAULTS][seed % len(FAULTS)])
        files, logs = written(truth)
        chosen = truth.random.sample(files, truth.random.randrange(1, len(files)))
        imported.ingest_files(chosen, at=truth.now)
        if some := [each for each in logs if truth.random.random() < 0.5]:
            imported.ingest_feeds(some)
        false = [
            each
            for cell in (*compared(truth, imported, truth.now), *ahead(truth, imported))
            if cell.is_false_sight
            for each in differing(cell)
        ]
        assert false == []
