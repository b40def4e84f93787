"""Changed definitions by day, object and attribute."""

from __future__ import annotations

from typing import Any

import pytest
from pyspark.sql import SparkSession

from tests.history.commotion import commotion, demand_same_as_sql
from tests.history.scene import event, window
from tests.history.together import Asking, ask, together
from tests.laws import seeds
from twin.history.metrics.changes import METRIC, changes


def counted(day: str, *rest: Any) -> dict[str, Any]:
    """Return a row of changes at QM1."""
    words = ("kind", "name", "attribute", "what", "changes")
    return {"day": day, "qmgr": "QM1", **dict(zip(words, rest, strict=True))}


@together
def test_changes_are_counted_as_a_whole_and_by_attribute() -> Asking:
    """A change at the window's begin is counted, one at its end is not; days end at midnight."""
    queue: dict[str, Any] = {"kind": "QUEUE", "name": "Q"}
    values: dict[str, Any] = {"CLUSTER": "CA", "CLWLPRTY": 2}
    events = [
        event("+1h", "ObjectAltered", "QM1", **queue, values={"DESCR": "before"}),
        event("+2h", "ObjectDefined", "QM1", **queue, type="QLOCAL", values=values),
        event("+3h", "ObjectAltered", "QM1", **queue, values={"CLWLPRTY": 3}),
        event("+3h", "ObjectAltered", "QM1", **queue, values={"CLWLPRTY": 4}),
        event("+31d", "QueueManagerAltered", "QM1", values={"CLWLUSEQ": "ANY"}),
        event("+31d1h", "ObjectDeleted", "QM1", **queue),
        event("+31d2h", "ObjectDeleted", "QM1", **queue),
    ]
    assert (yield ask(changes, window("+2h", "+31d2h"), events)) == [
        counted("2026-01-01", "QUEUE", "Q", "", "altered", 2),
        counted("2026-01-01", "QUEUE", "Q", "", "defined", 1),
        counted("2026-01-01", "QUEUE", "Q", "CLUSTER", "defined", 1),
        counted("2026-01-01", "QUEUE", "Q", "CLWLPRTY", "altered", 2),
        counted("2026-01-01", "QUEUE", "Q", "CLWLPRTY", "defined", 1),
        counted("2026-02-01", "QMGR", "QM1", "", "altered", 1),
        counted("2026-02-01", "QMGR", "QM1", "CLWLUSEQ", "altered", 1),
        counted("2026-02-01", "QUEUE", "Q", "", "deleted", 1),
    ]


@together
def test_an_observation_counts_if_it_differs_from_the_one_before() -> Asking:
    """An attribute that an observation of a queue manager does not name has not changed."""
    queue: dict[str, Any] = {"kind": "QUEUE", "name": "Q", "type": "QLOCAL"}
    names: dict[str, Any] = {"NAMES": ["A", "B"], "PUT": "ENABLED"}
    events = [
        event("+1h", "ObjectObserved", "QM1", **queue, values=names),
        event("+1h", "QueueManagerObserved", "QM1", values={"REPOS": "CA", "DESCR": "x"}),
        event("+25h", "ObjectObserved", "QM1", **queue, values=dict(reversed(names.items()))),
        event("+26h", "ObjectObserved", "QM1", **queue, values={"NAMES": ["A"]}),
        event("+26h", "QueueManagerObserved", "QM1", values={"REPOS": "CB", "DEADQ": "DLQ"}),
        event("+27h", "ObjectVanished", "QM1", kind="QUEUE", name="Q"),
    ]
    assert (yield ask(changes, window("+24h", "+48h"), events)) == [
        counted("2026-01-02", "QMGR", "QM1", "", "observed", 1),
        counted("2026-01-02", "QMGR", "QM1", "DEADQ", "observed", 1),
        counted("2026-01-02", "QMGR", "QM1", "REPOS", "observed", 1),
        counted("2026-01-02", "QUEUE", "Q", "", "observed", 1),
        counted("2026-01-02", "QUEUE", "Q", "", "vanished", 1),
        counted("2026-01-02", "QUEUE", "Q", "NAMES", "observed", 1),
        counted("2026-01-02", "QUEUE", "Q", "PUT", "observed", 1),
    ]


