"""Random channel events, to compare a metric with the same metric in SQL."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

import duckdb
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from tests.history.reference import demand_alike, demand_same, statement
from tests.history.scene import as_in_lake, event, plain, told
from tests.history.together import Rows
from twin.history.history import Window
from twin.history.metrics.metric import Metric

_QMGRS: Final = ("QM1", "QM2", "QM3")
_FEEDS: Final = (*["dmpmqcfg"] * 5, "error-log", "amqsevt-json")
_STATUSES: Final = ("RUNNING", "RUNNING", "RETRYING", "RETRYING", "RETRYING", "STOPPED", "INACTIVE")
_RARE: Final = ("BINDING", "STARTING", "BINDING", "STOPPING", "PAUSED")
_RETRIES: Final = (None, None, [2, 60_000_000, 3, 300_000_000], [0, 1_000_000, 5, 7_000_000])
_ATTRIBUTES: Final = ("CLWLPRTY", "CLWLRANK", "DESCR", "CLUSNL")
_OFTEN: Final = (60, 6, 14, 6, 6, 5, 3)
_LIVES: Final = ("Started", "Ended", "Started", "Ended", "Deleted", "Restored")
_MODES: Final = ("QUIESCE", "FORCE")
_OBSERVED: Final = "QM3"


def commotion(spark: SparkSession, seed: int, *, count: int, days: int) -> DataFrame:
    """Make the events of `uproar`, from the first of January 2026 on, with their columns."""
    return told(spark, *uproar(seed, count=count, days=days))


def uproar(seed: int, *, count: int, days: int, before: int = 0) -> list[dict[str, Any]]:
    """Make events of three queue managers over some days, many of them at one instant.

    QM3 is observed, and then created. They begin `before` hours before 2026.
    """
    chosen = random.Random(seed)
    minutes = sorted(
        chosen.randrange(days * 24 * 12) * 5 + chosen.choice((0, 0, 0, 1, 2)) for _ in range(count)
    )
    events = [_one(chosen, f"{minute - before * 60:+}m") for minute in minutes]
    seen = event(f"{1 - before:+}h", "QueueManagerFirstSeen", _OBSERVED, qmid="Q3")
    made = event(f"{days * 21 - before:+}h", "QueueManagerCreated", _OBSERVED, qmid="Q3")
    other = event(f"{-before:+}h", "QueueManagerCreated", "QM1", qmid="Q1")
    return [other, seen, *events, made]


def demand_same_as_sql(metric: Metric, events: DataFrame, window: Window) -> int:
    """Compare a metric with SQL in DuckDB; return the number of rows."""
    with _asked(metric, events.toArrow(), window) as theirs:
        ours = metric.compute(events, window)
        assert ours.columns == list(metric.columns)
        return demand_same(ours, theirs)


def demand_rows_of_sql(
    metric: Metric, events: Sequence[Mapping[str, Any]], window: Window, ours: Rows
) -> int:
    """Compare the rows of a metric, with instants as text, with SQL; return their number."""
    positioned = [{"position": place, **each} for place, each in enumerate(events, start=1)]
    with _asked(metric, as_in_lake(positioned), window) as theirs:
        found = [tuple(map(_without_zone, row)) for row in theirs.fetchall()]
    assert {tuple(row) for row in ours} == {tuple(metric.columns)}
    return demand_alike([tuple(row.values()) for row in ours], found)


@contextmanager
def _asked(metric: Metric, events: pa.Table, window: Window) -> Iterator[duckdb.DuckDBPyConnection]:
    """Ask DuckDB for the rows of a metric."""
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.register("events", events)
        connection.execute(f"SET VARIABLE since = {window.since}")
        connection.execute(f"SET VARIABLE until = {window.until}")
        yield connection.execute(statement(metric.name))


def _without_zone(value: Any) -> Any:
    return plain(value.replace(tzinfo=None) if hasattr(value, "tzinfo") else value)


def _one(chosen: random.Random, when: str) -> dict[str, Any]:
    make = chosen.choices(
        (_status, _life, _object, _attributes, _cluster, _link, _publication), _OFTEN
    )
    return make[0](chosen, when, chosen.choice(_QMGRS), f"CA.{chosen.choice(_QMGRS)}")


def _life(chosen: random.Random, when: str, qmgr: str, channel: str) -> dict[str, Any]:
    fields: dict[str, Any] = {"failed": chosen.random() < 0.3}
    life = chosen.choice(_LIVES)
    if life == "Restored":
        fields["suspended"] = {"CA": chosen.choice(_MODES)} if chosen.random() < 0.5 else {}
    return event(when, f"QueueManager{life}", qmgr, **fields)


def _attributes(chosen: random.Random, when: str, qmgr: str, channel: str) -> dict[str, Any]:
    type_ = chosen.choice(("QueueManagerAltered", "QueueManagerObserved"))
    return event(when, type_, qmgr, values=_values(chosen))


def _cluster(chosen: random.Random, when: str, qmgr: str, channel: str) -> dict[str, Any]:
    types = ("QueueManagerSuspended", "QueueManagerResumed", "RepositoryRefreshed")
    return event(when, chosen.choice(types), qmgr, cluster="CA", mode=chosen.choice(_MODES))


def _link(chosen: random.Random, when: str, qmgr: str, channel: str) -> dict[str, Any]:
    fields: dict[str, Any] = chosen.choice(({"cut": True}, {"cut": False}, {"latency": 5}))
    return event(when, "LinkChanged", qmgr, other=chosen.choice(_QMGRS), **fields)


def _publication(chosen: random.Random, when: str, qmgr: str, channel: str) -> dict[str, Any]:
    receiver = {"kind": "qmgr", "name": channel, "values": {}, "deleted": False}
    records = [{**receiver, "kind": "queue", "name": "Q"}, receiver]
    cluster = chosen.choice(("CA", "CB"))
    return event(when, "InformationPublished", qmgr, cluster=cluster, records=records)


def _status(chosen: random.Random, when: str, qmgr: str, channel: str) -> dict[str, Any]:
    status = chosen.choice(_STATUSES if chosen.random() < 0.9 else _RARE)
    fields: dict[str, Any] = {
        "channel": channel,
        "status": status,
        "partner": chosen.choice(("", channel.removeprefix("CA."), "QM9")),
    }
    if status == "RETRYING":
        fields["reason"] = chosen.choice(("AMQ9202", "AMQ9202", ""))
        retries = chosen.choice(_RETRIES)
        fields |= {"retries": retries} if retries else {}
    elif status == "STOPPED" and chosen.random() < 0.3:
        fields["reason"] = "AMQ9202"
    return event(when, "ChannelStatusChanged@2", qmgr, **fields)


def _object(chosen: random.Random, when: str, qmgr: str, channel: str) -> dict[str, Any]:
    what = chosen.choice(("Defined", "Altered", "Deleted", "Observed", "Observed", "Vanished"))
    kind, name = chosen.choice((("CHANNEL", channel), ("QUEUE", "Q1"), ("QUEUE", "Q2")))
    fields: dict[str, Any] = {"kind": kind, "name": name}
    if what in ("Defined", "Observed"):
        types = ("CLUSSDR", "CLUSSDR", "CLUSRCVR") if kind == "CHANNEL" else ("QLOCAL",)
        fields["type"] = chosen.choice(types)
    if what not in ("Deleted", "Vanished"):
        fields["values"] = _values(chosen)
    made = event(when, f"Object{what}", qmgr, **fields)
    seen = what in ("Observed", "Vanished") and (qmgr != _OBSERVED or chosen.random() < 0.2)
    source = f"observation:{_FEEDS[sum(map(ord, when)) % len(_FEEDS)]}"
    return {**made, "source": source} if seen else made


def _values(chosen: random.Random) -> dict[str, Any]:
    names = chosen.sample(_ATTRIBUTES, chosen.randrange(4))
    values: dict[str, Any] = {name: chosen.randrange(3) for name in names}
    if chosen.random() < 0.3:
        values["CLUSTER"] = chosen.choice(("CA", "CC", ""))
    if "CLUSNL" in values:
        values["CLUSNL"] = [f"L{values['CLUSNL']}"]
    return values
