"""The indexes of a repository agree with its records."""

from __future__ import annotations

from collections import Counter, defaultdict

from hypothesis import given
from hypothesis import strategies as st

from tests.rules.test_agenda import TIMES, read_back, run
from tests.rules.test_convergence import cluster
from twin.fold.beliefs import RecordName
from twin.fold.repository import Repository


def demand_true_indexes(repository: Repository) -> None:
    """Compare `by_publication` and the counts of receipts with the records."""
    groups: dict[tuple[str, int], set[RecordName]] = defaultdict(set)
    held: Counter[int] = Counter()
    for name, owners in repository.beliefs.items():
        for owner, belief in owners.items():
            groups[owner, belief.sequence].add(name)
            held[id(belief.receipt)] += 1
    assert {key: {*names} for key, names in repository.by_publication.items()} == groups
    for owners in repository.beliefs.values():
        for belief in owners.values():
            assert belief.receipt.record_count == held[id(belief.receipt)]


@given(st.lists(TIMES, max_size=12))
def test_the_indexes_of_records_are_true(steps: list[tuple[str, object, str]]) -> None:
    """After any history, in memory and read from pages, the indexes agree with the records."""
    sandbox = cluster()
    for step in steps:
        run(sandbox, *step)
    for estate in (sandbox.estate, read_back(sandbox.estate)):
        for qmgr in estate.qmgrs.values():
            demand_true_indexes(qmgr.repository)
