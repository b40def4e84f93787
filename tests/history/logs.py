"""Logs for tests of the lake: events of three months and several families, and comparisons."""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import duckdb

from tests.history.scene import at
from tests.log.writing import new
from twin.history.errors import MachineBusy
from twin.history.lake import files
from twin.log import Log, NewEvent
from twin.model.instants import DAY, HOUR

ROOT: Final = Path(__file__).parents[2]

QUICK_JAVA: Final = (
    "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC "
    # The classes of Spark need not be checked again: that takes a seventh of a start.
    "-XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"
)
"""Options with which a Java that lives for seconds takes less time."""

QUICK: Final = (
    f"spark.driver.extraJavaOptions={QUICK_JAVA}",
    "spark.sql.shuffle.partitions=2",
    "spark.driver.memory=512m",
)
"""Settings with which a Spark that lives for seconds is sooner there."""

_BODIES: Final[tuple[tuple[str, dict[str, Any]], ...]] = (
    ("ChannelStatusChanged", {"channel": "CA.QM2", "status": "RETRYING", "was": 3}),
    ("ChannelStatusChanged@2", {"channel": "CA.QM2", "status": "RUNNING", "reason": "started"}),
    ("QueueManagerSuspended", {"cluster": "CA", "mode": "QUIESCE"}),
    ("QueueManagerResumed", {"cluster": "CA"}),
    ("MessagesReallocated", {"queue": "Q", "to": "QM2", "count": 7, "stayed": 2, "cause": "stop"}),
    ("InformationPublished", {"kind": "queue", "name": "Q", "qmid": "QM1_1", "owner": "QM1"}),
    ("ObjectDefined", {"type": "qlocal", "name": "ORDERS"}),
    ("FromTheFuture", {"id": "1", "days": 30, "left": 3}),
)


def made(number: int) -> NewEvent:
    """Make one of the events: four hours after the one before; every third is derived."""
    type_, fields = _BODIES[number % len(_BODIES)]
    qmgr = f"QM{number % 5}"
    return new(
        at("2026-01-01T00:00:00Z") + number * 4 * HOUR,
        type=type_,
        qmgr=qmgr,
        cause="x" if number % 3 == 2 else None,
        source="rules" if number % 3 == 2 else "command",
        body=json.dumps({"qmgr": qmgr, **fields}),
    )


def late(number: int) -> NewEvent:
    """Make an event of 1 December 2025, `number` microseconds after midnight."""
    return made(number)._replace(occurred_at=at("2026-01-01T00:00:00Z") - 31 * DAY + number)


def append(url: str, events: Iterable[NewEvent], *, branch: str = "main") -> None:
    """Append events to a log, which is created if it does not exist."""
    with closing(Log.open(url)) as log:
        log.append(list(events), recorded_at=0, branch=branch)


def positions_in_files(lake: Path) -> list[int]:
    """Return the positions that a reader other than Spark finds in a lake, in order."""
    names = [str(file) for file in files(lake)]
    if not names:
        return []
    found = duckdb.read_parquet(names).project("position").order("position").fetchall()
    return [position for (position,) in found]


def besides_retries(err: str) -> str:
    """Return the lines of standard error, besides those that say that the machine is busy."""
    lines = err.splitlines(keepends=True)
    return "".join(line for line in lines if MachineBusy.REASON not in line)


def tree(folder: Path) -> dict[str, bytes]:
    """Return all files in a folder, with their contents."""
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }
