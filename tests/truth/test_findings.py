"""What findings of the doctor rest on: one that is called observed rests on what was seen."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

import pytest

from tests.app.test_laws import fresh
from tests.laws import seeds
from tests.truth.collected_in_part import collect, take
from tests.truth.faulty_clusters import cluster_of
from twin.app.twin import Twin
from twin.events.base import Observation
from twin.events.catalogue import decode
from twin.model.basis import Basis
from twin.model.instants import DAY, Instant
from twin.questions.basis import basis_of_content

_AS_SEEN: Final = frozenset(
    {"ObjectsDated", "ObjectsImplied", "ChannelStatusChanged", "QueueManagerSuspended"}
)
"""Derived events that have the date of what a sight showed."""


def _held(twin: Twin, at: Instant) -> dict[int, set[Basis]]:
    """Return the position of each record that is held, with what it rests on."""
    estate, _ = twin.view(as_of=at)
    held: dict[int, set[Basis]] = defaultdict(set)
    for observer in estate.qmgrs.values():
        for key, owners in observer.repository.beliefs.items():
            for belief in owners.values():
                held[belief.position].add(basis_of_content(observer, key, belief))
    return held


def _unseen(twin: Twin, at: Instant) -> Iterator[str]:
    """Yield the findings that are called observed, with evidence that nobody saw."""
    answer, held = twin.ask("doctor", as_of=at), _held(twin, at)
    seen = {fact.position for fact in twin.log.events() if _is_seen(fact.type, fact.body)}
    for row, evidence in zip(answer.rows, answer.evidence, strict=True):
        for position in evidence if row["basis"] == "observed" else ():
            if position not in seen and Basis.OBSERVED not in held[position]:
                yield f"{row['id']} {row['object']}: {position}"


def _is_seen(column: str, body: str) -> bool:
    """Return whether an event is a sight, or has the date of what a sight showed."""
    event = decode(column, body)
    is_sight = isinstance(event, Observation) and not getattr(event, "undated", None)
    return is_sight or type(event).__name__ in _AS_SEEN


def _check(seed: int) -> None:
    with fresh(2) as (simulated, imported):
        truth = cluster_of(simulated, seed)
        made = collect(truth)
        take(made, imported)
        for later in (0, 40 * DAY):
            assert not list(_unseen(imported, made[-1].at + later))


@pytest.mark.parametrize("seed", range(6))
def test_a_finding_that_is_called_observed_rests_on_what_was_seen(seed: int) -> None:
    """Its evidence is a sight, what a sight dates, or a record that somebody was seen to hold."""
    _check(seed)


@pytest.mark.parametrize("tens", seeds(-1, *range(1, 9))[1:])
def test_the_same_holds_for_many_estates(tens: int) -> None:
    """The same law holds for 80 more estates."""
    for seed in range(tens * 10, tens * 10 + 10):
        _check(seed)
