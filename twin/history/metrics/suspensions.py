"""How long queue managers were suspended from clusters."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from twin.history.intervals import by_day, clipped, seconds, states
from twin.history.metrics.metric import Metric
from twin.history.visible import narrowed
from twin.history.window import Window

_SUSPENDED = "QueueManagerSuspended"
_RESUMED = "QueueManagerResumed"


def suspensions(events: DataFrame, window: Window) -> DataFrame:
    """Say for how many seconds of each day a queue manager was suspended from a cluster."""
    changes = (
        narrowed(events, "clusters")
        .where(F.col("type").isin(_SUSPENDED, _RESUMED))
        .select("qmgr", "cluster", "type", "occurred_at", "position")
    )
    suspended = states(changes, "qmgr", "cluster").where(F.col("type") == _SUSPENDED)
    return (
        by_day(clipped(suspended, window))
        .groupBy("day", "qmgr", "cluster")
        .agg(F.sum(seconds()).alias("suspended_s"))
    )


METRIC = Metric(
    name="suspensions",
    title="Suspended queue managers",
    compute=suspensions,
    says=(
        "The time for which a queue manager asked others in a cluster to avoid it, from SUSPEND "
        "QMGR to RESUME QMGR, day by day."
    ),
    source='IBM MQ 9.4, "SUSPEND QMGR"',
    columns={
        "day": "UTC",
        "qmgr": "the queue manager",
        "cluster": "the cluster",
        "suspended_s": "seconds suspended",
    },
)
