"""How long queue managers were suspended from clusters."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from twin.history.history import Window, by_day, clipped, narrowed, seconds, states
from twin.history.metrics.metric import Metric

_SUSPENDED = "QueueManagerSuspended"
_RESUMED = "QueueManagerResumed"
_DELETED = "QueueManagerDeleted"
_RESTORED = "QueueManagerRestored"

_FORCE = "FORCE"
_KEPT = "map<string, string>"


def suspensions(events: DataFrame, window: Window) -> DataFrame:
    """Return for each day how many seconds a queue manager was suspended from a cluster."""
    return (
        by_day(clipped(suspended_times(events), window))
        .groupBy("day", "qmgr", "cluster")
        .agg(F.sum(seconds()).alias("suspended_s"))
    )


def suspended_times(events: DataFrame) -> DataFrame:
    """Return from when to when each queue manager was suspended from a cluster; if `forced`."""
    return states(_changes(events), "qmgr", "cluster").where("suspended")


def _changes(events: DataFrame) -> DataFrame:
    """Return when a queue manager was suspended from a cluster, and when this ended.

    A deleted queue manager is suspended from no cluster; a restored one, from those in its backup.
    A suspension is forced if its mode is FORCE.
    """
    columns = ("qmgr", "cluster", "occurred_at", "position", "suspended", "forced")
    forced = F.get_json_object("body", "$.mode").eqNullSafe(_FORCE)
    type_ = F.col("type")
    commanded = (
        narrowed(events, "clusters")
        .where(type_.isin(_SUSPENDED, _RESUMED))
        .withColumns({"suspended": type_ == _SUSPENDED, "forced": forced})
    )
    in_backup = F.from_json(F.get_json_object("body", "$.suspended"), _KEPT)
    lives = (
        narrowed(events, "queue_managers", "restoring")
        .where(type_.isin(_DELETED, _RESTORED))
        .select(
            "qmgr",
            "occurred_at",
            "position",
            F.coalesce(in_backup, F.from_json(F.lit("{}"), _KEPT)).alias("kept"),
        )
    )
    kept = lives.select("qmgr", F.explode(F.map_keys("kept")))
    names = commanded.select("qmgr", "cluster").union(kept)
    put_back = lives.join(names.distinct(), "qmgr").withColumns(
        {
            "suspended": F.expr("map_contains_key(kept, cluster)"),
            "forced": F.expr("try_element_at(kept, cluster)").eqNullSafe(_FORCE),
        }
    )
    return commanded.select(*columns).union(put_back.select(*columns))


METRIC = Metric(
    name="suspensions",
    title="Suspended queue managers",
    compute=suspensions,
    says=(
        "How long each queue manager was suspended from a cluster on each day, from SUSPEND QMGR "
        "to RESUME QMGR. Deleting a queue manager ends its suspensions. A restored queue manager "
        "is suspended if it was suspended at the instant of the backup."
    ),
    source='IBM MQ 9.4, "SUSPEND QMGR"',
    columns={
        "day": "the day, UTC",
        "qmgr": "the queue manager",
        "cluster": "the cluster",
        "suspended_s": "seconds suspended",
    },
)
