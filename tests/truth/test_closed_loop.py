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
from tests.truth.faulty_clusters import FAULTS, SETTINGS, Truth, cluster_of
from tests.truth.not_carried import NOT_CARRIED
from twin.app.twin import Twin
from twin.model.instants import HOUR

_LOOPS: Final = (1, 2)
"""The estates of every run: in 1 a queue manager was built again."""

_WRONG: Final = tuple(each for each in FAULTS if each != "rebuilt")
"""What goes wrong in the other estates."""

_WORST: Final = ("cut", "demoted repository", "down", "leaver", "messages wait")
"""What of it changes most of what is believed: it is tried in every run."""


_ALL: Final = 2 * len(FAULTS)

_SEVERAL: Final = "several"
"""Two to four things go wrong, as they are drawn."""


def _built(twin: Twin, seed: int, what: str = "rebuilt", imported: Twin | None = None) -> Truth:
    """Return an estate with fix packs, and what is said of it: settings and faults, with `+`.

    Every second one is not built again. What goes down was collected before: it is written out,
    too, while all of it runs.
    """
    said = what.split("+")
    truth = cluster_of(twin, seed, [each for each in said if each in SETTINGS])
    faults = [each for each in said if each in FAULTS]
    if _SEVERAL in said:
        faults += truth.random.sample(sorted(FAULTS), truth.random.randrange(2, 5))
    if "down" in faults and imported:
        loop(truth, imported)
        truth.later(HOUR)
    for fault in faults:
        if what != "rebuilt" or seed % 2:
            truth.faults.append((fault, FAULTS[fault](truth)))
    return truth


@cache
def _broken(seed: int, what: str = "rebuilt") -> tuple[Broken, ...]:
    """Return what differs once an estate was imported, now and 40 days later on a branch."""
    with fresh(2) as (simulated, imported):
        truth = _built(simulated, seed, what, imported)
        loop(truth, imported)
        differences = [*judged(truth, imported)]
        for cell in (*compared(truth, imported, truth.now), *ahead(truth, imported)):
            differences += differing(truth, cell)
        return tuple(differences)


def _check(seed: int, what: str = "rebuilt") -> None:
    """Check that all is as before, but for what no file carries."""
    wrong = [
        f"seed {seed}, {what}: {each.question} {each.text}"
        for each in _broken(seed, what)
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


@pytest.mark.parametrize("seed", seeds(5, *range(1, 5), *range(6, 31)))
def test_the_same_holds_for_an_estate_in_which_several_things_go_wrong(seed: int) -> None:
    """Two to four faults at once, and what they do to each other, are as before."""
    _check(seed, _SEVERAL)


@pytest.mark.more
@pytest.mark.parametrize("seed", range(4, 8))
@pytest.mark.parametrize("setting", SETTINGS)
def test_the_same_holds_for_estates_of_every_kind(setting: str, seed: int) -> None:
    """It holds for gateways between clusters, members on z/OS, and what is set in qm.ini."""
    _check(seed, f"{setting}+{_SEVERAL}")


@pytest.mark.more
def test_each_difference_that_no_file_carries_is_needed() -> None:
    """Its estate shows it; a difference that is mended leaves the table."""
    of_loops = [each for each in NOT_CARRIED if each.law == LOOP]
    needless = [one for one in of_loops if not any(map(one.covers, _broken(one.seed, one.fault)))]
    assert needless == []


@pytest.mark.parametrize("seed", seeds(1, *range(2, 41)))
def test_a_part_of_the_files_says_nothing_false(seed: int) -> None:
    """With any part of the files a row is equal, unknown or assumed; none is observed and false.

    Each estate goes wrong in another way, and later ones in several.
    """
    what = [*FAULTS][seed % len(FAULTS)] if seed < _ALL else f"{_SEVERAL}+{SETTINGS[seed % 3]}"
    with fresh(2) as (simulated, imported):
        truth = _built(simulated, seed, what)
        files, logs = written(truth)
        chosen = truth.random.sample(files, truth.random.randrange(1, len(files)))
        imported.ingest_files(chosen, at=truth.now)
        if some := [each for each in logs if truth.random.random() < 0.5]:
            imported.ingest_feeds(some)
        false = [
            each
            for cell in (*compared(truth, imported, truth.now), *ahead(truth, imported))
            if cell.is_false_sight
            for each in differing(truth, cell)
        ]
        assert false == []
