"""Import what was collected of a cluster at one or more instants, in any order, also in pieces."""

from __future__ import annotations

from random import Random
from typing import Final

from tests.truth.healthy_clusters import HealthyCluster
from twin.app.twin import Twin
from twin.model.instants import Instant


def collect(built: HealthyCluster, twin: Twin, random: Random) -> Instant:
    """Collect once to three times, and import it all; return the instant of the last collection."""
    collections = [(built.box.as_of.valid, list(built.files()))]
    for _ in range(random.randrange(3)):
        built.live_on(random)
        collections.append((built.box.as_of.valid, list(built.files())))
    last = collections[-1][0]
    if random.random() < _SHUFFLED:
        random.shuffle(collections)
    for at, files in collections:
        if random.random() < _IN_PIECES:
            random.shuffle(files)
            for file in files:
                twin.ingest_files([file], at=at)
        else:
            twin.ingest_files(files, at=at)
    return last


_SHUFFLED: Final = 0.5
_IN_PIECES: Final = 0.3
