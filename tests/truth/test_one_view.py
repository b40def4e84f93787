"""The view of one queue manager equals the same part of the whole view, also if it was observed."""

from __future__ import annotations

from random import Random

import pytest

from tests.app.test_laws import fresh
from tests.app.test_one import SHOWN
from tests.laws import seeds
from tests.truth.collected_in_part import collect, take
from tests.truth.faulty_clusters import cluster_of
from twin.app.twin import Twin
from twin.model.instants import DAY, Instant


def _told(twin: Twin, name: str, queues: list[str], at: Instant) -> list[object]:
    """Return what a queue manager displays, and where its puts go."""
    told: list[object] = [twin.mqsc(name, as_of=at).run(SHOWN).lines[1:]]
    return [*told, *(twin.ask("explain", on=name, queue=each, as_of=at).rows for each in queues)]


@pytest.mark.parametrize("seed", seeds(11, *range(1, 11), *range(12, 41)))
def test_one_sees_in_its_own_view_what_it_sees_in_the_whole(seed: int) -> None:
    """DISPLAY and explain answer alike from both, now, before and later; some QMIDs were made."""
    with fresh(2) as (simulated, imported):
        truth = cluster_of(simulated, seed)
        made, random = collect(truth), Random(-seed)
        take(made, imported)
        instants = [made[-1].at, random.randrange(made[0].at, made[-1].at + 2 * DAY)]
        queues = sorted({queue for _, queue in truth.shared()})
        asked = [(name, at) for name in truth.names if imported.is_known(name) for at in instants]
        one = [_told(imported, name, queues, at) for name, at in asked]
        imported.views.of_one = lambda as_of, _: imported.views.at(as_of)  # type: ignore[method-assign, assignment]
        assert one == [_told(imported, name, queues, at) for name, at in asked]
