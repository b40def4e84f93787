"""The lake has what an observation says, also where the log stores a reference."""

from __future__ import annotations

import json
from pathlib import Path

from tests.app.scenes import LATER, START, make_twin
from tests.feeds.test_dumps import QUEUE, dump
from twin.history.arrow import lake_batches
from twin.model.instants import DAY


def test_the_lake_has_what_a_reference_refers_to(tmp_path: Path) -> None:
    """A file imported again is a reference in the log, and has its whole text in the lake."""
    url = f"sqlite:///{tmp_path}/twin.db"
    with make_twin(url, lambda: LATER) as twin:
        for day in (0, 1):
            twin.ingest(dump(QUEUE.format(depth=3)), qmgr=None, at=START + day * DAY)
        last = twin.log.last().position
    rows = [row for batch in lake_batches(url, first=1, last=last) for row in batch.to_pylist()]
    first, again = (json.loads(row["body"]) for row in rows if row["type"] == "ObjectsObserved")
    assert "same_as" in again
    assert again["said"] == first["said"]
    assert again["said"][0]["name"] == "A"
