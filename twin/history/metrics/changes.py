"""Changes that administrators made to definitions, by day, object and attribute."""

from __future__ import annotations

from typing import Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import Window as Over
from pyspark.sql import functions as F  # noqa: N812

from twin.history.intervals import day_of
from twin.history.metrics.metric import Metric
from twin.history.visible import narrowed
from twin.history.window import Window

_WHAT: Final = {
    "ObjectDefined": "defined",
    "ObjectAltered": "altered",
    "ObjectDeleted": "deleted",
    "ObjectVanished": "vanished",
    "QueueManagerAltered": "altered",
}
"""What an event does to a definition."""

_SEEN: Final = ("ObjectObserved", "QueueManagerObserved")

_KEY: Final = ("qmgr", "kind", "name")
_OTHERWISE: Final = """
    filter(map_keys(map_concat(now, map_filter(then, (k, v) -> not map_contains_key(now, k)))),
           k -> not (now[k] <=> then[k]) and (kind <> 'QMGR' or map_contains_key(now, k)))
"""
"""The attributes that differ. An observed object is complete. Of a queue manager, only the
attributes in the observation are compared.
"""


def changes(events: DataFrame, window: Window) -> DataFrame:
    """Count how often objects, and which of their attributes, were changed on each day."""
    attributes = F.concat(F.array(F.lit("")), F.col("attributes"))
    return (
        definition_changes(events, window)
        .where(F.col("at") >= window.since)
        .select(day_of("at").alias("day"), *_KEY, F.explode(attributes).alias("attribute"), "what")
        .groupBy("day", *_KEY, "attribute", "what")
        .agg(F.count("*").alias("changes"))
    )


def definition_changes(events: DataFrame, window: Window) -> DataFrame:
    """Return every change of a definition before a window's end, also those before the window.

    An observation is a change if it differs from the observation before.

    Returns:
        at, an instant; position; qmgr; kind and name (for a queue manager, QMGR and its name);
        what; attributes, an array of keywords.
    """
    changing = narrowed(events, "objects", "queue_managers").where(
        F.col("occurred_at") < window.until
    )
    values = F.get_json_object("body", "$.values")
    none = F.array().cast("array<string>")
    commanded = changing.where(F.col("type").isin(*_WHAT)).select(
        *_subject(),
        F.create_map(*(F.lit(text) for pair in _WHAT.items() for text in pair))[
            F.col("type")
        ].alias("what"),
        F.coalesce(F.json_object_keys(values), none).alias("attributes"),
    )
    observed = changing.where(F.col("type").isin(*_SEEN)).select(*_subject(), values.alias("text"))
    order = Over.partitionBy(*_KEY).orderBy("at", "position")
    differing = (
        observed.withColumn("former", F.lag("text").over(order))
        .where("text <> former")
        .withColumns({"now": _map("text"), "then": _map("former")})
        .withColumns({"what": F.lit("observed"), "attributes": F.expr(_OTHERWISE)})
        .where("size(attributes) > 0")
    )
    return commanded.union(differing.select(*commanded.columns))


def _subject() -> list[Column]:
    """Return the subject of an event; for a queue manager itself, its name."""
    return [
        F.col("occurred_at").alias("at"),
        F.col("position"),
        F.col("qmgr"),
        F.coalesce("kind", F.lit("QMGR")).alias("kind"),
        F.coalesce("name", "qmgr").alias("name"),
    ]


def _map(values: str) -> Column:
    return F.from_json(values, "map<string, string>")


METRIC: Final = Metric(
    name="changes",
    title="Changed definitions",
    compute=changes,
    says=(
        "How often definitions were changed on each day. The row with an empty attribute counts "
        "the changes of the object; each other row counts those that set one attribute. An "
        "observation is a change if it differs from the observation before it."
    ),
    source='IBM MQ 9.4, "MQSC commands reference" (DEFINE, ALTER, DELETE); the count is twin\'s',
    columns={
        "day": "the day, UTC",
        "qmgr": "the queue manager",
        "kind": "kind of object, as in MQSC; QMGR: the queue manager itself",
        "name": "the object",
        "attribute": "the attribute's keyword in MQSC; empty: the object as a whole",
        "what": "defined, altered, deleted; observed (with other values), vanished",
        "changes": "number of changes",
    },
)