@together
def test_what_was_said_counts_if_it_differs() -> Asking:
    """Of a dump every attribute counts, of a script those in it; the same text changes nothing."""

    def dump(when: str, **queues: dict[str, Any]) -> dict[str, Any]:
        said = [
            {"act": "define", "name": name, "type": "QLOCAL", "base": "", "values": values}
            for name, values in queues.items()
        ]
        return event(when, "ObjectsObserved", "QM1", kind="QUEUE", said=said, complete="*")

    define = {"act": "define", "name": "Q", "type": "QLOCAL", "base": "T", "values": {"PUT": "X"}}
    alter = {"act": "alter", "name": "Q", "type": "QLOCAL", "base": "", "values": {"PUT": "Y"}}
    script: dict[str, Any] = {"kind": "QUEUE", "said": [define, alter]}
    delete = {"act": "delete", "name": "Q", "type": "QLOCAL", "base": "", "values": {}}
    own = {"act": "define", "name": "", "type": "QMGR", "base": "", "values": {"DEADQ": "DLQ"}}
    events = [
        dump("+1h", Q={"PUT": "Z", "DESCR": "x"}, R={}),
        event("+1h", "ObjectsObserved", "QM1", kind="QMGR", said=[own]),
        dump("+25h", Q={"DESCR": "x", "PUT": "Z"}, R={"GET": "N"}),
        event("+26h", "ObjectsObserved", "QM1", kind="QMGR", said=[{**own, "values": {}}]),
        dump("+26h", Q={"DESCR": "x"}),
        event("+27h", "ObjectsObserved", "QM1", **script),
        event("+28h", "ObjectsObserved", "QM1", **script),
        dump("+29h", Q={"PUT": "Y"}),
        event("+30h", "ObjectsObserved", "QM1", kind="QUEUE", said=[delete]),
        dump("+31h", S={}),
    ]
    day = "2026-01-02"
    assert (yield ask(changes, window("+24h", "+48h"), events)) == [
        counted(day, "QMGR", "QM1", "", "observed", 1),
        counted(day, "QMGR", "QM1", "DEADQ", "observed", 1),
        counted(day, "QUEUE", "Q", "", "observed", 2),
        counted(day, "QUEUE", "Q", "", "vanished", 1),
        counted(day, "QUEUE", "Q", "PUT", "observed", 2),
        counted(day, "QUEUE", "R", "", "observed", 1),
        counted(day, "QUEUE", "R", "", "vanished", 1),
        counted(day, "QUEUE", "R", "GET", "observed", 1),
    ]


@together
def test_a_change_counts_from_its_altdate() -> Asking:
    """What a capture shows to have been altered before it counts on that day, and once."""
    queue = {"act": "define", "name": "Q", "type": "QLOCAL", "base": "", "values": {"PUT": "X"}}
    altered = {**queue, "values": {"PUT": "Y"}}
    events = [
        event("+1h", "ObjectsObserved", "QM1", kind="QUEUE", said=[queue], complete="*"),
        event("+50h", "ObjectsObserved", "QM1", kind="QUEUE", said=[altered], complete="*"),
        event("+30h", "ObjectsDated", "QM1", kind="QUEUE", said=[altered]),
        event("+99h", "ObjectsObserved", "QM1", kind="QUEUE", said=[altered], complete="*"),
    ]
    assert (yield ask(changes, window("+0h", "+100h"), events)) == [
        counted("2026-01-02", "QUEUE", "Q", "", "observed", 1),
        counted("2026-01-02", "QUEUE", "Q", "PUT", "observed", 1),
    ]


@pytest.mark.more
@together
def test_nothing_gives_no_changes() -> Asking:
    """An empty log has no rows."""
    assert (yield ask(changes, window("+0h", "+1d"), [])) == []


@pytest.mark.parametrize("seed", seeds(30, 31))
def test_the_same_changes_come_from_sql(spark: SparkSession, seed: int) -> None:
    """DuckDB gives the same rows for random events."""
    events = commotion(spark, seed, count=1000, days=5)
    assert demand_same_as_sql(METRIC, events, window("+30h", "+101h")) > 50
