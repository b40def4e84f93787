"""The lake has what an observation says, also where the log stores a reference."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Final

from pyspark.sql import SparkSession

from tests.app.scenes import LATER, START, make_twin
from tests.app.test_seen_again import capture, nothing_shortened
from tests.feeds.test_dumps import QUEUE, dump
from twin.history.arrow import lake_batches
from twin.history.columns import LAKE
from twin.history.history import History
from twin.history.lake import compact, update
from twin.history.metrics import METRICS
from twin.model.instants import DAY, HOUR

_REFERENCE: Final = re.compile('"same_as":"[^"]*",')


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


def _lake(spark: SparkSession, place: Path) -> History:
    """Import a series of captures of which most repeat others, and open its lake."""
    url = f"sqlite:///{place}/twin.db"
    with make_twin(url, lambda: LATER) as twin:
        twin.ingest(dump(QUEUE.format(depth=3)).replace("QM7", "LAKE1"), qmgr=None, at=START)
        for hour, status in enumerate(("RUNNING", "RUNNING", "RETRYING", "RUNNING", "RUNNING")):
            files = [capture("RUNNING", status, "INACTIVE", msgs=min(hour, 3), file=str(hour))]
            twin.ingest_files(files, at=START + hour * HOUR)
    update(None, url, place / "lake")
    compact(None, place / "lake")
    return History.open(spark, place / "lake")


def _said(history: History) -> list[tuple[str, ...]]:
    """Return all that events say, whatever their positions, ids and times of recording."""
    columns = [name for name in LAKE if name not in ("position", "recorded_at")]
    rows = history.events.select(columns).collect()
    return sorted(tuple(_REFERENCE.sub("", str(each)) for each in row) for row in rows)


def test_rows_that_were_said_again_are_rows_of_the_lake(
    spark: SparkSession, tmp_path: Path
) -> None:
    """Events, coverage and statuses of channels are those of a log without the shortening."""
    for name in ("plain", "short"):
        (tmp_path / name).mkdir()
    with nothing_shortened():
        plain = _lake(spark, tmp_path / "plain")
    short = _lake(spark, tmp_path / "short")
    assert short.about.position < plain.about.position
    assert _said(short) == _said(plain)
    for name in ("coverage", "channel_status_days"):
        one, other = (
            METRICS[name].compute(each.events, each.window(each.extent(), None, None)).collect()
            for each in (plain, short)
        )
        assert one
        assert sorted(map(str, one)) == sorted(map(str, other))
